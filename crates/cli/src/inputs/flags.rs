//! One case made from options: they are checked all at once and written down as a study, so that
//! a run from options takes the same way as any other, and its record can be run again. Options
//! that fit a load by name are read in the same way.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;

use iopath_study::case::{Arrivals, BufferKind, CacheMode, EngineKind, Sharing, SyncMode};
use iopath_study::{Source, parse};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};
use strum::VariantNames;

use crate::arguments::CaseOptions;
use crate::exit_status::Problem;
use crate::inputs::studies;

pub(crate) mod in_study;
mod load;
mod metadata;
mod targets;
mod title;
mod vary;

pub(crate) use load::laid;
pub(crate) use vary::{Factor, Varies, has_sequential_pattern};

/// The options of one case that were given, by name.
pub(crate) fn given(options: &CaseOptions) -> Vec<&'static str> {
    let texts = texts(options).into_iter().filter_map(|(name, text)| text.map(|_| name));
    let target = (!options.target.is_empty()).then_some("--target");
    let verify = options.verify.then_some("--verify");
    target.into_iter().chain(texts).chain(verify).collect()
}

fn texts(options: &CaseOptions) -> Vec<(&'static str, Option<&str>)> {
    vec![
        ("--op", options.op.as_deref()),
        ("--metadata", options.metadata.as_deref()),
        ("--files", options.files.as_deref()),
        ("--directories", options.directories.as_deref()),
        ("--file-size", options.file_size.as_deref()),
        ("--pattern", options.pattern.as_deref()),
        ("--region", options.region.as_deref()),
        ("--block", options.block.as_deref()),
        ("--depth", options.depth.as_deref()),
        ("--streams", options.streams.as_deref()),
        ("--size", options.size.as_deref()),
        ("--time", options.time.as_deref()),
        ("--warm-up", options.warm_up.as_deref()),
        ("--passes", options.passes.as_deref()),
        ("--until-ci", options.until_ci.as_deref()),
        ("--cache", options.cache.as_deref()),
        ("--engine", options.engine.as_deref()),
        ("--buffers", options.buffers.as_deref()),
        ("--rate", options.rate.as_deref()),
        ("--arrivals", options.arrivals.as_deref()),
        ("--sync", options.sync.as_deref()),
        ("--seed", options.seed.as_deref()),
    ]
}

/// A rate as the options name it, of all streams together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rate {
    Operations(OperationRate),
    Bytes(ByteRate),
}

impl Rate {
    /// What `part` of `all` streams get, and the others: together exactly this rate.
    fn split(self, part: u32, all: u32) -> (Self, Self) {
        let share = |whole: u64| {
            let share = u128::from(whole) * u128::from(part) / u128::from(all);
            u64::try_from(share).unwrap_or(whole)
        };
        match self {
            Self::Operations(OperationRate(whole)) => {
                let first = share(whole);
                let rest = OperationRate(whole - first);
                (Self::Operations(OperationRate(first)), Self::Operations(rest))
            }
            Self::Bytes(ByteRate(whole)) => {
                let first = share(whole);
                (Self::Bytes(ByteRate(first)), Self::Bytes(ByteRate(whole - first)))
            }
        }
    }

    fn property(self) -> String {
        format!(" rate=\"{self}\"")
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operations(rate) => rate.fmt(f),
            Self::Bytes(rate) => rate.fmt(f),
        }
    }
}

/// The study that the options make; mistakes of them and of the assignments are told together.
pub(crate) fn study(options: &CaseOptions, sets: &[String]) -> Result<String, Problem> {
    varied(options, sets, &[])
}

/// The same with what is to be chosen as factors; what the options make of them is today's.
pub(crate) fn varied(
    options: &CaseOptions,
    sets: &[String],
    factors: &[Factor],
) -> Result<String, Problem> {
    let mut reading = Reading::of(options);
    if options.metadata.is_some() {
        let text = reading.metadata(options);
        return reading.end(sets).map(|()| text);
    }
    reading.without_files();
    let stream = reading.stream();
    let workload = reading.workload(options);
    let targets = reading.targets(options);
    let rate = reading.rate();
    let streams = reading.streams(targets.len(), &stream.properties, rate);
    reading.mistakes.extend(vary::undivided(&reading, targets.len(), factors));
    let stream = stream.without(factors);
    let title = quoted(&reading.title(&stream, rate, &targets, sets));
    reading.end(sets)?;
    let targets = targets::declared(&targets);
    let vary = vary::declared(factors);
    Ok(format!("study {title}\n\n{targets}workload{workload} {{\n{streams}}}\n{vary}"))
}

