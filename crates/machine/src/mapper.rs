//! Device-mapper tables: which bytes of which devices stand behind which bytes of a mapped one.
//!
//! Read by DM_TABLE_STATUS, which the kernel answers to root only; parameters as in
//! Documentation/admin-guide/device-mapper and the `STATUSTYPE_TABLE` of drivers/md/dm-*.c, in
//! sectors of 512 B. Under an imitated root they are what `dmsetup table NAME` prints, in the file
//! /dev/mapper/NAME.table.
//! Law: a piece covers at least the bytes that the target may touch. Of a target that is not known
//! every device that its parameters name is taken whole; one that names none is an error.
//! Leaves out: which chunk lies where (stripes, RAID, thin volumes), tables that are loaded but
//! not yet in use, and keys: the parameters of dm-crypt are not kept. Which of the devices hold
//! data, and in which order, is in `layout`.

use std::fs::File;
use std::io;
use std::ops::Range;

use crate::counters::diskstats::DeviceNumber;
use crate::devices::Device;
use crate::devices::DeviceKind;
use crate::error::ReadError;
use crate::ioctl;
use crate::line::{Line, lines};
use crate::root::Root;

mod layout;

pub use layout::Layout;

const SECTOR_BYTES: u64 = 512;
const CONTROL: &str = "/dev/mapper/control";

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Bytes of the mapped device.
    pub upper: Range<u64>,
    /// The kernel's word for it: `linear`, `striped`, `thin`, …
    pub kind: String,
    /// Every byte that it may touch.
    pub pieces: Vec<Piece>,
    /// Where the data of the mapped device are.
    pub layout: Layout,
}

/// A part of a mapped device and a part of a device below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the mapped device.
    pub upper: Range<u64>,
    /// The device below.
    pub device: DeviceNumber,
    /// Bytes of it.
    pub lower: Range<u64>,
    /// How the two belong together.
    pub relation: Relation,
}

/// How bytes of a mapped device and bytes below it belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// One to one, in order.
    Linear,
    /// Somewhere among them, for this device alone: stripes, RAID, logs, metadata, copies.
    Scattered,
    /// In a store that gives others other places: a thin volume in its pool.
    Pooled,
}

/// The table of a mapped device as pieces.
pub fn read(root: &Root, device: &Device) -> Result<Vec<Piece>, ReadError> {
    let targets = targets(root, device)?;
    Ok(targets.into_iter().flat_map(|target| target.pieces).collect())
}

/// The table of a mapped device, line by line.
pub fn targets(root: &Root, device: &Device) -> Result<Vec<Target>, ReadError> {
    let (file, text) = match (&device.kind, root.is_live()) {
        (DeviceKind::Mapper { name, .. }, false) => {
            let file = format!("/dev/mapper/{name}.table");
            let text = root.read(&file)?;
            (file, text)
        }
        _ => {
            let open = File::open(root.path(CONTROL));
            let text = open.and_then(|control| ioctl::table(&control, device.number));
            let text = text.map_err(|error| unreadable(device, error))?;
            (format!("table of {}", device.node().display()), text)
        }
    };
    lines(root, &file, &text).map(|line| target(&line).ok_or_else(|| nameless(&line))).collect()
}

fn unreadable(device: &Device, error: io::Error) -> ReadError {
    let node = device.node();
    ReadError::Unreadable { path: format!("the table of {}", node.display()).into(), source: error }
}

/// The error leaves out the parameters: there may be a key among them.
fn nameless(line: &Line<'_>) -> ReadError {
    let kind = line.text.split_ascii_whitespace().nth(2).unwrap_or("");
    Line { text: kind, ..*line }.malformed("the devices of a device-mapper target")
}

