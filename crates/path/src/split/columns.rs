//! Layouts without redundancy: members in turn, and members one after the other.
//!
//! Unit k of a stripe over n members lies on member k mod n, in row k div n. So what a request
//! touches on one member is contiguous there, however many rows it covers.

use super::{Part, Range, part};

/// Units on members in turn: one part a member.
pub(super) fn stripe((unit, members): (u64, u32), request: Range, parts: &mut Vec<Part>) {
    let (first, last) = ends(unit, request);
    let starts = (first..=last).take(members as usize);
    parts.extend(starts.map(|start| column((unit, members), request, start)));
}

/// The first and the last unit that a request touches.
fn ends(unit: u64, request: Range) -> (u64, u64) {
    (request.offset / unit, (request.offset + request.bytes - 1) / unit)
}

/// What a request touches on the member that holds `start`, its first unit there.
pub(super) fn column((unit, members): (u64, u32), request: Range, start: u64) -> Part {
    let members = u64::from(members);
    let (first, last) = ends(unit, request);
    let end = start + (last - start) / members * members;
    let from = if start == first { request.offset % unit } else { 0 };
    let to = if end == last { (request.offset + request.bytes - 1) % unit + 1 } else { unit };
    let offset = start / members * unit + from;
    let bytes = end / members * unit + to - offset;
    part((start % members) as u32, Range { op: request.op, offset, bytes })
}

/// The first unit of a request that lies on a member.
pub(super) fn first_of(member: u32, (unit, members): (u64, u32), request: Range) -> u64 {
    let (members, member) = (u64::from(members), u64::from(member));
    let (first, _) = ends(unit, request);
    first + (member + members - first % members) % members
}

/// Every unit of a request, with where in the request it begins.
pub(super) fn units(
    (unit, members): (u64, u32),
    request: Range,
) -> impl Iterator<Item = (Part, u64)> {
    let (first, last) = ends(unit, request);
    let (start, end) = (request.offset, request.offset + request.bytes);
    (first..=last).map(move |number| {
        let from = start.max(number * unit);
        let bytes = end.min((number + 1).saturating_mul(unit)) - from;
        let offset = number / u64::from(members) * unit + from % unit;
        let member = (number % u64::from(members)) as u32;
        (part(member, Range { op: request.op, offset, bytes }), from - start)
    })
}

/// Units on members in turn, each unit a part of its own.
pub(super) fn blocks(layout: (u64, u32), request: Range, parts: &mut Vec<Part>) {
    parts.extend(units(layout, request).map(|(part, _)| part));
}

/// Members one after the other; the last one takes what lies behind the end.
pub(super) fn concat(sizes: &[u64], request: Range, parts: &mut Vec<Part>) {
    members(sizes, request, |part, _| parts.push(part));
}

/// The same, with where in the request each part begins.
pub(super) fn members(sizes: &[u64], request: Range, mut meet: impl FnMut(Part, u64)) {
    let end = request.offset + request.bytes;
    let mut start = 0;
    for (member, size) in sizes.iter().enumerate() {
        let is_last = member + 1 == sizes.len();
        let border = if is_last { u64::MAX } else { start + size };
        let (from, to) = (request.offset.max(start), end.min(border));
        if from < to {
            let range = Range { op: request.op, offset: from - start, bytes: to - from };
            meet(part(member as u32, range), from - request.offset);
        }
        start = border;
    }
}
