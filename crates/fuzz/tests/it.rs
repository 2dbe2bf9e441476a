//! A short hunt in every test run: the same seed, the same inputs, nothing may be found.

use std::process::Command;

fn hunt(target: &str, inputs: u32) {
    let output = Command::new(env!("CARGO_BIN_EXE_iopath-fuzz"))
        .args([target, "--inputs", &inputs.to_string(), "--seconds", "600", "--seed", "20261120"])
        .output()
        .expect("the fuzzer starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    let closing = text.lines().last().unwrap_or_default();
    assert!(closing.starts_with(&format!("{target}: {inputs} inputs, 0 findings")), "{text}");
    assert_eq!(closing.contains("generated texts accepted"), target == "import", "{text}");
    let counted =
        |line| str::strip_prefix(line, target)?.strip_prefix(": ")?.strip_suffix(" behaviours");
    let behaviours = text.lines().find_map(counted);
    let behaviours: u32 = behaviours.and_then(|count| count.parse().ok()).expect("a count");
    assert!(behaviours > 30, "the inputs reach too little: {text}");
}

#[test]
fn the_record_decoder_survives_two_thousand_inputs() {
    hunt("record", 2000);
}

#[test]
fn the_study_parser_survives_two_thousand_inputs() {
    hunt("study", 2000);
}

#[test]
fn the_readers_of_other_tools_survive_three_hundred_texts() {
    hunt("import", 300);
}

#[test]
fn the_simulation_survives_three_hundred_small_studies() {
    hunt("simulation", 300);
}
