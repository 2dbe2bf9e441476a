//! `iopath emulate STUDY`: its path as rate-limited devices; measured, kept, or until Ctrl-C.

mod live;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iopath_analysis::analyse;
use iopath_emulation::{Media, Options, Standing, State, standing, tear_down};
use iopath_machine::Root;
use iopath_machine::processes::Holder;
use iopath_report::{Detail, DevicePath, EmulatedCase, compose, emulation_json, standing_json};
use iopath_store::RunId;
use iopath_study::case::Verify;
use iopath_study::{Scale, Trial};

use crate::arguments::{self, Emulate};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::place;
use crate::run::emulated::{self, Kept, Machine, Prepared, Stage, Wanted};
use crate::run::progress::{self, Display};
use crate::run::session;
use crate::run::signals::{self, Pending};

pub(crate) fn run(arguments: &Emulate) -> Result<ExitStatus, Problem> {
    let directory = emulated::directory(arguments.directory.as_ref());
    if let Some(remove) = arguments.sweep_at_end {
        emulated::sweep_at_end(&directory, remove);
        return Ok(ExitStatus::Done);
    }
    if let [setup, number] = &arguments.serve[..] {
        return live::serve(setup, number);
    }
    emulated::clear(&directory);
    if !arguments.fail.is_empty() && !arguments.live {
        return live::fail_standing(arguments, &directory);
    }
    let Some(study) = arguments.study.as_ref().filter(|_| !arguments.down) else {
        return down(&directory);
    };
    let wanted = wanted(arguments)?;
    let length = emulated::length(&arguments.length, arguments.passes.unwrap_or(1))?;
    let planned = studies::read_for(study, &arguments.set, &arguments.cases)?;
    let trials = planned.trials();
    if !arguments.run && trials.len() > 1 {
        return Err(several(&trials));
    }
    verifiable(arguments, &trials)?;
    let interrupted = signals::watch(Pending::Io)?;
    let _guard = emulated::start_guard(&directory);
    let passing = emulated::passing(directory.clone(), "calibration");
    let mut machine = match arguments.live {
        true => Machine::live(&passing, &interrupted),
        false => Machine::new(&passing, &interrupted),
    };
    let fails = live::fails(arguments, "10 s")?;
    let prepare = |trial: &&Trial| {
        let case = live::failing(arguments, &trial.case, &fails)?;
        Prepared::of(&planned.study, &case, wanted, &mut machine)
    };
    let prepared: Vec<Prepared> = trials.iter().map(prepare).collect::<Result<_, _>>()?;
    let options = Options {
        media: match arguments.media {
            arguments::Media::Null => Media::Null,
            arguments::Media::Files => Media::Files,
        },
        loops: arguments.loops,
        kept: arguments.up,
        label: planned.study.title.clone(),
        ..passing.clone()
    };
    let mut stage = Stage::new(&options, length, &interrupted);
    (stage.fails, stage.fails_when_asked) = (fails, arguments.run);
    stage.arrivals = live::arrivals(arguments, &prepared)?;
    match (arguments.run, prepared.first()) {
        (true, _) => measure(arguments, &planned, &prepared, &mut stage),
        (false, Some(only)) => stand(arguments, only, &mut stage),
        (false, None) => Ok(ExitStatus::Done),
    }
}

fn wanted(arguments: &Emulate) -> Result<Wanted, Problem> {
    if arguments.scale.is_none() && arguments.stretch.is_none() {
        return Ok(Wanted::Least);
    }
    let scale = arguments.scale.as_deref().map_or(Ok(Scale::ONE), str::parse);
    let scale: Result<Scale, _> =
        scale.and_then(|scale| scale.stretched(arguments.stretch.unwrap_or(1)));
    scale.map(Wanted::Exactly).map_err(Problem::mistake)
}

/// Null media give back nothing of what was written.
fn verifiable(arguments: &Emulate, trials: &[&Trial]) -> Result<(), Problem> {
    let is_verified = |trial: &&Trial| trial.case.workload.verify == Verify::Stamps;
    match (arguments.media, trials.iter().any(is_verified)) {
        (arguments::Media::Null, true) => {
            let text = "null media store no data to verify: use --media files";
            Err(Problem::mistake(text))
        }
        _ => Ok(()),
    }
}

