//! The exchange: a follower that asks, step by step, and a root that answers.
//!
//! Neither waits, so both fit into a loop that polls its link for other messages too. A slow poll
//! makes an exchange long and the interval wide, never wrong: a timestamp of receipt is taken after
//! the message came, one of sending before it left.

use super::wire::Said;
use super::{Batch, Effort, Exchange, Now, Offset};
use crate::ROOT;
use crate::link::{Link, Lost};

/// A follower's batch that is under way, with one question out at a time.
#[derive(Debug)]
pub struct Asking {
    effort: Effort,
    batch: Batch,
    /// The t1 of the question that is out.
    asked_ns: u64,
}

impl Asking {
    /// Sends the first question.
    ///
    /// # Errors
    ///
    /// The root is gone.
    pub fn start(link: &mut dyn Link, now: Now, effort: Effort) -> Result<Self, Lost> {
        let mut asking = Self { effort, batch: Batch::default(), asked_ns: 0 };
        asking.ask(link, now)?;
        Ok(asking)
    }

    /// Takes a clock message that has just been received, and asks again. The batch's offset when
    /// that was the last; the root has then been told. What is no answer to this batch is let go.
    ///
    /// # Errors
    ///
    /// The root is gone, or the message cannot be read.
    pub fn take(
        &mut self,
        link: &mut dyn Link,
        now: Now,
        message: &[u8],
    ) -> Result<Option<Offset>, Lost> {
        let t4_ns = now();
        let Said::Pong { t1_ns, t2_ns, t3_ns } = Said::read(ROOT, message)? else {
            return Ok(None);
        };
        if t1_ns != self.asked_ns {
            return Ok(None);
        }
        self.batch.add(Exchange { t1_ns, t2_ns, t3_ns, t4_ns });
        let offset = self.batch.offset().filter(|_| self.batch.is_enough(&self.effort));
        match offset {
            Some(offset) => link.send(ROOT, &Said::Done(offset).to_bytes())?,
            None => self.ask(link, now)?,
        }
        Ok(offset)
    }

    fn ask(&mut self, link: &mut dyn Link, now: Now) -> Result<(), Lost> {
        self.asked_ns = now();
        link.send(ROOT, &Said::Ping { t1_ns: self.asked_ns }.to_bytes())
    }
}

/// Answers a clock message that the root has just received, at once. The offset, where that is
/// what the message says.
///
/// # Errors
///
/// The rank is gone, or the message cannot be read.
pub fn answer(
    link: &mut dyn Link,
    now: Now,
    from: u32,
    message: &[u8],
) -> Result<Option<Offset>, Lost> {
    let t2_ns = now();
    match Said::read(from, message)? {
        Said::Ping { t1_ns } => {
            let pong = Said::Pong { t1_ns, t2_ns, t3_ns: now() };
            link.send(from, &pong.to_bytes())?;
            Ok(None)
        }
        Said::Done(offset) => Ok(Some(offset)),
        Said::Pong { .. } | Said::Turn => Ok(None),
    }
}
