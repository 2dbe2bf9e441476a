//! Conversations that leave their ASIC and so share the backplane of a switch, with the cables to
//! swap (pSeries 690: all sixteen across 1600 MB/s gave each adapter half of what it carries).

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::PartId;
use iopath_units::{ByteRate, Human, System};

use super::Remarks;
use super::reach::Steps;
use super::rule::{Rule, Severity};
use super::view::{About, View};
use crate::network::Route;
use crate::select::select;

/// Two ports of one switch that talk to each other: the nearer to the stream comes first.
type Conversation = (PartId, PartId);

/// The conversations of a switch, and those of them that leave their ASIC.
#[derive(Default)]
struct Talk {
    all: BTreeSet<Conversation>,
    crossing: BTreeSet<Conversation>,
}

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let mut talks: BTreeMap<PartId, Talk> = BTreeMap::new();
    for (route, _) in steps.ways.iter().flat_map(|way| &way.used) {
        for (switch, conversation, turns) in conversations(view, route) {
            let talk = talks.entry(switch).or_default();
            talk.all.insert(conversation);
            if turns {
                talk.crossing.insert(conversation);
            }
        }
    }
    let mut alike: BTreeMap<usize, Vec<(PartId, Talk)>> = BTreeMap::new();
    for (switch, talk) in talks {
        if !talk.crossing.is_empty() && limit(view, switch).is_some() {
            alike.entry(view.system.part(switch).declared).or_default().push((switch, talk));
        }
    }
    for switches in alike.values() {
        tell(view, switches, remarks);
    }
}

/// What a route does in each switch with ASICs: its two ports, and whether it turns at the switch
/// itself.
fn conversations(view: &View<'_>, route: &Route) -> Vec<(PartId, Conversation, bool)> {
    let crossed: Vec<PartId> = route.crossed.iter().map(|(id, _)| PartId::from(*id)).collect();
    let mut found: Vec<(PartId, Conversation, bool)> = Vec::new();
    for &id in &crossed {
        let switch = std::iter::once(id).chain(view.system.ancestors(id));
        let Some(switch) = switch.into_iter().find(|up| view.kind(*up) == "switch") else {
            continue;
        };
        match found.last_mut() {
            Some((same, (_, last), turns)) if *same == switch => {
                *turns |= id == switch;
                *last = id;
            }
            _ => found.push((switch, (id, id), id == switch)),
        }
    }
    let has_asics =
        |switch: &PartId| view.children[switch.0].iter().any(|child| view.kind(*child) == "asic");
    found.retain(|(switch, (first, last), _)| has_asics(switch) && first != last);
    found
}

/// What the switch itself carries between its ASICs.
fn limit(view: &View<'_>, switch: PartId) -> Option<ByteRate> {
    ["both", "read", "write"].into_iter().find_map(|way| view.system.byte_rate(switch, way))
}

fn tell(view: &View<'_>, switches: &[(PartId, Talk)], remarks: &mut Remarks) {
    for (switch, talk) in switches {
        let Some(limit) = limit(view, *switch) else { continue };
        let count = talk.crossing.len() as u64;
        let share = ByteRate(limit.0 / count);
        let ports: BTreeSet<PartId> = talk.crossing.iter().map(|(first, _)| *first).collect();
        let rates = ports.iter().map(|port| rate(view, *port));
        let wanted: Option<u64> = rates.sum();
        let fits = wanted.is_some_and(|wanted| wanted <= limit.0);
        let severity = if fits { Severity::Advice } else { Severity::Warning };
        let carried = match ports.first().and_then(|port| rate(view, *port)) {
            Some(rate) => format!("; a port carries {}", ByteRate(rate).human(System::Decimal)),
            None => String::new(),
        };
        let says = format!(
            "{count} of {} flows go from one ASIC to another and share the backplane of \
             {}: {} each{carried}",
            talk.all.len(),
            limit.human(System::Decimal),
            share.human(System::Decimal),
        );
        let about = About { rule: Rule::CrossesBackplane, severity, span: view.declared(*switch) };
        about.say(remarks, &[*switch], says, &recabling(view, switches));
    }
}

/// What a port carries one way.
fn rate(view: &View<'_>, port: PartId) -> Option<u64> {
    let rate = |way| view.system.byte_rate(port, way);
    rate("read").or_else(|| rate("both")).map(|rate| rate.0)
}

/// Which cables to swap in all switches of a declaration.
fn recabling(view: &View<'_>, switches: &[(PartId, Talk)]) -> String {
    let mut swapped: Option<Vec<Conversation>> = Some(Vec::new());
    for (_, talk) in switches {
        swapped = match (swapped, swaps(view, talk)) {
            (Some(mut all), Some(here)) => {
                all.extend(here);
                Some(all)
            }
            _ => None,
        };
    }
    match swapped {
        Some(swapped) if !swapped.is_empty() => {
            let (near, far): (Vec<PartId>, Vec<PartId>) = swapped.into_iter().unzip();
            format!(
                "swap the cables of {} with those of {}, in this order: then each host port is \
                 next to its storage port on one ASIC",
                select(view.system, &near),
                select(view.system, &far)
            )
        }
        _ => "cable or zone each host port to storage ports of its own ASIC".to_owned(),
    }
}

/// Swaps that bring each conversation into one ASIC; none where a port has several.
///
/// Of `k` conversations between two ASICs, the first half of the far ports changes places with the
/// second half of the near ports: then half of the conversations are at home on either side.
fn swaps(view: &View<'_>, talk: &Talk) -> Option<Vec<Conversation>> {
    let mut ports = BTreeSet::new();
    let once = talk.all.iter().all(|(one, other)| ports.insert(*one) && ports.insert(*other));
    if !once {
        return None;
    }
    let asic = |port: PartId| view.within(port, &["asic"]);
    let mut between: BTreeMap<(PartId, PartId), Vec<Conversation>> = BTreeMap::new();
    for (near, far) in &talk.crossing {
        let pair = (asic(*near)?, asic(*far)?);
        between.entry(pair).or_default().push((*near, *far));
    }
    let mut swaps = Vec::new();
    for talking in between.values() {
        let half = talking.len().div_ceil(2);
        let pairs = talking[half..].iter().zip(talking);
        swaps.extend(pairs.map(|((near, _), (_, far))| (*near, *far)));
    }
    Some(swaps)
}
