//! Which components are in a table, and which of them are one entity.

use std::sync::LazyLock;

use iopath_entities::{StreamClass, Table, limits_of};
use iopath_path::{ComponentId, Network};
use iopath_record::{Entity, EntityId, Kind, Measure};
use iopath_study::Case;
use iopath_study::language::{self, KINDS, Role};
use iopath_study::source::Origin;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::sound::{self, members};
use crate::text;

const PATH: &str = r#"
    host "h" count=2 cpus=2 memory-rate="9 GB/s" {
        hba count=3 read="300 MB/s" both="400 MB/s" outstanding=64 { port count=2 }
    }
    array "a" count=2 {
        controller count=2 { port; raid "lun" level=5 count=2 { disk count=3 read="50 MB/s" } }
    }
    switch "sw"
    wire from="h.hba.port" to="sw"
    wire from="sw" to="a.controller.port""#;

static SYSTEM: LazyLock<(Case, Network)> = LazyLock::new(|| {
    let streams = r#"streams "s" on="h" over="a..lun" block="4 KiB""#;
    text::case(PATH, "file \"f\" size=\"1 MiB\"", streams)
});

fn table(case: &Case, network: &Network, keys: &[Option<u64>]) -> Table {
    let key = |id: ComponentId| Some(vec![keys[id.0 as usize]?]);
    Table::new(case, network, &StreamClass::by_group(case, network), &key)
}

fn named<'a>(table: &'a Table, name: &str) -> &'a Entity {
    let found = table.entities.iter().find(|entity| entity.name == name);
    found.unwrap_or_else(|| {
        let names: Vec<&str> = table.entities.iter().map(|entity| entity.name.as_str()).collect();
        panic!("no {name} among {names:?}")
    })
}

/// Everything that a limit says, as a text.
fn limits(network: &Network, limits: &[u32]) -> Vec<String> {
    let rows = network.rows.len();
    let text = |limit: &u32| match network.rows.get(*limit as usize) {
        Some(row) => format!("{} {} {:?}", row.property, row.capacity, row.origin),
        None => {
            let pool = &network.pools[*limit as usize - rows];
            format!("{} {} {:?}", pool.property, pool.tokens, pool.origin)
        }
    };
    limits.iter().map(text).collect()
}

#[test]
fn every_part_of_a_path_is_of_a_kind_that_the_record_knows() {
    let is_part = |kind: &&language::Kind| {
        matches!(kind.role, Role::Container | Role::Software | Role::Target(_))
    };
    for part in KINDS.iter().filter(is_part) {
        assert!(!matches!(Kind::from(part.name), Kind::Other(_)), "{}", part.name);
    }
}

/// Whether a component is to be told of, asked of everything in it again and again.
fn is_shown(network: &Network, keys: &[Option<u64>], at: usize) -> bool {
    let component = &network.components[at];
    let has_pool = network.pools.iter().any(|pool| pool.component.0 as usize == at);
    let tells = keys[at].is_some() || has_pool || !component.rows.is_empty();
    let inside = |of: &usize| network.components[*of].parent == Some(ComponentId(at as u32));
    let mut inside = (0..network.components.len()).filter(inside);
    (tells && !component.removed) || inside.any(|at| is_shown(network, keys, at))
}

/// Gives rows and pools one of two values and one of four origins.
fn perturb(network: &mut Network, chosen: &[(bool, usize)]) {
    let rated = |source: &str| Origin::Published(source.to_owned());
    let origins = [Origin::Given, Origin::Assumed, rated("one"), rated("other")];
    let mut chosen = chosen.iter().cycle();
    for row in &mut network.rows {
        let (is_more, origin) = chosen.next().unwrap();
        row.capacity *= if *is_more { 2.0 } else { 1.0 };
        row.origin = origins[*origin].clone();
    }
    for pool in &mut network.pools {
        let (is_more, origin) = chosen.next().unwrap();
        pool.tokens *= if *is_more { 2 } else { 1 };
        pool.origin = origins[*origin].clone();
    }
}

