//! Warnings, comparisons and advice: trials and runs as a whole.

use iopath_units::Nanos;

thresholds! {
    /// A shorter window is mostly beginning and end.
    pub(crate) SHORT_WINDOW_NS: u64 = 1_000_000_000, "ns";

    /// Above this streams begin or end too far apart.
    pub(crate) SKEW_SHARE: f64 = 0.1, "of the window";

    /// Above this the clocks of several hosts are too far apart for the shortest window.
    pub(crate) CLOCK_BOUND_SHARE: f64 = 0.01, "of the window";

    /// Above this the hypervisor takes too much.
    pub(crate) STEAL_SHARE: f64 = 0.02, "of the processor time";

    /// Above this other processes are too busy. The kernel's work for the requests (interrupts,
    /// completions) is included.
    pub(crate) OTHER_LOAD_SHARE: f64 = 0.2, "of the processor time";

    /// Above this the devices move more than the application asked for.
    pub(crate) OTHER_TRAFFIC_RATIO: f64 = 1.1, "times the application's bytes";

    /// A request that takes this long is a stall.
    pub(crate) STALL_SHARE: f64 = 0.1, "of the window";

    /// If more requests than this are added to those in flight in the window, its throughput counts
    /// what was not done.
    pub(crate) BACKLOG_SHARE: f64 = 0.02, "of the completed requests";

    /// Below this streams of one declaration are unfair: of two rates that differ by the factor
    /// two, the index is 0.9.
    pub(crate) UNFAIR_JAIN: f64 = 0.9, "Jain's index";

    /// From this many streams on; fewer are seen at a glance.
    pub(crate) UNFAIR_STREAMS: usize = 4, "streams of a declaration";

    /// Streams below this get too little.
    pub(crate) UNFAIR_RATE_SHARE: f64 = 0.5, "of the mean rate";

    /// If less of a direct read reached the devices, holes or a cache supplied the rest, and the
    /// audit does not blame the counters.
    pub(crate) HOLES_SHARE: f64 = 0.5, "of the bytes read";

    /// A shorter interval has no rate.
    pub(crate) SHORT_INTERVAL_NS: u64 = 500_000_000, "ns";

    /// An interval that moves less has no load.
    pub(crate) LOADED_SHARE: f64 = 0.01, "of the busiest interval";

    /// A shorter interval of a timeline is joined to its neighbour.
    pub(crate) JOINED_INTERVAL_SHARE: f64 = 0.25, "of the median interval";

    /// A drain up to this long stays in the timeline, to show the end of the load.
    pub(crate) SHORT_DRAIN_SHARE: f64 = 0.1, "of the time before";

    /// From the knee on a line carries at least this much: more of the factor brings nothing.
    pub KNEE_SHARE: f64 = 0.95, "of the maximum";

    /// Default limit of the mean response in a load sweep, as in SPC-1.
    pub RESPONSE_WITHIN: Nanos = Nanos(30_000_000), "ns";

    /// Up to here more depth brings no more.
    pub(crate) FLAT_DIFFERENCE: f64 = 0.05, "difference of rates / mean";

    /// Up to here a rate that stays is imposed; rates of devices spread more from trial to trial.
    pub(crate) IMPOSED_DIFFERENCE: f64 = 0.01, "difference of rates / mean";

    /// A rate that stays means something once requests in flight grow this much; a throttle makes
    /// requests take as many times as long.
    pub(crate) DEPTH_RATIO: f64 = 2.0, "times";

    /// Request times must follow the depth this far: the first slots of a trial are empty.
    pub(crate) FOLLOWED_SHARE: f64 = 0.9, "of the growth in depth";

    /// A sub-stream may miss its share by this much: SPC-1's rule.
    pub INTENSITY_DIFFERENCE: f64 = 0.05, "of the wanted rate";

    /// A sub-stream's rate may vary by this much over intervals: SPC-1's rule.
    pub INTENSITY_VARIATION: f64 = 0.2, "standard deviation / mean";

    /// Requests are many where the allowed difference is this many of their standard deviations.
    pub(crate) INTENSITY_MANY_ERRORS: f64 = 3.0, "standard deviations";

    /// Of few requests, only a larger difference counts.
    pub(crate) INTENSITY_FEW_ERRORS: f64 = 5.0, "standard deviations";

    /// An interval of a sub-stream needs so many; chance varies them by 0.07.
    pub(crate) INTENSITY_REQUESTS: f64 = 200.0, "requests";

    /// With fewer a sub-stream has no variation.
    pub(crate) INTENSITY_INTERVALS: usize = 5, "intervals";

    /// Of each side, for a verdict: two give no idea of their spread.
    pub LEAST_PASSES: usize = 3, "passes";

    /// Two figures are the same within the first that holds the interval of their difference; the
    /// widest is a model's tolerance against a published figure. A test of equivalence (Schuirmann,
    /// J. Pharmacokinetics and Biopharmaceutics 15, 1987), with the 95 % interval instead of the
    /// usual one of 90 %.
    pub SAME_WITHIN_PERCENT: [f64; 3] = [1.0, 2.0, 5.0], "%";

    /// Up to this size requests are so many that a scheduler's time for each counts.
    pub(crate) SMALL_REQUEST_BYTES: u64 = 32 << 10, "bytes";

    /// With fewer each write waits for a flush of its own.
    pub(crate) OWN_FLUSH_WRITES: f64 = 1.5, "writes per flush";

    /// With less read ahead a sequential reader waits: two keep one in flight while the other is
    /// consumed.
    pub(crate) READ_AHEAD_REQUESTS: u64 = 2, "requests";

    /// With less read ahead than by default (the kernel's VM_READAHEAD_PAGES) a device serves small
    /// requests one after the other.
    pub(crate) READ_AHEAD_BYTES: u64 = 128 << 10, "bytes";
}
