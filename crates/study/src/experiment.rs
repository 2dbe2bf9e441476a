//! An experiment: its scene, what was set in it, its factors, and the cases that they multiply to.

use std::sync::Arc;

use crate::case::{Case, ChosenLevel, TargetKind};
use crate::declaration::{Declaration, Reader};
use crate::document::{Block, Document, Sections};
use crate::language::Role;
use crate::mistake::{CaseChoice, Collected, InCases, MistakeKind};
use crate::parts::Parts;
use crate::published::{Names, Published};
use crate::resolve::{Resolved, resolve};
use crate::scene::{Edit, Scene};
use crate::source::Span;
use crate::syntax::Node;
use crate::text;
use crate::typical;
use crate::vary::{Factor, Level, Varied, edits};

/// The most cases of one study.
pub(crate) const MOST_CASES: usize = 100_000;

/// The most declarations, instances and streams of all cases of an experiment together.
const MOST_PARTS: usize = 5_000_000;

/// The most declarations that all experiments of a file see together.
const MOST_DECLARATIONS: usize = 1_000_000;

/// Mistakes after which no further case is looked at.
const ENOUGH_MISTAKES: usize = 200;

/// What a property belongs to, what is easy to change first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Belongs {
    /// The load: what an application does.
    Load,
    /// A file system or another piece of software.
    FileSystem,
    /// A volume or a file of the layout, which must be made anew.
    Volume,
    /// A component of the path, or how components are connected.
    Path,
}

/// One experiment of a study.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its title; the study's where it stands without a block.
    pub title: String,
    /// Its factors, in the order of `vary`.
    pub factors: Vec<Factor>,
    /// What the source of the study states about it.
    pub published: Published,
    pub(crate) span: Span,
    pub(crate) scene: Scene,
    /// Whether it stands in a block of its own.
    pub(crate) is_block: bool,
    /// Whether it has a path of its own.
    pub(crate) own_path: bool,
    /// Whether it has a layout of its own.
    pub(crate) own_layout: bool,
    /// Assignments with an index that hold in every case.
    pub(crate) indexed: Vec<Edit>,
    /// Something could not be read: what is missing may be missing for that reason.
    incomplete: bool,
}

/// An experiment in which assignments can still be made.
pub(crate) struct Draft<'a> {
    pub experiment: Experiment,
    published: Option<&'a Node>,
    sets: Vec<&'a Node>,
}

/// Which cases of an experiment must be possible.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// None: there is no case of the names that were asked for.
    Nothing,
    /// The first or the last, of a template.
    Ends,
    /// Those with these names, where any can be asked for.
    Cases(Option<&'a [String]>),
}

impl<'a> Draft<'a> {
    /// All experiments of a document.
    pub(crate) fn all(document: &'a Document<'a>, reader: &mut Reader) -> Vec<Self> {
        if document.blocks.is_empty() {
            let span = Span::study(0, 0);
            let sections = (&document.shared, None);
            return vec![Self::new(&document.title, (sections, &document.parts), span, reader)];
        }
        let shared = &document.shared;
        let seen: usize = [&shared.path, &shared.layout].into_iter().flatten().map(Vec::len).sum();
        if document.blocks.len().saturating_mul(seen + shared.path_binds.len() + shared.binds.len())
            > MOST_DECLARATIONS
        {
            let message = "too many experiments with too many declarations";
            reader.collected.add(MistakeKind::Limit, document.blocks[0].span, message);
            return Vec::new();
        }
        let workload = shared.workload.as_ref().and_then(|all| all.first()).map(|row| row.span);
        let nodes = [shared.vary, shared.published].map(|node| node.map(|node| node.kind.span));
        for span in nodes.into_iter().chain([workload]).flatten() {
            let message = "this is outside the experiments";
            let hint = "move it into its experiment";
            reader.collected.hinted(MistakeKind::Misplaced, span, message, hint);
        }
        let draft = |block: &'a Block<'a>| {
            let sections = ((shared, Some(&block.sections)), &document.parts);
            Self::new(&block.title, sections, block.span, reader)
        };
        document.blocks.iter().map(draft).collect()
    }

