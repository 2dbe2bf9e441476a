//! An outcome as a plain table.

use std::fmt::Write;

use super::outcome::{Comparison, Goal, Outcome, Value, Verdict};

pub(crate) fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for note in &outcome.notes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {note}");
    }
    let (against, figure, goal) = ("against", "figure", "goal");
    if !outcome.comparisons.is_empty() {
        let _ = writeln!(
            text,
            "  {against:<13} {figure:<23} {:>8} {:>8} {:>6} {:>14}  {goal}",
            "iopath", "fio", "ratio", "95 % interval"
        );
    }
    outcome.comparisons.iter().for_each(|row| text.push_str(&comparison(row)));
    if !outcome.values.is_empty() {
        let _ = writeln!(text, "  {figure:<37} {:>8}  {goal}", "worst");
    }
    outcome.values.iter().for_each(|row| text.push_str(&value(row)));
    text
}

fn comparison(row: &Comparison) -> String {
    let interval = match (row.ratio_low, row.ratio_high) {
        (Some(low), Some(high)) => format!("{low:.3}..{high:.3}"),
        _ => "unknown".to_owned(),
    };
    format!(
        "  {:<13} {:<23} {:>8} {:>8} {:>6.3} {interval:>14}  {}\n",
        row.rival,
        row.figure,
        number(row.iopath_median),
        number(row.fio_median),
        row.ratio,
        judged(row.goal, row.verdict)
    )
}

fn value(row: &Value) -> String {
    let judged = judged(row.goal, row.verdict);
    format!("  {:<37} {:>8}  {judged}\n", row.figure, number(row.worst))
}

fn judged(goal: Option<Goal>, verdict: Option<Verdict>) -> String {
    let (Some(goal), Some(verdict)) = (goal, verdict) else { return "none".to_owned() };
    let goal = match goal {
        Goal::AtLeast(value) => format!("at least {value}"),
        Goal::AtMost(value) => format!("at most {value}"),
        Goal::Below(value) => format!("below {}", number(value)),
        Goal::Within(low, high) => format!("{low} to {high}"),
        Goal::NotApart => "1 in the interval".to_owned(),
    };
    let verdict = match verdict {
        Verdict::Met => "met",
        Verdict::MetWithinNoise => "met, but within noise",
        Verdict::MissedWithinNoise => "missed, but within noise",
        Verdict::Missed => "missed",
    };
    format!("{goal}: {verdict}")
}

/// Four digits and a decimal prefix: `619.0 k`.
fn number(value: f64) -> String {
    let prefixes = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let prefix = prefixes.into_iter().find(|(factor, _)| value.abs() >= *factor);
    let (factor, prefix) = prefix.unwrap_or((1.0, ""));
    let value = value / factor;
    let digits = [(100.0, 1), (10.0, 2)].into_iter().find(|(least, _)| value.abs() >= *least);
    format!("{value:.*}{prefix}", digits.map_or(3, |(_, digits)| digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases = [
            (0.0171, "0.017"),
            (171.3, "171.3"),
            (619_042.5, "619.0 k"),
            (32_473_735.6, "32.47 M"),
            (4_667_804_756.7, "4.668 G"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn the_table_tells_figures_ratio_interval_and_goal() {
        let mut outcome = Outcome::new("null", "no storage");
        let (ours, theirs) = (vec![6e6, 6e6, 6e6], vec![2e6, 2.4e6, 3e6]);
        let rival = || "fio null".to_owned();
        let goal = Some(Goal::AtLeast(2.0));
        let both = Comparison::new(rival(), "operations/s", ours, theirs, goal);
        outcome.comparisons.extend(both);
        let one = Comparison::new(rival(), "user ns/request", vec![30.0], vec![60.0], None);
        outcome.comparisons.extend(one);
        outcome.values.push(Value::new("peak resident bytes", vec![23e6], Some(Goal::Below(1e8))));
        outcome.notes.push("a note".to_owned());
        let expected = "  \
  a note
  against       figure                    iopath      fio  ratio  95 % interval  goal
  fio null      operations/s             6.000 M  2.400 M  2.500   2.000..3.000  at least 2: met
  fio null      user ns/request            30.00    60.00  0.500        unknown  none
  figure                                   worst  goal
  peak resident bytes                    23.00 M  below 100.0 M: met
";
        assert_eq!(text(&outcome), expected);
    }
}
