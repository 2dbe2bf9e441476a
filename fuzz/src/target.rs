//! What is fed. A target takes any bytes and says in a few words how it behaved.

mod record;

/// What is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The decoder of records: text and compressed.
    Record,
}

impl Target {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 1] = [Self::Record];

    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "record" => Some(Self::Record),
            _ => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
        }
    }

    /// The forms in which a kept file can be fed.
    pub(crate) fn forms(self, input: Vec<u8>) -> Vec<Vec<u8>> {
        match self {
            Self::Record => record::forms(input),
        }
    }

    /// Feeds an input. What it returns is equal for inputs that were treated alike.
    pub(crate) fn feed(self, input: &[u8]) -> String {
        match self {
            Self::Record => record::feed(input),
        }
    }
}
