//! What predictions cost, as `iopath predict --json` tells: the worst of some runs against a fixed
//! goal. How long the program takes to start, to store and to print is not in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::large::{self, Large};
use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;
use crate::workspace::Workspace;

/// A prediction with its goal.
pub(crate) struct Prediction {
    pub of: Studies,
    /// Of all bounds of one case.
    pub most_ms: f64,
}

/// What is predicted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Studies {
    /// One that is written for this.
    Large(Large),
    /// Each study of the folder `studies` that describes a path.
    Shipped,
}

/// The part of `iopath-prediction/1` that is read here.
#[derive(Deserialize)]
struct Output {
    cases: Vec<serde::de::IgnoredAny>,
    timing: Timing,
}

/// Over all cases.
#[derive(Deserialize)]
struct Timing {
    parse_ns: f64,
    build_ns: f64,
    evaluate_ns: f64,
}

/// Of one run, in milliseconds; `build` and `evaluate` for one case.
struct Cost {
    parse: f64,
    build: f64,
    evaluate: f64,
    peak_bytes: f64,
}

pub(crate) fn measure(prediction: &Prediction, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let goal = Some(Goal::AtMost(prediction.most_ms));
    match prediction.of {
        Studies::Large(large) => {
            let file = place.file();
            fs::write(&file, large::study(large))?;
            let costs = costs(stage, &file, &place)?;
            let mut add = |figure, of: fn(&Cost) -> f64, goal| {
                let values = costs.iter().map(of).collect();
                outcome.values.push(Value::new(figure, values, goal));
            };
            add("ms to read the study", |cost| cost.parse, None);
            add("ms to build the network", |cost| cost.build, None);
            add("ms to find all bounds", |cost| cost.evaluate, goal);
            add("peak resident bytes", |cost| cost.peak_bytes, None);
        }
        Studies::Shipped => {
            for file in shipped()? {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let costs = costs(stage, &file, &place).with_context(|| name.to_string())?;
                let values = costs.iter().map(|cost| cost.evaluate).collect();
                let figure = format!("ms a case of {name}");
                outcome.values.push(Value::new(figure, values, goal));
            }
        }
    }
    Ok(())
}

/// The studies that come with the program, by name, but for those that describe no path.
pub(super) fn shipped() -> Result<Vec<PathBuf>> {
    let folder = Workspace::read()?.root.join("studies");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "kdl")
            && describes_a_path(&fs::read_to_string(&file)?)
        {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn describes_a_path(study: &str) -> bool {
    study.lines().any(|line| line.starts_with("path "))
}

fn costs(stage: &Stage, study: &Path, place: &Place) -> Result<Vec<Cost>> {
    (0..stage.runs()).map(|_| cost(stage, study, place)).collect()
}

fn cost(stage: &Stage, study: &Path, place: &Place) -> Result<Cost> {
    let words = ["predict", "--json", "--store"].map(str::to_owned);
    let mut words = [vec![stage.iopath.display().to_string()], words.to_vec()].concat();
    words.push(place.note().with_extension("db").display().to_string());
    words.push(study.display().to_string());
    let (stdout, cost) = stage.output(&words, place)?;
    read(&stdout, cost.peak_bytes)
}

fn read(stdout: &[u8], peak_bytes: f64) -> Result<Cost> {
    let Output { cases, timing } =
        serde_json::from_slice(stdout).context("iopath prints another JSON")?;
    let a_case = 1e-6 / cases.len().max(1) as f64;
    Ok(Cost {
        parse: timing.parse_ns * 1e-6,
        build: timing.build_ns * a_case,
        evaluate: timing.evaluate_ns * a_case,
        peak_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_one_case_in_milliseconds() {
        let text = r#"{"format": "iopath-prediction/1", "cases": [{"levels": {}}, {}],
            "timing": {"parse_ns": 1000000, "build_ns": 3000000, "evaluate_ns": 5000000}}"#;
        let cost = read(text.as_bytes(), 7.0).unwrap();
        assert_eq!([cost.parse, cost.build, cost.evaluate, cost.peak_bytes], [1.0, 1.5, 2.5, 7.0]);
    }

    #[test]
    fn a_study_with_a_path_of_its_own_or_another_s_describes_one() {
        assert!(describes_a_path("study \"x\"\npath {\n"));
        assert!(describes_a_path("path file=\"p690.kdl\"\n"));
        assert!(!describes_a_path("layout { file \"f\" path=\"x\" }\n"));
    }
}
