//! Families of cases: how each limit is made, and what must be said of it.
//!
//! Levels are low, so that a busy machine keeps them, and drawn by the seed. What fio gets under
//! the same limit is the reference of its capacity: a kernel charges requests that it splits twice,
//! so that the number in the kernel's file need not be what anybody gets.

use std::path::PathBuf;

use anyhow::Result;

use super::draw::Draw;
use super::play::{Around, Limit, Load, Program, fio, measure};
use super::rig::{Rig, said};

const MIB: u64 = 1 << 20;
const MB: u64 = 1_000_000;

/// Cases that are alike but for what the seed draws.
pub(crate) struct Family {
    pub name: &'static str,
    pub cases: u64,
    /// The first of them, which `cargo xtask ci limits` plays: those that hold on a busy machine.
    pub checked: u64,
    pub play: fn(&Program, &mut Draw) -> Result<Played>,
}

/// What came of a case.
pub(crate) struct Played {
    pub limit: Limit,
    /// What is right to say.
    pub wanted: Wanted,
    /// What fio gets under the same limit, in bytes a second.
    pub reference: Option<f64>,
    /// What the limit allows, in bytes a second: where a busy machine reaches less, something else
    /// held the run back, and nothing is known of it.
    pub allowed: Option<f64>,
}

/// Share of what a limit allows from which it was reached: chosen; below the law's own 0.95.
const REACHED: f64 = 0.9;

impl Played {
    /// Whether the limit that was made did not become one, for the program or for fio.
    pub(crate) fn is_void(&self) -> bool {
        let reached = self
            .reference
            .map_or(self.limit.throughput, |reference| reference.min(self.limit.throughput));
        self.allowed.is_some_and(|allowed| reached < REACHED * allowed)
    }
}

/// What is right to say.
pub(crate) enum Wanted {
    /// One of these causes; of this entity, where there is only one.
    Cause(&'static [&'static str], Option<String>),
    /// Anything but a device.
    NoDevice,
}

impl Wanted {
    pub(crate) fn is_met(&self, limit: &Limit) -> bool {
        match self {
            Self::Cause(causes, entity) => {
                causes.contains(&limit.cause.as_str())
                    && (entity.is_none() || limit.entity == *entity)
            }
            Self::NoDevice => limit.cause != "device",
        }
    }
}

/// Limits that are known: what holds the run back must be named.
pub(crate) const KNOWN: [Family; 8] = [
    Family { name: "group-throttle", cases: 20, checked: 8, play: group_throttle },
    Family { name: "shared-limit", cases: 8, checked: 0, play: shared_limit },
    Family { name: "slow-member", cases: 6, checked: 0, play: slow_member },
    Family { name: "slow-btrfs-member", cases: 4, checked: 2, play: slow_btrfs_member },
    Family { name: "busy-core", cases: 6, checked: 4, play: busy_core },
    Family { name: "few-in-flight", cases: 8, checked: 4, play: few_in_flight },
    Family { name: "page-cache", cases: 4, checked: 2, play: page_cache },
    Family { name: "token-bucket", cases: 4, checked: 2, play: token_bucket },
];

/// Runs that processors or the generator limit: a device must not be named.
pub(crate) const NO_DEVICE: [Family; 3] = [
    Family { name: "memory", cases: 24, checked: 6, play: memory },
    Family { name: "null", cases: 16, checked: 4, play: null },
    Family { name: "lone-core", cases: 20, checked: 4, play: lone_core },
];

fn group_throttle(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let node = rig.device("medium", 256 * MIB)?;
    let op = draw.one(&["read", "write"]);
    let (block, depth) = (draw.one(&[4, 16, 64, 256]) << 10, draw.one(&[2, 4, 8, 16]));
    let (what, per_sec) = match draw.one(&["bps", "iops"]) {
        "bps" => (format!("{op}_bps"), draw.within(16, 64) * MB),
        _ => (format!("{op}_iops"), draw.within(100, 900)),
    };
    let group = Some(rig.group(&node, &what, per_sec)?);
    let around = Around { group, processor: None };
    let load = Load { target: node, op, block, depth, seconds: 2 };
    let limit = measure(iopath, &rig.path("store"), &load.options(), &around)?;
    let reference = Some(fio(&[load], &around)?);
    let wanted = Wanted::Cause(&["throttle"], Some("target".to_owned()));
    let of_one = if what.ends_with("bps") { 1 } else { block };
    let allowed = Some((per_sec * of_one) as f64);
    Ok(Played { limit, wanted, reference, allowed })
}