/// What the streams of a case do.
struct Stream {
    properties: String,
    /// None where it is a factor.
    block: Option<String>,
    /// None where it is a factor.
    depth: Option<u32>,
}

/// What holds of a workload where no option says it.
#[derive(Clone, Copy)]
struct Defaults {
    time: Option<&'static str>,
    warm_up: Option<&'static str>,
    passes: Option<u64>,
    seed: Option<u64>,
}

/// Of a case made from options.
const OWN: Defaults =
    Defaults { time: Some("10 s"), warm_up: Some("2 s"), passes: Some(3), seed: Some(1) };

/// What a stream has where no option says it.
#[derive(Clone, Copy)]
pub(crate) struct Usual {
    pub block: &'static str,
    pub depth: u32,
}

impl Usual {
    /// Of a pattern that goes from place to place in order, or of another.
    pub(crate) const fn of(is_sequential: bool) -> Self {
        match is_sequential {
            true => Self { block: "1 MiB", depth: 8 },
            false => Self { block: "4 KiB", depth: 32 },
        }
    }
}

/// The pattern of a case made from options where none is given.
const PATTERN: &str = "sequential";

/// Where a study says everything.
const NONE: Defaults = Defaults { time: None, warm_up: None, passes: None, seed: None };

/// A text as a KDL string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '\\' | '"' => quoted.extend(['\\', c]),
            // Ends of lines and what a terminal would obey.
            c if c.is_control() || "\u{2028}\u{2029}".contains(c) => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a pattern, by its name, goes from place to place in order.
fn is_sequential(pattern: &str) -> bool {
    ["sequential", "staggered", "random-start", "interleaved", "backwards", "strided"]
        .contains(&pattern)
}

/// What is wrong with a pattern and its properties, whatever else the options say.
fn wrong_with_pattern(properties: &str) -> Vec<String> {
    let text = format!(
        "study \"a pattern\"\nlayout {{ file \"target\" size=\"1 TiB\" }}\n\
         workload time=\"1 s\" {{ streams \"load\" over=\"target\" block=\"1 B\"{properties} }}\n"
    );
    let source = Source { name: "--pattern".to_owned(), text };
    let mistakes = parse(&source, &[]).err().map_or(Vec::new(), |mistakes| mistakes.list);
    let told = mistakes.into_iter().map(|mistake| match mistake.hint {
        Some(hint) => format!("--pattern: {}; {hint}", mistake.message),
        None => format!("--pattern: {}", mistake.message),
    });
    told.collect()
}

/// Options being understood, with the mistakes found so far.
struct Reading<'a> {
    given: BTreeMap<&'static str, Option<&'a str>>,
    mistakes: Vec<String>,
}

impl<'a> Reading<'a> {
    fn of(options: &'a CaseOptions) -> Self {
        Self { given: texts(options).into_iter().collect(), mistakes: Vec::new() }
    }

