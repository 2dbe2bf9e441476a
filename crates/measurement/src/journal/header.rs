//! The front of a journal: whose it is and which target it is of.
//!
//! | byte | |
//! |---|---|
//! | 0 | `iopath-journal/1` |
//! | 16 | `front`: length of all this in bytes, a multiple of 4096; units follow |
//! | 24 | length of the text |
//! | 32 | bytes that one stamp covers |
//! | 40 | seed of the stamps |
//! | 48 | when the run began, in ns since 1970 |
//! | 56 | number of the run |
//! | 64 | how many units there are |
//! | 72 | `check`: XXH3 (64 bits) over what stays the same, bytes 0 to 64 and the text |
//! | 128 | epochs |
//! | 4096 | the text: a line for each fact, then the study of the case |
//!
//! Numbers are little-endian; those that workers count with are in the machine's own order, as a
//! journal is read where it was written.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use iopath_machine::target::TargetKind;
use xxhash_rust::xxh3::Xxh3Default;

use crate::target::OpenFile;

/// What a journal of this version begins with.
pub(super) const MAGIC: &[u8; 16] = b"iopath-journal/1";
/// What one of any version begins with.
pub const FAMILY: &[u8] = b"iopath-journal/";
/// The front is a multiple of this, so that units begin at a page.
pub(super) const BLOCK: usize = 4096;
/// Where the epochs lie.
pub(super) const EPOCHS: usize = 128;
/// Bytes of a unit's state.
pub(super) const UNIT_BYTES: u64 = 16;

const UNITS: usize = 64;
const CHECK: usize = 72;
/// No study of one case is as long.
const LONGEST: u64 = 64 << 20;

/// What a journal is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub run: u64,
    pub started_unix_ns: u64,
    /// That of the stamps.
    pub seed: u64,
    pub unit_bytes: u64,
    pub units: u64,
    /// The machine's boot, by its name.
    pub boot: String,
    /// Name of the target in the study.
    pub target: String,
    /// What relative paths of the study are relative to.
    pub directory: PathBuf,
    /// What the target lies on.
    pub files: Vec<OfFile>,
    /// The study of the case alone.
    pub case: String,
}

/// A file or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfFile {
    pub bytes: u64,
    /// None of a device, whose numbers change with each boot.
    pub inode: Option<u64>,
    /// Without links.
    pub path: PathBuf,
}

/// Why bytes are no header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoHeader {
    Foreign,
    Newer,
    Damaged(&'static str),
}

impl OfFile {
    pub(super) fn of(open: &OpenFile) -> io::Result<Self> {
        let path = Path::new(&open.label).canonicalize()?;
        let is_file = open.facts.kind == TargetKind::RegularFile;
        let facts = open.file.metadata()?;
        let bytes = if is_file { facts.len() } else { open.facts.bytes };
        Ok(Self { bytes, inode: is_file.then(|| facts.ino()), path })
    }
}

/// Bytes of a journal.
pub(super) fn file_bytes(front: usize, units: u64) -> io::Result<u64> {
    let all = units.checked_mul(UNIT_BYTES).and_then(|units| units.checked_add(front as u64));
    all.ok_or_else(|| io::ErrorKind::FileTooLarge.into())
}

/// Notes how many units there are by now.
pub(super) fn put_units(file: &File, units: u64) -> io::Result<()> {
    file.write_all_at(&units.to_le_bytes(), UNITS as u64)
}

impl Header {
    /// The front, without epochs.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let text = self.text()?;
        let front = (BLOCK + text.len()).next_multiple_of(BLOCK);
        let mut bytes = vec![0; front];
        bytes[..16].copy_from_slice(MAGIC);
        let Self { run, started_unix_ns, seed, unit_bytes, units, .. } = *self;
        let words =
            [front as u64, text.len() as u64, unit_bytes, seed, started_unix_ns, run, units];
        for (at, word) in (16..).step_by(8).zip(words) {
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        bytes[BLOCK..BLOCK + text.len()].copy_from_slice(text.as_bytes());
        let check = check_of(&bytes, text.as_bytes());
        bytes[CHECK..CHECK + 8].copy_from_slice(&check.to_le_bytes());
        Ok(bytes)
    }

