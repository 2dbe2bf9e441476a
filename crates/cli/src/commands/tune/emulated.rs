//! Settings tried on the study's path as rate-limited devices of this machine. Simulations say
//! where to begin.

use iopath_machine::Root;
use iopath_record::Record;

use super::{Done, Job, Left};
use crate::arguments::EmulatedLength;
use crate::exit_status::{ExitStatus, Problem};
use crate::results::place;
use crate::run::emulated::{self, Kept, Machine, Prepared, Stage};
use crate::run::progress::{Display, Wanted};
use crate::run::session;
use crate::run::signals::{self, Pending};
use crate::run::tuning::{Trials, looked_up};

impl Job<'_> {
    pub(super) fn emulate(&self) -> Result<ExitStatus, Problem> {
        let arguments = self.arguments;
        let directory = emulated::directory(None);
        emulated::clear(&directory);
        let left = Left::plan(&arguments.report, &arguments.store, self.outputs()?)?;
        let screens = self.is_screened();
        let simulating = screens.then(|| signals::watch(Pending::Results)).transpose()?;
        let (prior, screened) = self.screen(simulating.as_deref())?;
        let interrupted = signals::watch(Pending::Io)?;
        let _guard = emulated::start_guard(&directory);
        let options = emulated::passing(directory, &self.tuned.study.title);
        let mut machine = Machine::new(&options, &interrupted);
        let (time, warm_up) = (&arguments.load.time, &arguments.load.warm_up);
        let length = EmulatedLength::of(time.as_deref(), warm_up.as_deref());
        let length = emulated::length(&length, 1)?;
        let mut stage = Stage::new(&options, length, &interrupted);
        let store = place::store(&arguments.store)?;
        let begin = session::begin(&Root::live(), &self.tunable.source.text);
        let run = store.begin_run(&begin).map_err(Problem::unexpected)?;
        let passes = self.tuned.rules.trials + 2 * self.tuned.rules.passes;
        let wanted = Wanted::unless(arguments.no_progress);
        let all_ms = length.each_ms().saturating_mul(passes as u64);
        let mut display = Display::lasting(all_ms, wanted, arguments.show.system());
        let keep = &|record: &Record| store.append(run, record);
        let amend = &|record: &Record| store.amend(run, record);
        let mut kept = Kept { keep, amend, display: &mut display };
        let prior = looked_up(&prior);
        let mut trials = Trials::new(&self.tuned, &prior);
        let ended = self.on_devices(&mut trials, &mut machine, &mut stage, &mut kept);
        kept.display.end();
        let down = stage.end();
        let status = session::finish(&store, run, ended)?;
        down?;
        self.show(&trials, &Done { run: Some(run), status, screened, left: &left })
    }

    /// Tries settings until the best is known; each visit is a trial of the run.
    fn on_devices(
        &self,
        trials: &mut Trials<'_>,
        machine: &mut Machine<'_>,
        stage: &mut Stage<'_>,
        kept: &mut Kept<'_>,
    ) -> Result<ExitStatus, Problem> {
        let each_ms = stage.length.each_ms();
        for index in 0u32.. {
            let Some(coming) = trials.coming() else { break };
            let prepared =
                Prepared::of(self.tuned.study, &coming.case, emulated::Wanted::Least, machine)?;
            kept.display.trial(prepared.name.clone(), each_ms.saturating_mul(index.into()));
            let (records, status) = stage.measure((index, &prepared), kept)?;
            if status != ExitStatus::Done || stage.is_interrupted() {
                return Ok(ExitStatus::Interrupted);
            }
            trials.observe(&coming, &records)?;
        }
        Ok(ExitStatus::Done)
    }
}
