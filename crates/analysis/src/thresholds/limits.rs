//! What limits a trial.

thresholds! {
    /// Full from here on; a device also needs as many requests in flight. Sampling and clock ticks
    /// can hide the other 2 %.
    pub FULL_SHARE: f64 = 0.98, "of the capacity or the time";

    /// Limits where nothing on a model's path is full: with random service times and few requests
    /// in flight even the bottleneck sometimes waits. A published bottleneck is met from here on.
    pub(crate) NEARLY_FULL_SHARE: f64 = 0.9, "of the capacity";

    /// Classes this close to the fullest are equally full: which is ahead depends on when counters
    /// were read.
    pub(crate) EQUALLY_FULL: f64 = 0.01, "relative difference";

    /// The same in a model, which reads all counters at one instant: components in series differ
    /// only by the requests between them.
    pub(crate) EQUALLY_FULL_IN_MODEL: f64 = 0.002, "relative difference";

    /// An open loop reached its rate; Poisson arrivals of 10 s at 100/s spread by 3 %.
    pub(crate) RATE_REACHED_SHARE: f64 = 0.98, "of the wanted rate";

    /// From here on all slots count as taken, so streams wait for completions; up to here some are
    /// free.
    pub(crate) SLOTS_TAKEN_SHARE: f64 = 0.9, "of the slots";

    /// The generator is the limit: half of each request's time is its own.
    pub(crate) CEILING_SHARE: f64 = 0.5, "of the generator's ceiling";

    /// A run above this disproves the ceiling; two calibrations can be that far apart.
    pub(crate) CEILING_DISPROVED_RATIO: f64 = 1.1, "times the generator's ceiling";

    /// A stream's thread never rests.
    pub(crate) THREAD_BUSY_SHARE: f64 = 0.95, "of the time";

    /// A device is at its rating.
    pub(crate) RATING_REACHED_SHARE: f64 = 0.95, "of the rating";

    /// A rating or a described or emulated path was exceeded, so is no limit: more than sampling
    /// and a token bucket's credit add to some seconds.
    pub RATING_EXCEEDED_RATIO: f64 = 1.1, "times the rating";

    /// Throttling that the kernel counts is the limit.
    pub(crate) THROTTLED_SHARE: f64 = 0.01, "of the time";

    /// A control group's limit is reached. The kernel dispatches in slices of 0.1 s, less where
    /// requests do not fill them.
    pub(crate) GROUP_LIMIT_SHARE: f64 = 0.95, "of the group's limit";

    /// Below this a device rests now and then: requests do not wait for it, and a rate that stays
    /// is not its own.
    pub(crate) BUSY_SHARE: f64 = 0.9, "of the time";

    /// Requests that spend less of their time in the devices wait above them.
    pub(crate) HELD_ABOVE_SHARE: f64 = 0.5, "of the requests' time";

    /// Below this requests do not wait for processors and threads.
    pub(crate) PROCESSORS_FREE_SHARE: f64 = 0.9, "of the processor time";

    /// Up to here a rate is steady over intervals: a group's limit is enforced in slices of 0.1 s,
    /// so a second has a tenth of a slice more or less.
    pub(crate) STEADY_VARIATION: f64 = 0.05, "standard deviation / mean";

    /// Up to here a rate is imposed, even with one request at a time: a throttle keeps it within 1
    /// %.
    pub(crate) IMPOSED_VARIATION: f64 = 0.01, "standard deviation / mean";

    /// Up to here requests do not queue: the first of a pass waits for nothing.
    pub(crate) UNQUEUED_RATIO: f64 = 1.5, "mean / least time of a request";

    /// From here on a busy device has more to do than a buffered reader asks for: what is read
    /// ahead queues, so that the reader's time is not that of one request.
    pub(crate) AHEAD_RATIO: f64 = 1.5, "requests in the devices / in the streams";

    /// Requests spend their time in the devices: these decide, or something below them.
    pub(crate) RESIDENCE_SHARE: f64 = 0.8, "of the requests' time";

    /// A device takes part: the time that requests spend in it counts, and the processor that
    /// serves it may be its limit.
    pub(crate) INVOLVED_SHARE: f64 = 0.8, "of the time";

    /// A plateau is this close to a straight line, apart from a round of all slots: counters are
    /// read some ms off their instant.
    pub(crate) PLATEAU_BEND: f64 = 0.0075, "of an interval's amount";

    /// A round of all slots may be this large; anything coarser shows no line.
    pub(crate) PLATEAU_ROUND_SHARE: f64 = 0.1, "of an interval's amount";

    /// A plateau lasts this long.
    pub(crate) PLATEAU_INTERVALS: usize = 6, "intervals at least";

    /// The burst before a plateau is this much faster.
    pub(crate) BURST_RATIO: f64 = 1.2, "times the plateau";

    /// Above this a full write cache may have made the step from burst to plateau.
    pub(crate) CACHED_WRITES_SHARE: f64 = 0.1, "of the bytes moved";

    /// No processor time is left, of all processors or of the one that serves a software device.
    pub PROCESSORS_BUSY_SHARE: f64 = 0.95, "of the processor time";

    /// A processor that serves a software device is this much in the kernel; below, others compute
    /// and the device waits for its backing storage.
    pub(crate) KERNEL_SHARE: f64 = 0.25, "of the processor's time";

    /// This process keeps the processors busy. Threads that need little get it at once although
    /// others compute.
    pub(crate) OWN_BUSY_SHARE: f64 = 0.5, "of the busy time";

    /// Waiting for a processor is reported.
    pub(crate) WAIT_REPORTED_SHARE: f64 = 0.05, "of the threads' time";

    /// Waiting for a processor holds the threads back: without it a third more could be done.
    pub(crate) WAIT_LIMITING_SHARE: f64 = 0.25, "of the threads' time";

    /// If no more of the bytes read reached a device, memory supplied the rest.
    pub(crate) READS_AT_DEVICE_SHARE: f64 = 0.1, "of the bytes read";

    /// If no more of the bytes written reached a device, memory took the rest; above, writers
    /// mostly wait for the device.
    pub(crate) WRITES_AT_DEVICE_SHARE: f64 = 0.5, "of the bytes written";

    /// A file is in the page cache; proves hits where no device can be watched.
    pub(crate) CACHED_SHARE: f64 = 0.95, "of the file";

    /// Up to here reads or writes are too few to decide about the page cache.
    pub(crate) MINOR_OPERATION_SHARE: f64 = 0.1, "of the bytes moved";

    /// Flushes are the limit: the larger part of the time.
    pub(crate) FLUSHING_SHARE: f64 = 0.5, "of the time";

    /// With fewer flushes of a device per synchronous write they are not the writes': a write with
    /// FUA needs none.
    pub(crate) FLUSHES_PER_WRITE: f64 = 0.5, "flushes per write";

    /// A model's streams never pause, so the time of a request decides.
    pub(crate) IN_FLIGHT_PER_STREAM: f64 = 0.9, "requests per stream";

    /// Waiting for sibling parts is the limit: 8 equal disks whose times vary by a quarter lose
    /// that much with one request at a time.
    pub(crate) JOIN_WAIT_SHARE: f64 = 0.2, "of the parts' time";

    /// A volume matters only with this much in flight; work behind caches need not hold anything
    /// back.
    pub(crate) VOLUME_SHARE: f64 = 0.5, "of the requests in flight";

    /// The slowest member of a volume is named.
    pub(crate) SLOW_PART_RATIO: f64 = 1.1, "times the median member's time";
}
