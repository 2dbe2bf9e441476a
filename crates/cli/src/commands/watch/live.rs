//! The live view: a picture on a terminal's other screen, drawn anew at each interval, at each
//! key and whenever the size changes. Whatever ends the program, a panic included, the terminal is
//! as it was before. A terminal that goes away ends the view.

use std::fmt;
use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::Print;
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};
use iopath_report::{Extent, Following, History, Line, Look, Watched, following_lines};
use iopath_store::RunId;

use super::interval::Interval;
use super::keys::{self, Key, Wish};
use crate::exit_status::Problem;

/// Events that the last line keeps showing: chosen.
const TOLD: usize = 3;

/// The terminal while it shows the view.
pub(super) struct Live {
    look: Look,
    rows: usize,
    run: Option<RunId>,
    picture: Option<Picture>,
    is_held: bool,
    with_idle: bool,
    /// Whether the keys stand in the place of the picture.
    is_helping: bool,
    history: History,
    events: Vec<String>,
    /// What stands on the screen.
    screen: Vec<String>,
}

/// What is shown, to be drawn again at another size.
enum Picture {
    Machine(Interval),
    Run(Following),
}

impl Picture {
    fn lines(&self, look: &Look, extent: Extent<'_>) -> Vec<Line> {
        match self {
            Self::Machine(interval) => interval.lines(look, extent),
            Self::Run(following) => following_lines(following, look, extent.rows),
        }
    }
}

/// What keys do.
const KEYS: [&str; 5] = [
    "?            these keys, or the picture again",
    "space        pause, or resume",
    "f            rows for idle devices, or only a count",
    "q, Esc, ^C   end",
    "signs: + busy 80 % or uneven, ! busy 98 %; history: a bar an interval",
];

/// The terminal does not do what it is told.
struct NoTerminal(io::Error);

impl fmt::Display for NoTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot use the terminal: {}; --plain does without", self.0)
    }
}

fn cannot(error: io::Error) -> Problem {
    Problem::unexpected(NoTerminal(error))
}

/// What is written to a terminal that has gone comes back as EIO (drivers/tty/tty_io.c): no one
/// looks any more.
fn drawn(result: io::Result<()>) -> Result<Wish, Problem> {
    match result {
        Ok(()) => Ok(Wish::More),
        Err(error) if keys::is_gone(&error) => Ok(Wish::End),
        Err(error) => Err(cannot(error)),
    }
}

impl Live {
    pub(super) fn open(look: Look, run: Option<RunId>, with_idle: bool) -> Result<Self, Problem> {
        restore_at_a_panic();
        terminal::enable_raw_mode().map_err(cannot)?;
        let mut live = Self {
            look,
            rows: 0,
            run,
            picture: None,
            is_held: false,
            with_idle,
            is_helping: false,
            history: History::default(),
            events: Vec::new(),
            screen: Vec::new(),
        };
        execute!(io::stdout(), EnterAlternateScreen, Hide).map_err(cannot)?;
        live.measure().map_err(cannot)?;
        live.draw().map_err(cannot)?;
        Ok(live)
    }

    /// Takes an interval and shows it, unless the picture is held.
    pub(super) fn show(
        &mut self,
        watched: &Watched<'_>,
        events: &[String],
    ) -> Result<Wish, Problem> {
        self.events.extend(events.iter().cloned());
        let old = self.events.len().saturating_sub(TOLD);
        self.events.drain(..old);
        self.history.add(watched);
        if self.is_held {
            return Ok(Wish::More);
        }
        let known = match self.picture.take() {
            Some(Picture::Machine(interval)) => Some(interval),
            Some(Picture::Run(_)) | None => None,
        };
        self.picture = Some(Picture::Machine(Interval::of(watched, known)));
        drawn(self.draw())
    }

    /// Takes how far a run is and shows it, unless the picture is held.
    pub(super) fn follow(&mut self, following: Following) -> Result<Wish, Problem> {
        if self.is_held {
            return Ok(Wish::More);
        }
        self.picture = Some(Picture::Run(following));
        drawn(self.draw())
    }

    /// Waits for keys; then looks whether the size is another one.
    pub(super) fn wait(&mut self, time: Duration) -> Result<Wish, Problem> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match keys::wait(left).map_err(cannot)? {
                Some(Key::End) => return Ok(Wish::End),
                Some(Key::Other) => {}
                Some(key) => {
                    self.toggle(key);
                    if drawn(self.draw())? == Wish::End {
                        return Ok(Wish::End);
                    }
                }
                None => return drawn(self.resize()),
            }
            if left.is_zero() {
                return Ok(Wish::More);
            }
        }
    }

    fn toggle(&mut self, key: Key) {
        match key {
            Key::Hold => self.is_held = !self.is_held,
            Key::Full => self.with_idle = !self.with_idle,
            Key::Help => self.is_helping = !self.is_helping,
            Key::End | Key::Other => {}
        }
    }

    fn resize(&mut self) -> io::Result<()> {
        let before = (self.look.width, self.rows);
        self.measure()?;
        if before == (self.look.width, self.rows) {
            return Ok(());
        }
        self.screen.clear();
        self.draw()
    }

    fn measure(&mut self) -> io::Result<()> {
        let size = rustix::termios::tcgetwinsize(io::stdout())?;
        (self.look.width, self.rows) = (size.ws_col.max(1), usize::from(size.ws_row));
        Ok(())
    }

    fn lines(&self) -> Vec<String> {
        let room = self.rows.saturating_sub(1);
        let history = Some(&self.history);
        let extent = Extent { rows: Some(room), with_idle: self.with_idle, history };
        let mut lines: Vec<String> = match &self.picture {
            _ if self.is_helping => KEYS.map(str::to_owned).to_vec(),
            None => vec!["waiting for the first interval".to_owned()],
            Some(picture) => {
                let lines = picture.lines(&self.look, extent);
                lines.iter().map(|line| line.paint(&self.look)).collect()
            }
        };
        lines.resize(room, String::new());
        lines.push(self.last_line());
        lines
    }

    fn last_line(&self) -> String {
        let held = if self.is_held { "paused, space resumes" } else { "space pauses" };
        let run = self.run.map_or_else(String::new, |run| format!("  recording run {run}"));
        let events = match self.events.is_empty() {
            true => String::new(),
            false => format!("  {}", self.events.join(", ")),
        };
        let text = format!("q ends  ? keys  {held}{run}{events}");
        text.chars().filter(|c| !c.is_control()).take(usize::from(self.look.width)).collect()
    }

    /// Writes the lines that are others than those on the screen.
    fn draw(&mut self) -> io::Result<()> {
        let lines = self.lines();
        let mut out = io::BufWriter::new(io::stdout().lock());
        queue!(out, BeginSynchronizedUpdate)?;
        if self.screen.len() != lines.len() {
            queue!(out, Clear(ClearType::All))?;
            self.screen = vec![String::new(); lines.len()];
        }
        for (row, (line, old)) in (0u16..).zip(lines.iter().zip(&self.screen)) {
            if line != old {
                queue!(out, MoveTo(0, row), Clear(ClearType::CurrentLine), Print(line))?;
            }
        }
        queue!(out, EndSynchronizedUpdate)?;
        self.screen = lines;
        out.flush()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        restore();
    }
}

/// Makes the terminal what it was. A terminal that has gone cannot be helped.
fn restore() {
    let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}

/// A panic's message must stand on the screen that stays.
fn restore_at_a_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            tell(info);
        }));
    });
}