/// Options of a daemon with media of these sizes, each behind the throttle group of that name.
fn media(rig: &Rig, groups: &[(&str, &str)], of: &[&str]) -> Result<(Vec<String>, Vec<String>)> {
    let mut options = Vec::new();
    for (name, limits) in groups {
        options.push("--object".to_owned());
        options.push(format!("throttle-group,id={name},{limits}"));
    }
    let mut nodes = Vec::new();
    for (index, group) in of.iter().enumerate() {
        let image = rig.file(&format!("image{index}"), 256 * MIB)?;
        let file = format!("driver=file,node-name=file{index},filename={}", image.display());
        let node = format!("medium{index}");
        let (driver, more) = match *group {
            "" => ("raw", String::new()),
            group => ("throttle", format!(",throttle-group={group}")),
        };
        let medium = format!("driver={driver},node-name={node},file=file{index}{more}");
        options.extend(["--blockdev".to_owned(), file, "--blockdev".to_owned(), medium]);
        nodes.push(node);
    }
    Ok((options, nodes))
}

/// Disks behind one adapter whose limit the study gives.
fn shared_limit(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let (disks, rate) = (draw.one(&[2, 4]), draw.within(8, 40) * MB);
    let (block, depth) = (draw.one(&[16, 64, 128]) << 10, draw.one(&[2, 4, 8]));
    let limits = format!("x-bps-read={rate}");
    let (options, nodes) = media(&rig, &[("adapter", &limits)], &vec!["adapter"; disks])?;
    let nodes = attached(&mut rig, &options, &nodes)?;
    let text = format!(
        "study \"A shared limit\"\n\
         path {{ host \"server\" {{ hba read=(given)\"{rate} B/s\" {{ \
         disk count={disks} read=(given)\"{rate} B/s\" size=\"256 MiB\" }} }} }}\n\
         layout {{ {} }}\n\
         workload passes=1 warm-up=\"200 ms\" time=\"2 s\" {{ streams \"reader\" \
         over=\"server..disk\" op=\"read\" pattern=\"random\" block=\"{block} B\" \
         depth={depth} }}\n",
        binds(&nodes)
    );
    let study = rig.path("study.kdl");
    std::fs::write(&study, text)?;
    let around = Around::default();
    let options = [study.display().to_string()];
    let limit = measure(iopath, &rig.path("store"), &options, &around)?;
    let load = |node: &String| Load { target: node.clone(), op: "read", block, depth, seconds: 2 };
    let reference = Some(fio(&nodes.iter().map(load).collect::<Vec<_>>(), &around)?);
    let wanted = Wanted::Cause(&["component"], Some("server.hba".to_owned()));
    Ok(Played { limit, wanted, reference, allowed: None })
}

/// A daemon with these options, and a loop device over each node that it exports.
fn attached(rig: &mut Rig, options: &[String], nodes: &[String]) -> Result<Vec<String>> {
    let files = rig.daemon(options, nodes)?;
    files.iter().map(|file| rig.attach(file)).collect()
}

fn binds(nodes: &[String]) -> String {
    let bind = |(index, node): (usize, &String)| {
        format!("bind from=\"server.hba.disk[{index}]\" to=\"{node}\"\n")
    };
    nodes.iter().enumerate().map(bind).collect()
}

/// Loop devices over these files, of which one is behind a throttle. Only that one is served by a
/// daemon: it answers one request after the other, so that others would wait for the slow medium.
fn devices(rig: &mut Rig, files: &[PathBuf], slow: usize, rate: u64) -> Result<Vec<String>> {
    let options = [
        "--object".to_owned(),
        format!("throttle-group,id=slow,x-bps-total={rate}"),
        "--blockdev".to_owned(),
        format!("driver=file,node-name=file,filename={}", files[slow].display()),
        "--blockdev".to_owned(),
        "driver=throttle,node-name=medium,file=file,throttle-group=slow".to_owned(),
    ];
    let node = attached(rig, &options, &["medium".to_owned()])?.remove(0);
    let device = |(index, file): (usize, &PathBuf)| match index == slow {
        true => Ok(node.clone()),
        false => rig.attach_with(file, &[]),
    };
    files.iter().enumerate().map(device).collect()
}

