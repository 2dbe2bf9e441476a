//! /proc/spl/kstat/zfs: what ZFS pools and their datasets did, and the cache of all of them.
//!
//! Format: spl-kstat.c of OpenZFS: a line of the table's own facts, a line of titles, then values.
//! A pool has a file `io` up to OpenZFS 2.0; later ones have only `objset-0x…`, one for each
//! mounted dataset, of kind named (`name type data`). `arcstats` is named, too. Times are
//! nanoseconds. Leaves out: what a pool does without a dataset (scrub, resilver), and L2ARC.

use std::collections::BTreeMap;

use crate::error::ReadError;
use crate::line::{absent, lines};
use crate::root::Root;

const FOLDER: &str = "/proc/spl/kstat/zfs";

/// What a pool or a dataset did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZfsCounters {
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    pub read_operations: u64,
    pub write_operations: u64,
}

/// A dataset that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    pub pool: String,
    /// Its name, which begins with that of the pool.
    pub name: String,
    /// What programs asked of it.
    pub counters: ZfsCounters,
}

/// The adaptive replacement cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arc {
    /// Blocks found.
    pub hits: u64,
    /// Blocks not found.
    pub misses: u64,
    /// What it holds now.
    pub size_bytes: u64,
    /// What it wants to hold.
    pub target_bytes: u64,
    /// What it may hold.
    pub most_bytes: u64,
}

/// The pools that are imported, by name.
pub fn pools(root: &Root) -> Result<Vec<String>, ReadError> {
    let names = root.list(FOLDER)?;
    let is_pool =
        |name: &String| root.has(format!("{FOLDER}/{name}/state")) || has_tables(root, name);
    Ok(names.into_iter().filter(is_pool).collect())
}

/// What the pool moved, with older releases; `None` where there is no such table.
pub fn read_pool(root: &Root, pool: &str) -> Result<Option<ZfsCounters>, ReadError> {
    let file = format!("{FOLDER}/{pool}/io");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let all: Vec<_> = lines(root, &file, &text).collect();
    let [_, titles, values, ..] = &all[..] else {
        return Err(absent(root.path(&file), "nread"));
    };
    let titles: Vec<&str> = titles.text.split_ascii_whitespace().collect();
    let items: Vec<&str> = values.text.split_ascii_whitespace().collect();
    let value = |name: &'static str| {
        let at = titles.iter().position(|title| *title == name);
        values.parse(name, at.and_then(|at| items.get(at).copied()))
    };
    Ok(Some(ZfsCounters {
        read_bytes: value("nread")?,
        write_bytes: value("nwritten")?,
        read_operations: value("reads")?,
        write_operations: value("writes")?,
    }))
}

/// The mounted datasets of a pool; one that is unmounted meanwhile is left out.
pub fn read_datasets(root: &Root, pool: &str) -> Result<Vec<Dataset>, ReadError> {
    let mut datasets = Vec::new();
    let folder = format!("{FOLDER}/{pool}");
    for name in root.list(&folder)?.iter().filter(|name| name.starts_with("objset-")) {
        let file = format!("{folder}/{name}");
        let Some(text) = root.read_if_present(&file)? else { continue };
        let table = named(root, &file, &text)?;
        let value = |name: &'static str| number(root, &file, &table, name);
        let name = table.get("dataset_name").map(|(_, name)| (*name).to_owned());
        datasets.push(Dataset {
            pool: pool.to_owned(),
            name: name.ok_or_else(|| absent(root.path(&file), "dataset_name"))?,
            counters: ZfsCounters {
                read_bytes: value("nread")?,
                write_bytes: value("nwritten")?,
                read_operations: value("reads")?,
                write_operations: value("writes")?,
            },
        });
    }
    Ok(datasets)
}

/// The cache; `None` without ZFS.
pub fn read_arc(root: &Root) -> Result<Option<Arc>, ReadError> {
    let file = format!("{FOLDER}/arcstats");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let table = named(root, &file, &text)?;
    let value = |name: &'static str| number(root, &file, &table, name);
    Ok(Some(Arc {
        hits: value("hits")?,
        misses: value("misses")?,
        size_bytes: value("size")?,
        target_bytes: value("c")?,
        most_bytes: value("c_max")?,
    }))
}

fn has_tables(root: &Root, name: &str) -> bool {
    let is_of_pool = |file: &String| file == "io" || file.starts_with("objset-");
    root.list(format!("{FOLDER}/{name}")).is_ok_and(|files| files.iter().any(is_of_pool))
}

/// Values of a named table, each with the number of its line.
type Named<'a> = BTreeMap<&'a str, (usize, &'a str)>;

fn named<'a>(root: &'a Root, file: &'a str, text: &'a str) -> Result<Named<'a>, ReadError> {
    let mut table = BTreeMap::new();
    for line in lines(root, file, text).skip(2) {
        // A dataset's name may hold blanks: it is all that follows the type.
        let (name, rest) = line.text.split_once(' ').unwrap_or((line.text, ""));
        let (_, value) =
            rest.trim_start().split_once(' ').ok_or_else(|| line.malformed("value"))?;
        table.insert(name, (line.number, value.trim()));
    }
    Ok(table)
}

fn number(
    root: &Root,
    file: &str,
    table: &Named<'_>,
    name: &'static str,
) -> Result<u64, ReadError> {
    let (line_number, text) = table.get(name).ok_or_else(|| absent(root.path(file), name))?;
    text.parse().map_err(|_| ReadError::Malformed {
        path: root.path(file),
        line_number: *line_number,
        line: (*text).to_owned(),
        item: name,
    })
}
