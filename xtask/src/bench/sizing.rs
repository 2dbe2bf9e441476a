//! What `iopath size` costs where there are a million builds: wall time and predictions. Left out:
//! simulations, whose number does not follow from how many builds there are.

use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;
use crate::workspace::Workspace;

/// A template and what is searched for in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizing {
    /// Below `studies/templates`.
    pub template: &'static str,
    pub searches: &'static [Search],
    /// Of each search.
    pub most_sec: f64,
    pub most_predictions: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub need: &'static str,
    pub survive: Option<&'static str>,
}

/// The part of `iopath-size/2` that is read here.
#[derive(Deserialize)]
struct Output {
    asked: u64,
}

pub(crate) fn measure(sizing: Sizing, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let template = Workspace::read()?.root.join("studies/templates").join(sizing.template);
    let searches = if stage.is_smoke_test() { &sizing.searches[..1] } else { sizing.searches };
    for Search { need, survive } in searches {
        let mut words = vec![stage.iopath.display().to_string()];
        words.extend(["size", "--json", "--without-simulation", "--need", need].map(str::to_owned));
        words.extend(survive.iter().flat_map(|loss| ["--survive", loss]).map(str::to_owned));
        words.push(template.display().to_string());
        let (mut seconds, mut asked) = (Vec::new(), Vec::new());
        for _ in 0..stage.runs() {
            let begun = Instant::now();
            let (stdout, _) = stage.output(&words, &place)?;
            seconds.push(begun.elapsed().as_secs_f64());
            let output: Output =
                serde_json::from_slice(&stdout).context("iopath prints another JSON")?;
            asked.push(output.asked as f64);
        }
        let name = match survive {
            Some(loss) => format!("{need} surviving {loss}"),
            None => (*need).to_owned(),
        };
        let goal = Some(Goal::AtMost(sizing.most_sec));
        outcome.values.push(Value::new(format!("s for {name}"), seconds, goal));
        let most = Some(Goal::AtMost(sizing.most_predictions));
        outcome.values.push(Value::new(format!("predictions for {name}"), asked, most));
    }
    Ok(())
}
