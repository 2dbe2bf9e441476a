//! The kernel's end of the file system: requests come from it, answers go to it.

use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::io::{Errno, read, writev};

use crate::abi::{self, IN_HEADER, LARGEST_REQUEST};
use crate::mounting::{mount_on, unmount_from};
use crate::reply::{self, Body};
use crate::request::{Asks, Request};
use crate::trouble::Trouble;

/// A mounted directory; it goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    fuse: OwnedFd,
    directory: PathBuf,
}

/// Room for the largest request.
pub(crate) fn room() -> Vec<u8> {
    vec![0; LARGEST_REQUEST as usize + IN_HEADER + 4096]
}

impl Connection {
    /// Mounts on a directory.
    pub(crate) fn mount(directory: &Path) -> Result<Self, Trouble> {
        let fuse = mount_on(directory)?;
        Ok(Self { fuse, directory: directory.to_owned() })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fuse.as_fd()
    }

    /// The next request that is there, if one is. A request that was taken back meanwhile is none.
    #[inline]
    pub(crate) fn receive<'b>(&self, room: &'b mut [u8]) -> Result<Received<'b>, Trouble> {
        match read(&self.fuse, &mut *room) {
            Ok(bytes) => Ok(Request::parse(&room[..bytes]).map_or(Received::Odd, Received::Asked)),
            Err(Errno::AGAIN) => Ok(Received::Nothing),
            Err(Errno::NOENT | Errno::INTR) => Ok(Received::Odd),
            Err(Errno::NODEV) => Ok(Received::Gone),
            Err(error) => Err(Trouble::file("read from", &self.directory, error)),
        }
    }

    /// Answers a request with data.
    #[inline]
    pub(crate) fn answer(&self, unique: u64, data: &[u8]) {
        let header = reply::header(unique, 0, data.len());
        self.send(&[IoSlice::new(&header), IoSlice::new(data)]);
    }

    pub(crate) fn answer_body(&self, unique: u64, body: &Body) {
        self.answer(unique, &body.0);
    }

    /// Answers that a request failed.
    pub(crate) fn fail(&self, unique: u64, error: Errno) {
        self.send(&[IoSlice::new(&reply::header(unique, error.raw_os_error(), 0))]);
    }

    /// A process that waits for an answer may have been killed, and the file system taken away:
    /// then the answer is not missed.
    fn send(&self, parts: &[IoSlice<'_>]) {
        let _ = writev(&self.fuse, parts);
    }

    /// Says how we speak, where the kernel speaks so too.
    pub(crate) fn begin(&self, unique: u64, asks: Asks<'_>) -> Result<(), Trouble> {
        let Asks::Init { major, minor, can } = asks else { return Ok(()) };
        if major != abi::MAJOR || minor < abi::LEAST_MINOR {
            self.fail(unique, Errno::PROTO);
            return Err(Trouble::Protocol { major, minor });
        }
        self.answer_body(unique, &reply::init(can));
        Ok(())
    }
}

/// What a look for a request found.
#[derive(Debug)]
pub(crate) enum Received<'b> {
    Asked(Request<'b>),
    Nothing,
    /// Something that is not to be answered; there may be more.
    Odd,
    /// The file system was taken away.
    Gone,
}

impl Drop for Connection {
    fn drop(&mut self) {
        unmount_from(&self.directory);
    }
}
