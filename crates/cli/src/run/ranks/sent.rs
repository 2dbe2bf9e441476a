//! Cases and studies as text, on their way to another rank.

use iopath_study::{Asked, Assignment, Case, Source, Study, parse, parse_asked};
use iopath_units::Bytes;
use serde::{Deserialize, Serialize};

/// A case, with what rank 0 has changed of it since its text was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CaseSent {
    pub text: String,
    pub passes: u32,
    /// Bytes of each target.
    pub sizes: Vec<Option<u64>>,
}

impl CaseSent {
    pub(super) fn of(case: &Case) -> Self {
        let sizes = case.targets.iter().map(|target| target.size.map(|size| size.0));
        Self { text: case.text.clone(), passes: case.workload.passes, sizes: sizes.collect() }
    }

    pub(super) fn read(&self) -> Result<Case, String> {
        let mut case = read_case(&self.text)?;
        case.workload.passes = self.passes;
        for (target, size) in case.targets.iter_mut().zip(&self.sizes) {
            target.size = size.map(Bytes);
        }
        Ok(case)
    }
}

/// A study with all that it was read from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StudySent {
    name: String,
    text: String,
    /// Names and texts.
    included: Vec<(String, String)>,
    sets: Vec<String>,
    cases: Option<Vec<String>>,
}

impl StudySent {
    pub(super) fn of(study: &Study) -> Self {
        let sources = study.sources();
        let included = sources.included.iter();
        Self {
            name: sources.source.name.clone(),
            text: sources.source.text.clone(),
            included: included.map(|one| (one.name.clone(), one.text.clone())).collect(),
            sets: sources.sets.to_vec(),
            cases: sources.cases.map(<[String]>::to_vec),
        }
    }

    /// None where this rank cannot read it: cases come with their own texts, too.
    pub(super) fn read(self) -> Option<Study> {
        let source = Source { name: self.name, text: self.text };
        let included = self.included.into_iter().map(|(name, text)| Source { name, text });
        let included: Vec<Source> = included.collect();
        let sets: Result<Vec<_>, _> = self.sets.iter().map(|set| Assignment::parse(set)).collect();
        let sets = sets.ok()?;
        let cases = self.cases.as_deref();
        // Rank 0 has looked at every case: of many that takes longer than a rank may be silent.
        parse_asked(&source, &included, Asked { sets: &sets, cases, is_template: true }).ok()
    }
}

/// A case from its own text.
pub(super) fn read_case(text: &str) -> Result<Case, String> {
    let source = Source { name: "the case".into(), text: text.to_owned() };
    let study = parse(&source, &[]).map_err(|mistakes| mistakes.to_string())?;
    let cases = study.cases().map_err(|mistakes| mistakes.to_string())?;
    cases.into_iter().next().ok_or_else(|| "it has no case".to_owned())
}
