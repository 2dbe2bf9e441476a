//! The experiments of a profile, as a study: each load on each set of devices, with the path of the
//! devices. They are a study like any other, so they can be read, kept and run again.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use iopath_analysis::capacities::{
    AtOnce, Between, Crossed, Figure, Load, REREAD_BYTES, Together, levels, loads, sets,
};
use iopath_analysis::probe::Members;
use iopath_path::select::select;
use iopath_report::{PROFILE_TITLE, crossed_by, crossed_by_rereads, load_words};
use iopath_study::{Case, PartId, quoted};
use iopath_units::{Bytes, Nanos, Op};

use super::{Device, Profiled};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies::{self, Planned};

/// How long, how often, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub time_ms: u64,
    pub warm_up_ms: u64,
    pub passes: u32,
    /// Whether steps between one part and all, and points between the loads, are measured.
    pub is_whole: bool,
    /// Whether each set is measured by itself, however long that takes.
    pub is_one_by_one: bool,
}

impl Extent {
    pub(crate) const QUICK: Self =
        Self { time_ms: 1000, warm_up_ms: 300, passes: 2, is_whole: false, is_one_by_one: false };
    pub(crate) const USUAL: Self =
        Self { time_ms: 2000, warm_up_ms: 500, passes: 3, is_whole: true, ..Self::QUICK };
    pub(crate) const THOROUGH: Self =
        Self { time_ms: 5000, warm_up_ms: 1000, passes: 5, is_one_by_one: true, ..Self::USUAL };

    /// The same with passes of another length.
    pub(crate) fn lasting(self, time: Nanos) -> Result<Self, Problem> {
        let time_ms = time.0 / 1_000_000;
        if time_ms < SHORTEST_MS {
            let least = Nanos(SHORTEST_MS * 1_000_000);
            return Err(Problem::mistake(format!("--time: {time} is too short, at least {least}")));
        }
        Ok(Self { time_ms, ..self })
    }

    /// One experiment.
    pub(crate) fn each_ms(self) -> u64 {
        (self.warm_up_ms + self.time_ms) * u64::from(self.passes)
    }

    /// Whether so many experiments take longer than anyone waits for.
    fn takes_too_long(self, experiments: usize) -> bool {
        let most = match (self.is_whole, self.is_one_by_one) {
            (_, true) => return false,
            (true, false) => LONG_MS,
            (false, false) => QUICK_MS,
        };
        experiments as u64 * self.each_ms() > most
    }

    /// The same for those that are left of a profile that is to end in time.
    pub(crate) fn for_the_rest(self, begun_ms: u64, left: usize) -> Self {
        match self.is_whole {
            true => self,
            false => self.within(left, QUICK_MS.saturating_sub(begun_ms)),
        }
    }

    /// The same, with passes short enough for so many experiments in so much time.
    fn within(self, experiments: usize, all_ms: u64) -> Self {
        let each = all_ms / (experiments as u64 * u64::from(self.passes)).max(1);
        let time_ms = each.saturating_sub(self.warm_up_ms).clamp(SHORTEST_MS, self.time_ms);
        Self { time_ms, ..self }
    }
}

/// All of a quick profile: what it promises, less what opening and filling take.
const QUICK_MS: u64 = 100_000;
/// One by one no longer than this: chosen.
const LONG_MS: u64 = 900_000;
/// The shortest pass whose rate means something.
const SHORTEST_MS: u64 = 200;

/// What is read again and again from the page cache: chosen, more than most processors' own caches
/// hold.
const CACHED_BYTES: u64 = 64 << 20;

/// One experiment.
struct Experiment {
    load: Load,
    /// Positions in the list of devices.
    devices: Vec<usize>,
}

/// What a profile measures.
pub(crate) struct Experiments {
    /// The experiments that are known beforehand; of sets that are measured at once those on all
    /// devices.
    pub planned: Planned,
    /// How many there are, as far as that is known.
    pub count: usize,
    /// Where one by one takes too long: the courses that find out which sets to measure at once.
    pub courses: Vec<Course>,
    pub extent: Extent,
    /// How many there would be, one by one.
    pub one_by_one: usize,
}

