//! CONTRIBUTING.md says of each step of `ci` how long it may take, as the table of steps does.

use std::collections::BTreeMap;

use super::problem::Problem;
use super::text::{self, Text};
use crate::ci;

const PAGE: &str = "CONTRIBUTING.md";

/// Of the table of steps on the page.
const HEAD: &str = "| step | budget |";

pub(crate) fn check(texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let page = texts.get(PAGE).map_or("", |text| &text.body);
    let steps: Vec<(&str, String)> =
        ci::STEPS.iter().map(|step| (step.name, step.budget.to_string())).collect();
    compare(&steps, page)
}

fn compare(steps: &[(&str, String)], page: &str) -> Vec<Problem> {
    let table = text::numbered(page).skip_while(|(_, line)| !line.starts_with(HEAD));
    let rows: Vec<(usize, &str)> =
        table.skip(2).take_while(|(_, line)| line.starts_with('|')).collect();
    let problem = |line, advice| Problem::new(PAGE, line, "ci-budget", advice);
    let mut problems = Vec::new();
    for (name, budget) in steps {
        let start = format!("| `{name}` |");
        match rows.iter().find(|(_, row)| row.starts_with(&start)) {
            None => problems.push(problem(1, format!("give the step `{name}` a row"))),
            Some((line, row)) if !row.starts_with(&format!("{start} {budget} |")) => {
                let advice = format!("the budget of `{name}` is {budget} in ci's table");
                problems.push(problem(*line, advice));
            }
            Some(_) => {}
        }
    }
    let is_step =
        |row: &str| steps.iter().any(|(name, _)| row.starts_with(&format!("| `{name}` |")));
    let strange = rows.iter().filter(|(_, row)| !is_step(row));
    let advice = "ci has no such step: take the row out".to_owned();
    problems.extend(strange.map(|(line, _)| problem(*line, advice.clone())));
    problems
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::*;

    fn check_page(rows: &str, expected: &[(usize, &str)]) {
        let page = format!("{HEAD} asks |\n|---|---|---|\n{rows}\n| `other` | 1 s |\n");
        let steps = [("fmt", "10 s".to_owned()), ("test", "25 min".to_owned())];
        assert_eq!(places(&compare(&steps, &page)), expected);
    }

    #[test]
    fn each_step_has_a_row_with_its_budget() {
        check_page("| `fmt` | 10 s | a |\n| `test` | 25 min | b |\n", &[]);
        check_page("| `fmt` | 1 s | a |\n| `test` | 25 min | b |\n", &[(3, "ci-budget")]);
        check_page("| `test` | 25 min | b |\n", &[(1, "ci-budget")]);
    }

    #[test]
    fn a_row_without_a_step_is_refused() {
        let rows = "| `fmt` | 10 s | a |\n| `test` | 25 min | b |\n| `gone` | 1 s | c |\n";
        check_page(rows, &[(5, "ci-budget")]);
    }
}
