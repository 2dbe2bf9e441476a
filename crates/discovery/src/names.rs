//! Nodes of devices as lists that `bind` takes: `/dev/nvme[0-3]n1`, `/dev/sd[a-d]`.

/// Whether a `bind` can name it: it takes lists, cuts blanks at the ends, and wants no folder.
#[must_use]
pub fn can_be_bound(path: &str) -> bool {
    let has_marks = path.contains(['[', ']', ',']) || path.chars().any(char::is_control);
    !has_marks && path.trim() == path && !path.is_empty() && !path.ends_with('/')
}

/// Paths in order, those that count up in one place as a range.
pub(crate) fn compressed(paths: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut at = 0;
    while at < paths.len() {
        let (word, length) = longest(&paths[at..]);
        words.push(word);
        at += length;
    }
    words.join(", ")
}

/// The longest range that the first paths make.
fn longest(paths: &[String]) -> (String, usize) {
    let first = &paths[0];
    let best = places(first).into_iter().map(|place| (counted(paths, place), place));
    let best = best.filter(|(length, _)| *length > 1).max_by_key(|(length, _)| *length);
    let Some((length, (begin, end))) = best else { return (first.clone(), 1) };
    let (head, tail) = (&first[..begin], &first[end..]);
    let last = &paths[length - 1];
    let last = &last[begin..last.len() - tail.len()];
    (format!("{head}[{}-{last}]{tail}", &first[begin..end]), length)
}

/// Where a path has a number, or a single letter at its end that names a disk.
fn places(path: &str) -> Vec<(usize, usize)> {
    let bytes = path.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            found.push((at, at + digits));
        }
        at += digits.max(1);
    }
    if bytes.last().is_some_and(u8::is_ascii_lowercase) {
        found.push((bytes.len() - 1, bytes.len()));
    }
    found
}

/// How many paths follow the first by counting up in this place.
fn counted(paths: &[String], (begin, end): (usize, usize)) -> usize {
    let (head, tail) = (&paths[0][..begin], &paths[0][end..]);
    let value = |path: &String| {
        let middle = path.strip_prefix(head)?.strip_suffix(tail)?;
        match middle.as_bytes() {
            [letter] if letter.is_ascii_lowercase() => Some(u64::from(*letter)),
            // A leading zero would count with leading zeros.
            [b'0', _, ..] => None,
            _ => middle.parse::<u64>().ok(),
        }
    };
    let Some(first) = value(&paths[0]) else { return 1 };
    let follows = |(at, path): &(u64, &String)| value(path) == Some(first + at);
    (0u64..).zip(paths).take_while(follows).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_written_as_ranges() {
        for (paths, expected) in [
            (vec!["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1"], "/dev/nvme[0-2]n1"),
            (vec!["/dev/sda", "/dev/sdb", "/dev/sdd"], "/dev/sd[a-b], /dev/sdd"),
            (vec!["/dev/sdz", "/dev/sdaa", "/dev/sdab"], "/dev/sdz, /dev/sda[a-b]"),
            (vec!["/dev/nvme0n1", "/dev/nvme0n2"], "/dev/nvme0n[1-2]"),
            (vec!["/dev/nvme9n1", "/dev/nvme10n1"], "/dev/nvme[9-10]n1"),
            (vec!["/dev/vda"], "/dev/vda"),
            (vec!["/dev/sda", "/dev/vdb"], "/dev/sda, /dev/vdb"),
        ] {
            let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
            assert_eq!(compressed(&paths), expected);
        }
    }
}
