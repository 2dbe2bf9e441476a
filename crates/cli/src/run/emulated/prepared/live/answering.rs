//! Whether this machine keeps up with a case that its simulation answers: a function of what the
//! case needs and of what was found that this machine carries.
//!
//! What it takes is the time to simulate and what each request costs on its way through the kernel.
//! More than all is refused; more than half may make answers late, which is said. Chosen is the
//! least scale at which answers are in time, if there is one, and no request is larger than the
//! kernel hands over whole. An answer is as late as its data take to copy and as others wait to be
//! copied before it (M/D/1: utilisation ρ, service s, waiting ρ s / 2 (1 - ρ)).

use iopath_live::is_in_time;
use iopath_study::{Case, Scale};

use super::super::choice::{Asked, COMFORTABLE, Wanted, least};
use super::super::{share, too_much};
use crate::run::emulated::ceiling::Ceiling;
use crate::run::emulated::load::Load;

/// What a case needs, as its simulation says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub load: Load,
    /// Share of a processor that its simulation takes, in real time.
    pub world: f64,
    /// Mean response in nanoseconds.
    pub response_ns: f64,
    pub largest_block: u64,
}

/// What this machine carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carries {
    pub ceiling: Ceiling,
    /// The largest request that arrives whole.
    pub largest_request: u64,
}

/// Both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answering {
    pub needs: Needs,
    pub carries: Carries,
}

impl Answering {
    /// The scale at which a case is answered, or why it is not at the one that is wanted.
    pub(super) fn scale(&self, wanted: Wanted, case: &Case) -> Result<Scale, String> {
        self.ask(|asked| wanted.scale(case, asked))
    }

    /// What is to be expected of a scale that takes more than is comfortable.
    pub(super) fn note(&self, scale: Scale, case: &Case) -> Option<String> {
        let percent = |scale| 100.0 * self.share(scale);
        if self.share(scale) <= COMFORTABLE {
            return None;
        }
        let better = self.ask(|asked| least(case, asked)).ok().filter(|better| *better != scale);
        let try_this = better.map_or_else(String::new, |better| {
            format!("; {better} takes {:.0} %", percent(better))
        });
        Some(format!(
            "{scale} takes {:.0} % of what this machine carries, so answers may be late{try_this}",
            percent(scale)
        ))
    }

    fn ask<T>(&self, ask: impl FnOnce(&Asked<'_>) -> T) -> T {
        ask(&Asked {
            share: &|scale| self.share(*scale),
            is_true: &|scale| self.is_true(*scale),
            why: &|scale| self.why(scale),
        })
    }

    fn simulating(&self, scale: Scale) -> f64 {
        self.needs.world / scale.stretch() as f64
    }

    fn share(&self, scale: Scale) -> f64 {
        share(self.needs.load, scale, self.carries.ceiling) + self.simulating(scale)
    }

    /// Whether requests arrive whole and are answered in time.
    fn is_true(&self, scale: Scale) -> bool {
        let share = self.share(scale);
        let is_whole = self.needs.largest_block / scale.divisor() <= self.carries.largest_request;
        is_whole && share < 1.0 && self.is_in_time(scale, share)
    }

    fn is_in_time(&self, scale: Scale, share: f64) -> bool {
        let bytes = self.needs.load.bytes / scale.divisor() as f64;
        let bytes = bytes.min(self.carries.largest_request as f64);
        let copying_ns = 1e9 / self.carries.ceiling.per_sec(bytes);
        let late_ns = copying_ns * (1.0 + share / (2.0 * (1.0 - share)));
        let response_ns = self.needs.response_ns * scale.stretch() as f64;
        is_in_time(response_ns as u64, late_ns as u64)
    }

    fn why(&self, scale: Scale) -> String {
        let simulating = self.simulating(scale) * 100.0;
        let devices = too_much(self.needs.load, scale, self.carries.ceiling);
        format!("{devices}, of which its simulation takes {simulating:.0} % of a processor")
    }
}

#[cfg(test)]
mod tests {
    use iopath_study::{Source, parse};

    use super::*;

    /// Requests a second of 64 KiB of a machine that does 40,000 of 4 KiB.
    const CARRIED: f64 = 10_000.0;

    fn case() -> Case {
        let text = "study \"t\"\n\
             path { host \"h\" { ssd \"d\" size=\"4 GB\" latency=\"10 ms\" } }\n\
             workload { streams \"s\" over=\"h.d\" block=\"64 KiB\" depth=32 }";
        let source = Source { name: "t.kdl".to_owned(), text: text.to_owned() };
        let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
    }

    /// A case that takes this share of the machine, a part of it to be simulated.
    fn taking(whole: f64, world: f64) -> Answering {
        let ceiling = Ceiling::through((4096, 40_000.0), (65_536, CARRIED));
        let load = Load { per_sec: CARRIED * (whole - world), bytes: 65_536.0, ahead: 0.0 };
        let needs = Needs { load, world, response_ns: 1e7, largest_block: 65_536 };
        Answering { needs, carries: Carries { ceiling, largest_request: 1 << 20 } }
    }

    fn exactly_one(answering: &Answering) -> Result<Scale, String> {
        answering.scale(Wanted::Exactly(Scale::ONE), &case())
    }

    #[test]
    fn half_of_what_it_carries_is_accepted_as_it_is() {
        for world in [0.0, 0.2] {
            let half = taking(0.499, world);
            assert_eq!(half.scale(Wanted::Least, &case()), Ok(Scale::ONE));
            assert_eq!(exactly_one(&half), Ok(Scale::ONE));
            assert_eq!(half.note(Scale::ONE, &case()), None);
        }
    }

    #[test]
    fn nine_tenths_are_accepted_where_they_are_wanted_and_said_to_be_late() {
        for world in [0.0, 0.4] {
            let most = taking(0.9, world);
            let chosen = most.scale(Wanted::Least, &case()).expect("there is one");
            assert!(chosen != Scale::ONE && most.share(chosen) <= COMFORTABLE, "{chosen}");
            assert_eq!(exactly_one(&most), Ok(Scale::ONE));
            let note = most.note(Scale::ONE, &case()).expect("it is said");
            let expected = format!(
                "1:1 takes 90 % of what this machine carries, so answers may be late; {chosen} \
                 takes {:.0} %",
                100.0 * most.share(chosen)
            );
            assert_eq!(note, expected);
        }
    }

    #[test]
    fn more_than_it_carries_is_refused_with_a_scale_that_works() {
        for world in [0.0, 1.2] {
            let more = taking(1.5, world);
            let refused = exactly_one(&more).expect_err("it is too much");
            let chosen = more.scale(Wanted::Least, &case()).expect("there is one");
            assert!(refused.starts_with("at 1:1 its devices would have to serve"), "{refused}");
            assert!(refused.ends_with(&format!("; try {chosen}")), "{refused}");
            assert_eq!(more.scale(Wanted::Exactly(chosen), &case()), Ok(chosen));
            assert_eq!(more.note(chosen, &case()), None);
        }
    }
}
