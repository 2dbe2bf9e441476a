//! What reports point out.

thresholds! {
    /// From this utilisation on something is shown as nearly full.
    pub WARM_SHARE: f64 = 0.8, "of the time";

    /// Mean size of a request up to which requests a second say more than bytes a second.
    pub SMALL_MEAN_BYTES: u64 = 16 << 10, "bytes";

    /// A wanted rate counts as reached in a prediction: records keep whole requests.
    pub WANTED_RATE_SHARE: f64 = 0.995, "of the wanted rate";

    /// A bound that is freer by less is not worth a word.
    pub FREER_BOUND_GAIN: f64 = 0.01, "of the bound that decides";

    /// What one processor usually handles: the catalogue's `linux-io_uring`.
    pub PROCESSOR_REQUESTS: f64 = 433_000.0, "/s";

    /// Of a server, where a study does not say.
    pub USUAL_PROCESSORS: u64 = 64, "processors";

    /// A component that is not full is named where a request spends so much of its time in it.
    pub TIME_NAMED_SHARE: f64 = 0.05, "of a request's time";

    /// A capacity is no bottleneck by itself where the total grows by less when it is raised; the
    /// models raise it by 1 %.
    pub RAISE_GAIN: f64 = 0.001, "of what the capacity grows by";
}
