//! What a component carried without being full: a comment, as a lower bound would limit models
//! like a capacity. Two things are more than that: an equal component was full, and has its values;
//! or more passed than the path states, and the most that passed is nearer than the rating.

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::capacities::Carried;
use iopath_analysis::thresholds::groups::LESS_THAN_ALONE;
use iopath_report::{ComponentProfile, Exceeded, LoadCarried};
use iopath_study::Class;
use iopath_units::Op;

use super::{Assigned, Basis, MeasuredPath, group, how, value};

/// What passed of a load, and the stated limit that is less.
#[derive(Clone, Copy)]
struct Passed<'a> {
    by: &'a ComponentProfile,
    carried: &'a LoadCarried,
    limit: Exceeded,
}

impl MeasuredPath<'_> {
    /// Of media: what equal ones carried that were full, where this one was not.
    pub(super) fn of_equals(&self, known: &[Assigned]) -> Vec<Assigned> {
        let known = by_group(known);
        let components = self.profile.components.iter();
        let media = components.filter(|one| Class::of(one.kind) == Class::Medium);
        let each = media
            .flat_map(|one| Op::BOTH.into_iter().flat_map(|op| self.of_equals_of(one, op, &known)));
        each.collect()
    }

    fn of_equals_of(
        &self,
        component: &ComponentProfile,
        op: Op,
        known: &Groups<'_>,
    ) -> Vec<Assigned> {
        let group = op.to_string();
        let mut own = of(known, component, &group).cloned().unwrap_or_default();
        let mut found = Vec::new();
        let equals = self.profile.components.iter().filter(|one| is_equal(component, one));
        for (equal, values) in equals.filter_map(|one| Some((one, of(known, one, &group)?))) {
            if !carried_no_more(component, equal, op) {
                continue;
            }
            // What was fitted to a drive as a whole does not complete what is known of another one.
            let is_fitted = values.iter().any(|value| value.property.ends_with("-time"));
            if is_fitted && !own.is_empty() {
                continue;
            }
            let is_new = |value: &&Assigned| own.iter().all(|one| one.property != value.property);
            let new: Vec<&Assigned> = values.iter().copied().filter(is_new).collect();
            found.extend(new.iter().map(|value| value.of_an_equal(component, equal)));
            own.extend(new);
            if is_fitted {
                break;
            }
        }
        found
    }

    /// The most that passed, in place of stated limits that were exceeded by the component or by an
    /// equal one; only of properties that are not known.
    pub(super) fn raised(&self, known: &[Assigned]) -> Vec<Assigned> {
        let each = self.profile.components.iter().flat_map(|component| {
            let most = self.most_passed(component).into_iter();
            most.filter_map(move |(property, passed)| {
                let is_known =
                    |one: &Assigned| one.part == component.name && one.property == property;
                (!known.iter().any(is_known)).then(|| self.raise(component, passed))?
            })
        });
        each.collect()
    }

    /// By property.
    fn most_passed(&self, component: &ComponentProfile) -> BTreeMap<&'static str, Passed<'_>> {
        let components = &self.profile.components;
        let equal = components.iter().filter(|by| is_equal(component, by)).flat_map(exceeded);
        let itself = components.iter().filter(|by| by.name == component.name).flat_map(exceeded);
        let mut most = most_of(equal);
        // What an equal one passed more is not its own.
        most.extend(most_of(itself));
        most
    }

    fn raise(&self, component: &ComponentProfile, passed: Passed<'_>) -> Option<Assigned> {
        let Passed { by, carried, limit } = passed;
        let (of, basis) = match by.name == component.name {
            true => (String::new(), Basis::LowerBound),
            false => (format!(" of {}", by.name), Basis::AnEqual),
        };
        let stated = value(carried.load, limit.per_sec);
        let how = format!("{}{of}, more than the stated {stated}", how(carried));
        let most = value(carried.load, carried.carried.seen()?);
        let raised = self.assigned(&component.name, limit.property, most, &how);
        Some(Assigned { basis, ..raised })
    }

    /// Comments on what was never full and has no value.
    pub(super) fn unfilled(&self, known: &[Assigned]) -> String {
        let known: BTreeSet<(&str, &str)> =
            known.iter().map(|one| (one.part.as_str(), one.property.as_str())).collect();
        let components = self.profile.components.iter();
        let figures = components.flat_map(|one| {
            Op::BOTH.into_iter().flat_map(|op| one.figures(op)).map(move |carried| (one, carried))
        });
        let lines = figures.filter_map(|(one, carried)| {
            let property = carried.load.property()?;
            let least = value(carried.load, carried.carried.seen()?);
            let why = match carried.carried {
                _ if known.contains(&(one.name.as_str(), property)) => return None,
                Carried::Perhaps(_) => "it or another component was full then".to_owned(),
                Carried::AtLeast(_) => "not full in any experiment".to_owned(),
                Carried::Full(_) => {
                    let other = self.standing(one, carried)?;
                    format!("the same devices use it and {other}, so one of them was full")
                }
                Carried::Nothing => return None,
            };
            Some(format!("// {}.{property}: at least {least}, {why}\n", one.name))
        });
        lines.chain(self.without_costs()).collect()
    }
}

