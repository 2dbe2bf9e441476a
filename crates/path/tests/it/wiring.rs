//! The router against the routing rule taken literally: every way over at most five wires is
//! tried, on paths that are wired at random. Names alone say what contains what.

use std::collections::BTreeSet;

use iopath_path::{ComponentId, Place};
use proptest::prelude::*;

use crate::text::Paths;

const HOST_PORTS: usize = 4;
const SWITCHES: usize = 3;
const SWITCH_PORTS: usize = 6;
const ARRAYS: usize = 2;

/// The most wires of a way that is tried: through every switch and one more.
const MOST_WIRES: usize = SWITCHES + 1;

fn hosts() -> Vec<String> {
    (0..HOST_PORTS).map(|n| format!("h.hba[{}].port[{}]", n / 2, n % 2)).collect()
}

fn arrays() -> Vec<String> {
    let port = |n: usize| format!("a[{}].controller[{}].port", n / 2, n % 2);
    (0..2 * ARRAYS).map(port).collect()
}

fn switches() -> Vec<String> {
    let port = |n: usize| format!("s[{}].port[{}]", n / SWITCH_PORTS, n % SWITCH_PORTS);
    (0..SWITCHES * SWITCH_PORTS).map(port).collect()
}

#[derive(Clone, Debug)]
struct Wiring {
    wires: Vec<(String, String)>,
    zones: Vec<(String, String)>,
}

fn wirings() -> impl Strategy<Value = Wiring> {
    let ports = [hosts(), arrays(), switches()].concat();
    let shuffled = Just(ports).prop_shuffle();
    let zone = (0..HOST_PORTS, 0..2 * ARRAYS, any::<bool>());
    let zones = prop::collection::vec(zone, 0..4);
    (shuffled, 4..13_usize, zones).prop_map(|(ports, count, zones)| {
        let pairs = ports.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        let between = pairs.filter(|(one, other)| top(one) != top(other));
        let zone = |(host, array, is_wide): (usize, usize, bool)| {
            let (host, array) = (hosts()[host].clone(), arrays()[array].clone());
            if is_wide { (parent(&host), parent(&array)) } else { (array, host) }
        };
        Wiring {
            wires: between.take(count).collect(),
            zones: zones.into_iter().map(zone).collect(),
        }
    })
}

fn text(wiring: &Wiring) -> String {
    let joint = |kind: &str, pairs: &[(String, String)]| -> String {
        let line = |(from, to): &(String, String)| format!("{kind} from=\"{from}\" to=\"{to}\"\n");
        pairs.iter().map(line).collect()
    };
    format!(
        "path {{
            host \"h\" {{ hba count=2 {{ port count=2 }} }}
            switch \"s\" count={SWITCHES} {{ port count={SWITCH_PORTS} }}
            array \"a\" count={ARRAYS} {{ controller count=2 {{ port }} }}
            {}{}
        }}",
        joint("wire", &wiring.wires),
        joint("zone", &wiring.zones)
    )
}

fn parent(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(parent, _)| parent.to_owned())
}

