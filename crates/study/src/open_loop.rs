//! A case as an open loop at a given load: each declaration of streams gets a rate of requests,
//! and the rate of all of them is the level of a factor, [`RATE`], so that trials of a case at
//! different loads are told apart.
//!
//! Arrivals stay as stated, else they are a Poisson process: requests of many independent users.
//! Levels that set nothing but rates are gone with their factor. The text of the result is written
//! like that of any case and read again, so that it cannot mean anything else. It leaves out
//! streams that others hold up by rule: those that follow writers and those that take turns; and
//! what moves no data, since a trim or the removal of a file cannot be repeated at will.

use std::collections::BTreeMap;

use iopath_units::{Action, OperationRate};
use thiserror::Error;

use crate::attach_path::{CannotAttach, read, written};
use crate::case::{Case, Pacing, Rate, Stream};
use crate::declaration::Declaration;
use crate::experiment::Experiment;
use crate::language::Role;
use crate::scene::Edit;
use crate::selector::Path;
use crate::source::{Origin, Sourced};
use crate::syntax::{Entry, Form, Written};
use crate::value::{PropertyPath, Value};
use crate::vary::{Factor, Level};

/// The factor whose level is the rate of all streams.
pub const RATE: &str = "rate";

/// Properties that set the load of streams.
const OF_RATE: [&str; 2] = ["rate", "load"];

/// Why a case has no open loop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotOpen {
    /// Its streams wait for those that they follow.
    #[error("{0} follow other streams (behind=), which set their pace")]
    Follows(String),
    /// Its streams begin when others have ended.
    #[error("{0} begin after other streams (after=), so there is no load of all")]
    TakesTurns(String),
    /// What its streams do cannot be repeated at any rate.
    #[error("{0} {1}, which moves no data")]
    NoData(String, &'static str),
    /// A factor of another meaning has the name.
    #[error("the factor \"{RATE}\" sets something other than rates: give it another name")]
    NameTaken,
    /// What came out is not right.
    #[error("{0}")]
    Wrong(String),
}

impl From<CannotAttach> for CannotOpen {
    fn from(wrong: CannotAttach) -> Self {
        Self::Wrong(wrong.to_string())
    }
}

impl Case {
    /// Whether all of its streams can be issued at any rate.
    ///
    /// # Errors
    /// The first reason against it.
    pub fn check_open(&self) -> Result<(), CannotOpen> {
        self.streams.iter().try_for_each(can_open)
    }

    /// Requests a second that the study asks of each declaration of streams; none of a closed one.
    #[must_use]
    pub fn stated_rates(&self) -> BTreeMap<String, Option<f64>> {
        let rate = |stream: &Stream| match stream.pacing {
            Pacing::Closed => None,
            Pacing::Open { rate: Rate::Operations(rate), .. } => Some(rate.per_sec()),
            Pacing::Open { rate: Rate::Bytes(rate), .. } => {
                Some(rate.0 as f64 / stream.mean_request())
            }
        };
        self.streams.iter().map(|stream| (stream.group.clone(), rate(stream))).collect()
    }

    /// This case with each declaration of streams at a rate of its own.
    ///
    /// # Errors
    /// Where the case has no open loop.
    pub fn at_rates(&self, rates: &BTreeMap<String, OperationRate>) -> Result<Self, CannotOpen> {
        self.check_open()?;
        self.rated(|experiment| {
            let factor = factor(experiment, rates)?;
            experiment.factors.push(factor);
            Ok(())
        })
    }

    /// This case with as many requests in flight as its depths allow, at no rate.
    ///
    /// # Errors
    /// Where its streams are held up by rule.
    pub fn closed_loop(&self) -> Result<Self, CannotOpen> {
        self.check_open()?;
        self.rated(|experiment| {
            for row in experiment.scene.roots.iter_mut().filter(|row| is_load(row)) {
                row.values.remove("arrivals");
            }
            Ok(())
        })
    }

