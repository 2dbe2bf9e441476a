//! What profiles have measured of this machine, in a file next to the store: `discover` and
//! `measure` put it into the paths that they find. Hosts that share a home directory share the
//! file, and each has its own values there.
//!
//! A newer profile replaces the values of the parts that it measured. Equal parts whose values
//! differ by no more than passes do get their median, so that they stay one line of a study.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use iopath_analysis::thresholds::groups::LESS_THAN_ALONE;
use iopath_discovery::{Discovered, MeasuredValue, PartIdentity};
use iopath_machine::{Root, environment};
use iopath_outfile::{self as outfile, Readers, Rules};
use iopath_units::{ByteRate, Nanos, OperationRate};
use serde::{Deserialize, Serialize};

use crate::arguments::StoreOption;
use crate::exit_status::Problem;
use crate::output;
use crate::results::measured_path::{Assigned, Basis, group};
use crate::results::place;

const FORMAT: &str = "iopath-machine-profile/1";

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MachineProfile {
    format: String,
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Value {
    kernel: String,
    property: String,
    what: String,
    value: String,
    origin: String,
    /// Whose it is, by the name on the network. Of no host: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
}

impl MachineProfile {
    /// What is known of this machine; nothing where it was never profiled.
    pub(crate) fn read(store: &StoreOption) -> Self {
        Self::of_all(store).parted(this_host().as_deref()).0
    }

    /// What is known of one machine, and of others.
    fn parted(self, host: Option<&str>) -> (Self, Self) {
        let is_own = |value: &Value| value.host.is_none() || value.host.as_deref() == host;
        let (own, others) = self.values.into_iter().partition(is_own);
        let of = |values| Self { format: self.format.clone(), values };
        (of(own), of(others))
    }

    fn of_all(store: &StoreOption) -> Self {
        let read = || {
            let text = std::fs::read_to_string(file(store).ok()?).ok()?;
            match serde_json::from_str::<Self>(&text) {
                Ok(known) if known.format == FORMAT => Some(known),
                Ok(_) | Err(_) => {
                    output::tell("the profile of this machine cannot be read: profile it again");
                    None
                }
            }
        };
        read().unwrap_or_default()
    }

    /// A path with what is known of its parts; tells which parts are others now.
    pub(crate) fn put_into(&self, found: Discovered) -> Discovered {
        let (found, remark) = self.given_to(found);
        remark.iter().for_each(|remark| output::tell(remark));
        found
    }

    /// The same, with what to say of it.
    pub(crate) fn given_to(&self, found: Discovered) -> (Discovered, Option<String>) {
        let values = self.values.iter().map(|value| MeasuredValue {
            part: PartIdentity { kernel: value.kernel.clone(), what: value.what.clone() },
            property: value.property.clone(),
            value: value.value.clone(),
            origin: value.origin.clone(),
        });
        let (found, changed) = found.with_measured(&values.collect::<Vec<_>>());
        let remark = (!changed.is_empty()).then(|| {
            format!(
                "{}: not what was profiled, so the measured values are not used; run `iopath \
                 profile` again",
                changed.join(", ")
            )
        });
        (found, remark)
    }

    /// Adds what a profile measured of a discovered path, and writes the file.
    pub(crate) fn keep(
        store: &StoreOption,
        found: &Discovered,
        values: &[Assigned],
    ) -> Result<(), Problem> {
        let (identities, host) = (found.identities(), this_host());
        let known = |one: &Assigned| {
            let part = identities.get(&one.part)?;
            Some(Value {
                kernel: part.kernel.clone(),
                property: one.property.clone(),
                what: part.what.clone(),
                value: one.value.clone(),
                origin: one.origin.clone(),
                host: host.clone(),
            })
        };
        let of = |basis: Basis| {
            let of_it = values.iter().filter(|one| one.basis == basis);
            of_it.filter_map(known).collect::<Vec<Value>>()
        };
        let measured = [Basis::Itself, Basis::AnEqual].into_iter().flat_map(of).collect();
        let bounds = of(Basis::LowerBound);
        let (own, others) = Self::of_all(store).parted(host.as_deref());
        let now: Vec<&PartIdentity> = identities.values().collect();
        let mut values = with_bounds(merged(own.values, snapped(measured), &now), bounds);
        values.extend(others.values);
        values.sort();
        let known = Self { format: FORMAT.to_owned(), values };
        let mut text = serde_json::to_string_pretty(&known).map_err(Problem::unexpected)?;
        text.push('\n');
        let rules = Rules { mark: Some(MARK), named: &[], apart: &[], readers: Readers::Umask };
        Ok(outfile::write(&file(store)?, text.as_bytes(), &rules)?)
    }
}

/// What such a file begins with.
const MARK: &[u8] = b"{\n  \"format\": \"iopath-machine-profile/1\"";

/// What was fitted together is replaced together, and a part that is gone is forgotten.
fn merged(mut values: Vec<Value>, new: Vec<Value>, now: &[&PartIdentity]) -> Vec<Value> {
    let of = |value: &Value| (value.kernel.clone(), group(&value.property).to_owned());
    let replaced: BTreeSet<_> = new.iter().map(of).collect();
    let is_gone = |value: &Value| {
        let part = now.iter().find(|one| one.kernel == value.kernel);
        part.is_some_and(|part| part.what != value.what)
    };
    values.retain(|value| !replaced.contains(&of(value)) && !is_gone(value));
    values.extend(new);
    values
}

/// A lower bound replaces no more than a value that it refutes.
fn with_bounds(mut values: Vec<Value>, bounds: Vec<Value>) -> Vec<Value> {
    for bound in bounds {
        let of = |one: &Value| (one.kernel.clone(), one.property.clone());
        match values.iter_mut().find(|one| of(one) == of(&bound)) {
            Some(known) if amount(known) >= amount(&bound) => {}
            Some(known) => *known = bound,
            None => values.push(bound),
        }
    }
    values
}

fn this_host() -> Option<String> {
    environment::host_name(&Root::live())
}

fn file(store: &StoreOption) -> Result<PathBuf, Problem> {
    let store = place::path(store)?;
    let name = store.file_stem().unwrap_or_default().to_string_lossy();
    Ok(store.with_file_name(format!("{name}-profile.json")))
}

/// Equal parts with nearly equal values get their median.
fn snapped(mut values: Vec<Value>) -> Vec<Value> {
    let mut alike: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, value) in values.iter().enumerate() {
        alike.entry((value.what.clone(), value.property.clone())).or_default().push(at);
    }
    for members in alike.into_values().filter(|members| members.len() > 1) {
        let mut by_amount = members.clone();
        by_amount.sort_by(|a, b| amount(&values[*a]).total_cmp(&amount(&values[*b])));
        let [least, .., most] = &by_amount[..] else { continue };
        if amount(&values[*least]) >= (1.0 - LESS_THAN_ALONE) * amount(&values[*most]) {
            let middle = values[by_amount[by_amount.len() / 2]].clone();
            let origin = format!("{}, the median of {} equal parts", middle.origin, members.len());
            for at in members {
                values[at] = Value { kernel: values[at].kernel.clone(), ..middle.clone() };
                values[at].origin.clone_from(&origin);
            }
        }
    }
    values
}

