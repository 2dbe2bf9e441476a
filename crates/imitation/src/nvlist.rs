//! Lists of names and values as ZFS packs them into the labels of its members: XDR, big-endian
//! (module/nvpair/nvpair.c). Only what labels hold: numbers, texts, lists.

/// Four bytes.
fn word(value: u32) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

/// A text with its length, filled up to words.
pub fn text(value: &str) -> Vec<u8> {
    let mut bytes = word(value.len() as u32);
    bytes.extend(value.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A name with so many values of a kind.
pub fn pair(name: &str, kind: u32, count: u32, data: &[u8]) -> Vec<u8> {
    let body = [text(name), word(kind), word(count), data.to_vec()].concat();
    [word(body.len() as u32 + 8), word(32), body].concat()
}

/// A name with a number.
pub fn number(name: &str, value: u64) -> Vec<u8> {
    pair(name, 8, 1, &value.to_be_bytes())
}

/// Pairs as a list.
pub fn list(pairs: &[Vec<u8>]) -> Vec<u8> {
    [word(0), word(1), pairs.concat(), word(0), word(0)].concat()
}
