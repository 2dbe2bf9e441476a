//! Builds in words: the best, how sure that is, and why each count is what it is.

use iopath_advice::{Compared, Measure, usable};
use iopath_analysis::Prediction;
use iopath_analysis::demand::Load;
use iopath_analysis::prediction::Binding;
use iopath_units::System;

use super::counted;
use super::prediction::{self as words, list, percent};
use crate::numbers::{UNKNOWN, operations, rate, size};
use crate::view::sizing::{
    Because, Build, Chosen, More, Nearest, RecordedNeed, Simulated, Sizing, Totals, Why, name,
};
use crate::view::started;

/// The answer.
pub(crate) fn sentence(sizing: &Sizing, system: System) -> String {
    let Some(best) = sizing.builds.first() else { return none(sizing, system) };
    let survives = match sizing.survives.as_slice() {
        [] => String::new(),
        all => format!(", also after the loss of any {}", list(all)),
    };
    format!(
        "{}: {}{survives}; {} {}",
        chosen(&best.chosen),
        list(&best.offers.iter().map(offer).collect::<Vec<_>>()),
        least(sizing.least),
        cost(&best.totals, sizing.least),
    )
}

fn offer(offer: &Compared) -> String {
    let Compared { of, needed, offered, share, .. } = offer;
    format!("{of} {offered}, {} of {needed}", percent(*share))
}

/// Why there is no build.
fn none(sizing: &Sizing, system: System) -> String {
    let none = match (sizing.rest_costs_at_least, sizing.has_unjudged) {
        (Some(_), _) => format!("no build was found yet that carries {}", sizing.needs),
        (None, true) => format!("no build that could be judged carries {}", sizing.needs),
        (None, false) => format!("no build carries {}", sizing.needs),
    };
    let Some(nearest) = &sizing.nearest else {
        let why = match sizing.left_out.as_slice() {
            [] => "there is none to choose",
            [only] => only,
            [..] if sizing.rest_costs_at_least.is_some() => "none of those looked at can be built",
            [..] => "none can be built",
        };
        return format!("{none}: {why}");
    };
    let short = lacks(&nearest.short, &nearest.without);
    let simulated = if nearest.is_simulated { " in a simulation" } else { "" };
    let limited = match missing(nearest) {
        Some(op) => format!(", as no stream {op}s"),
        None => limited(&nearest.short, &nearest.case.prediction, system),
    };
    format!("{none}; the nearest is {} with {short}{simulated}{limited}", chosen(&nearest.chosen))
}

/// What is needed, and done by no stream; after a loss streams may have stopped.
fn missing(nearest: &Nearest) -> Option<&str> {
    let prediction = &nearest.case.prediction;
    let other = |one: &&Compared| match one.of.as_str() {
        "read" => prediction.write_bytes_per_sec,
        "write" => prediction.read_bytes_per_sec,
        _ => 0.0,
    };
    let is_missing = |one: &&Compared| one.offered_number == 0.0 && other(one) > 0.0;
    let missing = nearest.short.iter().find(is_missing).map(|one| one.of.as_str());
    missing.filter(|_| nearest.without.is_empty())
}

/// How far it is proved that nothing better does.
pub(crate) fn proof(sizing: &Sizing) -> String {
    let Sizing { combinations, asked, simulated, .. } = sizing;
    let besides = match simulated {
        0 => String::new(),
        count => format!(", {}", counted(*count as usize, "simulation")),
    };
    let asked = counted(*asked as usize, "prediction");
    let of = format!("{asked} for {}{besides}", counted(*combinations as usize, "build"));
    let judged = if sizing.has_unjudged { " of those that were judged" } else { "" };
    match sizing.rest_costs_at_least {
        Some(rest) => format!(
            "not finished after {of}: no other build with a {} below {} carries it (--most)",
            name(sizing.least),
            number(rest)
        ),
        None if sizing.builds.is_empty() => format!("no other{judged} can: {of}"),
        None if *simulated == 0 => {
            format!(
                "no other build{judged} does it for less in bounds, which are upper limits: {of}"
            )
        }
        None => format!("no other build{judged} does it for less: {of}"),
    }
}

/// The levels of a build: "adapters 4, drive fast".
pub(crate) fn chosen(all: &[Chosen]) -> String {
    let each = all.iter().map(|Chosen { factor, level }| format!("{factor} {level}"));
    each.collect::<Vec<_>>().join(", ")
}

