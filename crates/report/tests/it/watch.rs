//! The picture of what is watched: what stands where, what is folded, and that it always fits.

use iopath_analysis::usage::{Gauges, ProcessorShares, Requests, Usage};
use iopath_record::{Entity, EntityId, Layer, Relation};
use iopath_report::{
    Color, Extent, History, Line, Look, Mark, Watched, frame, picture, watch_json,
};
use iopath_units::System;

fn entity(name: &str, kind: &str, layer: Layer) -> Entity {
    let (name, kind) = (name.to_owned(), kind.into());
    Entity { name, kind, layer, parent: None, binding: None, count: 1, limits: Vec::new() }
}

fn disk(name: &str) -> Entity {
    entity(name, "disk", Layer::Device)
}

/// Reads `mb` MB/s in requests of 100 kB that take `ms` each.
fn reading(mb: f64, ms: f64, busy: f64) -> Usage {
    let read = Requests {
        bytes_per_sec: Some(mb * 1e6),
        operations_per_sec: Some(mb * 10.0),
        ns_mean: (mb > 0.0).then_some(ms * 1e6),
    };
    let write = Requests { bytes_per_sec: Some(0.0), operations_per_sec: Some(0.0), ns_mean: None };
    Usage {
        read,
        write,
        transfers: read + write,
        in_flight_mean: Some(mb * ms / 100.0),
        gauges: Gauges { in_flight: Some(0), ..Gauges::default() },
        utilisation: Some(busy),
        ..Usage::default()
    }
}

/// Of which only bytes are counted.
fn moving(bytes_per_sec: f64) -> Usage {
    let read = Requests { bytes_per_sec: Some(bytes_per_sec), ..Requests::default() };
    Usage { read, transfers: read, ..Usage::default() }
}

fn look(width: u16) -> Look {
    Look { width, system: System::Decimal, color: Color::Never }
}

fn relation(upper: u32, lower: &[u32]) -> Relation {
    let lower = lower.iter().copied().map(EntityId).collect();
    let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
    Relation { upper: EntityId(upper), lower, read_copies_ppm, write_copies_ppm }
}

/// A multipath device over a fast and a slow path, a disk, a card, and the machine.
struct Scene {
    entities: Vec<Entity>,
    relations: Vec<Relation>,
    usage: Vec<Usage>,
}

impl Scene {
    fn new() -> Self {
        let lun = entity("dm-0", "multipath", Layer::Lun);
        let binding = Some("/dev/mapper/mpatha".to_owned());
        let mut cpu0 = entity("cpu0", "cpu", Layer::Processor);
        cpu0.parent = Some(EntityId(5));
        let entities = vec![
            Entity { binding, ..lun },
            entity("sda", "path", Layer::Device),
            entity("sdb", "path", Layer::Device),
            disk("nvme0n1"),
            entity("eth0", "network", Layer::Adapter),
            Entity { count: 2, ..entity("cpu", "cpu", Layer::Processor) },
            cpu0,
            entity("memory", "memory", Layer::Memory),
            entity("io", "pressure", Layer::Generator),
        ];
        let shares =
            |busy: f64| ProcessorShares { user: busy, idle: 1.0 - busy, ..Default::default() };
        let cpu = |busy| Usage { processor: Some(shares(busy)), ..Usage::default() };
        let memory = Usage {
            gauges: Gauges {
                cached_bytes: Some(17_000_000_000),
                dirty_bytes: Some(0),
                writeback_bytes: Some(0),
                in_flight: None,
            },
            ..Usage::default()
        };
        let usage = vec![
            reading(200.0, 2.5, 0.99),
            reading(100.0, 1.0, 0.5),
            reading(100.0, 4.0, 0.85),
            reading(0.0, 0.0, 0.0),
            moving(0.0),
            cpu(0.25),
            cpu(0.4),
            memory,
            Usage { utilisation: Some(0.12), ..Usage::default() },
        ];
        Self { entities, relations: vec![relation(0, &[1, 2])], usage }
    }

    fn watched(&self) -> Watched<'_> {
        Watched {
            what: "the whole machine",
            entities: &self.entities,
            relations: &self.relations,
            usage: &self.usage,
            at_unix_ns: 1_790_000_000_000_000_000,
            interval_ns: 1_000_000_000,
        }
    }
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.clone() + "\n").collect()
}

#[test]
fn the_path_is_the_frame_and_the_slow_path_is_named() {
    let scene = Scene::new();
    insta::assert_snapshot!(text(&frame(&scene.watched(), &look(80), Some(24))));
}

#[test]
fn a_wide_terminal_tells_reads_and_writes_apart_and_draws_busy_time() {
    let scene = Scene::new();
    insta::assert_snapshot!(text(&frame(&scene.watched(), &look(130), None)));
}

#[test]
fn what_is_full_is_marked_by_a_sign_and_not_by_colour_alone() {
    let scene = Scene::new();
    let lines = frame(&scene.watched(), &look(80), None);
    let of = |name: &str| lines.iter().find(|line| line.text.trim().starts_with(name)).unwrap();
    assert_eq!((of("dm-0").mark, of("dm-0").text.ends_with(" !")), (Mark::Full, true));
    assert_eq!((of("sdb").mark, of("sdb").text.ends_with(" +")), (Mark::Warm, true));
    assert_eq!(of("sda").mark, Mark::Plain);
    let colored = Look { color: Color::Always, ..look(80) };
    assert!(of("dm-0").paint(&colored).starts_with("\x1b[31m"));
    assert_eq!(of("dm-0").paint(&look(80)), of("dm-0").text);
}

