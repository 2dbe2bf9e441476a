//! A run as one self-contained file, to carry from store to store.
//!
//! JSON lines (one JSON value a line, UTF-8): first a header with what is known of the run and how
//! many records follow, then a record a line as `docs/record.md` describes it. The number of
//! records shows a file that was cut off. An imported run gets a new number; the one in the store
//! in which it was made is kept as its origin.

use std::io::{BufRead, Read, Write};

use iopath_record::codec::MAX_TEXT_BYTES;
use iopath_record::{encode, from_json, to_json};
use serde::{Deserialize, Serialize};

use crate::{NewRun, RunEnd, RunId, RunState, Store, StoreError, open, schema};

/// First field of the header: name and version of the format.
pub const EXPORT_FORMAT: &str = "iopath-export/1";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    /// Number in the store in which the run was made.
    id: RunId,
    run: NewRun,
    end: Option<RunEnd>,
    records: u64,
}

/// A record as it will lie in the store.
struct Packed {
    place: (u32, u32),
    title: String,
    technique: &'static str,
    /// When its pass ended, in ns since 1970.
    ended_unix_ns: u64,
    body: Vec<u8>,
}

impl Store {
    /// Writes a run and all its records.
    ///
    /// # Errors
    /// [`StoreError::Export`] where the writer fails, else as [`Store::records`].
    pub fn export(&self, run: RunId, writer: &mut impl Write) -> Result<(), StoreError> {
        // One transaction, so that the count and the records are of the same moment.
        let view = self.connection.unchecked_transaction().map_err(|error| self.failed(error))?;
        let found = self.run(run)?;
        let header = Header {
            format: EXPORT_FORMAT.to_owned(),
            id: found.origin.unwrap_or(found.id),
            run: found.begin,
            end: found.end,
            records: self.count_records(run)?,
        };
        let text = serde_json::to_string(&header).expect("a header holds texts and numbers");
        writeln!(writer, "{text}").map_err(StoreError::Export)?;
        self.each_record(run, |record| {
            writeln!(writer, "{}", to_json(&record)).map_err(StoreError::Export)
        })?;
        writer.flush().map_err(StoreError::Export)?;
        view.commit().map_err(|error| self.failed(error))
    }

    /// Reads what [`Store::export`] wrote, checks all of it, then writes all of it or nothing.
    ///
    /// # Errors
    /// [`StoreError::Import`] with the line, or where the store cannot be written.
    pub fn import(&self, reader: impl BufRead) -> Result<RunId, StoreError> {
        let mut lines = Lines { reader, number: 0 };
        let header = read_header(&mut lines)?;
        let mut records = Vec::new();
        while let Some(line) = lines.next()? {
            let record = from_json(&line).map_err(|error| lines.wrong(&error.to_string()))?;
            if records.len() as u64 == header.records {
                let said = header.records;
                let why = format!("more than the {said} records announced by the first line");
                return Err(lines.wrong(&why));
            }
            let (place, technique) =
                ((record.case.trial, record.case.pass), record.technique.name());
            let body = encode(&record);
            let length_ns = record.instants_ns.last().copied().unwrap_or_default();
            let ended_unix_ns = record.clock.started_unix_ns.saturating_add(length_ns);
            let title = record.case.study;
            records.push(Packed { place, title, technique, ended_unix_ns, body });
        }
        if records.len() as u64 != header.records {
            let (found, said) = (records.len(), header.records);
            return Err(lines.wrong(&format!(
                "{found} records instead of {said}: the file is truncated or was modified"
            )));
        }
        let run = self.write_all(&header, &records).map_err(|error| self.failed(error))?;
        self.assure_there().map(|()| run)
    }

    fn count_records(&self, run: RunId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM record WHERE run = ?";
        let count = self.connection.query_row(sql, [run.0.cast_signed()], |row| row.get(0));
        count.map(i64::cast_unsigned).map_err(|error| self.failed(error))
    }

    fn write_all(&self, header: &Header, records: &[Packed]) -> rusqlite::Result<RunId> {
        let transaction = open::begin(&self.connection)?;
        let end = header.end.clone().unwrap_or_else(|| cut_off(&header.run, records));
        let run = self.insert_run(&header.run, Some(&end), Some(header.id))?;
        if let Some(first) = records.iter().min_by_key(|record| record.place) {
            let told = (first.title.as_str(), first.technique);
            schema::list(&self.connection, run.0.cast_signed(), told)?;
        }
        for record in records {
            self.insert_record(run, record.place, &record.body)?;
        }
        transaction.commit()?;
        Ok(run)
    }
}

/// The end of a run that had none where it was exported: nothing goes on here, so it must not look
/// as if it were under way.
fn cut_off(run: &NewRun, records: &[Packed]) -> RunEnd {
    let why = "it was exported before it ended: it was in progress there, or killed";
    let ends = records.iter().map(|record| record.ended_unix_ns);
    RunEnd {
        state: RunState::Failed(why.to_owned()),
        ended_unix_ns: ends.fold(run.started_unix_ns, u64::max),
    }
}

fn read_header(lines: &mut Lines<impl BufRead>) -> Result<Header, StoreError> {
    #[derive(Deserialize)]
    struct Version {
        format: String,
    }
    let line = lines.next()?.unwrap_or_default();
    match serde_json::from_str::<Version>(&line) {
        Ok(Version { format }) if format == EXPORT_FORMAT => {}
        Ok(Version { format }) => {
            return Err(lines.wrong(&format!(
                "format \"{format}\" is unknown; this program reads {EXPORT_FORMAT}"
            )));
        }
        Err(_) => return Err(lines.wrong("not written by `iopath export`")),
    }
    serde_json::from_str(&line).map_err(|error| lines.wrong(&error.to_string()))
}

/// Lines that are never longer than a record may be.
struct Lines<R> {
    reader: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<String>, StoreError> {
        self.number += 1;
        let mut line = Vec::new();
        let mut part = self.reader.by_ref().take(MAX_TEXT_BYTES + 1);
        part.read_until(b'\n', &mut line).map_err(|error| self.wrong(&error.to_string()))?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.len() as u64 > MAX_TEXT_BYTES {
            return Err(self.wrong("longer than any record"));
        }
        String::from_utf8(line).map(Some).map_err(|_| self.wrong("not UTF-8 text"))
    }

    fn wrong(&self, why: &str) -> StoreError {
        StoreError::Import { line: self.number, why: why.to_owned() }
    }
}
