//! Whether the components that bind are those that a figure names. Names of classes and selectors
//! are compared step by step: `..` skips any steps, and an index must be among those of the class.

use iopath_record::{Bound, Record};
use iopath_study::selector::{Join, Path, Range, Selector};

use crate::predict;
use crate::prediction::ComponentUse;
use crate::thresholds::limits::NEARLY_FULL_SHARE;

/// The bound that the totals of a record carry: the last, which is the tightest.
fn deciding(record: &Record) -> Option<&Bound> {
    record.bounds.iter().max_by_key(|bound| bound.kind)
}

/// The names of what binds: what more of it would give something; all of it where only more of
/// several together would.
pub(super) fn binding(record: &Record) -> Vec<&str> {
    let prices = || deciding(record).into_iter().flat_map(|bound| &bound.binding);
    let gives = prices().any(|price| price.gain_ppm > 0);
    prices()
        .filter(|price| !gives || price.gain_ppm > 0)
        .filter_map(|price| record.entities.get(price.of.entity.0 as usize))
        .map(|entity| entity.name.as_str())
        .collect()
}

/// The names of the fullest parts of a path, by what their counters say of a capacity: of what is
/// at least nearly full ([`NEARLY_FULL_SHARE`]) the fullest, and what is nearly as full as that.
/// Classes of one name are listed once.
pub(super) fn fullest(record: &Record) -> Vec<String> {
    let components = predict(record).components;
    let used = |one: &ComponentUse| one.utilisation.unwrap_or_default();
    let most = components.iter().map(used).fold(0.0, f64::max);
    let least = NEARLY_FULL_SHARE * most.max(1.0);
    let mut names: Vec<String> = Vec::new();
    for one in components.iter().filter(|one| used(one) >= least) {
        if !names.contains(&one.name) {
            names.push(one.name.clone());
        }
    }
    names
}

/// Whether a selector means a component or class of this name. Processors and memory of a machine,
/// `server cpus`, are meant by the machine.
pub(super) fn means(selector: &Selector, name: &str) -> bool {
    let own = name.rsplit_once(' ').map(|(of, _)| of).filter(|of| !of.ends_with(','));
    let name = own.unwrap_or(name);
    let Ok(names) = name.parse::<Selector>() else { return false };
    selector.paths.iter().any(|path| names.paths.iter().any(|name| is_along(path, name)))
}

fn is_along(path: &Path, name: &Path) -> bool {
    fits(&path.steps, &name.steps)
}

fn fits(wanted: &[iopath_study::selector::Step], found: &[iopath_study::selector::Step]) -> bool {
    let (Some((step, rest)), Some((first, others))) = (wanted.split_first(), found.split_first())
    else {
        return wanted.is_empty() && found.is_empty();
    };
    let here = step.name == first.name && overlap(&step.indexes, &first.indexes);
    (here && fits(rest, others)) || (step.join == Join::Below && fits(wanted, others))
}

/// No index means all.
fn overlap(a: &[Range], b: &[Range]) -> bool {
    let meet = |a: &Range| b.iter().any(|b| a.first <= b.last && b.first <= a.last);
    a.is_empty() || b.is_empty() || a.iter().any(meet)
}

#[cfg(test)]
mod tests {
    use iopath_record::{
        Counter, Direction, Entity, EntityId, Kind, Layer, Limit, Measure, Origin, Series,
    };

    use super::*;

    #[test]
    fn classes_that_are_called_alike_are_told_once() {
        let mut record = crate::sample::Sample::new().record();
        let first = record.entities.len() as u32;
        // Two classes, as their limits differ; both are full.
        for (at, per_sec) in (0u32..).zip([100, 100, 200, 200]) {
            let (measure, direction) = (Measure::Bytes, Direction::Both);
            let origin = Origin::Given;
            let limit = Limit { measure, direction, per_sec, origin, tokens: None };
            let name = "box.disk".to_owned();
            record.entities.push(Entity { name, limits: vec![limit], ..disk() });
            let values: Vec<u64> = (0..14).map(|second| second * per_sec).collect();
            let id = EntityId(first + at);
            record.series.push(Series::from_values(id, Counter::ReadBytes, &values));
        }
        let names = fullest(&record);
        assert_eq!(names, ["box.disk"]);
    }

    fn disk() -> Entity {
        let kind = Kind::Disk;
        let (parent, binding, limits) = (None, None, Vec::new());
        Entity {
            name: String::new(),
            kind,
            layer: Layer::Device,
            parent,
            binding,
            count: 1,
            limits,
        }
    }

    #[test]
    fn a_class_is_what_its_selector_says() {
        for (selector, name, is) in [
            ("san", "san[0-6]", true),
            ("san[0]", "san[0-6]", true),
            ("san[7]", "san[0-6]", false),
            ("p690..hba", "p690.drawer[0-6].planar[0-1].link0.phb1.hba[0-2]", true),
            ("p690.planar", "p690.planar", true),
            ("p690", "p690.planar", false),
            ("p690", "p690 cpus", true),
            ("p690.planar", "p690 cpus", false),
            ("fastt", "fastt[0-52], fastt[54]", true),
            ("fastt..lun, san", "fastt[0-52].controller[0-1].lun", true),
        ] {
            assert_eq!(means(&selector.parse().unwrap(), name), is, "{selector} {name}");
        }
    }
}
