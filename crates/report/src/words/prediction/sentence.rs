//! What is predicted, in one sentence.

use std::collections::BTreeMap;

use iopath_analysis::prediction::{BeyondProcessors, Binding, GroupShare, LimitClass, Prediction};
use iopath_analysis::thresholds::reports::{FREER_BOUND_GAIN, TIME_NAMED_SHARE};
use iopath_record::{BoundKind, Fact, Kind, Measure};
use iopath_units::System;

use super::{self as words, Bound, figure, wanted};
use crate::numbers::{operations, rate};

/// The word for what a bound leaves out where a device states no time for its flushes.
const FLUSH_TIME: &str = "flush-time";

/// The sentence for one case, without its name.
pub(crate) fn sentence(prediction: &Prediction, system: System) -> String {
    let mut said = said(prediction, system);
    for besides in
        [assumed_costs(prediction), beyond_processors(prediction), free_flushes(prediction)]
    {
        said.extend(besides.map(|besides| format!("; {besides}")));
    }
    if let Some(names) = Fact::Unrated.of(&prediction.facts) {
        said.push_str(&format!("; {names}: no rated component on the path, so not predicted"));
    }
    match Fact::Without.of(&prediction.facts) {
        Some(removed) => format!("without {removed}, {said}"),
        None => said,
    }
}

fn said(prediction: &Prediction, system: System) -> String {
    if let Some(why) = words::nothing_left(prediction) {
        return why.to_owned();
    }
    let Prediction { throughput_bytes_per_sec: bytes, operations_per_sec: requests, .. } =
        *prediction;
    if prediction.bounds.is_empty() {
        return "the path has no rated component, so there is nothing to predict".to_owned();
    }
    if bytes <= 0.0 && requests <= 0.0 {
        return "no stream can transfer anything".to_owned();
    }
    let done = figure(bytes, requests, system);
    if prediction.shares.iter().any(|group| group.turn > 0) {
        return in_turns(prediction, &done, system);
    }
    let who = who(prediction.shares.iter());
    match wanted::of(prediction) {
        Some(wanted) if wanted.reached => {
            let besides = wanted::besides(&prediction.bottlenecks);
            format!("{who}: all of the {done} wanted; {}", full_or_nothing(&besides, system))
        }
        Some(wanted) => {
            let bytes = wanted.bytes_per_sec.map(|bytes| rate(bytes, system));
            let requests = wanted.operations_per_sec.map(|all| operations(all, system));
            let wanted: Vec<String> = bytes.into_iter().chain(requests).collect();
            let wanted = words::list(&wanted);
            let reason = reason(prediction, system);
            format!("{who} can {} {done} of the {wanted} wanted; {reason}", does_all(prediction))
        }
        None => {
            let does = does_all(prediction);
            let missed = wanted::missed(prediction, system);
            format!("{who} can {does} {done} at most{missed}; {}", reason(prediction, system))
        }
    }
}

/// What the answer rests on, where processors decide and nobody said what a request costs them.
fn assumed_costs(prediction: &Prediction) -> Option<String> {
    let is_processor = |binding: &Binding| {
        let LimitClass { kind, limit, .. } = &binding.limits;
        let is_short = binding.shortens && binding.gain < TIME_NAMED_SHARE;
        limit.measure == Measure::BusyNs && matches!(kind, Kind::Cpu | Kind::Streams) && !is_short
    };
    let costs = Fact::AssumedCosts.of(&prediction.facts)?;
    let decides = prediction.bottlenecks.iter().any(is_processor);
    decides.then(|| format!("this rests on assumed processor times ({costs} a request)"))
}

/// That the figure needs more of processors than they usually give, where none are described.
fn beyond_processors(prediction: &Prediction) -> Option<String> {
    let needs = |operations_per_sec| operations(operations_per_sec, System::Decimal);
    Some(match prediction.beyond_processors()? {
        BeyondProcessors::Thread { operations_per_sec, usual_per_sec } => format!(
            "{} of one stream is more than a thread usually issues ({}), and no processors are \
             described",
            needs(operations_per_sec),
            needs(usual_per_sec)
        ),
        BeyondProcessors::Server { operations_per_sec, processors, usual_per_sec } => format!(
            "{} is more than {processors} processors usually handle ({}), and none are described",
            needs(operations_per_sec),
            needs(usual_per_sec)
        ),
    })
}

