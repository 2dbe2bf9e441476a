//! What targets hold after a crash, in a sentence, and what is damaged.

use iopath_record::AfterCrash;

use crate::look::Tone;
use crate::view::crash::CrashReport;

impl CrashReport {
    /// What is damaged, in words; none where nothing is.
    #[must_use]
    pub fn damage(&self) -> Option<String> {
        let damaged = self.targets.iter().filter(|target| !target.bad_blocks.is_empty());
        let texts: Vec<String> = damaged
            .map(|target| {
                let hint = match target.is_strange() {
                    true => {
                        "; nothing of the run is there: is it another device, or written since?"
                    }
                    false => "",
                };
                let first = target.bad_blocks.listed.first().map_or("", |block| &block.what);
                let (label, blocks) = (&target.target, &target.bad_blocks);
                format!("{label}: {blocks}; the first: {first}{hint}")
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// What the targets came to.
    pub(crate) fn verdict(&self) -> (Tone, &'static str) {
        let sum = |of: fn(&AfterCrash) -> u64| self.targets.iter().map(of).sum::<u64>();
        let lost = sum(|target| target.lost.units + target.torn.units);
        let text = match (sum(AfterCrash::units), sum(|target| target.flushed_units), lost) {
            _ if self.is_damaged() => return (Tone::Broken, "wrong data"),
            (0, ..) => {
                return (Tone::Warning, "its journal knows of no block that could be checked");
            }
            (_, 0, 0) => "nothing was lost; no flush was acknowledged",
            (_, 0, _) => "writes were lost, and no flush was acknowledged",
            (_, _, 0) => "all that was flushed is there, and nothing was lost",
            (..) => "all that was flushed is there; writes that were not were lost",
        };
        (Tone::Verdict, text)
    }
}
