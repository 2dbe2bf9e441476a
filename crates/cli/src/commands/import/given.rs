//! What is to be imported, opened: an export is read line by line, texts of tools are read whole
//! and are bounded.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use iopath_store::EXPORT_FORMAT;

use super::nothing;
use crate::exit_status::{ExitStatus, Problem};

/// The most that texts of tools may have, all together. Reading needs up to 13 times as much memory
/// (iostat of 100 devices), and that must fit into 512 MiB. It is 27 minutes of that, at one report
/// a second.
const MOST_BYTES: u64 = 32 << 20;

/// How much is looked at to know an export by its first line, and what is no text by its zeros.
const HEAD_BYTES: u64 = 4096;

/// A file that is open, its beginning read.
pub(super) struct Given {
    name: String,
    head: Vec<u8>,
    rest: Box<dyn BufRead>,
}

/// A text of a tool.
pub(super) struct TextFile {
    pub name: String,
    pub text: String,
}

impl Given {
    /// Opens a file, a pipe, or stdin where it is called `-`.
    pub(super) fn open(path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        let opened = || -> io::Result<Self> {
            let mut rest: Box<dyn BufRead> = match path == Path::new("-") {
                true => Box::new(BufReader::new(io::stdin())),
                false => Box::new(BufReader::new(file(path)?)),
            };
            let mut head = Vec::new();
            rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
            Ok(Self { name: name.clone(), head, rest })
        };
        opened().map_err(|error| cannot(&name, &error))
    }

    /// By the first field of its header, of whichever version.
    pub(super) fn is_exported(&self) -> bool {
        let name = EXPORT_FORMAT.split('/').next().unwrap_or(EXPORT_FORMAT);
        self.head.starts_with(format!("{{\"format\":\"{name}/").as_bytes())
    }

    /// All of it, as it is read.
    pub(super) fn lines(&mut self) -> impl BufRead + '_ {
        Cursor::new(&self.head).chain(&mut self.rest)
    }

    fn text(mut self, left: u64) -> Result<TextFile, Problem> {
        let Self { name, head, .. } = &self;
        if head.contains(&0) {
            return Err(nothing(format!(
                "{name}: no text, it has zero bytes; name a tool's output"
            )));
        }
        let name = name.clone();
        let mut bytes = Vec::new();
        let read = self.lines().take(left + 1).read_to_end(&mut bytes);
        read.map_err(|error| cannot(&name, &error))?;
        if bytes.len() as u64 > left {
            let most = MOST_BYTES >> 20;
            let hint = "import a part of it, or reports of longer intervals";
            return Err(nothing(format!("{name}: more than {most} MiB of text; {hint}")));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let (whole, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let line = bytes[..whole].iter().filter(|byte| **byte == b'\n').count() + 1;
            nothing(format!("{name}:{line}: not UTF-8 text; convert it, with `iconv` for example"))
        })?;
        Ok(TextFile { name, text })
    }
}

/// The texts of all files.
pub(super) fn texts(files: Vec<Given>) -> Result<Vec<TextFile>, Problem> {
    let mut left = MOST_BYTES;
    let mut texts = Vec::new();
    for file in files {
        let text = file.text(left)?;
        left -= text.text.len() as u64;
        texts.push(text);
    }
    Ok(texts)
}

/// A pipe may be read, a device is never a tool's text.
fn file(path: &Path) -> io::Result<File> {
    let kind = path.metadata()?.file_type();
    if kind.is_block_device() || kind.is_char_device() {
        let text = "it is a device; name the file with a tool's output, or - for stdin";
        return Err(io::Error::other(text));
    }
    File::open(path)
}

fn cannot(name: &str, error: &io::Error) -> Problem {
    Problem::new(ExitStatus::Obstacle, format!("cannot read {name}: {error}"))
}
