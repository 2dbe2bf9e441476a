//! Cached devices of bcache: which member holds the data, which the cache.
//!
//! Format: Documentation/admin-guide/bcache.rst: `/sys/block/MEMBER/bcache` has `cache_mode` where
//! the member is the backing device; the mode in use stands in brackets.
//! Leaves out: how much of the data is in the cache.

use super::attributes::Attributes;

/// A cached device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bcache {
    /// The member that holds all data, by kernel name.
    pub backing: Option<String>,
    /// The members that are cache; none while detached.
    pub caches: Vec<String>,
    /// `writethrough`, `writeback`, `writearound` or `none`.
    pub mode: Option<String>,
}

/// Reads a cached device by its members.
pub(super) fn read(attributes: &Attributes<'_>, members: &[String]) -> Bcache {
    let mut found = Bcache::default();
    for member in members {
        match attributes.text(format!("/sys/class/block/{member}/bcache/cache_mode")) {
            Some(modes) => {
                found.backing = Some(member.clone());
                let chosen = modes.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
                found.mode = chosen.map(|(mode, _)| mode.to_owned());
            }
            None => found.caches.push(member.clone()),
        }
    }
    found
}
