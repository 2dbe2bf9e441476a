//! What a job file says that a record has no place for, as facts: `import.fio.OPTION` where all
//! jobs have the same, else `import.fio.JOB.OPTION`; flushes as `import.fio.JOB.sync.…`, besides
//! their distribution where the output has it. Requests that are no reads or writes, and those that
//! fio dropped, are said.

use serde_json::Value;

use super::job::Jobs;
use crate::imported::{Imported, Note};

/// Options that the record itself holds: the name of the stream, and how long it ran.
const HELD: [&str; 1] = ["name"];

/// Every option of every job.
pub(super) fn options(jobs: &Jobs<'_>, imported: &mut Imported) {
    for option in jobs.option_names() {
        if HELD.contains(&option) {
            continue;
        }
        if let Some(value) = jobs.common(option) {
            imported.fact(format!("import.fio.{option}"), value);
            continue;
        }
        for job in jobs.jobs {
            if let Some(value) = jobs.option(job, option) {
                imported.fact(format!("import.fio.{}.{option}", name(job)), value);
            }
        }
    }
}

/// What a job did besides reads and writes.
pub(super) fn left_out(job: &Value, imported: &mut Imported) {
    flushes(job, imported);
    let number = |way: &str, field: &str| job.get(way)?.get(field)?.as_u64();
    let name = name(job);
    if let Some(trims) = number("trim", "total_ios").filter(|count| *count > 0) {
        let text = format!("{trims} trims of \"{name}\" are not imported");
        imported.notes.push(Note::all(text));
    }
    for (field, what) in [("short_ios", "were short"), ("drop_ios", "were dropped")] {
        let each = ["read", "write"].into_iter().filter_map(|way| number(way, field));
        let count: u64 = each.fold(0, u64::saturating_add);
        if count > 0 {
            imported.notes.push(Note::all(format!("{count} requests of \"{name}\" {what}")));
        }
    }
}

/// `fsync`, `fdatasync` and their like. fio 3 counts them under `lat_ns`; its `total_ios` is 0
/// (fio 3.33).
fn flushes(job: &Value, imported: &mut Imported) {
    let Some(sync) = job.get("sync") else { return };
    let latency = sync.get("lat_ns");
    let number = |field: &str| latency?.get(field)?.as_f64().filter(|number| *number > 0.0);
    let Some(count) = number("N") else { return };
    let name = name(job);
    let fact = |what: &str| format!("import.fio.{name}.sync.{what}");
    imported.fact(fact("requests"), format!("{count:.0}"));
    for (field, what) in [("mean", "lat_ns_mean"), ("max", "lat_ns_max")] {
        let value = number(field).map(|ns| format!("{ns:.0}"));
        value.into_iter().for_each(|value| imported.fact(fact(what), value));
    }
    let points = latency.and_then(|all| all.get("percentile")?.as_object());
    for (point, value) in points.into_iter().flatten() {
        let point = point.trim_end_matches('0').trim_end_matches('.');
        imported.fact(fact(&format!("lat_ns_p{point}")), value.to_string());
    }
    if super::latency::flushes(job).is_some() {
        return;
    }
    let mean = number("mean").map_or_else(String::new, |ns| format!(", {:.3} ms each", ns / 1e6));
    let text = format!(
        "\"{name}\" flushed {count:.0} times{mean}: plain JSON has no distribution of them, so \
        they are only facts (import.fio.{name}.sync.…); use json+"
    );
    imported.notes.push(Note::all(text));
}

fn name(job: &Value) -> &str {
    job.get("jobname").and_then(Value::as_str).unwrap_or("job")
}
