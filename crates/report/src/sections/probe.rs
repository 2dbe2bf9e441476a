//! Short experiments on sets of targets: which of these share a limit, what that stands on, and
//! advice.

use iopath_analysis::probe::{Group, Private, Verdict};
use iopath_units::System;

use crate::document::{Block, Document, Section};
use crate::numbers::rate;
use crate::view::probe::{PROBE_TITLE, Probed};
use crate::words::probe as words;

/// The verdict, what it stands on, and advice.
#[must_use]
pub fn document(probed: &Probed, system: System) -> Document {
    let Some(verdict) = &probed.verdict else {
        let text = "not decided: experiments are missing".to_owned();
        return Document::of_blocks(PROBE_TITLE.to_owned(), vec![Block::Text(text)]);
    };
    let answer = vec![Block::Verdict(words::sentence(probed, verdict))];
    let groups = verdict.groups.iter();
    let groups = groups.map(|group| Section {
        id: "group",
        title: words::head(probed, group, system),
        blocks: vec![Block::Lines(lines(probed, group, system))],
    });
    let advice = words::advice(probed, verdict, system);
    let advice = if advice.is_empty() { Vec::new() } else { vec![Block::Advice(advice)] };
    let doubt = "in doubt: the combined throughput is less than these groups explain; rates \
                 changed between experiments, or all targets share a weak limit. Try longer \
                 experiments (--time)";
    let doubt = (!verdict.is_consistent).then(|| Block::warning(String::new(), doubt));
    let last = [
        private(probed, verdict, system),
        Section::of("together", "", vec![Block::Text(together(probed, verdict, system))]),
        Section::of("advice", "advice", advice),
        Section::of("doubt", "", doubt.into_iter().collect()),
    ];
    let sections = Section::of("verdict", "verdict", answer).into_iter().chain(groups);
    let sections = sections.chain(last.into_iter().flatten()).collect();
    Document { title: PROBE_TITLE.to_owned(), sections, ..Document::default() }
}

/// What was measured of a group, and of those within.
fn lines(probed: &Probed, group: &Group, system: System) -> Vec<String> {
    let of = |bytes: f64| rate(bytes, system);
    let alone = group.members.iter().filter_map(|member| {
        let name = &probed.members[*member];
        Some(format!("{name} alone {}", of(probed.rate_of(*member, &[*member])?)))
    });
    let alone = alone.collect::<Vec<_>>().join(", ");
    let with_all = probed.with_all(&group.members).map(of);
    let with_all = with_all.map(|all| format!("; while all were read {all}")).unwrap_or_default();
    let together = of(group.bytes_per_sec);
    let mut lines = vec![format!("- {alone}, together {together}{with_all}  [shared-limit]")];
    let own = words::own_limit(probed, group);
    lines
        .extend(own.map(|cause| format!("- limited by this machine, not by the storage: {cause}")));
    lines.extend(words::whose(probed, group).map(|side| format!("- {side}")));
    for inner in &group.within {
        lines.push(format!("- within it: {}", words::head(probed, inner, system)));
        lines.extend(self::lines(probed, inner, system));
    }
    lines
}

fn private(probed: &Probed, verdict: &Verdict, system: System) -> Option<Section> {
    let of = |bytes: f64| rate(bytes, system);
    let line = |private: &Private| {
        let with_all = probed.with_all(&[private.member]).map(of).unwrap_or_default();
        let name = &probed.members[private.member];
        format!("- {name} alone {}, while all were read {with_all}", of(private.bytes_per_sec))
    };
    let lines = Block::lines(verdict.private.iter().map(line).collect());
    Section::of("private", "no limit shared", lines.into_iter().collect())
}

fn together(probed: &Probed, verdict: &Verdict, system: System) -> String {
    format!(
        "all {} together: {}; {} experiments. A limit that takes less than a tenth from everybody \
         is not seen",
        probed.members.len(),
        rate(verdict.together_bytes_per_sec, system),
        probed.experiments.len()
    )
}
