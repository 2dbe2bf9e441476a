//! What else happened on this machine during the experiments of a profile.

use iopath_analysis::findings::Warning;

/// Something that other programs or guests did.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbed {
    /// In how many experiments.
    pub experiments: usize,
    /// The warning of the experiment with the most of it.
    pub worst: Warning,
}

impl Disturbed {
    /// Of the warnings of all experiments.
    pub(super) fn of<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (warning, much) in warnings.filter_map(|one| Some((one, extent(one)?))) {
            match all.iter_mut().find(|known| known.worst.kind() == warning.kind()) {
                Some(known) => {
                    known.experiments += 1;
                    if extent(&known.worst) < Some(much) {
                        known.worst = warning.clone();
                    }
                }
                None => all.push(Self { experiments: 1, worst: warning.clone() }),
            }
        }
        all
    }
}

/// How much others did; none of warnings of another kind.
fn extent(warning: &Warning) -> Option<f64> {
    match warning {
        Warning::CpuSteal(share) | Warning::OtherLoad(share) => Some(*share),
        Warning::OtherTraffic { ratio, .. } => Some(*ratio),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_counted_by_kind_and_the_worst_is_kept() {
        let warnings = [
            Warning::OtherLoad(0.3),
            Warning::DirectRefused(Vec::new()),
            Warning::CpuSteal(0.1),
            Warning::OtherLoad(0.9),
            Warning::OtherLoad(0.5),
        ];
        let of = |experiments, worst| Disturbed { experiments, worst };
        let expected = [of(3, Warning::OtherLoad(0.9)), of(1, Warning::CpuSteal(0.1))];
        assert_eq!(Disturbed::of(warnings.iter()), expected);
    }
}
