//! Which runs there are: searched, newest first, a page at a time, without opening a record.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::store::{COLUMNS, run_of};
use crate::{RunSummary, Store, StoreError};

/// Which runs a list shows; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words that must all occur in the title of the study, the command or the name of the machine;
    /// a to z in capitals or not.
    pub text: String,
    /// Name of the technique.
    pub technique: Option<String>,
    /// How the run stands: [`Run::state_name`](crate::Run::state_name).
    pub state: Option<String>,
    /// Begun at or after this, in ns since 1970.
    pub from_unix_ns: Option<u64>,
    /// Begun before this, in ns since 1970.
    pub before_unix_ns: Option<u64>,
    /// How many of the newest are left out.
    pub skip: u64,
    /// How many are given at most; none for all.
    pub limit: Option<u64>,
}

/// Words of one search (chosen): SQLite bounds the terms of a condition to 1,000.
pub(crate) const MOST_WORDS: usize = 100;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Newest first.
    pub runs: Vec<RunSummary>,
    /// How many there are on all pages.
    pub count: u64,
}

impl Store {
    /// The runs that are searched for. No record is opened.
    ///
    /// # Errors
    /// [`StoreError::Words`] for more words than are taken, or where the store cannot be read.
    pub fn list(&self, search: &Search) -> Result<Found, StoreError> {
        let words = search.text.split_whitespace().count();
        if words > MOST_WORDS {
            return Err(StoreError::Words { words });
        }
        self.found(search).map_err(|error| self.failed(error))
    }

    /// All runs, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        let mut runs = self.list(&Search::default())?.runs;
        runs.reverse();
        Ok(runs)
    }

    fn found(&self, search: &Search) -> rusqlite::Result<Found> {
        let (condition, values) = condition(search);
        let from = format!("FROM run LEFT JOIN listed ON listed.run = run.id WHERE {condition}");
        let count = format!("SELECT count(*) {from}");
        let bound = params_from_iter(&values);
        let count: i64 = self.connection.query_row(&count, bound, |row| row.get(0))?;
        // Counts of records are of the rows that are given, not of those that are left out.
        let sql = format!(
            "SELECT {COLUMNS}, listed.title, listed.technique, \
             (SELECT count(DISTINCT trial) FROM record WHERE record.run = run.id), \
             (SELECT count(*) FROM record WHERE record.run = run.id) \
             {from} ORDER BY run.id DESC LIMIT ? OFFSET ?"
        );
        let page = [search.limit.map_or(Value::Integer(-1), integer), integer(search.skip)];
        let bound = params_from_iter(values.iter().chain(&page));
        let mut statement = self.connection.prepare(&sql)?;
        let runs = statement.query_map(bound, summary)?.collect::<Result<_, _>>()?;
        Ok(Found { runs, count: count.cast_unsigned() })
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let (trials, records) = (row.get::<_, i64>(12)?, row.get::<_, i64>(13)?);
    Ok(RunSummary {
        run: run_of(row)?,
        title: row.get(10)?,
        technique: row.get(11)?,
        trials: trials.cast_unsigned(),
        records: records.cast_unsigned(),
    })
}

/// What a run must fulfil, in SQL, with the values of its parameters.
fn condition(search: &Search) -> (String, Vec<Value>) {
    let words = search.text.split_whitespace();
    let mut all: Vec<_> = words.map(|word| (HAS_WORD, Value::Text(word.to_owned()))).collect();
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    let wanted = [
        ("listed.technique = ?", text(&search.technique)),
        ("coalesce(run.state, 'unfinished') = ?", text(&search.state)),
        ("run.started_unix_ns >= ?", search.from_unix_ns.map(integer)),
        ("run.started_unix_ns < ?", search.before_unix_ns.map(integer)),
    ];
    all.extend(wanted.into_iter().filter_map(|(sql, value)| Some((sql, value?))));
    let (sql, values): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    (if sql.is_empty() { "true".to_owned() } else { sql.join(" AND ") }, values)
}

/// Times before 2262 are positive in SQL too.
fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

const HAS_WORD: &str = "instr(lower(coalesce(listed.title, '') || char(10) || run.command || \
                        char(10) || run.host), lower(?)) > 0";
