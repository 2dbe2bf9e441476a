//! A command that each host runs for itself: the lowest rank there runs it, and rank 0 prints what
//! all of them print, with the host's name.

use std::collections::BTreeMap;

use iopath_ranks::{Lost, ROOT};
use serde_json::Value;

use super::super::aside::{Alone, LOOK, run_aside};
use super::super::messages::{ToRank, ToRoot};
use super::super::share::Deal;
use super::Leader;
use crate::exit_status::{ExitStatus, Problem};
use crate::output::{self, Printed, Stream};

/// How hosts take their turns, and what they print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EachHost {
    /// All at once; else one after the other, as they share storage.
    pub at_once: bool,
    pub json: bool,
}

impl Leader {
    /// Has each host run the command. Ends as the first of them ends that does not end well.
    pub(crate) fn on_each_host(&self, how: EachHost, alone: &Alone<'_>) -> ExitStatus {
        self.ranks.borrow_mut().expect_signs();
        let workers = self.deal.borrow().firsts();
        let mut hosts = Hosts { leader: self, how, running: BTreeMap::new(), last: None };
        if how.at_once {
            workers.iter().for_each(|rank| hosts.begin(*rank));
        }
        let mut status = run_aside(alone, &mut |printed| {
            hosts.show(ROOT, &printed);
            hosts.hear()
        });
        for rank in workers {
            if !how.at_once && status != ExitStatus::Interrupted {
                hosts.begin(rank);
            }
            let its = hosts.end(rank).unwrap_or_else(|problem| output::tell_problem(&problem));
            status = if status == ExitStatus::Done { its } else { status };
        }
        status
    }
}

/// Hosts that were told to begin.
struct Hosts<'a> {
    leader: &'a Leader,
    how: EachHost,
    /// How each has ended, once it has.
    running: BTreeMap<u32, Option<ExitStatus>>,
    /// Whose output was printed last.
    last: Option<u32>,
}

impl Hosts<'_> {
    fn begin(&mut self, rank: u32) {
        // Who is gone is missed when its end is awaited.
        drop(self.leader.tell_one(rank, &ToRank::Run));
        self.running.insert(rank, None);
    }

    /// Takes in what has come.
    fn hear(&mut self) -> Result<(), Lost> {
        while let Some((rank, message)) = self.leader.heard()? {
            match message {
                ToRoot::Printed(printed) => self.show(rank, &printed),
                ToRoot::Ran(status) => drop(self.running.insert(rank, Some(status))),
                _ => {}
            }
        }
        Ok(())
    }

    /// Waits until a host has ended; one that was never begun has.
    fn end(&mut self, rank: u32) -> Result<ExitStatus, Problem> {
        loop {
            self.hear().map_err(Problem::unexpected)?;
            match self.running.get(&rank) {
                None => return Ok(ExitStatus::Interrupted),
                Some(Some(status)) => return Ok(*status),
                Some(None) if !self.leader.is_here(rank) => {
                    let name = self.leader.deal.borrow().name(rank);
                    let text = format!("{name} says nothing any more: it has died or hangs");
                    return Err(Problem::new(ExitStatus::Failed, text));
                }
                Some(None) => std::thread::sleep(LOOK),
            }
        }
    }

    fn show(&mut self, rank: u32, all: &[Printed]) {
        let deal = self.leader.deal.borrow();
        for Printed { to, text } in all {
            let text = match to {
                Stream::Stderr => prefixed(&deal, rank, text),
                Stream::Stdout if self.how.json => named(&deal, rank, text),
                Stream::Stdout => heading(&deal, rank, self.last.replace(rank)) + text,
            };
            output::pass_on(*to, &text);
        }
    }
}

/// What stands above the output of a host, where another's was printed before.
fn heading(deal: &Deal, rank: u32, last: Option<u32>) -> String {
    let gap = if last.is_some() { "\n" } else { "" };
    match deal.is_one_host() || last == Some(rank) {
        true => String::new(),
        false => format!("{gap}{}: {}\n", deal.node(rank), deal.host(rank)),
    }
}

/// What a host says, with its name in front of each line.
fn prefixed(deal: &Deal, rank: u32, text: &str) -> String {
    if deal.is_one_host() {
        return text.to_owned();
    }
    let lines = text.lines().map(|line| format!("{}: {line}", deal.host(rank)));
    lines.collect::<Vec<_>>().join("\n")
}

/// JSON of a host on one line, with its name in it.
fn named(deal: &Deal, rank: u32, text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Value::Object(mut members)) => {
            members.insert("node".to_owned(), deal.node(rank).into());
            members.insert("host".to_owned(), deal.host(rank).into());
            Value::Object(members).to_string()
        }
        _ => text.to_owned(),
    }
}
