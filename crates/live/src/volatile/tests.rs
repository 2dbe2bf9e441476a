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
    Fate { volume: volume.into(), start, end, what }
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

/// What a sector went through: contents in the order in which they were written, and how many of
/// them the media have had or were sent.
#[derive(Debug, Default)]
struct Story {
    contents: Vec<u8>,
    sent: usize,
    settled: usize,
}

#[test]
fn nothing_that_came_to_the_media_is_lost_whatever_happens_in_which_order() {
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
    for ticket in 0..20_000_u32 {
        let sector = draw(SECTORS);
        let (start, end) = (sector * 512, (sector + 1) * 512);
        let story = stories.entry(sector).or_default();
        let follow = |volatile: &mut Volatile<'_>, what| {
            volatile.follow(&fate(volume, start, end, what), &media).unwrap();
        };
        match draw(16) {
            0..8 => {
                let content = draw(256) as u8;
                volatile.hold(ticket, 0, start, &[content; 512]);
                follow(&mut volatile, What::Stored(ticket));
                volatile.answered(ticket, false, &media).unwrap();
                story.contents.push(content);
            }
            8..11 if story.sent < story.contents.len() => {
                follow(&mut volatile, What::Leaves);
                story.sent = story.contents.len();
            }
            11..14 if story.settled < story.sent => {
                follow(&mut volatile, What::Settled);
                story.settled = story.sent;
            }
            14 if story.settled < story.contents.len() => {
                follow(&mut volatile, What::Lost);
                // At least what settled is there, and nothing that was never written.
                let now = content(&media[0], start, 1)[0];
                let kept = &story.contents[story.settled.saturating_sub(1)..];
                let may_be_old = story.settled == 0 && now == 0;
                assert!(may_be_old || kept.contains(&now), "{now} of {story:?}");
                *story = Story { contents: vec![now], sent: 1, settled: 1 };
            }
            _ => {
                let now = content(&media[0], start, 1)[0];
                assert_eq!(now, story.contents.last().copied().unwrap_or_default());
            }
        }
    }
    assert!(volatile.lost_bytes() > 0);
}
