//! Against a slow and obvious version: every write that was ever made, by sector.

use std::collections::BTreeMap;

use iopath_study::{Source, parse};

use super::*;

/// A file striped over two volumes, and a file that is a third one.
fn case() -> Case {
    let text = r#"study "t"
path {
    host "h" { hba { port } }
    array "a" {
        port
        cache size="64 MiB" write="back"
        raid "v" count=3 level=0 segment="64 KiB" { disk size="1 MiB" }
    }
    wire from="h.hba.port" to="a.port"
}
layout { stripe "s" unit="64 KiB" over="a.v[0-1]" }
workload { streams "x" over="s" block="4 KiB"; streams "y" over="a.v[2]" block="4 KiB" }
"#;
    let source = Source { name: "t".to_owned(), text: text.to_owned() };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
}

fn named(case: &Case, name: &str) -> PartId {
    case.system.ids().find(|id| case.system.part(*id).name == name).unwrap()
}

fn media(sizes: &[u64]) -> Vec<Medium> {
    let file = |bytes: &u64| {
        let file = tempfile::tempfile().unwrap();
        file.set_len(*bytes).unwrap();
        Medium::File(file)
    };
    sizes.iter().map(file).collect()
}

fn content(medium: &Medium, offset: u64, bytes: usize) -> Vec<u8> {
    let mut room = vec![0; bytes];
    medium.read(offset, bytes, &mut room).unwrap().to_vec()
}

fn fate(volume: PartId, start: u64, end: u64, what: What) -> Fate {
    Fate { volume: volume.into(), cache: 0, start, end, what }
}

/// The same in the cache of another controller.
fn elsewhere(fate: Fate) -> Fate {
    Fate { cache: 1, ..fate }
}

#[test]
fn a_striped_write_loses_what_was_in_one_of_its_caches() {
    let case = case();
    let (first, second) = (named(&case, "a.v[0]"), named(&case, "a.v[1]"));
    let media = media(&[2 << 20]);
    let mut volatile = Volatile::new(&case, vec![named(&case, "s")]);
    let unit = 64 << 10;
    volatile.hold(1, 0, 0, &vec![7; 4 * unit]);
    let mut follow = |fate| volatile.follow(&fate, &media).unwrap();
    for volume in [first, second] {
        follow(fate(volume, 0, 2 * unit as u64, What::Stored(1)));
    }
    follow(fate(first, 0, 2 * unit as u64, What::Leaves));
    follow(fate(first, 0, 2 * unit as u64, What::Settled));
    for volume in [first, second] {
        follow(fate(volume, 0, 2 * unit as u64, What::Lost));
    }
    volatile.answered(1, false, &media).unwrap();
    let units = content(&media[0], 0, 4 * unit);
    let kept: Vec<bool> = units.chunks(unit).map(|unit| unit[0] == 7).collect();
    assert_eq!(kept, [true, false, true, false]);
    assert_eq!(volatile.lost_bytes(), 2 * unit as u64);
    assert!(volatile.sectors.is_empty() && volatile.held.is_empty());
}

#[test]
fn what_no_cache_kept_is_written_when_it_is_answered_and_not_where_it_is_refused() {
    let case = case();
    let media = media(&[1 << 20]);
    let mut volatile = Volatile::new(&case, vec![named(&case, "a.v[2]")]);
    volatile.hold(1, 0, 0, &[1; 512]);
    volatile.hold(2, 0, 512, &[2; 512]);
    volatile.answered(1, false, &media).unwrap();
    volatile.answered(2, true, &media).unwrap();
    assert_eq!([content(&media[0], 0, 1)[0], content(&media[0], 512, 1)[0]], [1, 0]);
}

#[test]
fn a_part_of_a_write_that_no_cache_can_lose_is_written_besides_the_other() {
    let case = case();
    let first = named(&case, "a.v[0]");
    let media = media(&[2 << 20]);
    let mut volatile = Volatile::new(&case, vec![named(&case, "s")]);
    let unit = 64 << 10;
    volatile.hold(1, 0, 0, &vec![7; 4 * unit]);
    volatile.follow(&fate(first, 0, 2 * unit as u64, What::Stored(1)), &media).unwrap();
    volatile.answered(1, false, &media).unwrap();
    assert_eq!(content(&media[0], 0, 4 * unit), vec![7; 4 * unit]);
    volatile.follow(&fate(first, 0, 2 * unit as u64, What::Lost), &media).unwrap();
    let kept: Vec<u8> = content(&media[0], 0, 4 * unit).chunks(unit).map(|unit| unit[0]).collect();
    assert_eq!(kept, [0, 7, 0, 7]);
}

