//! Whatever is cut off, deleted or changed: an error or a good record, never a panic.

use iopath_record::{from_json, to_json};
use proptest::prelude::*;

use crate::fixtures::{ALL, kept, records, told};

/// Nothing panics, and what is a record can be stored.
fn survive(text: &str) {
    for asked in [told(), kept()] {
        if iopath_dialect::recognise(text).is_none() {
            return;
        }
        for record in records(text, &asked).into_iter().flatten() {
            assert_eq!(from_json(&to_json(&record)).expect("a record that is read"), record);
        }
    }
}

#[test]
fn any_line_may_be_lost() {
    for text in ALL {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Long texts repeat themselves: a hundred places of each.
        for at in (0..lines.len()).step_by(lines.len().div_ceil(100)) {
            survive(&[&lines[..at], &lines[at + 1..]].concat().concat());
            survive(&lines[..at].concat());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_end_may_be_missing(which in 0..ALL.len(), at in 0.0..1.0f64) {
        let text = ALL[which];
        let mut at = (text.len() as f64 * at) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        survive(&text[..at]);
    }

    #[test]
    fn any_word_may_be_another(
        which in 0..ALL.len(),
        at in 0.0..1.0f64,
        word in "[-0-9a-z%:.,/]{0,20}",
    ) {
        let words: Vec<&str> = ALL[which].split_inclusive(' ').collect();
        let at = (words.len() as f64 * at) as usize;
        let other = format!("{word} ");
        survive(&[&words[..at], &[other.as_str()], &words[at + 1..]].concat().concat());
    }
}
