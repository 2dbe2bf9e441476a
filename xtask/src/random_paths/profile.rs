//! What `iopath profile` finds of an emulated path whose capacities it is not told.
//!
//! Only paths with one route to each LUN, as a profile reads a device for each. A component that
//! holds its LUNs back by a fifth must be found full, and what is found full be right within 5 %;
//! between, where it holds them back by less, both answers are right. Components that the same LUNs
//! cross are one: no experiment tells them apart.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::ask::Program;
use super::text::TOGETHER;
use super::truth::{Row, fill};
use super::world::{Group, World};
use crate::emulated::Up;

/// What large reads have in flight on a device.
const IN_FLIGHT: f64 = 8.0 * 1024.0 * 1024.0;

/// The longest pass that is worth it, in seconds, and the most devices.
const LONGEST: f64 = 3.0;
const MOST: u64 = 8;

/// How far a capacity may be off.
const OFF: f64 = 0.05;

/// Without it so much more passes: it must be found.
const HOLDS: f64 = 1.25;

/// What was found of one path.
pub(crate) struct Profiled {
    pub components: usize,
    pub experiments: u64,
    /// Of the components, those that were found full.
    pub full: usize,
    pub wrong: Vec<String>,
}

/// Components that the same LUNs cross.
struct Alike<'a> {
    rows: Vec<&'a Row>,
}

impl World {
    /// Seconds of a pass, so that requests take less than a quarter of it; none where that is long,
    /// or where a LUN has several routes.
    pub(crate) fn pass(&self) -> Option<f64> {
        let is_one = self.nodes == 1 && self.fabrics.len() < 2 && self.latency_ms == 0;
        if !is_one || self.luns() > MOST {
            return None;
        }
        let rows = self.rows();
        let response = |row: &Row| {
            let asked = asked(row);
            let count = asked.iter().filter(|is| **is).count() as f64;
            IN_FLIGHT * count / fill(&rows, &asked).iter().sum::<f64>()
        };
        let longest = rows.iter().map(response).fold(0.0, f64::max);
        Some((4.5 * longest).max(0.6)).filter(|pass| *pass <= LONGEST)
    }
}

/// Brings the path up, profiles it, takes it down.
pub(crate) fn profiled(program: &Program, study: &Path, world: &World) -> Result<Profiled> {
    let words = ["--case", TOGETHER, "--scale", "1:1", "--loops"];
    let mut up = Up::of(&program.iopath, &program.kept, study, &words)?;
    let each = world.groups();
    let each = each.iter().flat_map(Group::each).map(|name| up.device(&name));
    let devices = each.collect::<Result<Vec<String>>>()?;
    let bare = program.kept.join("bare.kdl");
    std::fs::write(&bare, world.bare("Without capacities", &devices))?;
    let time = format!("{:.0} ms", 1000.0 * world.pass().unwrap_or(LONGEST));
    let bare = bare.to_string_lossy();
    let words = ["profile", &bare, "--quick", "--json", "--no-report", "--no-progress", "--fresh"];
    let found = program.json(&[&words[..], &["--time", &time]].concat())?;
    up.down()?;
    let rows = world.rows();
    let alike = alike(&rows);
    Ok(Profiled {
        components: rows.len(),
        full: rows.iter().filter(|row| is_full(&found, &row.name)).count(),
        experiments: found["experiments"].as_u64().unwrap_or_default(),
        wrong: alike.iter().filter_map(|one| one.wrong(&rows, &found)).collect(),
    })
}

fn asked(row: &Row) -> Vec<bool> {
    row.uses.iter().map(|use_| *use_ > 0.0).collect()
}

fn alike(rows: &[Row]) -> Vec<Alike<'_>> {
    let mut found: Vec<Alike<'_>> = Vec::new();
    for row in rows {
        match found.iter_mut().find(|one| one.rows[0].uses == row.uses) {
            Some(one) => one.rows.push(row),
            None => found.push(Alike { rows: vec![row] }),
        }
    }
    found
}

impl Alike<'_> {
    fn truth(&self) -> f64 {
        self.rows.iter().map(|row| row.rate).fold(f64::INFINITY, f64::min)
    }

    /// Whether the LUNs behind it get much less because of it.
    fn holds(&self, rows: &[Row]) -> bool {
        let asked = asked(self.rows[0]);
        let others = rows.iter().filter(|row| row.uses != self.rows[0].uses).cloned();
        let others: Vec<Row> = others.collect();
        let sum = |rows: &[Row]| fill(rows, &asked).iter().sum::<f64>();
        sum(&others) > HOLDS * sum(rows)
    }

    /// What is wrong about it.
    fn wrong(&self, rows: &[Row], found: &Value) -> Option<String> {
        let found: Vec<(&str, f64)> =
            self.rows.iter().filter_map(|row| state(found, &row.name)).collect();
        let full = found.iter().find(|(state, _)| *state == "full");
        let most = found.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let truth = self.truth();
        let name = &self.rows[0].name;
        let rates = |rate: f64| format!("{:.1} of {:.1} MB/s", rate / 1e6, truth / 1e6);
        match full {
            Some((_, rate)) if (rate / truth - 1.0).abs() > OFF => {
                Some(format!("{name} full at {}", rates(*rate)))
            }
            Some(_) => None,
            None if most > truth * (1.0 + OFF) => Some(format!("{name} carried {}", rates(most))),
            None if self.holds(rows) => Some(format!("{name} not found full: {}", rates(most))),
            None => None,
        }
    }
}

fn is_full(found: &Value, name: &str) -> bool {
    state(found, name).is_some_and(|(state, _)| state == "full")
}

/// State and rate of a component under large reads.
fn state<'a>(found: &'a Value, name: &str) -> Option<(&'a str, f64)> {
    let components = found["components"].as_array()?;
    let component = components.iter().find(|one| one["name"] == name)?;
    let carried = component["carried"].as_array()?;
    let one = carried.iter().find(|one| one["load"]["figure"] == "throughput")?;
    Some((one["state"].as_str()?, one["per_sec"].as_f64()?))
}
