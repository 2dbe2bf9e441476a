//! What the user says that texts do not.

use iopath_dialect::{Asked, First, zone};
use iopath_units::UnitError;

use crate::arguments::ImportOptions;

pub(super) fn of(options: &ImportOptions) -> Result<Asked, String> {
    let told = |error: UnitError| format!("--interval: {error}");
    let interval = options.interval.as_deref().map(str::parse).transpose().map_err(told)?;
    let first = if options.keep_first { First::Kept } else { First::LeftOut };
    let zone = options.zone.as_deref().map(|text| {
        zone(text).ok_or_else(|| format!("--zone: \"{text}\" is no offset such as +02:00 or UTC"))
    });
    Ok(Asked { interval, first, zone: zone.transpose()?, ..Asked::default() })
}