/// Files of zeros for as many devices, the slow one of them, and its rate.
fn members(rig: &Rig, draw: &mut Draw) -> Result<(Vec<PathBuf>, usize, u64)> {
    let (slow, rate) = (draw.within(0, 3) as usize, draw.within(4, 16) * MB);
    let files: Result<Vec<PathBuf>> =
        (0..4).map(|index| rig.file(&format!("image{index}"), 256 * MIB)).collect();
    Ok((files?, slow, rate))
}

/// What the kernel calls a node.
fn kernel_name(node: &str) -> String {
    node.trim_start_matches("/dev/").to_owned()
}

/// A stripe over four devices, composed by the program.
fn slow_member(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let (files, slow, rate) = members(&rig, draw)?;
    let nodes = devices(&mut rig, &files, slow, rate)?;
    let depth = draw.one(&[2, 4, 8]);
    let disks: String = (0..4).map(|index| format!("disk \"d{index}\"\n")).collect();
    let binds: String = (0..4)
        .map(|index| format!("bind from=\"server.d{index}\" to=\"{}\"\n", nodes[index]))
        .collect();
    let text = format!(
        "study \"A slow member\"\npath {{ host \"server\" {{ {disks} }} }}\n\
         layout {{ stripe \"volume\" unit=\"64 KiB\" over=\"server.d0, server.d1, server.d2, \
         server.d3\"\n{binds} }}\n\
         workload passes=1 warm-up=\"200 ms\" time=\"3 s\" {{ streams \"reader\" over=\"volume\" \
         op=\"read\" block=\"256 KiB\" depth={depth} }}\n"
    );
    let study = rig.path("study.kdl");
    std::fs::write(&study, text)?;
    let options = [study.display().to_string()];
    let limit = measure(iopath, &rig.path("store"), &options, &Around::default())?;
    let wanted = Wanted::Cause(&["device"], Some(kernel_name(&nodes[slow])));
    Ok(Played { limit, wanted, reference: None, allowed: None })
}

/// A file of a btrfs that is striped over four devices.
fn slow_btrfs_member(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let (files, slow, rate) = members(&rig, draw)?;
    rig.passing(|rig| {
        let nodes: Result<Vec<String>> =
            files.iter().map(|file| rig.attach_with(file, &[])).collect();
        let nodes = nodes?;
        rig.make_btrfs(&nodes, "raid0")?;
        let at = rig.mount_btrfs(&nodes, "rw")?;
        let file = format!("of={}/data", at.display());
        said("dd", &["if=/dev/urandom", &file, "bs=1M", "count=48", "conv=fsync"])
    })?;
    let nodes = devices(&mut rig, &files, slow, rate)?;
    let at = rig.mount_btrfs(&nodes, "ro")?;
    let file = at.join("data").display().to_string();
    let (block, depth) = (draw.one(&[128, 256]) << 10, draw.one(&[4, 8]));
    let load = Load { target: file, op: "read", block, depth, seconds: 3 };
    let limit = measure(iopath, &rig.path("store"), &load.options(), &Around::default())?;
    let wanted = Wanted::Cause(&["device"], Some(kernel_name(&nodes[slow])));
    Ok(Played { limit, wanted, reference: None, allowed: None })
}

/// A fast device, and a process that may use one processor only, which another one uses as well.
fn busy_core(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let node = rig.device("medium", 256 * MIB)?;
    let processor = draw.within(0, 1) as usize;
    rig.spinner(processor)?;
    let (block, depth) = (draw.one(&[4, 16]) << 10, draw.one(&[8, 32]));
    let around = Around { group: None, processor: Some(processor) };
    let load = Load { target: node, op: "read", block, depth, seconds: 2 };
    let limit = measure(iopath, &rig.path("store"), &load.options(), &around)?;
    let wanted = Wanted::Cause(&["cpu", "generator"], None);
    Ok(Played { limit, wanted, reference: None, allowed: None })
}

