//! Which targets share a limit, in words, and what to do about it.

use iopath_analysis::probe::{Group, Verdict};
use iopath_units::System;

use super::evidence::cause;
use crate::document::AdviceText;
use crate::numbers::rate;
use crate::view::probe::{Probed, Whose};

/// Which targets share a limit.
pub(crate) fn sentence(probed: &Probed, verdict: &Verdict) -> String {
    if verdict.groups.is_empty() {
        let all: Vec<usize> = (0..probed.members.len()).collect();
        return format!(
            "{} share no limit: together each is as fast as alone",
            names(probed, &all)
        );
    }
    let each = verdict.groups.iter().map(|group| {
        let names = names(probed, &group.members);
        match own_limit(probed, group) {
            None => format!("{names} share a limit"),
            Some(cause) => format!("{names} are limited together by this machine: {cause}"),
        }
    });
    let mut said: Vec<String> = each.collect();
    let single: Vec<usize> = verdict.private.iter().map(|private| private.member).collect();
    match single.len() {
        0 => {}
        1 => said.push(format!("{} shares none", names(probed, &single))),
        _ => said.push(format!("{} share none", names(probed, &single))),
    }
    said.join("; ")
}

/// What a group carries, together and without its limit.
pub(crate) fn head(probed: &Probed, group: &Group, system: System) -> String {
    format!(
        "{}: {} together, {} without the limit",
        names(probed, &group.members),
        rate(group.bytes_per_sec, system),
        rate(group.apart_bytes_per_sec, system)
    )
}

/// What of this machine held a group back, and not the storage.
pub(crate) fn own_limit(probed: &Probed, group: &Group) -> Option<String> {
    probed.own_limit(&group.members).map(cause)
}

/// Where the limit lies, where several hosts read.
pub(crate) fn whose(probed: &Probed, group: &Group) -> Option<String> {
    let said = match probed.whose(&group.members)? {
        Whose::Host { node } => format!(
            "the limit is {node}'s own, its adapter or link: other hosts read these targets \
             without it, and more hosts get more"
        ),
        Whose::BeyondHosts => {
            "several hosts share it: the limit is the fabric or the storage, and more hosts get no \
             more"
                .to_owned()
        }
    };
    Some(said)
}

/// What to do with what was found.
pub(crate) fn advice(probed: &Probed, verdict: &Verdict, system: System) -> Vec<AdviceText> {
    let groups = verdict.groups.iter();
    let of_storage = groups.filter(|group| probed.own_limit(&group.members).is_none());
    of_storage.map(|group| spread(probed, group, system)).collect()
}

fn spread(probed: &Probed, group: &Group, system: System) -> AdviceText {
    let names = names(probed, &group.members);
    let [together, apart] =
        [group.bytes_per_sec, group.apart_bytes_per_sec].map(|bytes| rate(bytes, system));
    AdviceText {
        undo_by_hand: None,
        rule: "shared-limit",
        what: format!(
            "put data that is read together on targets that do not share this limit: {names} \
             carry {together} together, however many of them are read"
        ),
        commands: Vec::new(),
        persistent: None,
        gain: format!("without the shared limit they carry {apart}"),
        risk: "none if only new data is placed elsewhere; the shared limit \
               may be an adapter, a link, a controller or a quota"
            .to_owned(),
        restart: "depends on the data moved".to_owned(),
        undo: Vec::new(),
    }
}

fn names(probed: &Probed, members: &[usize]) -> String {
    let names: Vec<&str> = members.iter().map(|member| probed.members[*member].as_str()).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} and {last}", before.join(", "))
        }
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use iopath_analysis::limit::{Cause, Limiting};
    use iopath_analysis::probe::Experiment;

    use super::*;

    #[test]
    fn a_limit_of_this_machine_is_named_by_its_cause_and_gives_no_advice() {
        let members = vec![0, 1];
        let group = Group {
            members: members.clone(),
            bytes_per_sec: 1e8,
            apart_bytes_per_sec: 2e8,
            within: Vec::new(),
        };
        let verdict = Verdict {
            groups: vec![group],
            private: Vec::new(),
            together_bytes_per_sec: 1e8,
            is_consistent: true,
        };
        let both =
            Experiment { members: members.into_iter().collect(), bytes_per_sec: vec![5e7, 5e7] };
        let entity = Some("cpu".to_owned());
        let limit = Limiting { cause: Cause::Cpu, entity, capacity: None, evidence: Vec::new() };
        let probed = Probed {
            run: "7".to_owned(),
            members: vec!["sda".to_owned(), "sdb".to_owned()],
            experiments: vec![both],
            limits: vec![limit],
            has_hosts: false,
            verdict: None,
        };
        let expected = "sda and sdb are limited together by this machine: cpu";
        assert_eq!(sentence(&probed, &verdict), expected);
        assert_eq!(advice(&probed, &verdict, System::Decimal), []);
    }
}
