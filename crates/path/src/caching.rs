//! How a cache treats a volume behind it: as the volume says, else as the cache does for all.

use iopath_study::System;
use iopath_study::words::WriteCache;

use crate::network::ComponentId;

/// Properties of a volume that go before those of the cache in front of it.
pub(crate) const OF_VOLUME: [&str; 3] = ["write-cache", "cache-mirror", "read-ahead"];

/// Settings of a cache for one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caching {
    pub write: WriteCache,
    /// Whether each write that it answers also goes to the partner.
    pub is_mirrored: bool,
    /// Whether it reads ahead of sequential streams.
    pub reads_ahead: bool,
}

impl Caching {
    #[must_use]
    pub fn of(system: &System, cache: ComponentId, volume: ComponentId) -> Self {
        let (cache, volume) = (cache.into(), volume.into());
        let flag = |of_volume, of_cache| {
            let own = system.flag(volume, of_volume).or_else(|| system.flag(cache, of_cache));
            own.unwrap_or(false)
        };
        let write = system.choice(volume, "write-cache").or_else(|| system.choice(cache, "write"));
        Self {
            write: write.unwrap_or(WriteCache::Back),
            is_mirrored: flag("cache-mirror", "mirror"),
            reads_ahead: flag("read-ahead", "read-ahead"),
        }
    }
}
