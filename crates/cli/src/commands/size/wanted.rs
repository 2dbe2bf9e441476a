//! What is needed: as it is typed, with the load of a stored run (`run=12`, `run=2x12@5ms`) in
//! figures; else what the streams ask for.

use iopath_advice::Needs;
use iopath_analysis::demand::Demand;
use iopath_report::RecordedNeed;
use iopath_study::Case;
use iopath_study::case::{Pacing, Rate};

use crate::arguments::{Size, StoreOption};
use crate::exit_status::Problem;
use crate::results::place;

/// `--need`, and the run that a part of it is of.
pub(super) struct Wanted {
    /// None where it is what the streams ask for.
    needs: Option<Needs>,
    pub recorded: Option<RecordedNeed>,
}

impl Wanted {
    pub(super) fn of(arguments: &Size) -> Result<Self, Problem> {
        let Some(text) = &arguments.need else { return Ok(Self { needs: None, recorded: None }) };
        let mut recorded = None;
        let mut parts = Vec::new();
        for part in text.split(',') {
            match part.trim().strip_prefix("run=") {
                Some(_) if recorded.is_some() => {
                    return Err(Problem::mistake("--need: \"run\" is given twice"));
                }
                Some(run) => {
                    let run = Run::parse(run).map_err(|why| wrong(&why))?;
                    let found = run.recorded(&arguments.store)?;
                    parts.push(run.need(&found));
                    recorded = Some(found);
                }
                None => parts.push(part.to_owned()),
            }
        }
        let needs = parts.join(",").parse().map_err(|why: String| wrong(&why))?;
        Ok(Self { needs: Some(needs), recorded })
    }

    /// Of a case where nothing was said.
    pub(super) fn needs(&self, sample: Option<&Case>) -> Result<Needs, Problem> {
        self.needs.or_else(|| sample.and_then(asked)).ok_or_else(|| {
            let text = "say what is needed: --need read=18GB/s, --need iops=150k@30ms, or give \
                        every stream a rate=";
            Problem::mistake(text)
        })
    }

    /// What makes the streams of a case those of the run: its mix and mean size. Nothing where
    /// there are several declarations, as a run does not say which of its requests are whose.
    pub(super) fn sets(&mut self, sample: Option<&Case>) -> Vec<String> {
        let (Some(recorded), Some(case)) = (&mut self.recorded, sample) else { return Vec::new() };
        let Some(first) = case.streams.first() else { return Vec::new() };
        if case.streams.iter().any(|stream| stream.group != first.group) {
            return Vec::new();
        }
        recorded.streams = Some(first.group.to_string());
        let name = &first.group;
        let mut sets = vec![format!("{name}.block={}B", recorded.block())];
        if let Some(reads) = recorded.demand.reads {
            sets.push(format!("{name}.op=mix"));
            sets.push(format!("{name}.reads={:.2}%", 100.0 * reads));
        }
        sets
    }
}

fn wrong(why: &str) -> Problem {
    Problem::mistake(format!("--need: {why}"))
}

/// A run as a need names it.
struct Run<'a> {
    times: f64,
    name: &'a str,
    within: Option<&'a str>,
}

impl<'a> Run<'a> {
    /// `12`, `2x12`, `1.5x12@5ms`.
    fn parse(text: &'a str) -> Result<Self, String> {
        let (run, within) = match text.split_once('@') {
            Some((run, within)) => (run, Some(within)),
            None => (text, None),
        };
        let Some((times, name)) = run.split_once('x') else {
            return Ok(Self { times: 1.0, name: run, within });
        };
        let number = times.trim().parse().ok().filter(|times: &f64| times.is_finite());
        let times = number.filter(|times| *times > 0.0).ok_or_else(|| {
            format!("\"{text}\" is no run such as 12, or 2x12 for twice its load")
        })?;
        Ok(Self { times, name: name.trim(), within })
    }

    fn recorded(&self, store: &StoreOption) -> Result<RecordedNeed, Problem> {
        let store = place::existing_store(store)?;
        let id = store.resolve(self.name).map_err(Problem::mistake)?;
        let records = store.records(id).map_err(Problem::unexpected)?;
        let demand = Demand::of(&records).ok_or_else(|| {
            let why = "it has no requests and bytes that could be needed; see iopath show";
            Problem::mistake(format!("--need run={}: {why} {id}", self.name))
        })?;
        Ok(RecordedNeed { run: id.0, times: self.times, demand, streams: None })
    }

    /// The same as figures.
    fn need(&self, recorded: &RecordedNeed) -> String {
        let within = self.within.map_or(String::new(), |limit| format!("@{limit}"));
        let (requests, bytes) = (
            self.times * recorded.demand.operations_per_sec,
            (self.times * recorded.demand.bytes_per_sec).ceil(),
        );
        format!("iops={requests:.3}/s{within},throughput={bytes}B/s")
    }
}

/// What the streams ask for, where every one has a rate: bytes where all state these.
fn asked(case: &Case) -> Option<Needs> {
    let mut bytes = Some(0.0);
    for stream in &case.streams {
        let Pacing::Open { rate, streams, .. } = stream.pacing else { return None };
        bytes = match rate {
            Rate::Bytes(rate) => bytes.map(|sum| sum + rate.0 as f64 / f64::from(streams)),
            Rate::Operations(_) => None,
        };
    }
    let requests: Option<f64> = case.stated_rates().into_values().sum();
    Needs::of_rates(requests.filter(|_| bytes.is_none()), bytes)
}