/// The sets of devices under one load, several at once.
pub(crate) struct Course {
    pub load: Load,
    /// Positions in the list of devices.
    pub devices: Vec<usize>,
    pub at_once: AtOnce,
    /// How many experiments it takes where all devices are equal and nothing is ever full.
    pub expected: usize,
}

/// All experiments.
pub(crate) fn plan(profiled: &Profiled, extent: Extent) -> Result<Experiments, Problem> {
    large_enough(&profiled.devices)?;
    let all: Vec<usize> = (0..profiled.devices.len()).collect();
    let crossed = crossed(profiled, all)?;
    let all = chosen(profiled, &crossed, extent)?;
    let one_by_one = all.len();
    let courses = match extent.takes_too_long(one_by_one) {
        true => courses(profiled, &crossed, extent, &all)?,
        false => Vec::new(),
    };
    let known = match courses.is_empty() {
        true => all,
        false => known(profiled, &courses, all),
    };
    let of_courses: usize = courses.iter().map(|course| course.expected).sum();
    let count = known.len() - courses.len() + of_courses;
    let extent = match extent.is_whole {
        true => extent,
        false => extent.within(count, QUICK_MS),
    };
    let planned = studies::plan("(profile)", text(profiled, extent, &known)?, &[])?;
    Ok(Experiments { planned, count, courses, extent, one_by_one })
}

impl Experiments {
    /// How long they take, as far as that is known.
    pub(crate) fn expected_ms(&self) -> u64 {
        let known = self.planned.plan.estimated_time().known.0 / 1_000_000;
        let more = self.count - self.planned.plan.trials.len();
        known + more as u64 * self.extent.each_ms()
    }
}

impl Course {
    /// Whether a case is one of its experiments.
    pub(crate) fn is_of(&self, case: &Case) -> bool {
        case.streams.first().and_then(Load::of) == Some(self.load)
    }
}

/// How many experiments a course takes where all devices are equal and nothing is ever full.
fn expected(mut course: AtOnce) -> usize {
    let mut measured: Vec<Together> = Vec::new();
    while let Some(set) = course.next(&measured) {
        let rates = set.into_iter().map(|device| (device, 1.0)).collect();
        measured.push(Together { rates, is_limited_by_host: false });
    }
    measured.len()
}

impl Profiled {
    /// Whether two experiments are of one load and of equal devices.
    fn is_equal(&self, one: &Experiment, other: &Experiment) -> bool {
        let declared = |one: &Experiment| self.devices[one.devices[0]].declared;
        one.load == other.load && declared(one) == declared(other)
    }
}

/// Refuses devices that the largest request does not fit into.
fn large_enough(devices: &[Device]) -> Result<(), Problem> {
    let largest = loads(true, true).map(|load| load.block).max().unwrap_or_default();
    let too_small = |device: &Device| {
        let size = Bytes(device.bytes.filter(|bytes| *bytes < largest)?);
        let instead = match device.is_file {
            true => "; name a larger file, or its directory for a scratch file",
            false => "",
        };
        Some(format!(
            "{}: {size} is too small to profile: the largest request is {}{instead}",
            device.selector,
            Bytes(largest)
        ))
    };
    match devices.iter().find_map(too_small) {
        Some(text) => Err(Problem::new(ExitStatus::Obstacle, text)),
        None => Ok(()),
    }
}

/// The case that loads all these devices together.
pub(crate) fn together(
    profiled: &Profiled,
    extent: Extent,
    load: Load,
    devices: Vec<usize>,
) -> Result<Case, Problem> {
    let text = text(profiled, extent, &[Experiment { load, devices }])?;
    let whole = studies::plan("(profile)", text, &[])?;
    let case = whole.plan.trials.into_iter().next().map(|trial| trial.case);
    case.ok_or_else(|| Problem::unexpected("a study without a case"))
}

/// What large reads of all these devices cross.
fn crossed(profiled: &Profiled, devices: Vec<usize>) -> Result<Vec<Crossed>, Problem> {
    let first = loads(false, false).next();
    let case = first.map(|load| together(profiled, Extent::QUICK, load, devices)).transpose()?;
    case.as_ref().and_then(crossed_by).ok_or_else(|| {
        Problem::mistake("the path of these targets cannot be modelled: see `iopath check`")
    })
}

