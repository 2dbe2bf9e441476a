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
        let parts = text.split(',').map(|part| match part.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (part, None),
        });
        let (runs, others): (Vec<_>, Vec<_>) = parts.partition(|(name, _)| *name == "run");
        let run = match runs[..] {
            [] => None,
            [(_, run)] => Some(Run::parse(run.unwrap_or("")).map_err(|why| wrong(&why))?),
            _ => return Err(wrong("\"run\" is given twice")),
        };
        let stated = others.iter().find(|(name, _)| ["iops", "throughput"].contains(name));
        if let Some((name, _)) = stated.filter(|_| run.is_some()) {
            let why = format!("a run states requests and bytes a second: leave out {name}=");
            return Err(wrong(&why));
        }
        let recorded = run.as_ref().map(|run| run.recorded(&arguments.store)).transpose()?;
        let of_run = run.iter().zip(&recorded).map(|(run, recorded)| run.need(recorded));
        let as_typed = others.iter().map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => (*name).to_owned(),
        });
        let needs = of_run.chain(as_typed).collect::<Vec<_>>().join(",").parse();
        let needs = needs.map_err(|why: String| wrong(&why))?;
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

    /// What makes the streams of a case those of the run: its mix and mean size, as far as neither
    /// the user nor a factor states it. Nothing where there are several declarations, as a run does
    /// not say which of its requests are whose.
    pub(super) fn sets(
        &self,
        sample: Option<&Case>,
        is_stated: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let (Some(recorded), Some(case)) = (&self.recorded, sample) else { return Vec::new() };
        let mut groups: Vec<_> = case.streams.iter().map(|stream| &stream.group).collect();
        groups.dedup();
        let [name] = groups[..] else { return Vec::new() };
        let path = |property: &str| format!("{name}.{property}");
        let is_free =
            |properties: &[&str]| properties.iter().all(|property| !is_stated(&path(property)));
        let block = is_free(&["block"]).then(|| format!("{}={}B", path("block"), recorded.block()));
        let reads = recorded.demand.load.reads.filter(|_| is_free(&["op", "reads"]));
        let mix = reads.map(|reads| {
            [format!("{}=mix", path("op")), format!("{}={:.2}%", path("reads"), 100.0 * reads)]
        });
        block.into_iter().chain(mix.into_iter().flatten()).collect()
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
    /// `12`, `2x12`, `1.5xlast@5ms`.
    fn parse(text: &'a str) -> Result<Self, String> {
        let (run, within) = match text.split_once('@') {
            Some((run, within)) => (run, Some(within)),
            None => (text, None),
        };
        let (times, name) = run.split_once('x').unwrap_or(("1", run));
        let number = times.trim().parse().ok().filter(|times: &f64| times.is_finite());
        let name = name.trim();
        let times = number.filter(|times| *times > 0.0 && !name.is_empty()).ok_or_else(|| {
            format!("\"{text}\" is no run such as 12, or 2x12 for twice its load")
        })?;
        Ok(Self { times, name, within })
    }

    fn recorded(&self, store: &StoreOption) -> Result<RecordedNeed, Problem> {
        let store = place::existing_store(store)?;
        let id = store.resolve(self.name).map_err(place::problem)?;
        let records = store.records(id).map_err(Problem::unexpected)?;
        let demand = Demand::of(&records)
            .map_err(|why| wrong(&format!("run {id} cannot be sized for: {why}")))?;
        Ok(RecordedNeed { run: id.0, times: self.times, demand, set: Vec::new() })
    }

    /// The same as figures.
    fn need(&self, recorded: &RecordedNeed) -> String {
        let within = self.within.map_or(String::new(), |limit| format!("@{limit}"));
        let load = &recorded.demand.load;
        let requests = self.times * load.operations_per_sec;
        let bytes = (self.times * load.bytes_per_sec).ceil();
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