    fn new(
        title: &str,
        ((shared, own), parts): (Both<'a>, &Arc<Parts>),
        span: Span,
        reader: &mut Reader,
    ) -> Self {
        let sections = own.unwrap_or(shared);
        let (mut roots, in_path) = roots(shared, own);
        typical::add_costs(&mut roots[..in_path]);
        let (lost, blind) = (reader.lost.clone(), reader.blind);
        let scene = Scene { roots, in_path, parts: parts.clone(), lost, blind };
        reader.unique(scene.roots.iter());
        match scene.workload() {
            None => {
                let message = "there is no workload";
                let hint = "add: workload { streams \"reader\" over=\"…\" block=\"…\" }";
                reader.collected.hinted(MistakeKind::Missing, span, message, hint);
            }
            Some(workload) if scene.with_role(Role::Streams).next().is_none() => {
                let message = "the workload has no streams";
                let hint = "add: streams \"reader\" over=\"…\" block=\"…\"";
                reader.collected.hinted(MistakeKind::Missing, workload.span, message, hint);
            }
            Some(_) => {}
        }
        let varied = sections.vary.map(|node| Varied::read(node, &scene, reader));
        let varied = varied.unwrap_or_default();
        let experiment = Experiment {
            title: title.to_owned(),
            factors: varied.factors,
            published: Published::default(),
            span,
            scene,
            is_block: own.is_some(),
            own_path: own.is_some_and(|own| own.path.is_some()),
            own_layout: own.is_some_and(|own| own.layout.is_some()),
            indexed: Vec::new(),
            incomplete: varied.incomplete || reader.blind || !reader.lost.is_empty(),
        };
        Self { experiment, published: sections.published, sets: sections.sets.clone() }
    }

    /// Makes an assignment that holds in every case.
    pub(crate) fn set(&mut self, edit: Edit) {
        if edit.path.path.is_indexed() {
            self.experiment.indexed.push(edit);
        } else {
            self.experiment.scene.apply(&edit);
        }
    }

    /// Makes its own assignments, reads figures, and checks every case.
    pub(crate) fn finish(mut self, wanted: Wanted<'_>, reader: &mut Reader) -> Experiment {
        for node in std::mem::take(&mut self.sets) {
            for edit in edits(node, &self.experiment.scene, reader) {
                self.experiment.check_free(&edit, &mut reader.collected);
                self.set(edit);
            }
        }
        let Self { mut experiment, published, .. } = self;
        if let Some(node) = published {
            let streams = experiment.scene.with_role(Role::Streams);
            let names = Names {
                factors: &experiment.factors,
                streams: streams.map(|row| row.name.as_str()).collect(),
                scene: &experiment.scene,
                incomplete: experiment.incomplete,
            };
            experiment.published = Published::read(node, &names, reader);
        }
        match wanted {
            Wanted::Nothing => {}
            Wanted::Ends => experiment.check_ends(&mut reader.collected),
            Wanted::Cases(names) => {
                // A level that no case has may be what a property is for.
                let found = experiment.unused();
                experiment.narrow(names.unwrap_or_default());
                experiment.check(found, names, &mut reader.collected);
            }
        }
        experiment
    }
}

/// What to do about too many cases, where they can be chosen.
pub(crate) fn fewer(names: Option<&[String]>) -> &'static str {
    names.map_or("", |_| "choose levels with --case FACTOR=LEVEL")
}

/// The sections of the file, and those of an experiment with a block.
type Both<'a> = (&'a Sections<'a>, Option<&'a Sections<'a>>);

/// The declarations that hold: an own path replaces path and layout, an own layout the layout.
/// Beside them how many are of the path.
fn roots(shared: &Sections<'_>, own: Option<&Sections<'_>>) -> (Vec<Declaration>, usize) {
    let path = own.and_then(|own| own.path.as_ref());
    let layout = own.and_then(|own| own.layout.as_ref());
    let layout = if path.is_some() { layout } else { layout.or(shared.layout.as_ref()) };
    let replaced = own.is_some_and(|own| own.path.is_some() || own.layout.is_some());
    let path = path.or(shared.path.as_ref());
    let mut roots: Vec<Declaration> =
        [path, layout].into_iter().flatten().flatten().cloned().collect();
    let of_these = |bind: &&Declaration| !replaced || names_all(bind, &roots);
    let of_path = shared.path_binds.iter().filter(|_| own.is_none_or(|own| own.path.is_none()));
    let mut binds: Vec<Declaration> =
        of_path.chain(&shared.binds).filter(of_these).cloned().collect();
    binds.extend(own.into_iter().flat_map(|own| own.path_binds.iter().chain(&own.binds)).cloned());
    roots.append(&mut binds);
    roots.extend(own.unwrap_or(shared).workload.iter().flatten().cloned());
    (roots, path.map_or(0, Vec::len))
}

