//! What the program says of itself: help, completions, manual pages, the look of results.

use crate::program::Program;

#[test]
fn help_is_as_reviewed() {
    let program = Program::in_memory();
    let mut text = String::new();
    for line in ["--help", "measure --help", "plan -h", "list -h", "export -h"] {
        let help = program.line(line).done();
        assert_eq!(help.stderr, "", "{line}");
        text.push_str(&format!("$ iopath {line}\n{}\n", help.stdout));
    }
    insta::assert_snapshot!("help", text);
    let version = program.line("--version").done().stdout;
    assert_eq!(version, format!("iopath {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_commands_and_options() {
    let program = Program::in_memory();
    for shell in ["bash", "elvish", "fish", "zsh"] {
        let script = program.line(&format!("completions {shell}")).done().stdout;
        for word in ["measure", "compare", "until-ci", "allow-destroy"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    program.line("completions basic").ends(3).tells(&["bash, elvish, fish, zsh"]);
}

#[test]
fn manual_pages_are_one_a_command() {
    let program = Program::in_memory();
    program.line("manual man").done();
    let pages = std::fs::read_dir(program.path("man")).unwrap();
    let mut names: Vec<_> = pages.map(|page| page.unwrap().file_name()).collect();
    names.sort();
    assert!(names.contains(&"iopath.1".into()) && names.contains(&"iopath-measure.1".into()));
}

#[test]
fn results_look_as_reviewed() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let line = "measure --target data --engine null --time 1100ms --warm-up 0s --passes 1";
    let output = program.line(line).done();
    // Which warnings there are depends on what else the machine does.
    let text = output.stdout.split("\nwarnings\n").next().unwrap();
    insta::assert_snapshot!("result", program.shape(&format!("{text}\n{}", output.stderr)));
    let list = program.line("list").done().stdout;
    insta::assert_snapshot!("list", program.shape(&list));
}
