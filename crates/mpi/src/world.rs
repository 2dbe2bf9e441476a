//! `World`: every process that was started together, and messages between them.
//!
//! ```text
//! send ─▶ copy ─▶ MPI_Isend ─▶ sending, until MPI_Test says that MPI needs the copy no more
//! try_receive ─▶ MPI_Improbe ─none─▶ lets MPI get on with what is being sent
//!                    └─▶ MPI_Imrecv ─▶ receiving, until MPI_Test says that it is there
//! ```
//!
//! MPI keeps the order of messages between two ranks that have the same tag (MPI 4.0, section
//! 3.5), and all of ours have. Most implementations get on with sending only while they are called,
//! so a rank that has sent must go on polling until the receiver has it; `Drop` does. A large
//! message comes with its sender's next poll, where the two arrange its transfer then; meanwhile
//! those of others are received.
//!
//! Errors are returned, not fatal as is MPI's default, so that what was measured can be stored.
//!
//! Under MPICH's own launcher ranks part through that ([`Hydra`]). Under another `MPI_Finalize` may
//! hold a process: all ranks have parted by then and nothing is lost, so it ends by itself.
//!
//! What `mpirun` does with the others when a process dies is its own affair: usually it kills them.

use std::marker::PhantomData;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use iopath_ranks::{Link, Lost, launched};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use thiserror::Error;

use crate::calls::{self, Receiving, UnderWay};
use crate::hydra::Hydra;

/// This process among those that were started together. There is one in a process's life.
pub struct World {
    rank: u32,
    size: u32,
    /// In the order in which they were sent.
    sending: Vec<UnderWay>,
    /// In the order in which they were begun.
    receiving: Vec<Receiving>,
    /// What this process ends with where MPI does not let it go.
    exit_code: i32,
    /// `MPI_Finalize` is called where the last reference goes.
    universe: Rc<Universe>,
    /// MPI is called by the thread that started it only.
    one_thread: PhantomData<*const ()>,
}

/// MPI cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoWorld {
    #[error("MPI was started before in this process: start it once")]
    Again,
    #[error("{0} was built for programs without threads: use one built with MPI_THREAD_FUNNELED")]
    WithoutThreads(String),
    /// The launcher of one MPI and the library of another do not find each other.
    #[error(
        "{started} processes were started ({variable}), and {library} finds itself alone: use the \
         mpirun of the MPI that the program was built for"
    )]
    Alone { started: u32, variable: &'static str, library: String },
    #[error("MPI does not start: {0}")]
    Failed(String),
}

/// Which implementation this program was built for, in its own words. Does not start it.
#[must_use]
pub fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    // MPICH goes on with how it was configured, Open MPI with who packaged it.
    let line = version.lines().next().unwrap_or_default();
    line.split(", package").next().unwrap_or_default().replace(":\t", " ")
}

impl World {
    /// Starts MPI for programs in which this thread alone calls it. All ranks must do so.
    ///
    /// # Errors
    ///
    /// It was started before, or cannot be used beside threads. MPI ends the process by itself
    /// where it cannot reach the other ranks.
    pub fn start() -> Result<Self, NoWorld> {
        let (universe, provided) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(NoWorld::Again)?;
        if provided < Threading::Funneled {
            return Err(NoWorld::WithoutThreads(library()));
        }
        calls::return_errors(&universe).map_err(NoWorld::Failed)?;
        let world = universe.world();
        let (rank, size) = (world.rank().cast_unsigned(), world.size().cast_unsigned());
        if let Some(launched) = launched().filter(|_| size == 1) {
            let (started, variable) = (launched.size, launched.variable);
            return Err(NoWorld::Alone { started, variable, library: library() });
        }
        let (sending, receiving, exit_code) = (Vec::new(), Vec::new(), 0);
        let universe = Rc::new(universe);
        Ok(Self { rank, size, sending, receiving, exit_code, universe, one_thread: PhantomData })
    }