fn top(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn holds(container: &str, name: &str) -> bool {
    name == container || name.starts_with(&format!("{container}."))
}

/// What is crossed between two parts of one box.
fn within(from: &str, to: &str) -> Vec<String> {
    let chain = |name: &str| -> Vec<String> {
        let up = std::iter::successors(Some(name.to_owned()), |name| Some(parent(name)));
        up.take_while(|name| !name.is_empty()).collect()
    };
    let (up, mut down) = (chain(from), chain(to));
    let turn = up.iter().find(|name| down.contains(name)).expect("one box").clone();
    let mut way: Vec<String> = up.into_iter().take_while(|name| *name != turn).collect();
    way.push(turn.clone());
    down = down.into_iter().take_while(|name| *name != turn).collect();
    way.extend(down.into_iter().rev());
    way
}

/// A way so far: what is crossed, the port that it came in by, its ends and its wires.
#[derive(Clone)]
struct Way {
    crossed: Vec<String>,
    at: String,
    left_by: Option<String>,
    wires: usize,
}

/// Every way, by trying all.
fn try_all(wiring: &Wiring, way: &Way, to: &str, found: &mut Vec<(usize, Vec<String>)>) {
    if top(&way.at) == top(to) {
        let allows = |one: &str, other: &str| {
            let left_by = way.left_by.as_deref().unwrap_or("");
            holds(one, left_by) && holds(other, &way.at)
        };
        let zones = &wiring.zones;
        let may = zones.is_empty()
            || way.wires < 2
            || zones.iter().any(|(one, other)| allows(one, other) || allows(other, one));
        if may {
            found.push((way.wires, [way.crossed.clone(), within(&way.at, to)].concat()));
        }
        return;
    }
    let passes = way.left_by.is_none() || way.at.starts_with('s');
    if !passes || way.wires == MOST_WIRES {
        return;
    }
    let turned = wiring.wires.iter().map(|(one, other)| (other.clone(), one.clone()));
    for (inside, outside) in wiring.wires.iter().cloned().chain(turned) {
        if top(&inside) == top(&way.at) && inside != way.at {
            let next = Way {
                crossed: [way.crossed.clone(), within(&way.at, &inside)].concat(),
                at: outside,
                left_by: way.left_by.clone().or(Some(inside)),
                wires: way.wires + 1,
            };
            try_all(wiring, &next, to, found);
        }
    }
}

fn slow(wiring: &Wiring, to: &str) -> BTreeSet<Vec<String>> {
    let start = Way { crossed: Vec::new(), at: "h".to_owned(), left_by: None, wires: 0 };
    let mut found = Vec::new();
    try_all(wiring, &start, to, &mut found);
    let fewest = found.iter().map(|(wires, _)| *wires).min();
    found.into_iter().filter(|(wires, _)| Some(*wires) == fewest).map(|(_, way)| way).collect()
}

fn fast(paths: &mut Paths, to: &str) -> BTreeSet<Vec<String>> {
    let (from, to) = (Place::start(Some(paths.id("h"))), paths.id(to));
    let choices = paths.routes.choices(from, to).unwrap_or_default();
    let names = |crossed: &[(ComponentId, bool)]| -> Vec<String> {
        crossed.iter().map(|(id, _)| paths.network.component(*id).name.clone()).collect()
    };
    let routes: Vec<_> = choices.iter().flat_map(|choice| &choice.routes).collect();
    let distinct: BTreeSet<_> = routes.iter().map(|route| names(&route.crossed)).collect();
    assert_eq!(distinct.len(), routes.len(), "no route is told twice");
    distinct
}

/// The routes that requests take, and those that cross no controller but the owner's, or all where
/// there are none of these.
fn used(paths: &mut Paths, to: &str) -> [BTreeSet<Vec<(ComponentId, bool)>>; 2] {
    let (from, to) = (Place::start(Some(paths.id("h"))), paths.id(to));
    let choices = paths.routes.choices(from, to).unwrap_or_default();
    let optimised: Vec<_> = choices.iter().filter(|choice| choice.optimised).collect();
    let all = if optimised.is_empty() { choices.iter().collect() } else { optimised };
    let expected = all.iter().flat_map(|choice| &choice.routes).map(|route| route.crossed.clone());
    let ways = paths.routes.ways(from, to).map(|arrival| arrival.ways).unwrap_or_default();
    let taken = ways.iter().map(|way| paths.routes.route(way.route).crossed.clone());
    [taken.collect(), expected.collect()]
}

proptest! {
    #[test]
    fn routes_are_those_that_the_rule_allows(wiring in wirings()) {
        let mut paths = Paths::of(&text(&wiring), "h");
        for array in 0..ARRAYS {
            for controller in 0..2 {
                let to = format!("a[{array}].controller[{controller}]");
                prop_assert_eq!(fast(&mut paths, &to), slow(&wiring, &to));
                let [taken, expected] = used(&mut paths, &to);
                prop_assert_eq!(taken, expected);
            }
        }
    }
}