fn names_all(bind: &Declaration, roots: &[Declaration]) -> bool {
    bind.bound_names().iter().all(|name| roots.iter().any(|root| root.name == *name))
}

impl Experiment {
    /// How many cases it has.
    #[must_use]
    pub fn case_count(&self) -> usize {
        let levels = self.factors.iter().map(|factor| factor.levels.len());
        levels.fold(1, usize::saturating_mul)
    }

    /// What is set for good cannot vary too.
    fn check_free(&self, edit: &Edit, collected: &mut Collected) {
        if let Some(factor) = self.factor_of(&edit.path.to_string()) {
            let message = format!("{} is varied by the factor \"{}\"", edit.path, factor.name);
            let hint = "set a property that does not vary, or remove the factor";
            collected.hinted(MistakeKind::Contradiction, edit.value.span, message, hint);
        }
    }

    /// What a path names a property of, by its first name; none where nothing has it.
    #[must_use]
    pub fn belongs_to(&self, path: &str) -> Option<Belongs> {
        let first = path.split(['.', '[']).next()?;
        let roots = self.scene.roots.iter();
        let at = roots.clone().position(|root| root.name == first);
        let role = at.map(|at| self.scene.roots[at].kind.role);
        match role {
            None if first == "workload" => Some(Belongs::Load),
            None => None,
            Some(Role::Streams | Role::Workload | Role::Failure) => Some(Belongs::Load),
            Some(Role::Software) => Some(Belongs::FileSystem),
            Some(Role::Target(TargetKind::File | TargetKind::Tree)) => Some(Belongs::Volume),
            Some(Role::Target(TargetKind::Device)) if at >= Some(self.scene.in_path) => {
                Some(Belongs::Volume)
            }
            Some(_) => Some(Belongs::Path),
        }
    }

    /// What the levels of a factor change; of several things the hardest to change.
    #[must_use]
    pub fn changed_by(&self, factor: &Factor) -> Option<Belongs> {
        let paths = factor.levels.iter().flat_map(Level::assigned);
        paths.filter_map(|path| self.belongs_to(&path)).max()
    }

    /// The factor that varies what a path names.
    pub(crate) fn factor_of(&self, path: &str) -> Option<&Factor> {
        let varies = |level: &Level| level.assigned().any(|assigned| assigned == path);
        self.factors.iter().find(|factor| factor.levels.iter().any(varies))
    }

    /// Whether a factor varies what a path names.
    pub(crate) fn varies(&self, path: &str) -> bool {
        self.factor_of(path).is_some()
    }

    /// What is stated and used by no case.
    fn unused(&self) -> Collected {
        let mut found = Collected::default();
        crate::unused::check(&self.scene, (&self.factors, &self.indexed), &mut found);
        found
    }

    /// Adds to what is found the mistakes of every case that is asked for.
    fn check(&self, mut found: Collected, names: Option<&[String]>, collected: &mut Collected) {
        let count = self.case_count();
        if count > MOST_CASES && self.is_meant_by(names.unwrap_or_default()) {
            let span = self.factors.last().map_or(self.span, |factor| factor.span);
            let message = format!("the factors multiply to {count} cases; at most {MOST_CASES}");
            return collected.hinted(MistakeKind::Limit, span, message, fewer(names));
        }
        if count <= MOST_CASES {
            self.check_cases(names, &mut found);
        }
        if self.incomplete {
            found.forgive_missing();
        }
        collected.append(found);
    }

    fn check_cases(&self, names: Option<&[String]>, found: &mut Collected) {
        let choice = if names.is_some() { CaseChoice::Names } else { CaseChoice::All };
        let mut in_cases = InCases::new(&self.factors);
        let mut parts = 0_usize;
        for index in self.asked(names.unwrap_or_default()) {
            let places = self.places(index);
            let levels = self.levels_at(&places);
            let mut wrong = Collected::default();
            let (scene, indexed) = self.at(&levels, &mut wrong);
            let resolved = resolve(&scene, &indexed, &mut wrong);
            parts += scene.roots.len() + resolved.map_or(0, |resolved| resolved.parts);
            if parts > MOST_PARTS {
                let message = format!("{} cases of this size are too many", self.case_count());
                found.hinted(MistakeKind::Limit, self.span, message, fewer(names));
                break;
            }
            in_cases.add(&places, wrong);
            if in_cases.len() > ENOUGH_MISTAKES {
                break;
            }
        }
        found.append(in_cases.into_collected(choice));
    }

