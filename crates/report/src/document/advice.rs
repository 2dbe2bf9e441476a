//! A change that is worth trying, as text, page and JSON have it.

use serde::Serialize;

/// One change that is worth trying, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceText {
    /// Which rule gives it, as `docs/findings.md` lists them.
    pub rule: &'static str,
    /// What to do, in a sentence.
    pub what: String,
    /// The commands that do it, for a shell.
    pub commands: Vec<String>,
    /// What keeps the change over a restart of the machine; none where there is nothing to keep.
    pub persistent: Option<String>,
    /// What it gives.
    pub gain: String,
    /// What may be lost by it.
    pub risk: String,
    /// What must be started again for it to take effect.
    pub restart: String,
    /// The commands that take it back.
    pub undo: Vec<String>,
    /// How it is taken back where no command does it.
    #[serde(skip)]
    pub undo_by_hand: Option<String>,
}

impl AdviceText {
    /// What is known of the change: a word and what it says.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let always = [("gain", &self.gain), ("risk", &self.risk), ("restart", &self.restart)];
        let kept = self.persistent.as_ref().map(|text| ("to keep it", text));
        let undo = self.undo_by_hand.as_ref().map(|text| ("undo", text));
        always.into_iter().chain(kept).chain(undo).map(|(word, text)| (word, text.as_str()))
    }
}
