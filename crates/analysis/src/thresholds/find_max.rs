//! The search for the highest load within a latency limit.

thresholds! {
    /// The lightest load that is tried: response is then that of an idle system.
    pub(crate) LIGHTEST_SHARE: f64 = 0.05, "of the load that uses the system up";

    /// Down to here less is tried where the lightest load is not achieved.
    pub(crate) LEAST_SHARE: f64 = 1e-4, "of the load that uses the system up";

    /// How much more is tried while every load is within.
    pub(crate) RAISE: f64 = 1.5, "times";

    /// Up to here more is tried: caches may carry more than bounds know of.
    pub(crate) MOST_RATIO: f64 = 64.0, "times the load that uses the system up";

    /// Default distance of the highest load within and the lowest beyond.
    pub PRECISION: f64 = 0.02, "of the load";

    /// With less achieved, a load is not sustained; with less than `RATE_REACHED_SHARE` where
    /// chance cannot be why.
    pub(crate) ACHIEVED_SHARE: f64 = 0.95, "of the wanted rate";

    /// Up to here chance may be why requests are missing.
    pub(crate) MISSED_ERRORS: f64 = 4.0, "standard deviations of a Poisson count";

    /// Above this ratio of the mean responses of the last and the first third of the window, more
    /// requests come than complete.
    pub(crate) GROWTH_RATIO: f64 = 1.5, "times";

    /// With fewer, growth may be chance.
    pub(crate) GROWTH_PASSES: usize = 2, "passes";
}
