//! Findings to text, HTML and JSON.
//!
//! A view of a run is made into a document, whose first section is the answer; text and page are
//! renderers of it. Text is returned, never printed, and knows nothing of terminals but a width;
//! JSON carries every finding unrounded. The format of JSON is described in `docs/findings.md`.

mod check;
pub mod compose;
mod crash;
pub mod document;
mod emulation;
mod fastest;
pub mod html;
mod import;
mod json;
mod list;
mod live;
mod look;
mod numbers;
mod prediction;
mod probe;
mod run;
mod sections;
mod simulation;
pub mod text;
mod tree;
mod view;
mod watch;
mod words;

pub use check::{CheckFinding, CheckReport};
pub use crash::CrashReport;
pub use emulation::{Alone, EmulatedCase, EmulatedEpoch};
pub use import::ImportedFile;
pub use json::{
    DevicePath, Timing, check_json, comparison_json, crash_json, emulation_json, error_json,
    explanation_json, following_json, import_json, list_json, plan_json, prediction_json,
    probe_json, render_json, sensitivity_json, simulation_json, standing_json, tree_json,
    validation_json, versioned, watch_json,
};
pub use list::ListedRun;
pub use live::{Device, Following, Place, Point, following_lines};
pub use look::{Color, Detail, Look, Tone};
pub use prediction::{Carried, Lost, PredictedCase, Removal};
pub use probe::{PROBE_TITLE, Probed};
pub use run::{Drawn, RunReport, TrialReport};
pub use simulation::{Seed, SimulatedCase, Simulation};
pub use tree::{NamedTree, render_trees};
pub use view::{DescribedPath, RunFacts, RunView};
pub use watch::{Line, Mark, Stored, Watched, frame};
pub use words::advice::AdviceText;
pub use words::verdict::verdict;
