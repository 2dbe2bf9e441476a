//! What was asked for on the command line.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};

use crate::target::Target;

const USAGE: &str = "usage: iopath-fuzz study|record|import|simulation [--seconds 60] [--inputs N] \
                     [--seed N] [--input FILE]";

/// What to feed, for how long, and from which seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub target: Target,
    pub duration: Duration,
    /// The most inputs to feed; as many as the time allows where nothing is said.
    pub inputs: u64,
    /// Root of all mutations; taken from the clock where none is given, and always printed.
    pub seed: u64,
    /// Feed this file once, instead of anything else.
    pub input: Option<PathBuf>,
}

impl Order {
    pub(crate) fn parse(words: &[String]) -> Result<Self> {
        let Some((name, options)) = words.split_first() else { bail!(USAGE) };
        let Some(target) = Target::named(name) else { bail!("no target \"{name}\"; {USAGE}") };
        let (duration, inputs) = (Duration::from_secs(60), u64::MAX);
        let mut order = Self { target, duration, inputs, seed: from_clock(), input: None };
        for option in options.chunks(2) {
            let [name, value] = option else { bail!("{} needs a value; {USAGE}", option[0]) };
            let number = || value.parse::<u64>().with_context(|| format!("{name} {value}"));
            match name.as_str() {
                "--seconds" => order.duration = Duration::from_secs(number()?),
                "--inputs" => order.inputs = number()?,
                "--seed" => order.seed = number()?,
                "--input" => order.input = Some(value.into()),
                _ => bail!("no option {name}; {USAGE}"),
            }
        }
        Ok(order)
    }

    /// The command line that means the same, with the seed that was chosen.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![self.target.name().to_owned()];
        words.extend(["--seconds".to_owned(), self.duration.as_secs().to_string()]);
        words.extend(["--inputs".to_owned(), self.inputs.to_string()]);
        words.extend(["--seed".to_owned(), self.seed.to_string()]);
        if let Some(input) = &self.input {
            words.extend(["--input".to_owned(), input.to_string_lossy().into_owned()]);
        }
        words
    }
}

fn from_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ since.as_secs() << 20
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Order> {
        Order::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn an_order_means_the_same_when_it_is_passed_on() {
        let order = parse("record --seed 7 --seconds 3 --inputs 9 --input a").unwrap();
        assert_eq!((order.target, order.seed, order.inputs), (Target::Record, 7, 9));
        assert_eq!(order.duration, Duration::from_secs(3));
        assert_eq!(Order::parse(&order.words()).unwrap(), order);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in ["", "letter", "record --seed", "record --seed x", "record --mood 1"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