    /// The first and the last case of a template: others may be impossible to build.
    fn check_ends(&self, collected: &mut Collected) {
        let mut found = self.unused();
        let wrong = |levels: &[&Level]| {
            let mut wrong = Collected::default();
            let (scene, indexed) = self.at(levels, &mut wrong);
            resolve(&scene, &indexed, &mut wrong);
            wrong
        };
        let first: Vec<&Level> = self.factors.iter().map(|factor| &factor.levels[0]).collect();
        let last = |factor: &'_ Factor| factor.levels.len() - 1;
        let last: Vec<&Level> =
            self.factors.iter().map(|factor| &factor.levels[last(factor)]).collect();
        let (first, last) = (wrong(&first), wrong(&last));
        if first.len() > 0 && last.len() > 0 {
            // The last may also have more than fits, which is no mistake of a template.
            found.append(first);
        }
        found.tidy();
        if self.incomplete {
            found.forgive_missing();
        }
        collected.append(found);
    }

    /// The levels of a case: the last factor goes through its levels fastest.
    pub(crate) fn levels(&self, index: usize) -> Vec<&Level> {
        self.levels_at(&self.places(index))
    }

    /// Their places in the factors.
    fn places(&self, mut index: usize) -> Vec<usize> {
        let mut places = Vec::with_capacity(self.factors.len());
        for factor in self.factors.iter().rev() {
            places.push(index % factor.levels.len());
            index /= factor.levels.len();
        }
        places.reverse();
        places
    }

    /// The levels at these places, one of each factor.
    pub(crate) fn levels_at(&self, places: &[usize]) -> Vec<&Level> {
        let factors = self.factors.iter().zip(places);
        factors.map(|(factor, place)| &factor.levels[*place]).collect()
    }

    /// The scene of a case, its parts merged in, and what is changed of its instances.
    pub(crate) fn at<'a>(
        &'a self,
        levels: &[&'a Level],
        collected: &mut Collected,
    ) -> (Scene, Vec<&'a Edit>) {
        let mut scene = self.scene.clone();
        let mut indexed: Vec<&Edit> = self.indexed.iter().collect();
        for edit in levels.iter().flat_map(|level| &level.edits) {
            if edit.path.path.is_indexed() {
                indexed.push(edit);
            } else {
                scene.apply(edit);
            }
        }
        scene.parts.clone().merge(&mut scene.roots, collected);
        // Instances may get processors by an assignment with an index.
        if !indexed.iter().any(|edit| edit.property.name == "cpus") {
            typical::drop_idle_costs(&mut scene.roots);
        }
        (scene, indexed)
    }

    /// What is stated where one level holds, or none does.
    pub(crate) fn text_with(&self, head: text::Head<'_>, level: Option<&Level>) -> String {
        let levels: Vec<&Level> = level.into_iter().collect();
        let (scene, indexed) = self.at(&levels, &mut Collected::default());
        text::case(head, self, (&scene, &indexed), &[])
    }

    /// The case of this index.
    pub(crate) fn case(&self, head: text::Head<'_>, index: usize) -> Result<Case, Collected> {
        self.case_with(head, &self.levels(index))
    }

    /// The case with these levels, one of each factor.
    pub(crate) fn case_with(
        &self,
        head: text::Head<'_>,
        levels: &[&Level],
    ) -> Result<Case, Collected> {
        let mut collected = Collected::default();
        let (scene, indexed) = self.at(levels, &mut collected);
        let resolved = resolve(&scene, &indexed, &mut collected).ok_or(collected)?;
        let text = text::case(head, self, (&scene, &indexed), levels);
        let streams = resolved.streams();
        let Resolved { system, targets, workload, failures, .. } = resolved;
        let levels = self.factors.iter().zip(levels).map(|(factor, level)| ChosenLevel {
            factor: factor.name.clone(),
            level: level.title().to_owned(),
        });
        Ok(Case {
            study: head.title.to_owned(),
            experiment: self.title.clone(),
            levels: levels.collect(),
            system,
            targets,
            workload,
            streams,
            failures,
            text,
        })
    }
}
