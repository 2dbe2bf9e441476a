//! /proc/self/task: every thread of this process, io_uring's kernel workers among them.
//!
//! Since Linux 5.12 the workers that serve what io_uring cannot finish at once are threads of the
//! submitting process, named `iou-wrk-PID` and `iou-sqp-PID` (kernel io_uring/io-wq.c, sqpoll.c).
//! Their time is the application's cost and must be told apart from its own threads' time. Workers
//! that end take their line with them; their time stays in the process totals (`getrusage`), so the
//! difference to the tasks' sum is theirs or that of ended threads.

use crate::counters::process::StatFields;
use crate::error::ReadError;
use crate::line::Line;
use crate::root::Root;

/// Whose work a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    /// A thread the program started.
    Own,
    /// A kernel worker that executes io_uring requests (`iou-wrk-*`).
    RingWorker,
    /// A kernel thread that polls a submission queue (`iou-sqp-*`).
    RingPoller,
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The thread's number.
    pub id: u32,
    /// Whose work it does.
    pub kind: TaskKind,
    /// Time in user mode, in ticks of usually 10 ms.
    pub user_ns: u64,
    /// Time in kernel mode, in ticks of usually 10 ms.
    pub system_ns: u64,
    /// Time on a processor, exact; `None` when the kernel keeps no schedstat.
    pub run_ns: Option<u64>,
    /// Time runnable, but waiting for a processor; `None` likewise.
    pub wait_ns: Option<u64>,
}

/// Reads all threads of this process; one that ends meanwhile is left out.
pub fn read(root: &Root) -> Result<Vec<Task>, ReadError> {
    let mut tasks = Vec::new();
    for name in root.list("/proc/self/task")? {
        let Ok(id) = name.parse() else { continue };
        match read_task(root, id) {
            Ok(task) => tasks.push(task),
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(tasks)
}

fn read_task(root: &Root, id: u32) -> Result<Task, ReadError> {
    let file = format!("/proc/self/task/{id}/stat");
    let text = root.read(&file)?;
    let line = Line { root, file: &file, number: 1, text: text.trim_end() };
    let fields = StatFields::cut(&line)?;
    let (run_ns, wait_ns) = schedule(root, id)?.unzip();
    Ok(Task {
        id,
        kind: kind_of(fields.name),
        user_ns: fields.ticks("utime", 14)?,
        system_ns: fields.ticks("stime", 15)?,
        run_ns,
        wait_ns,
    })
}

/// Time on a processor, and time that it waited for one (Documentation/scheduler/sched-stats.rst).
fn schedule(root: &Root, id: u32) -> Result<Option<(u64, u64)>, ReadError> {
    let file = format!("/proc/self/task/{id}/schedstat");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let line = Line { root, file: &file, number: 1, text: text.trim_end() };
    let mut items = line.text.split_ascii_whitespace();
    let run_ns = line.parse("time on cpu", items.next())?;
    Ok(Some((run_ns, line.parse("time waiting", items.next())?)))
}

fn kind_of(name: &str) -> TaskKind {
    if name.starts_with("iou-wrk-") {
        TaskKind::RingWorker
    } else if name.starts_with("iou-sqp-") {
        TaskKind::RingPoller
    } else {
        TaskKind::Own
    }
}
