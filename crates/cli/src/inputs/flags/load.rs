//! A load by name with the options that fit it: they say where its files lie, and how long and by
//! which means is measured.

use std::path::PathBuf;

use iopath_study::Study;

use super::targets::{Fresh, Size, Target, declared};
use super::{NONE, Reading};
use crate::arguments::CaseOptions;
use crate::exit_status::Problem;
use crate::loads::{self, File, Load};

/// A load with its files where the options want them.
pub(crate) struct Laid {
    pub text: String,
    /// What the options say of its workload, as assignments.
    pub sets: Vec<String>,
}

/// A load as the options want it; all mistakes are told together.
pub(crate) fn laid(name: &str, options: &CaseOptions, sets: &[String]) -> Result<Laid, Problem> {
    let load = loads::named(name)?;
    let study = load.study()?;
    let mut reading = Reading::of(options);
    reading.mistakes.extend(contradiction(load, options, &study));
    let targets = reading.files(load, options, &loads::files(&study)?);
    let properties = reading.properties(options, NONE);
    reading.end(sets)?;
    let sets = properties.iter().map(|(name, value)| format!("workload.{name}={value}"));
    Ok(Laid { text: load.with(&declared(&targets)), sets: sets.collect() })
}

/// Options that say what the load says itself.
fn contradiction(load: &Load, options: &CaseOptions, study: &Study) -> Option<String> {
    let given = super::given(options);
    let unfit: Vec<_> = given.into_iter().filter(|name| !loads::takes(name)).collect();
    let cases = study.cases().unwrap_or_default();
    let stream = cases.first().and_then(|case| case.streams.first())?;
    (!unfit.is_empty()).then(|| {
        format!(
            "--like {} sets its own I/O: leave out {}, or change it with --set {}.PROPERTY=VALUE",
            load.name,
            unfit.join(", "),
            stream.group
        )
    })
}

impl Reading<'_> {
    /// The files of a load where the options want them: scratch files in one directory, or each at
    /// a target.
    fn files(&mut self, load: &Load, options: &CaseOptions, files: &[File]) -> Vec<Target> {
        let here = [PathBuf::from(".")];
        let paths = if options.target.is_empty() { &here[..] } else { &options.target };
        let is_directory = paths.len() == 1 && paths[0].is_dir();
        if !is_directory && paths.len() != files.len() {
            let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
            self.mistakes.push(format!(
                "--target: {} has {} file{}, {}: name one directory for all, or a target for each \
                 in this order",
                load.name,
                files.len(),
                if files.len() == 1 { "" } else { "s" },
                names.join(" and ")
            ));
            return Vec::new();
        }
        let given = self.size();
        let target = |(file, path): (&File, &PathBuf)| {
            let fresh = Some(Fresh { size: file.size, files: files.len() });
            self.target(file.name.clone(), path, Size { given: given.clone(), fresh })
        };
        files.iter().zip(paths.iter().cycle()).filter_map(target).collect()
    }
}
