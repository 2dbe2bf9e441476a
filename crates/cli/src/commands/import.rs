//! `iopath import FILE…`: an exported run, or what other tools printed during one run.

use iopath_import::{Begin, Imported, Relate, Source, Together, Tool, import, merge, recognise};
use iopath_record::{Fact, Record};
use iopath_report::{Detail, ImportedFile, compose, import_json};
use iopath_store::{NewRun, RunId, RunState};
use iopath_units::Nanos;

use crate::arguments::Import;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;
use crate::run::session;

mod asked;
mod given;

use given::{Given, TextFile};

pub(crate) fn run(arguments: &Import) -> Result<ExitStatus, Problem> {
    let mut files: Vec<Given> =
        arguments.files.iter().map(|path| Given::open(path)).collect::<Result<_, _>>()?;
    if let [file] = &mut files[..]
        && arguments.tool.is_none()
        && file.is_exported()
    {
        return exported(file, arguments);
    }
    let files = given::texts(files)?;
    let imported = texts(&files, arguments)?;
    let records = merge(&imported, &together(arguments)?).map_err(nothing)?;
    let id = store(&records, arguments)?;
    let told: Vec<ImportedFile> = imported.iter().map(told).collect();
    if arguments.show.json {
        output::print_json(&import_json(&id.to_string(), &told, &records))?;
    } else {
        let system = arguments.show.system();
        let command = place::command(&arguments.store, &format!("show {id}"));
        let document = compose::import(&id.to_string(), &command, &told, &records, system);
        output::print_document(&document, Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

fn exported(file: &mut Given, arguments: &Import) -> Result<ExitStatus, Problem> {
    let store = place::store(&arguments.store)?;
    let id = store.import(file.lines()).map_err(Problem::mistake)?;
    output::print(&format!("imported as run {id}"))?;
    Ok(ExitStatus::Done)
}

/// All files, or what is wrong with all of them.
fn texts(files: &[TextFile], arguments: &Import) -> Result<Vec<Imported>, Problem> {
    let tool = arguments.tool.as_deref().map(str::parse::<Tool>).transpose();
    let tool = tool.map_err(|error| nothing(format!("--as: {error}")))?;
    let asked = asked::of(&arguments.asked).map_err(nothing)?;
    let (mut imported, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        let text = &file.text;
        let Some(tool) = tool.or_else(|| recognise(text)) else {
            let (name, known) = (&file.name, Tool::names());
            let hint = format!("use --as TOOL ({known}), or a file written by `iopath export`");
            wrong.push(format!("{name}: unrecognized format; {hint}"));
            continue;
        };
        match import(tool, Source { name: &file.name, text }, &asked) {
            Ok(one) => imported.push(one),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    if wrong.is_empty() { Ok(imported) } else { Err(nothing(wrong.join("\n"))) }
}

fn together(arguments: &Import) -> Result<Together, Problem> {
    let begins = arguments.asked.begin.iter().map(|text| begin(text));
    let relates = arguments.asked.relate.iter();
    let relates =
        relates.map(|text| text.parse::<Relate>().map_err(|e| nothing(format!("--relate: {e}"))));
    Ok(Together {
        title: arguments.title.clone(),
        begins: begins.collect::<Result<_, _>>().map_err(nothing)?,
        relates: relates.collect::<Result<_, _>>()?,
    })
}

/// `io.txt=3s`, or `io.txt=-2s` for what began earlier.
fn begin(text: &str) -> Result<Begin, String> {
    let (file, time) = text
        .rsplit_once('=')
        .ok_or_else(|| format!("--begin: \"{text}\" is not FILE=TIME such as io.txt=3s"))?;
    let (sign, length) = match time.strip_prefix('-') {
        Some(length) => (-1, length),
        None => (1, time),
    };
    let Nanos(ns) = length.parse().map_err(|error| format!("--begin: {error}"))?;
    let after_ns =
        i64::try_from(ns).map_err(|_| format!("--begin: {time} is longer than years"))?;
    Ok(Begin { file: file.to_owned(), after_ns: sign * after_ns })
}

fn store(records: &[Record], arguments: &Import) -> Result<RunId, Problem> {
    let store = place::store(&arguments.store)?;
    let first = records.first();
    let host = first.and_then(|record| Fact::HostName.of(&record.environment));
    let started = first.map(|record| record.clock.started_unix_ns).filter(|start| *start > 0);
    let run = NewRun {
        command: session::command_line(),
        study: String::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: started.unwrap_or_else(session::unix_ns),
        host: host.unwrap_or_default().to_owned(),
    };
    let run = store.begin_run(&run).map_err(Problem::unexpected)?;
    for record in records {
        store.append(run, record).map_err(Problem::unexpected)?;
    }
    let ended = session::unix_ns();
    store.end_run(run, &RunState::Finished, ended).map_err(Problem::unexpected)?;
    Ok(run)
}

fn told(one: &Imported) -> ImportedFile {
    ImportedFile { file: one.file.clone(), tool: one.tool.name(), edges_ns: one.edges_ns.clone() }
}

fn nothing(why: impl std::fmt::Display) -> Problem {
    Problem::mistake(format!("{why}\nnothing was imported"))
}
