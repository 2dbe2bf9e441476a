//! Progress on a terminal: a bar for what is under way, with the time it will still take.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use iopath_record::{Live, Progress};
use iopath_study::Plan;
use iopath_units::{ByteRate, Human, OperationRate, System};

use crate::run::live_status::StatusPublisher;

/// A display of a run's progress.
pub(crate) struct Display {
    bar: ProgressBar,
    system: System,
    /// Estimated time of the trials before this one, and of all.
    before_ms: u64,
    trial: String,
    pass_before_ms: u64,
    /// Trials begun, and the pass of the last of them.
    begun: u32,
    pass: u32,
    shown: Shown,
    publisher: Option<StatusPublisher>,
}

/// What the bar measures at the moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Run,
    Bytes,
}

impl Display {
    /// A bar on stderr if that is a terminal and the user did not refuse it.
    pub(crate) fn new(plan: &Plan, wanted: Wanted, system: System) -> Self {
        let total_ms = plan.estimated_time().known.0 / 1_000_000;
        Self::lasting(total_ms, wanted, system)
    }

    /// The same for something that takes so long.
    pub(crate) fn lasting(total_ms: u64, wanted: Wanted, system: System) -> Self {
        Self::drawn(total_ms, wanted, system, |bar| bar.set_style(run_style()))
    }

    /// The same with a bar of its own look, which it has from the first time it is drawn.
    fn drawn(total: u64, wanted: Wanted, system: System, look: impl FnOnce(&ProgressBar)) -> Self {
        let on_terminal = wanted == Wanted::Yes && stderr().is_terminal();
        let target =
            if on_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        look(&bar);
        bar.enable_steady_tick(Duration::from_millis(250));
        let (before_ms, pass_before_ms) = (0, 0);
        Self {
            bar,
            system,
            before_ms,
            trial: String::new(),
            pass_before_ms,
            begun: 0,
            pass: 0,
            shown: Shown::Run,
            publisher: None,
        }
    }

    /// Lets others follow too, through the store.
    pub(crate) fn tell_others(&mut self, publisher: Option<StatusPublisher>) {
        self.publisher = publisher;
    }

    /// The same for so many simulations.
    pub(crate) fn counting(count: usize, wanted: Wanted) -> Self {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        Self::drawn(count, wanted, System::Decimal, |bar| {
            bar.set_style(counting_style());
            bar.set_message("no estimate yet");
        })
    }

    /// So many of them are done. What is left takes as long as these took, on average: cases
    /// differ, so it is said to be about that.
    pub(crate) fn done(&mut self, count: usize) {
        let done = u64::try_from(count).unwrap_or(u64::MAX);
        self.bar.set_position(done);
        let left = self.bar.length().unwrap_or(done).saturating_sub(done);
        let left = self.bar.elapsed().as_secs_f64() * left as f64 / done.max(1) as f64;
        self.bar
            .set_message(format!("about {:#} left", HumanDuration(Duration::from_secs_f64(left))));
    }

    /// One that shows nothing.
    pub(crate) fn hidden() -> Self {
        Self::lasting(0, Wanted::No, System::Decimal)
    }

    /// A trial begins: its name, and the estimated time of those before it.
    pub(crate) fn trial(&mut self, name: String, before_ms: u64) {
        self.trial = name;
        self.begun += 1;
        self.before_ms = before_ms;
        self.pass_before_ms = before_ms;
        self.bar.set_message(self.trial.clone());
    }

