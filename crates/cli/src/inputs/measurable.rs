//! Whether a study can be measured: one that describes a path for models only names things that
//! no machine has, or asks for what only a model can choose.

use std::collections::BTreeSet;

use iopath_measurement::target::laid;
use iopath_path::Unlaid;
use iopath_study::case::{Stream, Target};
use iopath_study::source::Span;
use iopath_study::{Case, Mistakes, unindexed};

use crate::exit_status::Problem;
use crate::inputs::studies::Planned;

/// What to do about any of it.
const PREDICT: &str = "`iopath predict` accepts the study unchanged";

/// All reasons at once, each with its place.
pub(crate) fn check(planned: &Planned) -> Result<(), Problem> {
    let mut found: BTreeSet<(Span, String, String)> = BTreeSet::new();
    for case in planned.plan.trials.iter().map(|trial| &trial.case) {
        found.extend(case.targets.iter().filter_map(|target| unbound(case, target)));
        found.extend(case.streams.iter().filter_map(only_modelled));
        found.extend(unpaired(case));
    }
    if found.is_empty() {
        return Ok(());
    }
    let told = found.iter().map(|(span, text, hint)| planned.study.remark(*span, text, Some(hint)));
    Err(Problem::mistake(Mistakes { list: told.collect() }))
}

/// The first part that a target lies on, or the target itself, with nothing real behind it. A file
/// that lies on nothing is a scratch file.
fn unbound(case: &Case, target: &Target) -> Option<(Span, String, String)> {
    let unlaid = laid(case, target).err()?;
    let above = case.system.declared(target.part);
    let part = match unlaid {
        Unlaid::Unreal(part) | Unlaid::Sizeless(part) => part,
        Unlaid::Geometry(_) => target.part,
    };
    let declared = case.system.declared(part);
    let is = match unlaid {
        Unlaid::Unreal(_) => "is not bound to a real device or file".to_owned(),
        Unlaid::Sizeless(_) => "has no size, so it cannot be placed in its file system".to_owned(),
        Unlaid::Geometry(error) => error.to_string(),
    };
    let what = format!("{} {}", declared.kind, declared.name);
    let message = match part == target.part {
        true => format!("{what} {is}, so it cannot be measured"),
        false => format!(
            "{what} {is}, so {} {}, which is stored on it, cannot be measured",
            above.kind, above.name
        ),
    };
    let selector = unindexed(&case.system.part(part).name);
    let hint = format!("write bind from=\"{selector}\" to=\"/dev/…\"; {PREDICT}");
    Some((declared.span, message, hint))
}

/// Streams that cannot follow whom they shall follow.
fn unpaired(case: &Case) -> impl Iterator<Item = (Span, String, String)> {
    let place = |stream: usize| case.streams[stream].place.0;
    let all = iopath_measurement::unpaired(case).into_iter();
    all.map(move |(stream, why)| (place(stream), why, PREDICT.to_owned()))
}

/// What a stream asks for that no measurement can choose.
fn only_modelled(stream: &Stream) -> Option<(Span, String, String)> {
    let message = format!("{} has via=, which measurements do not support", stream.group);
    let hint = format!("leave it out; {PREDICT}");
    (!stream.modelled.via.is_empty()).then_some((stream.place.0, message, hint))
}