    fn text(&self) -> io::Result<String> {
        let line = |word: &str, value: &str| match value.contains('\n') {
            true => Err(io::Error::other(format!("{value:?} has more than one line"))),
            false => Ok(format!("{word} {value}\n")),
        };
        let path = |path: &Path| {
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| io::Error::other(format!("{} is no UTF-8", path.display())))
        };
        let mut text = line("boot", &self.boot)?;
        text += &line("target", &self.target)?;
        text += &line("directory", &path(&self.directory)?)?;
        for file in &self.files {
            let inode = file.inode.map_or_else(|| "device".to_owned(), |inode| inode.to_string());
            text += &line("file", &format!("{} {inode} {}", file.bytes, path(&file.path)?))?;
        }
        Ok(text + "case\n" + &self.case)
    }

    /// Reads the front of a file: the header and its length.
    pub(super) fn read(file: &File) -> io::Result<Result<(Self, usize), NoHeader>> {
        let mut first = vec![0; BLOCK];
        let length = file.metadata()?.len();
        if length < BLOCK as u64 {
            let mut start = [0; 16];
            let is_ours = file.read_at(&mut start, 0)? == 16 && start.starts_with(FAMILY);
            let cut = NoHeader::Damaged("it is shorter than its header");
            return Ok(Err(if is_ours || length == 0 { cut } else { NoHeader::Foreign }));
        }
        file.read_exact_at(&mut first, 0)?;
        if !first.starts_with(FAMILY) {
            return Ok(Err(NoHeader::Foreign));
        }
        if !first.starts_with(MAGIC) {
            return Ok(Err(NoHeader::Newer));
        }
        let text_bytes = word(&first, 24);
        if text_bytes > LONGEST || length < BLOCK as u64 + text_bytes {
            return Ok(Err(NoHeader::Damaged("it is shorter than its header")));
        }
        let mut text = vec![0; text_bytes as usize];
        file.read_exact_at(&mut text, BLOCK as u64)?;
        Ok(Self::decode(&first, text))
    }

    fn decode(first: &[u8], text: Vec<u8>) -> Result<(Self, usize), NoHeader> {
        if word(first, CHECK) != check_of(first, &text) {
            return Err(NoHeader::Damaged("its checksum is wrong"));
        }
        let front = (BLOCK + text.len()).next_multiple_of(BLOCK);
        let text = String::from_utf8(text).map_err(|_| NoHeader::Damaged("it is no text"))?;
        let header = Self {
            run: word(first, 56),
            started_unix_ns: word(first, 48),
            seed: word(first, 40),
            unit_bytes: word(first, 32),
            units: word(first, UNITS),
            boot: String::new(),
            target: String::new(),
            directory: PathBuf::new(),
            files: Vec::new(),
            case: String::new(),
        };
        let unknown = NoHeader::Damaged("a line of it is not known");
        header.with_text(&text).map(|header| (header, front)).ok_or(unknown)
    }

    fn with_text(mut self, text: &str) -> Option<Self> {
        let (facts, case) = text.split_once("\ncase\n")?;
        case.clone_into(&mut self.case);
        for line in facts.lines() {
            let (name, value) = line.split_once(' ')?;
            match name {
                "boot" => value.clone_into(&mut self.boot),
                "target" => value.clone_into(&mut self.target),
                "directory" => self.directory = PathBuf::from(value),
                "file" => {
                    let mut words = value.splitn(3, ' ');
                    let bytes = words.next()?.parse().ok()?;
                    let inode = words.next()?.parse().ok();
                    self.files.push(OfFile { bytes, inode, path: PathBuf::from(words.next()?) });
                }
                _ => return None,
            }
        }
        Some(self)
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

fn check_of(first: &[u8], text: &[u8]) -> u64 {
    let mut hash = Xxh3Default::new();
    hash.update(&first[..UNITS]);
    hash.update(text);
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let file = |inode, path: &str| OfFile { bytes: 1 << 20, inode, path: path.into() };
        Header {
            run: 17,
            started_unix_ns: 1_732_000_000_000_000_000,
            seed: u64::MAX,
            unit_bytes: 4096,
            units: 256,
            boot: "b7d3".to_owned(),
            target: "data".to_owned(),
            directory: "/home/some one".into(),
            files: vec![file(Some(12), "/data/my case"), file(None, "/dev/sdb")],
            case: "study \"a\"\ncase\n".to_owned(),
        }
    }

    fn on_disk(bytes: &[u8]) -> Result<(Header, usize), NoHeader> {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes, 0).unwrap();
        Header::read(&file).unwrap()
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let bytes = header().encode().unwrap();
        assert_eq!(on_disk(&bytes), Ok((header(), bytes.len())));
    }

    #[test]
    fn every_damaged_byte_of_the_header_is_noticed() {
        let whole = header().encode().unwrap();
        let text = header().text().unwrap().len();
        let constant = (0..UNITS).chain(CHECK..CHECK + 8).chain(BLOCK..BLOCK + text);
        for at in constant {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            assert!(on_disk(&bytes).is_err(), "byte {at}");
        }
        assert_eq!(
            on_disk(&whole[..BLOCK]),
            Err(NoHeader::Damaged("it is shorter than its header"))
        );
        assert_eq!(on_disk(b"text"), Err(NoHeader::Foreign));
    }

    #[test]
    fn a_newer_journal_is_known_as_one() {
        let mut bytes = header().encode().unwrap();
        bytes[15] = b'2';
        assert_eq!(on_disk(&bytes), Err(NoHeader::Newer));
    }
}