fn target(line: &Line<'_>) -> Option<Target> {
    let mut words = line.text.split_ascii_whitespace();
    let start = words.next()?.parse::<u64>().ok()?.checked_mul(SECTOR_BYTES)?;
    let length = words.next()?.parse::<u64>().ok()?.checked_mul(SECTOR_BYTES)?;
    let kind = words.next()?;
    let parameters: Vec<&str> = words.collect();
    let upper = start..start.checked_add(length)?;
    let pieces = Parameters { upper: upper.clone(), parameters: &parameters }.pieces(kind)?;
    let layout = Layout::of(kind, &parameters);
    Some(Target { upper, kind: kind.to_owned(), pieces, layout })
}

/// What stands behind the kind in a line.
struct Parameters<'a> {
    upper: Range<u64>,
    parameters: &'a [&'a str],
}

impl Parameters<'_> {
    fn pieces(&self, kind: &str) -> Option<Vec<Piece>> {
        match kind {
            "error" | "zero" => Some(Vec::new()),
            "linear" | "delay" => self.each_linear(0, self.parameters.len()),
            "crypt" => self.each_linear(3, 5),
            "striped" => self.striped(),
            "mirror" => self.mirror(),
            // The sector stays as it is, whatever the place in the table.
            "multipath" => self.all(|device| self.same(device)),
            "snapshot-origin" => Some(vec![self.same(self.device(0)?)]),
            "snapshot" | "snapshot-merge" => {
                Some(vec![self.same(self.device(0)?), self.whole(self.device(1)?)])
            }
            "thin-pool" | "era" => {
                Some(vec![self.whole(self.device(0)?), self.same(self.device(1)?)])
            }
            "cache" => {
                let (metadata, fast) = (self.whole(self.device(0)?), self.whole(self.device(1)?));
                Some(vec![metadata, fast, self.same(self.device(2)?)])
            }
            "thin" => {
                let all = self.all(|device| self.whole(device))?;
                let pooled = |piece| Piece { relation: Relation::Pooled, ..piece };
                Some(all.into_iter().map(pooled).collect())
            }
            // raid, writecache, verity, integrity, and what is not known.
            _ => self.all(|device| self.whole(device)),
        }
    }

    /// Pairs of device and first sector, from one word to another; dm-delay has up to three, each
    /// with a delay, which cannot be taken for a device.
    fn each_linear(&self, from: usize, to: usize) -> Option<Vec<Piece>> {
        let words = self.parameters.get(from..to)?;
        let pairs = words.windows(2).filter(|pair| pair[0].contains(':'));
        let pieces: Option<Vec<Piece>> = pairs.map(|pair| self.linear(pair)).collect();
        pieces.filter(|pieces| !pieces.is_empty())
    }

    fn linear(&self, pair: &[&str]) -> Option<Piece> {
        self.piece(pair, self.upper.end - self.upper.start, Relation::Linear)
    }

    /// `COUNT CHUNK` and that many pairs of device and first sector.
    fn striped(&self) -> Option<Vec<Piece>> {
        let count: u64 = self.parameters.first()?.parse().ok().filter(|count| *count > 0)?;
        let each = (self.upper.end - self.upper.start).div_ceil(count);
        let pairs: Vec<_> = self.parameters.get(2..)?.chunks_exact(2).collect();
        let pairs = pairs.get(..usize::try_from(count).ok()?)?;
        pairs.iter().map(|pair| self.piece(pair, each, Relation::Scattered)).collect()
    }

    /// `LOG COUNT` and that many arguments, one of which may be the log's device; `COUNT` and that
    /// many pairs of device and first sector.
    fn mirror(&self) -> Option<Vec<Piece>> {
        let arguments: usize = self.parameters.get(1)?.parse().ok()?;
        let (log, legs) = self.parameters.get(2..)?.split_at_checked(arguments)?;
        let count: usize = legs.first()?.parse().ok()?;
        let pairs = legs.get(1..)?.get(..count.checked_mul(2)?)?;
        let mut pieces: Vec<Piece> =
            pairs.chunks_exact(2).map(|pair| self.linear(pair)).collect::<Option<_>>()?;
        let devices = log.iter().filter_map(|word| number_in(word));
        pieces.extend(devices.map(|device| self.whole(device)));
        Some(pieces)
    }

    /// Every device that the parameters name; there must be one.
    fn all(&self, piece: impl Fn(DeviceNumber) -> Piece) -> Option<Vec<Piece>> {
        let numbers = self.parameters.iter().filter_map(|word| number_in(word));
        let pieces: Vec<Piece> = numbers.map(piece).collect();
        (!pieces.is_empty()).then_some(pieces)
    }

    fn device(&self, index: usize) -> Option<DeviceNumber> {
        DeviceNumber::parse(self.parameters.get(index)?)
    }

    fn piece(&self, pair: &[&str], bytes: u64, relation: Relation) -> Option<Piece> {
        let device = DeviceNumber::parse(pair.first()?)?;
        let start = pair.get(1)?.parse::<u64>().ok()?.checked_mul(SECTOR_BYTES)?;
        let lower = start..start.checked_add(bytes)?;
        Some(Piece { upper: self.upper.clone(), device, lower, relation })
    }

    fn same(&self, device: DeviceNumber) -> Piece {
        let upper = self.upper.clone();
        Piece { lower: upper.clone(), upper, device, relation: Relation::Linear }
    }

    fn whole(&self, device: DeviceNumber) -> Piece {
        let upper = self.upper.clone();
        Piece { upper, device, lower: 0..u64::MAX, relation: Relation::Scattered }
    }
}

