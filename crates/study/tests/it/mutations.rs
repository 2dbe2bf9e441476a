//! Texts that somebody's finger or a broken disk changed: mistakes, never a panic; and what still
//! is a study gives cases whose texts are studies too.

use super::examples::{EXAMPLES, PATHS};
use super::{cases_of, read_with};

/// Mutations of each example.
const ROUNDS: u64 = 150;

/// Pieces that are likely to confuse.
const PIECES: [&str; 16] = [
    "{", "}", "\"", "#", "=", "[", "]", "..", "0", "-1", "/*", "/-", "\\", "\n", "4MiB", "\u{feff}",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..(at + 1 + random.below(12)).min(bytes.len()))),
            2 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            _ => {
                let from = random.below(bytes.len());
                let piece = bytes[from..(from + random.below(40)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_text_is_too_strange() {
    let mut random = Random(20_261_120);
    // The paths with few parts: those with many take their time.
    for (name, text) in EXAMPLES.into_iter().chain([PATHS[2], PATHS[4], PATHS[7]]) {
        for _ in 0..ROUNDS {
            let text = mutate(text, &mut random);
            match read_with(&text, &[]) {
                Err(mistakes) => {
                    assert!(!mistakes.list.is_empty(), "{name}\n{text}");
                    let mut unique = mistakes.list.clone();
                    unique.dedup();
                    assert_eq!(unique, mistakes.list, "{text}");
                    assert!(!mistakes.to_string().contains('\u{1b}'));
                }
                Ok(study) => {
                    let case = study.cases().unwrap().swap_remove(0);
                    assert_eq!(cases_of(&case.text), [case], "{text}");
                }
            }
        }
    }
}

#[test]
fn every_prefix_of_a_study_is_read() {
    for (_, text) in EXAMPLES {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(17) {
            if let Err(mistakes) = read_with(&text[..end], &[]) {
                assert!(!mistakes.list.is_empty(), "{}", &text[..end]);
            }
        }
    }
}
