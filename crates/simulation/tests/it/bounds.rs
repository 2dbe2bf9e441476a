//! No simulation is above the bounds of its case, and no record of one breaks a law.
//!
//! The bound is that of forced shares, or of free ones where the ways that requests take follow
//! the load. What is random may be above it for a while: within [`CHANCE`], three times the
//! half-width that simulations end at. What bounds leave out only ever makes slower.

mod random;

use std::path::{Path, PathBuf};

use iopath_analysis::LawCheck;
use iopath_analytic::evaluate;
use iopath_path::{Network, PathMistake};
use iopath_record::{BoundKind, Record};
use iopath_simulation::{Settings, simulate};
use iopath_study::case::Pacing;
use iopath_study::words::WriteCache;
use iopath_study::{Case, Source, includes, parse_with};
use iopath_units::{Nanos, Ratio};

const CHANCE: f64 = 0.03;

/// Bytes per second of all streams from beginning to end, the mean over epochs as in a bound. What
/// is done at the end was served since the beginning, or lies in a cache that answers writes, so
/// but for the room there this is below a bound however short it is; a window divides what it cuts
/// by time, which is only right in the long run.
fn simulated(record: &Record, network: &Network, room: u64) -> f64 {
    let epochs = network.streams.iter().map(|stream| stream.epoch).max().unwrap_or(0) + 1;
    let rate = |epoch: u32| {
        let all = network.streams.iter().zip(&record.streams);
        let of_epoch = || all.clone().filter(|(load, _)| load.epoch == epoch).map(|one| one.1);
        let phases = || of_epoch().flat_map(|stream| &stream.phases);
        let begin = phases().map(|phase| phase.from_ns).min().unwrap_or(0);
        let end = of_epoch().map(|stream| stream.last_done_ns).max().unwrap_or(0);
        let read: u64 = phases().map(|phase| phase.read_bytes).sum();
        let written: u64 = phases().map(|phase| phase.write_bytes).sum();
        let bytes = read + written.saturating_sub(room);
        bytes as f64 / (end.saturating_sub(begin).max(1) as f64 / 1e9)
    };
    (0..epochs).map(rate).sum::<f64>() / f64::from(epochs)
}

/// Bytes that all caches that answer writes hold at most.
fn room(case: &Case) -> u64 {
    let system = &case.system;
    let caches = system.ids().filter(|id| system.kind(*id) == "cache");
    let back = caches
        .filter(|id| system.choice(*id, "write").unwrap_or(WriteCache::Back) == WriteCache::Back);
    back.filter_map(|id| Some(system.size(id, "size")?.0)).sum()
}

/// The greatest that a bound allows; infinite where nothing limits.
fn allowed(case: &Case, network: &Network) -> f64 {
    let record = evaluate(case, network);
    let kinds = [BoundKind::FreeSplit, BoundKind::FixedSplit];
    let bounds = record.bounds.iter().filter(|bound| kinds.contains(&bound.kind));
    bounds.map(|bound| bound.bytes_per_sec as f64).reduce(f64::max).unwrap_or(f64::INFINITY)
}

/// The same where caches take all that is written, and so leave the media to reads.
fn allowed_to_reads(case: &Case) -> f64 {
    let mut case = case.clone();
    case.streams.retain(|stream| stream.reads > Ratio(0));
    case.streams.iter_mut().for_each(|stream| stream.reads = Ratio(1_000_000));
    build(&case).map_or(f64::INFINITY, |network| allowed(&case, &network))
}

fn written(record: &Record) -> u64 {
    record.streams.iter().flat_map(|stream| &stream.phases).map(|phase| phase.write_bytes).sum()
}

/// What is wrong with the simulation of a case: nothing, let us hope.
fn wrong(case: &Case, network: &Network, most_events: u64) -> Vec<String> {
    let allowed = allowed(case, network);
    let least = Nanos(2_000_000_000);
    let settings = Settings { most_events, least, ..Settings::default() };
    let record = simulate(case, network, &settings);
    let mut wrong: Vec<String> = Vec::new();
    let laws = iopath_analysis::audit(&record);
    // The law about wanted rates allows four standard deviations to each of a few streams that are
    // long enough to judge; here are thousands, of some hundred requests, and some are further off.
    let is_open = case.streams.iter().any(|stream| stream.pacing != Pacing::Closed);
    let is_chance = |law: &LawCheck| is_open && law.law.name() == "capacity";
    let broken = laws.iter().filter(|law| !law.holds && !is_chance(law));
    wrong.extend(broken.map(|law| format!("{law:?}")));
    wrong.extend(record.validate().iter().map(|rule| format!("{rule:?}")));
    let (room, written) = (room(case), written(&record));
    let simulated = simulated(&record, network, room);
    let is_mixed = case.streams.iter().any(|stream| stream.reads > Ratio(0));
    let allowed = match is_mixed && (1..=room).contains(&written) {
        true => allowed.max(allowed_to_reads(case)),
        false => allowed,
    };
    if simulated > allowed * (1.0 + CHANCE) {
        wrong.push(format!("{simulated:.0} B/s are above the bound of {allowed:.0}"));
    }
    wrong
}

#[expect(clippy::disallowed_methods, reason = "the studies are files of the repository")]
fn source(path: &Path) -> Source {
    let text = std::fs::read_to_string(path).expect("studies can be read");
    Source { name: path.display().to_string(), text }
}

fn cases(path: &Path) -> Vec<Case> {
    let study = source(path);
    let included: Vec<Source> =
        includes(&study).iter().map(|name| source(Path::new(name))).collect();
    let study = parse_with(&study, &included, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn build(case: &Case) -> Result<Network, Vec<PathMistake>> {
    Network::build(case, &std::collections::BTreeSet::new())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the studies are files of the repository")]
fn the_cases_of_all_studies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let entries = std::fs::read_dir(folder).expect("there are studies");
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let (mut wrong_ones, mut count) = (Vec::new(), 0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "kdl")) {
        for case in cases(file) {
            let Ok(network) = build(&case) else { continue };
            // Nothing describes what it runs on.
            if !allowed(&case, &network).is_finite() {
                continue;
            }
            count += 1;
            let levels: Vec<_> = case.levels.iter().map(|level| &level.level).collect();
            let name = format!("{} {} {levels:?}", case.study, case.experiment);
            let found = wrong(&case, &network, 40_000);
            wrong_ones.extend(found.iter().map(|what| format!("{name}: {what}")));
        }
    }
    assert!(count > 100, "{count} cases");
    assert!(wrong_ones.is_empty(), "{} of {count}:\n{}", wrong_ones.len(), wrong_ones.join("\n"));
}
