//! The words of the kernel's packet queues: netlink messages, of which these few are needed.
//!
//! ```text
//! header 16: length u32, type u16, flags u16, number u32, port u32     in the machine's order
//! family u8, version u8, queue u16                                     big-endian
//! attributes: length u16, type u16, value, filled up to 4 bytes
//! ```
//!
//! From `linux/netlink.h`, `nfnetlink.h` and `nfnetlink_queue.h`; values are big-endian.

const PACKET: u8 = 0;
const VERDICT: u8 = 1;
const CONFIG: u8 = 2;
/// `NFNL_SUBSYS_QUEUE`, the upper byte of a type.
const SUBSYSTEM: u8 = 3;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
const HEADER: usize = 16;
/// `nfgenmsg`.
const FAMILY: usize = 4;

/// A packet that waits for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub id: u32,
    /// The interface that it leaves by.
    pub leaves_by: u32,
}

/// Asks for the packets of a queue, without what is in them; large ones in one piece.
pub(super) fn bind(queue: u16) -> Vec<u8> {
    /// `nfqnl_msg_config_cmd`: bind; of any family.
    const COMMAND: [u8; 4] = [1, 0, 0, 0];
    /// `nfqnl_msg_config_params`: no bytes, `NFQNL_COPY_META`.
    const PARAMETERS: [u8; 5] = [0, 0, 0, 0, 1];
    /// More than hosts have on their way. Chosen.
    const MOST: u32 = 1 << 16;
    /// `NFQA_CFG_F_GSO`.
    const WHOLE: u32 = 4;
    let (most, whole) = (MOST.to_be_bytes(), WHOLE.to_be_bytes());
    let attributes: [(u16, &[u8]); 5] =
        [(1, &COMMAND), (2, &PARAMETERS), (3, &most), (4, &whole), (5, &whole)];
    message(CONFIG, queue, &attributes)
}

/// Lets a packet go on.
pub(super) fn accept(queue: u16, id: u32) -> Vec<u8> {
    const ACCEPT: u32 = 1;
    let verdict = [ACCEPT.to_be_bytes(), id.to_be_bytes()].concat();
    message(VERDICT, queue, &[(2, &verdict)])
}

/// The packets in what was received.
pub(super) fn packets(mut received: &[u8]) -> Vec<Packet> {
    let mut all = Vec::new();
    while let Some(length) = native(received, 0).map(|length| length as usize) {
        if length < HEADER + FAMILY || length > received.len() {
            break;
        }
        let of_queue = received[4] == PACKET && received[5] == SUBSYSTEM;
        all.extend(of_queue.then(|| packet(&received[HEADER + FAMILY..length])).flatten());
        received = received.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    all
}

fn packet(mut attributes: &[u8]) -> Option<Packet> {
    /// `NFQA_PACKET_HDR`, whose first four bytes are the number.
    const NUMBER: u16 = 1;
    /// `NFQA_IFINDEX_OUTDEV`.
    const LEAVES_BY: u16 = 6;
    let (mut id, mut leaves_by) = (None, 0);
    while let [a, b, c, d, ..] = *attributes {
        let (length, kind) = (u16::from_ne_bytes([a, b]), u16::from_ne_bytes([c, d]) & 0x3fff);
        let value = attributes.get(4..usize::from(length))?;
        match kind {
            NUMBER => id = big(value),
            LEAVES_BY => leaves_by = big(value)?,
            _ => {}
        }
        let next = usize::from(length).next_multiple_of(4);
        attributes = attributes.get(next..).unwrap_or_default();
    }
    Some(Packet { id: id?, leaves_by })
}

fn message(kind: u8, queue: u16, attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut body = [&[0, 0][..], &queue.to_be_bytes()].concat();
    for (kind, value) in attributes {
        let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
        body.extend(length.to_ne_bytes());
        body.extend(kind.to_ne_bytes());
        body.extend(*value);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    let length = u32::try_from(HEADER + body.len()).unwrap_or(u32::MAX);
    let kind = u16::from_ne_bytes([kind, SUBSYSTEM]);
    let mut all = length.to_ne_bytes().to_vec();
    all.extend([kind.to_ne_bytes(), REQUEST.to_ne_bytes()].concat());
    all.extend([0; 8]);
    all.extend(body);
    all
}

fn native(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn big(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_found_among_other_messages() {
        let header = [7_u32.to_be_bytes().as_slice(), &[8, 0, 0]].concat();
        let one = message(PACKET, 0, &[(1, &header), (6, &9_u32.to_be_bytes())]);
        let other = message(CONFIG, 0, &[(1, &header)]);
        let found = packets(&[one.clone(), other, one].concat());
        assert_eq!(found, [Packet { id: 7, leaves_by: 9 }; 2]);
        assert_eq!(packets(&[1, 0, 0, 0]), []);
    }

    #[test]
    fn a_verdict_is_32_bytes() {
        let verdict = accept(0, 5);
        assert_eq!(verdict.len(), 32);
        assert_eq!(verdict[24..], [0, 0, 0, 1, 0, 0, 0, 5]);
    }
}
