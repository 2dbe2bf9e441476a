//! The parameters of a study: every limit and cost that its path and layout state, themselves or by
//! a part, with who says so, and each other quantity that is marked as assumed or inferred, such as
//! the size of a file or of requests. What a factor of any experiment varies is none: the study
//! chooses it, case by case, and an assignment beside it would contradict.

use std::collections::BTreeSet;

use crate::declaration::Declaration;
use crate::experiment::Experiment;
use crate::mistake::Collected;
use crate::source::{Origin, Sourced, Span};
use crate::study::Study;
use crate::typical;
use crate::value::Value;

/// A value that somebody had to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The path of the property, without an index: `p690.drawer.planar.read`. An assignment of it
    /// changes the value.
    pub path: String,
    /// The property: the last word of the path.
    pub property: &'static str,
    /// The value.
    pub value: Value,
    /// Who says so.
    pub origin: Origin,
    /// Where it is stated: in the study, in a file that it includes, or in the catalogue.
    pub span: Span,
    /// The experiment that states it in a path or layout of its own; `None` where the file does.
    pub experiment: Option<String>,
}

impl Parameter {
    /// Whether nobody stands behind the value.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.origin.is_assumed()
    }

    /// Whether it was derived from a published figure by a hypothesis.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        matches!(self.origin, Origin::Inferred(_))
    }
}

impl Study {
    /// Every limit and cost that is stated, and each quantity that is marked as assumed or
    /// inferred, in the order of experiments and declarations, none twice.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let varied = Varied::of(&self.experiments);
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for experiment in &self.experiments {
            let mut of = Of { varied: &varied, experiment, own: None, all: Vec::new() };
            of.roots();
            let new = |parameter: &Parameter| {
                let place = (parameter.path.clone(), parameter.span, parameter.experiment.clone());
                seen.insert(place)
            };
            all.extend(of.all.into_iter().filter(new));
        }
        all
    }
}

/// What levels set.
struct Varied {
    /// Declarations, by their places, and their properties.
    places: BTreeSet<(Span, &'static str)>,
    /// As written.
    paths: BTreeSet<String>,
}

impl Varied {
    fn of(experiments: &[Experiment]) -> Self {
        let mut varied = Self { places: BTreeSet::new(), paths: BTreeSet::new() };
        for experiment in experiments {
            let levels = experiment.factors.iter().flat_map(|factor| &factor.levels);
            for edit in levels.flat_map(|level| &level.edits) {
                let found = experiment.scene.find(&edit.path.path).unwrap_or_default();
                varied.places.extend(found.into_iter().map(|row| (row.span, edit.property.name)));
                varied.paths.insert(edit.path.to_string());
            }
        }
        varied
    }

    fn holds(&self, row: &Declaration, property: &'static str, path: &str) -> bool {
        self.places.contains(&(row.span, property)) || self.paths.contains(path)
    }
}

/// The parameters of one experiment.
struct Of<'a> {
    experiment: &'a Experiment,
    varied: &'a Varied,
    /// Title of the experiment, while its own declarations are gone through.
    own: Option<String>,
    all: Vec<Parameter>,
}

impl Of<'_> {
    fn roots(&mut self) {
        let Experiment { scene, title, own_path, own_layout, .. } = self.experiment;
        let mut merged = scene.roots.clone();
        // Mistakes were collected when the study was read.
        scene.parts.merge(&mut merged, &mut Collected::default());
        for (at, (root, merged)) in scene.roots.iter().zip(&merged).enumerate() {
            let own = if at < scene.in_path { *own_path } else { *own_layout };
            self.own = own.then(|| title.clone());
            self.row(root, merged, &root.name);
        }
    }

    /// A declaration as written and with its part, and what stands in it.
    fn row(&mut self, stated: &Declaration, merged: &Declaration, path: &str) {
        let by_part = !self.varied.holds(stated, "use", &format!("{path}.use"));
        let row = if by_part { merged } else { stated };
        for (&property, value) in &row.values {
            let path = format!("{path}.{property}");
            // What a link would carry decides nothing where what it carries is stated.
            let is_replaced = property == "link-rate"
                && ["read", "write"].iter().all(|way| row.values.contains_key(way));
            let counts = (row.kind.is_parameter(property) || is_unsettled(value))
                && !is_replaced
                && !row.name.is_empty()
                && !self.varied.holds(row, property, &path);
            if counts {
                self.all.push(Parameter {
                    path,
                    property,
                    value: value.value.clone(),
                    origin: value.origin.clone(),
                    span: value.span,
                    experiment: self.own.clone(),
                });
            }
        }
        let has_processors = typical::has_processors(merged);
        for (stated, merged) in stated.children.iter().zip(&merged.children) {
            if typical::is_added(stated) && !has_processors {
                continue;
            }
            self.row(stated, merged, &format!("{path}.{}", stated.name));
        }
    }
}

/// A quantity that is marked as assumed or inferred, whatever it is of.
fn is_unsettled(Sourced { value, origin, .. }: &Sourced<Value>) -> bool {
    let is_quantity = matches!(
        value,
        Value::Count(_)
            | Value::Size(_)
            | Value::Time(_)
            | Value::Rate(_)
            | Value::Share(_)
            | Value::Number(_)
    );
    is_quantity && matches!(origin, Origin::Assumed | Origin::Inferred(_))
}
