//! Laws as sentences, with the tolerance and its reason, and their numbers with units.

use iopath_analysis::LawCheck;
use iopath_analysis::audit::{Ceiling, Law, Rated};
use iopath_analysis::thresholds::audit::{
    ARRIVAL_ERRORS, BATCH_TOLERANCE, BOUND_HALF_WIDTHS, BOUND_TOLERANCE, CLOCK_READING_NS,
    CLOCK_TICK_NS, LAYERS_TOLERANCE, READINGS_NS, ROUNDING_TOLERANCE, SAMPLING_TOLERANCE,
    WANTED_RATE_TOLERANCE,
};
use iopath_analysis::thresholds::limits::RATING_EXCEEDED_RATIO;
use iopath_units::{Nanos, System};

use super::PerSecond;
use crate::numbers::{size, time};

/// What a law says.
pub(crate) fn sentence(law: &Law, system: System) -> String {
    match law {
        Law::Completions => {
            "requests completed or failed are never more than requests submitted".to_owned()
        }
        Law::Shares => format!(
            "requests divided over phases by time add up to requests completed; {} and 1 request \
             are allowed for rounding to millionths",
            percent(ROUNDING_TOLERANCE)
        ),
        Law::Histograms => {
            "the histograms of total latency hold every completed request once".to_owned()
        }
        Law::Little => format!(
            "Little's law: mean in flight is throughput times mean latency; {} and \
             {CLOCK_READING_NS} ns a request are allowed because one clock reading serves a batch \
             of requests",
            percent(BATCH_TOLERANCE)
        ),
        Law::Phases => {
            "phases are consecutive: none ends before it begins or before the last".to_owned()
        }
        Law::Total => "the streams' completed requests add up to those counted over time for all \
                       of them"
            .to_owned(),
        Law::Bound => format!(
            "a simulation does not exceed its bound, or one of them is wrong (a cache that holds \
             what is read exceeds a bound without a `hit`); {BOUND_HALF_WIDTHS} times \
             half the width of the 95 % interval is allowed, {} at least",
            percent(BOUND_TOLERANCE)
        ),
        Law::Layers => format!(
            "direct I/O: the devices move at least what the application did, times the copies; {} \
             is allowed because counters are not read at the same instant",
            percent(LAYERS_TOLERANCE)
        ),
        Law::Members { is_ahead } => members(*is_ahead),
        Law::Instants => "each sample is later than the one before".to_owned(),
        Law::Counters(None) => "cumulative counters never fall".to_owned(),
        Law::Counters(Some(counter)) => format!(
            "{counter:?} fell: the counter wrapped or was reset, and its interval is not known"
        ),
        Law::Utilisation => format!(
            "busy time is no longer than the time that passed; {}, but at least {}, are allowed: \
             each of two readings may be some ms and a clock tick apart from its instant, or as \
             long as reading the counters took; of a device that was idle, Linux may count the \
             idle time before the first sample as busy, which is left out",
            percent(SAMPLING_TOLERANCE),
            Nanos(READINGS_NS as u64)
        ),
        Law::InFlight => format!(
            "busy time is no longer than the time in flight, summed over requests; {} and a clock \
             tick of {} for each request are allowed because the kernel counts whole ticks",
            percent(SAMPLING_TOLERANCE),
            Nanos(CLOCK_TICK_NS as u64)
        ),
        Law::Capacity(ceiling) => capacity(ceiling, system),
        Law::Rating(of) => {
            let doubt = "this rating was not measured, so doubt it before the counters";
            format!("{}; {doubt}", rated(of, system))
        }
    }
}

/// A tolerance, without zeros behind it.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 1e2)
}

fn members(is_ahead: bool) -> String {
    let ahead = match is_ahead {
        true => " at least, times the copies, because of readahead",
        false => ", times the copies",
    };
    format!(
        "the members of all volumes together move what the streams do{ahead}; a millionth is \
         allowed for the copies, which are kept in millionths"
    )
}

fn capacity(ceiling: &Ceiling, system: System) -> String {
    match ceiling {
        Ceiling::Slots => format!(
            "no more requests in flight over a pass than the depth allows; {} is allowed because \
             one clock reading serves a batch",
            percent(BATCH_TOLERANCE)
        ),
        Ceiling::WantedRate(_) => format!(
            "no more than the wanted rate; {} and {ARRIVAL_ERRORS} standard deviations of Poisson \
             arrivals are allowed",
            percent(WANTED_RATE_TOLERANCE)
        ),
        Ceiling::Rated(of) => rated(of, system),
    }
}

