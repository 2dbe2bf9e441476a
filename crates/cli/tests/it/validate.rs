//! `iopath validate`: rows of figures, of shipped studies and of one's own.

use serde_json::{Value, json};

use crate::program::Program;
use crate::terminal::Terminal;

const DRIVES: &str = r#"study "One server, four drives"
path {
    host "server" {
        root-port "slot" count=4 read=(rated)"4 GB/s" {
            nvme "drive" read=(assumed)"3 GB/s"
        }
    }
}
workload {
    streams "reader" over="server..drive" op="read" block="1 MiB" depth=16
}
vary {
    factor "drives" of="reader.over" "server.slot[0].drive" "server..drive"
}
published {
    given "one" throughput="3 GB/s" drives="server.slot[0].drive"
    identity "four" throughput="12 GB/s" drives="server..drive"
    check "as measured" throughput="11.5 GB/s" drives="server..drive"
    check "cached" throughput="10 GB/s" needs="the drives' own caches" drives="server..drive"
    check "beyond" throughput="13 GB/s" needs="a wonder" drives="server..drive"
    shape "the drives" bottleneck="server..drive" drives="server..drive"
    shape "four times" ratio="3.9 .. 4.1" drives="server..drive" {
        against drives="server.slot[0].drive"
    }
}
"#;

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("study.kdl", text);
    program
}

#[test]
fn ctrl_c_shows_what_was_judged_before_it() {
    let program = with(DRIVES);
    let mut terminal = Terminal::start(&program, "validate study.kdl --seeds 100000");
    terminal.wait_for(" left");
    terminal.press("\u{3}");
    let ended = terminal.wait_for("closed");
    assert!(ended.contains("interrupted: ") && ended.contains("simulations completed"));
    assert!(ended.contains("1 of 1 identities exact") && ended.contains("ended 130"), "{ended:?}");
}

#[test]
fn each_statement_is_a_row() {
    let value = with(DRIVES).json("validate study.kdl --without-simulation");
    let row = |figure: &str| -> Value {
        let rows = value["rows"].as_array().unwrap();
        rows.iter().find(|row| row["figure"] == figure).cloned().unwrap()
    };
    assert_eq!(
        row("four: throughput"),
        json!({
            "study": "One server, four drives",
            "experiment": "One server, four drives",
            "figure": "four: throughput",
            "status": "identity",
            "published": "12 GB/s",
            "analytic": 12e9,
            "simulated": null,
            "error_percent": 0.0,
            "note": "met",
        })
    );
    let error = row("as measured: throughput")["error_percent"].as_f64().unwrap();
    assert!((error - 100.0 * 0.5 / 11.5).abs() < 1e-9, "{error}");
    let cached = row("cached: throughput");
    assert_eq!((&cached["analytic"], &cached["error_percent"]), (&Value::Null, &Value::Null));
    let note = "needs simulation: the drives' own caches; the bound is 20.0 % above";
    assert_eq!(cached["note"], note);
    let beyond = row("beyond: throughput")["note"].to_string();
    assert!(beyond.contains("missed") && beyond.contains("7.7 % below"), "{beyond}");
    assert_eq!(row("the drives: bottleneck")["note"], "met");
    assert_eq!(row("four times: ratio")["analytic"], 4.0);
}