    /// Ends every rank's process at once, with this exit code where `mpirun` passes it on. Where
    /// MPI does not run, this process only. For the thread that started MPI.
    pub fn abort(code: i32) -> ! {
        if mpi::is_initialized() && !mpi::is_finalized() {
            SimpleCommunicator::world().abort(code)
        }
        std::process::exit(code)
    }

    /// How many messages of this rank MPI has not passed on yet.
    ///
    /// # Errors
    ///
    /// MPI could not send one of them.
    pub fn unsent(&mut self) -> Result<usize, Lost> {
        let mut failed = None;
        self.sending.retain_mut(|sending| match calls::is_done(&self.universe, sending) {
            Ok(is_done) => !is_done,
            Err(words) => {
                failed = Some(words);
                false
            }
        });
        failed.map_or(Ok(self.sending.len()), |words| Err(Lost::Carrier(words)))
    }

    /// Sleeps until all messages are taken and every rank is here. What nobody reads any more, such
    /// as signs of life, is taken in: UCX warns of it otherwise, on stdout.
    fn finish(&mut self) -> Result<(), Lost> {
        while self.unsent()? > 0 {
            self.discard();
            thread::sleep(NAP);
        }
        let mut everyone = calls::barrier(&self.universe).map_err(Lost::Carrier)?;
        while !calls::is_done(&self.universe, &mut everyone).map_err(Lost::Carrier)? {
            self.discard();
            thread::sleep(NAP);
        }
        self.discard();
        Ok(())
    }

    fn discard(&mut self) {
        while let Ok(Some(_)) = self.try_receive() {}
    }
}

impl Link for World {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), Lost> {
        if to >= self.size {
            return Err(Lost::NoSuchRank { rank: to, size: self.size });
        }
        let sending = calls::send(&self.universe, to, message.to_vec());
        self.sending.push(sending.map_err(Lost::Carrier)?);
        self.unsent().map(drop)
    }

    fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        let begun = calls::receive(&self.universe).map_err(Lost::Carrier)?;
        if begun.is_none() {
            self.unsent()?;
        }
        self.receiving.extend(begun);
        for place in 0..self.receiving.len() {
            let (before, rest) = self.receiving.split_at_mut(place);
            // Messages of one rank stay in their order.
            let waits = before.iter().any(|earlier| earlier.from == rest[0].from);
            let mut is_done = || calls::is_done(&self.universe, &mut rest[0].under_way);
            if !waits && is_done().map_err(Lost::Carrier)? {
                let Receiving { from, under_way } = self.receiving.remove(place);
                return Ok(Some((from, under_way.into_message())));
            }
        }
        Ok(None)
    }

    fn leave(&mut self, exit_code: i32) {
        self.exit_code = exit_code;
    }
}

/// Ranks part together. `MPI_Finalize` waits for all too, but without sleeping, and would take a
/// processor from those that still work.
impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            // The others would wait for this one for ever.
            Self::abort(PANICKED);
        }
        if self.finish().is_err() {
            Self::abort(UNFINISHED);
        }
        if let Some(hydra) = Hydra::of_this_process() {
            // A launcher that answers otherwise is of no more use to MPI than to us.
            if hydra.part(&mut || self.discard()).is_err() {
                Self::abort(UNFINISHED);
            }
            // A reference that never goes.
            std::mem::forget(Rc::clone(&self.universe));
            return;
        }
        let exit_code = self.exit_code;
        // It ends with the process, which usually is sooner.
        thread::spawn(move || {
            thread::sleep(HELD);
            std::process::exit(exit_code);
        });
    }
}

/// How long MPI may hold a process that has said everything. Chosen: longer than 64 ranks take to
/// part on two processors.
const HELD: Duration = Duration::from_secs(3);

/// Between polls of a rank that has nothing else to do. Chosen.
const NAP: Duration = Duration::from_millis(1);

/// The exit code of a panic in Rust.
const PANICKED: i32 = 101;

/// Messages could not be sent, and nobody is left to tell. Chosen.
const UNFINISHED: i32 = 1;
