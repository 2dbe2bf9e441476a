//! A run under way as lines for a terminal: what it does, how far it is, and a row each for all
//! streams together, each stream and each device, with its throughput of the last minute.

use super::{Line, Mark, cut};
use crate::look::Look;
use crate::numbers::maybe_rate;
use crate::view::following::{Device, Following, STREAMS};
use crate::wrap::harmless;

/// Intervals of a course: chosen, a minute.
const INTERVALS: usize = 60;

/// Columns of a throughput, such as `1.234 GB/s`, and the space before it.
const RATE: usize = 13;

/// Least and greatest columns of a name: chosen.
const NAME: (usize, usize) = (14, 40);

/// Eighths of a line, from nothing to all.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Throughput of something over time.
struct Row {
    name: String,
    rates: Vec<Option<f64>>,
}

/// The lines: at most `rows`, and as wide as `look` says.
#[must_use]
pub fn following_lines(of: &Following, look: &Look, rows: Option<usize>) -> Vec<Line> {
    let title = of.title.as_deref().unwrap_or("a run");
    let now = of.now.as_deref().unwrap_or("no figure yet");
    let mut lines = vec![Line::new(format!("{title}   run {}   {now}", of.id), Mark::Title)];
    lines.push(Line::new(of.doing.as_str(), Mark::Plain));
    lines.extend(done(of).map(|text| Line::new(text, Mark::Plain)));
    lines.extend(of.silence.as_ref().map(|text| Line::new(format!("{text} +"), Mark::Warm)));
    if !of.points.is_empty() {
        lines.extend(table(of, look));
    }
    let width = usize::from(look.width);
    lines.iter_mut().for_each(|line| line.text = cut(&harmless(&line.text), width));
    lines.truncate(rows.unwrap_or(usize::MAX));
    lines
}

fn done(of: &Following) -> Option<String> {
    let percent = 100.0 * of.done?;
    let left = of.left.as_ref().map_or_else(String::new, |left| format!(", {left}"));
    Some(format!("{percent:.0} % done{left}"))
}

fn table(of: &Following, look: &Look) -> Vec<Line> {
    let all = Row {
        name: "all streams".to_owned(),
        rates: of.points.iter().map(|point| Some(point.bytes_per_sec)).collect(),
    };
    let (streams, devices) = (streams(of), devices(of));
    let names = streams.iter().chain(&devices).map(|row| row.name.chars().count() + 2);
    let name = names.max().unwrap_or_default().clamp(NAME.0, NAME.1);
    let mut lines =
        vec![Line::new(format!("{:name$}{:>RATE$}{:>RATE$}", "", "now", "maximum"), Mark::Title)];
    lines.extend(section(&[all], name, look));
    lines.extend(of.spread(look.system).map(|text| Line::new(text, Mark::Plain)));
    lines.extend(section(&streams, name, look));
    if !devices.is_empty() {
        lines.push(Line::new(of.device_title(), Mark::Title));
        lines.extend(section(&devices, name, look));
    }
    lines
}

/// One only is the row of all.
fn streams(of: &Following) -> Vec<Row> {
    if !(2..=STREAMS).contains(&of.streams.len()) {
        return Vec::new();
    }
    let rates = |at: usize| of.points.iter().map(|point| point.streams.get(at).copied()).collect();
    let row = |(at, name): (usize, &String)| Row { name: format!("  {name}"), rates: rates(at) };
    of.streams.iter().enumerate().map(row).collect()
}

fn devices(of: &Following) -> Vec<Row> {
    let row =
        |device: &Device| Row { name: format!("  {}", device.name), rates: device.rates.clone() };
    of.devices.iter().map(row).collect()
}

/// Rows to one scale, so that they can be told apart.
fn section(rows: &[Row], name: usize, look: &Look) -> Vec<Line> {
    let room = usize::from(look.width).saturating_sub(name + 2 * RATE + 2).min(INTERVALS);
    let shown = |row: &Row| row.rates[row.rates.len().saturating_sub(room)..].to_vec();
    let known = rows.iter().flat_map(shown).flatten();
    let scale = known.fold(0.0, f64::max);
    let line = |row: &Row| {
        let shown = shown(row);
        let number = |value| maybe_rate(value, look.system);
        let now = number(row.rates.last().copied().flatten());
        let most = number(row.rates.iter().flatten().copied().reduce(f64::max));
        let course: String = shown.iter().map(|value| step(*value, scale)).collect();
        let called = cut(&row.name, name);
        Line::new(format!("{called:name$}{now:>RATE$}{most:>RATE$}  {course}"), Mark::Plain)
    };
    rows.iter().map(line).collect()
}

/// Blank where nothing is known; the lowest step is nothing, or next to it.
fn step(value: Option<f64>, scale: f64) -> char {
    let Some(value) = value else { return ' ' };
    let last = STEPS.len() - 1;
    let at = if scale > 0.0 { (value / scale * last as f64).round() as usize } else { 0 };
    STEPS[at.min(last)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_share_of_the_scale() {
        let steps = [Some(0.0), Some(50.0), Some(100.0), None].map(|value| step(value, 100.0));
        assert_eq!(steps, ['▁', '▅', '█', ' ']);
        assert_eq!(step(Some(0.0), 0.0), '▁');
    }
}
