//! Which devices hold the data of a mapped one, and how they share it.
//!
//! Laws: the order of the parameters in Documentation/admin-guide/device-mapper. What only helps
//! (logs, metadata, caches, hashes, the store of a snapshot) holds no data of its own here, since
//! its share of a load is not known from a table.
//! Leaves out: which blocks are cached, copied or allocated.

use crate::counters::diskstats::DeviceNumber;

/// Where the data of one line of a table are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The devices that hold it, in their order; empty where none does.
    pub data: Vec<DeviceNumber>,
    /// Devices that hold none of it: metadata, logs, caches, the store of a snapshot.
    pub besides: Vec<DeviceNumber>,
    /// Members of a RAID that are missing.
    pub missing: usize,
    /// What lies on one device before the next one's turn.
    pub chunk_bytes: Option<u64>,
    /// Of `raid` its type, such as `raid5_ls`; of `multipath` how a path is chosen, such as
    /// `service-time`.
    pub word: Option<String>,
    /// Of `multipath`, how many paths are in its first group: those of the others wait.
    pub group: Option<usize>,
}

impl Layout {
    pub(super) fn of(kind: &str, parameters: &[&str]) -> Self {
        let found = match kind {
            "linear" | "delay" | "integrity" | "snapshot-origin" | "snapshot"
            | "snapshot-merge" | "thin" => Self::at(parameters, 0),
            "crypt" => Self::at(parameters, 3),
            "thin-pool" | "era" | "verity" | "writecache" | "clone" => Self::at(parameters, 1),
            "cache" => Self::at(parameters, 2),
            "striped" => striped(parameters),
            "mirror" => mirror(parameters),
            "raid" => raid(parameters),
            "multipath" => multipath(parameters),
            "error" | "zero" => Some(Self::default()),
            // Of what is not known the first device stands for all.
            _ => numbers(parameters).next().map(|first| Self::over(vec![first])),
        };
        let mut found = found.unwrap_or_default();
        found.besides = numbers(parameters).filter(|other| !found.data.contains(other)).collect();
        found
    }

    fn over(data: Vec<DeviceNumber>) -> Self {
        Self { data, ..Self::default() }
    }

    fn at(parameters: &[&str], place: usize) -> Option<Self> {
        let number = DeviceNumber::parse(parameters.get(place)?)?;
        Some(Self::over(vec![number]))
    }
}

fn numbers<'a>(parameters: &'a [&str]) -> impl Iterator<Item = DeviceNumber> + 'a {
    parameters.iter().filter_map(|word| super::number_in(word))
}

fn sectors(word: &str) -> Option<u64> {
    let bytes = word.parse::<u64>().ok()?.checked_mul(super::SECTOR_BYTES)?;
    (bytes > 0).then_some(bytes)
}

/// `COUNT CHUNK`, then pairs of device and first sector.
fn striped(parameters: &[&str]) -> Option<Layout> {
    let data: Vec<DeviceNumber> = numbers(parameters.get(2..)?).collect();
    Some(Layout { chunk_bytes: sectors(parameters.get(1)?), ..Layout::over(data) })
}

/// `LOG COUNT` and that many arguments; `COUNT` and pairs of device and first sector.
fn mirror(parameters: &[&str]) -> Option<Layout> {
    let arguments: usize = parameters.get(1)?.parse().ok()?;
    let legs = parameters.get(arguments.checked_add(3)?..)?;
    Some(Layout::over(numbers(legs).collect()))
}

/// `TYPE COUNT` and that many parameters, the first of which is the chunk; `COUNT` and pairs of
/// devices for metadata and data, `-` for one that is missing.
fn raid(parameters: &[&str]) -> Option<Layout> {
    let count: usize = parameters.get(1)?.parse().ok()?;
    let pairs = parameters.get(count.checked_add(3)?..)?;
    let members: Vec<Option<DeviceNumber>> =
        pairs.chunks_exact(2).map(|pair| DeviceNumber::parse(pair[1])).collect();
    Some(Layout {
        missing: members.iter().filter(|member| member.is_none()).count(),
        chunk_bytes: parameters.get(2).and_then(|word| sectors(word)),
        word: parameters.first().map(|word| (*word).to_owned()),
        ..Layout::over(members.into_iter().flatten().collect())
    })
}

