//! The Veritas study at 1:64, its path emulated on this machine and read by one node or two, each a
//! host with a rank.
//!
//! `emulate --up` makes a file for each way from a node to a LUN, behind the rates of the node's
//! ports and of the arrays. A node's volume is striped over its own ways: neighbouring LUNs by
//! different ports, and each LUN by the other port in the next row, which is what round-robin makes
//! of its requests. The study that is measured describes ports and arrays by their rates at that
//! scale, so that their share can be told.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Stage};
use crate::limits::rig::said;
use crate::workspace::Workspace;

/// Both nodes together are then some 2,600 requests a second, which two busy processors carry.
const SCALE: u32 = 64;
/// What was published, in GiB/s: through the adapter of one node, and from the arrays by two.
const NODES: [Published; 2] = [
    Published { case: "one node", count: 1, gib_s: 1.504, limit: "node[0].hba.port are full" },
    Published { case: "two nodes", count: 2, gib_s: 2.569, limit: "a.controller are full" },
];
const ARRAYS: usize = 6;
const LUNS: usize = 4;
/// Of a node to each LUN: one by each port.
const WAYS: usize = 2;
/// How far off the figure may be.
const WITHIN: f64 = 0.05;

struct Published {
    case: &'static str,
    count: usize,
    gib_s: f64,
    limit: &'static str,
}

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let study = Workspace::read()?.root.join("studies/veritas-cfs.kdl").display().to_string();
    let mut rows = Vec::new();
    for published in &NODES {
        let emulated = Emulated::up(stage, &study, published)?;
        rows.extend(measured(stage, published, &emulated)?);
    }
    Ok(rows)
}

fn measured(stage: &Stage<'_>, published: &Published, emulated: &Emulated) -> Result<Vec<Row>> {
    let cluster = stage.front.cluster(&Shape { hosts: 2, skew_s: 86_400, ..Shape::default() })?;
    let by = By { cluster: &cluster, mpi: Mpi::OpenMpi, ranks: 2 };
    let text = study(published.count, &emulated.ways(published.count)?);
    let file = stage.study("veritas.kdl", &text)?;
    let words = ["measure", &file, "--no-progress", "--no-report"].map(str::to_owned);
    let said = stage.said_by(by, &words)?;
    let bytes_per_s = stage.throughput(by.mpi)?;
    let expected = published.gib_s * f64::from(1 << 30) / f64::from(SCALE);
    let off = bytes_per_s / expected - 1.0;
    let what = format!("Veritas at 1:{SCALE}, {}", published.case);
    let reached = format!(
        "{:.3} GiB/s, {:+.1} %",
        bytes_per_s * f64::from(SCALE) / f64::from(1 << 30),
        off * 100.0
    );
    // Lines are wrapped.
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = flat.contains(published.limit);
    let goal = format!("{} GiB/s ± 5 %", published.gib_s);
    let limit = if named { published.limit } else { "not named" };
    Ok(vec![
        Row::of(what.clone(), &goal, reached, off.abs() <= WITHIN),
        Row::of(format!("{what}, limit"), published.limit, limit.to_owned(), named),
    ])
}

/// A path that is up; it is taken away with its value.
struct Emulated {
    program: String,
    directory: String,
}

impl Emulated {
    fn up(stage: &Stage<'_>, study: &str, published: &Published) -> Result<Self> {
        let program = stage.front.programs.program(Mpi::OpenMpi)?.display().to_string();
        let directory = stage.front.place.path("emulated").display().to_string();
        let emulated = Self { program, directory };
        let (case, scale) = (format!("raw volume, {}", published.case), format!("1:{SCALE}"));
        let words = ["emulate", study, "--case", &case, "--case", "width=512 KiB", "--scale"];
        let more = [&scale, "--up", "--no-progress", "--directory", &emulated.directory];
        said(&emulated.program, &[&words[..], &more].concat())?;
        Ok(emulated)
    }

