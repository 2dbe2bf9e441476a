//! The figures that are compared, and which way is good. One that neither run has makes no row.

use iopath_units::Action;

use crate::findings::{ActionFindings, Findings};

/// A figure of a trial; none where it has no such.
type Figure = dyn Fn(&Findings) -> Option<f64>;

/// A figure that is compared.
pub(super) struct Measure {
    pub name: String,
    pub is_better_high: bool,
    /// Whether it is a rate, of which a simulation knows its own interval.
    pub is_rate: bool,
    /// How far a value may lie from the true one, as a share of it.
    pub error: f64,
    pub of: Box<Figure>,
}

/// Half a bucket of the histogram, which has 64 an octave.
const BUCKET: f64 = 1.0 / 128.0;

/// All of them; the first that a trial has stands for it.
pub(super) fn all() -> Vec<Measure> {
    let mut all = vec![
        rate("throughput_bytes_per_sec", throughput),
        rate("operations_per_sec", |found| Some(found.headline.operations_per_sec)),
        latency("latency_ns_mean", 0.0, |found| found.latency_ns_mean),
        latency("latency_ns_p99", BUCKET, |found| found.latency_ns_p99.map(|ns| ns as f64)),
        rate("commits_per_sec", |found| found.flush.as_ref()?.commits_per_sec),
        latency("commit_latency_ns_p99", BUCKET, |found| {
            found.flush.as_ref()?.commit_latency_ns?.p99.map(|ns| ns as f64)
        }),
    ];
    for action in Action::OTHERS {
        all.push(rate(&format!("{action}_operations_per_sec"), move |found| {
            Some(one_of_several(found, action)?.operations_per_sec)
        }));
        all.push(latency(&format!("{action}_latency_ns_p99"), BUCKET, move |found| {
            one_of_several(found, action)?.latency_ns.p99.map(|ns| ns as f64)
        }));
    }
    all
}

/// None of a trial in which nothing moved data.
fn throughput(found: &Findings) -> Option<f64> {
    let has_moved = found.bytes > 0 || found.actions.is_empty();
    has_moved.then_some(found.headline.throughput_bytes_per_sec)
}

/// What an action came to where others did something else; alone it is the trial itself.
fn one_of_several(found: &Findings, action: Action) -> Option<&ActionFindings> {
    let mut all = found.actions.iter();
    all.find(|one| one.action == action && one.requests < found.requests)
}

fn rate(name: &str, of: impl Fn(&Findings) -> Option<f64> + 'static) -> Measure {
    let (name, of) = (name.to_owned(), Box::new(of));
    Measure { name, is_better_high: true, is_rate: true, error: 0.0, of }
}

fn latency(name: &str, error: f64, of: impl Fn(&Findings) -> Option<f64> + 'static) -> Measure {
    let (name, of) = (name.to_owned(), Box::new(of));
    Measure { name, is_better_high: false, is_rate: false, error, of }
}
