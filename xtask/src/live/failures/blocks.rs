//! What is written: each sector says where it belongs and which write it is of.

pub(crate) const BLOCK: usize = 4096;
pub(crate) const SECTOR: usize = 512;

/// The content of a block by a write; writes of a block are counted from 1.
pub(crate) fn content(block: u64, write: u64) -> Vec<u8> {
    let sectors = (BLOCK / SECTOR) as u64;
    (0..sectors).flat_map(|sector| sector_of(block * sectors + sector, write)).collect()
}

fn sector_of(place: u64, write: u64) -> Vec<u8> {
    let stamp = [place.to_le_bytes(), write.to_le_bytes()].concat();
    stamp.iter().cycle().take(SECTOR).copied().collect()
}

/// Of which write each sector of a block is: 0 before the first, none where it is of no write of
/// this place.
pub(crate) fn writes(block: u64, data: &[u8]) -> impl Iterator<Item = Option<u64>> {
    let first = block * (BLOCK / SECTOR) as u64;
    (first..).zip(data.chunks(SECTOR)).map(|(place, sector)| {
        if sector.iter().all(|byte| *byte == 0) {
            return Some(0);
        }
        let write = u64::from_le_bytes(sector.get(8..16)?.try_into().ok()?);
        (sector == sector_of(place, write)).then_some(write)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_of_its_write_or_of_none() {
        let mut data = content(7, 3);
        data[..SECTOR].fill(0);
        data[SECTOR] ^= 1;
        data[2 * SECTOR..3 * SECTOR].copy_from_slice(&content(7, 2)[2 * SECTOR..3 * SECTOR]);
        let found: Vec<_> = writes(7, &data).take(4).collect();
        assert_eq!(found, [Some(0), None, Some(2), Some(3)]);
        assert!(writes(8, &content(7, 3)).all(|write| write.is_none()));
    }
}
