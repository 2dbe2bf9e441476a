//! Members, classes, layers and shared limits: things that are compared with one another.

thresholds! {
    /// Up to here rates are even. Paths fed by a round robin differed by 1.10 over 300 s in a
    /// published study (Veritas, 2015).
    pub(crate) EVEN_RATIO: f64 = 1.15, "greatest / least rate";

    /// From here on members are slow. In that study halves of good paths differed by 1.2, slow
    /// paths from the others by 6.5.
    pub(crate) SLOW_RATIO: f64 = 1.5, "times as long";

    /// The same of equal rates where every member is always busy: a time is then mostly that of a
    /// queue, which a closed loop leaves at any of equal members (1.8 times as long in a measured
    /// mirror of two).
    pub(crate) QUEUED_RATIO: f64 = 3.0, "times as long";

    /// Above this request sizes differ, and times are compared per byte.
    pub(crate) SIMILAR_SIZE_RATIO: f64 = 1.1, "times the mean size";

    /// A difference between members needs so many. Counts of n independent arrivals spread by √n,
    /// means of n exponential times by 1/√n; two would be too few for the extremes of many members.
    pub(crate) CHANCE_ERRORS: f64 = 3.0, "standard errors";

    /// Below this a member is idle.
    pub(crate) IDLE_SHARE: f64 = 0.01, "of the median rate";

    /// Devices this close may share a limit: members of even volumes differed by this in that
    /// study.
    pub(crate) EQUAL_RATES_RATIO: f64 = 1.1, "greatest / least rate";

    /// Devices may share a limit where their sum is this much steadier than the steadiest of them.
    pub(crate) STEADIER_RATIO: f64 = 2.0, "times as steady";

    /// With fewer the spread of rates means nothing.
    pub(crate) SPREAD_INTERVALS: usize = 5, "intervals";

    /// Components this close in use are one class: above rounding to whole bytes, below what anyone
    /// would call uneven.
    pub(crate) EQUAL_USE: f64 = 0.005, "relative difference";

    /// The same where a case need not repeat exactly: above what random service times do to equal
    /// parts within some seconds.
    pub(crate) EQUAL_USE_AT_RANDOM: f64 = 0.1, "relative difference";

    /// Two bounds this close are one: records keep whole bytes and thousandths of requests.
    pub(crate) EQUAL_BOUNDS: f64 = 1e-6, "relative difference";

    /// Bytes of two layers agree within this, as counters of one layer did in that study.
    pub(crate) LAYER_DIFFERENCE: f64 = 0.005, "of the ratio";

    /// The same where a user stated the unit of an imported meter: two meters read at different
    /// instants, with different averages, differed by up to 3.3 % in that study.
    pub(crate) LOOSE_LAYER_DIFFERENCE: f64 = 0.035, "of the ratio";

    /// Requests in flight explain a difference up to this; more in flight, in a short pass, would
    /// explain any.
    pub(crate) IN_FLIGHT_BYTES_SHARE: f64 = 0.1, "of the bytes moved";

    /// Whole multiples up to this may be copies that no relation states.
    pub(crate) UNSTATED_COPIES: f64 = 4.0, "copies";

    /// Above this a layer mostly reads, so fewer bytes below mean a cache or holes.
    pub(crate) MOSTLY_READS_SHARE: f64 = 0.5, "of the bytes moved";

    /// A device that loses this much of its own rate next to others shares a limit with them; a
    /// group half as much. Passes of a second differ by about 3 %.
    pub(crate) LOSS: f64 = 0.1, "of the rate alone";

    /// Losses this close to the decisive one are measured again.
    pub(crate) CLOSE_LOSS: f64 = 1.0 / 3.0, "of the decisive loss";

    /// A device that gets this much less than alone waits for a component that others use too:
    /// above the 3 % by which passes of a second differ.
    pub LESS_THAN_ALONE: f64 = 0.05, "of the rate alone";

    /// A component may be full where it passes this much less than the most that it ever did, as
    /// passes of a second differ by 3 %.
    pub FULL_AGAIN: f64 = 0.03, "of the most seen";

    /// Sets of devices are measured at once where what they share is expected to pass this much of
    /// the most that it ever did: clearly less than makes it full again.
    pub(crate) ROOM: f64 = 0.8, "of the most seen";

    /// A component that passes at most this much of the most that it ever did slowed no device
    /// down, even where the most of another run is some percent off.
    pub(crate) NOT_FULL: f64 = 0.9, "of the most seen";

    /// From here on the same bytes read again came from a cache, and not from media: above what a
    /// shared virtual disk differs by from one experiment to the next.
    pub FROM_CACHE: f64 = 1.25, "times the rate of new data";

    /// Parts scale while together they carry this much of what each carries alone.
    pub(crate) SCALES_WELL: f64 = 0.9, "of the rates alone";
}
