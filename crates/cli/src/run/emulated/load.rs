//! What an emulated case asks of this machine: requests per second of its devices, and their size.

use iopath_path::{Laid, Range};
use iopath_study::Case;
use iopath_study::case::{Pattern, Stream};
use iopath_study::words::PageCache;
use iopath_units::{Op, Ratio};

/// The kernel cuts what it hands to FUSE into pieces of this size (256 pages).
pub(crate) const LARGEST: u64 = 1 << 20;

/// Requests to devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// How many in a second.
    pub per_sec: f64,
    /// Mean bytes of one.
    pub bytes: f64,
    /// Those that readahead keeps in flight at most.
    pub ahead: f64,
}

impl Load {
    /// The load of a bound case whose streams make so many requests in a second.
    pub(crate) fn of(case: &Case, requests_per_sec: f64) -> Self {
        let (mut wanted, mut pieces, mut bytes, mut blocks) = (0.0, 0.0, 0.0, 0.0);
        let mut in_flight = 0.0;
        for stream in &case.streams {
            let target = &case.targets[stream.target];
            let is_real = |part| target.below.contains_key(&part);
            let request = request(case, stream);
            if let Ok(laid) = Laid::of(&case.system, target.part, &is_real) {
                let made = split(&laid, request);
                (pieces, bytes) = (pieces + made.0, bytes + made.1);
                wanted += request.bytes as f64;
                in_flight += made.0 * ahead(case, stream).map_or(0, |(_, units)| units + 1) as f64;
            }
            blocks += stream.block.0 as f64;
        }
        let block = blocks / case.streams.len().max(1) as f64;
        // Copies are more bytes than are wanted.
        let bytes_per_sec = requests_per_sec * block * bytes / f64::max(wanted, 1.0);
        let each = f64::max(bytes / f64::max(pieces, 1.0), 1.0);
        Self { per_sec: bytes_per_sec / each, bytes: each, ahead: in_flight }
    }

    /// What the kernel makes of it at a scale.
    pub(crate) fn scaled(self, scale: u64, stretch: u64) -> Self {
        let bytes = self.bytes / scale as f64;
        let pieces = (bytes / LARGEST as f64).max(1.0);
        let per_sec = self.per_sec / stretch as f64 * pieces;
        Self { per_sec, bytes: bytes / pieces, ahead: self.ahead }
    }
}

/// What a stream makes devices do at once: a request, or a unit that is read ahead.
fn request(case: &Case, stream: &Stream) -> Range {
    let op = if stream.reads >= Ratio(500_000) { Op::Read } else { Op::Write };
    let unit = ahead(case, stream).map_or(0, |(unit, _)| unit);
    Range { op, offset: 0, bytes: unit.max(stream.block.0) }
}

/// Unit and number of units that are read ahead of a stream, where its file system does that: for
/// those that read in sequence.
fn ahead(case: &Case, stream: &Stream) -> Option<(u64, u64)> {
    let system = &case.system;
    let below = *system.part(case.targets[stream.target].part).members.first()?;
    let readahead = system.children(below).find(|part| system.kind(*part) == "readahead")?;
    let in_sequence = !matches!(
        stream.pattern,
        Pattern::Random
            | Pattern::Zipf { .. }
            | Pattern::Hot { .. }
            | Pattern::Walk { .. }
            | Pattern::Resident { .. }
            | Pattern::Spc1Like
    );
    let is_read = stream.reads.0 > 0 && system.choice(below, "cache") == Some(PageCache::Buffered);
    let units = system.count(readahead, "streams").unwrap_or(1);
    let unit = system.readahead_unit(readahead).0;
    (in_sequence && is_read && units > 0).then_some((unit, units))
}

/// Pieces that one request becomes on devices, and their bytes.
fn split(laid: &Laid, request: Range) -> (f64, f64) {
    match laid {
        Laid::Real(_) => (1.0, request.bytes as f64),
        Laid::Piece { of, offset, .. } => {
            split(of, Range { offset: request.offset + offset, ..request })
        }
        Laid::Volume { volume, members, .. } => {
            let mut runs = Vec::new();
            volume.runs_into(request, &mut runs);
            let each = runs.iter().map(|run| run.part).filter_map(|part| {
                let member = members.get(part.member as usize)?;
                let below = Range { op: part.op, offset: part.offset, bytes: part.bytes };
                Some(split(member, below))
            });
            each.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        }
    }
}
