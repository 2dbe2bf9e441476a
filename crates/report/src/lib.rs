//! Findings to text, HTML and JSON.
//!
//! A verdict in a sentence comes first, then one small table, then what a reader must know. Text
//! is returned, never printed, and knows nothing of terminals but a width; JSON carries every
//! finding unrounded. The format of JSON is described in `docs/findings.md`.

mod actions;
mod advice;
mod bad_blocks;
mod check;
mod comparison;
mod crash;
mod depths;
mod emulation;
mod explanation;
mod fastest;
pub mod html;
mod import;
mod intensity;
mod json;
mod ladder;
mod layers;
mod list;
mod live;
mod look;
mod numbers;
pub mod page;
mod path_text;
mod path_words;
mod prediction;
mod probe;
mod run;
mod show;
mod simulation;
mod table;
mod text;
mod tree;
mod validation;
mod verdict;
mod view;
mod watch;
mod words;
mod wrap;

pub use check::{CheckFinding, CheckReport, check_json, render_check};
pub use comparison::{comparison_json, render_comparison};
pub use crash::{CrashReport, crash_json, render_crash};
pub use emulation::{Alone, EmulatedCase, EmulatedEpoch, emulation_json, render_emulation};
pub use explanation::{explanation_json, render_explanation, render_paths};
pub use import::{ImportedFile, import_json, render_import};
pub use json::render_json;
pub use list::{ListedRun, list_json, render_list};
pub use live::{Device, Following, Place, Point, following_json, following_lines};
pub use look::{Color, Look};
pub use path_text::Drawn;
pub use prediction::{
    Carried, Detail, Lost, PredictedCase, Removal, Timing, prediction_json, render_prediction,
};
pub use probe::{PROBE_TITLE, Probed, probe_json, render_probe};
pub use run::{RunReport, TrialReport};
pub use show::{render_show, render_streams};
pub use simulation::{Seed, SimulatedCase, Simulation, render_simulation, simulation_json};
pub use text::render_text;
pub use tree::{NamedTree, render_trees, tree_json};
pub use validation::{render_sensitivity, render_validation, sensitivity_json, validation_json};
pub use verdict::verdict;
pub use view::{DescribedPath, RunFacts, RunView};
pub use watch::{Line, Mark, Stored, Watched, frame, watch_json};
pub use words::advice::AdviceText;
