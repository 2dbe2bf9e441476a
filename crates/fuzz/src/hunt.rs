//! One input after another, each made from those that showed something new.

use anyhow::Result;

use crate::corpus::Corpus;
use crate::mutation::{mutate, renumber};
use crate::random::Random;
use crate::target::Target;

/// A hunt with its seed; the same seed makes the same inputs for as long as the target is the same.
#[derive(Debug)]
pub(crate) struct Hunt {
    target: Target,
    corpus: Corpus,
    random: Random,
    /// Inputs from files, which are fed as they are before any is changed.
    files: Vec<Vec<u8>>,
    /// Whether the input at work was made from its format.
    is_made: bool,
    share: Share,
}

/// How many of the inputs that were made from their format the target accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub made: u64,
    pub accepted: u64,
}

impl Hunt {
    pub(crate) fn new(target: Target, seed: u64) -> Result<Self> {
        let corpus = Corpus::load(target)?;
        let files = corpus.inputs().to_vec();
        Ok(Self {
            target,
            corpus,
            random: Random::new(seed),
            files,
            is_made: false,
            share: Share::default(),
        })
    }

    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        self.is_made = false;
        if let Some(file) = self.files.pop() {
            return file;
        }
        match self.random.below(4) {
            0 | 1 => self.mutated(),
            kind => match self.target.made(&mut self.random) {
                Some(made) if kind == 2 => renumber(made, &mut self.random),
                Some(made) => {
                    self.is_made = true;
                    made
                }
                None => self.mutated(),
            },
        }
    }

    fn mutated(&mut self) -> Vec<u8> {
        let base = self.corpus.pick(&mut self.random);
        let other = self.corpus.pick(&mut self.random);
        mutate(base, other, &mut self.random)
    }

    /// Feeds an input; returns only if the target survives.
    pub(crate) fn feed(&mut self, input: Vec<u8>) {
        let behaviour = self.target.feed(&input);
        if self.is_made {
            self.share.made += 1;
            self.share.accepted += u64::from(self.target.is_accepted(&behaviour));
        }
        if self.corpus.is_new(behaviour) && self.files.is_empty() {
            self.corpus.keep(input);
        }
    }

    /// What became of inputs that were made from their format.
    pub(crate) fn share(&self) -> Share {
        self.share
    }

    /// How many different things the target has said.
    pub(crate) fn behaviours(&self) -> usize {
        self.corpus.behaviours()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_feeds_the_same_inputs() {
        for target in Target::ALL {
            let inputs = |seed| {
                let mut hunt = Hunt::new(target, seed).unwrap();
                let one = |_| {
                    let input = hunt.next_input();
                    hunt.feed(input.clone());
                    input
                };
                // More than any target has files.
                (0..40).map(one).collect::<Vec<_>>()
            };
            assert_eq!(inputs(1), inputs(1));
            assert_ne!(inputs(1), inputs(2));
        }
    }
}
