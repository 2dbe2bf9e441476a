//! Parting through Hydra, the launcher of MPICH, where `MPI_Finalize` may wait for ever.
//!
//! A rank of MPICH that has closed its UCX connections waits in Hydra's barrier, and does nothing
//! for one whose connections still need it (<https://github.com/openucx/ucx/issues/8738>; Debian's
//! MPICH over TCP: two runs of three). Should one of them end by itself, Hydra takes it for dead
//! and kills the others. Here ranks keep MPI going while they wait in that barrier, and then tell
//! Hydra that they have finalised, in the same words as MPICH does (PMI version 1, wire protocol:
//! a line each way). `MPI_Finalize` is not called.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::calls;

/// What Hydra says to this process, and hears from it.
pub(crate) struct Hydra(UnixStream);

impl Hydra {
    /// None where another launcher started this process.
    pub(crate) fn of_this_process() -> Option<Self> {
        std::env::var_os("HYDI_CONTROL_FD")?;
        let descriptor = std::env::var("PMI_FD").ok()?.parse().ok()?;
        calls::launcher(descriptor).map(Self)
    }

    /// Waits until every rank is here, and ends this one's part in the world. `meanwhile` keeps MPI
    /// going.
    pub(crate) fn part(mut self, meanwhile: &mut dyn FnMut()) -> io::Result<()> {
        self.0.set_read_timeout(Some(NAP))?;
        self.ask("barrier_in", "barrier_out", meanwhile)?;
        self.ask("finalize", "finalize_ack", meanwhile)
    }

    fn ask(&mut self, what: &str, answer: &str, meanwhile: &mut dyn FnMut()) -> io::Result<()> {
        self.0.write_all(format!("cmd={what}\n").as_bytes())?;
        let expected = format!("cmd={answer}\n");
        let mut heard = vec![0; expected.len()];
        let mut length = 0;
        while length < heard.len() {
            match self.0.read(&mut heard[length..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => meanwhile(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let is_expected = heard == expected.as_bytes();
        if is_expected { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
    }
}

/// How long Hydra is listened to before MPI is looked after. Chosen.
const NAP: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::thread;

    use super::*;

    /// A launcher that hears these lines, each answered by the next one.
    fn launcher(lines: &'static [(&str, &str)]) -> Hydra {
        let (here, there) = UnixStream::pair().unwrap();
        thread::spawn(move || {
            let mut heard = BufReader::new(there.try_clone().unwrap()).lines();
            for (expected, answer) in lines {
                assert_eq!(heard.next().unwrap().unwrap(), *expected);
                thread::sleep(4 * NAP);
                (&there).write_all(answer.as_bytes()).unwrap();
            }
        });
        Hydra(here)
    }

    #[test]
    fn a_rank_parts_in_the_words_of_mpich_and_keeps_mpi_going() {
        let lines =
            [("cmd=barrier_in", "cmd=barrier_out\n"), ("cmd=finalize", "cmd=finalize_ack\n")];
        let mut looks = 0;
        launcher(Box::leak(Box::new(lines))).part(&mut || looks += 1).unwrap();
        assert!(looks > 0);
    }

    #[test]
    fn another_answer_and_a_launcher_that_is_gone_are_errors() {
        let other = launcher(&[("cmd=barrier_in", "cmd=finalize_ack\n")]);
        assert_eq!(other.part(&mut || ()).unwrap_err().kind(), ErrorKind::InvalidData);
        let gone = launcher(&[("cmd=barrier_in", "cmd=barr")]);
        assert_eq!(gone.part(&mut || ()).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
