//! The best setting of a study's factors, how it was found, and the way to it.

use iopath_advice::tuning::{Aim, Figures, Purpose};
use serde::Serialize;

use super::sizing::Chosen;

/// What a tuning came to.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// Title of the study.
    pub study: String,
    /// Title of the experiment.
    pub experiment: String,
    /// What tried the settings.
    pub technique: &'static str,
    /// What shall be best, within which limits.
    pub aim: Aim,
    /// A share by which a setting may be worse and still count as good.
    pub margin: f64,
    /// How many settings there are.
    pub combinations: u64,
    /// How many were tried.
    pub trials: u64,
    /// In how many passes.
    pub passes: u64,
    /// How many were simulated beforehand to know where to begin; none where none were.
    pub screened: Option<u64>,
    /// The run that has the records; none where they are not kept.
    pub run: Option<String>,
    /// Whether the best setting keeps every limit; else it is the one that comes nearest.
    pub keeps_limits: bool,
    /// Today's setting; none where it cannot be had.
    pub today: Option<TriedSetting>,
    /// The best setting.
    pub best: TriedSetting,
    /// By which share its value is higher than today's, with the 95 % interval; of a response time
    /// negative where it is shorter. None where both are the same, or too few passes are known.
    pub gain: Option<Gain>,
    /// Whether it is better than today's by more than chance, or keeps a limit that today's breaks.
    pub is_proven: bool,
    /// One factor after the other from today's setting to the best.
    pub changes: Vec<SettingChange>,
    /// Every factor with what each of its levels does where the others are as in the best.
    pub factors: Vec<TunedFactor>,
    /// All that were tried, in their order.
    pub tried: Vec<TriedSetting>,
    /// The file in which the best setting is a study, as a shell takes it.
    pub written: Option<String>,
}

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// Its mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A setting with what it came to.
#[derive(Clone, Debug, Serialize)]
pub struct TriedSetting {
    /// The level of each factor.
    pub levels: Vec<Chosen>,
    /// Why it was tried first.
    pub why: Purpose,
    /// Means over its passes.
    pub figures: Figures,
    /// How many there were.
    pub passes: u64,
    /// Whether it keeps every limit.
    pub keeps_limits: bool,
}

/// A factor with its levels.
#[derive(Clone, Debug, Serialize)]
pub struct TunedFactor {
    /// Its name.
    pub name: String,
    /// Its levels, in the order of the study.
    pub levels: Vec<LevelFigure>,
}

/// What a level does where the other factors are as in the best setting.
#[derive(Clone, Debug, Serialize)]
pub struct LevelFigure {
    /// The level.
    pub level: String,
    /// Whether it is today's.
    pub is_today: bool,
    /// Whether it is that of the best setting.
    pub is_best: bool,
    /// The value that shall be best: bytes or requests a second, or ns.
    pub value: f64,
    /// Where it was not tried: the least that is expected, a standard deviation below.
    pub low: Option<f64>,
    /// And the most.
    pub high: Option<f64>,
    /// How likely it keeps every limit; of what was tried 0 or 1.
    pub chance_to_keep: f64,
}

/// One factor that changes.
#[derive(Clone, Debug, Serialize)]
pub struct SettingChange {
    /// Its name.
    pub factor: String,
    /// Today's level.
    pub from: String,
    /// The best level.
    pub to: String,
    /// By which share the value that shall be best is higher after the change than before; of a
    /// response time negative where it is shorter.
    pub gain: f64,
    /// Whether both settings were tried; else it is expected.
    pub is_tried: bool,
    /// What must be changed for it.
    pub way: Way,
}

/// What must be changed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// What an application does.
    Load(Vec<Assigned>),
    /// A volume, which must be made anew.
    Volume(Vec<Assigned>),
    /// A setting of a file system or another piece of software.
    FileSystem(Vec<Assigned>),
    /// A part of the path.
    Path(Vec<Assigned>),
    /// Settings of this machine's kernel.
    Kernel(Vec<KernelSetting>),
}

/// A property with its value before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assigned {
    /// The property, as `--set` names it.
    pub path: String,
    /// Its value before; none where the level states several properties, or nothing.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
}

/// A setting of the kernel, by its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelSetting {
    /// The device or backing device that it is of.
    pub device: String,
    /// Its name in the kernel's folder: `read_ahead_kb`.
    pub name: String,
    /// The file.
    pub file: String,
    /// What it said before.
    pub before: String,
    /// What it shall say.
    pub after: String,
}

/// Why a setting was tried, in a word.
pub(crate) fn why(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Today => "today",
        Purpose::Spread => "spread",
        Purpose::Bound => "best by model",
        Purpose::Promising => "promising",
        Purpose::Sparing => "as good with less?",
        Purpose::Confirm => "confirmation",
    }
}