/// The sets that may fill what lies above media, where devices share any of it: of those that have
/// room for what is read again.
fn sets_above(profiled: &Profiled) -> Result<Vec<Members>, Problem> {
    let bytes = |one: &usize| profiled.devices[*one].bytes;
    let large: Vec<usize> = (0..profiled.devices.len())
        .filter(|one| bytes(one).is_none_or(|bytes| bytes >= REREAD_BYTES))
        .collect();
    let reread = loads(false, true).find(|load| load.is_reread());
    let Some(load) = reread.filter(|_| large.len() > 1) else { return Ok(Vec::new()) };
    let crossed = above(profiled, load, &large)?;
    if crossed.is_empty() {
        return Ok(Vec::new());
    }
    let sets = sets(large.len(), &crossed).into_iter();
    Ok(sets.map(|set| set.into_iter().map(|at| large[at]).collect()).collect())
}

/// What re-reads of these devices cross.
fn above(profiled: &Profiled, load: Load, devices: &[usize]) -> Result<Vec<Crossed>, Problem> {
    let case = together(profiled, Extent::QUICK, load, devices.to_vec())?;
    Ok(crossed_by_rereads(&case))
}

/// Selectors of the block devices behind each component that has several of them, but not all.
pub(crate) fn shared(profiled: &Profiled) -> Result<Vec<String>, Problem> {
    let devices: Vec<usize> =
        (0..profiled.devices.len()).filter(|one| !profiled.devices[*one].is_file).collect();
    if devices.len() < 3 {
        return Ok(Vec::new());
    }
    let crossed = crossed(profiled, devices.clone())?;
    let several = sets(devices.len(), &crossed).into_iter();
    let several = several.filter(|set| (2..devices.len()).contains(&set.len()));
    let named = several.map(|set| {
        let parts: Vec<PartId> =
            set.iter().map(|one| profiled.devices[devices[*one]].part).collect();
        select(&profiled.case.system, &parts)
    });
    Ok(named.collect())
}

fn chosen(
    profiled: &Profiled,
    crossed: &[Crossed],
    extent: Extent,
) -> Result<Vec<Experiment>, Problem> {
    let devices = &profiled.devices;
    let mut all = sets(devices.len(), crossed);
    if extent.is_whole {
        all.extend(levels(devices.len(), crossed));
    }
    let above = if extent.is_whole { sets_above(profiled)? } else { Vec::new() };
    let writes = devices.iter().any(|device| device.may_write);
    let cached = devices.iter().position(|device| device.bytes >= Some(CACHED_BYTES));
    let mut chosen = Vec::new();
    for load in loads(writes, extent.is_whole) {
        if load.is_cached() {
            chosen.extend(cached.map(|device| Experiment { load, devices: vec![device] }));
            continue;
        }
        let sets = if load.is_reread() { &above } else { &all };
        let may = |device: &usize| load.op == Op::Read || devices[*device].may_write;
        let of_load = sets.iter().filter(|set| load.is_of_sets() || set.len() == 1);
        let of_load = of_load.filter(|set| set.iter().all(may));
        let is_curve = load.figure == Figure::Curve;
        // Equal devices have one curve.
        let of_load =
            of_load.filter(|set| !is_curve || set.iter().all(|one| profiled.is_first(*one)));
        chosen
            .extend(of_load.map(|set| Experiment { load, devices: set.iter().copied().collect() }));
    }
    Ok(chosen)
}

/// The courses of the loads that sets of devices are measured under.
fn courses(
    profiled: &Profiled,
    crossed: &[Crossed],
    extent: Extent,
    all: &[Experiment],
) -> Result<Vec<Course>, Problem> {
    let of_sets: BTreeSet<Load> =
        all.iter().map(|one| one.load).filter(|load| load.is_of_sets()).collect();
    let mut found = Vec::new();
    for load in loads(true, extent.is_whole).filter(|load| of_sets.contains(load)) {
        let of_load = all.iter().filter(|one| one.load == load);
        let devices: BTreeSet<usize> = of_load.flat_map(|one| &one.devices).copied().collect();
        let devices: Vec<usize> = devices.into_iter().collect();
        let crossed = match load.is_reread() {
            true => above(profiled, load, &devices)?,
            false => crossed.iter().map(|one| one.among(&devices)).collect(),
        };
        let declared: Vec<usize> =
            devices.iter().map(|device| profiled.devices[*device].declared).collect();
        // As one by one, where re-reads have no steps between.
        let between = match extent.is_whole && !load.is_reread() {
            true => Between::Measured,
            false => Between::LeftOut,
        };
        let at_once = AtOnce::new(&declared, &crossed, between);
        let expected = expected(at_once.clone());
        found.push(Course { load, devices, at_once, expected });
    }
    Ok(found)
}

