//! The view of a run, from the store or as it was just made: analysed once, each path evaluated
//! once.

use std::collections::BTreeMap;

use iopath_record::{Record, Technique};
use iopath_report::{RunFacts, RunView, Runbook, TrialReport};
use iopath_store::{NewRun, Run, RunEnd, RunId, RunState, Store};
use iopath_study::Study;

use crate::exit_status::Problem;
use crate::results::described::Described;
use crate::results::{profiled_path, published};

/// A run of the store.
pub(crate) fn read(store: &Store, id: RunId) -> Result<RunView, Problem> {
    let run = store.run(id).map_err(Problem::unexpected)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    let study = published::stored(&run.begin.study, &records);
    of(facts(&run.begin, Some(id), state(&run)), study.as_ref(), records)
}

/// Records, whether stored or not. What the study publishes is in the view where it is given.
pub(crate) fn of(
    facts: RunFacts,
    study: Option<&Study>,
    records: Vec<Record>,
) -> Result<RunView, Problem> {
    let mut view = RunView::of(facts, records).map_err(Problem::unexpected)?;
    describe(&mut view, study);
    Ok(view)
}

/// What is known of a run besides its records; `state` is how it stands where it did not end as it
/// should.
pub(crate) fn facts(begin: &NewRun, id: Option<RunId>, state: Option<String>) -> RunFacts {
    RunFacts {
        id: id.map(|id| id.to_string()),
        command: begin.command.clone(),
        version: begin.version.clone(),
        host: begin.host.clone(),
        started_unix_ns: begin.started_unix_ns,
        state,
    }
}

/// Adds the paths that real trials describe, and what the study publishes.
pub(crate) fn describe(view: &mut RunView, study: Option<&Study>) {
    let whole = study;
    let study = study.filter(|study| published::publishes(study));
    let trials = &view.report.trials;
    let wanted = trials.iter().filter(|trial| study.is_some() || is_real(trial));
    let described = wanted.filter_map(|one| Some((one.case.trial, Described::of(&one.case)?)));
    let described: BTreeMap<u32, Described> = described.collect();
    let own = |trial: &TrialReport| described.get(&trial.case.trial).filter(|_| is_real(trial));
    let paths = trials.iter().map(|trial| own(trial).map(Described::path).unwrap_or_default());
    let paths = paths.collect();
    let agreement = study.and_then(|one| published::agreement(one, &view.records, &described));
    view.agreements = agreement.into_iter().collect();
    view.paths = paths;
    view.runbook = whole.and_then(|study| Runbook::of(study, view));
    view.measured_path = profiled_path::drawn(view);
}

fn is_real(trial: &TrialReport) -> bool {
    matches!(trial.technique, Technique::Measurement { .. })
}

/// How a run stands that did not end as it should.
fn state(run: &Run) -> Option<String> {
    match run.end.as_ref().map(|RunEnd { state, .. }| state) {
        Some(RunState::Finished) => None,
        None => Some("unfinished: under way, or killed".to_owned()),
        Some(RunState::Interrupted) => Some("interrupted".to_owned()),
        Some(RunState::Failed(why)) => Some(format!("failed: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use iopath_analysis::analyses;
    use iopath_path::Network;
    use iopath_report::{Color, Detail, Look, compose, explanation_json, html, render_json, text};
    use iopath_simulation::{Settings, simulate};
    use iopath_study::{Source, parse};
    use iopath_units::System;

    use super::*;

    const STUDY: &str = r#"study "Two drives"
path {
    host "server" {
        nvme "drive" count=2 read=(rated)"3 GB/s"
    }
}
workload time="10 ms" warm-up="1 ms" {
    streams "reader" over="server.drive[0]" op="read" block="1 MiB" depth=4
}
vary {
    factor "drives" of="reader.over" "server.drive[0]" "server.drive"
}
"#;

    /// Two passes of each of two trials, as if they had been measured.
    fn measured() -> Vec<Record> {
        let study = parse(&Source { name: "test".to_owned(), text: STUDY.to_owned() }, &[]);
        let cases = study.unwrap().cases().unwrap();
        let pass = |(at, pass): (usize, u32)| {
            let network = Network::build(&cases[at], &Default::default()).unwrap();
            let mut record = simulate(&cases[at], &network, &Settings::default());
            record.case.trial = u32::try_from(at).unwrap();
            record.case.pass = pass;
            record.technique =
                Technique::Measurement { engine: "uring".to_owned(), emulated: None };
            record
        };
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(pass).to_vec()
    }

    #[test]
    fn text_json_and_page_are_made_of_one_analysis_of_each_trial() {
        let records = measured();
        let before = analyses();
        let view = of(RunFacts::default(), None, records).unwrap();
        assert_eq!(analyses() - before, 2);
        let look = Look { width: 100, system: System::Decimal, color: Color::Never };
        let documents = [compose::summary, compose::whole, compose::explanation]
            .map(|of| of(&view, System::Decimal));
        let texts = documents.each_ref().map(|one| text::render(one, Detail::Full, &look));
        let json = [render_json(&view), explanation_json(&view)].map(|one| one.to_string());
        let pages = documents.each_ref().map(html::render);
        let shown: Vec<String> = [&texts[..], &json, &pages].concat();
        assert!(shown.iter().all(|text| !text.is_empty()), "{shown:?}");
        assert_eq!(analyses() - before, 2);
    }

    #[test]
    fn real_trials_have_their_path_and_models_have_none() {
        let view = of(RunFacts::default(), None, measured()).unwrap();
        let expected = view.paths.iter().filter_map(|path| path.expected.as_ref());
        let expected: Vec<f64> = expected.map(|one| one.throughput_bytes_per_sec).collect();
        assert_eq!(expected, [3e9, 6e9]);
        let mut model = measured();
        model.iter_mut().for_each(|one| one.technique = Technique::Simulation { events: 1 });
        let view = of(RunFacts::default(), None, model).unwrap();
        assert!(view.paths.iter().all(|path| path.expected.is_none() && path.unrated.is_empty()));
    }
}
