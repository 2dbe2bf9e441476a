//! Random words that nobody guesses: 128 bits of the kernel's, as hexadecimal digits.

use std::fmt::Write;
use std::hint::black_box;

use rustix::rand::{GetRandomFlags, getrandom};

/// A word that only who was told it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token(String);

const BYTES: usize = 16;

impl Token {
    /// A new one.
    pub(crate) fn new() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        // So few bytes are given whole.
        getrandom(&mut bytes, GetRandomFlags::empty())?;
        let mut text = String::with_capacity(2 * BYTES);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether somebody knows it. Takes as long wherever the first difference is.
    pub(crate) fn is(&self, said: &str) -> bool {
        let (own, said) = (self.0.as_bytes(), said.as_bytes());
        let differences = own.iter().zip(said).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        own.len() == said.len() && differences == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_only_itself() {
        let token = Token::new().unwrap();
        let text = token.as_str().to_owned();
        assert!(text.len() == 32 && token.is(&text));
        let (short, long) = (&text[..31], format!("{text}0"));
        let other = Token::new().unwrap();
        for wrong in ["", short, &long, other.as_str(), &text.to_uppercase().replace('A', "B")] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }
}