fn rated(Rated { limit, is_carried }: &Rated, system: System) -> String {
    let allowed = match is_carried {
        false => format!("{} is allowed for the sampling", percent(SAMPLING_TOLERANCE)),
        true => format!(
            "{} is allowed for the sampling of several devices, and credit",
            percent(RATING_EXCEEDED_RATIO - 1.0)
        ),
    };
    let (measure, origin) = (&limit.measure, &limit.origin);
    let per_second = PerSecond::of(&measure, system);
    let rate = match per_second.is_binary() {
        true => per_second.amount(limit.per_sec as f64),
        false => format!("{} a second", limit.per_sec),
    };
    format!("no more {measure} than the rated {rate} ({origin}); {allowed}")
}

/// By how much a law is broken: what the record has, and what the law allows.
pub(crate) fn excess(check: &LawCheck, system: System) -> String {
    let [value, most] =
        [check.value, check.threshold].map(|value| amount(&check.law, value, system));
    format!("{value} is more than {most}")
}

/// A law's number with its unit.
fn amount(law: &Law, value: f64, system: System) -> String {
    match law {
        Law::Layers => size(value.round() as u64, system),
        Law::Members { .. } if system == System::Binary => size(value.round() as u64, system),
        Law::Utilisation | Law::InFlight => time(value, system),
        Law::Little | Law::Bound => format!("{:.1} %", value * 100.0),
        Law::Rating(of) | Law::Capacity(Ceiling::Rated(of)) => {
            per_second(&of.limit.measure, value, system)
        }
        Law::Capacity(Ceiling::WantedRate(measure)) => per_second(measure, value, system),
        Law::Completions
        | Law::Shares
        | Law::Histograms
        | Law::Phases
        | Law::Total
        | Law::Members { .. }
        | Law::Instants
        | Law::Counters(_)
        | Law::Capacity(Ceiling::Slots) => format!("{value:.1}"),
    }
}

fn per_second(measure: &impl ToString, value: f64, system: System) -> String {
    let per_second = PerSecond::of(measure, system);
    if per_second.is_binary() { per_second.amount(value) } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use iopath_record::{Counter, Direction, Limit, Measure};

    use super::*;

    fn rated(measure: Measure, is_carried: bool) -> Rated {
        let limit = Limit {
            measure,
            direction: Direction::Both,
            per_sec: 1_048_576_000,
            origin: "data sheet".into(),
            tokens: None,
        };
        Rated { limit, is_carried }
    }

    #[test]
    fn laws_with_numbers_of_their_own() {
        for (law, expected) in [
            (
                Law::Rating(rated(Measure::Bytes, false)),
                "no more bytes than the rated 1048576000 a second (data sheet); 2 % is allowed for \
                 the sampling; this rating was not measured, so doubt it before the counters",
            ),
            (
                Law::Capacity(Ceiling::Rated(rated(Measure::Operations, true))),
                "no more operations than the rated 1048576000 a second (data sheet); 10 % is \
                 allowed for the sampling of several devices, and credit",
            ),
            (
                Law::Counters(Some(Counter::Merged)),
                "Merged fell: the counter wrapped or was reset, and its interval is not known",
            ),
            (
                Law::Members { is_ahead: true },
                "the members of all volumes together move what the streams do at least, times \
                 the copies, because of readahead; a millionth is allowed for the copies, which \
                 are kept in millionths",
            ),
            (
                Law::Members { is_ahead: false },
                "the members of all volumes together move what the streams do, times the copies; a \
                 millionth is allowed for the copies, which are kept in millionths",
            ),
        ] {
            assert_eq!(sentence(&law, System::Decimal), expected);
        }
    }

    #[test]
    fn a_rating_that_is_exceeded_has_the_units_that_were_asked_for() {
        let law = Law::Rating(rated(Measure::Bytes, false));
        let (value, threshold) = (2_097_152_000.0, 1_069_547_520.0);
        let entity = "sda".to_owned();
        let check = LawCheck { entity, law, value, threshold, holds: false };
        assert_eq!(excess(&check, System::Decimal), "2097152000.0 is more than 1069547520.0");
        assert_eq!(excess(&check, System::Binary), "1.953 GiB/s is more than 1020 MiB/s");
        let said = sentence(&check.law, System::Binary);
        assert!(
            said.starts_with("no more bytes than the rated 1000 MiB/s (data sheet);"),
            "{said}"
        );
    }
}
