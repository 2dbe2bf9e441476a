//! The search for groups. Written as if everything were measured already: what is missing comes
//! out as the error, and the search is done again when it is there.

use super::known::{Block, Known, OrMeasure, union};
use super::{Group, Members, Private, Verdict};
use crate::thresholds::groups::LOSS;

pub(super) fn verdict(members: usize, known: &Known<'_>) -> OrMeasure<Verdict> {
    let alone = (0..members).map(|member| {
        let members = Members::from([member]);
        Ok(Block { bytes_per_sec: known.total(&members)?, members, parts: Vec::new() })
    });
    let alone: Vec<Block> = alone.collect::<OrMeasure<_>>()?;
    let together_bytes_per_sec = known.total(&union(&alone))?;
    let mut placed: Vec<Block> = Vec::new();
    let mut rest = in_order(known, alone)?;
    while let Some(first) = first_that_disturbs(known, LossScope::Anybody, &placed, &rest)? {
        let later = rest.split_off(first + 1);
        let new = rest.pop();
        placed.append(&mut rest);
        placed = joined(known, placed, new)?;
        rest = later;
    }
    placed.append(&mut rest);
    placed.sort_by_key(|block| block.members.first().copied());
    let is_consistent = !known.suffers(&placed, placed.len())?;
    let (groups, single): (Vec<Block>, Vec<Block>) =
        placed.into_iter().partition(|block| !block.parts.is_empty());
    let groups = groups.into_iter().map(|block| group(known, block));
    Ok(Verdict {
        groups: groups.collect::<OrMeasure<_>>()?,
        private: single.into_iter().flat_map(|block| private(&block)).collect(),
        together_bytes_per_sec,
        is_consistent,
    })
}

/// By what each got with all others: who is behind a tighter limit comes first, so that limits
/// within others are found before those around them are full. Equal ones keep their order.
fn in_order(known: &Known<'_>, alone: Vec<Block>) -> OrMeasure<Vec<Block>> {
    let all = union(&alone);
    let rates = alone.iter().map(|block| known.rate(&block.members, &all));
    let rates = rates.collect::<OrMeasure<Vec<f64>>>()?;
    let mut ascending: Vec<(f64, Block)> = rates.into_iter().zip(alone).collect();
    ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut level = 0.0;
    for (rate, _) in &mut ascending {
        if *rate > level * (1.0 + LOSS) {
            level = *rate;
        }
        *rate = level;
    }
    let number = |block: &Block| block.members.first().copied();
    ascending.sort_by(|a, b| a.0.total_cmp(&b.0).then(number(&a.1).cmp(&number(&b.1))));
    Ok(ascending.into_iter().map(|(_, block)| block).collect())
}

/// Whose loss counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LossScope {
    Anybody,
    /// Of those that are placed.
    Placed,
}

/// The first of the rest with whom, all before it and those that are placed somebody gets less;
/// none where nobody does.
fn first_that_disturbs(
    known: &Known<'_>,
    scope: LossScope,
    placed: &[Block],
    rest: &[Block],
) -> OrMeasure<Option<usize>> {
    let suffers = |count: usize| {
        let blocks = [placed, &rest[..count]].concat();
        let among = if scope == LossScope::Anybody { blocks.len() } else { placed.len() };
        known.suffers(&blocks, among)
    };
    if rest.is_empty() || !suffers(rest.len())? {
        return Ok(None);
    }
    // With the first `clear` of them nobody gets less, with the first `full` somebody does.
    let (mut clear, mut full) = (0, rest.len());
    while full - clear > 1 {
        let middle = usize::midpoint(clear, full);
        match suffers(middle)? {
            true => full = middle,
            false => clear = middle,
        }
    }
    Ok(Some(full - 1))
}

/// The placed blocks with a new one that disturbs them, made one with those that share its limit.
fn joined(known: &Known<'_>, placed: Vec<Block>, new: Option<Block>) -> OrMeasure<Vec<Block>> {
    let mut blocks = placed;
    let is_first = blocks.is_empty();
    blocks.extend(new);
    if is_first {
        return Ok(blocks);
    }
    // Two that disturb each other share the limit.
    let mut inside = match blocks.len() {
        2 => blocks.clone(),
        _ => without_doubtful(known, disturbed(&blocks, &known.losses_by_last(&blocks)?))?,
    };
    let mut outside: Vec<Block> = blocks.into_iter().filter(|b| !inside.contains(b)).collect();
    while let Some(open) = still_open(known, &inside, &outside)? {
        let disturbs = first_that_disturbs(known, LossScope::Placed, &open, &outside)?;
        let last = outside.len() - 1;
        let added = outside.remove(disturbs.unwrap_or(last));
        inside.push(added);
    }
    let strangers = strangers(known, &mut inside)?;
    outside.extend(strangers);
    outside.push(held_together(known, inside)?);
    Ok(outside)
}

