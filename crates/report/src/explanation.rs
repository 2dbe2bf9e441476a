//! What holds each trial of a run back, and how one knows: the limit with a line for each piece of
//! evidence, how fairly streams shared, what the described path should carry, advice, the laws
//! that the record keeps, and what trials of several depths say together. As text and as JSON,
//! `iopath-explanation/1`.

use iopath_analysis::alike::Likeness;
use iopath_analysis::limit::{Capacity, Cause, Evidence, Limiting};
use iopath_analysis::{Alike, Findings};
use serde_json::{Value, json};

use crate::advice;
use crate::json::{audit_json, balance_json, case_text, depths_json, layers_json, with_evidence};
use crate::look::{Look, Tone};
use crate::numbers::{operations, rate};
use crate::prediction::sentence;
use crate::run::TrialReport;
use crate::text::SENTENCES;
use crate::verdict::verdict;
use crate::view::{DescribedPath, RunView};
use crate::words::{self, evidence};
use crate::wrap::wrap;

/// All trials, one after the other.
#[must_use]
pub fn render_explanation(view: &RunView, look: &Look) -> String {
    let run = name(view);
    if view.report.trials.is_empty() {
        return format!("run {run}: no pass was finished, so there is nothing to explain\n");
    }
    let each = view.trials().map(|(trial, path)| explanation(run, trial, path, look));
    let depths = crate::depths::text(&view.report.trials, look);
    let parts = each.chain(Some(depths).filter(|text| !text.is_empty()));
    format!("{}\n", parts.collect::<Vec<_>>().join("\n\n\n"))
}

/// The run in a command that is shown.
fn name(view: &RunView) -> &str {
    view.facts.id.as_deref().unwrap_or("RUN")
}

fn explanation(run: &str, trial: &TrialReport, path: &DescribedPath, look: &Look) -> String {
    let findings = &trial.findings;
    let sentence = wrap(&verdict(trial, look.system), 0, look.width);
    let parts = [
        look.paint(Tone::Verdict, &sentence),
        limit(&findings.limit, look),
        alike(run, trial, look),
        layers(trial, look),
        fairness(findings, look),
        wrap(&said_of_path(trial, path, look), 0, look.width),
        advice::lines(&words::advice::texts(findings.advice.iter()), look),
        audit(findings, look),
    ];
    let shown: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    shown.join("\n\n")
}

fn limit(limit: &Limiting, look: &Look) -> String {
    let mut lines = vec![match (&limit.cause, &limit.entity) {
        (Cause::Unknown, _) => "limit: not known; what was looked at".to_owned(),
        (cause, Some(entity)) => format!("limit: {} ({entity}), because", cause.name()),
        (cause, None) => format!("limit: {}, because", cause.name()),
    }];
    let line = |line: &Evidence| {
        let text = format!("- {}  [{}]", evidence::sentence(line, look.system), line.law());
        wrap(&text, 2, look.width)
    };
    lines.extend(limit.evidence.iter().map(line));
    lines.extend(limit.capacity.map(|capacity| wrap(&carried(capacity, look), 2, look.width)));
    lines.join("\n")
}

/// That a shared limit cannot be told from private ones, and who can.
fn alike(run: &str, trial: &TrialReport, look: &Look) -> String {
    let Some(Alike { how, members, bytes_per_sec }) = &trial.alike else {
        return String::new();
    };
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let of = |bytes: f64| rate(bytes, look.system);
    let rates = members.iter().map(|member| member.bytes_per_sec);
    let [least, most] = [rates.clone().fold(f64::INFINITY, f64::min), rates.fold(0.0, f64::max)];
    let together = of(*bytes_per_sec);
    let what = match how {
        Likeness::EqualRates => {
            format!("carry equal rates, {} to {}, {together} together", of(least), of(most))
        }
        Likeness::SteadySum => format!("vary, but hardly together: {together}"),
    };
    let text = format!(
        "shared or not: {} {what}, and no rating says why. One run cannot tell a limit that they \
         share from limits of their own; short experiments that only read can:",
        names.join(", ")
    );
    format!("{}\n  $ {}", wrap(&text, 0, look.width), command(run))
}

fn command(run: &str) -> String {
    format!("iopath explain --probe {run}")
}

fn carried(capacity: Capacity, look: &Look) -> String {
    let bytes = capacity.bytes_per_sec.map(|bytes| rate(bytes, look.system));
    let requests = capacity.operations_per_sec.map(|requests| operations(requests, look.system));
    match (bytes, requests) {
        (Some(bytes), Some(requests)) => format!(
            "it carried {bytes} or {requests}: which of the two is limited takes a second size of \
             requests"
        ),
        (bytes, requests) => format!("it carried {}", bytes.or(requests).unwrap_or_default()),
    }
}

