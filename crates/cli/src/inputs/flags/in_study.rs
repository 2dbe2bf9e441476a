//! Options of a case next to a study, which states all of it.

use crate::exit_status::Problem;
use crate::loads::OF_WORKLOAD;

/// Refuses options that were given, with where the study has them.
pub(crate) fn refused(given: &[&str]) -> Problem {
    let of_workload = given.iter().filter(|option| OF_WORKLOAD.contains(option));
    let sets = of_workload.map(|option| format!(" workload.{}=…", option.trim_start_matches('-')));
    let sets: String = sets.collect();
    let given = given.join(", ");
    Problem::mistake(format!("the study sets this itself: leave out {given}, or use --set{sets}"))
}
