//! A path with the capacities that a profile measured, as a study: its own text with assignments
//! behind it, each with its origin.

mod not_full;

use std::collections::BTreeSet;

use iopath_analysis::capacities::{Figure, Load};
use iopath_analysis::predict;
use iopath_path::Network;
use iopath_report::{ComponentProfile, LoadCarried, PROFILE_TITLE, Profile};
use iopath_study::language::Kind;
use iopath_study::{Case, Class, quoted};
use iopath_units::{ByteRate, Nanos, Op, OperationRate};

use crate::exit_status::Problem;
use crate::inputs::studies;
use crate::results::contended::Contended;
use crate::results::service_time::Service;
use not_full::is_equal;

/// What a flush of a medium takes.
const FLUSH_TIME: &str = "flush-time";

/// The text of a path, and what was measured of it.
pub(crate) struct MeasuredPath<'a> {
    /// The study without the capacities.
    pub text: &'a str,
    pub case: &'a Case,
    pub profile: &'a Profile,
    /// When: `2026-11-25`.
    pub date: String,
}

/// A value of a part, and how it was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assigned {
    /// Full name of the part.
    pub part: String,
    /// Its property; that of its processor time begins with `cost.`.
    pub property: String,
    pub value: String,
    /// `measured 2026-11-25, run 7: 1.9 GB/s to 2 GB/s`.
    pub origin: String,
    pub basis: Basis,
}

/// What a value rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The part itself, which was full.
    Itself,
    /// An equal part: what it carried, or passed more than the path states.
    AnEqual,
    /// The most that passed the part itself, more than the path states.
    LowerBound,
}

impl Assigned {
    fn line(&self) -> String {
        let path = quoted(&format!("{}.{}", self.part, self.property));
        format!("set {path}=({}){}", quoted(&self.origin), quoted(&self.value))
    }

    /// The same of a part that is equal to the one that was measured.
    fn of_an_equal(&self, part: &ComponentProfile, measured: &ComponentProfile) -> Self {
        let origin = format!("{}, of {}", self.origin, measured.name);
        Self { part: part.name.clone(), origin, basis: Basis::AnEqual, ..self.clone() }
    }
}