/// What each layer moved; nothing where only one was counted.
fn layers(trial: &TrialReport, look: &Look) -> String {
    match trial.layers.tiers.len() {
        0 | 1 => String::new(),
        _ => crate::layers::of_trial(trial, look),
    }
}

/// Of several streams, how alike they fared.
fn fairness(findings: &Findings, look: &Look) -> String {
    let (Some(jain), Some(least), Some(most)) =
        (findings.jain, &findings.min_stream, &findings.max_stream)
    else {
        return String::new();
    };
    if findings.streams.len() < 2 {
        return String::new();
    }
    let of = |rate_of: f64| rate(rate_of, look.system);
    let [low, high] = [least, most].map(|stream| of(stream.throughput_bytes_per_sec));
    let who = match low == high {
        true => format!("each got {low}"),
        false => format!("{} got {low}, {} got {high}", least.name, most.name),
    };
    let count = findings.streams.len();
    let text = format!("fairness: Jain's index {jain:.3} over {count} streams; {who}");
    wrap(&text, 0, look.width)
}

/// What the paths of a run should carry and how much of it was reached, a line for each trial;
/// nothing where none is described.
#[must_use]
pub fn render_paths(view: &RunView, look: &Look) -> String {
    let said: Vec<(String, String)> = view
        .trials()
        .map(|(trial, path)| (trial.label(), said_of_path(trial, path, look)))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    let is_same = said.windows(2).all(|pair| pair[0].1 == pair[1].1);
    match said.first() {
        Some((_, all)) if is_same => wrap(all, 0, look.width),
        _ => {
            let line = |(label, said): &(String, String)| format!("{label}: {said}");
            let lines = said.iter().take(SENTENCES).map(|one| wrap(&line(one), 2, look.width));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

/// The bound of the described path beside the figure.
fn said_of_path(trial: &TrialReport, path: &DescribedPath, look: &Look) -> String {
    let unrated = unrated(&path.unrated);
    let Some(prediction) = &path.expected else {
        return match unrated.is_empty() {
            true => String::new(),
            false => format!("the path as described: {unrated}, so what it can carry is not known"),
        };
    };
    let share = path.reached(&trial.findings);
    let share = share.map(|share| format!("{:.0} % of it was reached; ", share * 100.0));
    let besides = if unrated.is_empty() { String::new() } else { format!("; {unrated}") };
    format!(
        "the path as described: {}{}{besides}",
        share.unwrap_or_default(),
        sentence(prediction, look.system)
    )
}

/// What nobody rated, in words.
fn unrated(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} has no rating"),
        [first, rest @ ..] => format!("{first} and {} more have no rating", rest.len()),
    }
}

fn audit(findings: &Findings, look: &Look) -> String {
    let broken: Vec<_> = findings.audit.iter().filter(|law| !law.holds).collect();
    let all = findings.audit.len();
    if broken.is_empty() {
        return format!("audit: all {all} laws hold that a true record keeps");
    }
    let mut lines = vec![format!("audit: {} of {all} laws are broken", broken.len())];
    lines.extend(broken.iter().map(|law| {
        let said = words::audit::sentence(&law.law, look.system);
        let text = format!("- {}: {said} [{}]", law.entity, law.law.name());
        look.paint(Tone::Broken, &wrap(&text, 2, look.width))
    }));
    lines.join("\n")
}

/// The same as a value; keys and units are told in `docs/json.md`.
#[must_use]
pub fn explanation_json(view: &RunView) -> Value {
    let run = name(view);
    let each: Vec<Value> = view.trials().map(|(trial, path)| value(run, trial, path)).collect();
    let depths = depths_json(&view.report.trials);
    json!({ "format": "iopath-explanation/1", "run": run, "trials": each, "depths": depths })
}

fn value(run: &str, trial: &TrialReport, path: &DescribedPath) -> Value {
    let alike = trial.alike.as_ref().map(|Alike { how, members, bytes_per_sec }| {
        json!({
            "how": how,
            "members": members,
            "bytes_per_sec": bytes_per_sec,
            "command": command(run),
        })
    });
    let findings = &trial.findings;
    json!({
        "case": case_text(&trial.case),
        "technique": trial.technique.name(),
        "limit": with_evidence(&findings.limit, &findings.limit.evidence),
        "alike": alike,
        "layers": layers_json(&trial.layers),
        "balance": balance_json(&trial.balance),
        "advice": words::advice::texts(findings.advice.iter()),
        "jain": findings.jain,
        "min_stream": findings.min_stream,
        "max_stream": findings.max_stream,
        "expected": path.expected,
        "reached_of_expected": path.reached(findings),
        "unrated": path.unrated,
        "audit": audit_json(&findings.audit),
        "warnings": words::warnings::json(&findings.warnings),
    })
}
