//! What a study says of a cache, and what is assumed where it says nothing.

use iopath_path::ComponentId;
use iopath_study::System;
use iopath_units::{Bytes, Nanos};

use crate::core::Ps;

/// Size of a cache: assumed, that of a controller of the studies.
const SIZE: Bytes = Bytes(1 << 30);
/// Its least page: assumed, a page of most processors.
const BLOCK: Bytes = Bytes(4096);
/// Share that may be dirty: assumed; of products, 50 to 80 % are known.
const FLUSH_START: f64 = 0.8;
/// Age at which data goes to the media: the default of the FAStT600's product line, as the p690
/// study quotes it.
const FLUSH_AGE: Nanos = Nanos(20_000_000_000);
/// What is read ahead of a stream where `read-ahead-size` says nothing, in requests: assumed, the
/// "read-ahead multiplier" of the p690 study.
const AHEAD_REQUESTS: u64 = 8;

/// How far is read ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    Bytes(u64),
    /// So many times what is asked for.
    Requests(u64),
}

impl Default for Ahead {
    fn default() -> Self {
        Self::Requests(AHEAD_REQUESTS)
    }
}

/// What holds of a cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stated {
    /// Bytes of content that it holds; of a mirrored one half is the partner's.
    pub size: u64,
    /// Whether the study says so.
    pub has_size: bool,
    /// Its least page.
    pub block: u64,
    /// Bytes that may be dirty; more wait.
    pub limit: u64,
    /// Whether nothing but what is aged or flushed leaves it before the limit is reached.
    pub is_lazy: bool,
    /// Share of the limit that is dirty when destaging for want of room ends.
    pub stop: Option<f64>,
    pub age: Ps,
    /// What it reads ahead of a stream of a volume, where it does so.
    pub ahead: Ahead,
}

impl Stated {
    pub(super) fn of(system: &System, cache: ComponentId) -> Self {
        let id = cache.into();
        let is_mirrored = system.flag(id, "mirror").unwrap_or(false);
        let scale = system.scale;
        let sized = |property, usual| system.size(id, property).unwrap_or(scale.size(usual)).0;
        let stated = sized("size", SIZE);
        let size = if is_mirrored { stated / 2 } else { stated };
        let share = |property| system.ratio(id, property).map(|share| share.0 as f64 / 1e6);
        let of_size = |share: f64| ((size as f64 * share) as u64).max(1);
        let limit = of_size(share("flush-start").unwrap_or(FLUSH_START));
        let stop = share("flush-stop").map(|stop| of_size(stop) as f64 / limit as f64);
        Self {
            size,
            has_size: system.size(id, "size").is_some(),
            block: sized("block", BLOCK).max(1),
            limit,
            is_lazy: share("flush-start").is_some(),
            stop,
            age: system.time(id, "flush-age").unwrap_or(scale.time(FLUSH_AGE)).into(),
            ahead: system
                .size(id, "read-ahead-size")
                .map_or_else(Ahead::default, |size| Ahead::Bytes(size.0)),
        }
    }
}
