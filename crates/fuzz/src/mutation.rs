//! Small damage to a text: bits, bytes, ranges, tokens, numbers, units.
//!
//! Half of it knows nothing; the other half cuts the text into tokens as most languages do, so
//! that it gets past the first bracket.

use crate::random::Random;

/// Numbers at which programs break.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "63",
    "64",
    "100",
    "255",
    "256",
    "1000",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "0.5",
    "1e9",
    "1e400",
    "00",
    "1_000",
];

/// Units of study files, and some that are none.
const UNITS: [&str; 22] = [
    "B", "KB", "KiB", "MB", "MiB", "GB", "TiB", "EiB", "Mb", "B/s", "MB/s", "GiB/s", "Gb/s", "ns",
    "us", "ms", "s", "min", "h", "/s", "k/s", "%",
];

/// Pieces that open, close, quote or end something.
const PIECES: [&str; 20] = [
    "{", "}", "[", "]", "(", ")", "\"", "\\", "#\"", "\"\"\"", "/*", "//", "/-", "\n", ";", "=",
    "..", ",", "\u{feff}", "\u{2028}",
];

/// One to eight changes; most inputs get few, so that they stay readable to the parser.
pub(crate) fn mutate(base: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut input = base.to_vec();
    let most = 1 + random.below(8);
    for _ in 0..1 + random.below(most) {
        input = change(input, other, random);
    }
    input
}

/// One to four numbers become others; all else stays.
pub(crate) fn renumber(mut input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        input = replace(&input, random, is_number, &NUMBERS);
    }
    input
}

fn change(input: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(10) {
        0 => flip(input, random),
        1 => splice(&input, range(other, random, 64), random),
        2 => delete(input, random),
        3 => repeat(input, random),
        4 => halves(&input, other, random),
        5 => splice(&input, random.of(&PIECES).as_bytes(), random),
        6 => swap(&input, random),
        7 => replace(&input, random, is_number, &NUMBERS),
        8 => replace(&input, random, is_word, &UNITS),
        _ => borrow(&input, other, random),
    }
}

fn flip(mut input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
    input
}

/// Some bytes of `input`, at most `most`.
fn range<'a>(input: &'a [u8], random: &mut Random, most: usize) -> &'a [u8] {
    let from = random.below(input.len() + 1);
    let most = most.min(input.len() - from);
    &input[from..from + random.below(most + 1)]
}

fn splice(input: &[u8], piece: &[u8], random: &mut Random) -> Vec<u8> {
    let (left, right) = input.split_at(random.below(input.len() + 1));
    [left, piece, right].concat()
}

fn delete(mut input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let from = random.below(input.len() + 1);
    let most = (input.len() - from).min(1 << random.below(9));
    let count = random.below(most + 1);
    input.drain(from..from + count);
    input
}

/// Up to 2,000 copies of a few bytes: depth, length, repetition.
fn repeat(input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let piece = range(&input, random, 16).repeat(1 << random.below(12));
    if input.len() + piece.len() > 256 << 10 { input } else { splice(&input, &piece, random) }
}

fn halves(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let head = &input[..random.below(input.len() + 1)];
    let tail = &other[random.below(other.len() + 1)..];
    [head, tail].concat()
}

fn swap(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut tokens = tokens(input);
    let (first, second) = (random.below(tokens.len()), random.below(tokens.len()));
    if !tokens.is_empty() {
        tokens.swap(first, second);
    }
    tokens.concat()
}

/// Puts one of `texts` in the place of one token that `fits`.
fn replace(input: &[u8], random: &mut Random, fits: Kind, texts: &[&str]) -> Vec<u8> {
    exchange(input, random, fits, |random| random.of(texts).as_bytes().to_vec())
}

/// Puts a word of another input in the place of one.
fn borrow(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let words: Vec<&[u8]> = tokens(other).into_iter().filter(|token| is_word(token)).collect();
    if words.is_empty() {
        return input.to_vec();
    }
    exchange(input, random, is_word, |random| random.of(&words).to_vec())
}

type Kind = fn(&[u8]) -> bool;

fn exchange(
    input: &[u8],
    random: &mut Random,
    fits: Kind,
    mut by: impl FnMut(&mut Random) -> Vec<u8>,
) -> Vec<u8> {
    let mut tokens = tokens(input);
    let places: Vec<usize> = (0..tokens.len()).filter(|at| fits(tokens[*at])).collect();
    if places.is_empty() {
        return input.to_vec();
    }
    let text = by(random);
    tokens[*random.of(&places)] = &text;
    tokens.concat()
}

fn is_number(token: &[u8]) -> bool {
    token.first().is_some_and(u8::is_ascii_digit)
}

fn is_word(token: &[u8]) -> bool {
    token.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Runs of digits, runs of letters, and every other byte alone; together they are the text.
fn tokens(input: &[u8]) -> Vec<&[u8]> {
    let digits = |a: &u8, b: &u8| a.is_ascii_digit() && b.is_ascii_digit();
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'/');
    input.chunk_by(|a, b| digits(a, b) || (letter(a) && letter(b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_numbers_words_and_single_signs() {
        let text = b"read=\"128 KiB\"; a-b[0]";
        let found: Vec<_> = tokens(text).into_iter().map(String::from_utf8_lossy).collect();
        let expected = ["read", "=", "\"", "128", " ", "KiB", "\"", ";", " ", "a-b", "[", "0", "]"];
        assert_eq!(found, expected);
        assert_eq!(tokens(text).concat(), text);
    }

    #[test]
    fn every_kind_of_change_takes_any_input_and_most_change_it() {
        let mut random = Random::new(1);
        let texts: [&[u8]; 4] = [b"", b"x", b"read=\"128 KiB\" write=3", &[0xff; 40]];
        let mut changed = 0;
        for round in 0..4_000 {
            let (base, other) = (texts[round % 4], texts[round / 4 % 4]);
            changed += usize::from(mutate(base, other, &mut random) != base);
        }
        assert!(changed > 2_500, "{changed} of 4000 differ from their base");
    }

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        let make = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| mutate(b"a=1 b=2", b"c", &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }
}