/// A value as a number, whatever its unit.
fn amount(value: &Value) -> f64 {
    let text = &value.value;
    let bytes = || text.parse::<ByteRate>().map(|rate| rate.0 as f64);
    let operations = || text.parse::<OperationRate>().map(OperationRate::per_sec);
    let time = || text.parse::<Nanos>().map(|time| time.0 as f64);
    let share = || text.parse::<f64>();
    bytes().or_else(|_| operations()).or_else(|_| time()).or_else(|_| share()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value([kernel, property, what]: [&str; 3]) -> Value {
        let [kernel, property, what] = [kernel, property, what].map(str::to_owned);
        Value { kernel, property, what, value: String::new(), origin: String::new(), host: None }
    }

    #[test]
    fn what_is_of_another_host_is_kept_and_not_used() {
        let of = |host: Option<&str>| Value {
            host: host.map(str::to_owned),
            ..value(["sda", "read", "ssd A"])
        };
        let values = [Some("a"), Some("b"), None].map(of);
        let known = MachineProfile { format: FORMAT.to_owned(), values: values.to_vec() };
        let (own, others) = known.parted(Some("b"));
        assert_eq!(own.values, [of(Some("b")), of(None)]);
        assert_eq!(others.values, [of(Some("a"))]);
    }

    #[test]
    fn one_direction_is_replaced_together_and_a_part_that_is_gone_is_forgotten() {
        let old = [
            ["sda", "read", "ssd A"],
            ["sda", "read-time", "ssd A"],
            ["sda", "write", "ssd A"],
            ["sdb", "write", "ssd B"],
            ["sdc", "read", "ssd C"],
        ];
        let new = [["sda", "read", "ssd A"], ["sdb", "read", "ssd D"]].map(value).to_vec();
        let now = [("sda", "ssd A"), ("sdb", "ssd D")].map(|(kernel, what)| PartIdentity {
            kernel: kernel.to_owned(),
            what: what.to_owned(),
        });
        let mut found = merged(old.map(value).to_vec(), new, &now.iter().collect::<Vec<_>>());
        found.sort();
        let expected = [
            ["sda", "read", "ssd A"],
            ["sda", "write", "ssd A"],
            ["sdb", "read", "ssd D"],
            ["sdc", "read", "ssd C"],
        ];
        assert_eq!(found, expected.map(value));
    }
    #[test]
    fn a_lower_bound_replaces_only_what_it_refutes() {
        let of = |kernel: &str, amount: &str| Value {
            value: amount.to_owned(),
            ..value([kernel, "read", "hba"])
        };
        let known = vec![of("a", "300 MB/s"), of("b", "100 MB/s")];
        let bounds = ["a", "b", "c"].map(|kernel| of(kernel, "180 MB/s")).to_vec();
        let expected = [of("a", "300 MB/s"), of("b", "180 MB/s"), of("c", "180 MB/s")];
        assert_eq!(with_bounds(known, bounds), expected);
    }
}
