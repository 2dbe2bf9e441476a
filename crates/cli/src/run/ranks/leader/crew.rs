//! The other ranks as hands that simulate.

use std::num::NonZeroUsize;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use iopath_ranks::{Lost, ROOT};
use iopath_study::Study;

use super::super::carrier;
use super::super::messages::{ToRank, ToRoot, read, send};
use super::super::sent::StudySent;
use super::Leader;
use super::orders::{Asked, Orders};
use crate::exit_status::ExitStatus;

impl Leader {
    /// Threads of this rank: as many as were asked for, else its part of the host.
    pub(crate) fn threads(&self, asked: Option<NonZeroUsize>) -> NonZeroUsize {
        asked.unwrap_or_else(|| self.deal.borrow().threads(ROOT))
    }

    /// The same of each other rank that is still there.
    pub(crate) fn threads_of_others(
        &self,
        asked: Option<NonZeroUsize>,
    ) -> Vec<(u32, NonZeroUsize)> {
        let deal = self.deal.borrow();
        let others = (1..deal.ranks().len() as u32).filter(|rank| self.is_here(*rank));
        others.map(|rank| (rank, asked.unwrap_or_else(|| deal.threads(rank)))).collect()
    }

    /// Has the others get ready for simulations of a study's cases, which `asked` gets.
    pub(crate) fn orders(
        &self,
        threads: Option<NonZeroUsize>,
        study: Option<&Study>,
        asked: Receiver<Asked>,
    ) -> Orders<'_> {
        self.ranks.borrow_mut().expect_signs();
        if !self.has_crew.replace(true) {
            for (rank, threads) in self.threads_of_others(threads) {
                let study = study.map(|study| Box::new(StudySent::of(study)));
                // Who is gone is missed when it does not answer.
                drop(self.tell_one(rank, &ToRank::Crew { threads, study }));
            }
        }
        Orders::new(self, asked)
    }

    /// Ends all ranks at once, as this process ends without its end.
    pub(crate) fn abandon(&self, status: ExitStatus) {
        carrier::abandon(status);
    }

    pub(in super::super) fn is_here(&self, rank: u32) -> bool {
        self.ranks.borrow().is_here(rank)
    }

    pub(in super::super) fn tell_one(&self, rank: u32, message: &ToRank) -> Result<(), Lost> {
        send(&mut self.ranks.borrow_mut(), rank, message)
    }

    /// What another rank has said, if one has.
    pub(in super::super) fn heard(&self) -> Result<Option<(u32, ToRoot)>, Lost> {
        let received = self.ranks.borrow_mut().receive(Duration::ZERO, &|| true)?;
        received.map(|(from, message)| Ok((from, read(from, &message)?))).transpose()
    }
}
