//! A job's totals.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use iopath_record::Fact;

use super::latency;
use crate::imported::{Imported, Note, Stream};

/// The jobs of one output.
pub(super) struct Jobs<'a> {
    pub jobs: &'a [Value],
    pub global: &'a Value,
    /// fio 2: KiB and µs.
    pub is_old: bool,
}

/// One direction of a job.
struct Way<'a> {
    value: &'a Value,
    bytes: u64,
    completed: u64,
    runtime_ms: u64,
    in_flight_ns: f64,
}

impl Jobs<'_> {
    pub(super) fn streams(&self, imported: &mut Imported) -> Vec<Stream> {
        let first = self.jobs.iter().filter_map(start_ms).min();
        let begins = self.begins();
        let mut streams = Vec::new();
        for (job, begin) in self.jobs.iter().zip(begins) {
            let from_ms = start_ms(job).zip(first).map_or(begin, |(own, first)| own - first);
            streams.push(self.stream(job, from_ms, imported));
        }
        self.load(imported);
        streams
    }

    /// Without times of their own: groups begin together where no job waits for others
    /// (`stonewall`), else each when those before it ended.
    fn begins(&self) -> Vec<u64> {
        let group = |job: &Value| job.get("groupid").and_then(Value::as_u64).unwrap_or_default();
        let groups: Vec<u64> = self.jobs.iter().map(group).collect();
        let waits = |job: &Value| {
            let has = |name| self.option(job, name).is_some();
            has("stonewall") || has("wait_for_previous")
        };
        let does_wait = self.jobs.iter().any(waits);
        let mut begins: Vec<u64> = Vec::new();
        // When the last job of each group so far ends.
        let mut ends: BTreeMap<u64, u64> = BTreeMap::new();
        for (job, group) in self.jobs.iter().zip(groups) {
            let before = ends.range(..group).map(|(_, end)| *end).filter(|_| does_wait);
            let begin = before.max().unwrap_or_default();
            let end = ends.entry(group).or_default();
            *end = (*end).max(begin.saturating_add(self.runtime_ms(job)));
            begins.push(begin);
        }
        begins
    }

    fn runtime_ms(&self, job: &Value) -> u64 {
        ["read", "write"].map(|op| self.way(job, op).runtime_ms).into_iter().max().unwrap_or(0)
    }

    fn way<'v>(&self, job: &'v Value, op: &str) -> Way<'v> {
        let value = job.get(op).unwrap_or(&Value::Null);
        let number = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
        let completed = number("total_ios");
        let unit = if self.is_old { 1024 } else { 1 };
        let mean_ns = latency::mean_ns(value);
        Way {
            value,
            bytes: number("io_bytes").saturating_mul(unit),
            completed,
            runtime_ms: number("runtime"),
            in_flight_ns: mean_ns.unwrap_or_default() * completed as f64,
        }
    }

    fn stream(&self, job: &Value, from_ms: u64, imported: &mut Imported) -> Stream {
        let name = job.get("jobname").and_then(Value::as_str).unwrap_or("job").to_owned();
        let [read, write] = ["read", "write"].map(|op| self.way(job, op));
        let runtime_ms = read.runtime_ms.max(write.runtime_ms);
        let all_ms = job.get("job_runtime").and_then(Value::as_u64).unwrap_or(runtime_ms);
        let cpu = |name: &str| {
            let percent = job.get(name).and_then(Value::as_f64).unwrap_or_default();
            (percent / 100.0 * all_ms as f64 * 1e6).max(0.0) as u64
        };
        // fio adds the run times of jobs that it reports as one.
        let is_group = runtime_ms > 0 && all_ms >= runtime_ms.saturating_add(runtime_ms / 2);
        if is_group {
            let text = format!(
                "\"{name}\" is several jobs reported as one (group_reporting): their shares are \
                 not known"
            );
            imported.notes.push(Note::all(text));
        }
        if job.get("error").and_then(Value::as_i64).is_some_and(|error| error != 0) {
            imported.notes.push(Note::all(format!("fio ended \"{name}\" with an error")));
        }
        let depth = self.option(job, "iodepth").unwrap_or("1").parse().ok();
        latency::percentiles(&name, [read.value, write.value], imported);
        let to_ns = |ms: u64| ms.saturating_mul(1_000_000);
        Stream {
            from_ns: to_ns(from_ms),
            to_ns: to_ns(from_ms.saturating_add(runtime_ms)),
            read_bytes: read.bytes,
            write_bytes: write.bytes,
            completed: read.completed.saturating_add(write.completed),
            failed: job.get("total_err").and_then(Value::as_u64).unwrap_or_default(),
            in_flight_ns: (read.in_flight_ns + write.in_flight_ns).round() as u64,
            user_ns: cpu("usr_cpu"),
            system_ns: cpu("sys_cpu"),
            depth: depth.filter(|_| !is_group),
            latency: latency::histograms([read.value, write.value])
                .into_iter()
                .chain(latency::flushes(job))
                .collect(),
            name,
            on: Vec::new(),
        }
    }

    /// An option of a job, or of all.
    pub(super) fn option<'v>(&'v self, job: &'v Value, name: &str) -> Option<&'v str> {
        let of = |options: Option<&'v Value>| options?.get(name)?.as_str();
        of(job.get("job options")).or_else(|| of(Some(self.global)))
    }

    /// What all jobs have in common, as facts.
    fn load(&self, imported: &mut Imported) {
        let facts = [("bs", Fact::Block), ("iodepth", Fact::Depth)];
        for (option, fact) in facts {
            if let Some(value) = self.common(option) {
                imported.fact(fact, value);
            }
        }
    }

    /// The value of an option that all jobs have.
    pub(super) fn common(&self, option: &str) -> Option<&str> {
        let first = self.jobs.first().and_then(|job| self.option(job, option));
        let all = self.jobs.iter().all(|job| self.option(job, option) == first);
        first.filter(|_| all)
    }

    /// The names of all options that some job has.
    pub(super) fn option_names(&self) -> BTreeSet<&str> {
        let own = self.jobs.iter().filter_map(|job| job.get("job options"));
        let each = own.chain([self.global]).filter_map(Value::as_object);
        each.flat_map(|options| options.keys().map(String::as_str)).collect()
    }
}

fn start_ms(job: &Value) -> Option<u64> {
    job.get("job_start").and_then(Value::as_u64)
}