    pub(crate) fn show(&mut self, progress: &Progress) {
        match progress {
            Progress::Preparing { target, done_bytes, total_bytes } => {
                self.bytes(&format!("filling {target}"), *done_bytes, *total_bytes);
            }
            Progress::Files { target, are_removed, done, total } => {
                let doing = if *are_removed { "removing" } else { "making" };
                self.bar.set_message(format!("{doing} files of {target}, {done} of {total}"));
            }
            Progress::Verifying { done_bytes, total_bytes } => {
                self.bytes("reading back", *done_bytes, *total_bytes);
            }
            Progress::PassStarted { pass, .. } => {
                self.run();
                self.pass = *pass;
                self.bar.set_position(self.pass_before_ms);
                self.bar.set_message(format!("pass {}, {}", pass + 1, self.trial));
            }
            Progress::Running { elapsed_ns, bytes, operations, .. } => {
                let position = self.pass_before_ms + elapsed_ns / 1_000_000;
                self.bar.set_position(position.min(self.bar.length().unwrap_or(position)));
                self.bar.set_message(self.rates(*elapsed_ns, *bytes, *operations));
            }
            Progress::PassEnded { .. } => self.pass_before_ms = self.bar.position(),
        }
        self.tell(progress);
    }

    /// It takes so long at least, as it turns out.
    pub(crate) fn extend(&mut self, total_ms: u64) {
        let before = self.bar.length().unwrap_or_default();
        self.bar.set_length(total_ms.max(before));
    }

    fn tell(&mut self, progress: &Progress) {
        let Some(publisher) = &mut self.publisher else { return };
        let ns = |ms: u64| ms.saturating_mul(1_000_000);
        publisher.tell(|title, trials| Live {
            title: title.to_owned(),
            label: self.trial.clone(),
            trial: self.begun.saturating_sub(1),
            // There may be more than were expected.
            trials: trials.max(self.begun),
            pass: self.pass,
            done_ns: ns(self.bar.position()),
            whole_ns: self.bar.length().filter(|whole| *whole > 0).map(ns),
            progress: progress.clone(),
        });
    }

    /// Does what may write to stderr without the bar in its way.
    pub(crate) fn aside(&self, work: impl FnOnce()) {
        self.bar.suspend(work);
    }

    pub(crate) fn end(&mut self) {
        self.bar.finish_and_clear();
        self.publisher = None;
    }

    fn rates(&self, elapsed_ns: u64, bytes: u64, operations: u64) -> String {
        let throughput = ByteRate::over(bytes, elapsed_ns).unwrap_or_default().human(self.system);
        let per_sec = ByteRate::over(operations, elapsed_ns).unwrap_or_default().0;
        let rate = OperationRate(per_sec.saturating_mul(1000)).human(self.system);
        format!("{throughput}, {rate}, {}", self.trial)
    }

    fn run(&mut self) {
        if self.shown != Shown::Run {
            self.shown = Shown::Run;
            self.bar.set_style(run_style());
        }
    }

    fn bytes(&mut self, what: &str, done: u64, total: u64) {
        if self.shown != Shown::Bytes {
            self.shown = Shown::Bytes;
            self.bar.set_style(bytes_style());
        }
        let percent = (u128::from(done) * 100).checked_div(u128::from(total)).unwrap_or(100);
        self.bar.set_message(format!("{what}: {percent} %"));
    }
}

/// Whether the user wants to see progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Yes,
    No,
}

impl Wanted {
    /// By the option that refuses it.
    pub(crate) fn unless(is_refused: bool) -> Self {
        if is_refused { Self::No } else { Self::Yes }
    }
}

fn run_style() -> ProgressStyle {
    style("{bar:30} {percent:>3} %  {eta:>4} left  {wide_msg}")
}

fn counting_style() -> ProgressStyle {
    style("{bar:30} {pos} of {len}, {elapsed}, {wide_msg}")
}

fn bytes_style() -> ProgressStyle {
    style("{spinner}  {wide_msg}")
}

fn style(template: &str) -> ProgressStyle {
    // The templates above are constant and tried by a test.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_understood() {
        for template in [
            "{bar:30} {percent:>3} %  {eta:>4} left  {wide_msg}",
            "{bar:30} {pos} of {len}, {elapsed}, {wide_msg}",
            "{spinner}  {wide_msg}",
        ] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
