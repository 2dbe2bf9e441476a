//! /sys/devices/system/node/nodeN/numastat: whether memory came from the node that asked for it.
//!
//! Format: Documentation/admin-guide/numastat.rst; counts of pages since boot.
//! Leaves out: the memory of each node, and the counts by kind of memory (vmstat of each node).

use crate::error::ReadError;
use crate::line::Named;
use crate::root::Root;

const FOLDER: &str = "/sys/devices/system/node";

/// Pages that one node gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
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

/// Reads one node by its number.
pub fn read_node(root: &Root, index: u32) -> Result<Node, ReadError> {
    let file = format!("{FOLDER}/node{index}/numastat");
    let text = root.read(&file)?;
    let pages = Named { root, file: &file, text: &text };
    Ok(Node { local: pages.number("local_node")?, remote: pages.number("other_node")? })
}
