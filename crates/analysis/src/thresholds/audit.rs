//! Tolerances of the consistency checks.

thresholds! {
    /// Requests divided by time add up within this, plus one request: rounding.
    pub ROUNDING_TOLERANCE: f64 = 1e-3, "of the requests";

    /// Of Little's law and the number of slots: one clock reading serves a batch.
    pub BATCH_TOLERANCE: f64 = 0.01, "of the requests in flight";

    /// Two readings of one instant may be this far apart: a few readings of the clock.
    pub CLOCK_READING_NS: f64 = 100.0, "ns";

    /// Shorter passes say nothing about slots: many times a batch.
    pub(crate) SHORT_PASS_NS: u64 = 1_000_000, "ns";

    /// A wanted rate may be exceeded by this.
    pub WANTED_RATE_TOLERANCE: f64 = 0.01, "of the rate";

    /// And by this, as Poisson arrivals vary.
    pub ARRIVAL_ERRORS: f64 = 4.0, "standard deviations";

    /// Device counters may exceed time or rating by this: sampling.
    pub SAMPLING_TOLERANCE: f64 = 0.02, "of the time or the rating";

    /// Longest clock tick of Linux (CONFIG_HZ=100), in which the kernel counts busy time.
    pub CLOCK_TICK_NS: f64 = 1e7, "ns";

    /// Two readings of a counter on a busy machine may be off by this: the reader may wait some ms
    /// for a processor between clock and counter, and the kernel may count up to a tick ahead.
    pub READINGS_NS: f64 = 5e7, "ns";

    /// Members of composed volumes move the streams' bytes within this: copies are kept in
    /// millionths.
    pub(crate) COPIES_TOLERANCE: f64 = 1e-6, "of the bytes";

    /// Devices below direct I/O may have moved this much less: counters are not read at one
    /// instant.
    pub LAYERS_TOLERANCE: f64 = 0.01, "of the bytes";

    /// A simulation may exceed its bound by so many half-widths of its 95 % interval: four standard
    /// deviations, as for wanted rates. Of true records every fortieth is above by one.
    pub BOUND_HALF_WIDTHS: f64 = 2.0, "half-widths";

    /// And by this in any case: requests that a window cuts count by their share of time.
    pub BOUND_TOLERANCE: f64 = 0.005, "of the bound";

    /// A simulation whose half-width is above this ended before it was steady: caches still fill.
    pub BOUND_JUDGED_HALF_WIDTH: f64 = 0.1, "of the throughput";

    /// Bounds of equal streams are equal within this: above rounding.
    pub(crate) EQUAL_STREAM_BOUNDS: f64 = 1e-3, "relative difference";
}
