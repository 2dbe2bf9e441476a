//! A stream's order of offsets and pacing, in the words of a study.

use iopath_study::case::{Pacing, Pattern, PatternKind, Rate};

/// Its order of offsets with its parameters: `strided stride=1 MiB`.
pub(super) fn pattern(pattern: Pattern) -> String {
    let name = PatternKind::from(pattern);
    let parameters = match pattern {
        Pattern::Sequential
        | Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Backwards
        | Pattern::Random
        | Pattern::Spc1Like => String::new(),
        Pattern::Strided { stride } => format!(" stride={stride}"),
        Pattern::Zipf { theta } => format!(" theta={}", theta.as_f64()),
        Pattern::Hot { share, band } => format!(" hot-share={share} hot-band={band}"),
        Pattern::Walk { step } => format!(" step={step}"),
        Pattern::Resident { hits, write_hits, set } => {
            format!(" hits={hits} write-hits={write_hits} set={set}")
        }
    };
    format!("{name}{parameters}")
}

/// How its requests follow one another; the rate is that of its declaration.
pub(super) fn pacing(pacing: Pacing) -> String {
    match pacing {
        Pacing::Closed => "closed loop".to_owned(),
        Pacing::Open { rate: Rate::Operations(rate), arrivals, .. } => {
            format!("{rate}, {arrivals}")
        }
        Pacing::Open { rate: Rate::Bytes(rate), arrivals, .. } => format!("{rate}, {arrivals}"),
    }
}

#[cfg(test)]
mod tests {
    use iopath_record::{Fact, restated};
    use iopath_study::case::Arrivals;
    use iopath_units::{ByteRate, Bytes, OperationRate, Ratio};

    use super::*;

    /// Texts that are compared with those of older records must not differ by their wording.
    #[test]
    fn a_load_has_the_words_of_a_study_whichever_version_wrote_it() {
        let [most, tenth] = [Ratio(900_000), Ratio(100_000)];
        for (pattern, text) in [
            (Pattern::Sequential, "sequential"),
            (Pattern::Random, "random"),
            (Pattern::Spc1Like, "spc1-like"),
            (Pattern::Strided { stride: Bytes(1 << 20) }, "strided stride=1 MiB"),
            (Pattern::Zipf { theta: Ratio(1_200_000) }, "zipf theta=1.2"),
            (Pattern::Hot { share: most, band: tenth }, "hot hot-share=90 % hot-band=10 %"),
            (Pattern::Walk { step: Bytes(4096) }, "walk step=4 KiB"),
            (
                Pattern::Resident { hits: most, write_hits: tenth, set: Bytes(4096) },
                "resident hits=90 % write-hits=10 % set=4 KiB",
            ),
        ] {
            assert_eq!(super::pattern(pattern), text);
            assert_eq!(restated(&Fact::Pattern.to_string(), &format!("{pattern:?}")), text);
        }
        let open = |rate, arrivals| Pacing::Open { rate, streams: 2, arrivals };
        let operations = Rate::Operations(OperationRate(300_000));
        let bytes = Rate::Bytes(ByteRate(100_000_000));
        for (pacing, text) in [
            (Pacing::Closed, "closed loop"),
            (open(operations, Arrivals::Constant), "300 /s, constant"),
            (open(bytes, Arrivals::Poisson), "100 MB/s, poisson"),
        ] {
            assert_eq!(super::pacing(pacing), text);
            assert_eq!(restated(&Fact::Pacing.to_string(), &format!("{pacing:?}")), text);
        }
    }
}