/// Counted features, counted arguments of the handler, `GROUPS FIRST`, then each group: `SELECTOR`
/// and its counted arguments, `PATHS ARGUMENTS`, and as many devices, each with its arguments.
fn multipath(parameters: &[&str]) -> Option<Layout> {
    let counted = |at: usize| -> Option<usize> {
        at.checked_add(1)?.checked_add(parameters.get(at)?.parse().ok()?)
    };
    let groups = counted(counted(0)?)?;
    let selector = groups.checked_add(2)?;
    let paths = counted(selector.checked_add(1)?).and_then(|at| parameters.get(at)?.parse().ok());
    Some(Layout {
        word: parameters.get(selector).map(|word| (*word).to_owned()),
        group: paths,
        ..Layout::over(numbers(parameters).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind and parameters, devices of data, chunk in sectors, word, and group.
    fn told(line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let layout = Layout::of(words[0], &words[1..]);
        let data: Vec<String> = layout.data.iter().map(ToString::to_string).collect();
        let chunk = layout.chunk_bytes.map(|bytes| format!(" chunk {}", bytes / 512));
        let word = layout.word.map(|word| format!(" {word}"));
        let group = layout.group.map(|group| format!(" of {group}"));
        let missing = (layout.missing > 0).then(|| format!(" {} missing", layout.missing));
        let parts = [chunk, word, group, missing].map(Option::unwrap_or_default).concat();
        format!("{}{parts}", data.join(" "))
    }

    #[test]
    fn data_is_told_from_what_only_helps() {
        for (line, expected) in [
            ("linear 259:4 2048", "259:4"),
            ("striped 3 128 8:0 0 8:16 64 8:32 0", "8:0 8:16 8:32 chunk 128"),
            ("snapshot 253:2 253:3 P 8", "253:2"),
            ("snapshot-origin 253:2", "253:2"),
            ("thin 253:5 17", "253:5"),
            ("thin-pool 253:3 253:4 128 0 1 skip_block_zeroing", "253:4"),
            ("mirror disk 2 253:3 1024 2 253:4 0 253:5 8 1 handle_errors", "253:4 253:5"),
            (
                "raid raid5_ls 3 64 region_size 4096 3 253:0 253:1 - 253:3 253:4 253:5",
                "253:1 253:3 253:5 chunk 64 raid5_ls",
            ),
            ("raid raid1 1 0 2 253:0 253:1 - -", "253:1 raid1 1 missing"),
            ("crypt aes-xts-plain64 :64:logon:cryptsetup:1-2 0 8:3 4096 1 allow_discards", "8:3"),
            ("cache 253:1 253:2 253:3 128 1 writeback smq 0", "253:3"),
            ("writecache p 253:3 253:2 4096 0", "253:3"),
            ("verity 1 8:1 8:2 4096 4096 10 1 sha256 aa bb", "8:1"),
            ("integrity 8:1 0 - J 2 block_size:4096 meta_device:253:4", "8:1"),
            ("delay 8:0 0 5 8:16 40 7", "8:0"),
            (
                "multipath 2 queue_if_no_path retain_attached_hw_handler 1 alua 1 1 service-time 0 \
                 2 2 8:0 1 1 8:16 1 1",
                "8:0 8:16 service-time of 2",
            ),
            (
                "multipath 0 0 2 1 round-robin 0 1 1 8:0 1 round-robin 0 1 1 8:16 1",
                "8:0 8:16 round-robin of 1",
            ),
            ("unheard-of 8:1 7 some:thing 8:2", "8:1"),
            ("zero ", ""),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_is_cut_short_holds_nothing() {
        for line in
            ["linear", "striped 2", "mirror core", "raid raid5_ls x", "multipath 0", "crypt"]
        {
            assert_eq!(told(line), "", "{line}");
        }
    }
}
