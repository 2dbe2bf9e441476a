//! Counters at instants, as somebody who watches a machine would sample them.
//!
//! How long a simulation lasts is known at its end only. So samples begin close together and every
//! second one is left out whenever there are too many; those at the edges of phases stay, so that
//! what happened in a window is exact.

use iopath_units::Nanos;

use crate::core::Ps;
use crate::counters::Counted;
use crate::totals::Counts;

/// The first samples are so many times closer than is asked for.
const CLOSER: u64 = 1024;

/// All samples.
#[derive(Debug)]
pub(crate) struct Samples {
    /// How many are kept besides those at edges.
    most: usize,
    step: Ps,
    next: Ps,
    pub all: Vec<Sample>,
    /// Latencies of the requests that are done since the last sample.
    pub heat: Counts,
}

/// Counters at one instant.
#[derive(Debug)]
pub(crate) struct Sample {
    pub at: Ps,
    pub counted: Counted,
    /// Latencies of the requests that were done since the sample before.
    pub heat: Counts,
    /// Whether it stays, however many there are.
    is_edge: bool,
}

impl Sample {
    /// One that is not among the others.
    pub(crate) fn apart(at: Ps, counted: Counted) -> Self {
        Self { at, counted, heat: Counts::default(), is_edge: false }
    }
}

impl Samples {
    /// None yet; not closer together at the end than `interval`, where the run is long enough.
    pub(crate) fn new(interval: Nanos, most: usize) -> Self {
        let step = Ps((Ps::from(interval).0 / CLOSER).max(1));
        Self { most, step, next: step, all: Vec::new(), heat: Counts::default() }
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Ps {
        self.next
    }

    /// They are so far apart from the beginning: a request that waits for its answer waits for
    /// samples too.
    pub(crate) fn keep_distance(&mut self, interval: Nanos) {
        self.step = Ps::from(interval).max(Ps(1));
        self.next = self.step;
    }

    /// Adds one at an edge between phases.
    pub(crate) fn push_edge(&mut self, at: Ps, counted: Counted) {
        self.push(at, counted);
        if let Some(last) = self.all.last_mut() {
            last.is_edge = true;
        }
    }

    /// The last one was no edge.
    pub(crate) fn forget_edge(&mut self) {
        if let Some(last) = self.all.last_mut() {
            last.is_edge = false;
        }
    }

    /// Adds one; it takes the place of one at the same instant.
    pub(crate) fn push(&mut self, at: Ps, counted: Counted) {
        let mut heat = std::mem::take(&mut self.heat);
        let is_same = |last: &mut Sample| last.at.as_nanos() == at.as_nanos();
        let replaced = self.all.pop_if(is_same);
        let is_edge = replaced.as_ref().is_some_and(|last| last.is_edge);
        if let Some(replaced) = replaced {
            heat.merge(&replaced.heat);
        }
        self.all.push(Sample { at, counted, heat, is_edge });
        if self.all.iter().filter(|sample| !sample.is_edge).count() > self.most {
            self.thin();
        }
        // At the end of time there is no next one.
        self.next = Ps((at.0 / self.step.0 + 1).saturating_mul(self.step.0));
    }

    fn thin(&mut self) {
        self.step = self.step + self.step;
        let mut kept: Vec<Sample> = Vec::with_capacity(self.all.len());
        let mut left_out = Counts::default();
        for mut sample in self.all.drain(..) {
            if sample.is_edge || sample.at.0 % self.step.0 == 0 {
                sample.heat.merge(&std::mem::take(&mut left_out));
                kept.push(sample);
            } else {
                left_out.merge(&sample.heat);
            }
        }
        self.all = kept;
        self.heat.merge(&left_out);
    }
}
