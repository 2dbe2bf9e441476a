//! What is shown: values of what a command knows, a file a subject, without words. A run is
//! analysed once: its text, its JSON and its page are made of one view.

pub(crate) mod builds;
pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod compared;
pub(crate) mod crash;
pub(crate) mod emulation;
pub(crate) mod fastest;
pub(crate) mod following;
pub(crate) mod import;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod machine_placing;
pub(crate) mod placing;
pub(crate) mod prediction;
pub(crate) mod probe;
pub(crate) mod profile;
pub(crate) mod removal;
pub(crate) mod run;
pub(crate) mod runbook;
pub(crate) mod simulation;
pub(crate) mod sizing;
pub(crate) mod tree;
pub(crate) mod tuning;
pub(crate) mod watched;

use iopath_analysis::agreement::StudyAgreement;
use iopath_analysis::{Findings, NoFindings, Prediction};
use iopath_record::Record;
use jiff::Timestamp;
use serde::Serialize;

use crate::numbers::UNKNOWN;
use run::{Drawn, RunReport, TrialReport};
use runbook::Runbook;

/// A run with everything that is shown of it.
#[derive(Clone, Debug)]
pub struct RunView {
    /// What is known besides its records.
    pub facts: RunFacts,
    /// Its trials with their findings.
    pub report: RunReport,
    /// Its records: timelines are made from their counters.
    pub records: Vec<Record>,
    /// The path that each trial describes, in their order.
    pub paths: Vec<DescribedPath>,
    /// What its study publishes, compared with what was found; empty where it publishes nothing.
    pub agreements: Vec<StudyAgreement>,
    /// The steps of its study; none where it has none.
    pub runbook: Option<Runbook>,
    /// Of a profile the path with the capacities that it measured, full of large reads.
    pub measured_path: Option<Drawn>,
}

/// What is known of a run besides its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// Its number in the store; none where it is not stored.
    pub id: Option<String>,
    /// The command, as typed.
    pub command: String,
    /// Version of the program that made it.
    pub version: String,
    /// Name of the machine.
    pub host: String,
    /// Wall clock at its beginning, in ns since 1970.
    pub started_unix_ns: u64,
    /// How it stands where it did not end as it should, in words.
    pub state: Option<String>,
}

impl RunFacts {
    /// Of a stored run of which nothing but its records is shown.
    #[must_use]
    pub fn of_id(id: &impl ToString) -> Self {
        Self { id: Some(id.to_string()), ..Self::default() }
    }

    /// When it began (UTC).
    pub(crate) fn started(&self) -> String {
        started(self.started_unix_ns)
    }
}

/// An instant as lists show it (UTC).
pub(crate) fn started(unix_ns: u64) -> String {
    let at = Timestamp::from_nanosecond(i128::from(unix_ns));
    at.map_or_else(|_| UNKNOWN.to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// The path that the case of a trial describes; empty where it describes none, and of a model,
/// whose record needs no second model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DescribedPath {
    /// What is predicted for it; none where that is nothing.
    pub expected: Option<Prediction>,
    /// Its media without any rating, by name.
    pub unrated: Vec<String>,
}

impl DescribedPath {
    /// What a trial reached of what is predicted; none where that is nothing.
    pub(crate) fn reached(&self, findings: &Findings) -> Option<f64> {
        let bound = self.expected.as_ref()?.throughput_bytes_per_sec;
        (bound > 0.0).then(|| reached(findings) / bound)
    }
}

/// The rate that is compared with a bound.
pub(crate) fn reached(findings: &Findings) -> f64 {
    let deskewed = findings.deskewed_throughput_bytes_per_sec;
    deskewed.unwrap_or(findings.throughput_bytes_per_sec)
}

impl RunView {
    /// A run of which no path is described and nothing is published. It takes the records, so that
    /// they are not analysed a second time.
    ///
    /// # Errors
    /// Where records of one trial number belong to different cases.
    pub fn of(facts: RunFacts, records: Vec<Record>) -> Result<Self, NoFindings> {
        let report = RunReport::from_records(facts.id.clone(), &records)?;
        let paths = vec![DescribedPath::default(); report.trials.len()];
        let agreements = Vec::new();
        Ok(Self { facts, report, records, paths, agreements, runbook: None, measured_path: None })
    }

    /// The run in a command that is shown.
    pub(crate) fn name(&self) -> &str {
        self.facts.id.as_deref().unwrap_or("RUN")
    }

    /// Title of its study; empty where no pass completed.
    pub(crate) fn study(&self) -> &str {
        self.report.trials.first().map_or("", |trial| &trial.case.study)
    }

    /// Each trial with its path.
    pub(crate) fn trials(&self) -> impl Iterator<Item = (&TrialReport, &DescribedPath)> {
        self.report.trials.iter().zip(&self.paths)
    }
}
