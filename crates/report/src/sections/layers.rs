//! Layers: what each moved, why they differ, and how evenly members share.

use iopath_analysis::Balance;
use iopath_analysis::balance::Member;
use iopath_analysis::layers::Tier;
use iopath_units::System;

use super::chosen::{ChosenTrial, each};
use super::{Shown, flat};
use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::numbers::{UNKNOWN, maybe_rate, maybe_time, operations, size};
use crate::words::layers as words;

/// Members from which a figure says more than a sentence: chosen.
const MEMBERS: usize = 3;

const BARS: &str = "Bytes a second of each layer in the window, from the application down, reads \
    and writes apart. Equal bars are usual. A shorter bar below is served by a cache above it; a \
    longer one carries copies, parity, readahead or other load, and the list names the known \
    factor that explains the ratio. Requests are split and merged between layers, so compare them \
    only with their mean size.";

const BALANCE: &str = "Each dot is a member: its requests against the time of one. A tight cloud \
    is balance. Dots apart horizontally (different rates, equal times) share unevenly: look at \
    placement and policy. Dots apart vertically (equal rates, different times) are dangerous, and \
    rates alone hide it: a round-robin policy feeds slow members as much as fast ones, and \
    requests pile up there. Times depend on size and queue, so compare only members with similar \
    requests.";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| blocks(told, shown));
    Section::of("layers", "layers", blocks)
}

