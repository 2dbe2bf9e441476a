//! Records of several ranks as one: what is shared appears once, and nothing is lost.

mod laws;

use std::collections::BTreeMap;

use iopath_record::hosts::{AxisMap, Host, OfRank, Unmergeable, merge};
use iopath_record::{
    CaseText, ClockNote, Counter, Entity, EntityId, Event, Fact, Kind, Layer, Phase, PhaseTotals,
    Record, Relation, Series, StreamTotals, Technique, Warning,
};
use iopath_units::Action;

const SECOND: u64 = 1_000_000_000;

fn entity(name: &str, kind: Kind, layer: Layer) -> Entity {
    Entity {
        name: name.to_owned(),
        kind,
        layer,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    }
}

fn bound(entity: Entity, binding: &str) -> Entity {
    Entity { binding: Some(binding.to_owned()), ..entity }
}

/// Two seconds of one rank, whose stream moved `bytes` through its target.
struct Left {
    rank: u32,
    node: u32,
    machine: &'static str,
    target: Entity,
    bytes: u64,
}

impl Left {
    fn on(rank: u32, node: u32) -> Self {
        let target = bound(entity("data", Kind::File, Layer::FileSystem), "/mnt/data");
        let machine = ["boot-0", "boot-1", "boot-2"][node as usize];
        Self { rank, node, machine, target, bytes: 1_000 * u64::from(rank + 1) }
    }

    fn part(self) -> OfRank {
        let Self { rank, node, machine, .. } = self;
        let (name, node) = (format!("host{node}"), format!("node[{node}]"));
        OfRank {
            rank,
            host: Host { name, node, machine: machine.to_owned() },
            identities: BTreeMap::new(),
            axis: AxisMap::default(),
            bound_ns: 0,
            record: self.record(),
        }
    }

    fn record(self) -> Record {
        let stream = entity(&format!("reader[{}]", self.rank), Kind::Stream, Layer::Application);
        let disk = bound(entity("sda", Kind::Disk, Layer::Device), "/dev/sda");
        let process = entity("process", Kind::Process, Layer::Generator);
        let cpu = entity("cpu", Kind::Cpu, Layer::Processor);
        let over = |upper, lower| Relation {
            upper: EntityId(upper),
            lower: vec![EntityId(lower)],
            read_copies_ppm: 1_000_000,
            write_copies_ppm: 1_000_000,
        };
        let grows = |entity, counter, by: u64| {
            Series::from_values(EntityId(entity), counter, &[5, 5 + by / 2, 5 + by])
        };
        Record {
            format: Record::FORMAT,
            case: CaseText::default(),
            technique: Technique::Measurement { engine: "calls".to_owned(), emulated: None },
            environment: BTreeMap::from([
                Fact::HostName.is(format!("host{}", self.node)),
                Fact::KernelRelease.is("6.12"),
                Fact::Ceiling.is("100"),
                Fact::Streams.is("1"),
            ]),
            entities: vec![stream, self.target, disk, process, cpu],
            relations: vec![over(0, 1), over(1, 2)],
            clock: ClockNote { started_unix_ns: 7, error_ns: 3 },
            instants_ns: vec![0, SECOND, 2 * SECOND],
            series: vec![
                grows(0, Counter::ReadBytes, self.bytes),
                grows(1, Counter::CachedBytes, 2 * u64::from(self.rank)),
                grows(2, Counter::ReadBytes, 5_000),
                grows(3, Counter::UserNs, 100),
                grows(4, Counter::UserNs, 1_000),
            ],
            streams: vec![StreamTotals {
                entity: EntityId(0),
                action: Action::Transfer,
                first_issue_ns: 0,
                first_done_ns: 10,
                last_done_ns: 2 * SECOND,
                phases: vec![PhaseTotals {
                    phase: Phase::Window,
                    from_ns: 100,
                    to_ns: 2 * SECOND,
                    read_bytes: self.bytes,
                    ..PhaseTotals::default()
                }],
            }],
            heat: Vec::new(),
            bounds: Vec::new(),
            curve: Vec::new(),
            bad_blocks: Default::default(),
            events: vec![Event { at_ns: 100, entity: None, what: "window begins".to_owned() }],
            warnings: Vec::new(),
        }
    }
}

