//! What the address of a list asks for: `?text=…&technique=…&state=…&from=DATE
//! &until=DATE&sort=COLUMN&order=ascending&page=N`.

use form_urlencoded::{Serializer, parse};
use iopath_report::html::RunSearch;
use iopath_report::{RunColumn, RunOrder};
use iopath_store::Search;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::ROWS;
use crate::answer::Trouble;

/// What is asked for, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// Its days are in UTC.
    pub asked: RunSearch,
    /// Newest first where it does not say.
    pub order: RunOrder,
    /// From 1.
    pub page: u64,
    from_unix_ns: Option<u64>,
    before_unix_ns: Option<u64>,
}

impl Question {
    /// Reads the part of an address behind its question mark. Unknown names are let be.
    pub(crate) fn of(query: &str) -> Result<Self, Trouble> {
        let mut question = Self { page: 1, ..Self::default() };
        let asked = &mut question.asked;
        let (mut sort, mut direction) = (String::new(), String::new());
        for (name, value) in parse(query.as_bytes()) {
            let value = value.trim().to_owned();
            match &*name {
                "text" => asked.text = value,
                "technique" => asked.technique = value,
                "state" => asked.state = value,
                "from" => asked.from = value,
                "until" => asked.until = value,
                "sort" => sort = value,
                "order" => direction = value,
                "page" => question.page = page(&value)?,
                _ => {}
            }
        }
        question.order = order(&sort, &direction)?;
        question.from_unix_ns = day(&question.asked.from)?.map(beginning).transpose()?;
        let last = day(&question.asked.until)?;
        let after = last.map(|day| day.tomorrow().map_err(Trouble::question)).transpose()?;
        question.before_unix_ns = after.map(beginning).transpose()?;
        Ok(question)
    }

    /// How many rows lie before the page.
    pub(crate) fn skipped(&self) -> u64 {
        (self.page - 1).saturating_mul(ROWS)
    }

    pub(crate) fn search(&self) -> Search {
        let any = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Search {
            text: self.asked.text.clone(),
            technique: any(&self.asked.technique),
            state: any(&self.asked.state),
            from_unix_ns: self.from_unix_ns,
            before_unix_ns: self.before_unix_ns,
            skip: self.skipped(),
            limit: Some(ROWS),
        }
    }

    /// The address of the same list in another order, from its beginning.
    pub(crate) fn sorted(&self, order: RunOrder) -> String {
        Self { order, ..self.clone() }.address(1)
    }

    /// The address of another page of the same list.
    pub(crate) fn address(&self, page: u64) -> String {
        let RunSearch { text, technique, state, from, until } = &self.asked;
        let page = page.to_string();
        let by = self.order.by;
        let sort = if by == RunColumn::default() { "" } else { by.name() }.to_owned();
        let is_expected = self.order == RunOrder::by(by);
        let direction = if is_expected { "" } else { self.order.direction() }.to_owned();
        let all = [
            ("text", text),
            ("technique", technique),
            ("state", state),
            ("from", from),
            ("until", until),
            ("sort", &sort),
            ("order", &direction),
            ("page", &page),
        ];
        let said = all.into_iter().filter(|(_, value)| !value.is_empty());
        format!("?{}", Serializer::new(String::new()).extend_pairs(said).finish())
    }
}

/// The runs that an address names.
pub(crate) struct Runs {
    /// In its order.
    pub names: Vec<String>,
    /// Whether they were ticked in a list (`runs=2&runs=1`), whose order says nothing of which is
    /// compared with which; `runs=2,1` does.
    pub are_ticked: bool,
}

impl Runs {
    pub(crate) fn of(query: &str) -> Self {
        let values = parse(query.as_bytes()).filter(|(name, _)| name == "runs");
        let values: Vec<_> = values.map(|(_, value)| value.into_owned()).collect();
        let names = values.iter().flat_map(|value| value.split(',')).map(str::trim);
        let names = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Self { names, are_ticked: values.len() > 1 }
    }
}

/// The order of a list; a column alone is sorted as its readers expect.
fn order(sort: &str, direction: &str) -> Result<RunOrder, Trouble> {
    let column = match (RunColumn::named(sort), sort) {
        (Some(column), _) => column,
        (None, "") => RunColumn::default(),
        (None, _) => {
            let known = RunColumn::ALL.map(RunColumn::name).join(", ");
            let text = format!("\"{sort}\" is no column to sort by: they are {known}");
            return Err(Trouble::question(text));
        }
    };
    match direction {
        "" => Ok(RunOrder::by(column)),
        "ascending" => Ok(RunOrder { by: column, descends: false }),
        "descending" => Ok(RunOrder { by: column, descends: true }),
        other => {
            let text = format!("order \"{other}\" is neither ascending nor descending");
            Err(Trouble::question(text))
        }
    }
}

fn page(text: &str) -> Result<u64, Trouble> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Trouble::question(format!("page \"{text}\" is not a page number")))
}

fn day(text: &str) -> Result<Option<Date>, Trouble> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |_| Trouble::question(format!("\"{text}\" is not a date: write it as 2026-11-30"));
    text.parse().map(Some).map_err(wrong)
}

/// Its midnight in UTC, in ns since 1970; days before that begin with it.
fn beginning(day: Date) -> Result<u64, Trouble> {
    let midnight = day.to_zoned(TimeZone::UTC).map_err(Trouble::question)?;
    Ok(u64::try_from(midnight.timestamp().as_nanosecond()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_and_written() {
        let text = "text=a%26b+c&technique=simulation&from=2026-11-21&until=2026-11-22\
                    &sort=throughput&order=ascending&page=3";
        let question = Question::of(text).unwrap();
        let search = question.search();
        assert_eq!((search.text.as_str(), search.skip), ("a&b c", 2 * ROWS));
        assert_eq!(search.technique.as_deref(), Some("simulation"));
        let day_ns = 86_400_000_000_000;
        let from = search.from_unix_ns.unwrap();
        assert_eq!((from % day_ns, search.before_unix_ns), (0, Some(from + 2 * day_ns)));
        assert_eq!(Question::of(&question.address(3)[1..]).unwrap(), question);
        assert_eq!(question.order, RunOrder { by: RunColumn::Throughput, descends: false });
        let all = Search { limit: Some(ROWS), ..Search::default() };
        assert_eq!(Question::of("").unwrap().search(), all);
    }

    #[test]
    fn a_question_that_cannot_be_understood_is_refused() {
        for wrong in [
            "page=0",
            "page=-1",
            "page=x",
            "from=yesterday",
            "until=2026-13-01",
            "sort=size",
            "order=up",
        ] {
            assert!(Question::of(wrong).is_err(), "{wrong}");
        }
    }
}
