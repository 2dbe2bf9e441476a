//! The policy of several paths, as a file that multipathd reads besides its own.
//!
//! Law: files in /etc/multipath/conf.d come after multipath.conf, `overrides` holds for all devices
//! (multipath.conf(5)). `owner` is a group of paths for each priority of ALUA, `fixed` one path at
//! a time.
//! Leaves out: maps and their names, which multipathd makes by itself.

use iopath_study::system::Policy;

use crate::build::{Need, Step};
use crate::draft::Draft;

const SOURCE: &str = "multipath.conf(5)";
const FILE: &str = "/etc/multipath/conf.d/iopath-layout.conf";
const MARK: &str = "# by iopath layout";

pub(crate) fn build(draft: &mut Draft<'_>) {
    draft.programs.insert("multipathd");
    let multipath = draft.system().multipath;
    if !multipath.stated {
        let hint = "state multipath with its policy= in the path";
        return draft.refuse_study("the study states no multipath", hint);
    }
    let policy: &str = multipath.policy.into();
    let settings = settings(draft).into_iter();
    let settings = settings.map(|(key, value)| format!("'    {key} {value}'"));
    let lines: Vec<String> = settings.collect();
    let commands = vec![
        "mkdir -p /etc/multipath/conf.d".to_owned(),
        format!("printf '%s\\n' '{MARK}' 'overrides {{' \\"),
        format!("    {} '}}' > {FILE}", lines.join(" ")),
        "multipathd reconfigure".to_owned(),
    ];
    let mut step = Step {
        makes: format!("the policy {policy} of all devices with several paths, in {FILE}"),
        needs: vec![Need::absent(FILE)],
        commands,
        undo: vec![
            format!("if grep -qx '{MARK}' {FILE} 2> /dev/null; then"),
            format!("    rm {FILE}"),
            "    removed".to_owned(),
            "    multipathd reconfigure".to_owned(),
            "fi".to_owned(),
        ],
        source: SOURCE,
        ..Step::default()
    };
    if let Some(most) = multipath.most {
        step.remark(format!("multipathd uses all paths, not {most} at most"), SOURCE);
    }
    if multipath.policy == Policy::Owner && multipath.standby_used {
        step.remark("standby=\"used\": all paths are one group, so the owner has no share", SOURCE);
    }
    step.remark("overrides hold for every array of this machine, whatever its maker", SOURCE);
    draft.step(step);
}

fn settings(draft: &Draft<'_>) -> Vec<(&'static str, String)> {
    let multipath = draft.system().multipath;
    let selector = match multipath.policy {
        Policy::RoundRobin | Policy::Owner | Policy::Fixed => "round-robin 0",
        Policy::QueueLength => "queue-length 0",
        Policy::ServiceTime => "service-time 0",
    };
    let grouping = match multipath.policy {
        Policy::Fixed => "failover",
        Policy::Owner if !multipath.standby_used => "group_by_prio",
        Policy::RoundRobin | Policy::QueueLength | Policy::ServiceTime | Policy::Owner => {
            "multibus"
        }
    };
    let mut all = vec![
        ("path_selector", format!("\"{selector}\"")),
        ("path_grouping_policy", format!("\"{grouping}\"")),
    ];
    if grouping == "group_by_prio" {
        all.push(("prio", "\"alua\"".to_owned()));
    }
    if selector == "round-robin 0" {
        // Each route in turn: one request each.
        all.push(("rr_min_io_rq", "1".to_owned()));
    }
    if let Some(failure) = draft.failures().first() {
        let seconds = |ns: u64| ns.div_ceil(1_000_000_000).max(1).to_string();
        all.push(("fast_io_fail_tmo", seconds(failure.failover.0)));
        all.push(("failback", seconds(failure.failback.0)));
    }
    all
}
