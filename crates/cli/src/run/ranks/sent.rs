//! Cases as text, on their way to another rank.

use iopath_study::{Case, Source, parse};
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

/// A case from its own text.
pub(super) fn read_case(text: &str) -> Result<Case, String> {
    let source = Source { name: "the case".into(), text: text.to_owned() };
    let study = parse(&source, &[]).map_err(|mistakes| mistakes.to_string())?;
    let cases = study.cases().map_err(|mistakes| mistakes.to_string())?;
    cases.into_iter().next().ok_or_else(|| "it has no case".to_owned())
}
