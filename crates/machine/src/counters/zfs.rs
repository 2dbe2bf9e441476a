//! /proc/spl/kstat/zfs: what ZFS pools and their datasets did, and the cache of all of them.
//!
//! Format: spl-kstat.c of OpenZFS: a line of the table's own facts, a line of titles, then values.
//! A pool has a file `io` up to OpenZFS 2.0; later ones have only `objset-0x…`, one for each
//! mounted dataset, of kind named (`name type data`). `arcstats` is named, too. Times are
//! nanoseconds. Leaves out: what a pool does without a dataset (scrub, resilver), and L2ARC.

use crate::error::ReadError;
use crate::line::{Line, Named, absent, lines};
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
    counters(value).map(Some)
}

fn counters(
    value: impl Fn(&'static str) -> Result<u64, ReadError>,
) -> Result<ZfsCounters, ReadError> {
    Ok(ZfsCounters {
        read_bytes: value("nread")?,
        write_bytes: value("nwritten")?,
        read_operations: value("reads")?,
        write_operations: value("writes")?,
    })
}

/// The mounted datasets of a pool; one that is unmounted meanwhile is left out.
pub fn read_datasets(root: &Root, pool: &str) -> Result<Vec<Dataset>, ReadError> {
    let mut datasets = Vec::new();
    let folder = format!("{FOLDER}/{pool}");
    for name in root.list(&folder)?.iter().filter(|name| name.starts_with("objset-")) {
        let file = format!("{folder}/{name}");
        let Some(text) = root.read_if_present(&file)? else { continue };
        let table = Named { root, file: &file, text: &text };
        let (_, name) = value(&table, "dataset_name")?;
        let counters = counters(|name| number(&table, name))?;
        datasets.push(Dataset { name: name.to_owned(), counters });
    }
    Ok(datasets)
}

/// The cache; `None` without ZFS.
pub fn read_arc(root: &Root) -> Result<Option<Arc>, ReadError> {
    let file = format!("{FOLDER}/arcstats");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let table = Named { root, file: &file, text: &text };
    Ok(Some(Arc {
        hits: number(&table, "hits")?,
        misses: number(&table, "misses")?,
        size_bytes: number(&table, "size")?,
    }))
}

fn has_tables(root: &Root, name: &str) -> bool {
    let is_of_pool = |file: &String| file == "io" || file.starts_with("objset-");
    root.list(format!("{FOLDER}/{name}")).is_ok_and(|files| files.iter().any(is_of_pool))
}

/// A value of a named table, and its line. A dataset's name may hold blanks: it is all that follows
/// the type.
fn value<'a>(table: &Named<'a>, name: &'static str) -> Result<(Line<'a>, &'a str), ReadError> {
    let (line, rest) = table.find(name)?;
    let (_, value) = rest.split_once(' ').ok_or_else(|| line.malformed("value"))?;
    Ok((line, value.trim()))
}

fn number(table: &Named<'_>, name: &'static str) -> Result<u64, ReadError> {
    let (line, value) = value(table, name)?;
    line.parse(name, Some(value))
}