/// Takes out those who neither lose inside nor leave the others anything when they go, as far as
/// the limit is full without them.
fn strangers(known: &Known<'_>, inside: &mut Vec<Block>) -> OrMeasure<Vec<Block>> {
    let mut strangers = Vec::new();
    let mut at = 0;
    while inside.len() > 2 && at < inside.len() {
        let loses = known.losses(inside)?[at] >= LOSS / 2.0;
        if loses || leaves_something(known, inside, at)? {
            at += 1;
            continue;
        }
        let one = inside.remove(at);
        if known.suffers(inside, inside.len())? {
            strangers.push(one);
        } else {
            inside.insert(at, one);
            at += 1;
        }
    }
    Ok(strangers)
}

/// Whether the others get half of what they then should, at least, when one goes: what it carries,
/// or all that they lack.
fn leaves_something(known: &Known<'_>, inside: &[Block], at: usize) -> OrMeasure<bool> {
    let all = union(inside);
    let others: Members = all.difference(&inside[at].members).copied().collect();
    let before = known.rate(&others, &all)?;
    let apart: f64 = inside.iter().map(|block| block.bytes_per_sec).sum();
    let freed = inside[at].bytes_per_sec;
    let gain = known.total(&others)? - before;
    Ok(gain >= freed.min(apart - freed - before) / 2.0)
}

/// The last block, which disturbs, and those that lose by it. Half of the decisive loss is enough
/// once somebody has lost that.
fn disturbed(blocks: &[Block], losses: &[f64]) -> Vec<Block> {
    let others = blocks.len().saturating_sub(1);
    let lose = blocks.iter().zip(losses).take(others).filter(|(_, loss)| **loss >= LOSS / 2.0);
    lose.map(|(block, _)| block).chain(blocks.last()).cloned().collect()
}

/// Where a limit is full among themselves, those who lose nothing by it were counted in by chance.
fn without_doubtful(known: &Known<'_>, inside: Vec<Block>) -> OrMeasure<Vec<Block>> {
    match inside.len() > 2 && known.suffers(&inside, inside.len())? {
        true => Ok(disturbed(&inside, &known.losses(&inside)?)),
        false => Ok(inside),
    }
}

/// What others must be put to, where a limit is not full without them or has more for those inside
/// when they rest; none where the group is whole.
fn still_open(
    known: &Known<'_>,
    inside: &[Block],
    outside: &[Block],
) -> OrMeasure<Option<Vec<Block>>> {
    if outside.is_empty() {
        return Ok(None);
    }
    if inside.len() < 2 || !known.suffers(inside, inside.len())? {
        return Ok(Some(inside.to_vec()));
    }
    let held = vec![held_together(known, inside.to_vec())?];
    let gains = known.suffers(&[held.as_slice(), outside].concat(), held.len())?;
    Ok(gains.then_some(held))
}

/// One block of several. A limit within that leaves the others nothing is the same limit.
fn held_together(known: &Known<'_>, parts: Vec<Block>) -> OrMeasure<Block> {
    let members = union(&parts);
    let bytes_per_sec = known.bounded(&members).ok_or_else(|| members.clone())?;
    // Less than the difference that two measurements may have.
    let is_same = |part: &Block| {
        !part.parts.is_empty() && bytes_per_sec - part.bytes_per_sec < bytes_per_sec * LOSS / 1.5
    };
    let flat = parts.into_iter().flat_map(|part| match is_same(&part) {
        true => part.parts,
        false => vec![part],
    });
    Ok(Block { parts: flat.collect(), members, bytes_per_sec })
}

/// A group as it is told: what it carries is measured, not concluded.
fn group(known: &Known<'_>, block: Block) -> OrMeasure<Group> {
    let bytes_per_sec = known.total(&block.members)?;
    let apart_bytes_per_sec = block.parts.iter().map(|part| part.bytes_per_sec).sum();
    let within = block.parts.into_iter().filter(|part| !part.parts.is_empty());
    let within = within.map(|part| group(known, part)).collect::<OrMeasure<Vec<_>>>()?;
    let members = block.members.into_iter().collect();
    Ok(Group { members, bytes_per_sec, apart_bytes_per_sec, within })
}

fn private(block: &Block) -> Option<Private> {
    let member = block.members.first().copied()?;
    Some(Private { member, bytes_per_sec: block.bytes_per_sec })
}
