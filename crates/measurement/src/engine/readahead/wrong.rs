//! A failure below is told with its place, once, by the read that waited for it.

use super::*;

/// Reads of the second unit fail, on a member of a volume.
#[derive(Default)]
struct Failing {
    queued: Vec<Io>,
    faults: Vec<(SlotId, Fault)>,
}

const UNIT: u64 = 4096;
const READ: u32 = 1024;
const PLACE: Fault = Fault { member: 3, offset: 77 };

impl Engine for Failing {
    fn queue(&mut self, io: Io) {
        self.queued.push(io);
    }

    fn flush(&mut self, _: SlotId, _: u16) {
        unreachable!("nothing here flushes");
    }

    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        for Io { slot, offset, bytes, .. } in self.queued.drain(..) {
            let fails = (UNIT..2 * UNIT).contains(&offset);
            if fails {
                self.faults.push((slot, PLACE));
            }
            let result = if fails { -libc::EIO } else { bytes.cast_signed() };
            done.push(Done { slot, result });
        }
        Ok(())
    }

    fn fault(&mut self, slot: SlotId) -> Option<Fault> {
        let at = self.faults.iter().position(|(of, _)| *of == slot)?;
        Some(self.faults.swap_remove(at).1)
    }
}

#[test]
fn the_place_of_a_failed_unit_is_told_by_who_waited_for_it() {
    let growth = iopath_workload::readahead::Growth::AtOnce;
    let settings = Settings { unit: iopath_units::Bytes(UNIT), streams: 4, trigger: 2, growth };
    let ahead = Ahead { settings, end: 1 << 20 };
    let (clock, counts) = (crate::clock::Monotonic::default(), AheadCounters::default());
    let units = ahead.units(BufferKind::Heap, (1, READ)).unwrap();
    let reader = (ahead.state(), units);
    let mut engine = ReadAhead::new(Failing::default(), (&clock, &counts), reader, 1);
    let mut buffer = [0; READ as usize];
    let mut read = |engine: &mut ReadAhead<'_, Failing, _>, offset| {
        let (slot, op, member, address) = (0, Op::Read, 0, buffer.as_mut_ptr());
        engine.queue(Io { slot, op, member, offset, bytes: READ, address });
        let mut done = Vec::new();
        while done.is_empty() {
            engine.exchange(Wait::One, &mut done).unwrap();
        }
        done[0].result
    };
    for offset in [0, 1024, 2048, 3072] {
        assert_eq!(read(&mut engine, offset), READ.cast_signed());
        assert_eq!(engine.fault(0), None);
    }
    assert_eq!(read(&mut engine, 4096), -libc::EIO);
    assert_eq!((engine.fault(0), engine.fault(0)), (Some(PLACE), None));
    // Who reads on, reads by himself, and fails by himself.
    assert_eq!(read(&mut engine, 5120), -libc::EIO);
    assert_eq!(engine.fault(0), Some(PLACE));
    for offset in (6144..8192).step_by(READ as usize) {
        assert_eq!(read(&mut engine, offset), -libc::EIO);
        assert_eq!(engine.fault(0), Some(PLACE));
    }
    assert_eq!(read(&mut engine, 8192), READ.cast_signed());
    assert!(engine.inner.faults.is_empty(), "every fault was fetched");
}