/// What is known beforehand: all devices of each course, and what is measured of one device; of
/// equal ones the first.
fn known(profiled: &Profiled, courses: &[Course], all: Vec<Experiment>) -> Vec<Experiment> {
    let mut known: Vec<Experiment> = Vec::new();
    for one in all {
        match courses.iter().find(|course| course.load == one.load) {
            Some(_) if known.iter().any(|other| other.load == one.load) => {}
            Some(Course { load, devices, .. }) => {
                known.push(Experiment { load: *load, devices: devices.clone() });
            }
            // Of equal devices under this load the first.
            None if !known.iter().any(|other| profiled.is_equal(other, &one)) => known.push(one),
            None => {}
        }
    }
    known
}

fn text(
    profiled: &Profiled,
    extent: Extent,
    experiments: &[Experiment],
) -> Result<String, Problem> {
    let mut text = profiled.case.ground(PROFILE_TITLE).map_err(Problem::unexpected)?;
    for Experiment { load, devices } in experiments {
        let parts: Vec<PartId> = devices.iter().map(|one| profiled.devices[*one].part).collect();
        let title = format!("{}: {}", select(&profiled.case.system, &parts), load_words(*load));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "experiment {} {{\n    workload time=\"{} ms\" warm-up=\"{} ms\" passes={}{} {{",
            quoted(&title),
            extent.time_ms,
            extent.warm_up_ms,
            extent.passes,
            if load.is_cached() { " cache=\"buffered\"" } else { "" }
        );
        for device in devices {
            let line = stream(*load, *device, &profiled.devices[*device]);
            let _ = writeln!(text, "        {line}");
        }
        text.push_str("    }\n}\n");
    }
    Ok(text)
}

fn stream(load: Load, number: usize, device: &Device) -> String {
    let op = load.op;
    let order = match load.figure {
        // Scratch files are read where they were written; what was read before may be cached.
        Figure::Throughput if op == Op::Write => "pattern=\"sequential\"".to_owned(),
        Figure::Throughput => "pattern=\"random-start\"".to_owned(),
        Figure::Reread => resident(REREAD_BYTES),
        Figure::Flush => "pattern=\"random\" sync=\"dsync\"".to_owned(),
        Figure::Operations | Figure::Latency | Figure::Curve => "pattern=\"random\"".to_owned(),
        Figure::Copy => cached(1),
        Figure::Copies => cached(available_parallelism().map_or(1, NonZeroUsize::get)),
    };
    format!(
        "streams \"{}-{op}-{number}\" over={} op=\"{op}\" {order} block=\"{} KiB\" depth={}",
        load.figure.name(),
        quoted(&device.selector),
        load.block >> 10,
        load.depth
    )
}

/// So many streams that read the same bytes.
fn cached(streams: usize) -> String {
    format!("count={streams} region=\"shared\" {}", resident(CACHED_BYTES))
}

