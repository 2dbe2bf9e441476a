//! Emulated paths against the model, as `iopath emulate --run --json` tells.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;
use crate::workspace::Workspace;

/// A study whose cases are measured on their emulated paths.
pub(crate) struct Emulated {
    /// Its file in the folder `studies`.
    pub study: &'static str,
    /// What `--case` names, all of which must hold.
    pub cases: &'static [&'static str],
    /// The scale, as `--scale` and `--stretch` take it.
    pub scale: &'static [&'static str],
    /// Besides, each device alone.
    pub calibrated: bool,
    pub goals: &'static [(Figure, Option<Goal>)],
}

/// What is told of the cases.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Figure {
    /// How far each lies off the model.
    Off,
    /// How far streams that run one after the other lie off what the model says of each.
    Epochs,
    /// How far each device alone lies off its own rate.
    Alone,
    /// How long devices take to come up.
    BringUp,
    /// Jain's index of the shares of the streams.
    Jain,
    /// Throughput.
    Throughput,
}

/// The part of `iopath-emulated/2` that is read here.
#[derive(Deserialize)]
struct Output {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    case: String,
    devices: usize,
    off_percent: Option<f64>,
    measured_bytes_per_sec: Option<f64>,
    epochs: Vec<Epoch>,
    jain: Option<f64>,
    bring_up_ns: Option<f64>,
    alone: Option<Alone>,
}

#[derive(Deserialize)]
struct Epoch {
    off_percent: Option<f64>,
}

#[derive(Deserialize)]
struct Alone {
    least_share: f64,
    most_share: f64,
}

pub(crate) fn measure(emulated: &Emulated, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let (stdout, _) = stage.output(&words(emulated, stage, &place)?, &place)?;
    let Output { cases } = serde_json::from_slice(&stdout).with_context(|| {
        let said = fs::read_to_string(place.note()).unwrap_or_default();
        format!("iopath emulate prints no result: {said}")
    })?;
    for (figure, goal) in emulated.goals {
        let (name, values) = values(*figure, &cases);
        if !values.is_empty() {
            outcome.values.push(Value::new(name, values, *goal));
        }
    }
    outcome.notes.extend(cases.iter().map(note));
    Ok(())
}

fn words(emulated: &Emulated, stage: &Stage, place: &Place) -> Result<Vec<String>> {
    let study = Workspace::read()?.root.join("studies").join(emulated.study);
    let mut words = vec![stage.iopath.display().to_string(), "emulate".to_owned()];
    words.push(study.display().to_string());
    words.extend(["--run", "--json", "--no-progress"].map(str::to_owned));
    words.extend(emulated.scale.iter().map(|word| (*word).to_owned()));
    words.extend(emulated.cases.iter().flat_map(|case| ["--case".to_owned(), (*case).to_owned()]));
    if stage.is_smoke_test() {
        let short = format!("--time={} ms", stage.length.as_millis());
        // So slow that a busy machine serves it too.
        let slow = "--stretch=8".to_owned();
        words.extend([short, slow, "--warm-up=100 ms".to_owned(), "--passes=1".to_owned()]);
    } else {
        words.extend(emulated.calibrated.then(|| "--calibrate".to_owned()));
    }
    let store = place.note().with_extension("db").display().to_string();
    words.extend(["--store".to_owned(), store]);
    Ok(words)
}

fn values(figure: Figure, cases: &[Case]) -> (&'static str, Vec<f64>) {
    let of = |value: fn(&Case) -> Option<f64>| cases.iter().filter_map(value).collect();
    match figure {
        Figure::Off => ("% off the model", of(|case| case.off_percent.map(f64::abs))),
        Figure::Epochs => {
            let epochs = cases.iter().flat_map(|case| &case.epochs);
            let off = epochs.filter_map(|epoch| epoch.off_percent.map(f64::abs));
            ("% of a phase off the model", off.collect())
        }
        Figure::Alone => (
            "% off a device's own rate",
            of(|case| {
                let Alone { least_share, most_share } = case.alone.as_ref()?;
                Some(100.0 * (1.0 - least_share).abs().max((most_share - 1.0).abs()))
            }),
        ),
        Figure::BringUp => {
            ("ms to bring devices up", of(|case| case.bring_up_ns.map(|ns| ns * 1e-6)))
        }
        Figure::Jain => ("Jain's index", of(|case| case.jain)),
        Figure::Throughput => {
            ("MB/s", of(|case| case.measured_bytes_per_sec.map(|rate| rate * 1e-6)))
        }
    }
}

fn note(case: &Case) -> String {
    let rate = case.measured_bytes_per_sec.unwrap_or_default() * 1e-6;
    let off = case.off_percent.unwrap_or_default();
    let Case { case, devices, .. } = case;
    format!("{case}: {rate:.1} MB/s on {devices} devices, {off:+.2} % off the model")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_count_without_their_sign() {
        let text = r#"{"format": "iopath-emulated/2", "cases": [
            {"case": "a", "devices": 2, "off_percent": -3.0, "measured_bytes_per_sec": 1e6,
             "epochs": [{"off_percent": -2.0}, {"off_percent": 1.0}],
             "jain": null, "bring_up_ns": 2e6,
             "alone": {"devices": 2, "least_share": 0.97, "most_share": 1.01}}]}"#;
        let Output { cases } = serde_json::from_str(text).unwrap();
        assert_eq!(values(Figure::Off, &cases).1, [3.0]);
        assert!((values(Figure::Alone, &cases).1[0] - 3.0).abs() < 1e-9);
        assert_eq!(values(Figure::Epochs, &cases).1, [2.0, 1.0]);
        assert_eq!(values(Figure::BringUp, &cases).1, [2.0]);
        assert!(values(Figure::Jain, &cases).1.is_empty());
        assert_eq!(note(&cases[0]), "a: 1.0 MB/s on 2 devices, -3.00 % off the model");
    }
}