fn least(measure: Measure) -> &'static str {
    match measure {
        Measure::Price => "lowest price",
        Measure::RackUnits => "fewest rack units",
        Measure::Watts => "least power",
        Measure::Parts => "fewest components",
    }
}

fn cost(totals: &Totals, measure: Measure) -> String {
    let of = |number: Option<f64>, unit: &str| {
        format!("{}{unit}", self::number(number.unwrap_or_default()))
    };
    match measure {
        Measure::Price => of(totals.price, ""),
        Measure::RackUnits => of(totals.rack_units, ""),
        Measure::Watts => of(totals.watts, " W"),
        Measure::Parts => number(totals.parts),
    }
}

/// A number with two decimals at most, thousands apart.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// What a predicted case holds.
pub(crate) fn capacity(prediction: &Prediction, system: System) -> String {
    usable(prediction).map_or(UNKNOWN.to_owned(), |bytes| size(bytes.0, system))
}

/// Which load is needed where it is that of a run, and how much of it the study has.
pub(crate) fn recorded(recorded: &RecordedNeed, system: System) -> Vec<String> {
    let RecordedNeed { run, times, demand, set } = recorded;
    let times = if *times == 1.0 { String::new() } else { format!("{} × ", number(*times)) };
    let has = match set.as_slice() {
        [] => "the study keeps its own mix and pattern".to_owned(),
        set => format!("set in the study: {}; the pattern is its own", set.join(", ")),
    };
    let first = format!("needed: {times}run {run}, {}; {has}", load(&demand.load, system));
    let more = demand.more_bytes.as_ref().map(|more| {
        format!(
            "not looked at: more bytes, {}; size for that hour with --need throughput=",
            load(more, system)
        )
    });
    std::iter::once(first).chain(more).collect()
}

/// The load of an hour, or of streams.
fn load(load: &Load, system: System) -> String {
    let requests = operations(load.operations_per_sec, system);
    let bytes = rate(load.bytes_per_sec, system);
    let reads = load.reads.map_or(String::new(), |reads| format!("{} reads, ", percent(reads)));
    let mean = size(load.request_bytes.round() as u64, system);
    let when = busiest(load);
    format!("{requests} and {bytes}{when}, {reads}{mean} a request")
}

/// Of which hour the figures are.
fn busiest(load: &Load) -> String {
    let Some(count) = load.intervals else { return String::new() };
    let hour = load.begins_unix_s.map_or(String::new(), |at| {
        format!(" from {} UTC", started(at.saturating_mul(1_000_000_000)))
    });
    format!(" (95th percentile of {count} intervals of the hour{hour})")
}

/// "7 months"; whole ones that have passed.
pub(crate) fn months(months: f64) -> String {
    match months.floor() {
        _ if months <= 0.0 => "full now".to_owned(),
        0.0 => "< 1 month".to_owned(),
        1.0 => "1 month".to_owned(),
        months => format!("{} months", number(months)),
    }
}

/// What a build offers of everything that is needed.
pub(crate) fn offers(build: &Build) -> String {
    let one = |offer: &Compared| format!("{} {}", offer.of, offer.offered);
    list(&build.offers.iter().map(one).collect::<Vec<_>>())
}

/// The first two that bind, and how many others do.
pub(crate) fn bottlenecks(prediction: &Prediction) -> String {
    let binder = |one: &Binding| words::binder(&one.limits);
    match words::decisive(&prediction.bottlenecks).as_slice() {
        [] => UNKNOWN.to_owned(),
        [only] => binder(only),
        [first, second] => format!("{} and {}", binder(first), binder(second)),
        [first, second, rest @ ..] => {
            format!("{}, {}, {} more", binder(first), binder(second), rest.len())
        }
    }
}

/// What one more of each count gives, and what it costs.
pub(crate) fn more(best: &Build, least: Measure) -> Vec<String> {
    let has_gain = |more: &&More| more.gain >= LEAST_GAIN;
    let (gains, others): (Vec<&More>, Vec<&More>) = best.more.iter().partition(has_gain);
    let line = |more: &&More| {
        let offers = list(&more.offers.iter().map(offer).collect::<Vec<_>>());
        format!("- {} {}: {offers}, for {}", more.factor, more.level, added(more.adds, least))
    };
    let named = |what: &str, factors: Vec<&str>| {
        (!factors.is_empty()).then(|| format!("- {what}: {}", factors.join(", ")))
    };
    let is_most = |factor: &&str| best.more.iter().all(|more| more.factor != *factor);
    let most = best.why.iter().map(|why| why.factor.as_str()).filter(is_most);
    let most = named("as many as can be chosen or built", most.collect());
    let none = others.iter().map(|more| more.factor.as_str()).collect();
    let lines = gains.iter().map(line).chain(named("no gain from one more", none)).chain(most);
    lines.filter(|_| !best.more.is_empty()).collect()
}

