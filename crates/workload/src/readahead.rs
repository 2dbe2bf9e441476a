//! How a file system reads ahead of one reader: which units to request, and when the window grows.
//!
//! * **Stated** by a study of a real file system (Veritas, September 2015): reading ahead is
//!   triggered by `trigger` sequential reads, grows with further ones to `unit` × `streams` at
//!   most, and no request is larger than `unit`.
//! * **Assumed**: units lie on multiples of their size; a window counts from the end of the last
//!   read; it begins at `start` units and doubles each time that its reader has passed what was the
//!   window at the last time. With `patience` it does so only if the reader waited no longer for a
//!   unit meanwhile: a hypothesis of ours for two groups of readers in that study, of which one
//!   got ten times what the other did.
//!
//! Left out: reading backwards or with a stride, windows that shrink, and memory that runs short.

mod stated;

use iopath_units::{Bytes, Nanos};

/// How to read ahead; the same for all readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The largest request.
    pub unit: Bytes,
    /// How many units a window has at most; with 0 nothing is read ahead.
    pub streams: u32,
    /// Sequential reads that start it.
    pub trigger: u32,
    /// How a window grows.
    pub growth: Growth,
}

/// How a window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It is whole from the beginning.
    AtOnce,
    /// It doubles each time that its reader has passed it.
    Doubling {
        /// Units of the first window.
        start: u32,
        /// It stays as it is where the reader waited longer for a unit since it last could grow.
        patience: Option<Nanos>,
    },
}

/// What is read ahead of one reader.
#[derive(Clone, Debug)]
pub struct Readahead {
    settings: Settings,
    /// Nothing behind this is requested.
    end: u64,
    /// Where a read would follow the one before.
    next: Option<u64>,
    /// Reads, each following the one before.
    run: u32,
    /// Units of the window; 0 while nothing is read ahead.
    window: u32,
    /// Where the reader must be for the window to grow.
    mark: u64,
    /// Up to where units were requested.
    requested_to: u64,
    /// The longest wait since the window last could grow.
    waited_ns: u64,
}

/// How a read is to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// By a request of its own; what was read ahead is of no use any more.
    Alone,
    /// From units of [`Readahead::next_unit`], the first of which begins here; what was read ahead
    /// before is of no use any more.
    Begins,
    /// From units of [`Readahead::next_unit`], given now or before.
    Follows,
}

/// A part of the target that is requested at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it begins.
    pub offset: u64,
    /// Its length: at most that of the settings.
    pub bytes: u64,
}

impl Readahead {
    /// A reader who has not read yet. `end` is where its part of the target ends.
    ///
    /// # Panics
    /// Where a unit has no bytes.
    #[must_use]
    pub fn new(settings: Settings, end: u64) -> Self {
        assert!(settings.unit.0 > 0, "a unit has at least one byte");
        let (next, run, window, mark, requested_to, waited_ns) = (None, 0, 0, 0, 0, 0);
        Self { settings, end, next, run, window, mark, requested_to, waited_ns }
    }

    /// Notes a read, in the order in which the reader asks. Unless it goes alone, all of it lies in
    /// front of [`Readahead::requested_to`] once [`Readahead::next_unit`] has nothing more.
    pub fn read(&mut self, offset: u64, bytes: u64) -> Course {
        let follows = self.next == Some(offset);
        let end = offset.saturating_add(bytes);
        self.next = Some(end);
        self.run = if follows { self.run.saturating_add(1) } else { 1 };
        let is_due = self.run >= self.settings.trigger && self.settings.streams > 0;
        if !is_due || end > self.end {
            self.window = 0;
            return Course::Alone;
        }
        if self.window == 0 || !follows {
            self.window = self.first_window();
            self.requested_to = offset;
            self.set_mark(offset);
            return Course::Begins;
        }
        if end >= self.mark {
            self.grow();
            self.set_mark(end);
        }
        Course::Follows
    }

    /// The reader waited so long for a unit.
    pub fn waited(&mut self, span: Nanos) {
        self.waited_ns = self.waited_ns.max(span.0);
    }

    /// The next unit to request, if the window has room for one.
    pub fn next_unit(&mut self) -> Option<Unit> {
        if !self.wants_unit() {
            return None;
        }
        let offset = self.requested_to;
        let unit = self.settings.unit.0;
        let end = (offset - offset % unit).saturating_add(unit).min(self.end);
        self.requested_to = end;
        Some(Unit { offset, bytes: end - offset })
    }

    /// Whether [`Readahead::next_unit`] would give one.
    #[must_use]
    #[inline]
    pub fn wants_unit(&self) -> bool {
        self.window > 0 && self.requested_to < self.limit()
    }

    /// Up to where units were requested; of no meaning where nothing is read ahead.
    #[must_use]
    pub fn requested_to(&self) -> u64 {
        self.requested_to
    }

    /// Where the last read ended.
    #[must_use]
    pub fn reader_at(&self) -> u64 {
        self.next.unwrap_or_default()
    }

    /// Units of the window now; 0 while nothing is read ahead.
    #[must_use]
    pub fn window(&self) -> u32 {
        self.window
    }

    /// The last border of units in the window. A window has a unit at least, so all that was read
    /// lies in front of it.
    fn limit(&self) -> u64 {
        let unit = self.settings.unit.0;
        let most = self.reader_at().saturating_add(unit.saturating_mul(u64::from(self.window)));
        if most >= self.end { self.end } else { most - most % unit }
    }

    fn first_window(&self) -> u32 {
        match self.settings.growth {
            Growth::AtOnce => self.settings.streams,
            Growth::Doubling { start, .. } => start.clamp(1, self.settings.streams),
        }
    }

    fn grow(&mut self) {
        let may = match self.settings.growth {
            Growth::AtOnce => false,
            Growth::Doubling { patience, .. } => {
                patience.is_none_or(|patience| self.waited_ns <= patience.0)
            }
        };
        if may {
            self.window = self.window.saturating_mul(2).min(self.settings.streams);
        }
    }

    /// What happens from here on decides on the next growth.
    fn set_mark(&mut self, from: u64) {
        self.waited_ns = 0;
        let window = self.settings.unit.0.saturating_mul(u64::from(self.window));
        self.mark = from.saturating_add(window);
    }
}
