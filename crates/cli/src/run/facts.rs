//! Facts about a case that only its system tells: what its path holds and is made of. They go into
//! the environment of its record.

use std::collections::BTreeMap;

use iopath_path::Capacity;
use iopath_study::Case;
use iopath_units::Ratio;

/// Adds the facts of a case to an environment.
pub(crate) fn add(case: &Case, environment: &mut BTreeMap<String, String>) {
    let capacity = Capacity::of(&case.system);
    let mut fact = |key: &str, value: String| drop(environment.insert(key.to_owned(), value));
    if let Some(usable) = capacity.usable_bytes {
        fact("capacity.usable_bytes", usable.to_string());
        fact("capacity.raw_bytes", capacity.raw_bytes.to_string());
        fact("capacity.media_without_size", capacity.media_without_size.to_string());
    }
    let number = |value: Ratio| value.as_f64().to_string();
    if let Some(price) = capacity.price {
        fact("capacity.price", number(price));
    }
    if let Some(units) = capacity.rack_units {
        fact("capacity.rack_units", number(units));
    }
    for (kind, count) in capacity.parts {
        fact(&format!("parts.{kind}"), count.to_string());
    }
}
