//! Names that volume managers, labels and sh take, and texts of a study where sh must not read them
//! as commands.
//!
//! Law: lvm(8) allows `a-zA-Z0-9+_.-` and no hyphen in front; zpool(8) wants a letter in front; md
//! keeps 32 bytes of a name (md(4), version-1 metadata). What all take is a letter, then letters,
//! digits, `_` and `-`. A variable has `DEV_` in front, so that none is one that sh or a program
//! knows, such as `PATH`.

use std::collections::{BTreeMap, BTreeSet};

/// The longest name: 32 bytes in md's superblock, with a host of some letters in front.
const LONGEST: usize = 20;

/// A name of what is built.
pub(crate) fn built(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let text: String = name.chars().map(plain).collect();
    let words: Vec<&str> = text.split('-').filter(|word| !word.is_empty()).collect();
    let text = words.join("-");
    let text = text.trim_start_matches('_');
    match text.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => text.to_owned(),
        Some(_) => format!("v{text}"),
        None => "volume".to_owned(),
    }
}

/// A group of a volume.
pub(crate) fn group(name: &str, at: usize) -> String {
    format!("{name}-g{at}")
}

/// A name that zpool(8) keeps for itself.
pub(crate) fn is_reserved_of_pools(name: &str) -> bool {
    let kinds = ["mirror", "raidz", "draid", "spare"];
    name == "log" || kinds.into_iter().any(|kind| name.starts_with(kind))
}

/// Names as built, no two equal and none longer than all take; each comes with how many groups are
/// made of it, whose names are its own too.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = (&'a str, usize)>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    names.map(|(name, groups)| free(name, groups, &mut taken)).collect()
}

/// A name that is free, as are those of its groups, and is not any more.
fn free(name: &str, groups: usize, taken: &mut BTreeSet<String>) -> String {
    let all = |name: &str| -> Vec<String> {
        (0..groups).map(|at| group(name, at)).chain([name.to_owned()]).collect()
    };
    let whole = built(name);
    let mut short: String = whole.chars().take(LONGEST).collect();
    let mut number = 2;
    while all(&short).iter().any(|name| taken.contains(name)) {
        let stem: String = whole.chars().take(LONGEST - 5).collect();
        short = format!("{stem}-{number}");
        number += 1;
    }
    taken.extend(all(&short));
    short
}

/// Variables of parts: by their own name, or by all of it where others have the same.
pub(crate) fn variables(names: &[&str]) -> Vec<String> {
    let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *count.entry(variable(&own(name))).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let one = |name: &&str| {
        let short = variable(&own(name));
        let base = if count[&short] == 1 { short } else { variable(name) };
        let mut text = base.clone();
        let mut number = 2;
        while !taken.insert(text.clone()) {
            text = format!("{base}_N{number}");
            number += 1;
        }
        text
    };
    names.iter().map(one).collect()
}

fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let text: String = name.chars().map(letter).collect();
    let words: Vec<&str> = text.split('_').filter(|word| !word.is_empty()).collect();
    format!("DEV_{}", words.join("_"))
}

/// A UUID of texts: by FNV-1a of 128 bits, as version 8 of RFC 9562.
pub(crate) fn uuid<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash ^= u128::from(byte);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    let hash = hash & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    let text = format!("{hash:032x}");
    let part = |range: std::ops::Range<usize>| text[range].to_owned();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}

/// A text as one word of sh.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text as part of a comment: it cannot end the line.
pub(crate) fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_such_as_every_manager_takes() {
        let rows = [
            ("vol", "vol"),
            ("vol[3]", "vol-3"),
            ("array[0].lun[12]", "array-0-lun-12"),
            ("-rf / ; reboot", "rf-reboot"),
            ("3x", "v3x"),
            ("$(x)", "x"),
            ("ü", "volume"),
        ];
        for (name, expected) in rows {
            assert_eq!(built(name), expected);
        }
    }

    #[test]
    fn no_two_names_are_alike_nor_too_long() {
        let names =
            ["a b", "a-b", "a.b", "a-very-long-name-of-a-volume", "a-very-long-name-of-a-v"];
        let expected = ["a-b", "a-b-2", "a-b-3", "a-very-long-name-of-", "a-very-long-nam-2"];
        assert_eq!(distinct(names.into_iter().map(|name| (name, 0))), expected);
        let groups = [("v-g0", 0), ("v", 2), ("v-2-g1", 0), ("w", 1), ("w-g1", 0)];
        assert_eq!(distinct(groups.into_iter()), ["v-g0", "v-2", "v-2-g1-2", "w", "w-g1"]);
    }

    #[test]
    fn variables_are_short_where_that_is_clear_and_never_one_of_the_shell() {
        let names = ["box.lun[0]", "box.lun[1]", "a.path", "x[0].d[0]", "x[1].d[0]"];
        let expected = ["DEV_LUN_0", "DEV_LUN_1", "DEV_PATH", "DEV_X_0_D_0", "DEV_X_1_D_0"];
        assert_eq!(variables(&names), expected);
        assert_eq!(variables(&["a-b", "a_b"]), ["DEV_A_B", "DEV_A_B_N2"]);
    }

    #[test]
    fn a_uuid_is_one_of_version_8_and_differs_with_its_texts() {
        let [one, other] = [["a", "b"], ["ab", ""]].map(|texts| uuid(texts.into_iter()));
        assert_ne!(one, other);
        assert_eq!(one, uuid(["a", "b"].into_iter()));
        assert_eq!((one.len(), &one[14..15]), (36, "8"));
        assert!("89ab".contains(&one[19..20]), "{one}");
    }

    #[test]
    fn a_text_cannot_become_a_command() {
        assert_eq!(quoted("/dev/a'; reboot '"), r"'/dev/a'\''; reboot '\'''");
        assert_eq!(comment("a\nreboot\r"), "a reboot ");
    }
}
