//! What a unit holds after a crash against what its journal says of it.
//!
//! A flush that was acknowledged promises one thing: the covered write is there, or a newer one.
//! Storage that loses newer writes breaks no promise; it may keep each or not, and of one in part,
//! sector by sector. It never brings back what was there before a covered write.

use crate::stamp::{Damage, Stamp};

/// What is known of a unit of which a write has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// The newest write that was issued.
    pub issued: u32,
    /// The newest that completed.
    pub completed: u32,
    /// The newest that an acknowledged flush covers.
    pub durable: Option<u32>,
    /// Generations began again at 0 since the durable write: any may be there.
    pub wrapped: bool,
}

/// What may be lacking in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Nothing: the machine has run on since.
    Nothing,
    /// Its last entries, lost with the memory of a machine that went down.
    LastEntries,
}

/// What became of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds the last write that completed, or one that was in flight.
    Intact,
    /// Completed writes that no acknowledged flush covers are gone; it holds this older one, or
    /// what was there before the first.
    Lost(Option<u32>),
    /// It holds parts of several writes, of which no acknowledged flush covers the newer.
    Torn,
    /// What an acknowledged flush covers is gone.
    Damaged,
}

/// Judges the unit at `place` by what was found there: a whole stamp of this place and seed, or
/// what is wrong. `place` has the seed of the run; its generation does not matter.
#[must_use]
pub fn judge(past: &Past, lacking: Lacking, place: Stamp, found: Result<Stamp, Damage>) -> Verdict {
    let is_possible = |stamp: &Stamp| {
        let is_old = past.durable.is_some_and(|durable| stamp.generation < durable);
        let is_new = stamp.generation > past.issued && lacking == Lacking::Nothing;
        let is_ours = stamp.seed == place.seed && stamp.offset == place.offset;
        is_ours && (past.wrapped || !is_old && !is_new)
    };
    match found {
        Ok(stamp) if !is_possible(&stamp) => Verdict::Damaged,
        Ok(stamp) if past.is_current(stamp.generation) => Verdict::Intact,
        Ok(stamp) => Verdict::Lost(Some(stamp.generation)),
        // This run wrote it, but not for this place: no loss of writes does that.
        Err(Damage::Misplaced { found, .. }) if found.seed == place.seed => Verdict::Damaged,
        Err(_) if past.durable.is_none() => Verdict::Lost(None),
        Err(Damage::Torn { head, tail, .. }) if !is_possible(&head) || !is_possible(&tail) => {
            Verdict::Damaged
        }
        Err(Damage::Torn { .. } | Damage::Corrupt { .. }) => past.broken(lacking),
        // Whole, or without a stamp at either end: no write that was cut short leaves that.
        Err(
            Damage::Misplaced { .. }
            | Damage::Foreign { .. }
            | Damage::Stale { .. }
            | Damage::Unstamped { .. }
            | Damage::OtherUnit { .. },
        ) => Verdict::Damaged,
    }
}

impl Past {
    /// The verdict on a unit that holds no whole sectors or cannot be read, as a write may leave it
    /// that power failed under (AWUPF in the NVM Express NVM Command Set Specification).
    #[must_use]
    pub fn broken(&self, lacking: Lacking) -> Verdict {
        let is_settled = self.durable == Some(self.issued) && !self.wrapped;
        match is_settled && lacking == Lacking::Nothing {
            true => Verdict::Damaged,
            false => Verdict::Torn,
        }
    }

    /// Whether a possible generation is that of the last completed write, or newer.
    fn is_current(&self, generation: u32) -> bool {
        let is_newer = !self.wrapped && generation > self.completed;
        generation == self.completed || generation == self.issued || is_newer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Stamp = Stamp { offset: 8192, generation: 0, seed: 7 };

    fn at(generation: u32) -> Stamp {
        Stamp { generation, ..PLACE }
    }

    fn torn(head: u32, tail: u32) -> Result<Stamp, Damage> {
        let (head, tail) = (at(head), at(tail));
        Err(Damage::Torn { offset: PLACE.offset, head, tail, at: 512 })
    }

    fn corrupt() -> Result<Stamp, Damage> {
        Err(Damage::Corrupt { offset: PLACE.offset, first_bad_byte: None })
    }

    fn zeros() -> Result<Stamp, Damage> {
        Err(Damage::Unstamped { offset: PLACE.offset })
    }

    fn of(seed: u64, offset: u64) -> Result<Stamp, Damage> {
        let found = Stamp { offset, generation: 6, seed };
        Err(match offset == PLACE.offset {
            true => Damage::Foreign { wanted: PLACE.seed, found },
            false => Damage::Misplaced { wanted: PLACE.offset, found },
        })
    }

    const PAST: Past = Past { issued: 7, completed: 6, durable: Some(4), wrapped: false };

    #[test]
    fn a_covered_write_or_a_newer_one_must_be_there() {
        use Verdict::{Damaged, Intact, Lost, Torn};
        let settled = Past { issued: 4, completed: 4, ..PAST };
        let never = Past { durable: None, ..PAST };
        let wrapped = Past { wrapped: true, issued: 1, ..PAST };
        let (other, elsewhere) = (of(8, PLACE.offset), of(PLACE.seed, 0));
        for (past, found, verdict) in [
            (PAST, Ok(at(7)), Intact),
            (PAST, Ok(at(6)), Intact),
            (PAST, Ok(at(5)), Lost(Some(5))),
            (PAST, Ok(at(4)), Lost(Some(4))),
            (PAST, Ok(at(3)), Damaged),
            (PAST, Ok(at(8)), Damaged),
            (PAST, torn(4, 7), Torn),
            (PAST, torn(3, 7), Damaged),
            (PAST, torn(6, 8), Damaged),
            (PAST, corrupt(), Torn),
            (PAST, zeros(), Damaged),
            (PAST, other, Damaged),
            (PAST, elsewhere, Damaged),
            (settled, Ok(at(4)), Intact),
            (settled, torn(4, 4), Damaged),
            (settled, corrupt(), Damaged),
            (settled, zeros(), Damaged),
            (never, Ok(at(0)), Lost(Some(0))),
            (never, zeros(), Lost(None)),
            (never, corrupt(), Lost(None)),
            (never, other, Lost(None)),
            (never, elsewhere, Damaged),
            (wrapped, Ok(at(1)), Intact),
            (wrapped, Ok(at(6)), Intact),
            (wrapped, Ok(at(900)), Lost(Some(900))),
            (wrapped, zeros(), Damaged),
        ] {
            let judged = judge(&past, Lacking::Nothing, PLACE, found);
            assert_eq!(judged, verdict, "{past:?} {found:?}");
        }
    }

    #[test]
    fn after_a_restart_newer_writes_than_the_journal_knows_are_no_damage() {
        let settled = Past { issued: 4, completed: 4, ..PAST };
        for (found, verdict) in [
            (Ok(at(9)), Verdict::Intact),
            (Ok(at(4)), Verdict::Intact),
            (Ok(at(3)), Verdict::Damaged),
            (torn(5, 9), Verdict::Torn),
            (torn(3, 9), Verdict::Damaged),
            (corrupt(), Verdict::Torn),
            (zeros(), Verdict::Damaged),
        ] {
            let judged = judge(&settled, Lacking::LastEntries, PLACE, found);
            assert_eq!(judged, verdict, "{found:?}");
        }
    }
}
