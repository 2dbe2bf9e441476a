//! Where each stream of a case runs.

use std::collections::BTreeSet;

use iopath_study::case::Stream;
use iopath_study::{Case, Class, System};

use crate::mistake::{PathMistake, PathMistakeKind};
use crate::network::{ComponentId, Mechanism};
use crate::routes::Place;

/// A stream that counts, and where its requests begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its position in the case.
    pub stream: usize,
    /// What `on` says, else the only host.
    pub place: Place,
}

/// Where the streams of a case run.
///
/// # Errors
/// Where a group of streams says nowhere where it runs and there are several hosts.
pub fn running(case: &Case) -> Result<Vec<Running>, Vec<PathMistake>> {
    let (running, mistakes) = starts(case);
    if mistakes.is_empty() { Ok(running) } else { Err(mistakes) }
}

/// Where those streams run of which that is known, and what is wrong with the others.
pub(crate) fn starts(case: &Case) -> (Vec<Running>, Vec<PathMistake>) {
    let hosts: Vec<ComponentId> = hosts(&case.system);
    let (mut running, mut mistakes, mut told) = (Vec::new(), Vec::new(), BTreeSet::new());
    let transfers = |(_, one): &(usize, &Stream)| one.action.is_transfer();
    for (stream, one) in case.streams.iter().enumerate().filter(transfers) {
        let on = one.modelled.on.map(ComponentId::from);
        if on.is_some() || hosts.len() < 2 {
            let place = Place::start(on.or(hosts.first().copied()));
            running.push(Running { stream, place });
        } else if told.insert(&one.group) {
            mistakes.push(many(&case.system, one, &hosts));
        }
    }
    if let (true, [first, ..]) = (running.is_empty() && mistakes.is_empty(), &case.streams[..]) {
        mistakes.push(nothing_moves(first));
    }
    (running, mistakes)
}

/// What no model knows the time of; all the same streams that read or write are there without them.
pub(crate) fn unmodelled(case: &Case) -> impl Iterator<Item = Mechanism> + '_ {
    let failures = (!case.failures.is_empty()).then(|| Mechanism {
        kind: "failures",
        text: "what fails during the pass is left out: --without shows what is left, a simulation \
               the course"
            .to_owned(),
        decides: true,
    });
    let mut told = BTreeSet::new();
    let others = case.streams.iter().filter(|one| !one.action.is_transfer());
    let others = others.filter(move |one| told.insert(&one.group)).map(|one| Mechanism {
        kind: "moves-no-data",
        text: format!("{} is left out, because it {}: measure it", one.group, one.action.verb()),
        decides: false,
    });
    failures.into_iter().chain(others)
}

fn nothing_moves(first: &Stream) -> PathMistake {
    PathMistake {
        kind: PathMistakeKind::Unmodelled,
        text: format!(
            "no stream reads or writes, and {} {}: that can only be measured",
            first.group,
            first.action.verb()
        ),
        hint: Some("use iopath measure".to_owned()),
        part: None,
        span: Some(first.place.0),
    }
}

/// The machines that stand in no other machine.
fn hosts(system: &System) -> Vec<ComponentId> {
    let is_host = |id| system.class(id) == Class::Host;
    let is_outermost = |id| !system.ancestors(id).any(is_host);
    let hosts = system.ids().filter(|id| is_host(*id) && is_outermost(*id));
    hosts.map(ComponentId::from).collect()
}

fn many(system: &System, stream: &Stream, hosts: &[ComponentId]) -> PathMistake {
    let group = &stream.group;
    let first = hosts[0].into();
    let name = &system.declared(first).name;
    PathMistake {
        kind: PathMistakeKind::ManyHosts,
        text: format!("{group} does not say where it runs, and there are {} hosts", hosts.len()),
        hint: Some(format!("use on=\"{name}\" for one on each, or on=\"{name}[0]\"")),
        part: Some(first),
        span: Some(stream.place.0),
    }
}
