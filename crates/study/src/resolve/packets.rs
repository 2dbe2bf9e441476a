//! What a link carries of data: `link-rate` × `payload` / (`payload` + `overhead`), in each
//! direction, as `read` and `write` of its part. It is worked out here only, so bounds, simulation,
//! emulation and the tree use one figure. A stated `read` or `write` is a rate of data already and
//! goes before; packets of writes may differ (`write-payload`, `write-overhead`).
//!
//! Left out: what a link carries besides packets with data, such as requests, acknowledgements and
//! credits. So the result is an upper bound.

use iopath_units::ByteRate;

use crate::case::Rate;
use crate::source::{Origin, Sourced};
use crate::value::Value;

/// A direction: the property that follows, and the packets of its own that it may have.
struct Way {
    rate: &'static str,
    payload: &'static [&'static str],
    overhead: &'static [&'static str],
}

const WAYS: [Way; 2] = [
    Way { rate: "read", payload: &["payload"], overhead: &["overhead"] },
    Way {
        rate: "write",
        payload: &["write-payload", "payload"],
        overhead: &["write-overhead", "overhead"],
    },
];

/// Properties that `read` and `write` follow from.
pub(super) const PROPERTIES: [&str; 5] =
    ["link-rate", "payload", "overhead", "write-payload", "write-overhead"];

/// `read` and `write` as they follow from the values of a part; nothing without a `link-rate`.
pub(super) fn rates(
    value: impl Fn(&str) -> Option<Sourced<Value>>,
) -> Vec<(&'static str, Sourced<Value>)> {
    let Some(link) = value("link-rate") else { return Vec::new() };
    let first = |names: &[&str]| names.iter().find_map(|name| value(name));
    let of = |way: &Way| Some((way.rate, data(&link, first(way.payload), first(way.overhead))?));
    WAYS.iter().filter_map(of).collect()
}

/// The share of a link's rate that is data; all of it where packets are not stated.
fn data(
    link: &Sourced<Value>,
    payload: Option<Sourced<Value>>,
    overhead: Option<Sourced<Value>>,
) -> Option<Sourced<Value>> {
    let Value::Rate(Rate::Bytes(rate)) = link.value else { return None };
    let packet = payload.zip(overhead).and_then(|(payload, overhead)| {
        let is_assumed = [&payload, &overhead].iter().any(|one| one.origin == Origin::Assumed);
        let data = payload.value.size()?.0;
        Some((data, data.checked_add(overhead.value.size()?.0)?, is_assumed))
    });
    let Some((data, packet, is_assumed)) = packet else { return Some(link.clone()) };
    let carried = rounded(u128::from(rate.0) * u128::from(data), u128::from(packet));
    // Not more than the rate, which fits.
    let carried = u64::try_from(carried).unwrap_or(rate.0).max(1);
    let assumed = if is_assumed { " (assumed)" } else { "" };
    let origin = match &link.origin {
        Origin::Published(source) => {
            Origin::Published(format!("{source}, {data}/{packet}{assumed}"))
        }

        other @ (Origin::Unstated
        | Origin::Given
        | Origin::Rated
        | Origin::Assumed
        | Origin::Inferred(_)) => other.clone(),
    };
    Some(Sourced { value: Value::Rate(Rate::Bytes(ByteRate(carried))), origin, span: link.span })
}

/// A quotient, from a megabyte on to a whole kilobyte, as rates of links are stated.
fn rounded(dividend: u128, divisor: u128) -> u128 {
    let unit = if dividend / divisor < 1_000_000 { 1 } else { 1000 };
    (dividend + divisor * unit / 2) / (divisor * unit) * unit
}
