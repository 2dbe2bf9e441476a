//! A request of the kernel, read from its bytes.

use crate::abi::{self, IN_HEADER, op};

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request<'b> {
    /// The number by which it is answered.
    pub unique: u64,
    /// The file, or the directory.
    pub node: u64,
    pub asks: Asks<'b>,
}

/// What it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks<'b> {
    Init {
        major: u32,
        minor: u32,
        can: u32,
    },
    Lookup {
        name: &'b [u8],
    },
    GetAttr,
    /// Times, mode or size are to be others.
    SetAttr,
    Open {
        flags: u32,
    },
    Release {
        handle: u64,
    },
    Read {
        handle: u64,
        offset: u64,
        bytes: u32,
    },
    Write {
        handle: u64,
        offset: u64,
        data: &'b [u8],
        is_durable: bool,
    },
    Fsync {
        handle: u64,
    },
    /// Room for a range, or zeros in it.
    Allocate {
        offset: u64,
        bytes: u64,
        mode: u32,
    },
    OpenDir,
    ReadDir {
        offset: u64,
        bytes: u32,
    },
    StatFs,
    /// To be answered with success, as there is nothing to do.
    Nothing,
    /// Not to be answered.
    NoAnswer,
    /// The file system goes.
    Destroy,
    Unknown,
}

/// Fields in their order.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }
}

impl<'b> Request<'b> {
    /// None where the bytes are no whole request.
    pub(crate) fn parse(bytes: &'b [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_at_checked(IN_HEADER)?;
        let mut header = Fields(header);
        let length = header.u32()?;
        if length as usize != bytes.len() {
            return None;
        }
        let (code, unique, node) = (header.u32()?, header.u64()?, header.u64()?);
        Some(Self { unique, node, asks: asks(code, Fields(rest))? })
    }
}

fn asks(code: u32, mut fields: Fields<'_>) -> Option<Asks<'_>> {
    Some(match code {
        op::INIT => {
            let (major, minor, _readahead) = (fields.u32()?, fields.u32()?, fields.u32()?);
            Asks::Init { major, minor, can: fields.u32()? }
        }
        op::LOOKUP => Asks::Lookup { name: fields.0.strip_suffix(b"\0")? },
        op::GETATTR => Asks::GetAttr,
        op::SETATTR => Asks::SetAttr,
        op::OPEN => Asks::Open { flags: fields.u32()? },
        op::RELEASE => Asks::Release { handle: fields.u64()? },
        op::READ => {
            Asks::Read { handle: fields.u64()?, offset: fields.u64()?, bytes: fields.u32()? }
        }
        op::WRITE => return write(fields),
        op::FSYNC => Asks::Fsync { handle: fields.u64()? },
        op::FALLOCATE => {
            let _handle = fields.u64()?;
            Asks::Allocate { offset: fields.u64()?, bytes: fields.u64()?, mode: fields.u32()? }
        }
        op::OPENDIR => Asks::OpenDir,
        op::READDIR => {
            let _handle = fields.u64()?;
            Asks::ReadDir { offset: fields.u64()?, bytes: fields.u32()? }
        }
        op::STATFS => Asks::StatFs,
        op::FLUSH | op::RELEASEDIR | op::FSYNCDIR => Asks::Nothing,
        op::FORGET | op::BATCH_FORGET | op::INTERRUPT => Asks::NoAnswer,
        op::DESTROY => Asks::Destroy,
        _ => Asks::Unknown,
    })
}

fn write(mut fields: Fields<'_>) -> Option<Asks<'_>> {
    let (handle, offset, bytes) = (fields.u64()?, fields.u64()?, fields.u32()?);
    let (_write_flags, _owner) = (fields.u32()?, fields.u64()?);
    let (flags, _padding) = (fields.u32()?, fields.u32()?);
    let data = fields.0.get(..bytes as usize)?;
    Some(Asks::Write { handle, offset, data, is_durable: flags & abi::DSYNC != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request as the kernel writes it.
    fn bytes(code: u32, body: &[&[u8]]) -> Vec<u8> {
        let body = body.concat();
        let mut all = Vec::new();
        all.extend(((IN_HEADER + body.len()) as u32).to_ne_bytes());
        all.extend(code.to_ne_bytes());
        all.extend(9_u64.to_ne_bytes());
        all.extend(2_u64.to_ne_bytes());
        all.resize(IN_HEADER, 0);
        all.extend(body);
        all
    }

    fn write(flags: u32) -> Vec<u8> {
        let (handle, offset) = (3_u64.to_ne_bytes(), 4096_u64.to_ne_bytes());
        let (size, none) = (4_u32.to_ne_bytes(), [0; 4]);
        bytes(
            op::WRITE,
            &[&handle, &offset, &size, &none, &[0; 8], &flags.to_ne_bytes(), &none, b"data"],
        )
    }

    #[test]
    fn a_write_has_its_data_and_says_whether_it_is_durable() {
        for (flags, is_durable) in [(0o2, false), (0o2 | abi::DSYNC, true)] {
            let bytes = write(flags);
            let asks = Asks::Write { handle: 3, offset: 4096, data: b"data", is_durable };
            assert_eq!(Request::parse(&bytes), Some(Request { unique: 9, node: 2, asks }));
        }
    }

    #[test]
    fn what_is_cut_short_is_no_request_and_what_is_not_known_is_one() {
        let whole = write(0);
        for length in 0..whole.len() {
            let mut cut = whole[..length].to_vec();
            assert_eq!(Request::parse(&cut), None, "{length} bytes of a longer one");
            if length >= IN_HEADER {
                cut[..4].copy_from_slice(&(length as u32).to_ne_bytes());
                assert_eq!(Request::parse(&cut), None, "{length} bytes");
            }
        }
        let unknown = bytes(4711, &[]);
        let unknown = Request::parse(&unknown).map(|request| request.asks);
        assert_eq!(unknown, Some(Asks::Unknown));
        let lookup = bytes(op::LOOKUP, &[b"a.v\0"]);
        let name = Request::parse(&lookup).map(|request| request.asks);
        assert_eq!(name, Some(Asks::Lookup { name: b"a.v" }));
    }
}