fn several(trials: &[&Trial]) -> Problem {
    let first: Vec<String> =
        trials.iter().take(3).map(|trial| session::name_of(&trial.case)).collect();
    Problem::mistake(format!(
        "{} cases are selected ({}{}) and one path can be up: select one with --case, or measure \
         all of them with --run",
        trials.len(),
        first.join("; "),
        if trials.len() > first.len() { "; …" } else { "" }
    ))
}

/// Measures every case and shows it beside the model.
fn measure(
    arguments: &Emulate,
    planned: &Planned,
    prepared: &[Prepared],
    stage: &mut Stage<'_>,
) -> Result<ExitStatus, Problem> {
    let store = place::store(&arguments.store)?;
    let begin = session::begin(&Root::live(), &planned.text);
    let run = store.begin_run(&begin).map_err(Problem::unexpected)?;
    let wanted = progress::Wanted::unless(arguments.no_progress);
    let length = stage.length;
    let takes_ms = |one: &Prepared| length.each_ms().saturating_mul(one.turns());
    let all_ms = prepared.iter().map(takes_ms).fold(0, u64::saturating_add);
    let mut display = Display::lasting(all_ms, wanted, arguments.show.system());
    let keep = &|record: &_| store.append(run, record);
    let amend = &|record: &_| store.amend(run, record);
    let mut kept = Kept { keep, amend, display: &mut display };
    let (mut shown, mut known) = (Vec::new(), BTreeSet::new());
    let mut ended = Ok(ExitStatus::Done);
    let mut before_ms: u64 = 0;
    for (index, one) in (0u32..).zip(prepared) {
        kept.display.trial(one.name.clone(), before_ms);
        before_ms = before_ms.saturating_add(takes_ms(one));
        ended = case(arguments, (index, one), stage, &mut kept, (&mut shown, &mut known));
        if !matches!(ended, Ok(ExitStatus::Done)) || stage.is_interrupted() {
            break;
        }
    }
    kept.display.end();
    let down = stage.end();
    let status = session::finish(&store, run, ended)?;
    down?;
    show(arguments, Some(run), &shown)?;
    if !arguments.show.json {
        session::tell_where(&arguments.store, run);
    }
    Ok(status)
}

fn case(
    arguments: &Emulate,
    (index, one): (u32, &Prepared),
    stage: &mut Stage<'_>,
    kept: &mut Kept<'_>,
    (shown, known): (&mut Vec<EmulatedCase>, &mut BTreeSet<(String, u64)>),
) -> Result<ExitStatus, Problem> {
    let mut row = row(one);
    let begin = Instant::now();
    let stood = stage.stands(one);
    stage.devices(one)?;
    row.not_emulated.extend(stage.notes());
    row.bring_up_ns = (!stood).then(|| begin.elapsed().as_nanos() as u64);
    if arguments.calibrate {
        let paths = stage.devices(one)?;
        row.alone = emulated::each_alone((one, &paths), known, stage.interrupted)?;
    }
    let (records, status) = stage.measure((index, one), kept)?;
    row.lateness = stage.take_lateness();
    // A pass that was cut short says less than it looks.
    if status == ExitStatus::Done && !records.is_empty() {
        let findings = analyse(&records).map_err(Problem::unexpected)?;
        let deskewed = findings.deskewed_throughput_bytes_per_sec;
        row.jain = findings.jain.filter(|_| findings.streams.len() > 1);
        row.measured = Some(deskewed.unwrap_or(findings.throughput_bytes_per_sec));
        for (epoch, found) in row.epochs.iter_mut().zip(&findings.epochs) {
            let deskewed = found.deskewed_throughput_bytes_per_sec;
            epoch.measured = Some(deskewed.unwrap_or(found.headline.throughput_bytes_per_sec));
        }
    }
    shown.push(row);
    Ok(status)
}

