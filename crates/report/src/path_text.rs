//! The path as lines: tier by tier what there is, what it carries, its course over time and how
//! full it is, with the same words as the picture of a page.

use iopath_analysis::picture::{BoxName, PathBox, Picture};

use crate::look::Look;
use crate::path_words::{self as words, Words};
use crate::run::{RunReport, TrialReport};
use crate::table::{Column, render};

/// Cells of a course over time, and of the drawn share: chosen.
const COURSE: usize = 16;
const BAR: usize = 10;

/// Trials up to which the path of each is shown: chosen, each is half a screen.
const SHOWN: usize = 4;

/// A picture with what each of its boxes moved over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    pub picture: Picture,
    /// Bytes a second of each box in every interval; empty where nothing was sampled.
    pub courses: Vec<Vec<f64>>,
}

/// The path of each trial that has one; of many none, as a report has them.
pub(crate) fn text(run: &RunReport, look: &Look) -> String {
    let drawn = || run.trials.iter().filter_map(|trial| Some((trial, trial.path.as_ref()?)));
    if drawn().count() > SHOWN {
        let count = drawn().count();
        return format!("\npaths\n  {count} trials have one: `iopath report` draws them\n");
    }
    let of = |(trial, drawn): (&TrialReport, &Drawn)| {
        format!("\npath of {}, {}\n{}\n", trial.label(), trial.part(), table(drawn, look))
    };
    drawn().map(of).collect()
}

/// A line of the table: a box in its tier.
struct Line<'a> {
    tier: String,
    one: &'a PathBox,
    course: &'a [f64],
}

fn table(Drawn { picture, courses }: &Drawn, look: &Look) -> String {
    let words = Words { system: look.system };
    let mut lines: Vec<Line<'_>> = Vec::new();
    for tier in &picture.tiers {
        let title = words::tier_title(picture, tier);
        let idle = if tier.is_beside { 0 } else { tier.idle };
        for (at, one) in tier.boxes.iter().enumerate() {
            let more = if idle > 0 { format!(", {idle} idle") } else { String::new() };
            let tier = if at == 0 { format!("{title}{more}") } else { String::new() };
            let course = courses.get(*one).map_or(&[][..], Vec::as_slice);
            lines.push(Line { tier, one: &picture.boxes[*one], course });
        }
    }
    let cells = |of: &dyn Fn(&Line<'_>) -> String| lines.iter().map(of).collect::<Vec<_>>();
    let column = |title, expendable, cells| Column { title, cells, expendable };
    let mut columns = vec![
        column("tier", 0, cells(&|line| line.tier.clone())),
        column("what", 0, cells(&|line| name(line.one))),
        column("throughput", 0, cells(&|line| words.carried(line.one))),
    ];
    if lines.iter().any(|line| !sparkline(line.course).is_empty()) {
        columns.push(column("over time", 2, cells(&|line| sparkline(line.course))));
    }
    columns.push(column("", 1, cells(&|line| bar(line.one))));
    columns.push(column("utilisation", 0, cells(&|line| words::share(line.one))));
    columns.push(column("", 0, cells(&|line| limit(line.one).to_owned())));
    render(columns, look.width)
}

/// "reader ×64".
fn name(one: &PathBox) -> String {
    let name = crate::prediction::words::short(&words::name(one));
    match one.count {
        2.. if one.name != BoxName::Others => format!("{name} ×{}", one.count),
        _ => name,
    }
}

fn limit(one: &PathBox) -> &'static str {
    if one.is_limit { "◀ limit" } else { "" }
}

fn bar(one: &PathBox) -> String {
    let Some(share) = one.utilisation else { return String::new() };
    let full = ((share.most * BAR as f64).round() as usize).min(BAR);
    format!("{}{}", "█".repeat(full), "·".repeat(BAR - full))
}

/// Levels of a course: an eighth of the greatest value each.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A course as a line of bars, each the mean of equally many intervals; empty where there are too
/// few to see anything.
fn sparkline(course: &[f64]) -> String {
    let greatest = course.iter().copied().fold(0.0, f64::max);
    if course.len() < 3 || greatest <= 0.0 {
        return String::new();
    }
    let cells = course.len().min(COURSE);
    let cell = |at: usize| {
        let part = &course[at * course.len() / cells..(at + 1) * course.len() / cells];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        LEVELS[((mean / greatest * 8.0).ceil() as usize).clamp(1, 8) - 1]
    };
    (0..cells).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_drawn_by_its_greatest_value() {
        assert_eq!(sparkline(&[0.0, 4.0, 8.0]), "▁▄█");
        assert_eq!(sparkline(&[1.0, 1.0]), "");
        assert_eq!(sparkline(&[0.0; 20]), "");
        let long: Vec<f64> = (1..=64).map(f64::from).collect();
        let line = sparkline(&long);
        assert_eq!(line.chars().count(), COURSE);
        assert!(line.starts_with('▁') && line.ends_with('█'), "{line}");
    }
}
