//! Facts about a case that only its system tells: what its path holds, is made of, and assumes.
//! They go into the environment of its record.

use iopath_path::{Capacity, Network, assumed_costs};
use iopath_record::{Environment, Fact};
use iopath_study::Case;
use iopath_units::{Human, Ratio, System};

/// Adds the facts of a case to an environment.
pub(crate) fn add(case: &Case, network: &Network, environment: &mut Environment) {
    let capacity = Capacity::of(&case.system);
    let mut note = |fact: Fact<'_>, value: String| environment.extend([fact.is(value)]);
    if let Some(usable) = capacity.usable_bytes {
        note(Fact::UsableBytes, usable.to_string());
        note(Fact::RawBytes, capacity.raw_bytes.to_string());
        note(Fact::MediaWithoutSize, capacity.media_without_size.to_string());
    }
    let number = |value: Ratio| value.as_f64().to_string();
    if let Some(price) = capacity.price {
        note(Fact::Price, number(price));
    }
    if let Some(units) = capacity.rack_units {
        note(Fact::RackUnits, number(units));
    }
    for (kind, count) in capacity.parts {
        note(Fact::Parts(kind), count.to_string());
    }
    let costs = assumed_costs(&case.system, network).into_iter();
    // Times have one system of units.
    let costs = costs.map(|(name, time)| format!("{name}: {}", time.human(System::Decimal)));
    let costs: Vec<String> = costs.collect();
    if !costs.is_empty() {
        note(Fact::AssumedCosts, costs.join(", "));
    }
}