fn merged(parts: Vec<OfRank>) -> Record {
    merge(CaseText::default(), parts).unwrap()
}

fn names(record: &Record) -> Vec<&str> {
    record.entities.iter().map(|entity| entity.name.as_str()).collect()
}

/// What a counter grew by in all.
fn grown(record: &Record, name: &str, counter: Counter) -> Option<u64> {
    let id = record.entities.iter().position(|entity| entity.name == name)? as u32;
    let of = |series: &&Series| series.entity == EntityId(id) && series.counter == counter;
    let series = record.series.iter().find(of)?;
    let values: Vec<u64> = series.values().collect();
    Some(values[values.len() - 1] - values[0])
}

/// Relations in words.
fn relations(record: &Record) -> Vec<String> {
    let name = |id: &EntityId| record.entities[id.0 as usize].name.as_str();
    let words = |one: &Relation| {
        let lower: Vec<&str> = one.lower.iter().map(name).collect();
        format!("{} over {}", name(&one.upper), lower.join(", "))
    };
    record.relations.iter().map(words).collect()
}

#[test]
fn a_rank_alone_stays_as_it_is() {
    let record = Left::on(3, 0).record();
    let case = CaseText { study: "s".to_owned(), ..CaseText::default() };
    let merged = merge(case.clone(), vec![Left::on(3, 0).part()]).unwrap();
    assert_eq!(merged, Record { case, ..record });
}

#[test]
fn ranks_of_one_host_share_its_machine_and_have_their_own_streams() {
    let record = merged(vec![Left::on(1, 0).part(), Left::on(0, 0).part()]);
    assert_eq!(names(&record), ["reader[0]", "data", "sda", "process", "cpu", "reader[1]"]);
    assert_eq!(relations(&record), ["reader[0] over data", "data over sda", "reader[1] over data"]);
    assert_eq!(grown(&record, "sda", Counter::ReadBytes), Some(5_000), "read by both");
    assert_eq!(grown(&record, "process", Counter::UserNs), Some(200), "each has its own");
    assert_eq!(record.entities[3].count, 2);
    assert_eq!(Fact::HostName.of(&record.environment), Some("host0"));
    assert_eq!(Fact::Ceiling.of(&record.environment), Some("200"));
}

#[test]
fn what_hosts_have_is_called_by_their_nodes() {
    let record = merged(vec![Left::on(0, 0).part(), Left::on(1, 1).part()]);
    let of = |node: u32| ["data", "sda", "process", "cpu"].map(|own| format!("node[{node}].{own}"));
    let wanted = [&["reader[0]".to_owned()][..], &of(0), &["reader[1]".to_owned()], &of(1)];
    assert_eq!(names(&record), wanted.concat());
    let facts = &record.environment;
    assert_eq!(facts["node[1].host.name"], "host1");
    assert_eq!(facts["kernel.release"], "6.12");
    assert_eq!(Fact::RankHosts.of(facts), Some("host0 host1"));
    assert_eq!(Fact::Streams.of(facts), Some("2"));
    assert_eq!(Fact::NodeStreams("node[1]").of(facts), Some("reader[1]"));
    assert_eq!(record.events.len(), 1, "all ranks say it");
}

fn same_file(rank: u32, node: u32) -> OfRank {
    let identities = BTreeMap::from([("data".to_owned(), "nfs:server:/x:7".to_owned())]);
    OfRank { identities, ..Left::on(rank, node).part() }
}

#[test]
fn a_shared_file_lies_on_the_devices_of_each_host() {
    let record = merged(vec![same_file(0, 0), same_file(1, 1)]);
    assert_eq!(
        relations(&record),
        ["reader[0] over data", "data over node[0].sda, node[1].sda", "reader[1] over data"]
    );
    assert_eq!(grown(&record, "data", Counter::CachedBytes), Some(0), "what both have in cache");
}

