//! A study: one file and the assignments beside it, every mistake found, ready to become cases.

use std::collections::BTreeSet;

use crate::assignment::Assignment;
use crate::case::Case;
use crate::declaration::Reader;
use crate::document::Document;
use crate::experiment::{Draft, Experiment, MOST_CASES, Wanted, fewer};
use crate::include::Library;
use crate::mistake::{Collected, Mistake, MistakeKind, Mistakes, Texts};
use crate::plan::{Order, Plan};
use crate::published::Sort;
use crate::sets::{Asked, in_any};
use crate::source::{Origin, Source, Sourced, Span, Text};
use crate::step::{self, Step};
use crate::syntax::{self, Node};
use crate::text::Head;
use crate::value::Value;
use crate::vary::{Level, edits};

/// A study without mistakes.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its title.
    pub title: String,
    /// Its experiments, in order; at least one.
    pub experiments: Vec<Experiment>,
    /// Its steps, in order; none where it is no runbook.
    pub steps: Vec<Step>,
    pub(crate) origin: Option<Sourced<Value>>,
    source: Source,
    included: Vec<Source>,
    sets: Vec<String>,
    cases: Option<Vec<String>>,
}

/// What a study was read from: reading it again gives the same one.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The study file.
    pub source: &'a Source,
    /// The files that it takes paths from, and those that these take from.
    pub included: &'a [Source],
    /// As `--set` gives them.
    pub sets: &'a [String],
    /// As in [`Asked`].
    pub cases: Option<&'a [String]>,
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
    parse_asked(source, included, Asked { sets, ..Asked::default() })
}

/// As [`parse_with`], for some of its cases: assignments hold where these are, all else stays as
/// the file says. Where there are none ([`Study::has_case`]) no case is looked at.
///
/// # Errors
/// As [`parse_with`].
pub fn parse_asked(
    source: &Source,
    included: &[Source],
    asked: Asked<'_>,
) -> Result<Study, Mistakes> {
    let mut reader = Reader::default();
    let nodes = syntax::read(&source.text, Text::Study, &mut reader.collected);
    let texts: Vec<String> = asked.sets.iter().map(|set| set.text.clone()).collect();
    let study = if nodes.is_empty() && reader.collected.len() > 0 {
        None
    } else {
        Some(read(&nodes, (source, included), asked, &mut reader))
    };
    reader.collected.into_result(Texts { source, included, sets: &texts })?;
    // A text that gives no nodes and no mistake has been read like any other.
    study.ok_or_else(|| Mistakes { list: Vec::new() })
}

fn read(
    nodes: &[Node],
    (source, included): (&Source, &[Source]),
    asked: Asked<'_>,
    reader: &mut Reader,
) -> Study {
    let document = Document::read(nodes, Library::new(source, included), reader);
    let mut drafts = Draft::all(&document, reader);
    asked.set(&mut drafts, reader);
    if !document.blocks.is_empty() {
        let mut drafts: Vec<&mut Draft<'_>> = drafts.iter_mut().collect();
        for node in &document.shared.sets {
            let make = |draft: &Draft<'_>, reader: &mut Reader| {
                edits(node, &draft.experiment.scene, reader)
            };
            let refused = in_any(&mut drafts, make, reader);
            reader.collected.append(refused.unwrap_or_default());
        }
    }
    let names = asked.cases.unwrap_or_default();
    let is_meant = |draft: &Draft<'_>| draft.experiment.is_meant_by(names);
    let wanted = match asked.is_template {
        true => Wanted::Ends,
        false if drafts.iter().any(is_meant) => Wanted::Cases(asked.cases),
        false => Wanted::Nothing,
    };
    let experiments: Vec<Experiment> =
        drafts.into_iter().map(|draft| draft.finish(wanted, reader)).collect();
    if let Wanted::Cases(_) = wanted {
        check_total(&experiments, asked.cases, &mut reader.collected);
    }
    check_inferred(nodes, &experiments, &mut reader.collected);
    let steps = step::read(&document, reader);
    let texts = asked.sets.iter().map(|set| set.text.clone()).collect();
    let Document { title, source: origin, .. } = document;
    Study {
        title,
        experiments,
        steps,
        origin,
        source: source.clone(),
        included: included.to_vec(),
        sets: texts,
        cases: asked.cases.map(<[String]>::to_vec),
    }
}

fn check_total(experiments: &[Experiment], names: Option<&[String]>, collected: &mut Collected) {
    let asked = names.unwrap_or_default();
    let is_single = |one: &Experiment| one.case_count() > MOST_CASES && one.is_meant_by(asked);
    if has_all(experiments) || experiments.iter().any(is_single) {
        return;
    }
    let total: usize = experiments.iter().map(|one| one.asked(asked).count()).sum();
    if total > MOST_CASES {
        let message = format!("the experiments have {total} cases; at most {MOST_CASES}");
        collected.hinted(MistakeKind::Limit, Span::study(0, 0), message, fewer(names));
    }
}

/// Whether experiments have no more cases than a study may.
fn has_all(experiments: &[Experiment]) -> bool {
    let counts = experiments.iter().map(Experiment::case_count);
    counts.fold(0, usize::saturating_add) <= MOST_CASES
}