/// Devices whose flushes take no time because nothing says how long.
fn free_flushes(prediction: &Prediction) -> Option<String> {
    let decides = prediction.bounds.iter().find(|bound| Some(bound.kind) == prediction.decided_by);
    let mut free = decides?.leaves_out.iter().filter(|one| one.kind == FLUSH_TIME);
    let first = free.next()?;
    Some(match free.count() {
        0 => first.text.clone(),
        more => format!("{}, and so are those of {more} more", first.text),
    })
}

/// "w can write 300 MB/s, then r can read 500 MB/s: 400 MB/s on average at most; …".
fn in_turns(prediction: &Prediction, average: &str, system: System) -> String {
    let shares = &prediction.shares;
    let mut turns: BTreeMap<u32, Vec<&GroupShare>> = BTreeMap::new();
    for group in shares {
        turns.entry(group.turn).or_default().push(group);
    }
    let each: Vec<String> = turns.values().map(|groups| turn(groups, system)).collect();
    let each = each.join(", then ");
    match wanted::of(prediction) {
        Some(wanted) if wanted.reached => {
            let besides = wanted::besides(&prediction.bottlenecks);
            format!("{each}: all that is wanted; {}", full_or_nothing(&besides, system))
        }
        Some(_) => format!("{each}: less than is wanted; {}", reason(prediction, system)),
        None => {
            format!("{each}: {average} on average at most; {}", reason(prediction, system))
        }
    }
}

/// What the declarations of one turn get together.
fn turn(groups: &[&GroupShare], system: System) -> String {
    let sum = |of: fn(&GroupShare) -> f64| groups.iter().map(|group| of(group)).sum::<f64>();
    let does = does(sum(|g| g.read_bytes_per_sec), sum(|g| g.write_bytes_per_sec));
    let bytes = sum(|group| group.throughput_bytes_per_sec);
    let done = figure(bytes, sum(|group| group.operations_per_sec), system);
    format!("{} can {does} {done}", who(groups.iter().copied()))
}

fn full_or_nothing(besides: &[Binding], system: System) -> String {
    match besides.is_empty() {
        true => "no described component is full".to_owned(),
        false => binding(besides, system),
    }
}

fn who<'a>(shares: impl Iterator<Item = &'a GroupShare>) -> String {
    let names: Vec<String> = shares
        .map(|group| match group.streams {
            1 => group.name.clone(),
            streams => format!("{} ({streams} streams)", group.name),
        })
        .collect();
    words::list(&names)
}

fn does_all(prediction: &Prediction) -> &'static str {
    does(prediction.read_bytes_per_sec, prediction.write_bytes_per_sec)
}

fn does(read_bytes_per_sec: f64, write_bytes_per_sec: f64) -> &'static str {
    match (read_bytes_per_sec > 0.0, write_bytes_per_sec > 0.0) {
        (true, false) => "read",
        (false, true) => "write",
        _ => "read and write",
    }
}