fn same_lun(rank: u32, node: u32, machine: &'static str) -> OfRank {
    let target = bound(entity("lun", Kind::Disk, Layer::Device), "/dev/sdb");
    let mut part = Left { target, machine, ..Left::on(rank, node) }.part();
    part.record.series[1] = Series { counter: Counter::ReadBytes, ..part.record.series[1].clone() };
    part.record.relations.pop();
    part.identities.insert("lun".to_owned(), "naa.1".to_owned());
    part.identities.insert("sda".to_owned(), format!("naa.of-{machine}"));
    part
}

#[test]
fn a_unit_that_two_kernels_count_is_one_over_two() {
    let record = merged(vec![same_lun(0, 0, "a"), same_lun(1, 1, "b")]);
    let wanted = ["reader[0] over lun", "reader[1] over lun", "lun over node[0].lun, node[1].lun"];
    assert_eq!(relations(&record), wanted);
    let shared = Fact::SharedDevices("naa.1").of(&record.environment);
    assert_eq!(shared, Some("node[0].lun node[1].lun"));
    assert_eq!(grown(&record, "node[1].lun", Counter::ReadBytes), Some(2));
}

#[test]
fn what_namespaces_of_one_kernel_see_is_counted_once() {
    let record = merged(vec![same_lun(0, 0, "a"), same_lun(1, 1, "a")]);
    let all = names(&record);
    for once in ["lun", "sda", "cpu"] {
        assert_eq!(all.iter().filter(|name| name.ends_with(once)).count(), 1, "{all:?}");
    }
    assert!(all.contains(&"node[1].process"), "{all:?}");
    assert_eq!(relations(&record), ["reader[0] over lun", "reader[1] over lun"]);
    assert_eq!(Fact::SharedDevices("naa.1").of(&record.environment), None);
}

#[test]
fn some_hosts_speak_for_themselves() {
    let mut parts = [0, 1, 2].map(|rank| Left::on(rank, rank).part());
    let warning = |text: &str| Warning { kind: "slow".to_owned(), text: text.to_owned() };
    parts.iter_mut().for_each(|part| part.record.warnings.push(warning("all")));
    parts[1..].iter_mut().for_each(|part| part.record.warnings.push(warning("some")));
    let said: Vec<String> =
        merged(parts.to_vec()).warnings.into_iter().map(|one| one.text).collect();
    assert_eq!(said, ["all", "node[1], node[2]: some"]);
}

#[test]
fn times_go_to_the_axis_of_the_root_and_agreed_edges_agree() {
    let late = AxisMap { offset_ns: 40, rate_ppb: 0 };
    let part = OfRank { axis: late, bound_ns: 50, ..Left::on(1, 1).part() };
    let record = merged(vec![Left::on(0, 0).part(), part]);
    assert_eq!(record.streams[1].first_done_ns, 50);
    assert_eq!(record.streams[1].phases[0].from_ns, 100, "the root's");
    assert_eq!(record.instants_ns, [0, SECOND, 2 * SECOND + 40]);
    assert_eq!(record.clock.error_ns, 3 + 50 + 40);
    assert_eq!(Fact::ClockBound.of(&record.environment), Some("50"));
}

#[test]
fn records_that_are_not_of_one_pass_are_refused() {
    let merge = |parts| merge(CaseText::default(), parts).unwrap_err();
    assert_eq!(merge(Vec::new()), Unmergeable::Nothing);
    let twice = merge(vec![Left::on(0, 0).part(), Left::on(0, 0).part()]);
    assert_eq!(twice, Unmergeable::Twice(0));
    let mut other = Left::on(1, 0).part();
    other.record.technique = Technique::Observation;
    let other = merge(vec![Left::on(0, 0).part(), other]);
    assert!(matches!(other, Unmergeable::Technique { rank: 1, .. }), "{other}");
    let mut same = Left::on(1, 1).part();
    same.record.entities[0].name = "reader[0]".to_owned();
    let same = merge(vec![Left::on(0, 0).part(), same]);
    assert!(matches!(same, Unmergeable::StreamTwice { ranks: [0, 1], .. }), "{same}");
}
