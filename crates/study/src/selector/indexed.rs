//! Names that differ in their indices only, as one text and back: `a[0].b[0]`, `a[0].b[1]`,
//! `a[1].b[0]` and `a[1].b[1]` are `a[0-1].b[0-1]`, a selector of exactly these.
//!
//! A set of names is a product where every index of one place occurs with all of the others. One
//! that is none becomes several products: indices from the left that agree on all that follows
//! stand together. That is short, not always the shortest.

use std::collections::{BTreeMap, BTreeSet};

use super::ranges;

/// Indices of a product, place by place.
type Indices = Vec<BTreeSet<u32>>;

/// A name split at its indices: `a[0].b[2-4]` is `a[].b[]` with 0 and 2, 3, 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedNames {
    /// The name with empty brackets.
    pub pattern: String,
    /// The indices that occur at each place.
    pub indices: Vec<BTreeSet<u32>>,
    /// How many names it stands for.
    pub count: usize,
}

impl IndexedNames {
    /// Reads a selector of one pattern; one of several is a pattern without indices. `room` is how
    /// many indices may be kept, and falls by those that are. What stands in brackets and is no
    /// index, or finds no room, belongs to the pattern.
    #[must_use]
    pub fn read(text: &str, room: &mut u32) -> Self {
        let mut parts = text.split(", ").map(|part| Self::one(part, room));
        let mut all = parts.next().unwrap_or_else(|| Self::one("", &mut 0));
        for part in parts {
            if part.pattern != all.pattern {
                return Self { pattern: text.to_owned(), indices: Vec::new(), count: 1 };
            }
            all.take_in(&part);
        }
        all
    }

    fn one(name: &str, room: &mut u32) -> Self {
        let (pattern, indices) = split(name, |set| read(set, room));
        let count = product(&indices);
        Self { pattern, indices, count }
    }

    /// Adds others of the same pattern.
    pub fn take_in(&mut self, other: &Self) {
        for (set, indices) in self.indices.iter_mut().zip(&other.indices) {
            set.extend(indices);
        }
        self.count = self.count.saturating_add(other.count);
    }

    /// Whether it stands for all that its indices select.
    #[must_use]
    pub fn is_product(&self) -> bool {
        product(&self.indices) == self.count
    }

    /// The selector of its indices; those that are left out are left to be guessed.
    #[must_use]
    pub fn text(&self, is_left_out: impl Fn(usize, &BTreeSet<u32>) -> bool) -> String {
        let mut pieces = self.pattern.split("[]");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for (place, piece) in pieces.enumerate() {
            match self.indices.get(place) {
                Some(set) if is_left_out(place, set) => {}
                Some(set) => text.push_str(&format!("[{}]", ranges(set))),
                None => text.push_str("[]"),
            }
            text.push_str(piece);
        }
        text
    }
}

/// Selectors that select these names and nothing else, patterns in the order in which they come
/// first. Says of the indices of a place whether they are all that there are, which go unsaid.
pub fn cover<'a>(
    names: impl IntoIterator<Item = &'a str>,
    is_all: impl Fn(usize, &BTreeSet<u32>) -> bool,
) -> Vec<String> {
    let mut patterns: Vec<(String, Vec<Vec<u32>>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let (pattern, row) = split(name, |index| index.parse().ok());
        let at = known.get(&pattern).copied().unwrap_or_else(|| {
            known.insert(pattern.clone(), patterns.len());
            patterns.push((pattern, Vec::new()));
            patterns.len() - 1
        });
        patterns[at].1.push(row);
    }
    let texts = patterns.into_iter().flat_map(|(pattern, mut rows)| {
        rows.sort_unstable();
        rows.dedup();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        let names = move |indices| IndexedNames { pattern: pattern.clone(), indices, count: 1 };
        products(&rows).into_iter().map(names)
    });
    texts.map(|names| names.text(&is_all)).collect()
}

/// A name at its indices. What stands in brackets and is not read as one belongs to the pattern.
fn split<T>(name: &str, mut read: impl FnMut(&str) -> Option<T>) -> (String, Vec<T>) {
    let (mut pattern, mut indices) = (String::with_capacity(name.len()), Vec::new());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('[') {
        pattern.push_str(before);
        pattern.push('[');
        let found = behind.split_once(']').and_then(|(text, rest)| Some((read(text)?, rest)));
        rest = match found {
            Some((index, after)) => {
                indices.push(index);
                pattern.push(']');
                after
            }
            None => behind,
        };
    }
    pattern.push_str(rest);
    (pattern, indices)
}

/// Rows of indices, in order, each once and equally long, as products.
fn products(rows: &[&[u32]]) -> Vec<Indices> {
    if rows.first().is_none_or(|row| row.is_empty()) {
        return vec![Indices::new()];
    }
    let mut agreeing: BTreeMap<Vec<Indices>, BTreeSet<u32>> = BTreeMap::new();
    for begun in rows.chunk_by(|one, next| one[0] == next[0]) {
        let rests: Vec<&[u32]> = begun.iter().map(|row| &row[1..]).collect();
        agreeing.entry(products(&rests)).or_default().insert(begun[0][0]);
    }
    let mut agreeing: Vec<_> = agreeing.into_iter().collect();
    agreeing.sort_by_key(|(_, indices)| indices.first().copied());
    let joined = agreeing.into_iter().flat_map(|(ends, indices)| {
        ends.into_iter().map(move |end| [vec![indices.clone()], end].concat())
    });
    joined.collect()
}

/// How many names indices select.
fn product(indices: &[BTreeSet<u32>]) -> usize {
    indices.iter().map(BTreeSet::len).fold(1, usize::saturating_mul)
}

/// The set that `0-3,5` says; none where it has more than `room`, which it takes up.
fn read(text: &str, room: &mut u32) -> Option<BTreeSet<u32>> {
    let mut set = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        *room = room.checked_sub(last.checked_sub(first)?)?.checked_sub(1)?;
        set.extend(first..=last);
    }
    Some(set)
}