    /// Tells all mistakes, those of the assignments too.
    fn end(mut self, sets: &[String]) -> Result<(), Problem> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        self.mistakes.extend(studies::wrong(sets));
        Err(Problem::mistake(self.mistakes.join("\n")))
    }

    fn text(&self, option: &str) -> Option<&'a str> {
        self.given.get(option).copied().flatten()
    }

    /// A quantity, or its default; a wrong one is noted.
    fn quantity<T: FromStr<Err = impl ToString> + ToString>(
        &mut self,
        option: &'static str,
        default: Option<&'static str>,
    ) -> Option<String> {
        let text = self.text(option).or(default)?;
        match text.parse::<T>() {
            Ok(value) => Some(value.to_string()),
            Err(error) => {
                self.mistakes.push(format!("{option}: {}", error.to_string()));
                None
            }
        }
    }

    /// A number above 0, or its default.
    fn count(&mut self, option: &'static str, default: u32) -> u32 {
        match self.text(option).map(|text| (text, text.parse())) {
            None => default,
            Some((_, Ok(count @ 1..))) => count,
            Some((text, _)) => {
                self.mistakes.push(format!("{option}: \"{text}\" is not a count above 0"));
                default
            }
        }
    }

    /// Any whole number that the language takes as a seed.
    fn seed(&mut self) -> u64 {
        let Some(text) = self.text("--seed") else { return 1 };
        text.parse().unwrap_or_else(|_| {
            self.mistakes.push(format!("--seed: \"{text}\" is not a whole number from 0"));
            1
        })
    }

    /// One word of a list.
    fn word(&mut self, option: &'static str, words: &[&'static str]) -> Option<&'a str> {
        let text = self.text(option)?;
        if !words.contains(&text) {
            let words = words.join(", ");
            self.mistakes.push(format!("{option}: \"{text}\" is none of {words}"));
        }
        Some(text)
    }

    /// What the streams do, each of them.
    fn stream(&mut self) -> Stream {
        let mut properties = self.op();
        let (pattern, is_sequential) = self.pattern();
        properties.push_str(&pattern);
        let usual = Usual::of(is_sequential);
        let block = self.quantity::<Bytes>("--block", Some(usual.block)).unwrap_or_default();
        let depth = self.count("--depth", usual.depth);
        let _ = write!(properties, " block={block:?} depth={depth}");
        if let Some(region) = self.word("--region", Sharing::VARIANTS) {
            let _ = write!(properties, " region={region:?}");
        }
        properties.push_str(&self.arrivals());
        properties.push_str(&self.sync());
        Stream { properties, block: Some(block), depth: Some(depth) }
    }

    /// The times of an open loop.
    fn arrivals(&mut self) -> String {
        let Some(arrivals) = self.word("--arrivals", Arrivals::VARIANTS) else {
            return String::new();
        };
        if self.text("--rate").is_none() {
            self.mistakes.push("--arrivals: needs --rate, which makes an open loop".to_owned());
        }
        format!(" arrivals={arrivals:?}")
    }

    /// `fdatasync=8` becomes `sync="fdatasync" sync-every=8`.
    fn sync(&mut self) -> String {
        let Some(text) = self.text("--sync") else { return String::new() };
        let (word, every) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
        let takes_count = matches!(word, "fsync" | "fdatasync");
        let every = every.map(str::parse::<u32>);
        match (word, every) {
            (word, None) if SyncMode::VARIANTS.contains(&word) => format!(" sync={word:?}"),
            (_, Some(Ok(every @ 1..))) if takes_count => {
                format!(" sync={word:?} sync-every={every}")
            }
            (_, Some(_)) if takes_count => {
                self.mistakes
                    .push(format!("--sync: \"{text}\" needs a number of writes from 1 to 65536"));
                String::new()
            }
            _ => {
                let words = "none, dsync, sync, fsync, fsync=N, fdatasync, fdatasync=N or end";
                self.mistakes.push(format!("--sync: \"{text}\" is not a mode; use {words}"));
                String::new()
            }
        }
    }

    fn op(&mut self) -> String {
        let text = self.text("--op").unwrap_or("read");
        match (text, text.strip_prefix("mix=")) {
            ("read" | "write" | "trim", _) => format!(" op={text:?}"),
            (_, Some(percent)) => {
                let percent = percent.trim_end_matches('%').trim();
                match format!("{percent} %").parse::<Ratio>() {
                    Ok(reads) if reads <= Ratio::ONE => format!(" op=\"mix\" reads=\"{reads}\""),
                    _ => {
                        self.mistakes.push(format!("--op: \"{text}\" needs 0 to 100 percent"));
                        String::new()
                    }
                }
            }
            _ => {
                let random = match text.strip_prefix("rand") {
                    Some("read") => "; write --op read --pattern random",
                    Some("write") => "; write --op write --pattern random",
                    Some("rw") => "; write --op mix=50 --pattern random",
                    _ => "",
                };
                let wrong =
                    format!("--op: \"{text}\" is none of read, write, mix=70, trim{random}");
                self.mistakes.push(wrong);
                String::new()
            }
        }
    }

    /// `strided,stride=1MiB` becomes `pattern="strided" stride="1MiB"`.
    fn pattern(&mut self) -> (String, bool) {
        let text = self.text("--pattern").unwrap_or(PATTERN);
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let mut properties = format!(" pattern={}", quoted(name));
        for part in parts {
            match part.split_once('=') {
                Some((key, value)) if key.chars().all(|c| c.is_ascii_lowercase() || c == '-') => {
                    let bare = value.parse::<f64>().is_ok();
                    let value = if bare { value.to_owned() } else { quoted(value) };
                    let _ = write!(properties, " {key}={value}");
                }
                _ => self.mistakes.push(format!("--pattern: \"{part}\" is not property=value")),
            }
        }
        self.mistakes.extend(wrong_with_pattern(&properties));
        (properties, is_sequential(name))
    }

    fn rate(&mut self) -> Option<Rate> {
        let text = self.text("--rate")?;
        let operations = text.parse().map(Rate::Operations);
        let found = operations.or_else(|_| text.parse().map(Rate::Bytes)).ok();
        if found.is_none() {
            let text = format!("--rate: \"{text}\" is no rate such as \"20000/s\" or \"100MB/s\"");
            self.mistakes.push(text);
        }
        found
    }

    fn workload(&mut self, options: &CaseOptions) -> String {
        let properties = self.properties(options, OWN);
        properties.iter().map(|(name, value)| format!(" {name}={value}")).collect()
    }

    /// What the options say of the workload: its properties with values as a study has them.
    fn properties(
        &mut self,
        options: &CaseOptions,
        defaults: Defaults,
    ) -> Vec<(&'static str, String)> {
        let defaults = match options.op.as_deref() {
            // A range holds something once only.
            Some("trim") => Defaults { seed: defaults.seed, ..NONE },
            _ => defaults,
        };
        let time = self.quantity::<Nanos>("--time", defaults.time);
        let warm_up = self.quantity::<Nanos>("--warm-up", defaults.warm_up);
        let until_ci = self.quantity::<Ratio>("--until-ci", None);
        let engine = self.word("--engine", EngineKind::VARIANTS);
        let cache = self.word("--cache", CacheMode::VARIANTS);
        let mapped = (engine == Some("mmap")).then_some("buffered");
        let buffers = self.word("--buffers", BufferKind::VARIANTS);
        let passes = self.text("--passes").map(|_| self.count("--passes", 1));
        let seed = self.text("--seed").map(|_| self.seed());
        let number = |number: u64| number.to_string();
        let properties = [
            ("time", time.as_deref().map(quoted)),
            ("warm-up", warm_up.as_deref().map(quoted)),
            ("until-ci", until_ci.as_deref().map(quoted)),
            ("engine", engine.map(quoted)),
            ("cache", cache.or(mapped).map(quoted)),
            ("buffers", buffers.map(quoted)),
            ("passes", passes.map(u64::from).or(defaults.passes).map(number)),
            ("seed", seed.or(defaults.seed).map(number)),
            ("verify", options.verify.then(|| "#true".to_owned())),
        ];
        properties.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Streams dealt over the targets: where the number does not divide, the first get one more.
    fn streams(&mut self, targets: usize, properties: &str, rate: Option<Rate>) -> String {
        let count = u32::try_from(targets).unwrap_or(u32::MAX).max(1);
        let total = self.count("--streams", count);
        if total < count {
            let text = format!("--streams: {total} streams for {count} targets; each needs one");
            self.mistakes.push(text);
            return String::new();
        }
        let names: Vec<String> = match targets {
            1 => vec!["target".to_owned()],
            _ => (0..targets).map(|index| format!("target{index}")).collect(),
        };
        let (each, more) = (total / count, (total % count) as usize);
        let group = |name: &str, over: &[String], (count, rate): (u32, Option<Rate>)| {
            let over = over.join(", ");
            let rate = rate.map(Rate::property).unwrap_or_default();
            format!("    streams {name:?} over={over:?} count={count}{properties}{rate}\n")
        };
        if more == 0 {
            return group("load", &names, (each, rate));
        }
        // A rate is of all streams of a declaration, so the two of them share it.
        let in_more = (each + 1) * (total % count);
        let parts = rate.map(|rate| rate.split(in_more, total));
        let (first, rest) = (parts.map(|(first, _)| first), parts.map(|(_, rest)| rest));
        group("more", &names[..more], (each + 1, first))
            + &group("load", &names[more..], (each, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_rate_add_up_to_it() {
        let third = Rate::Operations(OperationRate(100_001)).split(2, 3);
        let parts = (OperationRate(66_667), OperationRate(33_334));
        assert_eq!(third, (Rate::Operations(parts.0), Rate::Operations(parts.1)));
        let bytes = Rate::Bytes(ByteRate(u64::MAX)).split(4, 5);
        let Rate::Bytes(ByteRate(most)) = bytes.0 else { panic!("{bytes:?}") };
        assert_eq!(bytes.1, Rate::Bytes(ByteRate(u64::MAX - most)));
    }
}