/// A gain below this is shown as none (chosen).
const LEAST_GAIN: f64 = 0.001;

/// Whether one more of some count alone carries more load; how much it holds is another thing.
pub(crate) fn has_gain(best: &Build) -> bool {
    let carries = |more: &Compared| {
        let before = best.offers.iter().find(|before| before.of == more.of);
        before.is_some_and(|before| more.share >= before.share * (1.0 + LEAST_GAIN))
    };
    let mut offers = best.more.iter().flat_map(|more| &more.offers);
    offers.any(|offer| !offer.is_held() && carries(offer))
}

/// How much more of what is least.
fn added(more: f64, measure: Measure) -> String {
    let of = |unit: &str| {
        let plural = if more == 1.0 { "" } else { "s" };
        format!("{} more {unit}{plural}", number(more))
    };
    match measure {
        Measure::Price => format!("a price {} higher", number(more)),
        Measure::RackUnits => of("rack unit"),
        Measure::Watts => format!("{} W more", number(more)),
        Measure::Parts => of("component"),
    }
}

/// Which counts are of each of something: "counts: adapters per h".
pub(crate) fn within(sizing: &Sizing) -> Option<String> {
    let mut each: Vec<(&str, Vec<String>)> = Vec::new();
    for one in &sizing.within {
        match each.iter_mut().find(|(name, _)| *name == one.each) {
            Some((_, factors)) => factors.push(one.factor.clone()),
            None => each.push((&one.each, vec![one.factor.clone()])),
        }
    }
    let texts: Vec<String> =
        each.iter().map(|(name, factors)| format!("{} per {name}", list(factors))).collect();
    (!texts.is_empty()).then(|| format!("counts: {}", texts.join(", ")))
}

/// What limits the load that is short; nothing where only room is.
fn limited(short: &[Compared], prediction: &Prediction, system: System) -> String {
    match words::nothing_left(prediction) {
        _ if !short.iter().any(|one| one.has_bottleneck) => String::new(),
        Some(why) => format!(", as {why}"),
        None => format!(", bottleneck {}", words::bottleneck(prediction, system)),
    }
}

/// What there is too little of, and what has failed then.
fn lacks(short: &[Compared], without: &[String]) -> String {
    let one = |short: &Compared| format!("{} {} of {}", short.of, short.offered, short.needed);
    let short = list(&short.iter().map(one).collect::<Vec<_>>());
    match without {
        [] => short,
        gone => format!("{short} without {}", list(gone)),
    }
}

/// Why a count is what it is.
pub(crate) fn why(why: &Why, system: System) -> String {
    let Why { factor, level, lower, because } = why;
    let Some(lower) = lower else { return format!("- {factor} {level}: the lowest") };
    let because = match because {
        Because::Simulated(simulated) => {
            return format!(
                "- {factor} {level}: with {lower}, {} in a simulation",
                self::simulated(simulated)
            );
        }
        Because::Lowest => "the lowest".to_owned(),
        Because::Does => "it does, too".to_owned(),
        Because::NotBuilt(text) => format!("cannot be built: {text}"),
        Because::Short { short, without, prediction } => {
            lacks(short, without) + &limited(short, prediction, system)
        }
    };
    format!("- {factor} {level}: with {lower} {because}")
}

/// How much of what is needed a simulation found.
pub(crate) fn simulated(simulated: &Simulated) -> String {
    format!("{} of what is needed", percent(simulated.share_of_need))
}

/// What is left of a build after each loss that it must survive.
pub(crate) fn losses(build: &Build) -> Vec<String> {
    let line = |survived: &crate::view::sizing::Survived| {
        format!(
            "- {}, the worst of {} ({} gone): {}",
            survived.loss,
            survived.of,
            list(&survived.without),
            list(&survived.offers.iter().map(offer).collect::<Vec<_>>()),
        )
    };
    build.survived.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [(0.0, "0"), (999.5, "999.5"), (1234567.891, "1,234,567.89")] {
            assert_eq!(number(value), text);
        }
    }
}
