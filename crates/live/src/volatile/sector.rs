//! One sector in all its versions: what the media have, what caches have, what its file has.
//!
//! Every write that a cache takes makes a version. The newest one is in the file. Older ones are
//! kept while a cache has them or sends them to the media, and the one that the media have, so that
//! a cache that fails takes its own versions with it and no other: of two caches that had a volume
//! one after the other, the first may still have what the second has overwritten.

use std::collections::VecDeque;

/// A sector that the media do not have as its file has it.
#[derive(Debug)]
pub(super) struct Sector {
    pub file: usize,
    /// Where in the file.
    pub at: u64,
    /// All versions that are kept but the newest, by their numbers; the media have the first.
    older: VecDeque<(u32, Box<[u8]>)>,
    /// The number of the version that the file has.
    newest: u32,
    copies: Vec<Copied>,
}

/// What one cache has of it.
#[derive(Debug)]
struct Copied {
    cache: u32,
    has: Option<u32>,
    /// What it has sent to the media.
    sends: Option<u32>,
}

impl Copied {
    fn newest(&self) -> Option<u32> {
        self.has.max(self.sends)
    }
}

impl Sector {
    /// One that a cache is about to have, of which the media have this.
    pub(super) fn new(file: usize, at: u64, on_media: Box<[u8]>, cache: u32) -> Self {
        let older = VecDeque::from([(0, on_media)]);
        let copies = vec![Copied { cache, has: Some(1), sends: None }];
        Self { file, at, older, newest: 1, copies }
    }

    /// Whether the newest version has to be kept when a cache takes another one.
    pub(super) fn is_newest_kept(&self, cache: u32) -> bool {
        let is_elsewhere = |copy: &Copied| copy.cache != cache && copy.has == Some(self.newest);
        self.copies.iter().any(|copy| copy.sends == Some(self.newest) || is_elsewhere(copy))
    }

    /// A cache takes what will be in the file; what is there now is kept.
    pub(super) fn store_beside(&mut self, cache: u32, now: Box<[u8]>) {
        self.older.push_back((self.newest, now));
        self.newest += 1;
        self.store(cache);
        let Self { older, copies, .. } = self;
        let on_media = older.front().map(|(number, _)| *number);
        older.retain(|(number, _)| {
            let number = Some(*number);
            let is_in = |copy: &Copied| copy.has == number || copy.sends == number;
            number == on_media || copies.iter().any(is_in)
        });
    }

    /// A cache takes what will be in the file instead of its own version.
    pub(super) fn store(&mut self, cache: u32) {
        let newest = Some(self.newest);
        match self.copies.iter_mut().find(|copy| copy.cache == cache) {
            Some(copy) => copy.has = newest,
            None => self.copies.push(Copied { cache, has: newest, sends: None }),
        }
    }

    /// A cache sends what it has to the media.
    pub(super) fn leave(&mut self, cache: u32) {
        if let Some(copy) = self.copies.iter_mut().find(|copy| copy.cache == cache) {
            copy.sends = copy.newest();
            copy.has = None;
        }
    }

    /// What a cache sent is there. What is older than what the media had is not put over it.
    pub(super) fn settle(&mut self, cache: u32) {
        let mut copies = self.copies.iter_mut();
        let copy = copies.find(|copy| copy.cache == cache);
        if let Some(sent) = copy.and_then(|copy| copy.sends.take()) {
            self.older.retain(|(number, _)| *number >= sent);
        }
    }

    /// A cache has nothing any more. The newest version that is left, where the file has another.
    pub(super) fn lose(&mut self, cache: u32) -> Option<Box<[u8]>> {
        self.copies.retain(|copy| copy.cache != cache);
        let on_media = self.older.front().map(|(number, _)| *number);
        let left = self.copies.iter().filter_map(Copied::newest).max().max(on_media)?;
        let at = self.older.iter().position(|(number, _)| *number == left)?;
        self.newest = left;
        self.older.drain(at..).next().map(|(_, content)| content)
    }

    /// Whether the media have what the file has.
    pub(super) fn is_settled(&self) -> bool {
        self.older.is_empty()
    }
}
