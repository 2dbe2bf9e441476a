//! Little address space, as on a machine of 512 MiB with strict overcommit
//! (`vm.overcommit_memory=2`) or under `ulimit -v`, and a `/proc` that is hidden.

use crate::loopback::is_root;
use crate::program::{Output, Program};

/// 512 MiB.
const ADDRESS_SPACE: &str = "--as=536870912";

const STUDY: &str = "study \"Small\"
path {
    host \"server\" cpus=2 {
        hba { disk \"d\" size=\"1 GiB\" read=\"200 MB/s\" write=\"100 MB/s\" }
    }
}
workload time=\"100 ms\" warm-up=\"0 s\" { streams \"r\" over=\"server.hba.d\" block=\"64 KiB\" }
vary { factor \"depth\" of=\"r.depth\" 1 2 4 8 }
";

fn confined(program: &Program, line: &str) -> Output {
    let mut words = vec!["prlimit", ADDRESS_SPACE, env!("CARGO_BIN_EXE_iopath")];
    words.extend(line.split_whitespace());
    program.run_command(&mut program.command_of(&words))
}

#[test]
fn every_command_works_in_512_mib_of_address_space() {
    let program = Program::in_memory();
    program.write("study.kdl", STUDY);
    for line in [
        "check study.kdl",
        "plan study.kdl",
        "predict study.kdl",
        "simulate study.kdl --no-progress",
        "measure --target . --size 8MiB --time 50ms --warm-up 0s --no-progress",
        "list",
        "show last",
        "explain last",
        "compare last last",
        "report last",
        "export last run.json",
        "import run.json",
        "discover",
        "discover --tree",
        "watch --time 300ms --interval 100ms",
        "completions bash",
    ] {
        let output = confined(&program, line).done();
        assert!(!output.stderr.contains("memory"), "{line}: {}", output.stderr);
    }
}

#[test]
fn the_largest_studies_are_refused_or_read_in_512_mib() {
    let program = Program::in_memory();
    let words = format!("study \"x\"\nlayout {{ file {} }}\n", "a ".repeat(2_000_000));
    program.write("words.kdl", words);
    let output = confined(&program, "check words.kdl").ends(3);
    output.tells(&["words.kdl:2:", "more than 500000 words"]);
    program.write("lines.kdl", format!("study \"x\"\n{}", "a )\n".repeat(120_000)));
    confined(&program, "check lines.kdl").ends(3).tells(&["not KDL 2"]);
}

#[test]
fn without_proc_a_file_is_read_and_the_path_is_not_known() {
    if !is_root() {
        return;
    }
    let program = Program::in_memory();
    let file = program.file("data", 1 << 20);
    let program_file = env!("CARGO_BIN_EXE_iopath");
    let line = format!(
        "mount -t tmpfs none /proc && exec {program_file} measure --target {} --time 50ms \
         --no-progress",
        file.display()
    );
    let words = ["unshare", "-m", "--propagation", "private", "sh", "-c", &line];
    let output = program.run_command(&mut program.command_of(&words)).done();
    output.tells(&["measured without a path", "/proc/self/mountinfo does not exist"]);
}
