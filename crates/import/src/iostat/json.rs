//! Reports as JSON (`-o JSON`, sysstat 11.5 and later).

use serde_json::{Map, Value};

use super::{Banner, Device, Report, Reports};
use crate::stamp::Stamp;
use crate::{Source, Wrong};

pub(super) fn reports(source: Source<'_>) -> Result<Reports, Wrong> {
    let text = source.text.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let hint = "the file may be truncated: iostat closes its JSON when it ends";
        Wrong::of(source.name, error.to_string(), hint).at(error.line())
    })?;
    let hosts = value.pointer("/sysstat/hosts").and_then(Value::as_array);
    let host = hosts.and_then(|hosts| hosts.first()).ok_or_else(|| {
        Wrong::of(source.name, "it has no \"sysstat\" with \"hosts\"", "use iostat's output")
    })?;
    let text = |name: &str| host.get(name).and_then(Value::as_str).map(str::to_owned);
    let cpus = host.get("number-of-cpus").and_then(Value::as_u64);
    let banner = Banner {
        host: text("nodename"),
        kernel: text("release"),
        cpus: cpus.and_then(|cpus| cpus.try_into().ok()),
    };
    let all = host.get("statistics").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let reports = all.iter().map(report).collect();
    Ok(Reports { banner, reports, notes: Vec::new() })
}

fn report(value: &Value) -> Report {
    let stamp = value.get("timestamp").and_then(Value::as_str).and_then(Stamp::read);
    let cpu = value.get("avg-cpu").and_then(Value::as_object).map(numbers).unwrap_or_default();
    let disks = value.get("disk").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let device = |disk: &Value| {
        let name = disk.get("disk_device")?.as_str()?.to_owned();
        Some(Device { name, values: numbers(disk.as_object()?) })
    };
    let devices = disks.iter().filter_map(device).collect();
    Report { stamp, cpu, devices, has_header: true, ..Report::default() }
}

fn numbers(values: &Map<String, Value>) -> Vec<(String, f64)> {
    let known = values.iter().filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
    known.filter(|(_, value)| *value >= 0.0).collect()
}
