//! Percentiles on an axis of nines, reads and writes apart, and from the intended start beside.

use iopath_analysis::distribution::{Distribution, distributions, places};
use iopath_record::Latency;
use iopath_units::{Action, Op};

use crate::document::{Axis, Chart, Column, Figure, Mark, Trace};
use crate::sections::chosen::ChosenTrial;
use crate::view::run::INSTANT_NS;
use crate::words::actions::plural;

const GUIDE: &str = "How long the slowest requests take: one request in 100 exceeds the time at \
    99 %, one in 1,000 that at 99.9 %. Each nine is as wide as the one before; the line ends at \
    the slowest request. A line that stays flat to the right is a predictable path; a step means \
    that a second thing happens to some requests (a cache miss, a retry, a flush, a queue). \
    Compare percentiles at the same load: with more requests in flight all of them wait longer. \
    The rightmost points are a few requests each and change from run to run.";

const INTENDED: &str = " Lines from the intended start include waiting before issue: in an open \
    loop they are what a user of the storage sees; the others look better.";

const OVERLAID: &str = " The runs are overlaid: where lines part, the runs differ from that \
    percentile on.";

/// The curves of a trial; none where nothing kept a histogram.
pub(super) fn figure(told: &ChosenTrial<'_>) -> Option<Figure> {
    let all = distributions(&told.records, told.trial.findings.latency_of);
    let names: Vec<String> = all.iter().map(name).collect();
    let has_intended = all.iter().any(|one| one.what == Latency::Intended);
    let (columns, chart) = drawn(&all, &names)?;
    Some(Figure {
        id: format!("latency-percentiles-{}", told.number()),
        title: told.title("Latency by percentile"),
        guide: format!("{GUIDE}{}", if has_intended { INTENDED } else { "" }),
        columns,
        chart,
    })
}

/// Percentiles of one trial in several runs, each with its name, in one chart.
pub(in crate::sections) fn overlaid(
    title: String,
    id: String,
    runs: &[(String, Vec<Distribution>)],
) -> Option<Figure> {
    let named = runs.iter().flat_map(|(run, all)| all.iter().map(move |one| (run, one)));
    let names: Vec<String> =
        named.clone().map(|(run, one)| format!("{run}: {}", name(one))).collect();
    let all: Vec<Distribution> = named.map(|(_, one)| one.clone()).collect();
    let (columns, chart) = drawn(&all, &names)?;
    Some(Figure { id, title, guide: format!("{GUIDE}{OVERLAID}"), columns, chart })
}

fn drawn(all: &[Distribution], names: &[String]) -> Option<(Vec<Column>, Chart)> {
    let places = places(all);
    let greatest = all.iter().map(|one| one.histogram.max_ns).max().unwrap_or_default();
    if places.len() < 2 || greatest < INSTANT_NS {
        return None;
    }
    let mut columns = vec![
        Column::numbers("one_slower_in_requests", places.clone()),
        Column::texts("percentile", places.iter().map(|at| percentile(*at)).collect()),
    ];
    let mut traces = Vec::new();
    for (one, name) in all.iter().zip(names) {
        let values = places.iter().map(|at| one.exceeded_by_one_in(*at)).collect();
        let trace = Trace::plain(name, Mark::Line, 0, columns.len());
        traces.push(Trace { text: Some(1), ..trace });
        columns.push(Column::maybe(format!("{}_latency_ns", name.replace(' ', "_")), values));
    }
    // One line has no legend.
    let title = match names {
        [one] => format!("latency of {one}"),
        _ => "latency".to_owned(),
    };
    let y = Axis::ns(&title, &columns[2..]).in_factors(&columns[2..]);
    let most = places.last().copied().unwrap_or(1.0);
    let x = Axis::plain("requests that are faster", "%").logarithmic().labelled(ticks(most));
    Some((columns, Chart { x, y, traces, shades: Vec::new() }))
}

fn name(one: &Distribution) -> String {
    let what = match (one.action, one.op, one.what) {
        (_, _, Latency::Flush) => "flushes",
        (_, _, Latency::Commit) => "commits (write + flush)",
        (_, _, Latency::IntendedCommit) => "commits",
        (Action::Transfer, Op::Read, _) => "reads",
        (Action::Transfer, Op::Write, _) => "writes",
        (action, ..) => plural(action),
    };
    let is_late = matches!(one.what, Latency::Intended | Latency::IntendedCommit);
    let since = if is_late { " from intended start" } else { "" };
    format!("{what}{since}")
}

/// Labels at whole nines, and at the median.
fn ticks(most: f64) -> Vec<(f64, String)> {
    let nines = (0..18).map(|nines| 10f64.powi(nines));
    let mut places: Vec<f64> = nines.chain([2.0]).filter(|place| *place <= most).collect();
    places.sort_by(f64::total_cmp);
    places.into_iter().map(|place| (place, share(place))).collect()
}

fn percentile(one_in: f64) -> String {
    format!("{} % are faster", share(one_in))
}

/// The share that is faster than the slowest in so many, in percent, without rounding nines away.
fn share(one_in: f64) -> String {
    let digits = (one_in.log10().ceil() - 2.0).max(0.0) as usize;
    let digits = digits + usize::from(one_in > 10.0 && one_in.log10().fract() > 1e-9);
    format!("{:.digits$}", 100.0 - 100.0 / one_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nines_are_not_rounded_away() {
        let shares = [1.0, 2.0, 10.0, 100.0, 1e3, 1e4, 1e6].map(share);
        assert_eq!(shares, ["0", "50", "90", "99", "99.9", "99.99", "99.9999"]);
        assert_eq!(share(2000.0), "99.950");
        let labels: Vec<String> = ticks(500.0).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0", "50", "90", "99"]);
    }
}