proptest! {
    #[test]
    fn one_entity_is_what_is_alike(
        keys in vec(option::of(0..2_u64), 80),
        chosen in vec((any::<bool>(), 0..4_usize), 1..60),
        removed in vec(prop::bool::weighted(0.1), 80),
    ) {
        let (case, mut network) = SYSTEM.clone();
        prop_assert!(network.components.len() <= keys.len());
        perturb(&mut network, &chosen);
        for (component, removed) in network.components.iter_mut().zip(&removed) {
            component.removed = *removed;
        }
        let table = table(&case, &network, &keys);
        sound::check(&case, &network, &table);
        let limits: Vec<Vec<String>> =
            limits_of(&network).iter().map(|of| limits(&network, of)).collect();
        for (one, entity) in table.components.iter().enumerate() {
            prop_assert_eq!(entity.is_some(), is_shown(&network, &keys, one));
            let Some(entity) = entity else { continue };
            for (other, of_other) in table.components.iter().enumerate() {
                let Some(of_other) = of_other else { continue };
                let declared = |at: usize| case.system.parts[at].declared;
                let around = |of: &EntityId| table.entities[of.0 as usize].parent;
                let is_alike = declared(one) == declared(other)
                    && around(entity) == around(of_other)
                    && keys[one] == keys[other]
                    && limits[one] == limits[other];
                prop_assert_eq!(entity == of_other, is_alike);
            }
        }
    }
}

#[test]
fn what_is_alike_has_one_name_and_a_count() {
    let (case, network) = &*SYSTEM;
    let table = table(case, network, &vec![None; network.components.len()]);
    sound::check(case, network, &table);
    let hba = named(&table, "h[0-1].hba[0-2]");
    assert_eq!((hba.count, hba.kind.as_str(), hba.limits.len()), (6, "hba", 3));
    let disk = named(&table, "a[0-1].controller[0-1].lun[0-1].disk[0-2]");
    assert_eq!((disk.count, disk.limits[0].per_sec), (24, 50_000_000));
    // Ports have no limit, and the model has nothing to tell of them.
    assert!(table.entities.iter().all(|entity| entity.kind != Kind::Port));
}

#[test]
fn a_key_of_its_own_is_an_entity_of_its_own() {
    let (case, network) = &*SYSTEM;
    let keys: Vec<Option<u64>> = (0..network.components.len() as u64).map(Some).collect();
    let table = table(case, network, &keys);
    sound::check(case, network, &table);
    let components = network.components.iter().zip(&table.components);
    for (component, entity) in components {
        let entity = &table.entities[entity.unwrap().0 as usize];
        assert_eq!((&entity.name, entity.count), (&component.name, 1));
    }
    assert_eq!(named(&table, "h[1].hba[2].port[0]").kind, Kind::Port);
}

#[test]
fn processors_and_memory_stand_within_their_machines() {
    let (case, network) = &*SYSTEM;
    let table = table(case, network, &vec![None; network.components.len()]);
    let [cpus, memory] = ["h[0-1] cpus", "h[0-1] memory-rate"].map(|name| named(&table, name));
    assert_eq!((cpus.kind.as_str(), cpus.count), ("cpu", 4));
    // Of one processor: as many nanoseconds as a second has.
    let limit = |entity: &Entity| (entity.limits[0].measure, entity.limits[0].per_sec);
    assert_eq!(limit(cpus), (Measure::BusyNs, 1_000_000_000));
    assert_eq!((memory.kind.as_str(), memory.count), ("memory", 2));
    assert_eq!(limit(memory), (Measure::Bytes, 9_000_000_000));
    let host = table.entities.iter().position(|entity| entity.name == "h[0-1]").unwrap();
    for entity in [cpus, memory] {
        assert_eq!(entity.parent, Some(EntityId(host as u32)));
    }
    assert_eq!((members(&table)[host].len(), table.entities[host].limits.len()), (2, 0));
}

#[test]
fn limits_say_who_states_them() {
    let (case, mut network) = SYSTEM.clone();
    let origins = [Origin::Unstated, Origin::Rated, Origin::Published("a paper".to_owned())];
    for (row, origin) in network.rows.iter_mut().zip(origins.iter().cycle()) {
        row.origin = origin.clone();
    }
    let keys: Vec<Option<u64>> = (0..network.components.len() as u64).map(Some).collect();
    let table = table(&case, &network, &keys);
    let words = ["assumed", "rated", "a paper"];
    for (limit, word) in table.limits.iter().take(network.rows.len()).zip(words.iter().cycle()) {
        let limit = limit.unwrap();
        let entity = &table.entities[limit.entity.0 as usize];
        assert_eq!(entity.limits[limit.limit as usize].origin.as_str(), *word);
    }
}
