//! What held each trial back and how one knows: evidence, what the limit carried, what the
//! described path should carry.

use iopath_analysis::limit::{Capacity, Cause, Evidence};
use iopath_analysis::thresholds::limits::RATING_EXCEEDED_RATIO;
use iopath_analysis::{RatePattern, SharedLimitHint};
use iopath_units::System;

use super::{SENTENCES, Shown};
use crate::document::{Block, Section, Table};
use crate::numbers::{operations, rate};
use crate::view::DescribedPath;
use crate::view::run::TrialReport;
use crate::words::evidence;
use crate::words::prediction::sentence;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let [trial] = shown.trials else { return of_several(shown) };
    let (title, limit) = (title(trial), &trial.findings.limit);
    let mut lines: Vec<String> = limit.evidence.iter().map(|one| line(one, shown.system)).collect();
    lines.extend(limit.capacity.map(|capacity| carried(capacity, shown.system)));
    let mut blocks: Vec<Block> = Block::lines(lines).into_iter().collect();
    blocks.extend(shared_limit(trial, shown));
    blocks.extend(paths(shown).map(Block::Lines));
    Section::of("limit", title, blocks)
}

/// "limit: device (vda), because".
fn title(trial: &TrialReport) -> String {
    match trial.findings.limit.cause {
        Cause::Unknown => "limit: not identified; what was examined".to_owned(),
        _ => format!("limit: {}, because", evidence::cause(&trial.findings.limit)),
    }
}

/// A line of evidence with the rule that it follows.
pub(super) fn line(one: &Evidence, system: System) -> String {
    format!("- {}  [{}]", evidence::sentence(one, system), one.law())
}

/// A line for trials that one thing held back, with the evidence of the first of them; every piece
/// of evidence where it is asked for.
fn of_several(shown: &Shown<'_>) -> Option<Section> {
    let mut groups: Vec<(String, Vec<&TrialReport>)> = Vec::new();
    for trial in shown.trials.iter().filter(|trial| !trial.findings.limit.evidence.is_empty()) {
        let cause = evidence::cause(&trial.findings.limit);
        match groups.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, trials)) => trials.push(trial),
            None => groups.push((cause, vec![trial])),
        }
    }
    let lines = groups.iter().take(SENTENCES).map(|(cause, trials)| {
        let limit = &trials[0].findings.limit;
        let word = if limit.cause == Cause::Unknown { "seen" } else { "because" };
        let texts = limit.evidence.iter().map(|line| evidence::sentence(line, shown.system));
        let texts = texts.collect::<Vec<_>>().join("; ");
        let more = match trials.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        format!("{}{more}: {cause}, {word}: {texts}", shown.label(trials[0]))
    });
    let mut blocks: Vec<Block> = Block::lines(lines.collect()).into_iter().collect();
    let all =
        Block::fold("evidence, trial by trial", Block::table(table(shown)).into_iter().collect());
    blocks.extend(all);
    blocks.extend(paths(shown).map(Block::Lines));
    Section::of("limit", "limit", blocks)
}

fn table(shown: &Shown<'_>) -> Table {
    let rows = shown.trials.iter().flat_map(|trial| {
        let evidence = trial.findings.limit.evidence.iter();
        evidence.map(move |line| (trial, line))
    });
    let rows: Vec<(&TrialReport, &Evidence)> = rows.collect();
    Table::of(&rows)
        .column("trial", |(trial, _)| shown.label(trial))
        .column("limit", |(trial, _)| evidence::cause(&trial.findings.limit))
        .column("evidence", |(_, line)| evidence::sentence(line, shown.system))
        .column("rule", |(_, line)| line.law().to_string())
        .done()
}

