//! Parting through Hydra, the launcher of MPICH, instead of by `MPI_Finalize`.
//!
//! A rank of MPICH that has closed its UCX connections waits in Hydra's barrier, and does nothing
//! for one whose connections still need it (<https://github.com/openucx/ucx/issues/8738>; Debian's
//! MPICH over TCP: two runs of three). Should one of them end by itself, Hydra takes it for dead
//! and kills the others. Here ranks keep MPI going while they wait in that barrier, and then report
//! to Hydra that they have finalised, in the words of MPICH itself: PMI version 1, a line each way.
//! Leaves out PMI 2 and PMIx, whose messages are others: there `MPI_Finalize` it is.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

/// The socket by which this process and Hydra speak.
pub(crate) struct Hydra(UnixStream);

impl Hydra {
    /// None where another launcher started this process, or an MPI that speaks otherwise.
    #[cfg(feature = "mpi")]
    pub(crate) fn of_this_process() -> Option<Self> {
        let library = mpi::environment::library_version().unwrap_or_default();
        let descriptor = descriptor(&library, &|name| std::env::var(name).ok())?;
        crate::calls::launcher(descriptor).map(Self)
    }

    /// Waits until every rank is here, and ends this one's part in the world. `meanwhile` keeps MPI
    /// going.
    pub(crate) fn part(mut self, meanwhile: &mut dyn FnMut()) -> io::Result<()> {
        self.ask("barrier_in", "cmd=barrier_out", meanwhile)?;
        self.ask("finalize", "cmd=finalize_ack", meanwhile)
    }

    fn ask(&mut self, what: &str, answer: &str, meanwhile: &mut dyn FnMut()) -> io::Result<()> {
        self.0.write_all(format!("cmd={what}\n").as_bytes())?;
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            // MPI has the same socket, so it stays one that blocks.
            let here = &mut [PollFd::new(&self.0, PollFlags::IN)];
            if retry_on_intr(|| poll(here, Some(&NAP)))? == 0 {
                meanwhile();
                continue;
            }
            let mut byte = [0];
            self.0.read_exact(&mut byte)?;
            line.extend(byte);
        }
        let line = String::from_utf8_lossy(&line);
        let is_expected = line.split_whitespace().next() == Some(answer);
        if is_expected { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
    }
}

/// The socket of a process by its library and its environment, as seen under MPICH 4.0.2. Hydra's
/// proxies set `MPI_LOCALNRANKS` on every host, `HYDI_CONTROL_FD` on that of `mpirun` only; Slurm
/// and Flux set `PMI_FD` as well.
fn descriptor(library: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<RawFd> {
    variable("MPI_LOCALNRANKS")?;
    let chosen = variable("MPIR_CVAR_PMI_VERSION");
    let is_known = speaks_version_1(library, chosen.as_deref());
    variable("PMI_FD").filter(|_| is_known)?.parse().ok()
}

/// Whether this is MPICH with the messages above, which are its default. Another version is chosen
/// when MPICH is built (`--with-pmi`) or, from 4.2 on, by a variable.
fn speaks_version_1(library: &str, chosen: Option<&str>) -> bool {
    let is_built_for_others = ["pmi2", "pmix"].iter().any(|other| library.contains(other));
    library.starts_with("MPICH") && !is_built_for_others && chosen.is_none_or(|it| it == "1")
}

/// How long Hydra is listened to before MPI is looked after. Chosen: 1 ms.
const NAP: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::sync::mpsc::{self, Receiver};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// A launcher that hears lines and gives the answer to each, once MPI was looked after.
    fn launcher(lines: Vec<(&'static str, &'static str)>, looked: Receiver<()>) -> Hydra {
        let (here, there) = UnixStream::pair().unwrap();
        thread::spawn(move || {
            let mut heard = BufReader::new(there.try_clone().unwrap()).lines();
            for (expected, answer) in lines {
                assert_eq!(heard.next().unwrap().unwrap(), expected);
                looked.recv_timeout(Duration::from_secs(60)).unwrap();
                (&there).write_all(answer.as_bytes()).unwrap();
            }
        });
        Hydra(here)
    }

    fn parted(lines: &[(&'static str, &'static str)]) -> Result<(), ErrorKind> {
        let (look, looked) = mpsc::channel();
        let mut meanwhile = || {
            let _ = look.send(());
        };
        launcher(lines.to_vec(), looked).part(&mut meanwhile).map_err(|error| error.kind())
    }

    #[test]
    fn a_rank_parts_in_the_words_of_mpich_and_keeps_mpi_going() {
        let barrier = ("cmd=barrier_in", "cmd=barrier_out rc=0\n");
        assert_eq!(parted(&[barrier, ("cmd=finalize", "cmd=finalize_ack\n")]), Ok(()));
    }

    #[test]
    fn another_answer_and_a_launcher_that_is_gone_are_errors() {
        let other = parted(&[("cmd=barrier_in", "cmd=finalize_ack\n")]);
        assert_eq!(other, Err(ErrorKind::InvalidData));
        let gone = parted(&[("cmd=barrier_in", "cmd=barr")]);
        assert_eq!(gone, Err(ErrorKind::UnexpectedEof));
    }

    #[test]
    fn hydra_is_known_on_every_host() {
        let by = |rows: &[&str]| {
            let of = |name: &str| {
                let mut rows = rows.iter().filter_map(|row| row.split_once('='));
                rows.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
            };
            descriptor("MPICH Version:\t4.0.2\n", &of)
        };
        let other_host = ["PMI_FD=11", "PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=1"];
        let host_of_mpirun = [&other_host[..], &["HYDI_CONTROL_FD=7"]].concat();
        assert_eq!((by(&other_host), by(&host_of_mpirun)), (Some(11), Some(11)));
        assert_eq!(by(&other_host[..3]), None, "Slurm");
        let second = [&other_host[..], &["MPIR_CVAR_PMI_VERSION=2"]].concat();
        assert_eq!(by(&second), None);
    }

    #[test]
    fn only_mpich_with_its_default_is_spoken_to() {
        let debian = "MPICH Version:\t4.0.2\nMPICH configure:\t--with-pm=hydra\n";
        let pmi2 = "MPICH Version:\t4.0.2\nMPICH configure:\t--with-pmi=pmi2\n";
        for (library, chosen, is_known) in [
            (debian, None, true),
            (debian, Some("1"), true),
            (debian, Some("2"), false),
            (debian, Some("x"), false),
            (pmi2, None, false),
            ("Intel(R) MPI Library 2021.9", None, false),
        ] {
            assert_eq!(speaks_version_1(library, chosen), is_known, "{library} {chosen:?}");
        }
    }
}
