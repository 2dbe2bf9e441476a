//! `profile`: does `iopath profile` find the capacities of the p690 study's path without them?
//!
//! The path stands live, smaller by a scale, as one block device for each array. The profile gets
//! its components without their rates. What the arrays and their caches can fill must be found
//! within 5 %, new data or re-reads; what they cannot fill must not be called full. By default one
//! drawer; `--case whole` is all seven, at a scale that two processors carry.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::stage::Stage;
use super::{Tally, verdict};
use crate::emulated::Up;
use crate::errors::off;

/// Percent that a capacity may be off.
const OFF: f64 = 5.0;

/// Longest that a profile may take.
const MOST: Duration = Duration::from_secs(3600);

/// What the study gives, in MB/s, by the end of a component's name without indices: what arrays and
/// caches fill.
const FILLED: [(&str, f64); 3] = [("planar", 1332.0), ("link1", 814.0), ("hba", 195.0)];
/// And what they cannot fill: three adapters carry less than a link, all planars than the host.
const NOT_FILLED: [&str; 6] = ["p690", "drawer", "link0", "phb1", "phb2", "phb3"];

const HEAD: &str = "\
| component | how many | given | found | met |
|---|---|---|---|---|";

struct Extent {
    drawers: u64,
    scale: u64,
    time: &'static str,
}

const DRAWER: Extent = Extent { drawers: 1, scale: 4, time: "2s" };
const WHOLE: Extent = Extent { drawers: 7, scale: 32, time: "8s" };

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let extent = match stage.options.case.as_deref() {
        None | Some("drawer") => DRAWER,
        Some("whole") => WHOLE,
        Some(other) => bail!("no such case: {other}; there are drawer and whole"),
    };
    let found = found(stage, &extent)?;
    println!("{HEAD}");
    let mut tally = Tally::default();
    for (kind, rates) in carried(&found)? {
        if let Some(is_met) = row(&kind, &rates, extent.scale) {
            tally.add(is_met);
        }
    }
    println!("\n{} experiments", found["experiments"]);
    Ok(tally)
}

/// The profile's JSON.
fn found(stage: &Stage, extent: &Extent) -> Result<Value> {
    let study = include_str!("../../../studies/p690.kdl");
    let folder = tempfile::tempdir()?;
    let (rated, bare) = (folder.path().join("rated.kdl"), folder.path().join("bare.kdl"));
    let path = path(study, extent)?;
    std::fs::write(&rated, format!("study \"rated\"\n{path}{LOAD}"))?;
    let scale = format!("1:{}", extent.scale);
    let words = ["--live", "--loops", "--scale", &scale];
    let mut up = Up::of(&stage.iopath, &folder.path().join("up"), &rated, &words)?;
    let text = without_rates(&path);
    let (text, _) = text.rsplit_once('}').context("the path has no end")?;
    let devices = luns(extent).map(|lun| up.device(&lun)).collect::<Result<Vec<String>>>()?;
    let (from, to) = (luns(extent).collect::<Vec<_>>().join(", "), devices.join(", "));
    let text = format!("study \"bare\"\n{text}    bind from={from:?} to={to:?}\n}}\n{LOAD}");
    std::fs::write(&bare, text)?;
    let store = folder.path().join("runs.db").display().to_string();
    let bare = bare.display().to_string();
    let words = ["profile", &bare, "--time", extent.time, "--store", &store, "--json"];
    let words = words.iter().chain(&["--no-report", "--no-progress"]);
    let said = stage.iopath(&words.map(|word| (*word).to_owned()).collect::<Vec<_>>(), MOST);
    up.down()?;
    let said = said?;
    stage.keep("profile.json", &said)?;
    serde_json::from_slice(&said).context("iopath profile prints no JSON")
}

const LOAD: &str =
    "workload { streams \"app\" over=\"fastt..lun\" op=\"read\" block=\"1 MiB\" depth=8 }\n";

/// Parts and path of the study, with so many drawers and what belongs to them.
fn path(study: &str, extent: &Extent) -> Result<String> {
    let from = study.find("\nparts {").context("the study has no parts")?;
    let to = study.find("\nlayout {").context("the study has no layout")?;
    let drawers = extent.drawers;
    let arrays = 8 * drawers;
    Ok(study[from..to]
        .replace("drawer count=7", &format!("drawer count={drawers}"))
        .replace("\"san\" count=7", &format!("\"san\" count={drawers}"))
        .replace("\"fastt\" count=56", &format!("\"fastt\" count={arrays}")))
}

