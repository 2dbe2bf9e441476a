//! What a job found, from the lines that it printed.
//!
//! An assertion is a line `ok NAME` or `WRONG NAME: why`; all others are its log. A job holds when
//! it ended with 0, nothing is WRONG, and it asserted something.

use super::job::Job;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// 124 and 137: it took too long.
    pub code: i32,
    pub seconds: u64,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub job: &'static Job,
    pub log: String,
    /// None where the guest ended before the job did.
    pub end: Option<End>,
}

impl End {
    /// Reads "EXIT-CODE SECONDS".
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (code, seconds) = text.trim().split_once(' ')?;
        Some(Self { code: code.parse().ok()?, seconds: seconds.parse().ok()? })
    }
}

impl Outcome {
    pub(crate) fn holds(&self) -> bool {
        self.end.is_some_and(|end| end.code == 0) && self.wrong() == 0 && self.right() > 0
    }

    fn right(&self) -> usize {
        self.log.lines().filter(|line| line.starts_with("ok ")).count()
    }

    fn wrong(&self) -> usize {
        self.log.lines().filter(|line| line.starts_with("WRONG ")).count()
    }

    /// The assertions of a job that holds, all of the log of another.
    pub(crate) fn text(&self) -> String {
        let is_told = |line: &&str| !self.holds() || line.starts_with("ok ");
        let lines: String =
            self.log.lines().filter(is_told).map(|line| format!("  {line}\n")).collect();
        let end = match self.end {
            Some(End { code: 124 | 137, .. }) => "  it took too long and was killed\n".to_owned(),
            Some(End { code: 0 | 1, .. }) => String::new(),
            Some(End { code, .. }) => format!("  it ended with {code}\n"),
            None => "  the guest ended before it did\n".to_owned(),
        };
        format!("{}: {}\n{lines}{end}", self.job.name, self.job.about)
    }

    /// One row of the table.
    fn row(&self) -> String {
        let seconds = self.end.map_or("-".to_owned(), |end| format!("{} s", end.seconds));
        let verdict = if self.holds() { "ok" } else { "WRONG" };
        let (job, machine) = (self.job.name, self.job.machine.name);
        let (right, all) = (self.right(), self.right() + self.wrong());
        format!("{job:<13}{machine:<9}{seconds:>7}  {right:>3} of {all:<3} {verdict}\n")
    }
}

pub(crate) fn table(outcomes: &[Outcome]) -> String {
    outcomes.iter().map(Outcome::row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::job::JOBS;
    use super::*;

    fn outcome(log: &str, end: Option<&str>) -> Outcome {
        let end = end.map(|text| End::parse(text).expect("an end"));
        let job = JOBS.iter().find(|job| job.name == "md").expect("a job");
        Outcome { job, log: log.to_owned(), end }
    }

    #[test]
    fn a_job_holds_only_when_it_asserted_something_and_nothing_is_wrong() {
        assert!(outcome("ok a\nnoise\n", Some("0 3\n")).holds());
        let broken = [
            ("ok a\nWRONG b: c\n", Some("0 3")),
            ("ok a\n", Some("1 3")),
            ("ok a\n", Some("124 90")),
            ("ok a\n", None),
            ("noise: ok a\n", Some("0 3")),
        ];
        for (log, end) in broken {
            assert!(!outcome(log, end).holds(), "{log} {end:?}");
        }
    }

    #[test]
    fn a_job_that_fails_shows_its_log_and_others_their_assertions() {
        let log = "## set-up\nok a\n";
        let text = |end| {
            let text = outcome(log, end).text();
            text.split_once('\n').expect("a heading and lines").1.to_owned()
        };
        assert_eq!(text(Some("0 3")), "  ok a\n");
        assert_eq!(text(None), "  ## set-up\n  ok a\n  the guest ended before it did\n");
        let expected = "  ## set-up\n  ok a\n  it took too long and was killed\n";
        assert_eq!(text(Some("124 90")), expected);
    }

    #[test]
    fn the_table_counts_what_is_right() {
        let outcomes = [outcome("ok a\nok b\n", Some("0 12")), outcome("WRONG a: b\n", None)];
        let expected = "\
md           stacks      12 s    2 of 2   ok
md           stacks         -    0 of 1   WRONG
";
        assert_eq!(table(&outcomes), expected);
    }
}
