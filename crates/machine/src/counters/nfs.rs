//! /proc/self/mountstats: what every NFS mount has done, as its client sees it.
//!
//! Format: nfs_show_stats in fs/nfs/super.c and rpc_clnt_show_stats in net/sunrpc/stats.c. `bytes:`
//! has eight values, `READ:` and `WRITE:` of the per-op statistics eight (statvers 1.0) or nine
//! with errors (1.1, Linux 5.3); times are milliseconds. Other file systems have one line each
//! here. Leaves out: operations other than reads and writes, where calls wait, events, transports.

use std::path::PathBuf;

use crate::error::ReadError;
use crate::line::{Line, absent, lines};
use crate::mounts::unescape;
use crate::root::Root;

const FILE: &str = "/proc/self/mountstats";
const NS_PER_MS: u64 = 1_000_000;

/// One kind of remote call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Calls completed.
    pub operations: u64,
    /// Calls that waited for longer than a major timeout.
    pub timeouts: u64,
    /// Summed time from the beginning to the end of a call.
    pub total_ns: u64,
    /// Calls that ended with an error; `None` before Linux 5.3.
    pub errors: Option<u64>,
}

/// Bytes that server and client exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MountBytes {
    /// Read from the server.
    pub server_read: u64,
    /// Written to the server.
    pub server_write: u64,
}

/// One NFS mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NfsMount {
    /// `server:/export`.
    pub export: String,
    pub mount_point: PathBuf,
    /// Bytes; `None` while the mount has told of none.
    pub bytes: Option<MountBytes>,
    /// Reads from the server; `None` where the statistics lack them.
    pub reads: Option<Calls>,
    /// Writes to the server; `None` where the statistics lack them.
    pub writes: Option<Calls>,
}

/// Reads all NFS mounts, in order of mounting.
pub fn read(root: &Root) -> Result<Vec<NfsMount>, ReadError> {
    let text = root.read(FILE)?;
    let mut mounts: Vec<NfsMount> = Vec::new();
    let mut is_nfs = false;
    for line in lines(root, FILE, &text) {
        let trimmed = line.text.trim();
        if let Some(rest) = trimmed.strip_prefix("device ") {
            let mount = head(&line, rest)?;
            is_nfs = mount.is_some();
            mounts.extend(mount);
        } else if is_nfs && let Some(mount) = mounts.last_mut() {
            detail(&line, trimmed, mount)?;
        }
    }
    // The kernel writes the whole of the last mount; a text that ends within it was torn.
    match mounts.last() {
        Some(last) if is_nfs && last.reads.is_some() != last.writes.is_some() => {
            Err(absent(root.path(FILE), "READ and WRITE"))
        }
        _ => Ok(mounts),
    }
}

/// `server:/export mounted on /mnt with fstype nfs4 statvers=1.1`; `None` for anything but NFS.
fn head(line: &Line<'_>, rest: &str) -> Result<Option<NfsMount>, ReadError> {
    let parts = rest.split_once(" mounted on ").and_then(|(export, rest)| {
        let (mount_point, kind) = rest.rsplit_once(" with fstype ")?;
        Some((export, mount_point, kind))
    });
    let (export, mount_point, kind) = parts.ok_or_else(|| line.malformed("mount"))?;
    let is_nfs = matches!(kind.split(' ').next(), Some("nfs" | "nfs4"));
    Ok(is_nfs.then(|| NfsMount {
        export: unescape(export).to_string_lossy().into_owned(),
        mount_point: unescape(mount_point),
        bytes: None,
        reads: None,
        writes: None,
    }))
}

fn detail(line: &Line<'_>, trimmed: &str, mount: &mut NfsMount) -> Result<(), ReadError> {
    let Some((name, values)) = trimmed.split_once(':') else { return Ok(()) };
    match name {
        "bytes" => mount.bytes = Some(bytes(line, values)?),
        "READ" => mount.reads = Some(calls(line, values)?),
        "WRITE" => mount.writes = Some(calls(line, values)?),
        _ => {}
    }
    Ok(())
}

fn bytes(line: &Line<'_>, values: &str) -> Result<MountBytes, ReadError> {
    let mut items = values.split_ascii_whitespace().skip(4);
    let mut next = |item| line.parse(item, items.next());
    let (server_read, server_write) = (next("server read bytes")?, next("server write bytes")?);
    Ok(MountBytes { server_read, server_write })
}

fn calls(line: &Line<'_>, values: &str) -> Result<Calls, ReadError> {
    let items: Vec<&str> = values.split_ascii_whitespace().collect();
    let number = |item, at: usize| line.parse(item, items.get(at).copied());
    Ok(Calls {
        operations: number("operations", 0)?,
        timeouts: number("timeouts", 2)?,
        total_ns: line.scaled("execution time", items.get(7).copied(), NS_PER_MS)?,
        errors: items.get(8).map(|_| number("errors", 8)).transpose()?,
    })
}
