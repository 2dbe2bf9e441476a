//! MPI's own functions, each with its code checked: all that is unsafe about messages.
//!
//! rsmpi ignores the codes that MPI returns, as MPI ends the process on errors unless it is told
//! not to; and it lends memory to MPI within a scope only, while ours is lent across polls. Every
//! function takes the `Universe`, which exists between `MPI_Init` and `MPI_Finalize` only.

#![expect(unsafe_code, reason = "MPI is a library in C, and rsmpi drops its codes")]

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;

use mpi::environment::Universe;
use mpi::ffi;

/// In MPI's words.
pub(crate) type Failed = String;

/// What MPI is at work on, with the memory that it reads or writes meanwhile.
pub(crate) struct UnderWay {
    /// None once MPI has finished.
    request: Option<ffi::MPI_Request>,
    message: Vec<u8>,
}

/// A message that MPI is taking in.
pub(crate) struct Receiving {
    pub(crate) from: u32,
    pub(crate) under_way: UnderWay,
}

/// From now on an error is a code of the call that met it.
pub(crate) fn return_errors(_: &Universe) -> Result<(), Failed> {
    // SAFETY: MPI is started; both handles are its own constants.
    let code =
        unsafe { ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN) };
    checked(code)
}

/// The socket by which a launcher and MPI speak, where this is one.
pub(crate) fn launcher(descriptor: RawFd) -> Option<UnixStream> {
    if descriptor < 0 {
        return None;
    }
    // SAFETY: it is not -1; the launcher has opened it for MPI, which closes it in MPI_Finalize
    // only, and it is borrowed for this call.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    borrowed.try_clone_to_owned().ok().map(UnixStream::from)
}

/// Begins to send. The message is MPI's to read until [`is_done`].
pub(crate) fn send(_: &Universe, to: u32, message: Vec<u8>) -> Result<UnderWay, Failed> {
    let length = c_int::try_from(message.len()).map_err(|_| "a message of 2 GiB".to_owned())?;
    let rank = c_int::try_from(to).map_err(|_| format!("a rank {to}"))?;
    let mut request = MaybeUninit::uninit();
    // SAFETY: MPI is started. The bytes are on the heap, so they stay where they are while
    // `UnderWay` moves; nobody writes to them, and its `Drop` keeps them where MPI still reads.
    let code = unsafe {
        ffi::MPI_Isend(
            message.as_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            rank,
            TAG,
            ffi::RSMPI_COMM_WORLD,
            request.as_mut_ptr(),
        )
    };
    checked(code)?;
    // SAFETY: the call succeeded, so it has written the request.
    Ok(UnderWay { request: Some(unsafe { request.assume_init() }), message })
}

/// Begins to wait until every rank has begun to.
pub(crate) fn barrier(_: &Universe) -> Result<UnderWay, Failed> {
    let mut request = MaybeUninit::uninit();
    // SAFETY: MPI is started.
    let code = unsafe { ffi::MPI_Ibarrier(ffi::RSMPI_COMM_WORLD, request.as_mut_ptr()) };
    checked(code)?;
    // SAFETY: the call succeeded, so it has written the request.
    Ok(UnderWay { request: Some(unsafe { request.assume_init() }), message: Vec::new() })
}

/// Whether MPI has finished; lets it get on with its work where it has not.
pub(crate) fn is_done(_: &Universe, under_way: &mut UnderWay) -> Result<bool, Failed> {
    let Some(request) = &mut under_way.request else {
        return Ok(true);
    };
    let mut is_done = 0;
    // SAFETY: MPI is started, and the request is one that it gave and has not finished.
    let code = unsafe { ffi::MPI_Test(request, &mut is_done, ffi::RSMPI_STATUS_IGNORE) };
    checked(code)?;
    if is_done != 0 {
        under_way.request = None;
    }
    Ok(is_done != 0)
}

/// Begins to take in the next message from whomever, if one has arrived. A large one is not there
/// as a whole yet, and its sender may never send the rest.
pub(crate) fn receive(universe: &Universe) -> Result<Option<Receiving>, Failed> {
    let (mut is_there, mut length) = (0, 0);
    let (mut handle, mut status) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: MPI is started, and everything that it writes to is of the type that it expects.
    let code = unsafe {
        ffi::MPI_Improbe(
            ffi::RSMPI_ANY_SOURCE,
            TAG,
            ffi::RSMPI_COMM_WORLD,
            &mut is_there,
            handle.as_mut_ptr(),
            status.as_mut_ptr(),
        )
    };
    checked(code)?;
    if is_there == 0 {
        return Ok(None);
    }
    // SAFETY: a message is there, so both were written.
    let (handle, status) = unsafe { (handle.assume_init(), status.assume_init()) };
    // SAFETY: the status is of a message; the type is MPI's own constant.
    let code = unsafe { ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut length) };
    checked(code)?;
    let from = u32::try_from(status.MPI_SOURCE).map_err(|_| "a message of no rank".to_owned())?;
    Ok(Some(Receiving { from, under_way: take_in(universe, handle, length)? }))
}

fn take_in(_: &Universe, mut handle: ffi::MPI_Message, length: c_int) -> Result<UnderWay, Failed> {
    let mut message = vec![0_u8; usize::try_from(length).unwrap_or(0)];
    let mut request = MaybeUninit::uninit();
    // SAFETY: MPI is started, the handle is of a message that was not received yet, and there is
    // room for its whole length, on the heap, which nobody touches before MPI has finished.
    let code = unsafe {
        ffi::MPI_Imrecv(
            message.as_mut_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            &mut handle,
            request.as_mut_ptr(),
        )
    };
    checked(code)?;
    // SAFETY: the call succeeded, so it has written the request.
    Ok(UnderWay { request: Some(unsafe { request.assume_init() }), message })
}

impl UnderWay {
    /// The bytes, once MPI has finished.
    pub(crate) fn into_message(mut self) -> Vec<u8> {
        std::mem::take(&mut self.message)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.request.is_some() {
            // MPI may still use it, and says no more when it does not.
            std::mem::forget(std::mem::take(&mut self.message));
        }
    }
}

/// One tag for all: MPI keeps the order of messages within a tag. Chosen.
const TAG: c_int = 24;

fn checked(code: c_int) -> Result<(), Failed> {
    if code.cast_unsigned() == ffi::MPI_SUCCESS { Ok(()) } else { Err(words(code)) }
}

fn words(code: c_int) -> Failed {
    let mut text = [0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
    let mut length = 0;
    let room: *mut c_char = ptr::from_mut(&mut text).cast();
    // SAFETY: MPI is started, as it returned the code, and writes no more than its own constant.
    let translated = unsafe { ffi::MPI_Error_string(code, room, &mut length) };
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    match translated.cast_unsigned() {
        ffi::MPI_SUCCESS => String::from_utf8_lossy(&text[..length]).into_owned(),
        _ => format!("error {code} of MPI"),
    }
}
