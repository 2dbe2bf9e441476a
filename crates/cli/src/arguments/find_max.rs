//! The arguments of the search for the highest load within a latency limit, of all techniques.

use clap::Args;
use iopath_analysis::find_max::{LatencyLimit, NoLatency};
use iopath_analysis::thresholds::find_max::PRECISION;
use iopath_units::{Ratio, UnitError};

use crate::exit_status::Problem;

/// How precise a search may be asked to be: chosen, 0.1 % to 50 %.
const PRECISIONS: std::ops::RangeInclusive<f64> = 0.001..=0.5;

/// Whether the highest load is searched for, and within what.
#[derive(Clone, Debug, Args)]
pub(crate) struct FindMaxOption {
    /// Find the highest load of each case within --latency: open loop, bisecting the rate
    #[arg(long, requires = "latency")]
    pub find_max: bool,
    /// Latency limit of --find-max: mean=30ms, or p50, p90, p95, p99, p99.9, max; a time alone is
    /// that of p99
    #[arg(long, value_name = "LIMIT", requires = "find_max")]
    pub latency: Option<String>,
    /// Stop --find-max when the highest load within the limit and the lowest beyond it are this
    /// close [default: 2%]
    #[arg(long, value_name = "SHARE", requires = "find_max")]
    pub precision: Option<String>,
}

/// What a search is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub limit: LatencyLimit,
    pub precision: f64,
}

impl FindMaxOption {
    /// What is asked for; none where nothing is to be found.
    pub(crate) fn sought(&self) -> Result<Option<Sought>, Problem> {
        let Some(latency) = self.latency.as_deref().filter(|_| self.find_max) else {
            return Ok(None);
        };
        let wrong = |error: NoLatency| Problem::mistake(format!("--latency: {error}"));
        Ok(Some(Sought { limit: latency.parse().map_err(wrong)?, precision: self.precision()? }))
    }

    fn precision(&self) -> Result<f64, Problem> {
        let Some(text) = &self.precision else { return Ok(PRECISION) };
        let wrong = |error: UnitError| Problem::mistake(format!("--precision: {error}"));
        let share = text.parse::<Ratio>().map_err(wrong)?.as_f64();
        if PRECISIONS.contains(&share) {
            return Ok(share);
        }
        Err(Problem::mistake(format!("--precision is 0.1% to 50%, not {text}")))
    }
}
