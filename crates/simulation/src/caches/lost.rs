//! What a cache that fails takes with it.

use std::ops::Range;

use iopath_path::ComponentId;

use crate::fates::What;
use crate::world::World;

impl World<'_> {
    /// Whether what becomes of the writes to a volume is noted.
    #[inline]
    pub(super) fn is_watched(&self, front: u32) -> bool {
        self.fates.are_kept && self.caches.fronts[front as usize].is_volatile
    }

    /// Something came to the media. What its cache lost meanwhile was noted then.
    pub(super) fn settle(&mut self, front: u32, range: Range<u64>) {
        if self.is_watched(front) && self.forget_leaving(front, &range) {
            self.fate(front, range, What::Settled);
        }
    }

    /// Something is not on its way any more; whether it was.
    pub(crate) fn forget_leaving(&mut self, front: u32, range: &Range<u64>) -> bool {
        let leaving = &mut self.caches.fronts[front as usize].leaving;
        let at = leaving.iter().position(|leaving| leaving == range);
        at.map(|at| leaving.swap_remove(at)).is_some()
    }

    /// The volume behind a cache.
    pub(crate) fn volume_of(&self, front: u32) -> ComponentId {
        self.plans.plan(self.caches.fronts[front as usize].upper).to
    }

    /// Takes everything that only failed caches have, by volume as each of them sees it.
    pub(crate) fn empty_failed_fronts(&mut self) -> Vec<(u32, Vec<Range<u64>>)> {
        let mut lost = Vec::new();
        let caches = &mut self.caches;
        for (component, cache) in (0..).map(ComponentId).zip(&caches.cache_of) {
            let Some(cache) = cache.filter(|_| self.failures.is_down(component)) else { continue };
            let cache = &mut caches.all[cache as usize];
            for &front in &cache.fronts {
                let one = &mut caches.fronts[front as usize];
                if !one.is_volatile {
                    continue;
                }
                let dirty = one.dirty.take_all();
                // What is on its way arrives in vain.
                cache.owed -= dirty.iter().map(|range| range.end - range.start).sum::<u64>();
                one.aged = 0;
                let all: Vec<Range<u64>> = dirty.into_iter().chain(one.leaving.drain(..)).collect();
                if !all.is_empty() {
                    lost.push((front, all));
                }
            }
        }
        lost
    }
}