/// The limits that a component exceeded, each with the most that passed: where new data refute a
/// limit of bytes, re-reads may have been more.
fn exceeded(by: &ComponentProfile) -> impl Iterator<Item = Passed<'_>> {
    by.carried.iter().flat_map(move |carried| {
        let of_bytes = by.of_bytes(carried.load.op).filter(|_| carried.load.is_of_bytes());
        let most = of_bytes.unwrap_or(carried);
        carried.exceeded.iter().map(move |limit| Passed { by, carried: most, limit: *limit })
    })
}

/// Of each property that of which most passed.
fn most_of<'a>(all: impl Iterator<Item = Passed<'a>>) -> BTreeMap<&'static str, Passed<'a>> {
    let mut most: BTreeMap<&str, Passed<'_>> = BTreeMap::new();
    for passed in all {
        let before = most.entry(passed.limit.property).or_insert(passed);
        if passed.carried.carried.seen() > before.carried.carried.seen() {
            *before = passed;
        }
    }
    most
}

pub(super) fn is_equal(one: &ComponentProfile, other: &ComponentProfile) -> bool {
    one.equal == other.equal && one.name != other.name
}

/// By the name of a part and what was measured together.
type Groups<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a Assigned>>;

fn of<'a>(
    known: &'a Groups<'a>,
    component: &'a ComponentProfile,
    group: &'a str,
) -> Option<&'a Vec<&'a Assigned>> {
    known.get(&(component.name.as_str(), group))
}

fn by_group(known: &[Assigned]) -> Groups<'_> {
    let mut groups = Groups::new();
    for one in known {
        groups.entry((one.part.as_str(), group(&one.property))).or_default().push(one);
    }
    groups
}

