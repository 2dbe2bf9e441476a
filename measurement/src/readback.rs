//! After the passes of a verified trial: everything that was written is read once and checked.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_record::Progress;
use iopath_study::case::BufferKind;
use iopath_units::Op;

use crate::buffers::{Buffers, PAGE};
use crate::failure::Failure;
use crate::target::{Access, CacheUsed, OpenTarget, drop_pages};

/// Bytes read at once.
const PIECE: u64 = 1 << 20;

/// Reads back what the trial wrote to each target.
pub(crate) fn check(
    targets: &[OpenTarget],
    interrupted: &AtomicBool,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), Failure> {
    targets.iter().try_for_each(|target| check_target(target, interrupted, tell))
}

fn check_target(
    target: &OpenTarget,
    interrupted: &AtomicBool,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), Failure> {
    let Some(checker) = &target.checker else { return Ok(()) };
    let unit_bytes = checker.unit_bytes();
    // A case may use less of a target than the one before; what lies behind is not its own.
    let whole_bytes = target.bytes - target.bytes % unit_bytes;
    let written = || checker.written_offsets().take_while(|offset| *offset < whole_bytes);
    let total_bytes = written().count() as u64 * unit_bytes;
    let failed = |offset, source| Failure::Request {
        target: target.label.clone(),
        op: Op::Read,
        offset,
        bytes: PIECE as u32,
        source,
    };
    if target.cache() != CacheUsed::Direct {
        // Memory would be compared with memory.
        drop_pages(target).map_err(|source| failed(0, source))?;
    }
    let buffer = Buffers::new(BufferKind::Heap, 1, PIECE as usize);
    let mut buffer = buffer.map_err(|source| failed(0, source))?;
    let access = Access::new(target, PIECE as u32).map_err(|source| failed(0, source))?;
    let mut done_bytes = 0;
    let mut offsets = written().peekable();
    while let Some(from) = offsets.next() {
        if interrupted.load(Relaxed) {
            return Ok(());
        }
        // Direct I/O wants whole pages: what lies beside the units is read along, not checked.
        let start = from - from % PAGE as u64;
        let end = (start + PIECE).min(whole_bytes);
        let data = buffer.data(0, (end - start) as u32);
        access.read_exact(data, start).map_err(|source| failed(start, source))?;
        let mut unit = Some(from);
        while let Some(offset) = unit {
            let place = (offset - start) as usize;
            let damaged = |damage| Failure::Damaged { target: target.label.clone(), damage };
            checker.check(offset, &data[place..place + unit_bytes as usize]).map_err(damaged)?;
            done_bytes += unit_bytes;
            unit = offsets.next_if(|next| next + unit_bytes <= end);
        }
        tell(Progress::Verifying { done_bytes, total_bytes });
    }
    Ok(())
}
