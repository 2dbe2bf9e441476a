//! Whose traffic reappears where, as the user says it: `UPPER=LOWER,LOWER`.
//!
//! A name may hold `*`, any letters; `[3-7]` or `[a-f]`, one of a range; and before a colon the
//! kind (`disk:sda`) where two of one name are there. Each upper is related to all of the lower.

use std::str::FromStr;

use iopath_record::{Entity, EntityId, Record, Relation};

use crate::Wrong;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relate {
    /// Pattern of what carries the traffic first.
    pub upper: String,
    /// Patterns of what carries it again.
    pub lower: Vec<String>,
    /// Bytes read below for each byte read above, in millionths.
    pub read_copies_ppm: u64,
    /// Bytes written below for each byte written above, in millionths.
    pub write_copies_ppm: u64,
}

impl FromStr for Relate {
    type Err = String;

    /// `vol=sda,sdb`, or with copies: `vol=sd[a-d] write=2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let names = words.next().and_then(|names| names.split_once('='));
        let Some((upper, lower)) =
            names.filter(|(upper, lower)| !upper.is_empty() && !lower.is_empty())
        else {
            return Err(format!("\"{text}\" is not UPPER=LOWER,LOWER such as vol01=sda,sdb"));
        };
        let lower = lower.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let mut relate = Self {
            upper: upper.to_owned(),
            lower,
            read_copies_ppm: 1_000_000,
            write_copies_ppm: 1_000_000,
        };
        for word in words {
            let copies = word.split_once('=').and_then(|(name, copies)| {
                let copies: f64 = copies.parse().ok()?;
                let is_possible = (0.0..=1000.0).contains(&copies);
                is_possible.then(|| (name, (copies * 1e6).round() as u64))
            });
            match copies {
                Some(("read", copies)) => relate.read_copies_ppm = copies,
                Some(("write", copies)) => relate.write_copies_ppm = copies,
                _ => return Err(format!("\"{word}\" is not read=COPIES or write=COPIES")),
            }
        }
        Ok(relate)
    }
}

pub(super) fn all(relates: &[Relate], record: &mut Record) -> Result<(), Wrong> {
    for relate in relates {
        let uppers = matching(&relate.upper, record)?;
        let mut lower = Vec::new();
        for pattern in &relate.lower {
            lower.extend(matching(pattern, record)?);
        }
        lower.sort_unstable();
        lower.dedup();
        for upper in uppers {
            let lower: Vec<EntityId> = lower.iter().copied().filter(|one| *one != upper).collect();
            // What the user says takes the place of what a text says.
            record.relations.retain(|relation| relation.upper != upper);
            let Relate { read_copies_ppm, write_copies_ppm, .. } = *relate;
            record.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
        }
    }
    Ok(())
}

fn matching(pattern: &str, record: &Record) -> Result<Vec<EntityId>, Wrong> {
    let entities = (0u32..).map(EntityId).zip(&record.entities);
    let found: Vec<EntityId> =
        entities.filter(|(_, entity)| is_meant(pattern, entity)).map(|(id, _)| id).collect();
    if found.is_empty() {
        let mut names: Vec<&str> = record.entities.iter().map(|e| e.name.as_str()).collect();
        names.truncate(8);
        let what = format!("\"{pattern}\" matches nothing imported");
        return Err(Wrong::of("--relate", what, format!("there is {}", names.join(", "))));
    }
    Ok(found)
}

fn is_meant(pattern: &str, entity: &Entity) -> bool {
    let of_kind = pattern.split_once(':').filter(|(kind, _)| *kind == entity.kind.as_str());
    is_like(pattern.as_bytes(), entity.name.as_bytes())
        || of_kind.is_some_and(|(_, pattern)| is_like(pattern.as_bytes(), entity.name.as_bytes()))
}

/// Whether a name is like a pattern. Patterns are short, so going back at each `*` is cheap.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|from| is_like(rest, &name[from..])),
        ([b'[', rest @ ..], _) if rest.contains(&b']') => in_range(rest, name),
        ([letter, rest @ ..], [first, name @ ..]) => letter == first && is_like(rest, name),
        _ => false,
    }
}

/// `3-7]…` or `a-f]…`: numbers of any length, or one letter. What is no range is meant as it
/// stands, as names of streams have brackets, too.
fn in_range(rest: &[u8], name: &[u8]) -> bool {
    let literal = || name.first() == Some(&b'[') && is_like(rest, &name[1..]);
    let Some(end) = rest.iter().position(|letter| *letter == b']') else { return literal() };
    let inside = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.split_once('-'));
    let Some((from, to)) = inside else { return literal() };
    let after = &rest[end + 1..];
    if let (Ok(from), Ok(to)) = (from.parse::<u64>(), to.parse::<u64>()) {
        let digits = name.iter().take_while(|letter| letter.is_ascii_digit()).count();
        let number = std::str::from_utf8(&name[..digits]).ok().and_then(|text| text.parse().ok());
        return number.is_some_and(|number: u64| (from..=to).contains(&number))
            && is_like(after, &name[digits..]);
    }
    match (from.as_bytes(), to.as_bytes(), name) {
        ([from], [to], [first, name @ ..]) => (from..=to).contains(&first) && is_like(after, name),
        _ => literal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_what_they_look_like() {
        for (pattern, name, expected) in [
            ("sda", "sda", true),
            ("sd*", "sdaa", true),
            ("sd[a-x]", "sdm", true),
            ("sd[a-x]", "sdaa", false),
            ("port [0-11]", "port 9", true),
            ("port [0-11]", "port 12", false),
            ("readers[0]", "readers[0]", true),
            ("readers[0-3]", "readers2", true),
            ("*", "anything", true),
            ("sd", "sda", false),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_statement_has_names_and_copies() {
        let relate: Relate = "vol=sd[a-d],sdx write=2".parse().unwrap();
        assert_eq!(relate.lower, ["sd[a-d]", "sdx"]);
        assert_eq!((relate.read_copies_ppm, relate.write_copies_ppm), (1_000_000, 2_000_000));
        for wrong in ["vol", "=sda", "vol=", "vol=sda twice", "vol=sda write=-1", ""] {
            assert!(wrong.parse::<Relate>().is_err(), "{wrong}");
        }
    }
}