/// What binds, and why that and nothing else.
fn reason(prediction: &Prediction, system: System) -> String {
    let Some(kind) = prediction.decided_by else {
        return "bottleneck not identified".to_owned();
    };
    let besides = wanted::besides(&prediction.bottlenecks);
    let (shortens, besides): (Vec<Binding>, Vec<Binding>) =
        besides.into_iter().partition(|binding| binding.shortens);
    let time = time_in(&shortens).filter(|_| prediction.shares.len() == 1);
    if besides.is_empty() {
        let what = match kind {
            BoundKind::ClosedLoop => {
                "limited by requests in flight; no component is full".to_owned()
            }
            BoundKind::Synchronised => {
                "limited by waiting for the slowest part; no component is full".to_owned()
            }
            BoundKind::FreeSplit | BoundKind::FixedSplit => {
                "no described component is the bottleneck".to_owned()
            }
        };
        return [Some(what), time].into_iter().flatten().collect::<Vec<_>>().join("; ");
    }
    let what = binding(&besides, system);
    let parts = [Some(what), time, freer(prediction, kind, system)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// "of a request's time 36.4 % is in h.d, 7.0 % in h cpus"; none where nothing takes much of it.
fn time_in(shortens: &[Binding]) -> Option<String> {
    // Reading and writing one component are shares of their own.
    let mut shares: Vec<(String, f64)> = Vec::new();
    for binding in shortens {
        let name = words::longer(&binding.limits);
        match shares.iter_mut().find(|(known, _)| *known == name) {
            Some((_, share)) => *share += binding.gain,
            None => shares.push((name, binding.gain)),
        }
    }
    let long = shares.iter().filter(|(_, share)| *share >= TIME_NAMED_SHARE);
    let each = long.zip(std::iter::once("is in").chain(std::iter::repeat("in")));
    let each =
        each.map(|((name, share), is_in)| format!("{} {is_in} {name}", words::percent(*share)));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("of a request's time {}", words::list(&each)))
}

/// "all 14 planars are full (1.332 GB/s read, given)", several as co-bottlenecks.
fn binding(bottlenecks: &[Binding], system: System) -> String {
    let (gives, rest): (Vec<Bound<'_>>, Vec<Bound<'_>>) =
        words::bound(bottlenecks).into_iter().partition(|one| one.gives);
    match (gives.is_empty(), rest.is_empty()) {
        (true, _) if rest.len() > 1 => {
            format!("{} together: raising only one gains nothing", full(&rest, system))
        }
        (true, _) => full(&rest, system),
        (false, true) => full(&gives, system),
        (false, false) => {
            let names: Vec<String> = rest.iter().map(|one| words::binder(one.class)).collect();
            let too = words::list(&names);
            let are = if is_one(&rest) { "is" } else { "are" };
            let gives = full(&gives, system);
            format!("{gives}; {too} {are} also full, but raising that alone gains nothing")
        }
    }
}

fn full(all: &[Bound<'_>], system: System) -> String {
    let is_held = all.iter().flat_map(|one| &one.limits).map(|limit| limit.tokens.is_some());
    let is_held: Vec<bool> = is_held.collect();
    let held = !is_held.contains(&false);
    let is_depth = all.iter().flat_map(|one| &one.limits).all(|limit| words::is_depth(limit));
    let flushes = all.iter().any(|one| words::is_flush(&one.class.limit));
    let ends = match (held, is_one(all)) {
        // Others that bind beside flushes do by how long they take.
        _ if flushes => "are the bottleneck",
        // Beside requests in flight a rate may bind by how long it takes, and not be full.
        _ if !held && is_held.contains(&true) && is_one(all) => "is the bottleneck",
        _ if !held && is_held.contains(&true) => "are the bottleneck",
        (true, true) if is_depth => "is latency-bound",
        (true, false) if is_depth => "are latency-bound",
        (true, true) => "is used up",
        (true, false) => "are used up",
        (false, true) => "is full",
        (false, false) => "are full",
    };
    if let [one] = all {
        return format!(
            "{} {ends} ({})",
            words::binder(one.class),
            words::rated(&one.limits, system)
        );
    }
    let each = all
        .iter()
        .map(|one| format!("{} ({})", words::binder(one.class), words::rated(&one.limits, system)));
    format!("{} {ends}", words::list(&each.collect::<Vec<_>>()))
}

fn is_one(all: &[Bound<'_>]) -> bool {
    matches!(all, [one] if one.class.count == 1)
}

/// What more freedom of the software would give.
fn freer(prediction: &Prediction, kind: BoundKind, system: System) -> Option<String> {
    let own = prediction.bounds.iter().find(|bound| bound.kind == kind)?;
    let before = prediction.bounds.iter().rfind(|bound| {
        bound.kind < kind
            && bound.throughput_bytes_per_sec
                > own.throughput_bytes_per_sec * (1.0 + FREER_BOUND_GAIN)
    })?;
    let most = figure(before.throughput_bytes_per_sec, before.operations_per_sec, system);
    let mut binding = prediction.bottlenecks.iter();
    let is_flushing = binding.any(|binding| words::is_flush(&binding.limits.limit));
    Some(match kind {
        BoundKind::FreeSplit => return None,
        BoundKind::FixedSplit => format!("shares not forced by stripes and policies: {most}"),
        BoundKind::ClosedLoop if is_flushing => {
            format!("with more requests in flight, and no flushes to wait for: {most}")
        }
        BoundKind::ClosedLoop => format!("with more requests in flight: {most}"),
        BoundKind::Synchronised => format!("without waiting for the slowest part: {most}"),
    })
}
