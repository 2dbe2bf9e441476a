//! Keys of a live view, read from the terminal itself.
//!
//! crossterm's own loop reads an end of file for ever, so that a view would outlive its terminal
//! and keep a processor busy. Here a terminal that hangs up (POLLHUP), is at its end, or answers
//! EIO is the wish to end. It leaves out keys that mean nothing to the view: sequences that begin
//! with an escape are passed over.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What the reader wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// The next interval.
    More,
    /// No more.
    End,
}

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Enough was seen, or there is no terminal any more.
    End,
    /// The picture shall stay, or go on.
    Hold,
    /// Idle devices shall have rows, or none.
    Full,
    /// What keys mean.
    Help,
    Other,
}

/// The next key; none where none came in this time.
pub(super) fn wait(time: Duration) -> io::Result<Option<Key>> {
    let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    // Of the screen only its end is of interest, which needs not be asked for.
    let mut terminals =
        [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&stdout, PollFlags::empty())];
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut terminals, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if terminals.iter().any(|terminal| terminal.revents().intersects(gone)) {
        return Ok(Some(Key::End));
    }
    let mut typed = [0; 64];
    match rustix::io::read(stdin, &mut typed) {
        Ok(count) => Ok(Some(meaning(&typed[..count]))),
        Err(Errno::INTR | Errno::AGAIN) => Ok(None),
        Err(Errno::IO) => Ok(Some(Key::End)),
        Err(error) => Err(error.into()),
    }
}

/// Whether an error says that the terminal has gone.
pub(super) fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}

/// What was typed at once. Nothing at all is the end of the file.
fn meaning(typed: &[u8]) -> Key {
    const CONTROL_C: u8 = 0x03;
    const CONTROL_D: u8 = 0x04;
    const ESCAPE: u8 = 0x1b;
    // An escape with more behind it is an arrow or its like.
    let plain = match typed {
        [] | [ESCAPE] => return Key::End,
        _ => typed.split(|byte| *byte == ESCAPE).next().unwrap_or_default(),
    };
    if plain.iter().any(|byte| matches!(*byte, b'q' | b'Q' | CONTROL_C | CONTROL_D)) {
        return Key::End;
    }
    // Each of them twice at once is as if it had not been typed.
    let toggled = |key: u8| plain.iter().filter(|byte| **byte == key).count() % 2 == 1;
    match () {
        () if toggled(b'?') => Key::Help,
        () if toggled(b' ') => Key::Hold,
        () if toggled(b'f') => Key::Full,
        () => Key::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_one_thing_and_an_arrow_nothing() {
        for (typed, key) in [
            (&b"q"[..], Key::End),
            (b"\x03", Key::End),
            (b"\x1b", Key::End),
            (b"", Key::End),
            (b"x q", Key::End),
            (b" ", Key::Hold),
            (b"  ", Key::Other),
            (b"\x1b[A", Key::Other),
            (b"\x1b[1;2Q", Key::Other),
            (b"x", Key::Other),
            (b"?", Key::Help),
            (b"f", Key::Full),
        ] {
            assert_eq!(meaning(typed), key, "{typed:?}");
        }
    }
}
