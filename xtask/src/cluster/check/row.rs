//! `Row`: a goal and what was reached.

use std::fmt;

pub(crate) struct Row {
    what: String,
    goal: String,
    reached: String,
    holds: Option<bool>,
}

impl Row {
    /// Of a goal that was reached or missed.
    pub(crate) fn of(what: impl Into<String>, goal: &str, reached: String, holds: bool) -> Self {
        Self { what: what.into(), goal: goal.to_owned(), reached, holds: Some(holds) }
    }

    /// A figure without a goal.
    pub(crate) fn figure(what: impl Into<String>, reached: String) -> Self {
        Self { what: what.into(), goal: String::new(), reached, holds: None }
    }

    pub(crate) fn heading() -> Self {
        Self::figure("what", "reached".to_owned()).with_goal("goal")
    }

    pub(crate) fn is_missed(&self) -> bool {
        self.holds == Some(false)
    }

    fn with_goal(self, goal: &str) -> Self {
        Self { goal: goal.to_owned(), ..self }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_missed() { "  MISSED" } else { "" };
        write!(formatter, "{:<44}{:<26}{}{mark}", self.what, self.goal, self.reached)
    }
}
