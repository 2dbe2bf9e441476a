//! Reading behind writing, from a study to its verdict.

use crate::program::Program;
use crate::shape;

/// Two files, each with a writer and a reader behind it.
const PAIRS: &str = r#"study "pairs"
layout { file "f" count=2 size="1 MiB" }
workload amount="8 MiB" passes=1 cache="buffered" {
    streams "writer" over="f" op="write" block="64 KiB"
    streams "reader" over="f" op="read" block="64 KiB" behind="writer" lag="follow"
}
vary { factor "lag" of="reader.lag" "one record" "follow" }
"#;

#[test]
fn both_ways_of_following_are_measured() {
    let program = Program::in_memory();
    program.write("study.kdl", PAIRS);
    let run = program.json("measure study.kdl");
    let trials = run["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2);
    for trial in trials {
        let findings = &trial["findings"];
        assert_eq!(shape::broken(findings), Vec::<String>::new());
        let moved = |op: &str| findings[op]["bytes"].as_u64().unwrap_or(0);
        assert!(moved("read") <= moved("write"), "{findings:#}");
        if trial["case"]["levels"]["lag"] == "one record" {
            let lag = &findings["lags"][0];
            assert!(lag.is_null() || lag["lag_bytes_max"].as_u64().unwrap() <= 65_536);
            // Two pairs, each apart by a record at most.
            assert!(moved("write") - moved("read") <= 2 * 65_536, "{findings:#}");
        }
    }
}

#[test]
fn who_cannot_follow_is_a_mistake_with_its_place() {
    let program = Program::in_memory();
    for (change, words) in [
        (("op=\"read\"", "op=\"write\""), "must only read and writer[0] only write"),
        (("behind", "pattern=\"random\" behind"), "must run with the pattern sequential"),
        (("over=\"f\" op=\"write\"", "over=\"f[0]\" op=\"write\""), "no stream of writer has the"),
    ] {
        program.write("study.kdl", PAIRS.replace(change.0, change.1));
        let told = program.line("measure study.kdl").ends(3);
        told.tells(&["study.kdl:5:", words]);
    }
}
