//! `iopath plan`: what would be measured; reads facts, touches no target. What is no study file is
//! printed as one, so that it can be saved and changed.

use iopath_machine::{Root, counters::memory};
use iopath_report::plan_json;
use iopath_study::case::{CacheMode, EngineKind, Tree};
use iopath_study::{Case, Plan};
use iopath_units::{Human, Nanos, System};

use crate::arguments;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::{self, Choice};
use crate::output;

pub(crate) fn run(arguments: &arguments::Plan) -> Result<ExitStatus, Problem> {
    let chosen = chosen::choose(&arguments.study, &arguments.case)?;
    let plan = &chosen.planned.plan;
    let system = if arguments.binary { System::Binary } else { System::Decimal };
    let memory = memory::read(&Root::live()).ok().map(|memory| memory.total_bytes);
    if arguments.json {
        output::print_json(&plan_json(plan, memory))?;
        return Ok(ExitStatus::Done);
    }
    let name = match (&chosen.choice, &arguments.study.study) {
        (Choice::File, Some(path)) => path.display().to_string(),
        (Choice::Load(name), _) => name.clone(),
        (Choice::File | Choice::Options | Choice::Quick, _) => chosen.planned.study.title.clone(),
    };
    let cases = as_text(&name, plan, memory, system);
    match chosen.choice {
        Choice::File => output::print(&cases)?,
        Choice::Load(_) | Choice::Options | Choice::Quick => {
            output::print(&format!("{}\n{}", as_comment(&cases), chosen.text()))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// Lines as a study has them that mean nothing to it.
fn as_comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect()
}

fn as_text(name: &str, plan: &Plan, memory: Option<u64>, system: System) -> String {
    let trials = output::count(plan.trials.len(), "trial");
    let mut text = format!("{name}: {trials}, {}\n", time(plan));
    for trial in &plan.trials {
        let case = &trial.case;
        let levels: Vec<_> = case
            .levels
            .iter()
            .map(|chosen| format!("{}={}", chosen.factor, chosen.level))
            .collect();
        let takes = case
            .estimated_time()
            .map_or_else(|| "until its work is done".to_owned(), |time| time.human(system));
        let name = [&[case.experiment.clone()][..], &levels].concat().join(" ");
        let streams = output::count(case.streams.len(), "stream");
        let targets = output::count(case.targets.len(), "target");
        let passes = output::count(case.workload.passes as usize, "pass");
        text.push_str(&format!(
            "\n{:>4}  {name}\n      {streams} over {targets}, {passes}, {takes}\n",
            trial.index
        ));
        let trees = case.targets.iter().filter_map(|target| target.tree);
        trees.for_each(|tree| text.push_str(&format!("      {}\n", files(tree, system))));
        if case.targets.iter().any(|target| target.tree.is_none()) {
            text.push_str(&format!("      working set: {}\n", working_set(case, memory, system)));
        }
    }
    text
}

fn time(plan: &Plan) -> String {
    let estimate = plan.estimated_time();
    let known = Nanos(estimate.known.0).human(System::Decimal);
    let all = plan.trials.len();
    match estimate.unknown {
        unknown if unknown == all => {
            "bounded only by its work, so its run time is unknown".to_owned()
        }
        0 => format!("at least {known}"),
        unknown => {
            let bounded = output::count(unknown, "trial");
            format!("at least {known}, and {bounded} bounded only by its work")
        }
    }
}

fn files(tree: Tree, system: System) -> String {
    let Tree { files, directories, file_size } = tree;
    let directories = usize::try_from(directories).unwrap_or(usize::MAX);
    let (each, directories) = (file_size.human(system), output::count(directories, "directory"));
    format!("files: {files} of {each} in {directories}")
}

/// The working set against the memory that could cache it.
fn working_set(case: &Case, memory: Option<u64>, system: System) -> String {
    let Some(set) = case.working_set() else {
        return "the full size of the targets".to_owned();
    };
    let set_text = set.human(system);
    let uncached =
        case.workload.cache == CacheMode::Direct && case.workload.engine != EngineKind::Mmap;
    if uncached {
        return format!("{set_text}; direct I/O bypasses the page cache");
    }
    match memory {
        Some(memory) if set.0 < 2 * memory => format!(
            "{set_text}, less than twice the memory of {}: the page cache will serve part of it",
            iopath_units::Bytes(memory).human(system)
        ),
        Some(_) => format!("{set_text}, more than twice the memory"),
        None => set_text,
    }
}