/// 2,000 devices, of which 20 read: number n reads n MB/s.
fn many() -> Scene {
    let entities: Vec<Entity> = (0..2000).map(|n| disk(&format!("loop{n}"))).collect();
    let rate = |n: usize| if n < 20 { n as f64 + 1.0 } else { 0.0 };
    let usage = (0..2000).map(|n| reading(rate(n), 1.0, 0.1)).collect();
    Scene { entities, relations: Vec::new(), usage }
}

#[test]
fn of_many_devices_those_that_move_most_are_shown_and_the_rest_is_counted() {
    let scene = many();
    let lines = frame(&scene.watched(), &look(80), Some(10));
    assert_eq!(lines.len(), 10);
    let all = text(&lines);
    assert!(all.contains("devices, 13 more with 91.00 MB/s, 1,980 idle"), "{all}");
    let names: Vec<&str> =
        lines[3..].iter().map(|l| l.text.split_whitespace().next().unwrap()).collect();
    assert_eq!(names[..3], ["loop19", "loop18", "loop17"]);
    let whole = frame(&scene.watched(), &look(80), None);
    assert!(text(&whole).contains("devices, 1,980 idle"));
    assert_eq!(whole.len(), 1 + 1 + 1 + 20);
}

#[test]
fn no_size_of_a_terminal_is_too_small() {
    for scene in [Scene::new(), many()] {
        for width in [1, 20, 79, 80, 112, 300] {
            for rows in [0, 1, 2, 5, 24, 200] {
                let lines = frame(&scene.watched(), &look(width), Some(rows));
                assert!(lines.len() <= rows, "{width}x{rows}");
                let widest = lines.iter().map(|line| line.text.chars().count()).max();
                assert!(widest.unwrap_or(0) <= usize::from(width), "{width}x{rows}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_a_dash_and_null_and_no_name_commands_the_terminal() {
    let mut scene = Scene::new();
    scene.entities[3].name = "evil\u{1b}[2J".to_owned();
    scene.usage[3] = moving(5e6);
    let all = text(&frame(&scene.watched(), &look(80), None));
    assert!(!all.contains('\u{1b}'));
    let line = all.lines().find(|line| line.contains("evil")).unwrap();
    assert_eq!(line.split_whitespace().filter(|cell| *cell == "-").count(), 7, "{line}");
    let json = watch_json(&scene.watched(), &["sdc is gone".to_owned()]);
    assert!(json["entities"][3]["utilisation"].is_null());
    assert_eq!(json["entities"][0]["balance"]["odd"], "sdb");
    assert_eq!(json["entities"][0]["below"], serde_json::json!(["sda", "sdb"]));
    assert_eq!(json["events"][0], "sdc is gone");
    assert_eq!(json["processors"][0]["user"], 0.25);
    assert_eq!(json["pressure"][0]["stalled"], 0.12);
}

#[test]
fn a_machine_where_nothing_moves_has_no_rows() {
    let mut scene = Scene::new();
    scene.usage.fill(Usage::default());
    let all = text(&frame(&scene.watched(), &look(80), Some(24)));
    assert!(all.contains("devices: 1 idle") && !all.contains("rd MB/s"), "{all}");
}

#[test]
fn idle_devices_have_rows_where_they_are_wanted() {
    let scene = Scene::new();
    let rows = |with_idle| {
        let extent = Extent { with_idle, ..Extent::default() };
        text(&picture(&scene.watched(), &look(80), extent))
    };
    assert!(rows(false).contains("devices: 1 idle") && !rows(false).contains("nvme0n1"));
    assert!(rows(true).contains("nvme0n1") && !rows(true).contains("idle"), "{}", rows(true));
}

#[test]
fn what_is_left_of_a_terminal_shows_the_last_intervals_of_each_device() {
    let mut history = History::default();
    let mut scene = Scene::new();
    for mb in [50.0, 400.0, 200.0] {
        scene.usage[0] = reading(mb, 2.5, mb / 400.0);
        history.add(&scene.watched());
    }
    let drawn = |rows| {
        let extent = Extent { rows: Some(rows), history: Some(&history), ..Extent::default() };
        text(&picture(&scene.watched(), &look(100), extent))
    };
    let all = drawn(24);
    assert_eq!(all.lines().count(), 13 + 2 + 3, "{all}");
    assert!(all.contains("history, the last 3 intervals"), "{all}");
    let line = |what: &str| all.lines().rfind(|line| line.contains(what)).unwrap().to_owned();
    assert!(line("rate").contains("▁█▄  now 200.0 MB/s, max 400.0 MB/s"), "{all}");
    assert!(line("await").contains("███  now 2.500 ms, max 2.500 ms"), "{all}");
    assert!(line("busy ").contains("▁█▄  now 50 %, max 100 %"), "{all}");
    assert!(!drawn(12).contains("history"), "no room");
    assert!(drawn(16).contains("rate") && !drawn(16).contains("await "), "room for one figure");
}