/// The same without the rates that were measured.
fn without_rates(path: &str) -> String {
    let mut text = path.to_owned();
    for property in ["read", "write", "both"] {
        let begin = format!(" {property}=(given)\"");
        while let Some(from) = text.find(&begin) {
            let value = from + begin.len();
            let to = text[value..].find('"').map_or(text.len(), |end| value + end + 1);
            text.replace_range(from..to, "");
        }
    }
    text
}

fn luns(extent: &Extent) -> impl Iterator<Item = String> {
    (0..8 * extent.drawers)
        .flat_map(|array| (0..2).map(move |of| format!("fastt[{array}].controller[{of}].lun")))
}

/// What one component carried most of large reads.
struct Rate {
    mb_per_sec: f64,
    is_full: bool,
}

/// By the last part of a name, without its index.
fn carried(found: &Value) -> Result<BTreeMap<String, Vec<Rate>>> {
    let components = found["components"].as_array().context("the profile has no components")?;
    let mut all: BTreeMap<String, Vec<Rate>> = BTreeMap::new();
    for component in components {
        let name = component["name"].as_str().unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        let kind = last.split('[').next().unwrap_or_default().to_owned();
        let loads = component["carried"].as_array().into_iter().flatten();
        let large = loads.filter(|one| {
            ["throughput", "reread"].contains(&one["load"]["figure"].as_str().unwrap_or_default())
        });
        let mut rate = Rate { mb_per_sec: 0.0, is_full: false };
        for one in large {
            rate.mb_per_sec =
                rate.mb_per_sec.max(one["per_sec"].as_f64().unwrap_or_default() / 1e6);
            rate.is_full |= one["state"] == "full";
        }
        all.entry(kind).or_default().push(rate);
    }
    Ok(all)
}

/// Prints what was found of components of one kind, where something is known of them.
fn row(kind: &str, rates: &[Rate], scale: u64) -> Option<bool> {
    let given = FILLED.iter().find(|(name, _)| *name == kind).map(|(_, rate)| rate / scale as f64);
    if given.is_none() && !NOT_FILLED.contains(&kind) {
        return None;
    }
    let mut missed = Vec::new();
    let is_off = |rate: &&Rate| given.is_some_and(|given| off(rate.mb_per_sec, given).abs() > OFF);
    let wrong = rates.iter().filter(is_off).count();
    if wrong > 0 {
        missed.push(format!("{wrong} are more than {OFF} % off"));
    }
    if given.is_none() && rates.iter().any(|rate| rate.is_full) {
        missed.push("called full".to_owned());
    }
    let (least, most) = rates.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), rate| {
        (least.min(rate.mb_per_sec), most.max(rate.mb_per_sec))
    });
    let text = given.map_or("cannot be filled".to_owned(), |given| format!("{given:.2} MB/s"));
    println!(
        "| {kind} | {} | {text} | {least:.2} .. {most:.2} MB/s | {} |",
        rates.len(),
        verdict(&missed)
    );
    Some(missed.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_has_no_measured_rates() {
        let study = include_str!("../../../studies/p690.kdl");
        let path = path(study, &DRAWER).unwrap();
        let bare = without_rates(&path);
        assert!(path.contains("drawer count=1 {") && path.contains("read=(given)\"1332 MB/s\""));
        let rates = ["read=(given)", "write=(given)", "both=(given)"];
        assert!(rates.iter().all(|rate| !bare.contains(rate)), "{bare}");
        assert!(bare.contains("cache size=(given)"));
        assert_eq!(luns(&DRAWER).count(), 16);
    }

    #[test]
    fn a_rate_is_right_within_five_percent() {
        let rate = |mb_per_sec, is_full| Rate { mb_per_sec, is_full };
        assert_eq!(row("planar", &[rate(333.0, true), rate(340.0, true)], 4), Some(true));
        assert_eq!(row("planar", &[rate(333.0, true), rate(300.0, true)], 4), Some(false));
        assert_eq!(row("phb1", &[rate(146.0, false)], 4), Some(true));
        assert_eq!(row("phb1", &[rate(146.0, true)], 4), Some(false));
        assert_eq!(row("disk", &[rate(5.0, true)], 4), None);
    }
}
