//! Where intervals are shown: on a live terminal, as plain lines, or as lines of JSON.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use iopath_report::{
    Extent, Following, Watched, following_json, following_lines, picture, watch_json,
};
use iopath_store::RunId;

use super::keys::Wish;
use super::live::Live;
use crate::arguments::Watch;
use crate::exit_status::Problem;
use crate::output::{self, Reader};

/// How often a signal is looked for: chosen; nobody notices that.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// One way of showing.
pub(super) enum View {
    Live(Box<Live>),
    Plain(iopath_report::Look, Extent<'static>),
    Json,
}

impl View {
    pub(super) fn open(arguments: &Watch, run: Option<RunId>) -> Result<Self, Problem> {
        let look = output::look(arguments.show.system());
        if arguments.show.json {
            return Ok(Self::Json);
        }
        // Keys come from the terminal, too.
        let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        let is_live = is_terminal && !arguments.plain && !output::is_captured();
        if is_live {
            Live::open(look, run, arguments.full).map(|live| Self::Live(Box::new(live)))
        } else {
            let extent = Extent { with_idle: arguments.full, ..Extent::default() };
            Ok(Self::Plain(look, extent))
        }
    }

    /// Waits for an instant; ends early where the reader or a signal wants it.
    pub(super) fn wait(
        &mut self,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Wish, Problem> {
        loop {
            if stop() {
                return Ok(Wish::End);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Wish::More);
            }
            let part = left.min(LOOK);
            match self {
                Self::Live(live) => {
                    if live.wait(part)? == Wish::End {
                        return Ok(Wish::End);
                    }
                }
                Self::Plain(..) | Self::Json => std::thread::sleep(part),
            }
        }
    }

    /// Shows an interval.
    pub(super) fn show(
        &mut self,
        watched: &Watched<'_>,
        events: &[String],
    ) -> Result<Wish, Problem> {
        let reader = match self {
            Self::Live(live) => return live.show(watched, events),
            Self::Plain(look, extent) => {
                let lines = picture(watched, look, *extent);
                let lines = lines.into_iter().map(|line| line.paint(look));
                let text: String = lines.map(|line| line + "\n").collect();
                let events: String = events.iter().map(|what| format!("{what}\n")).collect();
                output::print_next(&format!("{text}{events}"))?
            }
            Self::Json => output::print_next(&watch_json(watched, events).to_string())?,
        };
        Ok(wish(reader))
    }

    /// Shows how far a run is.
    pub(super) fn follow(&mut self, following: Following) -> Result<Wish, Problem> {
        let reader = match self {
            Self::Live(live) => return live.follow(following),
            Self::Plain(look, _) => {
                let lines = following_lines(&following, look, None);
                let lines: Vec<String> = lines.iter().map(|line| line.paint(look)).collect();
                output::print_next(&lines.join("\n"))?
            }
            Self::Json => output::print_next(&following_json(&following).to_string())?,
        };
        Ok(wish(reader))
    }
}

fn wish(reader: Reader) -> Wish {
    if reader == Reader::There { Wish::More } else { Wish::End }
}