impl MeasuredPath<'_> {
    /// The study.
    pub(crate) fn study(&self) -> Result<String, Problem> {
        let values = self.values()?;
        let study = format!(
            "{}\n// Measured by `iopath profile` on {}, run {}: medians over passes.\n{}\n{}",
            self.text,
            self.date,
            self.profile.run,
            lines(&values),
            self.unfilled(&values)
        );
        // What is written must be a study.
        studies::plan("(measured)", study.clone(), &[]).map_err(Problem::unexpected)?;
        Ok(study)
    }

    /// The path with its capacities alone, without the latency of its devices.
    pub(crate) fn capacities_only(&self) -> String {
        format!("{}\n{}\n", self.text, lines(&self.carried()))
    }

    /// All that was measured.
    pub(crate) fn values(&self) -> Result<Vec<Assigned>, Problem> {
        let mut values = self.carried();
        let ground = self.case.ground(PROFILE_TITLE).map_err(Problem::unexpected)?;
        values.extend(self.latencies(&format!("{ground}\n{}", lines(&values)))?);
        Ok(values)
    }

    /// Rates, and processor time of requests.
    fn carried(&self) -> Vec<Assigned> {
        self.rates().into_iter().chain(self.costs()).collect()
    }

    /// What each component carries, where it was full.
    fn rates(&self) -> Vec<Assigned> {
        let mut values = Vec::new();
        for component in &self.profile.components {
            for op in Op::BOTH {
                let full = component.figures(op).filter(|carried| {
                    carried.carried.capacity().is_some()
                        && self.standing(component, carried).is_none()
                });
                let full: Vec<&LoadCarried> = full.collect();
                // Operations stay beside the time of a request: a rating must not limit them.
                let service = Service::of(self.profile, component, &full);
                let is_rate = |one: &Assigned| ["read", "write"].contains(&one.property.as_str());
                let mut stated = self.capacities(component, &full);
                stated.retain(|one| service.is_none() || !is_rate(one));
                values.extend(stated);
                values.extend(service.into_iter().flat_map(|one| self.service(component, op, one)));
            }
            values.extend(self.contention(component));
        }
        values.extend(self.of_equals(&values));
        values.extend(self.raised(&values));
        values
    }

    fn capacities(&self, component: &ComponentProfile, full: &[&LoadCarried]) -> Vec<Assigned> {
        let values = full.iter().filter_map(|carried| {
            let property = carried.load.property()?;
            let value = value(carried.load, carried.carried.seen()?);
            Some(self.assigned(&component.name, property, value, &how(carried)))
        });
        values.collect()
    }

    /// The time of a request and the rate of its bytes.
    fn service(&self, component: &ComponentProfile, op: Op, service: Service) -> [Assigned; 2] {
        let (rate, time) = match op {
            Op::Read => ("read", "read-time"),
            Op::Write => ("write", "write-time"),
        };
        let fixed = Nanos((service.fixed_s * 1e9).round() as u64).to_string();
        let bytes = ByteRate(rounded(1.0 / service.byte_s)).to_string();
        let how = match service.sizes {
            // Two have one line.
            ..=2 => "2 sizes".to_owned(),
            sizes => format!("{sizes} sizes, up to {:.0} % off", 100.0 * service.off),
        };
        [
            self.assigned(&component.name, rate, bytes, &how),
            self.assigned(&component.name, time, fixed, &how),
        ]
    }

    /// How much longer each of many in flight takes.
    fn contention(&self, component: &ComponentProfile) -> Option<Assigned> {
        let Contended { share, depths, off } = Contended::of(self.profile, component)?;
        let how = format!("4 KiB reads at {depths} depths, up to {:.0} % off", 100.0 * off);
        Some(self.assigned(&component.name, "contention", format!("{share:.2}"), &how))
    }

    /// Which other component has the value of all that no experiment tells apart: the device, else
    /// the first; none where it is this one.
    fn standing(&self, component: &ComponentProfile, carried: &LoadCarried) -> Option<&str> {
        let order = |one: &ComponentProfile| (Class::of(one.kind) != Class::Medium, one.part);
        let all = self.profile.components.iter();
        let others = all.filter(|one| carried.alike.contains(&one.name));
        let first = others.min_by_key(|one| order(one))?;
        (order(first) < order(component)).then_some(first.name.as_str())
    }

    /// Why processor time is not among the values.
    fn without_costs(&self) -> Option<String> {
        let host = self.only_host().filter(|_| self.profile.costs.is_some())?;
        self.case.system.count(host.part, "cpus").is_none().then(|| {
            format!("// {}.cost: measured, but the path does not state its cpus\n", host.name)
        })
    }

    /// The host, where the path has one.
    fn only_host(&self) -> Option<&ComponentProfile> {
        let mut hosts = self.profile.components.iter().filter(|one| one.kind == "host");
        hosts.next().filter(|_| hosts.next().is_none())
    }

    /// Processor time of requests, where the path has one machine that counts its processors.
    fn costs(&self) -> Vec<Assigned> {
        let (Some(costs), Some(host)) = (self.profile.costs, self.only_host()) else {
            return Vec::new();
        };
        if self.case.system.count(host.part, "cpus").is_none() {
            return Vec::new();
        }
        let how = "4 KiB and 1 MiB reads";
        let request = Nanos((costs.request_s * 1e9).round() as u64).to_string();
        let mut values = vec![self.assigned(&host.name, "cost.request", request, how)];
        if costs.byte_s > 0.0 {
            let pin = ByteRate(rounded(1.0 / costs.byte_s)).to_string();
            values.push(self.assigned(&host.name, "cost.pin", pin, how));
        }
        values.extend(costs.copied_byte_s.map(|byte_s| {
            let copy = ByteRate(rounded(1.0 / byte_s)).to_string();
            self.assigned(&host.name, "cost.copy", copy, "cached 1 MiB reads, less a request")
        }));
        values
    }

    /// What one request at a time takes beyond what rates and processors explain.
    fn latencies(&self, known: &str) -> Result<Vec<Assigned>, Problem> {
        let mut values = Vec::new();
        let mut done = BTreeSet::new();
        for device in &self.profile.devices {
            let alone = self.profile.alone_of(device, Figure::Latency);
            let read = alone.iter().find(|one| one.load.op == Op::Read);
            let Some((measured, medium)) = read.zip(self.medium_of(device)) else { continue };
            let Some(ns) = measured.latency_ns_p50 else { continue };
            if !done.insert(medium) {
                continue;
            }
            let explained = response(known, device, measured.load)?;
            let rest = Nanos(((ns as f64 / 1e9 - explained).max(0.0) * 1e9).round() as u64);
            let how = "4 KiB, depth 1, less service time";
            values.push(self.assigned(medium, "latency", rest.to_string(), how));
            values.extend(self.flush(device, medium));
        }
        values.extend(self.alone_of_equals(&values));
        Ok(values)
    }

    /// How much longer a write takes where each is flushed.
    fn flush(&self, device: &str, medium: &str) -> Option<Assigned> {
        let component = self.profile.components.iter().find(|one| one.name == medium)?;
        Kind::named(component.kind)?.property(FLUSH_TIME)?;
        let longer = Nanos((self.profile.flush_s(device)? * 1e9).round() as u64);
        let how = "4 KiB writes, depth 1, each flushed, less unflushed";
        Some(self.assigned(medium, FLUSH_TIME, longer.to_string(), how))
    }

    /// Of many devices one of each declaration is measured, and the others are taken to be equal.
    fn alone_of_equals(&self, known: &[Assigned]) -> Vec<Assigned> {
        let of = |part: &str| self.profile.components.iter().find(|one| one.name == part);
        let known = known.iter().filter_map(|value| Some((of(&value.part)?, value)));
        let known: Vec<(&ComponentProfile, &Assigned)> = known.collect();
        let is_unknown =
            |one: &&ComponentProfile| known.iter().all(|(other, _)| other.name != one.name);
        let others = self.profile.components.iter().filter(is_unknown).flat_map(|one| {
            let equal = known.iter().find(|(other, _)| is_equal(one, other));
            let equal = equal.map(|(other, _)| other.part);
            let of_it = known.iter().filter(move |(other, _)| Some(other.part) == equal);
            // It belongs to the rates of the same run.
            let basis = Basis::Itself;
            of_it.map(move |(other, value)| Assigned { basis, ..value.of_an_equal(one, other) })
        });
        others.collect()
    }

    /// The only medium that a device is or lies on.
    fn medium_of(&self, device: &str) -> Option<&str> {
        let components = self.profile.components.iter();
        let media = components.filter(|one| Class::of(one.kind) == Class::Medium);
        let mut media = media.filter(|one| self.profile.uses(device, one.part));
        let first = media.next()?;
        media.next().is_none().then_some(first.name.as_str())
    }

    fn assigned(&self, part: &str, property: &str, value: String, how: &str) -> Assigned {
        let origin = format!("measured {}, run {}: {how}", self.date, self.profile.run);
        let (part, property) = (part.to_owned(), property.to_owned());
        Assigned { part, property, value, origin, basis: Basis::Itself }
    }
}

