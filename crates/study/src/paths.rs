//! The paths of the system that a `bind` names: an ordered list of patterns. `[0-3]` counts,
//! `[00-15]` counts with leading zeros, `[a-d]` goes through letters, `[a,c]` lists; several in
//! one pattern nest, the last fastest. A comma outside brackets means "then".

use std::fmt;

use crate::selector::split_top;

/// The most paths that one text may stand for.
const MOST: usize = 100_000;

/// An ordered list of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// As written.
    pub text: String,
    /// What it stands for, in order.
    pub list: Vec<String>,
}

impl Paths {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for pattern in split_top(text) {
            list.append(&mut expand(pattern.trim())?);
            if list.len() > MOST {
                return Err(format!("it expands to more than {MOST} paths"));
            }
        }
        if let Some(directory) = list.iter().find(|path| path.ends_with('/')) {
            return Err(format!("\"{directory}\" is a directory"));
        }
        Ok(Self { text: text.trim().to_owned(), list })
    }
}

impl fmt::Display for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn expand(pattern: &str) -> Result<Vec<String>, String> {
    if pattern.is_empty() {
        return Err("a path is missing".to_owned());
    }
    if pattern.contains('\0') {
        return Err("a path cannot contain NUL".to_owned());
    }
    let mut paths = vec![String::new()];
    let mut rest = pattern;
    while let Some((literal, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').ok_or("a bracket is not closed")?;
        let items = alternatives(inside)?;
        if paths.len().saturating_mul(items.len()) > MOST {
            return Err(format!("it expands to more than {MOST} paths"));
        }
        let join = |path: &String| {
            items.iter().map(|item| format!("{path}{literal}{item}")).collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(join).collect();
        rest = after;
    }
    if rest.contains(']') {
        return Err("a bracket is not opened".to_owned());
    }
    Ok(paths.into_iter().map(|path| path + rest).collect())
}

/// The texts that a pair of brackets stands for.
fn alternatives(inside: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for item in inside.split(',').map(str::trim) {
        match item.split_once('-') {
            Some((first, last)) => all.append(&mut run(first.trim(), last.trim())?),
            None if item.is_empty() => return Err("a bracket is empty".to_owned()),
            None => all.push(item.to_owned()),
        }
    }
    Ok(all)
}

fn run(first: &str, last: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("\"[{first}-{last}]\" is not a range such as [0-3] or [a-d]");
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    if let (Some(a), Some(b)) = (letter(first), letter(last)) {
        let same_case = a.is_ascii_lowercase() == b.is_ascii_lowercase();
        return if a <= b && same_case {
            Ok((a..=b).map(String::from).collect())
        } else {
            Err(wrong())
        };
    }
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| digits)
    };
    let (Some(a), Some(b)) = (number(first), number(last)) else { return Err(wrong()) };
    if a > b {
        return Err(wrong());
    }
    if (b - a) as usize >= MOST {
        return Err(format!("it expands to more than {MOST} paths"));
    }
    let width = if first.starts_with('0') && first.len() > 1 { first.len() } else { 0 };
    Ok((a..=b).map(|number| format!("{number:0width$}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_expand_in_order() {
        for (text, paths) in [
            ("/dev/nvme[0-2]n1", &["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1"][..]),
            ("/dev/sd[a,c], /x", &["/dev/sda", "/dev/sdc", "/x"]),
            ("/d[a-b][8-9]", &["/da8", "/da9", "/db8", "/db9"]),
            ("f[08-10]", &["f08", "f09", "f10"]),
        ] {
            assert_eq!(Paths::parse(text).unwrap().list, paths, "{text}");
        }
    }

    #[test]
    fn what_stands_for_no_path_is_refused() {
        for text in ["", "a,", "a[", "a]", "a[]", "a[3-1]", "a[a-3]", "/tmp/", "a[0-99999999]"] {
            assert!(Paths::parse(text).is_err(), "{text}");
        }
        assert!(Paths::parse("[0-999][0-999]").is_err());
    }
}