#[test]
fn a_cache_that_fails_does_not_take_what_a_newer_owner_has_written_since() {
    let case = case();
    let volume = named(&case, "a.v[2]");
    let media = media(&[1 << 20]);
    let of = |what| fate(volume, 0, 512, what);
    for (fails, expected) in [(of(What::Lost), 2), (elsewhere(of(What::Lost)), 1)] {
        let mut volatile = Volatile::new(&case, vec![volume]);
        volatile.hold(1, 0, 0, &[1; 512]);
        volatile.follow(&of(What::Stored(1)), &media).unwrap();
        volatile.hold(2, 0, 0, &[2; 512]);
        volatile.follow(&elsewhere(of(What::Stored(2))), &media).unwrap();
        volatile.follow(&fails, &media).unwrap();
        assert_eq!(content(&media[0], 0, 1)[0], expected, "{fails:?}");
    }
    // Nor what was written since where nothing is lost.
    let mut volatile = Volatile::new(&case, vec![volume]);
    volatile.hold(1, 0, 0, &[1; 512]);
    volatile.follow(&of(What::Stored(1)), &media).unwrap();
    volatile.answered(1, false, &media).unwrap();
    volatile.hold(2, 0, 0, &[2; 512]);
    volatile.answered(2, false, &media).unwrap();
    volatile.follow(&of(What::Lost), &media).unwrap();
    assert_eq!((content(&media[0], 0, 1)[0], volatile.lost_bytes()), (2, 0));
}

/// What a sector went through: contents in the order in which they were written, which of them the
/// media have at least, and for each of two caches which it has and which it has sent.
#[derive(Debug, Default)]
struct Story {
    contents: Vec<u8>,
    settled: usize,
    has: [Option<usize>; 2],
    sends: [Option<usize>; 2],
}

impl Story {
    fn write(&mut self, cache: usize, content: u8) {
        self.contents.push(content);
        self.has[cache] = Some(self.contents.len());
    }

    fn leave(&mut self, cache: usize) {
        self.sends[cache] = self.has[cache].take().max(self.sends[cache]);
    }

    fn settle(&mut self, cache: usize) {
        self.settled = self.sends[cache].take().unwrap_or_default().max(self.settled);
    }

    /// The newest of what is left is the last from now on.
    fn lose(&mut self, cache: usize) {
        (self.has[cache], self.sends[cache]) = (None, None);
        let left = self.has.into_iter().chain(self.sends).flatten().max().unwrap_or_default();
        self.contents.truncate(left.max(self.settled));
    }
}

#[test]
fn of_what_two_caches_have_the_newest_is_there_that_neither_has_lost() {
    const SECTORS: u64 = 16;
    let case = case();
    let volume = named(&case, "a.v[2]");
    let media = media(&[1 << 20]);
    let mut volatile = Volatile::new(&case, vec![volume]);
    let mut stories: BTreeMap<u64, Story> = BTreeMap::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for ticket in 0..40_000_u32 {
        let (sector, cache) = (draw(SECTORS), draw(2) as usize);
        let (start, end) = (sector * 512, (sector + 1) * 512);
        let story = stories.entry(sector).or_default();
        let follow = |volatile: &mut Volatile<'_>, what| {
            let fate = Fate { cache: cache as u32, ..fate(volume, start, end, what) };
            volatile.follow(&fate, &media).unwrap();
        };
        match draw(16) {
            0..8 => {
                let content = draw(256) as u8;
                volatile.hold(ticket, 0, start, &[content; 512]);
                follow(&mut volatile, What::Stored(ticket));
                volatile.answered(ticket, false, &media).unwrap();
                story.write(cache, content);
            }
            8..11 if story.has[cache].is_some() => {
                follow(&mut volatile, What::Leaves);
                story.leave(cache);
            }
            11..14 if story.sends[cache].is_some() => {
                follow(&mut volatile, What::Settled);
                story.settle(cache);
            }
            14 => {
                follow(&mut volatile, What::Lost);
                story.lose(cache);
            }
            _ => {}
        }
        let now = content(&media[0], start, 1)[0];
        assert_eq!(now, story.contents.last().copied().unwrap_or_default(), "{story:?}");
    }
    assert!(volatile.lost_bytes() > 0);
}
