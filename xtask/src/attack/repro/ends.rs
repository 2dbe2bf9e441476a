//! Ends: panics, hangs, and work without a bound.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Case;
use crate::attack::bench::{Bench, SHORT, await_that, finish, has_open, kill};
use crate::limits::rig::Rig;

pub(super) const ALL: &[Case] = &[
    Case { name: "report of a run without a finished pass", try_it: unfinished },
    Case { name: "20,000 streams", try_it: many_streams },
    Case { name: "20,000 targets, interrupted", try_it: many_targets },
    Case { name: "import of an endless file", try_it: endless_import },
    Case { name: "a study of 500,000 words", try_it: long_study },
    Case { name: "one SIGTERM, and a device that never answers", try_it: never_answers },
];

fn unfinished(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let words = "measure --target . --size 8MiB --block 64KiB --time 60s --no-progress --no-report";
    let child = bench.command(words).spawn()?;
    let is_listed =
        || bench.run("list --json").is_ok_and(|ended| ended.stdout.contains("\"running\""));
    let begin = Instant::now();
    while !is_listed() && begin.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(50));
    }
    kill(child.id(), "KILL");
    let _ = finish(child)?;
    for words in ["report last", "show last", "explain last", "compare 1 1", "export last", "list"]
    {
        let ended = bench.run(words)?;
        ended.with(&[0, 3])?;
        ensure!(!ended.stderr.contains("panicked"), "{words}: {}", ended.stderr);
    }
    Ok(())
}

fn many_streams(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    bench.study(
        "many.kdl",
        r#"study "many"
layout { file "data" size="1 GiB" }
workload time="1 s" { streams "w" over="data" op="read" pattern="random" block="4 KiB" count=20000 }
"#,
    )?;
    // A machine with large limits runs it.
    bench.run("measure many.kdl --no-progress --no-report --no-path")?.with(&[0, 4])
}

fn many_targets(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let text = r#"study "many"
layout { file "f" count=20000 size="4 KiB" }
workload time="1 s" { streams "w" over="f" op="read" block="4 KiB" }
"#;
    bench.study("files.kdl", text)?;
    let child = bench.command("measure files.kdl --no-progress --no-report --no-path").spawn()?;
    sleep(Duration::from_secs(5));
    kill(child.id(), "INT");
    let begin = Instant::now();
    finish(child)?.with(&[0, 4, 130])?;
    ensure!(begin.elapsed() < Duration::from_secs(20), "it went on after the signal");
    Ok(())
}

fn endless_import(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    for script in ["$B import /dev/zero", "$B import /dev/urandom", "yes | $B import -"] {
        let script = script.replace("$B", "time -f 'peak %M KiB' $B");
        let ended = finish(bench.shell(&script).spawn()?)?;
        ended.with(&[3, 4])?;
        let peak =
            ended.stderr.lines().find_map(|line| line.strip_prefix("peak ")?.strip_suffix(" KiB"));
        let peak: u64 = peak.context("no peak")?.parse()?;
        ensure!(peak < 512 << 10, "{script}: it took {peak} KiB of memory");
    }
    Ok(())
}

fn long_study(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    bench.study("words.kdl", &"a ".repeat(500_000))?;
    finish(bench.shell("ulimit -v 1000000; exec $B check words.kdl").spawn()?)?.with(&[3, 4])
}

/// An export of a daemon that is stopped for longer than the program waits.
fn never_answers(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let options = ["--blockdev", "null-co,node-name=stuck,size=67108864,read-zeroes=on"];
    let files = rig.daemon(&options.map(str::to_owned), &["stuck".to_owned()])?;
    let daemon = rig.daemon_id().context("no daemon")?;
    let target = files[0].display();
    let words = format!("measure --target {target} --op read --time 100s --no-report {SHORT}");
    let words = words.replacen("--time 100ms ", "", 1);
    let child = bench.command(&words).spawn()?;
    let id = child.id();
    await_that("it reads", || has_open(id, &files[0]))?;
    sleep(Duration::from_secs(1));
    kill(daemon, "STOP");
    sleep(Duration::from_millis(200));
    kill(id, "TERM");
    // What the daemon has read cannot be cancelled: until it answers, the kernel keeps the process.
    sleep(Duration::from_secs(32));
    kill(daemon, "CONT");
    let ended = finish(child)?;
    ended.with(&[130])?;
    ensure!(ended.stderr.contains("still not ended"), "it did not give up: {}", ended.stderr);
    Ok(())
}
