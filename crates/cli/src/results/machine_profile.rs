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
    /// Whether it is what an equal part did.
    #[serde(default, skip_serializing_if = "is_false")]
    is_inherited: bool,
    /// Whose it is, by the name on the network. Of no host: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_false(is: &bool) -> bool {
    !is
}

impl Value {
    /// What was measured together with it.
    fn group(&self) -> (String, String) {
        (self.kernel.clone(), group(&self.property).to_owned())
    }

    /// Whether it is the same property of the same part.
    fn is_same(&self, other: &Self) -> bool {
        self.kernel == other.kernel && self.property == other.property && self.what == other.what
    }
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
                is_inherited: false,
                host: host.clone(),
            })
        };
        let of = |basis: Basis| {
            let of_it = values.iter().filter(|one| one.basis == basis);
            of_it.filter_map(known).collect::<Vec<Value>>()
        };
        let (own, others) = Self::of_all(store).parted(host.as_deref());
        let now: Vec<&PartIdentity> = identities.values().collect();
        let new = [Basis::Itself, Basis::LowerBound, Basis::AnEqual].map(of);
        let mut values = updated(&own.values, new, &now);
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
    let replaced: BTreeSet<_> = new.iter().map(Value::group).collect();
    let is_gone = |value: &Value| {
        let part = now.iter().find(|one| one.kernel == value.kernel);
        part.is_some_and(|part| part.what != value.what)
    };
    values.retain(|value| !replaced.contains(&value.group()) && !is_gone(value));
    values.extend(new);
    values
}

/// What is known after a profile: what parts did themselves replaces what was known of them. A
/// lower bound replaces only a smaller value; what is taken from equal parts stands where nothing
/// else is known.
fn updated(before: &[Value], new: [Vec<Value>; 3], now: &[&PartIdentity]) -> Vec<Value> {
    let [measured, bounds, of_equals] = new;
    let mut values = merged(before.to_vec(), snapped(measured), now);
    for bound in bounds {
        with_bound(&mut values, bound, before);
    }
    let renewed: BTreeSet<_> = of_equals.iter().map(Value::group).collect();
    values.retain(|one| !one.is_inherited || !renewed.contains(&one.group()));
    let own: BTreeSet<_> = values.iter().map(Value::group).collect();
    // What was fitted together does not complete what is known.
    let is_fitted = |one: &Value| one.property.ends_with("-time");
    let fitted = of_equals.iter().filter(|one| is_fitted(one)).map(Value::group);
    let fitted: BTreeSet<_> = fitted.collect();
    for one in of_equals {
        let group = one.group();
        let is_of_other_fit = own.contains(&group) && fitted.contains(&group);
        if !is_of_other_fit && !values.iter().any(|other| other.is_same(&one)) {
            values.push(Value { is_inherited: true, ..one });
        }
    }
    values
}

fn with_bound(values: &mut Vec<Value>, bound: Value, before: &[Value]) {
    let is_more = |one: &&Value| one.is_same(&bound) && amount(one) >= amount(&bound);
    if values.iter().any(|one| is_more(&one)) {
        return;
    }
    // A rate that was fitted with a time says nothing without it.
    let time = format!("{}-time", bound.property);
    let is_time = |one: &Value| one.kernel == bound.kernel && one.property == time;
    let larger = before.iter().find(is_more).filter(|_| !before.iter().any(is_time)).cloned();
    values.retain(|one| !one.is_same(&bound) && !is_time(one));
    values.push(larger.unwrap_or(bound));
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
        let (value, origin) = (String::new(), String::new());
        Value { kernel, property, what, value, origin, is_inherited: false, host: None }
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

    fn valued([kernel, property, amount]: [&str; 3]) -> Value {
        Value { value: amount.to_owned(), ..value([kernel, property, "hba"]) }
    }

    /// After a profile of parts of one kind: what they did themselves, bounds, and of equal ones.
    fn after(before: &[Value], new: [&[[&str; 3]]; 3]) -> Vec<Value> {
        let parts = ["a", "b", "c", "d", "e"]
            .map(|kernel| PartIdentity { kernel: kernel.to_owned(), what: "hba".to_owned() });
        let now: Vec<&PartIdentity> = parts.iter().collect();
        let new = new.map(|values| values.iter().copied().map(valued).collect());
        let mut found = updated(before, new, &now);
        found.sort();
        found
    }

    #[test]
    fn a_lower_bound_replaces_only_a_smaller_value() {
        let before = [
            ["a", "read", "300 MB/s"],
            ["b", "read", "100 MB/s"],
            ["b", "read-time", "1 ms"],
            ["d", "read", "300 MB/s"],
            ["d", "read-time", "1 ms"],
        ];
        // Of a and d small requests were measured meanwhile.
        let measured = [["a", "read-ops", "2000 /s"], ["d", "read-ops", "2000 /s"]];
        let bounds = ["a", "b", "c", "d"].map(|kernel| [kernel, "read", "180 MB/s"]);
        let expected = [
            ["a", "read", "300 MB/s"],
            ["a", "read-ops", "2000 /s"],
            ["b", "read", "180 MB/s"],
            ["c", "read", "180 MB/s"],
            ["d", "read", "180 MB/s"],
            ["d", "read-ops", "2000 /s"],
        ];
        let found = after(&before.map(valued), [&measured, &bounds, &[]]);
        let found = found.iter().map(|one| [&*one.kernel, &one.property, &one.value]);
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_equal_parts_did_is_renewed_and_replaces_nothing_of_a_part_itself() {
        let own = [["a", "read", "100 MB/s"], ["b", "read", "90 MB/s"]];
        let of_equals = [
            ["b", "read", "100 MB/s"],
            ["b", "read-ops", "2000 /s"],
            ["c", "read", "100 MB/s"],
            ["c", "write-time", "1 ms"],
        ];
        let first = after(&[], [&own, &[], &of_equals]);
        let inherited: Vec<&str> =
            first.iter().filter(|one| one.is_inherited).map(|one| one.property.as_str()).collect();
        assert_eq!(inherited, ["read-ops", "read", "write-time"]);
        let again = after(&first, [&[], &[], &[["c", "read", "120 MB/s"]]]);
        let of = |kernel: &str, property: &str| {
            let is_it = |one: &&Value| one.kernel == kernel && one.property == property;
            again.iter().find(is_it).map(|one| one.value.as_str())
        };
        assert_eq!(of("c", "read"), Some("120 MB/s"));
        assert_eq!(of("b", "read"), Some("90 MB/s"));
    }
}