/// A device that takes as many requests as come, and its time for each.
fn few_in_flight(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let latency_ns = draw.within(3, 12) * 1_000_000;
    let options = [
        "--blockdev".to_owned(),
        format!("driver=null-co,node-name=null,size={},latency-ns={latency_ns}", 256 * MIB),
    ];
    let files = rig.daemon(&options, &["null".to_owned()])?;
    let target = files[0].display().to_string();
    let (block, depth) = (draw.one(&[4, 16]) << 10, draw.one(&[1, 2, 4]));
    let load = Load { target, op: "read", block, depth, seconds: 2 };
    let limit = measure(iopath, &rig.path("store"), &load.options(), &Around::default())?;
    let wanted = Wanted::Cause(&["latency"], None);
    Ok(Played { limit, wanted, reference: None, allowed: None })
}

/// A file of a disk that was read before.
fn page_cache(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let rig = Rig::new()?;
    let folder = tempfile::Builder::new().prefix("iopath-limits-").tempdir()?;
    let file = folder.path().join("data").display().to_string();
    said("dd", &["if=/dev/urandom", &format!("of={file}"), "bs=1M", "count=64"])?;
    said("sync", &["-f", &file])?;
    let (block, depth) = (draw.one(&[4, 64]) << 10, draw.one(&[1, 4]));
    let load = Load { target: file, op: "read", block, depth, seconds: 2 };
    let mut options = load.options();
    options.extend(["--cache".to_owned(), "buffered".to_owned()]);
    let limit = measure(iopath, &rig.path("store"), &options, &Around::default())?;
    let wanted = Wanted::Cause(&["page-cache"], None);
    Ok(Played { limit, wanted, reference: None, allowed: None })
}

/// A medium that may go faster for its first seconds.
fn token_bucket(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let rate = draw.within(8, 20) * MB;
    let limits = format!("x-bps-read={rate},x-bps-read-max={},x-bps-read-max-length=2", 4 * rate);
    let (options, nodes) = media(&rig, &[("bucket", &limits)], &["bucket"])?;
    let node = attached(&mut rig, &options, &nodes)?.remove(0);
    let (block, depth) = (draw.one(&[16, 64]) << 10, draw.one(&[4, 8]));
    let load = Load { target: node, op: "read", block, depth, seconds: 14 };
    let limit = measure(iopath, &rig.path("store"), &load.options(), &Around::default())?;
    let reference = Some(rate as f64);
    let wanted = Wanted::Cause(&["throttle"], None);
    Ok(Played { limit, wanted, reference, allowed: None })
}

fn memory(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let rig = Rig::new()?;
    let (block, depth) = (draw.one(&[4, 16, 64, 1024]) << 10, draw.one(&[1, 8, 32]));
    let op = draw.one(&["read", "write"]);
    // Writes get a new file: one that exists may be behind a loop device that a killed run left.
    let target = match op {
        "read" => rig.file("data", 64 * MIB)?,
        _ => rig.path("data"),
    };
    let load = Load { target: target.display().to_string(), op, block, depth, seconds: 1 };
    let mut options = load.options();
    options.push(format!("--streams={}", draw.one(&[1, 2, 4])));
    options.push("--size=64MiB".to_owned());
    without_a_device(iopath, &rig, &options, &Around::default())
}

fn null(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let rig = Rig::new()?;
    let target = rig.file("data", 64 * MIB)?.display().to_string();
    let (block, depth) = (draw.one(&[4, 64]) << 10, draw.one(&[1, 8, 32]));
    let load = Load { target, op: "read", block, depth, seconds: 1 };
    let mut options = load.options();
    options.push(format!("--streams={}", draw.one(&[1, 2, 4])));
    options.push("--engine=null".to_owned());
    without_a_device(iopath, &rig, &options, &Around::default())
}

/// Several streams on one processor that has nothing else to do.
fn lone_core(iopath: &Program, draw: &mut Draw) -> Result<Played> {
    let mut rig = Rig::new()?;
    let node = rig.device("medium", 256 * MIB)?;
    let (block, depth) = (draw.one(&[4, 8]) << 10, draw.one(&[16, 32]));
    let load = Load { target: node, op: "read", block, depth, seconds: 1 };
    let mut options = load.options();
    options.push(format!("--streams={}", draw.one(&[2, 4])));
    let around = Around { group: None, processor: Some(draw.within(0, 1) as usize) };
    without_a_device(iopath, &rig, &options, &around)
}

fn without_a_device(
    iopath: &Program,
    rig: &Rig,
    options: &[String],
    around: &Around,
) -> Result<Played> {
    let limit = measure(iopath, &rig.path("store"), options, around)?;
    Ok(Played { limit, wanted: Wanted::NoDevice, reference: None, allowed: None })
}