/// Nothing where only one layer was counted.
fn blocks(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Vec<Block> {
    let trial = told.trial;
    let moved = trial.layers.tiers.iter().filter(|tier| has_moved(tier)).count();
    if moved < 2 && trial.layers.steps.is_empty() && !trial.is_watched() {
        return Vec::new();
    }
    let mut blocks: Vec<Block> = Block::table(table(told, shown.system)).into_iter().collect();
    let steps = trial.layers.steps.iter().map(|step| words::compared(step, shown.system));
    let shared = trial.balance.iter().map(|one| words::shared(one, shown.system));
    blocks.extend(Block::lines(steps.chain(shared).collect()));
    // Of equal bars the table says enough.
    let rates = |tier: &Tier| {
        let ways = [tier.bytes_per_sec, tier.read_bytes_per_sec, tier.write_bytes_per_sec];
        ways.map(|way| maybe_rate(way, shown.system)).join(", ")
    };
    let moved = trial.layers.tiers.iter().filter(|tier| has_moved(tier));
    if flat::same(moved.map(|tier| Some(rates(tier)))).is_none() {
        blocks.extend(bars(told, shown).map(Block::Figure));
    }
    let balances = trial.balance.iter().enumerate();
    blocks.extend(balances.filter_map(|one| balance(told, one)).map(Block::Figure));
    blocks
}

/// What each layer did that moved anything, and its bytes over those of the one above.
fn table(told: &ChosenTrial<'_>, system: System) -> Table {
    let tiers = told.trial.layers.tiers.iter().filter(|tier| tier.bytes_per_sec != Some(0.0));
    let mut above: Option<f64> = None;
    let rows: Vec<(&Tier, Option<f64>)> = tiers
        .map(|tier| {
            let known = tier.bytes_per_sec.filter(|bytes| *bytes > 0.0);
            let ratio = known.zip(above).map(|(bytes, above)| bytes / above);
            above = known.or(above);
            (tier, ratio)
        })
        .collect();
    let known = |value: Option<f64>, of: &dyn Fn(f64) -> String| {
        value.map_or_else(|| UNKNOWN.to_owned(), of)
    };
    Table::of(&rows)
        .titled(told.title(&format!("traffic of each layer {}", told.trial.part())))
        .column("what", |(tier, _)| words::several(&tier.members, &tier.kind))
        .column("throughput", |(tier, _)| maybe_rate(tier.bytes_per_sec, system))
        .column("requests", |(tier, _)| {
            known(tier.operations_per_sec, &|done| operations(done, system))
        })
        .column("mean size", |(tier, _)| {
            known(tier.request_bytes_mean, &|bytes| size(bytes.round() as u64, system))
        })
        .column("mean time", |(tier, _)| maybe_time(tier.service_ns_mean, system))
        .column("in flight", |(tier, _)| known(tier.in_flight_mean, &|held| format!("{held:.1}")))
        .expendable(1, "of the layer above", |(_, ratio)| {
            known(*ratio, &|ratio| format!("{ratio:.3}"))
        })
        .done()
}

fn has_moved(tier: &Tier) -> bool {
    tier.bytes_per_sec.is_some_and(|bytes| bytes > 0.0)
}

fn bars(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Option<Figure> {
    let tiers = told.trial.layers.tiers.iter();
    let tiers: Vec<&Tier> = tiers.filter(|tier| has_moved(tier)).collect();
    if tiers.len() < 2 {
        return None;
    }
    let of = |value: fn(&Tier) -> Option<f64>| {
        tiers.iter().map(|tier| value(tier)).collect::<Vec<Option<f64>>>()
    };
    let names = tiers.iter().map(|tier| words::several(&tier.members, &tier.kind)).collect();
    // Where nothing tells reads from writes there is only the sum.
    let undirected = |tier: &Tier| {
        let is_known = tier.read_bytes_per_sec.or(tier.write_bytes_per_sec).is_some();
        tier.bytes_per_sec.filter(|_| !is_known)
    };
    let columns = vec![
        Column::texts("layer", names),
        Column::maybe("read_bytes_per_sec", of(|tier| tier.read_bytes_per_sec)),
        Column::maybe("write_bytes_per_sec", of(|tier| tier.write_bytes_per_sec)),
        Column::maybe("moved_bytes_per_sec", of(undirected)),
        Column::maybe("operations_per_sec", of(|tier| tier.operations_per_sec)),
        Column::maybe("mean_request_bytes", of(|tier| tier.request_bytes_mean)),
        Column::maybe("mean_service_ns", of(|tier| tier.service_ns_mean)),
    ];
    let drawn = [("reads", 1), ("writes", 2), ("reads and writes", 3)];
    let has_any = |at: usize| columns[at].greatest().is_some_and(|most| most > 0.0);
    let drawn = drawn.into_iter().filter(|(_, at)| has_any(*at));
    let traces = drawn.map(|(name, at)| Trace::plain(name, Mark::Bars, 0, at)).collect();
    let y = Axis::bytes_per_sec("throughput", &columns[1..4], shown.system);
    Some(Figure {
        id: format!("layers-bytes-{}", told.number()),
        title: told.title(&format!("Bytes by layer {}", told.trial.part())),
        guide: BARS.to_owned(),
        columns,
        chart: Chart { x: Axis::plain("", ""), y, traces, shades: Vec::new() },
    })
}

/// Rate against time of a request; none where times are not known or members are few.
fn balance(told: &ChosenTrial<'_>, (at, one): (usize, &Balance)) -> Option<Figure> {
    let is_known = |member: &&Member| member.service_ns_mean.is_some();
    let is_measured = one.members.iter().filter(is_known).count() >= MEMBERS.min(one.members.len());
    if one.members.len() < MEMBERS || !is_measured {
        return None;
    }
    let of = |value: fn(&Member) -> Option<f64>| one.members.iter().map(value).collect::<Vec<_>>();
    let service = |is_slow: bool| {
        let of_kind = |member: &Member| one.slow.contains(&member.name) == is_slow;
        let value = |member: &Member| member.service_ns_mean.filter(|_| of_kind(member));
        one.members.iter().map(value).collect::<Vec<_>>()
    };
    let columns = vec![
        Column::texts("member", one.members.iter().map(|member| member.name.clone()).collect()),
        Column::maybe("operations_per_sec", of(|member| member.operations_per_sec)),
        Column::maybe("throughput_bytes_per_sec", of(|member| member.bytes_per_sec)),
        Column::maybe("service_ns", service(false)),
        Column::maybe("slow_service_ns", service(true)),
        Column::maybe("utilisation_share", of(|member| member.utilisation)),
    ];
    let dots = |name: &str, y| Trace { text: Some(0), ..Trace::plain(name, Mark::Dots, 1, y) };
    let mut traces = vec![dots("members", 3)];
    if !one.slow.is_empty() {
        traces.push(dots("slow members", 4));
    }
    let x = Axis::operations_per_sec("requests", &columns[1..2]);
    let y = Axis::ns("mean time of a request", &columns[3..5]);
    Some(Figure {
        id: format!("layers-balance-{}-{at}", told.number()),
        title: told.title(&format!("Balance below {}", one.of)),
        guide: BALANCE.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    })
}
