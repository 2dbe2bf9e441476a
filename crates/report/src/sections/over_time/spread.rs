//! Very many lines as their spread: quantiles of all at every time, the slowest and the fastest.
//!
//! Quantiles are linear between the two values next to them (definition 7 of Hyndman and Fan,
//! "Sample quantiles in statistical packages", The American Statistician 50, 1996). A line that is
//! not there at a time is not counted then. Which line lies where in the spread is left out.

use super::{Drawn, Line, Measure, add};
use crate::document::Quantile;
use crate::document::{Column, Mark, Trace};

/// From the lowest up, as areas reach down to the one before; with share, and as charts and columns
/// call them.
const QUANTILES: [(Quantile, f64, &str, &str); 5] = [
    (Quantile::Least, 0.0, "minimum", "minimum"),
    (Quantile::Lower, 0.25, "25 %", "p25"),
    (Quantile::Median, 0.5, "median", "median"),
    (Quantile::Upper, 0.75, "75 %", "p75"),
    (Quantile::Most, 1.0, "maximum", "maximum"),
];

/// How the spread of so many lines is read.
pub(super) fn guide(lines: usize, measure: Measure) -> String {
    let [least, most] = measure.ends();
    format!(
        " Of these {lines} the chart shows the spread. At any time half of the active ones are in \
         the darker area between the dashed lines (25 % and 75 %) around the median, and all of \
         them between the dotted ones, the minimum and maximum at that time. The {least} and the \
         {most} over the whole time have their own lines. A narrow spread is an even load. A \
         minimum far below is a straggler: see whether it is always the {least}. A median near one \
         of the dashed lines means two groups. The CSV has what is drawn; `iopath export` writes \
         every single one."
    )
}

/// The quantiles, then the ends; their columns are added to those that are there.
pub(super) fn traces(drawn: &Drawn<'_>, columns: &mut Vec<Column>) -> Vec<Trace> {
    let Drawn { lines, measure, .. } = drawn;
    let sorted = sorted(lines);
    let mut traces = Vec::new();
    for (of, share, name, column) in QUANTILES {
        let values = sorted.iter().map(|values| quantile(values, share)).collect();
        let at = add(columns, measure.column_of(column), values);
        traces.push(Trace::plain(name, Mark::Quantile(of), 0, at));
    }
    for end in drawn.ends() {
        let line = &lines[end.at];
        let at = add(columns, measure.column_of(&line.name), line.values.clone());
        traces.push(end.trace(line, at));
    }
    traces
}

/// The values of all lines at every time, from the least to the most.
fn sorted(lines: &[Line]) -> Vec<Vec<f64>> {
    let times = lines.iter().map(|line| line.values.len()).max().unwrap_or(0);
    let at = |at: usize| {
        let known = lines.iter().filter_map(|line| *line.values.get(at)?);
        let mut values: Vec<f64> = known.collect();
        values.sort_by(f64::total_cmp);
        values
    };
    (0..times).map(at).collect()
}

/// The value that a share of sorted ones does not exceed; none of nothing.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_between_its_neighbours_and_nothing_has_none() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        let of = |share| quantile(&sorted, share);
        assert_eq!([of(0.0), of(0.25), of(0.5)], [Some(1.0), Some(1.75), Some(3.0)]);
        assert_eq!([of(0.75), of(1.0)], [Some(5.0), Some(8.0)]);
        assert_eq!((quantile(&[7.0], 0.25), quantile(&[], 0.5)), (Some(7.0), None));
    }

    #[test]
    fn a_line_that_is_not_there_is_not_counted() {
        let line = |at: u32| Line {
            name: at.to_string(),
            values: vec![Some(f64::from(at)), (at == 3).then_some(9.0), None],
        };
        let lines: Vec<Line> = (1..=3).map(line).collect();
        let measure = Measure::Throughput;
        let drawn = Drawn { lines: &lines, few: 0, measure, named: None };
        let mut columns = Vec::new();
        let traces = traces(&drawn, &mut columns);
        assert_eq!(traces.len(), QUANTILES.len() + 2, "the slowest and the fastest are added");
        let values = |at: usize| columns[at].values.clone();
        use crate::document::Values::Numbers;
        assert_eq!(values(0), Numbers(vec![Some(1.0), Some(9.0), None]));
        assert_eq!(values(2), Numbers(vec![Some(2.0), Some(9.0), None]));
        assert_eq!(values(4), Numbers(vec![Some(3.0), Some(9.0), None]));
    }
}