/// `MAJOR:MINOR`, also as the value of an option, such as `meta_device:253:4`.
fn number_in(word: &str) -> Option<DeviceNumber> {
    let parts: Vec<&str> = word.rsplitn(3, ':').collect();
    let [minor, major, ..] = parts[..] else { return None };
    DeviceNumber::parse(&format!("{major}:{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces as `UPPER DEVICE LOWER RELATION`, ranges in sectors.
    fn read_line(text: &str) -> Option<Vec<String>> {
        let root = Root::at("/nowhere");
        let pieces = target(&Line { root: &root, file: "table", number: 1, text })?.pieces;
        let sectors = |range: &Range<u64>| match range.end {
            u64::MAX => "whole".to_owned(),
            _ => format!("{}..{}", range.start / SECTOR_BYTES, range.end / SECTOR_BYTES),
        };
        let in_words = |piece: &Piece| {
            let (upper, lower) = (sectors(&piece.upper), sectors(&piece.lower));
            format!("{upper} {} {lower} {:?}", piece.device, piece.relation)
        };
        Some(pieces.iter().map(in_words).collect())
    }

    /// Lines as `dmsetup table` prints them for devices that LVM, multipath, cryptsetup and
    /// integritysetup made, and from the kernel's documentation.
    const LINES: &[(&str, &[&str])] = &[
        ("0 1000 linear 259:4 2048", &["0..1000 259:4 2048..3048 Linear"]),
        (
            "8 12 striped 3 128 8:0 0 8:16 64 8:32 0",
            &[
                "8..20 8:0 0..4 Scattered",
                "8..20 8:16 64..68 Scattered",
                "8..20 8:32 0..4 Scattered",
            ],
        ),
        ("0 80 snapshot-origin 253:2", &["0..80 253:2 0..80 Linear"]),
        (
            "0 80 snapshot 253:2 253:3 P 8",
            &["0..80 253:2 0..80 Linear", "0..80 253:3 whole Scattered"],
        ),
        (
            "0 80 snapshot-merge 253:2 253:3 P 8",
            &["0..80 253:2 0..80 Linear", "0..80 253:3 whole Scattered"],
        ),
        ("0 800 thin 253:5 17", &["0..800 253:5 whole Pooled"]),
        ("0 800 thin 253:5 17 253:9", &["0..800 253:5 whole Pooled", "0..800 253:9 whole Pooled"]),
        (
            "0 4096 thin-pool 253:3 253:4 128 0 1 skip_block_zeroing",
            &["0..4096 253:3 whole Scattered", "0..4096 253:4 0..4096 Linear"],
        ),
        (
            "0 80 mirror disk 2 253:3 1024 2 253:4 0 253:5 8 1 handle_errors",
            &[
                "0..80 253:4 0..80 Linear",
                "0..80 253:5 8..88 Linear",
                "0..80 253:3 whole Scattered",
            ],
        ),
        (
            "0 80 mirror core 1 1024 2 8:0 0 8:16 0",
            &["0..80 8:0 0..80 Linear", "0..80 8:16 0..80 Linear"],
        ),
        (
            "0 80 raid raid5_ls 3 64 region_size 4096 3 253:0 253:1 - 253:3 253:4 253:5",
            &[
                "0..80 253:0 whole Scattered",
                "0..80 253:1 whole Scattered",
                "0..80 253:3 whole Scattered",
                "0..80 253:4 whole Scattered",
                "0..80 253:5 whole Scattered",
            ],
        ),
        (
            "0 80 crypt aes-xts-plain64 :64:logon:cryptsetup:1-2 0 8:3 4096 1 allow_discards",
            &["0..80 8:3 4096..4176 Linear"],
        ),
        (
            "0 80 cache 253:1 253:2 253:3 128 1 writeback smq 0",
            &[
                "0..80 253:1 whole Scattered",
                "0..80 253:2 whole Scattered",
                "0..80 253:3 0..80 Linear",
            ],
        ),
        (
            "0 80 writecache p 253:3 253:2 4096 0",
            &["0..80 253:3 whole Scattered", "0..80 253:2 whole Scattered"],
        ),
        ("0 80 era 253:1 253:2 128", &["0..80 253:1 whole Scattered", "0..80 253:2 0..80 Linear"]),
        ("0 80 delay 8:0 0 5 8:16 40 7", &["0..80 8:0 0..80 Linear", "0..80 8:16 40..120 Linear"]),
        (
            "0 80 multipath 0 1 alua 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1",
            &["0..80 8:0 0..80 Linear", "0..80 8:16 0..80 Linear"],
        ),
        (
            "0 80 verity 1 8:1 8:2 4096 4096 10 1 sha256 aa bb",
            &["0..80 8:1 whole Scattered", "0..80 8:2 whole Scattered"],
        ),
        (
            "0 80 integrity 8:1 0 - J 2 block_size:4096 meta_device:253:4",
            &["0..80 8:1 whole Scattered", "0..80 253:4 whole Scattered"],
        ),
        (
            "0 80 unheard-of 8:1 7 some:thing 8:2",
            &["0..80 8:1 whole Scattered", "0..80 8:2 whole Scattered"],
        ),
        ("0 80 error ", &[]),
        ("0 80 zero", &[]),
    ];

    #[test]
    fn each_kind_of_target_names_the_bytes_that_it_may_touch() {
        for (text, pieces) in LINES {
            let expected: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
            assert_eq!(read_line(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_target_that_names_no_device_or_is_cut_short_cannot_be_judged() {
        for text in [
            "0 80 unheard-of 7",
            "0 80 linear",
            "0 80 linear 8:0",
            "0 80 linear /dev/sda 0",
            "0 80 striped 2 128 8:0 0",
            "0 80 striped 0 128",
            "0 80 mirror core 1 1024 2 8:0 0 8:16",
            "0 80 snapshot 8:0",
            "0 99999999999999999999 zero",
            "36028797018963967 80 linear 8:0 0",
            "0 80",
        ] {
            assert_eq!(read_line(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_is_not_told_in_an_error() {
        let text = "0 80 crypt aes-xts-plain64 0123456789abcdef 0";
        let root = Root::at("/nowhere");
        let error = nameless(&Line { root: &root, file: "table", number: 1, text }).to_string();
        assert!(error.contains("crypt") && !error.contains("0123456789"), "{error}");
    }
}