#[test]
fn the_table_ends_with_what_it_comes_to() {
    let text = with(DRIVES).line("validate study.kdl --without-simulation").done().stdout;
    for part in [
        "analytic: 1 of 1 identities exact, 1 of 2 checks within tolerance, 2 of 2 shapes hold",
        "at worst +4.35 % (as measured: throughput), null models: nearest given figure 73.91 % \
         (1), capacities alone 4.35 % (1), 1 need simulation",
        "of 2 parameters 1 are assumed and 0 inferred",
    ] {
        assert!(text.replace("\n    ", " ").contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn sensitivity_names_the_assumed_parameter_that_a_figure_follows() {
    let value = with(DRIVES).json("validate study.kdl --sensitivity");
    let moves = value["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 1, "{value:#}");
    assert_eq!(moves[0]["parameter"], "server.slot.drive.read");
    assert_eq!(
        (&moves[0]["lower_percent"], &moves[0]["higher_percent"]),
        (&json!(-20.0), &json!(20.0))
    );
}

#[test]
fn inferred_parameters_are_counted_and_moved() {
    let inferred = r#"("inferred from 'one' by a drive that is never idle")"3 GB/s""#;
    let text = DRIVES.replace(r#"(assumed)"3 GB/s""#, inferred);
    let program = with(&text.replace(r#"block="1 MiB""#, r#"block=(assumed)"1 MiB""#));
    let told = program.line("validate study.kdl --without-simulation").done().stdout;
    for part in ["of 3 parameters 1 are assumed and 1 inferred", "null models: nearest given"] {
        assert!(told.replace("\n    ", " ").contains(part), "no {part:?} in\n{told}");
    }
    let study = &program.json("validate study.kdl --without-simulation")["studies"][0];
    let origins = json!([study["origins"]["parameters"], study["origins"]["inferred"]]);
    assert_eq!((origins, &study["simulation"]), (json!([3, 1]), &json!(null)), "{study}");
    assert!(study["bounds"]["nearest_given"]["checks"].as_u64() > Some(0), "{study}");
    let value = program.json("validate study.kdl --sensitivity");
    let moves = value["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &moves[0]["parameter"]), (1, &json!("server.slot.drive.read")));
    let used = text.replace("given \"one\"", "check \"one\"");
    let refused = with(&used).line("validate study.kdl").ends(3).stderr;
    assert!(refused.contains("this is inferred from \"one\", which proves nothing"), "{refused}");
}

#[test]
fn field_studies_are_compared_by_ratings_and_calibrated() {
    let program = Program::in_memory();
    let told = program.line("validate --field").done().stdout;
    assert!(told.contains("by ratings alone bounds are ") && told.contains("right"), "{told}");
    let value = program.json("validate --field");
    assert_eq!(value["format"], "iopath-field/2");
    let rows = value["rows"].as_array().unwrap();
    let row = |figure: &str| rows.iter().find(|row| row["figure"] == figure).unwrap();
    let two = row("2 cores: operations");
    // The catalogue's processor time is from an earlier processor.
    let by_ratings = two["ratings"]["error_percent"].as_f64().unwrap();
    assert!((-50.0..-10.0).contains(&by_ratings), "{two}");
    assert!(two["calibrated"]["error_percent"].as_f64().unwrap().abs() < 1.0, "{two}");
    assert_eq!(row("4 cores: bottleneck")["calibrated"]["is_right"], true);
    let studies = value["studies"].as_array().unwrap();
    let drive = studies.iter().find(|one| one["study"].as_str().unwrap().contains("P4800X"));
    let origins = &drive.unwrap()["origins"];
    assert_eq!((&origins["parameters"], &origins["rated"]), (&json!(3), &json!(2)), "{origins}");
    program.line("validate --field --sensitivity").ends(3);
}

#[test]
fn sensitivity_moves_simulated_figures_where_that_is_asked_for() {
    let program = with(DRIVES);
    let left = program.line("validate study.kdl --sensitivity").done().stdout;
    assert!(left.contains("2 check figures need simulation and are not moved here"), "{left}");
    let value = program.json("validate study.kdl --sensitivity --simulated");
    let mut simulated = 0;
    for one in value["moves"].as_array().unwrap() {
        assert_eq!(one["parameter"], "server.slot.drive.read");
        let [lower, higher] = ["lower_percent", "higher_percent"].map(|key| one[key].as_f64());
        assert!((lower.unwrap() + 20.0).abs() < 1.0 && (higher.unwrap() - 20.0).abs() < 1.0);
        let is_cached =
            matches!(one["figure"].as_str().unwrap(), "cached: throughput" | "beyond: throughput");
        assert_eq!(one["technique"] == "simulation", is_cached, "{one}");
        simulated += usize::from(is_cached);
    }
    assert_eq!((value["moves"].as_array().unwrap().len(), simulated), (3, 2), "{value:#}");
    let text = program.line("validate study.kdl --sensitivity --simulated").done().stdout;
    assert!(text.contains("simulated moves below 2 % are left out"), "{text}");
    assert!(!text.contains("not moved here"), "{text}");
    program.line("validate study.kdl --simulated").ends(3);
}

#[test]
fn settings_hold_for_every_row() {
    let program = with(DRIVES);
    let line = ["validate", "study.kdl", "--json", "--set", "server.slot.drive.read=2 GB/s"];
    let value = program.run(line).done().json();
    assert_eq!(value["rows"][1]["analytic"], 8e9);
}

#[test]
fn what_no_bound_can_claim_the_simulation_decides() {
    let program = with(DRIVES);
    let value = program.json("validate study.kdl");
    let row = |figure: &str| -> Value {
        let rows = value["rows"].as_array().unwrap();
        rows.iter().find(|row| row["figure"] == figure).cloned().unwrap()
    };
    let number = |value: &Value| value.as_f64().unwrap();
    let close = |value: &Value, to: f64, by: f64| (number(value) - to).abs() <= by;
    let four = row("four: throughput");
    assert!(close(&four["simulated"], 12e9, 0.01 * 12e9), "{four}");
    assert_eq!((&four["error_percent"], &four["seeds"]), (&json!(0.0), &json!(1)), "the bound's");
    assert!(four["simulated_min"].is_null() && number(&four["simulated_error_percent"]) < 1.0);
    let cached = row("cached: throughput");
    assert!(cached["analytic"].is_null() && close(&cached["simulated"], 12e9, 0.01 * 12e9));
    assert!(close(&cached["error_percent"], 20.0, 1.2), "{cached}");
    assert_eq!(cached["simulated_error_percent"], cached["error_percent"]);
    let note = "missed; needs simulation: the drives' own caches";
    assert_eq!((&cached["note"], &cached["simulated_holds"]), (&json!(note), &json!(false)));
    let text = program.line("validate study.kdl").done().stdout;
    for part in [
        "simulated: 1 of 1 identities within 1 %, 1 of 3 checks",
        "at most 12.00 GB/s",
        "does not hold: beyond: throughput: the bound is 7.7 % below",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_statement_about_shares_is_held_against_many_seeds() {
    let program = with(&DRIVES.replace(
        "    check \"as measured\"",
        "    check \"fair\" jain=\"0.99 .. 1\" drives=\"server..drive\"\n    check \"as measured\"",
    ));
    let seeds = |line: &str| {
        let value = program.json(line);
        let rows = value["rows"].as_array().unwrap().clone();
        let of = |figure: &str| {
            let row = rows.iter().find(|row| row["figure"] == figure).unwrap();
            row["seeds"].as_u64().unwrap()
        };
        (of("one: throughput"), of("fair: jain"))
    };
    assert_eq!(seeds("validate study.kdl"), (1, 20));
    let told = program.line("validate study.kdl").done().stdout;
    assert!(told.contains("by seeds"), "{told}");
    assert_eq!(seeds("validate study.kdl --seeds 2"), (2, 2));
    let run = |threads: u32| {
        program.line(&format!("validate study.kdl --json --threads {threads}")).done().stdout
    };
    assert_eq!(run(1), run(2));
    program.line("validate study.kdl --seeds 0").ends(3).tells(&["--seeds"]);
}
