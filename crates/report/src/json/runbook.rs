//! The steps of a runbook, `iopath-runbook/1`.

use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::runbook as view;
use crate::words::evidence::cause_alone;
use crate::words::runbook::sentence;

#[derive(Serialize)]
struct Runbook<'a> {
    run: Option<&'a str>,
    title: &'a str,
    text: String,
    steps: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    title: &'a str,
    why: Option<&'a str>,
    needs: Option<&'a str>,
    tolerance: f64,
    outcome: &'static str,
    cases: Vec<Case<'a>>,
}

#[derive(Serialize)]
struct Case<'a> {
    levels: &'a str,
    bytes_per_sec: f64,
    expected_bytes_per_sec: Option<f64>,
    /// The step before it from which the expectation is; none where it is the bound of the path.
    like: Option<&'a str>,
    jain: Option<f64>,
    limit: &'static str,
}

/// A runbook of a run.
#[must_use]
pub fn runbook_json(run: Option<&str>, runbook: &view::Runbook) -> Value {
    let steps = runbook.steps.iter().map(step).collect();
    versioned(
        "iopath-runbook/1",
        &Runbook { run, title: &runbook.title, text: sentence(runbook), steps },
    )
}

fn step(found: &view::StepFound) -> Step<'_> {
    Step {
        title: &found.step.title,
        why: found.step.why.as_deref(),
        needs: found.step.needs.as_deref(),
        tolerance: found.step.tolerance.as_f64(),
        outcome: found.outcome.name(),
        cases: found.cases.iter().map(case).collect(),
    }
}

fn case(case: &view::StepCase) -> Case<'_> {
    Case {
        levels: &case.levels,
        bytes_per_sec: case.bytes_per_sec,
        expected_bytes_per_sec: case.expected.as_ref().map(|one| one.bytes_per_sec),
        like: case.expected.as_ref().and_then(|one| one.like.as_deref()),
        jain: case.jain,
        limit: cause_alone(case.limit.cause),
    }
}
