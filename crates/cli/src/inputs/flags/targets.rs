//! Targets that options name: what is there is used as it is, what is not is a file to be made.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use iopath_machine::Root;
use iopath_units::Bytes;

use super::{Reading, quoted};
use crate::arguments::CaseOptions;
use crate::inputs::quick;

/// The blocks of a study that declare targets: devices as parts, the others as files.
pub(super) fn declared(targets: &[Target]) -> String {
    let (path, layout): (Vec<_>, Vec<_>) = targets.iter().partition(|target| target.is_device);
    let blocks = [("path", path), ("layout", layout)].into_iter();
    let blocks = blocks.filter(|(_, targets)| !targets.is_empty()).map(|(block, targets)| {
        let lines: String = targets.iter().map(|target| target.declaration()).collect();
        format!("{block} {{\n{lines}}}\n\n")
    });
    blocks.collect()
}

/// A target as the options name it.
pub(super) struct Target {
    name: String,
    pub path: String,
    is_device: bool,
    is_directory: bool,
    size: Option<String>,
}

impl Target {
    fn declaration(&self) -> String {
        let Self { name, path, .. } = self;
        let path = quoted(path);
        let size = self.size.as_ref().map_or_else(String::new, |size| format!(" size={size:?}"));
        match (self.is_device, self.is_directory) {
            (true, _) => format!("    part {name:?}{size}\n    bind from={name:?} to={path}\n"),
            (false, true) => format!("    file {name:?}{size} directory={path}\n"),
            (false, false) => {
                format!("    file {name:?}{size}\n    bind from={name:?} to={path}\n")
            }
        }
    }
}

/// How large a target is.
#[derive(Clone, Debug)]
pub(super) struct Size {
    /// By `--size`.
    pub given: Option<String>,
    /// Without it, where nothing is there yet; what is there is used in full.
    pub fresh: Option<Fresh>,
}

/// How large a file is made that is not there yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fresh {
    pub size: Bytes,
    /// So many files share the space.
    pub files: usize,
}

impl Fresh {
    /// Its size, or its share of the space in whole MiB.
    fn within(self, most: Bytes) -> Bytes {
        self.size.min(Bytes((most.0 / self.files.max(1) as u64) >> 20 << 20))
    }
}

impl Reading<'_> {
    /// What `--size` says.
    pub(super) fn size(&mut self) -> Option<String> {
        self.quantity::<Bytes>("--size", None)
    }

    /// Those of a case made from options.
    pub(super) fn targets(&mut self, options: &CaseOptions) -> Vec<Target> {
        let here = [PathBuf::from(".")];
        let paths = if options.target.is_empty() { &here[..] } else { &options.target };
        let size = Size { given: self.size(), fresh: None };
        let name = |index: usize| match paths.len() {
            1 => "target".to_owned(),
            _ => format!("target{index}"),
        };
        let paths = paths.iter().enumerate();
        paths.filter_map(|(index, path)| self.target(name(index), path, size.clone())).collect()
    }

    /// A target of this name.
    pub(super) fn target(&mut self, name: String, path: &Path, size: Size) -> Option<Target> {
        let Some(text) = path.to_str() else {
            self.mistakes.push(format!("--target: {} is not UTF-8", path.display()));
            return None;
        };
        let metadata = path.metadata().ok();
        let is_device = metadata.as_ref().is_some_and(|m| m.file_type().is_block_device());
        let is_directory = metadata.as_ref().is_some_and(std::fs::Metadata::is_dir);
        if !is_directory && !can_be_bound(text) {
            self.mistakes.push(format!(
                "--target: {path:?} has brackets, a comma or blanks at its ends, which a study \
                 takes for a list; make a link with another name to it"
            ));
            return None;
        }
        let size = match size {
            Size { given: Some(given), .. } => Some(given),
            Size { fresh, .. } if is_directory => self.scratch_size(path, fresh),
            Size { fresh, .. } if metadata.is_none() => fresh.map(|fresh| fresh.size.to_string()),
            Size { .. } => None,
        };
        Some(Target { name, path: text.to_owned(), is_device, is_directory, size })
    }

    /// A scratch file is as large as that of the quick study, or as large as it shall be where it
    /// fits into its share of that.
    fn scratch_size(&mut self, directory: &Path, fresh: Option<Fresh>) -> Option<String> {
        match quick::scratch_size(&Root::live(), directory) {
            Ok(most) => Some(fresh.map_or(most, |fresh| fresh.within(most)).to_string()),
            Err(problem) => {
                self.mistakes.push(problem.to_string());
                None
            }
        }
    }
}

/// Whether a `bind` can name this path: it takes lists, and cuts blanks at the ends.
fn can_be_bound(path: &str) -> bool {
    !path.contains(['[', ']', ',']) && path.trim() == path
}
