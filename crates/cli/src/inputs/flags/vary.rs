//! What is to be chosen of a case made from options: factors, by the properties that they vary.

use super::{PATTERN, Reading, Stream, is_sequential, quoted};
use crate::arguments::CaseOptions;

/// A property and what it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    pub varies: Varies,
    /// Values as a study has them.
    pub levels: Vec<String>,
}

/// What a factor varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Varies {
    Block,
    Depth,
    /// Streams on each target.
    Streams,
    Engine,
    /// This property of the kernel.
    Kernel(&'static str),
}

impl Varies {
    /// What the factor is called, and the property that it varies.
    fn names(&self) -> [String; 2] {
        let [name, property] = match self {
            Self::Block => ["block", "load.block"],
            Self::Depth => ["depth", "load.depth"],
            Self::Streams => ["streams", "load.count"],
            Self::Engine => ["engine", "workload.engine"],
            Self::Kernel(name) => return [(*name).to_owned(), format!("workload.{name}")],
        };
        [name, property].map(str::to_owned)
    }
}

impl Factor {
    /// Of words or sizes, which a study has in quotes.
    pub(crate) fn of_texts(varies: Varies, levels: &[impl AsRef<str>]) -> Self {
        Self { varies, levels: levels.iter().map(|level| quoted(level.as_ref())).collect() }
    }

    pub(crate) fn of_counts(varies: Varies, levels: &[u64]) -> Self {
        Self { varies, levels: levels.iter().map(u64::to_string).collect() }
    }
}

impl Stream {
    /// The same without what factors vary.
    pub(super) fn without(self, factors: &[Factor]) -> Self {
        let is_varied = |varies: Varies| factors.iter().any(|factor| factor.varies == varies);
        Self {
            block: self.block.filter(|_| !is_varied(Varies::Block)),
            depth: self.depth.filter(|_| !is_varied(Varies::Depth)),
            ..self
        }
    }
}

/// The block of a study that has these factors; nothing where there are none.
pub(super) fn declared(factors: &[Factor]) -> String {
    if factors.is_empty() {
        return String::new();
    }
    let lines = factors.iter().map(|factor| {
        let [name, property] = factor.varies.names();
        format!("    factor {name:?} of={property:?} {}\n", factor.levels.join(" "))
    });
    format!("vary {{\n{}}}\n", lines.collect::<String>())
}

/// A factor of streams is one of all of them, so they are one declaration.
pub(super) fn undivided(
    reading: &Reading<'_>,
    targets: usize,
    factors: &[Factor],
) -> Option<String> {
    let total: usize = reading.text("--streams")?.parse().ok()?;
    let is_divided = total.is_multiple_of(targets.max(1)) || total < targets;
    let is_needed = factors.iter().any(|one| matches!(one.varies, Varies::Block | Varies::Depth));
    (is_needed && !is_divided).then(|| {
        format!(
            "--streams: {total} streams for {targets} targets; what is chosen is the same for \
             all, so each needs as many: use a multiple of {targets}"
        )
    })
}

/// Whether the pattern of a case made from options goes from place to place in order.
pub(crate) fn has_sequential_pattern(options: &CaseOptions) -> bool {
    let pattern = options.pattern.as_deref().unwrap_or(PATTERN);
    is_sequential(pattern.split(',').next().unwrap_or_default())
}
