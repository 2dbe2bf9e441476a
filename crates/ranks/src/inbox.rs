//! `Inbox`: a link that sets aside what its reader is not waiting for.
//!
//! While clocks are compared, messages of other kinds may arrive. They wait here, in the order they
//! came, and are what `try_receive` gives first, so nobody needs to know that they were early. A
//! rank makes one from its link when it starts and uses nothing else from then on.

use std::collections::VecDeque;

use crate::clock::is_clock_message;
use crate::link::{Link, Lost};

pub struct Inbox {
    link: Box<dyn Link>,
    /// No clock messages: those are taken where they arrive.
    aside: VecDeque<(u32, Vec<u8>)>,
}

impl Inbox {
    #[must_use]
    pub fn new(link: Box<dyn Link>) -> Self {
        Self { link, aside: VecDeque::new() }
    }

    /// The next message about clocks that has arrived; others are set aside on the way.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn try_receive_clock(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        while let Some((from, message)) = self.link.try_receive()? {
            if is_clock_message(&message) {
                return Ok(Some((from, message)));
            }
            self.aside.push_back((from, message));
        }
        Ok(None)
    }
}

impl Link for Inbox {
    fn rank(&self) -> u32 {
        self.link.rank()
    }

    fn size(&self) -> u32 {
        self.link.size()
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), Lost> {
        self.link.send(to, message)
    }

    fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        match self.aside.pop_front() {
            Some(early) => Ok(Some(early)),
            None => self.link.try_receive(),
        }
    }

    fn leave(&mut self, exit_code: i32) {
        self.link.leave(exit_code);
    }
}
