//! /sys/devices/system/node/nodeN/numastat: whether memory came from the node that asked for it.
//!
//! Format: Documentation/admin-guide/numastat.rst; counts of pages since boot.
//! Leaves out: the memory of each node, and the counts by kind of memory (vmstat of each node).

use crate::error::ReadError;
use crate::line::{absent, lines};
use crate::root::Root;

const FOLDER: &str = "/sys/devices/system/node";

/// Pages that one node gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The kernel's number.
    pub index: u32,
    /// Given here as wanted.
    pub hits: u64,
    /// Given here although another node was wanted.
    pub misses: u64,
    /// Wanted here and given by another node.
    pub foreign: u64,
    /// Given here as interleaving wanted.
    pub interleaved: u64,
    /// Given to a process that ran here.
    pub local: u64,
    /// Given to a process that ran on another node.
    pub remote: u64,
}

/// The numbers of all nodes, ascending; empty on kernels without NUMA.
pub fn nodes(root: &Root) -> Result<Vec<u32>, ReadError> {
    let names = root.list(FOLDER)?;
    let mut indices: Vec<u32> =
        names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok()).collect();
    indices.sort_unstable();
    Ok(indices)
}

/// Reads all nodes, by number; empty on kernels without NUMA.
pub fn read(root: &Root) -> Result<Vec<Node>, ReadError> {
    nodes(root)?.into_iter().map(|index| read_node(root, index)).collect()
}

/// Reads one node by its number.
pub fn read_node(root: &Root, index: u32) -> Result<Node, ReadError> {
    let file = format!("{FOLDER}/node{index}/numastat");
    let text = root.read(&file)?;
    let value = |name: &'static str| {
        let found = lines(root, &file, &text).find_map(|line| {
            let (found, value) = line.text.split_once(' ')?;
            (found == name).then(|| line.parse(name, Some(value.trim())))
        });
        found.unwrap_or_else(|| Err(absent(root.path(&file), name)))
    };
    Ok(Node {
        index,
        hits: value("numa_hit")?,
        misses: value("numa_miss")?,
        foreign: value("numa_foreign")?,
        interleaved: value("interleave_hit")?,
        local: value("local_node")?,
        remote: value("other_node")?,
    })
}