/// Properties that one measurement gives: those of one direction, or one alone.
pub(crate) fn group(property: &str) -> &str {
    let directions = ["read", "write"].into_iter();
    let mut own =
        directions.filter(|op| property == *op || property.starts_with(&format!("{op}-")));
    own.next().unwrap_or(property)
}

fn lines(values: &[Assigned]) -> String {
    values.iter().map(Assigned::line).collect::<Vec<_>>().join("\n")
}

/// From the least to the most of its passes.
fn how(carried: &LoadCarried) -> String {
    let [least, most] = carried.passes.map(|rate| value(carried.load, rate));
    let again = if carried.load.is_reread() { ", the same bytes again" } else { "" };
    format!("{least} to {most}{again}")
}

/// A rate with its unit, in four digits.
fn value(load: Load, rate: f64) -> String {
    match load.is_of_bytes() {
        true => ByteRate(rounded(rate)).to_string(),
        false => OperationRate(rounded(rate).saturating_mul(1000)).to_string(),
    }
}

fn rounded(value: f64) -> u64 {
    let step = 10_f64.powf(value.max(1.0).log10().floor() - 3.0).max(1.0);
    ((value / step).round() * step) as u64
}

/// What the path as far as it is known takes for one request, in seconds.
fn response(known: &str, device: &str, load: Load) -> Result<f64, Problem> {
    // No part has the name of a stream of the experiments: they would not have run.
    let stream = format!(
        "experiment \"one at a time\" {{ workload time=\"1 s\" {{ streams \"latency-read-0\" \
         over={} op=\"{}\" pattern=\"random\" block=\"{} B\" depth=1 }} }}",
        quoted(device),
        load.op,
        load.block
    );
    let planned = studies::plan("(measured)", format!("{known}\n{stream}\n"), &[])?;
    let case = planned.plan.trials.last().map(|trial| &trial.case);
    let case = case.ok_or_else(|| Problem::unexpected("a study without a case"))?;
    let Ok(network) = Network::build(case, &BTreeSet::new()) else { return Ok(0.0) };
    let rate = predict(&iopath_analytic::evaluate(case, &network)).operations_per_sec;
    Ok(if rate > 0.0 { 1.0 / rate } else { 0.0 })
}
