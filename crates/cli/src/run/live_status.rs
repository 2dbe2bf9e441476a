//! Tells others how far a run is: once a second, through the store, from a thread of its own.
//! Whoever measures never waits for it, and where it fails the run goes on.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use iopath_record::Live;
use iopath_store::{LiveWriter, RunId};

const INTERVAL: Duration = Duration::from_secs(1);

/// Tells of one run.
pub(crate) struct StatusPublisher {
    title: String,
    trials: u32,
    /// None when it ends.
    sender: Option<SyncSender<Live>>,
    thread: Option<JoinHandle<()>>,
    told: Option<Instant>,
}

impl StatusPublisher {
    /// None where nothing can be told: that is no reason not to measure.
    pub(crate) fn start(store: &Path, run: RunId, (title, trials): (&str, usize)) -> Option<Self> {
        let writer = LiveWriter::open(store, run).ok()?;
        // One that is not taken in time is left out: the next one says more.
        let (sender, samples) = sync_channel(1);
        let write = move || write(&writer, &samples);
        let thread = Builder::new().name("publisher".to_owned()).spawn(write).ok()?;
        let trials = u32::try_from(trials).unwrap_or(u32::MAX);
        let (sender, thread) = (Some(sender), Some(thread));
        Some(Self { title: title.to_owned(), trials, sender, thread, told: None })
    }

    /// Tells what `live` makes of the title and the number of trials, if a second has passed.
    pub(crate) fn tell(&mut self, live: impl FnOnce(&str, u32) -> Live) {
        if self.told.is_some_and(|told| told.elapsed() < INTERVAL) {
            return;
        }
        self.told = Some(Instant::now());
        if let Some(sender) = &self.sender {
            let _ = sender.try_send(live(&self.title, self.trials));
        }
    }
}

impl Drop for StatusPublisher {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(writer: &LiveWriter, samples: &Receiver<Live>) {
    for live in samples {
        // A store that is busy or full may take the next one.
        let _ = writer.write(&live);
    }
}
