//! How far models are off over many cases, as `proof` and `random-paths` print it.

/// Percent by which a model is off.
pub(crate) fn off(said: f64, measured: f64) -> f64 {
    100.0 * (said / measured - 1.0)
}

/// The median and the 90th percentile of errors in percent, whatever their sign.
pub(crate) fn summary(errors: impl Iterator<Item = f64>) -> String {
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * errors.len() as f64).ceil() as usize;
        errors.get(place.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    };
    format!("median {:.1} %, 90 % within {:.1} %", at(0.5), at(0.9))
}
