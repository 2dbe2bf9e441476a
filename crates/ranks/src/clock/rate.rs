//! How fast the offset of two clocks may change.
//!
//! Chosen after the limit within which the kernel lets NTP correct the rate of a clock, 500 ppm
//! (`MAXFREQ` in `include/linux/timex.h`, applied in `kernel/time/ntp.c`); crystals are within some
//! 100 ppm. So each clock is taken to be within 500 ppm of true time, and of two, one may show
//! 1.0005 / 0.9995 of the other.
//!
//! Not within it: a clock that has found itself far off and catches up. The kernel's own correction
//! of a phase exceeds the limit for some seconds then, and chrony's `maxslewrate` is 83333 ppm by
//! default.

/// The change of an offset in millionths of the time that passed on one clock: 1000.5, rounded up.
pub const RATE_LIMIT_PPM: u64 = 1_001;

/// The most by which an offset changes in `elapsed_ns`, rounded up.
#[must_use]
pub fn drift_ns(elapsed_ns: u64) -> i64 {
    let drift = (u128::from(elapsed_ns) * u128::from(RATE_LIMIT_PPM)).div_ceil(1_000_000);
    i64::try_from(drift).unwrap_or(i64::MAX)
}
