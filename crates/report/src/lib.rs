//! Findings to text, HTML and JSON.
//!
//! ```text
//! look, numbers, wrap   widths, units, lines that fit
//! view                  what is shown: plain values, a file a subject
//! document              sections of blocks, before anybody decides how they look
//! words                 closed enums and numbers to sentences, a file a subject
//! sections              a view to sections, a file a subject
//! compose               which sections make a document, and in which order
//! watch                 counters as the lines of one picture, live or stored
//! text, html, json      a document as text or page, a view as JSON
//! ```
//!
//! Each names only those above it (`xtask/src/tidy/layers.rs`). The first section of a document is
//! the answer. Text is returned, never printed, and knows nothing of terminals but a width; JSON
//! carries every finding unrounded. The format of JSON is described in `docs/findings.md`.

pub mod compose;
pub mod document;
pub mod html;
mod json;
mod look;
mod numbers;
mod sections;
mod spark;
pub mod text;
mod view;
mod watch;
mod words;
mod wrap;

pub use compose::day;
pub use document::AdviceText;
pub use json::{
    DevicePath, Timing, builds_json, check_json, comparison_json, crash_json, emulation_json,
    error_json, explanation_json, field_json, find_max_json, following_json, import_json,
    layout_json, list_json, machine_placing_json, placing_json, plan_json, prediction_json,
    probe_json, profile_json, render_json, runbook_json, sensitivity_json, simulation_json,
    sizing_json, standing_json, tree_json, tuning_json, validation_json, versioned, watch_json,
};
pub use look::{Color, Detail, Look, Tone};
pub use text::render_trees;
pub use view::builds::{ComparedBuild, OneLost};
pub use view::check::{CheckFinding, CheckReport};
pub use view::compared::ComparedRun;
pub use view::crash::CrashReport;
pub use view::emulation::{Alone, EmulatedCase, EmulatedEpoch, Lateness};
pub use view::following::{Device, Following, Place, Point};
pub use view::import::ImportedFile;
pub use view::layout::LayoutView;
pub use view::list::{ListedRun, RunColumn, RunOrder};
pub use view::machine_placing::{MachineMove, MachinePlacing, PlacedController, ServedShare};
pub use view::placing::{Effect, Move, MovedThing, Placeable, PlacedCount, Placing};
pub use view::prediction::PredictedCase;
pub use view::probe::{PROBE_TITLE, Probed, member_on};
pub use view::profile::{
    AloneProfile, ComponentProfile, Disturbed, Exceeded, HostCosts, LevelProfile, LoadCarried,
    PROFILE_TITLE, Profile, Widest, crossed_by, crossed_by_rereads, measured_together,
};
pub use view::removal::{Carried, Lost, Rebuild, Removal};
pub use view::run::{Drawn, RunReport, TrialReport};
pub use view::runbook::{Expected, Outcome, PlannedStep, Runbook, StepCase, StepFound};
pub use view::simulation::{Seed, SimulatedCase, Simulation};
pub use view::sizing::{
    Because, Build, Chosen, More, Nearest, PartCount, RecordedNeed, Response, Simulated, Sizing,
    Survived, Totals, Why, Within,
};
pub use view::tree::NamedTree;
pub use view::tuning::{
    Assigned, Gain, KernelSetting, LevelFigure, SettingChange, TriedSetting, Tuned, TunedFactor,
    Way,
};
pub use view::watched::{Stored, Watched};
pub use view::{DescribedPath, RunFacts, RunView};
pub use watch::{Extent, History, Line, Mark, following_lines, frame, picture};
pub use words::emulation::late as late_words;
pub use words::profile::load as load_words;
pub use words::verdict::verdict;