/// That a shared limit cannot be told from private ones, and how to find out.
fn shared_limit(trial: &TrialReport, shown: &Shown<'_>) -> Vec<Block> {
    let Some(SharedLimitHint { how, members, bytes_per_sec }) = &trial.shared_limit else {
        return Vec::new();
    };
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let of = |bytes: f64| rate(bytes, shown.system);
    let rates = members.iter().map(|member| member.bytes_per_sec);
    let [least, most] = [rates.clone().fold(f64::INFINITY, f64::min), rates.fold(0.0, f64::max)];
    let together = of(*bytes_per_sec);
    let what = match how {
        RatePattern::EqualRates => {
            format!("carry equal rates, {} to {}, {together} together", of(least), of(most))
        }
        RatePattern::SteadySum => format!("vary, but hardly together: {together}"),
    };
    let text = format!(
        "shared or not: {} {what}, and no rating explains it. One run cannot distinguish a \
         shared limit from separate ones; short read-only experiments can:",
        names.join(", ")
    );
    vec![Block::Lines(vec![text]), Block::Commands(vec![probe(shown.run.name())])]
}

/// The command that finds out which targets share a limit.
pub(crate) fn probe(run: &str) -> String {
    format!("iopath explain --probe {run}")
}

fn carried(capacity: Capacity, system: System) -> String {
    let bytes = capacity.bytes_per_sec.map(|bytes| rate(bytes, system));
    let requests = capacity.operations_per_sec.map(|requests| operations(requests, system));
    match (bytes, requests) {
        (Some(bytes), Some(requests)) => format!(
            "it carried {bytes} or {requests}: which of the two is limited takes a second size of \
             requests"
        ),
        (bytes, requests) => format!("it carried {}", bytes.or(requests).unwrap_or_default()),
    }
}

/// What the described paths should carry and how much of it was reached, once where it is the same
/// for all trials.
fn paths(shown: &Shown<'_>) -> Option<Vec<String>> {
    let said: Vec<(String, String)> = shown
        .paths()
        .map(|(trial, path)| (shown.label(trial), said_of_path(trial, path, shown.system)))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    let is_same = said.windows(2).all(|pair| pair[0].1 == pair[1].1);
    match said.first() {
        None => None,
        Some((_, all)) if is_same => Some(vec![all.clone()]),
        Some(_) => {
            let lines = said.iter().take(SENTENCES).map(|(label, said)| format!("{label}: {said}"));
            Some(lines.collect())
        }
    }
}

/// The bound of the described path, and how much of it was reached.
fn said_of_path(trial: &TrialReport, path: &DescribedPath, system: System) -> String {
    let unrated = unrated(&path.unrated);
    let Some(prediction) = &path.expected else {
        return match unrated.is_empty() {
            true => String::new(),
            false => format!(
                "the path as described: {unrated}, so its capacity is not known: `iopath profile` \
                 measures it"
            ),
        };
    };
    let share = path.reached(&trial.findings).map(share_reached);
    let besides = if unrated.is_empty() { String::new() } else { format!("; {unrated}") };
    format!(
        "the path as described: {}{}{besides}",
        share.unwrap_or_default(),
        sentence(prediction, system)
    )
}

/// How much of a bound was reached. More than the bound refutes the description of the path.
fn share_reached(share: f64) -> String {
    let refuted = match share >= RATING_EXCEEDED_RATIO {
        true => ", so a rating of the path is too low, or a cache served requests",
        false => "",
    };
    format!("{:.0} % of it was reached{refuted}; ", share * 100.0)
}

fn unrated(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} has no rating"),
        [first, rest @ ..] => format!("{first} and {} more have no rating", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::share_reached;

    #[test]
    fn more_than_a_path_can_carry_refutes_it() {
        assert_eq!(share_reached(0.98), "98 % of it was reached; ");
        // Sampling and a token bucket's credit.
        assert_eq!(share_reached(1.05), "105 % of it was reached; ");
        assert_eq!(
            share_reached(1.57),
            "157 % of it was reached, so a rating of the path is too low, or a cache served \
             requests; "
        );
    }
}