/// The same bytes again and again.
fn resident(bytes: u64) -> String {
    format!("pattern=\"resident\" hits=1.0 set=\"{bytes} B\"")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use iopath_analysis::capacities::Carried;
    use iopath_analysis::limit::Cause;
    use iopath_path::Network;
    use iopath_record::Record;
    use iopath_report::{LoadCarried, Profile as Found, RunFacts, RunView, compose};
    use iopath_simulation::Settings;
    use iopath_units::System;

    use super::super::devices;
    use super::*;
    use crate::run::crew::Simulator;
    use crate::run::models::simulated;
    use crate::run::profiling::Profiling;
    use crate::run::session::{Coming, Trials};

    /// Two volumes of slow disks behind an array, and a link that media cannot fill.
    fn array(cache: &str, volumes: &str, over: &str) -> String {
        format!(
            r#"study "Array"
path {{
    host "h" {{ hba {{ port read="200 MB/s" }} }}
    array "a" {{ controller {{ port; {cache} {volumes} }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
{over}
"#
        )
    }

    const VOLUMES: &str = r#"workload time="1 s" {
        streams "s" over="a.controller.v" block="1 MiB"
    }"#;
    const FILES: &str = r#"layout {
        filesystem "fs" on="a.controller.v[0]"
        file "f" count=2 on="fs" size="400 MB"
    }
    workload time="1 s" { streams "s" over="f" block="1 MiB" }"#;
    const MIXED: &str = r#"layout {
        filesystem "fs" on="h.hba.local"
        file "f" count=2 on="fs" size="400 MB"
    }
    workload time="1 s" {
        streams "s" over="a.controller.v" block="1 MiB"
        streams "t" over="f" block="1 MiB"
    }"#;
    const CACHE: &str = r#"cache size="256 MiB";"#;
    const OF_THEIR_OWN: &str = r#"raid "v" count=2 level=0 segment="64 KiB" {
        disk count=2 size="1 GB" stream="20 MB/s" position="5 ms"
    }"#;

    fn profiled(text: String) -> Profiled {
        let planned = studies::plan("(array)", text, &[]).unwrap();
        let case = planned.plan.trials.into_iter().next().unwrap().case;
        let devices = devices(&case, &[]);
        Profiled { case, devices, text: planned.text, found: None, from: String::new() }
    }

    /// A profile whose experiments are simulated.
    fn viewed(profiled: &Profiled) -> RunView {
        let extent = Extent { passes: 1, ..Extent::USUAL };
        RunView::of(RunFacts::default(), simulated_all(profiled, extent)).unwrap()
    }

    fn simulated_all(profiled: &Profiled, extent: Extent) -> Vec<Record> {
        let mut trials = Profiling::of(profiled, &mut plan(profiled, extent).unwrap());
        let mut records = Vec::new();
        for trial in 0.. {
            let Some(Coming { case, .. }) = trials.next(&records).unwrap() else { break };
            let network = Network::build(&case, &BTreeSet::new()).unwrap();
            let settings = Settings::default();
            let mut record = simulated(&Simulator::Here, &case, &network, 0, &settings);
            record.case.trial = trial;
            records.push(record);
        }
        records
    }

    fn found(profiled: &Profiled) -> Found {
        Found::of(&viewed(profiled).report).expect("a profile")
    }

    /// What a component of that name carries of large reads, and of which load.
    fn carried(found: &Found, name: &str) -> (Figure, Carried) {
        let component = found.components.iter().find(|one| one.name == name).unwrap();
        let read = component.of_bytes(Op::Read).unwrap();
        (read.load.figure, read.carried)
    }

    /// What each component carried of new data, and which others no experiment separates from it.
    fn new_data(found: &Found) -> impl Iterator<Item = (&str, Carried, &[String])> {
        found.components.iter().filter_map(|component| {
            let mut all = component.carried.iter();
            let one = all.find(|one| one.load.figure == Figure::Throughput)?;
            Some((component.name.as_str(), one.carried, &one.alike[..]))
        })
    }

    fn assert_port_is_filled_by_rereads(found: &Found) {
        let port = carried(found, "h.hba.port");
        let is_full = |rate| is_near(rate, 200e6);
        assert!(matches!(port, (Figure::Reread, Carried::Full(rate)) if is_full(rate)), "{port:?}");
    }

    fn is_near(rate: f64, expected: f64) -> bool {
        (rate / expected - 1.0).abs() < 0.05
    }

    #[test]
    fn what_lies_above_a_cache_is_filled_by_reading_the_same_bytes_again() {
        let view = viewed(&profiled(array(CACHE, OF_THEIR_OWN, VOLUMES)));
        let found = Found::of(&view.report).unwrap();
        assert_port_is_filled_by_rereads(&found);
        assert_eq!(
            compose::headline(&view, System::Decimal),
            "2 devices read 80.00 MB/s, each as much as alone: nothing that they share was full; \
             from a cache 200.0 MB/s"
        );
        let disk = carried(&found, "a.controller.v[0].disk[0]");
        assert!(
            matches!(disk, (Figure::Throughput, Carried::Full(rate)) if is_near(rate, 20e6)),
            "{disk:?}"
        );
    }

    #[test]
    fn media_that_all_devices_share_do_not_stand_for_what_lies_above_a_cache() {
        let found = found(&profiled(array(CACHE, OF_THEIR_OWN, FILES)));
        assert_port_is_filled_by_rereads(&found);
        // What re-reads passed was not full of new data, in no place that says so.
        for (name, read, alike) in new_data(&found) {
            let is_disk = name.contains("disk");
            assert_eq!(matches!(read, Carried::Full(_)), is_disk, "{name}: {read:?}");
            assert!(!is_disk || alike.iter().all(|one| one.contains("disk")), "{name}: {alike:?}");
        }
    }

    #[test]
    fn without_a_cache_media_that_all_devices_share_stay_what_was_full() {
        let found = found(&profiled(array("", OF_THEIR_OWN, FILES)));
        let port = carried(&found, "h.hba.port");
        let (Figure::Throughput, Carried::Full(_)) = port else { panic!("{port:?}") };
        let disk = |name: &String| name.contains("disk");
        let of_port = new_data(&found).find(|(name, ..)| *name == "h.hba.port");
        assert!(of_port.is_some_and(|(_, _, alike)| alike.iter().any(disk)));
    }

    #[test]
    fn what_shared_media_without_a_cache_lose_fills_nothing_above_them() {
        let local = r#"hba { disk "local" size="1 GB" stream="50 MB/s" position="5 ms";"#;
        let text = array(CACHE, OF_THEIR_OWN, MIXED).replace("hba {", local);
        let found = found(&profiled(text));
        assert!(matches!(carried(&found, "h.hba"), (_, Carried::AtLeast(_))));
        assert_port_is_filled_by_rereads(&found);
    }

    /// Eight volumes behind four controllers: a small model of a server with hundreds.
    fn eight_volumes() -> Profiled {
        let text = array(CACHE, OF_THEIR_OWN, VOLUMES)
            .replace("port read=\"200 MB/s\"", "port count=4 read=\"60 MB/s\"")
            .replace("controller {", "controller count=4 {");
        profiled(text)
    }

    /// So long that not each set is measured by itself.
    const LONG: Extent = Extent { passes: 1000, ..Extent::USUAL };

    #[test]
    fn a_stopped_course_goes_on_with_the_experiments_that_it_had() {
        let profiled = eight_volumes();
        let records = simulated_all(&profiled, LONG);
        let stopped = records.len() / 2;
        let mut again = Profiling::of(&profiled, &mut plan(&profiled, LONG).unwrap());
        for (trial, record) in records.iter().enumerate() {
            let known = &records[..trial.max(stopped)];
            let coming = again.next(known).unwrap().unwrap();
            assert_eq!(coming.case.experiment, record.case.experiment);
        }
        assert!(again.next(&records).unwrap().is_none());
    }

    #[test]
    fn what_one_device_uses_has_carried_what_its_cache_gave() {
        let text = array(CACHE, OF_THEIR_OWN, VOLUMES)
            .replace("port read=\"200 MB/s\"", "port count=2 read=\"45 MB/s\"")
            .replace("controller {", "controller count=2 {")
            .replace("\"v\" count=2", "\"v\"");
        let found = found(&profiled(text));
        let port = carried(&found, "h.hba.port[0]");
        let is_near = |rate| is_near(rate, 45e6);
        assert!(
            matches!(port, (Figure::Reread, Carried::AtLeast(rate)) if is_near(rate)),
            "{port:?}"
        );
        let disk = carried(&found, "a.controller[0].v.disk[0]");
        assert!(matches!(disk, (Figure::Throughput, Carried::Full(_))), "{disk:?}");
    }

    /// All devices get together what one of them gets alone.
    #[test]
    fn a_quick_profile_ends_in_time_where_little_can_be_measured_at_once() {
        let mut profiled = eight_volumes();
        let narrow = profiled.text.replace("60 MB/s", "5 MB/s");
        let planned = studies::plan("(array)", narrow, &[]).unwrap();
        (profiled.case, profiled.text) =
            (planned.plan.trials.into_iter().next().unwrap().case, planned.text);
        let extent = Extent { passes: 3, ..Extent::QUICK };
        let expected = plan(&profiled, extent).unwrap();
        let records = simulated_all(&profiled, extent);
        assert!(records.len() > expected.count, "{} of {}", records.len(), expected.count);
        let case = |record: &Record| {
            let planned = studies::plan("(trial)", record.case.text.clone(), &[]).unwrap();
            planned.plan.estimated_time().known.0 / 1_000_000
        };
        let all: u64 = records.iter().map(case).sum();
        assert!(all <= QUICK_MS, "{all} ms");
    }

    #[test]
    fn the_only_device_that_may_be_written_is() {
        let mut profiled = eight_volumes();
        profiled.devices[5].may_write = true;
        let planned = plan(&profiled, LONG).unwrap().planned.plan;
        let loads = planned.trials.iter().map(|trial| &trial.case.streams[0]);
        let of_writes = loads.filter_map(Load::of).filter(|load| load.op == Op::Write);
        let figures: Vec<Figure> = of_writes.map(|load| load.figure).collect();
        let expected = [Figure::Throughput, Figure::Operations, Figure::Latency, Figure::Flush];
        assert_eq!(figures, expected);
    }

    #[test]
    fn what_was_stopped_in_its_first_pass_and_what_this_machine_limited_is_said() {
        let view = viewed(&profiled(array("", OF_THEIR_OWN, VOLUMES)));
        let mut report = view.report.clone();
        let count = Found::of(&report).unwrap().experiments;
        let all = report.trials.iter_mut().find(|trial| trial.findings.streams.len() == 2);
        all.unwrap().findings.limit.cause = Cause::Cpu;
        let first = &mut report.trials[0].findings.streams[0];
        first.passes_bytes_per_sec.clear();
        let found = Found::of(&report).unwrap();
        assert_eq!(found.experiments, count - 1);
        assert!(found.widest(Op::Read).unwrap().is_limited_by_host);
        let view = RunView { report, ..view };
        assert_eq!(
            compose::headline(&view, System::Decimal),
            "2 devices read 80.00 MB/s, limited by this machine and not by the path"
        );
    }

    #[test]
    fn sets_measured_at_once_find_what_one_by_one_finds() {
        let profiled = eight_volumes();
        let by = |is_one_by_one| {
            let records = simulated_all(&profiled, Extent { is_one_by_one, ..LONG });
            let view = RunView::of(RunFacts::default(), records).unwrap();
            Found::of(&view.report).expect("a profile")
        };
        let (each, at_once) = (by(true), by(false));
        let counts = [at_once.experiments, each.experiments];
        assert!(3 * counts[0] < 2 * counts[1], "{counts:?}");
        assert_eq!(at_once.components.len(), each.components.len());
        for (one, other) in at_once.components.iter().zip(&each.components) {
            for (one, other) in one.carried.iter().zip(&other.carried) {
                assert_eq!(one.load, other.load);
                let (here, there) = (one.carried.seen().unwrap(), other.carried.seen().unwrap());
                assert!(is_near(here, there), "{one:?}\n{other:?}");
                let is_full = |one: &LoadCarried| one.carried.capacity().is_some();
                assert_eq!(is_full(one), is_full(other), "{one:?}\n{other:?}");
            }
        }
        assert_eq!(at_once.unexplained, each.unexplained);
    }

    #[test]
    fn without_a_cache_the_same_bytes_again_prove_nothing() {
        let found = found(&profiled(array("", OF_THEIR_OWN, VOLUMES)));
        let port = carried(&found, "h.hba.port");
        assert!(
            matches!(port, (Figure::Throughput, Carried::AtLeast(rate)) if is_near(rate, 80e6)),
            "{port:?}"
        );
        let full = found
            .components
            .iter()
            .flat_map(|one| &one.carried)
            .filter(|one| one.load.is_reread() && one.carried.capacity().is_some());
        assert_eq!(full.count(), 0);
        assert!(found.unexplained.is_empty(), "{:?}", found.unexplained);
    }
}
