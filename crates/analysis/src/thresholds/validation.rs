//! Models against published figures.

thresholds! {
    /// Of a check without a tolerance of its own: the goal of the project.
    pub(crate) CHECK_TOLERANCE: f64 = 0.05, "of the published figure";

    /// What rounding to whole bytes per second leaves.
    pub(crate) IDENTITY_TOLERANCE: f64 = 1e-8, "of the figure";

    /// The half-width of the 95 % interval at which a simulation stops.
    pub(crate) SIMULATED_IDENTITY_TOLERANCE: f64 = 0.01, "of the figure";

    /// Streams below this are slow. In a published study (Veritas, 2015) the slow group has 4,600
    /// KiB/s with a mean of 24,700, the fast one 48,300.
    pub(crate) SLOW_STREAM_SHARE: f64 = 0.5, "of the mean rate";

    /// A smaller change is no move.
    pub(crate) MOVE_PERCENT: f64 = 0.05, "%";

    /// The same of simulated figures, each known to within 1 %.
    pub SIMULATED_MOVE_PERCENT: f64 = 2.0, "%";
}
