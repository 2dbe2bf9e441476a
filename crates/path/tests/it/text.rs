//! Studies as text, and what their parts are called.

use std::collections::BTreeSet;

use iopath_path::{ComponentId, Network, Place, Routes};
use iopath_study::{Case, Source, parse};

/// The first case of a study whose workload does not matter.
pub(crate) fn case(path: &str, layout: &str, streams: &str) -> Case {
    let text = format!(
        "study \"t\"\n{path}\nlayout {{ {layout} }}\nworkload time=\"1 s\" {{ {streams} }}"
    );
    let source = Source { name: "t.kdl".into(), text };
    let cases = parse(&source, &[]).and_then(|study| study.cases());
    cases.unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
}

/// A system whose routes are asked for.
pub(crate) struct Paths {
    pub(crate) case: Case,
    pub(crate) network: Network,
    pub(crate) routes: Routes,
}

impl Paths {
    /// Of a path alone, whose only stream runs at the part of this name.
    pub(crate) fn of(path: &str, on: &str) -> Self {
        let streams =
            format!("streams \"any-stream\" on=\"{on}\" over=\"any-file\" block=\"4 KiB\"");
        Self::with(path, "file \"any-file\" size=\"1 MiB\"", &streams)
    }

    pub(crate) fn with(path: &str, layout: &str, streams: &str) -> Self {
        let case = case(path, layout, streams);
        let network = Network::build(&case, &BTreeSet::new());
        let network = network.unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let routes = Routes::new(&case.system, &network);
        Self { case, network, routes }
    }

    pub(crate) fn id(&self, name: &str) -> ComponentId {
        let part = self.case.system.ids().find(|id| self.case.system.part(*id).name == name);
        part.unwrap_or_else(|| panic!("no part {name}")).into()
    }

    /// What the routes from one part to another cross, those in use first come first.
    pub(crate) fn ways(&mut self, from: &str, to: &str) -> Vec<(String, f64)> {
        let (from, to) = (Place::start(Some(self.id(from))), self.id(to));
        let arrival = self.routes.ways(from, to).expect("reachable");
        let shown = arrival.ways.iter().map(|way| {
            let crossed = &self.routes.route(way.route).crossed;
            let names = crossed.iter().map(|(id, flipped)| {
                let name = &self.network.component(*id).name;
                if *flipped { format!("~{name}") } else { name.clone() }
            });
            (names.collect::<Vec<_>>().join(" "), way.share)
        });
        shown.collect()
    }
}