    /// The files of each node: by array, turn and LUN.
    fn ways(&self, nodes: usize) -> Result<Vec<Vec<PathBuf>>> {
        let mut run = fs::read_dir(&self.directory)?.flatten().map(|entry| entry.path());
        let run = run.find(|path| path.is_dir()).context("no run directory")?;
        let all = fs::read_dir(&run)?.flatten().map(|entry| entry.path());
        let all: Vec<PathBuf> = all.collect();
        let file = |array: usize, lun: usize, way: usize| {
            let end = format!(".a-{array}-.controller.lun-{lun}-way-{way}");
            let found = all.iter().find(|path| text(path).ends_with(&end));
            found.cloned().with_context(|| format!("nothing ends with {end}"))
        };
        let of_node = |node: usize| {
            let places = (0..ARRAYS).flat_map(|array| (0..WAYS).map(move |turn| (array, turn)));
            let places = places.flat_map(|at| (0..LUNS).map(move |lun| (at, lun)));
            let port = |turn: usize, lun: usize| node * WAYS + (turn + lun) % WAYS;
            places.map(|((array, turn), lun)| file(array, lun, port(turn, lun))).collect()
        };
        let ways: Result<Vec<Vec<PathBuf>>> = (0..nodes).map(of_node).collect();
        ensure!(
            all.iter().filter(|path| text(path).contains("-way-")).count()
                == nodes * ARRAYS * LUNS * WAYS,
            "another number of ways"
        );
        ways
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        let _ = said(&self.program, &["emulate", "--down", "--directory", &self.directory]);
    }
}

/// What the ranks measure. A way is a disk here, as a LUN has one file only.
fn study(nodes: usize, ways: &[Vec<PathBuf>]) -> String {
    let mb_s =
        |gib_s: f64| format!("{:.3} MB/s", gib_s * f64::from(1 << 30) / f64::from(SCALE) / 1e6);
    let (port, controller) = (mb_s(0.752), mb_s(2.569 / ARRAYS as f64));
    let each = |row: &dyn Fn(usize) -> String| (0..nodes).map(row).collect::<String>();
    let disks = each(&|node| format!("disk \"w{node}\" count=8; "));
    let volumes = each(&|node| {
        let over = format!("a.controller.w{node}[0-3], a.controller.w{node}[4-7]");
        format!("    stripe \"vol{node}\" unit=\"8 KiB\" over=\"{over}\"\n")
    });
    let streams = each(&|node| {
        format!("    streams \"s{node}\" count=64 on=\"node[{node}]\" over=\"vol{node}\"\n")
    });
    let binds = each(&|node| {
        let paths: Vec<String> = ways[node].iter().map(|path| text(path)).collect();
        binds(node, &paths)
    });
    format!(
        "study \"64 sequential readers at 1:{SCALE}\"\npath {{\n    \
         host \"node\" count=2 {{ hba {{ port count=2 read=(given)\"{port}\" }} }}\n    \
         switch \"fabric\" count=2\n    \
         array \"a\" count={ARRAYS} {{\n        controller read=(given)\"{controller}\" {{ \
         port count=2; {disks}}}\n    }}\n    \
         wire from=\"node.hba.port[0]\" to=\"fabric[0]\"\n    \
         wire from=\"node.hba.port[1]\" to=\"fabric[1]\"\n    \
         wire from=\"a.controller.port[0]\" to=\"fabric[0]\"\n    \
         wire from=\"a.controller.port[1]\" to=\"fabric[1]\"\n    \
         multipath policy=\"round-robin\"\n}}\nlayout {{\n{volumes}}}\n{binds}\
         workload time=\"6 s\" warm-up=\"2 s\" passes=1 op=\"read\" block=\"16 KiB\" \
         region=\"shared\" {{\n{streams}}}\n"
    )
}

fn binds(node: usize, paths: &[String]) -> String {
    let per_array = LUNS * WAYS;
    let row = |(number, path): (usize, &String)| {
        let (array, way) = (number / per_array, number % per_array);
        format!("bind from=\"a[{array}].controller.w{node}[{way}]\" to=\"{path}\"\n")
    };
    paths.iter().enumerate().map(row).collect()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