    /// The case that its text becomes without any rate and with a change.
    fn rated(
        &self,
        change: impl FnOnce(&mut Experiment) -> Result<(), CannotOpen>,
    ) -> Result<Self, CannotOpen> {
        let (own, mut experiment) = read(&self.text)?;
        remove_rates(&mut experiment);
        if experiment.factors.iter().any(|factor| factor.name == RATE) {
            return Err(CannotOpen::NameTaken);
        }
        change(&mut experiment)?;
        let (study, _) = read(&written(&own, &experiment)?)?;
        let cases = study.cases().map_err(CannotAttach::from)?;
        cases.into_iter().next().ok_or_else(|| CannotOpen::Wrong("no case is left".to_owned()))
    }
}

fn can_open(stream: &Stream) -> Result<(), CannotOpen> {
    let group = || stream.group.clone();
    if stream.modelled.behind.is_some() {
        return Err(CannotOpen::Follows(group()));
    }
    if stream.after.is_some() {
        return Err(CannotOpen::TakesTurns(group()));
    }
    match stream.action {
        Action::Transfer => Ok(()),
        Action::Trim => Err(CannotOpen::NoData(group(), "trims")),
        Action::Create | Action::Stat | Action::Open | Action::Unlink => {
            Err(CannotOpen::NoData(group(), "works on names of files"))
        }
    }
}

fn is_load(row: &Declaration) -> bool {
    matches!(row.kind.role, Role::Workload | Role::Streams)
}

/// Takes every rate out: those of declarations, which hold the values of levels already, and those
/// that levels would set once more.
fn remove_rates(experiment: &mut Experiment) {
    for row in experiment.scene.roots.iter_mut().filter(|row| is_load(row)) {
        OF_RATE.iter().for_each(|name| drop(row.values.remove(name)));
    }
    let sets_rate = |edit: &Edit| OF_RATE.contains(&edit.property.name);
    let is_of_load = |edit: &Edit| sets_rate(edit) || edit.property.name == "arrivals";
    experiment.factors.retain(|factor| {
        let edits = || factor.levels.iter().flat_map(|level| &level.edits);
        !edits().any(sets_rate) || !edits().all(is_of_load)
    });
    for factor in &mut experiment.factors {
        factor.levels.iter_mut().for_each(|level| level.edits.retain(|edit| !sets_rate(edit)));
    }
}

/// The factor with its one level, which sets the rate of each declaration.
fn factor(
    experiment: &Experiment,
    rates: &BTreeMap<String, OperationRate>,
) -> Result<Factor, CannotOpen> {
    let of_workload = experiment.scene.workload();
    let states_arrivals = |row: &Declaration| {
        row.values.contains_key("arrivals")
            || of_workload.is_some_and(|workload| workload.values.contains_key("arrivals"))
    };
    let mut edits = Vec::new();
    for row in experiment.scene.with_role(Role::Streams) {
        let rate = rates.get(&row.name).copied().unwrap_or_default();
        edits.push(edit(row, RATE, Value::Rate(Rate::Operations(rate)))?);
        if !states_arrivals(row) {
            edits.push(edit(row, "arrivals", Value::Word("poisson"))?);
        }
    }
    let total = OperationRate(rates.values().map(|rate| rate.0).sum());
    let written = Written { form: Form::Text, text: total.to_string() };
    let entry = Entry { written, origin: Origin::Unstated, span: experiment.span };
    let levels = vec![Level { entry, edits }];
    Ok(Factor { name: RATE.to_owned(), span: experiment.span, of: None, levels })
}