/// Whether a component carried no more than another one in one direction, of any load.
fn carried_no_more(component: &ComponentProfile, than: &ComponentProfile, op: Op) -> bool {
    let seen = |one: &LoadCarried| one.carried.seen().unwrap_or_default();
    component.figures(op).all(|one| {
        let other = than.figures(op).find(|other| other.load == one.load);
        other.is_none_or(|other| seen(one) <= (1.0 + LESS_THAN_ALONE) * seen(other))
    })
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::{Load, loads};
    use iopath_report::Profile;
    use iopath_study::Case;

    use super::*;
    use crate::inputs::studies;

    const STUDY: &str = r#"study "Three disks"
path { host "h" { hba read="150 MB/s" { disk "d" count=3 size="1 GiB" } } }
workload { streams "r" over="h..d" op="read" block="1 MiB" }
"#;

    fn case() -> Case {
        let planned = studies::plan("(test)", STUDY.to_owned(), &[]);
        planned.unwrap().plan.trials.remove(0).case
    }

    fn component(case: &Case, name: &str, is: Carried) -> ComponentProfile {
        let part = case.system.ids().find(|id| case.system.part(*id).name == name).unwrap();
        let carried = of_load(is, |load| load.is_of_bytes());
        ComponentProfile {
            part,
            name: name.to_owned(),
            kind: case.system.kind(part),
            declared: case.system.part(part).declared,
            equal: case.system.part(part).declared,
            devices: Vec::new(),
            carried: vec![carried],
        }
    }

    /// Of the first load of sets like this.
    fn of_load(carried: Carried, is: fn(&Load) -> bool) -> LoadCarried {
        LoadCarried {
            load: loads(false, true).find(|load| load.is_of_sets() && is(load)).unwrap(),
            carried,
            experiment: String::new(),
            limits_all: false,
            passes: [0.0; 2],
            alike: Vec::new(),
            exceeded: Vec::new(),
        }
    }

    fn study(components: Vec<ComponentProfile>, case: &Case) -> String {
        let profile = Profile { run: "7".to_owned(), components, ..Profile::default() };
        let date = "2026-11-30".to_owned();
        MeasuredPath { text: STUDY, case, profile: &profile, date }.study().unwrap()
    }

    #[test]
    fn a_disk_that_was_never_full_has_the_values_of_an_equal_one_unless_it_carried_more() {
        let case = case();
        let components = vec![
            component(&case, "h.hba.d[0]", Carried::AtLeast(90e6)),
            component(&case, "h.hba.d[1]", Carried::Full(100e6)),
            component(&case, "h.hba.d[2]", Carried::AtLeast(120e6)),
        ];
        let study = study(components, &case);
        let of_equal = "set \"h.hba.d[0].read\"=(\"measured 2026-11-30, run 7: 0 B/s to 0 B/s, of \
                        h.hba.d[1]\")\"100 MB/s\"";
        assert!(study.contains(of_equal), "{study}");
        let more = "// h.hba.d[2].read: at least 120 MB/s, not full in any experiment";
        assert!(study.contains(more), "{study}");
        assert_eq!(study.matches("set \"").count(), 2, "{study}");
    }

    #[test]
    fn what_is_missing_of_a_disk_comes_from_an_equal_one_whichever_is_first() {
        let case = case();
        let bytes = |name: &str| component(&case, name, Carried::Full(100e6));
        let both = |name: &str| {
            let mut one = bytes(name);
            one.carried.push(of_load(Carried::Full(2e3), |load| !load.is_of_bytes()));
            one
        };
        for [whole, part] in [["h.hba.d[0]", "h.hba.d[1]"], ["h.hba.d[1]", "h.hba.d[0]"]] {
            let mut components = vec![both(whole), bytes(part)];
            components.sort_by(|one, other| one.name.cmp(&other.name));
            let study = study(components, &case);
            assert!(study.contains(&format!("set \"{part}.read-ops\"")), "{study}");
        }
    }

    #[test]
    fn what_was_fitted_to_a_drive_is_taken_as_a_whole_or_not_at_all() {
        let study = STUDY.replace("disk \"d\"", "ssd \"d\"");
        let case = studies::plan("(test)", study, &[]).unwrap().plan.trials.remove(0).case;
        let fitted = |name: &str, ops: f64| {
            let mut one = component(&case, name, Carried::Full(100e6));
            one.carried.push(of_load(Carried::Full(ops), |load| !load.is_of_bytes()));
            one
        };
        let whole = fitted("h.hba.d[0]", 2e3);
        let profile = |other: ComponentProfile| {
            let components = vec![whole.clone(), other];
            let profile = Profile { run: "7".to_owned(), components, ..Profile::default() };
            let date = "2026-11-30".to_owned();
            let text = STUDY.replace("disk \"d\"", "ssd \"d\"");
            let path = MeasuredPath { text: &text, case: &case, profile: &profile, date };
            path.study().unwrap()
        };
        let never_full = profile(component(&case, "h.hba.d[1]", Carried::AtLeast(50e6)));
        for property in ["read", "read-time"] {
            let set = format!("set \"h.hba.d[1].{property}\"");
            assert!(never_full.contains(&set), "{property}: {never_full}");
        }
        let of_bytes = profile(component(&case, "h.hba.d[1]", Carried::Full(90e6)));
        assert!(of_bytes.contains("set \"h.hba.d[1].read\""), "{of_bytes}");
        assert!(!of_bytes.contains("set \"h.hba.d[1].read-time\""), "{of_bytes}");
    }

    #[test]
    fn a_limit_that_one_disk_exceeds_is_raised_for_all_of_its_declaration() {
        let case = case();
        let mut fast = component(&case, "h.hba.d[0]", Carried::Full(100e6));
        fast.carried[0].exceeded = vec![Exceeded { property: "both", per_sec: 60e6 }];
        let slow = component(&case, "h.hba.d[1]", Carried::AtLeast(50e6));
        let study = study(vec![fast, slow], &case);
        for name in ["h.hba.d[0]", "h.hba.d[1]"] {
            for property in ["read", "both"] {
                let set = format!("set \"{name}.{property}\"");
                let line = study.lines().find(|line| line.contains(&set)).expect(&set);
                assert!(line.ends_with("\"100 MB/s\""), "{line}");
            }
        }
        assert!(study.contains(" of h.hba.d[0], more than the stated 60 MB/s"), "{study}");
    }

    #[test]
    fn where_new_data_refute_a_rating_re_reads_may_have_been_more() {
        let case = case();
        let mut hba = component(&case, "h.hba", Carried::AtLeast(180e6));
        hba.carried[0].exceeded = vec![Exceeded { property: "read", per_sec: 150e6 }];
        hba.carried.push(of_load(Carried::AtLeast(400e6), |load| load.is_reread()));
        let study = study(vec![hba], &case);
        let raised = ", the same bytes again, more than the stated 150 MB/s\")\"400 MB/s\"";
        assert!(study.contains(raised), "{study}");
    }

    #[test]
    fn a_stated_limit_that_was_exceeded_is_the_most_that_passed() {
        let case = case();
        let mut hba = component(&case, "h.hba", Carried::AtLeast(180e6));
        hba.carried[0].exceeded = vec![Exceeded { property: "read", per_sec: 150e6 }];
        let study = study(vec![hba], &case);
        let raised = ", more than the stated 150 MB/s\")\"180 MB/s\"";
        assert!(study.contains(raised), "{study}");
        assert!(!study.contains("at least"), "{study}");
    }
}