/// A figure that something was inferred from comes out by itself. Of several with one title the
/// given one is meant.
fn check_inferred(nodes: &[Node], experiments: &[Experiment], collected: &mut Collected) {
    let figures = || experiments.iter().flat_map(|experiment| &experiment.published.figures);
    let titles = |is_given: bool| -> BTreeSet<&str> {
        let of_sort = figures().filter(|figure| (figure.sort == Sort::Given) == is_given);
        of_sort.filter_map(|figure| figure.title.as_deref()).collect()
    };
    let (given, mut titles) = (titles(true), titles(false));
    titles.retain(|title| !given.contains(title));
    let mut open: Vec<&Node> = nodes.iter().collect();
    while let Some(node) = open.pop() {
        open.extend(&node.children);
        let properties = node.properties.iter().map(|(_, entry)| entry);
        for entry in properties.chain(&node.arguments) {
            let Origin::Inferred(inference) = &entry.origin else { continue };
            let used = inference.figures.iter().filter(|title| titles.contains(title.as_str()));
            for title in used {
                let message =
                    format!("this is inferred from \"{title}\", which proves nothing then");
                let hint = "write given instead of check, identity or shape";
                collected.hinted(MistakeKind::Contradiction, entry.span, message, hint);
            }
        }
    }
}

impl Study {
    /// All cases, experiment by experiment, the last factor going through its levels fastest.
    ///
    /// # Errors
    /// None after [`parse`], which has looked at every case that was asked for. Of the others those
    /// that cannot be built are left out; where all would be too many, all others.
    pub fn cases(&self) -> Result<Vec<Case>, Mistakes> {
        match has_all(&self.experiments) {
            true => self.built(|experiment| (0..experiment.case_count()).collect()),
            false => self.asked_cases(),
        }
    }

    fn asked_cases(&self) -> Result<Vec<Case>, Mistakes> {
        let names = self.cases.as_deref().unwrap_or_default();
        self.built(|experiment| experiment.asked(names).collect())
    }

    /// Some cases of each experiment, by their indexes.
    fn built(&self, of: impl Fn(&Experiment) -> Vec<usize>) -> Result<Vec<Case>, Mistakes> {
        let head = Head { title: &self.title, source: self.origin.as_ref() };
        let names = self.cases.as_deref().unwrap_or_default();
        let mut cases = Vec::new();
        for experiment in &self.experiments {
            for index in of(experiment) {
                match experiment.case(head, index) {
                    Ok(case) => cases.push(case),
                    Err(_) if !experiment.is_case(&experiment.levels(index), names) => {}
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

    /// Whether every one of these names means some case.
    #[must_use]
    pub fn has_case(&self, names: &[String]) -> bool {
        self.experiments.iter().any(|experiment| experiment.is_meant_by(names))
    }

    /// The case of an experiment at these levels, by their places in its factors.
    ///
    /// # Errors
    /// What is wrong with it; of a template, why it cannot be built.
    pub fn case_at(&self, experiment: &Experiment, places: &[usize]) -> Result<Case, Mistakes> {
        let head = Head { title: &self.title, source: self.origin.as_ref() };
        match experiment.case_with(head, &experiment.levels_at(places)) {
            Ok(case) => Ok(case),
            Err(collected) => {
                collected.into_result(self.texts())?;
                Err(Mistakes { list: Vec::new() })
            }
        }
    }

    /// The case that has these names, the experiment's and each factor's level's, if there is one.
    #[must_use]
    pub fn case_of(&self, experiment: &str, levels: &[String]) -> Option<Case> {
        let experiment = self.experiments.iter().find(|one| one.title == experiment)?;
        if experiment.factors.len() != levels.len() {
            return None;
        }
        let chosen = experiment.factors.iter().zip(levels);
        let places: Option<Vec<usize>> = chosen
            .map(|(factor, title)| factor.levels.iter().position(|level| level.title() == title))
            .collect();
        self.case_at(experiment, &places?).ok()
    }

    /// What it was read from.
    #[must_use]
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            source: &self.source,
            included: &self.included,
            sets: &self.sets,
            cases: self.cases.as_deref(),
        }
    }

    /// Of each factor, the place of the level that is what the study states without it; none where
    /// no level is.
    #[must_use]
    pub fn stated_levels(&self, experiment: &Experiment) -> Vec<Option<usize>> {
        let head = Head { title: &self.title, source: self.origin.as_ref() };
        let stated = experiment.text_with(head, None);
        let is_stated = |level: &Level| experiment.text_with(head, Some(level)) == stated;
        experiment.factors.iter().map(|factor| factor.levels.iter().position(is_stated)).collect()
    }

    /// A remark about a place of this study, told like its mistakes: with line and excerpt.
    #[must_use]
    pub fn remark(&self, span: Span, message: &str, hint: Option<&str>) -> Mistake {
        self.texts().remark(span, message, hint)
    }

    fn texts(&self) -> Texts<'_> {
        Texts { source: &self.source, included: &self.included, sets: &self.sets }
    }

    /// What to do, in the order wanted: the cases that were asked for.
    ///
    /// # Errors
    /// Those of [`Study::cases`].
    pub fn plan(&self, order: Order) -> Result<Plan, Mistakes> {
        Ok(Plan::new(self.asked_cases()?, order))
    }
}