fn edit(row: &Declaration, property: &str, value: Value) -> Result<Edit, CannotOpen> {
    let unknown = || CannotOpen::Wrong(format!("streams have no {property}"));
    let path = Path::parse(&row.name).map_err(CannotOpen::Wrong)?;
    Ok(Edit {
        path: PropertyPath { path, property: property.to_owned() },
        property: row.kind.property(property).ok_or_else(unknown)?,
        value: Sourced { value, origin: Origin::Unstated, span: row.span },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Arrivals;
    use crate::{Source, parse};

    fn cases(load: &str, vary: &str) -> Vec<Case> {
        let text = format!(
            "study \"S\"\nlayout {{ file \"data\" size=\"1 GiB\" }}\n\
             workload time=\"5 s\" {{\n{load}\n}}\n{vary}"
        );
        parse(&Source { name: "s".to_owned(), text }, &[]).unwrap().cases().unwrap()
    }

    fn rates(each: &[(&str, u64)]) -> BTreeMap<String, OperationRate> {
        each.iter().map(|(name, rate)| ((*name).to_owned(), OperationRate(rate * 1000))).collect()
    }

    const TWO: &str = "streams \"a\" over=\"data\" block=\"4 KiB\" pattern=\"random\" depth=4\n\
         streams \"b\" over=\"data\" block=\"8 KiB\" pattern=\"random\" rate=\"8 MB/s\" count=2 \
         arrivals=\"constant\" load=0.5";

    #[test]
    fn each_declaration_has_its_rate_and_the_sum_is_a_level() {
        let [case] = cases(TWO, "").try_into().unwrap();
        let stated = case.stated_rates();
        assert_eq!((stated["a"], stated["b"].map(f64::round)), (None, Some(488.0)));
        let open = case.at_rates(&rates(&[("a", 300), ("b", 100)])).unwrap();
        let pacing: Vec<_> = open.streams.iter().map(|stream| stream.pacing).collect();
        let of = |per_sec, streams, arrivals| {
            let rate = Rate::Operations(OperationRate(per_sec));
            Pacing::Open { rate, streams, arrivals }
        };
        let both = of(100_000, 2, Arrivals::Constant);
        assert_eq!(pacing, [of(300_000, 1, Arrivals::Poisson), both, both]);
        assert_eq!((open.levels[0].factor.as_str(), &*open.levels[0].level), (RATE, "400 /s"));
        let source = Source { name: "s".to_owned(), text: open.text.clone() };
        assert_eq!(parse(&source, &[]).unwrap().cases().unwrap(), std::slice::from_ref(&open));
        assert_eq!(open.at_rates(&rates(&[("a", 3), ("b", 1)])).unwrap().levels[0].level, "4 /s");
    }

    #[test]
    fn factors_that_set_rates_are_gone_and_others_stay() {
        let vary = "vary {\nfactor \"load\" of=\"b.load\" 0.1 1.0\n\
             factor \"size\" { level \"s\" a.block=\"8 KiB\" b.rate=\"5 /s\"; \
             level \"l\" a.block=\"16 KiB\" }\n}";
        let all = cases(TWO, vary);
        let open = |case: &Case| case.at_rates(&rates(&[("a", 1), ("b", 1)])).unwrap();
        let names: Vec<_> =
            open(&all[1]).levels.into_iter().map(|one| (one.factor, one.level)).collect();
        let owned = |(factor, level): (&str, &str)| (factor.to_owned(), level.to_owned());
        assert_eq!(names, [("size", "l"), (RATE, "2 /s")].map(owned));
        assert_eq!(open(&all[0]).text, open(&all[2]).text, "loads of 0.1 and 1.0 are one case");
        assert_eq!(open(&all[1]).streams[0].block.to_string(), "16 KiB");
    }

    #[test]
    fn a_closed_loop_has_no_rate() {
        let [case] = cases(TWO, "").try_into().unwrap();
        let closed = case.closed_loop().unwrap();
        assert!(closed.streams.iter().all(|stream| stream.pacing == Pacing::Closed));
        assert_eq!(closed.levels, []);
    }

    #[test]
    fn streams_that_wait_by_rule_have_no_open_loop() {
        let write = "streams \"a\" over=\"data\" op=\"write\" block=\"4 KiB\"";
        for (more, expected) in [
            (
                "streams \"b\" over=\"data\" block=\"4 KiB\" behind=\"a\"",
                CannotOpen::Follows("b".to_owned()),
            ),
            (
                "streams \"b\" over=\"data\" block=\"4 KiB\" after=\"a\"",
                CannotOpen::TakesTurns("b".to_owned()),
            ),
            (
                "streams \"b\" over=\"data\" op=\"trim\" block=\"4 KiB\"",
                CannotOpen::NoData("b".to_owned(), "trims"),
            ),
        ] {
            let [case] = cases(&format!("{write}\n{more}"), "").try_into().unwrap();
            assert_eq!(case.at_rates(&BTreeMap::new()), Err(expected));
        }
    }

    #[test]
    fn a_factor_of_another_meaning_keeps_its_name() {
        let vary = "vary {\nfactor \"rate\" of=\"a.depth\" 1 2\n}";
        let case = &cases(TWO, vary)[0];
        assert_eq!(case.at_rates(&rates(&[("a", 1)])), Err(CannotOpen::NameTaken));
    }
}