fn row(prepared: &Prepared) -> EmulatedCase {
    EmulatedCase {
        name: prepared.name.clone(),
        scale: prepared.scale.divisor(),
        stretch: prepared.scale.stretch(),
        devices: prepared.devices().len(),
        groups: prepared.groups(),
        predicted: prepared.predicted,
        measured: None,
        epochs: prepared.epochs.clone(),
        jain: None,
        bring_up_ns: None,
        lateness: None,
        alone: None,
        not_emulated: prepared.notes(),
    }
}

fn show(arguments: &Emulate, run: Option<RunId>, cases: &[EmulatedCase]) -> Result<(), Problem> {
    if arguments.show.json {
        let run = run.map(|run| run.to_string());
        return output::print_json(&emulation_json(run.as_deref(), cases));
    }
    let system = arguments.show.system();
    match cases.is_empty() {
        true => Ok(()),
        false => output::print_document(&compose::emulation(cases, system), Detail::Brief, system),
    }
}

/// How often a path that stands looks whether it is still there, and wanted.
const LOOK: Duration = Duration::from_millis(200);

/// Brings a path up and says where its devices are; waits for Ctrl-C unless it is to be kept.
fn stand(
    arguments: &Emulate,
    prepared: &Prepared,
    stage: &mut Stage<'_>,
) -> Result<ExitStatus, Problem> {
    let paths = stage.devices(prepared)?;
    let mut row = row(prepared);
    row.not_emulated.extend(stage.notes());
    let devices = prepared.devices().into_iter().zip(&paths);
    if arguments.show.json {
        let paths = devices.map(|(device, path)| DevicePath { device, path });
        output::print_json(&standing_json(&row, &paths.collect::<Vec<_>>()))?;
    } else {
        show(arguments, None, &[row])?;
        let line = |(device, path): (&str, &PathBuf)| format!("{}  {device}", path.display());
        output::print(&devices.map(line).collect::<Vec<_>>().join("\n"))?;
    }
    if arguments.up {
        output::tell(&format!("it stays: iopath emulate --down{} takes it away", named(arguments)));
        tell_of_logout(arguments);
        return Ok(ExitStatus::Done);
    }
    output::tell("the emulated path is up; Ctrl-C removes it");
    while !stage.is_interrupted() {
        std::thread::sleep(LOOK);
        stage.assure()?;
    }
    stage.end()?;
    output::tell("taken away");
    Ok(ExitStatus::Done)
}

/// What is in the directory of a session goes with that, and its daemons are found no more.
fn tell_of_logout(arguments: &Emulate) {
    let chosen = emulated::directory(arguments.directory.as_ref());
    if emulated::runtime().is_some_and(|runtime| chosen.starts_with(runtime)) {
        output::tell(
            "take it away before you log out, when its directory goes; one that is to stay needs \
             --directory DIR, such as one in /var/tmp",
        );
    }
}

/// The option that a directory was named by.
fn named(arguments: &Emulate) -> String {
    let directory = arguments.directory.as_ref();
    directory.map(|path| format!(" --directory {}", path.display())).unwrap_or_default()
}

/// Takes away what stands under a directory.
fn down(directory: &Path) -> Result<ExitStatus, Problem> {
    let mut gone = 0;
    let mut troubles = Vec::new();
    for one in standing(directory) {
        match one.and_then(|one| if is_ours(&one) { tear_down(&one).map(Some) } else { Ok(None) }) {
            Ok(Some(removed)) => {
                gone += 1;
                removed.in_use.iter().for_each(tell_holder);
            }
            Ok(None) => output::tell("one belongs to a run in progress and was left alone"),
            Err(trouble) => troubles.push(trouble.to_string()),
        }
    }
    output::tell(&format!("{} taken away", output::count(gone, "emulated path")));
    match troubles.is_empty() {
        true => Ok(ExitStatus::Done),
        false => Err(Problem::unexpected(troubles.join("\n"))),
    }
}

fn tell_holder(holder: &Holder) {
    let Holder { path, process } = holder;
    let text = format!(
        "{} was in use by process {}, which will now get I/O errors",
        path.display(),
        process.id
    );
    output::tell(&text);
}

/// Whether nobody measures on it at the moment.
fn is_ours(standing: &Standing) -> bool {
    standing.state != State::Owned
}
