//! The path as a picture: what a trial went through, how full each part was, where the limit is.

use iopath_analysis::picture::{Joint, Member, PathBox, Picture, Tier};

use super::chosen::{Told, each};
use super::compose::Shown;
use super::diagram::{Band, Diagram, DiagramBox, DiagramTier};
use super::{Block, Column, Section, Table};
use crate::path_words::{self as words, Words};

const GUIDE: &str = "Data flow from the application at the top to the media at the bottom. The \
    bar in a box and the figure beside it are the share that is used of what the box can do: of \
    the capacity that is fullest, or, where none is known (\"busy\"), the share of the time with \
    something in flight, which does not mean that it could do no more. A box that stands for \
    several things (×) shows the least and the most used of them, and what all of them carry \
    together. Bands are as wide as the bytes that flow; a bar across several boxes says that \
    these together hand on to those, and that nothing tells which to which. What did nothing is \
    counted, not drawn.";

/// Members of a box that are listed: chosen, the CSV has all.
const LISTED: usize = 40;

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| {
        let diagram = diagram(shown, told);
        diagram.map(|diagram| Block::Diagram(Box::new(diagram))).into_iter().collect()
    });
    (!blocks.is_empty()).then(|| Section { id: "path", title: "Path".to_owned(), blocks })
}

fn diagram(shown: &Shown<'_>, told: &Told<'_>) -> Option<Diagram> {
    let picture = &told.trial.path.as_ref()?.picture;
    let words = Words { system: shown.system };
    Some(Diagram {
        id: format!("path-{}", told.number()),
        title: told.title(&format!("From application to media, rates {}", told.trial.part())),
        guide: format!("{GUIDE}{}", told.of_passes()),
        tiers: picture.tiers.iter().map(|one| tier(picture, one, words)).collect(),
        boxes: boxes(picture, words),
        bands: picture.joints.iter().map(|joint| band(picture, joint)).collect(),
        scale: scale(picture, words),
        columns: columns(picture),
    })
}

fn tier(picture: &Picture, tier: &Tier, words: Words) -> DiagramTier {
    DiagramTier {
        title: words::tier_title(picture, tier),
        notes: words.tier_notes(picture, tier),
        boxes: tier.boxes.clone(),
    }
}

fn boxes(picture: &Picture, words: Words) -> Vec<DiagramBox> {
    let of_tier = |tier: &Tier| {
        let title = words::tier_title(picture, tier);
        let each = tier.boxes.iter().map(|at| (*at, boxed(&picture.boxes[*at], &title, words)));
        each.collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, DiagramBox)> = picture.tiers.iter().flat_map(of_tier).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

fn boxed(one: &PathBox, tier: &str, words: Words) -> DiagramBox {
    let members = (one.members.len() > 1).then(|| members(&one.members, words));
    let share =
        one.utilisation.map(|share| (share.least.clamp(0.0, 1.0), share.most.clamp(0.0, 1.0)));
    DiagramBox {
        name: words::name(one),
        about: [words::short_kind(one, tier), words.carried(one)],
        share,
        share_text: match share {
            Some(_) => words::share(one),
            None => words.waiting(one),
        },
        is_limit: one.is_limit,
        details: words.details(one),
        members,
    }
}

fn members(members: &[Member], words: Words) -> Table {
    let head = ["name", "count", "utilisation", "throughput", "requests", "in flight", "mean time"];
    let row = |one: &Member| words.member(one);
    let mut rows: Vec<Vec<String>> = members.iter().take(LISTED).map(row).collect();
    if let Some(more) = members.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let mut row = vec![format!("and {more} more: see the CSV")];
        row.resize(head.len(), String::new());
        rows.push(row);
    }
    Table { title: String::new(), head: head.map(str::to_owned).to_vec(), rows }
}

/// The band of a joint: a box that hands on in several ways does so as these take.
fn band(picture: &Picture, joint: &Joint) -> Band {
    let bytes = |at: usize| picture.boxes[at].bytes_per_sec.unwrap_or_default();
    let part = |at: usize, own: &dyn Fn(&Joint) -> bool, far: &dyn Fn(&Joint) -> f64| {
        let all: f64 = picture.joints.iter().filter(|other| own(other)).map(far).sum();
        let share = if all > 0.0 { far(joint) / all } else { 1.0 };
        (at, bytes(at) * share)
    };
    let below = |joint: &Joint| joint.lower_bytes_per_sec.unwrap_or_default();
    let above = |joint: &Joint| joint.upper_bytes_per_sec.unwrap_or_default();
    let upper = |at: &usize| part(*at, &|other| other.uppers.contains(at), &below);
    let lower = |at: &usize| part(*at, &|other| other.lowers.contains(at), &above);
    Band {
        uppers: joint.uppers.iter().map(upper).collect(),
        lowers: joint.lowers.iter().map(lower).collect(),
    }
}

/// A round number near what the widest band carries.
fn scale(picture: &Picture, words: Words) -> Option<(f64, String)> {
    let drawn = picture.joints.iter().flat_map(|joint| joint.uppers.iter().chain(&joint.lowers));
    let most = drawn.filter_map(|at| picture.boxes[*at].bytes_per_sec).reduce(f64::max)?;
    let power = 10f64.powf(most.log10().floor());
    let round = [5.0, 2.0, 1.0].map(|times| times * power).into_iter().find(|one| *one <= most);
    let round = round.filter(|round| round.is_finite() && *round >= 1.0)?;
    Some((round, words.rate(round)))
}

/// Every thing, a row each.
fn columns(picture: &Picture) -> Vec<Column> {
    let each = || picture.boxes.iter().flat_map(|one| one.members.iter().map(move |m| (one, m)));
    let numbers = |name: &str, of: fn(&Member) -> Option<f64>| {
        Column::maybe(name, each().map(|(_, member)| of(member)).collect())
    };
    let texts = |name: &str, of: &dyn Fn(&PathBox, &Member) -> String| {
        Column::texts(name, each().map(|(one, member)| of(one, member)).collect())
    };
    vec![
        texts("box", &|one, _| words::name(one)),
        texts("kind", &|one, _| one.kind.clone()),
        texts("name", &|_, member| member.name.clone()),
        numbers("count", |member| Some(f64::from(member.count))),
        numbers("utilisation_share", |member| member.utilisation),
        numbers("throughput_bytes_per_sec", |member| member.bytes_per_sec),
        numbers("operations_per_sec", |member| member.operations_per_sec),
        numbers("in_flight_mean", |member| member.in_flight_mean),
        numbers("latency_ns_mean", |member| member.time_ns),
        texts("limit", &|one, _| if one.is_limit { "yes" } else { "no" }.to_owned()),
    ]
}
