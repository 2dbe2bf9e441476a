//! The table of paths, and how far models were off over all of them.

use std::fmt::Write;

use super::profile::Profiled;
use crate::errors::{self, off};

/// One path, judged.
pub(crate) struct Row {
    pub number: u64,
    pub layers: usize,
    pub luns: u64,
    pub nodes: u64,
    /// What limits it in truth.
    pub limit: String,
    pub measured: f64,
    pub bound: f64,
    pub simulated: f64,
    /// Percent that LUNs alone were off.
    pub alone: f64,
    pub is_named: bool,
    /// What was done with a disagreement.
    pub remark: String,
}

pub(crate) const HEAD: &str = "\
| path | layers | LUNs | nodes | limit | measured | bound | simulated | LUNs alone | named | \
remark |
|---|---|---|---|---|---|---|---|---|---|---|";

/// Of the table of profiles.
pub(crate) const PROFILED: &str = "\
| path | components | found full | experiments | capacities that are not the truth |
|---|---|---|---|---|";

pub(crate) fn profiled(number: u64, found: &Profiled) -> String {
    let Profiled { components, full, experiments, wrong } = found;
    let wrong = if wrong.is_empty() { "-".to_owned() } else { wrong.join("; ") };
    format!("| {number} | {components} | {full} | {experiments} | {wrong} |")
}

impl Row {
    pub(crate) fn bound_off(&self) -> f64 {
        off(self.bound, self.measured)
    }

    pub(crate) fn simulated_off(&self) -> f64 {
        off(self.simulated, self.measured)
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {:.1} MB/s | {:+.1} % | {:+.1} % | {:+.1} % | {} | {} |",
            self.number,
            self.layers,
            self.luns,
            self.nodes,
            self.limit,
            self.measured / 1e6,
            self.bound_off(),
            self.simulated_off(),
            self.alone,
            if self.is_named { "yes" } else { "no" },
            self.remark
        )
    }
}

/// The median and the 90th percentile of both models' errors, and how many limits were right.
pub(crate) fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    for (model, of) in
        [("bound", Row::bound_off as fn(&Row) -> f64), ("simulation", Row::simulated_off)]
    {
        let errors = errors::summary(rows.iter().map(of));
        let _ = writeln!(text, "errors of the {model}: {errors}");
    }
    let named = rows.iter().filter(|row| row.is_named).count();
    let share = 100.0 * named as f64 / rows.len().max(1) as f64;
    let _ = writeln!(text, "limits named rightly: {named} of {} ({share:.0} %)", rows.len());
    text
}
