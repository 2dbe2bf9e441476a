//! A study: one file and the assignments beside it, every mistake found, ready to become cases.

use crate::assignment::Assignment;
use crate::case::Case;
use crate::declaration::Reader;
use crate::document::Document;
use crate::experiment::{Draft, Experiment, MOST_CASES};
use crate::include::Library;
use crate::mistake::{Collected, Mistake, MistakeKind, Mistakes, Texts};
use crate::plan::{Order, Plan};
use crate::scene::Edit;
use crate::source::{Origin, Source, Sourced, Span, Text};
use crate::syntax::{self, Node};
use crate::text::Head;
use crate::value::Value;
use crate::vary::edits;

/// A study without mistakes.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its title.
    pub title: String,
    /// Its experiments, in order; at least one.
    pub experiments: Vec<Experiment>,
    pub(crate) origin: Option<Sourced<Value>>,
    source: Source,
    included: Vec<Source>,
    sets: Vec<String>,
}

/// Reads a study file with assignments beside it (`--set`); it takes no path from another file.
///
/// # Errors
/// All mistakes at once.
pub fn parse(source: &Source, sets: &[Assignment]) -> Result<Study, Mistakes> {
    parse_with(source, &[], sets)
}

/// Reads a study file with the files that it takes paths from: those that
/// [`includes`](crate::includes) names, and those that these name in turn, each once. Each has the
/// name that was given there.
///
/// # Errors
/// All mistakes at once; a file that is named and not there is one.
pub fn parse_with(
    source: &Source,
    included: &[Source],
    sets: &[Assignment],
) -> Result<Study, Mistakes> {
    let mut reader = Reader::default();
    let nodes = syntax::read(&source.text, Text::Study, &mut reader.collected);
    let texts: Vec<String> = sets.iter().map(|set| set.text.clone()).collect();
    let study = if nodes.is_empty() && reader.collected.len() > 0 {
        None
    } else {
        Some(read(&nodes, (source, included), sets, &mut reader))
    };
    reader.collected.into_result(Texts { source, included, sets: &texts })?;
    // A text that gives no nodes and no mistake has been read like any other.
    study.ok_or_else(|| Mistakes { list: Vec::new() })
}

fn read(
    nodes: &[Node],
    (source, included): (&Source, &[Source]),
    sets: &[Assignment],
    reader: &mut Reader,
) -> Study {
    let document = Document::read(nodes, Library::new(source, included), reader);
    let mut drafts = Draft::all(&document, reader);
    let mut set = Vec::new();
    for (index, assignment) in sets.iter().enumerate() {
        let span = assignment.path_span(index);
        let path = Sourced { value: assignment.path.clone(), origin: Origin::Unstated, span };
        let make = |draft: &Draft<'_>, reader: &mut Reader| -> Vec<Edit> {
            let entry = assignment.entry(index);
            draft.experiment.scene.edit(reader, &path, &entry).into_iter().collect()
        };
        set_in_any(&mut drafts, make, reader);
        set.push((assignment.path.to_string(), span));
    }
    if !document.blocks.is_empty() {
        for node in &document.shared.sets {
            let make = |draft: &Draft<'_>, reader: &mut Reader| {
                edits(node, &draft.experiment.scene, reader)
            };
            set_in_any(&mut drafts, make, reader);
        }
    }
    let mut experiments = Vec::new();
    for mut draft in drafts {
        let mut set = set.clone();
        for node in std::mem::take(&mut draft.sets) {
            for edit in edits(node, &draft.experiment.scene, reader) {
                set.push((edit.path.to_string(), edit.value.span));
                draft.set(edit);
            }
        }
        experiments.push(draft.finish(&set, reader));
    }
    check_total(&experiments, &mut reader.collected);
    let texts = sets.iter().map(|set| set.text.clone()).collect();
    let Document { title, source: origin, .. } = document;
    let (source, included) = (source.clone(), included.to_vec());
    Study { title, experiments, origin, source, included, sets: texts }
}

/// Makes assignments in each experiment that has what they name; one at least must have it.
fn set_in_any(
    drafts: &mut [Draft<'_>],
    make: impl Fn(&Draft<'_>, &mut Reader) -> Vec<Edit>,
    reader: &mut Reader,
) {
    let mut refused = None;
    let mut made = false;
    for draft in drafts {
        let mut trial = Reader::default();
        let edits = make(draft, &mut trial);
        if edits.is_empty() {
            refused.get_or_insert(trial.collected);
            continue;
        }
        made = true;
        reader.collected.append(trial.collected);
        for edit in edits {
            draft.set(edit);
        }
    }
    if let Some(refused) = refused.filter(|_| !made) {
        reader.collected.append(refused);
    }
}

fn check_total(experiments: &[Experiment], collected: &mut Collected) {
    let total = experiments.iter().map(Experiment::case_count).fold(0, usize::saturating_add);
    let single = experiments.iter().any(|experiment| experiment.case_count() > MOST_CASES);
    if total > MOST_CASES && !single {
        let message = format!("the experiments have {total} cases; at most {MOST_CASES}");
        collected.add(MistakeKind::Limit, Span::study(0, 0), message);
    }
}

impl Study {
    /// All cases, experiment by experiment, the last factor going through its levels fastest.
    ///
    /// # Errors
    /// None after [`parse`], which has looked at every case.
    pub fn cases(&self) -> Result<Vec<Case>, Mistakes> {
        let head = Head { title: &self.title, source: self.origin.as_ref() };
        let mut cases = Vec::new();
        for experiment in &self.experiments {
            for index in 0..experiment.case_count() {
                match experiment.case(head, index) {
                    Ok(case) => cases.push(case),
                    Err(collected) => {
                        collected.into_result(Texts {
                            source: &self.source,
                            included: &[],
                            sets: &self.sets,
                        })?;
                    }
                }
            }
        }
        Ok(cases)
    }

    /// A remark about a place of this study, told like its mistakes: with line and excerpt.
    #[must_use]
    pub fn remark(&self, span: Span, message: &str, hint: Option<&str>) -> Mistake {
        self.texts().remark(span, message, hint)
    }

    fn texts(&self) -> Texts<'_> {
        Texts { source: &self.source, included: &self.included, sets: &self.sets }
    }

    /// What to do, in the order wanted.
    ///
    /// # Errors
    /// Those of [`Study::cases`].
    pub fn plan(&self, order: Order) -> Result<Plan, Mistakes> {
        Ok(Plan::new(self.cases()?, order))
    }
}
