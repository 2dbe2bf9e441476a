//! Layouts without redundancy: members in turn, and members one after the other.
//!
//! Unit k of a stripe over n members lies on member k mod n, in row k div n. So what a request
//! touches on one member is contiguous there, however many rows it covers.

use super::{Part, Range, part};

/// Units on members in turn: one part a member.
pub(super) fn stripe((unit, members): (u64, u32), request: Range, parts: &mut Vec<Part>) {
    let members = u64::from(members);
    let last_byte = request.offset + request.bytes - 1;
    let (first, last) = (request.offset / unit, last_byte / unit);
    for start in (first..=last).take(members as usize) {
        let end = start + (last - start) / members * members;
        let from = if start == first { request.offset % unit } else { 0 };
        let to = if end == last { last_byte % unit + 1 } else { unit };
        let offset = start / members * unit + from;
        let bytes = end / members * unit + to - offset;
        parts.push(part((start % members) as u32, Range { op: request.op, offset, bytes }));
    }
}

/// Units on members in turn, each unit a part of its own.
pub(super) fn blocks((unit, members): (u64, u32), request: Range, parts: &mut Vec<Part>) {
    let end = request.offset + request.bytes;
    let mut at = request.offset;
    while at < end {
        let bytes = (unit - at % unit).min(end - at);
        stripe((unit, members), Range { op: request.op, offset: at, bytes }, parts);
        at += bytes;
    }
}

/// Members one after the other; the last one takes what lies behind the end.
pub(super) fn concat(sizes: &[u64], request: Range, parts: &mut Vec<Part>) {
    let end = request.offset + request.bytes;
    let mut start = 0;
    for (member, size) in sizes.iter().enumerate() {
        let is_last = member + 1 == sizes.len();
        let border = if is_last { u64::MAX } else { start + size };
        let (from, to) = (request.offset.max(start), end.min(border));
        if from < to {
            let range = Range { op: request.op, offset: from - start, bytes: to - from };
            parts.push(part(member as u32, range));
        }
        start = border;
    }
}
