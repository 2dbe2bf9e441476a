//! Names of files and directories from their numbers, written without taking memory: they are
//! made while a load runs.

/// `d`, a number, `/f`, a number: 20 digits each at most.
const LONGEST: usize = 1 + 20 + 2 + 20;

/// A name below the directory of a tree.
pub(super) struct Name {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Name {
    const EMPTY: Self = Self { bytes: [0; LONGEST], length: 0 };

    pub(super) fn directory(number: u64) -> Self {
        let mut name = Self::EMPTY;
        name.push(b"d", number);
        name
    }

    pub(super) fn file(directory: u64, number: u64) -> Self {
        let mut name = Self::directory(directory);
        name.push(b"/f", number);
        name
    }

    /// The same below its directory.
    pub(super) fn file_alone(number: u64) -> Self {
        let mut name = Self::EMPTY;
        name.push(b"f", number);
        name
    }

    pub(super) fn text(&self) -> &str {
        // Letters and digits are text.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }

    fn push(&mut self, word: &[u8], number: u64) {
        let digits = number.checked_ilog10().map_or(1, |tens| tens as usize + 1);
        let begin = self.length + word.len();
        self.bytes[self.length..begin].copy_from_slice(word);
        self.length = begin + digits;
        let mut left = number;
        for digit in self.bytes[begin..self.length].iter_mut().rev() {
            *digit = b'0' + (left % 10) as u8;
            left /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_and_numbers_without_leading_zeros() {
        assert_eq!(Name::directory(0).text(), "d0");
        assert_eq!(Name::file(10, 1_234_567_890).text(), "d10/f1234567890");
        assert_eq!(Name::file_alone(41).text(), "f41");
        let most = format!("d{}/f{}", u64::MAX, u64::MAX);
        assert_eq!(Name::file(u64::MAX, u64::MAX).text(), most);
    }
}
