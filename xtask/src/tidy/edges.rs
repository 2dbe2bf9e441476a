//! Which crate may import which: the table of the design, held against what cargo says.
//!
//! The table must be equal to the Cargo.toml files, so that it can be read as a description. A new
//! edge is the most expensive change of a design: it is written here in the same commit, and
//! reviewed.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use crate::workspace::{Package, Workspace, crate_folder, folder_name};

type Edges = BTreeMap<String, BTreeSet<String>>;

/// What each crate imports, in the order of the design.
pub(crate) const IMPORTS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("study", &["units"]),
    ("path", &["units", "study"]),
    ("workload", &["units", "study"]),
    ("record", &["units"]),
    // Models leave one kind of record, and may not import each other.
    ("entities", &["units", "study", "path", "record"]),
    ("analytic", &["units", "study", "path", "record", "entities"]),
    ("simulation", &["units", "study", "path", "workload", "record", "entities"]),
    ("machine", &[]),
    // The one way to an output file: knows only paths.
    ("outfile", &[]),
    // `machine` stays a reader of facts; what path they make up is concluded here.
    ("discovery", &["units", "study", "machine"]),
    // What carries measured devices is called, limited and related as in models' records.
    (
        "measurement",
        &["units", "study", "path", "workload", "ranks", "record", "entities", "machine"],
    ),
    // Runs the world of a simulation by the wall clock.
    ("live", &["units", "study", "path", "record", "simulation"]),
    // Which directories can be trusted is said in one place. What it brings up may be live.
    ("emulation", &["units", "study", "path", "live", "machine", "outfile"]),
    ("analysis", &["units", "study", "record"]),
    // What to build follows from what is needed and predicted; no technique is asked there.
    ("advice", &["units", "study", "record", "analysis"]),
    // What a case states as a volume manager's commands; nothing of it is run.
    ("layout", &["units", "study"]),
    // Builds are shown with what they are short of, layouts with their commands.
    ("report", &["units", "study", "path", "record", "analysis", "advice", "layout"]),
    // A store is an output file.
    ("store", &["record", "outfile"]),
    // Shows what is in a store as `report` composes it. What needs a technique is handed to it.
    ("server", &["units", "analysis", "report", "store"]),
    // What other tools print becomes a record, and says its units as quantities.
    ("import", &["units", "record"]),
    // Messages and clocks of a run's processes: knows nothing of what they say.
    ("ranks", &[]),
    // One carrier of such messages.
    ("mpi", &["ranks"]),
    (
        "cli",
        &[
            "units",
            "study",
            "path",
            "ranks",
            "mpi",
            "record",
            "analytic",
            "simulation",
            "live",
            "machine",
            "outfile",
            "discovery",
            "measurement",
            "emulation",
            "analysis",
            "advice",
            "layout",
            "report",
            "store",
            "server",
            "import",
        ],
    ),
    ("fuzz", &["units", "study", "path", "record", "simulation", "analysis", "import"]),
    ("xtask", &[]),
    // Trees of files for tests: knows nothing of who reads them.
    ("imitation", &[]),
];

/// What only a crate's tests import besides.
const TEST_IMPORTS: &[(&str, &[&str])] = &[
    // Commands that look at a machine are shown imitated ones.
    ("cli", &["imitation"]),
    // Stores to serve are filled with records.
    ("server", &["record"]),
    // What no test machine holds is read off imitated ones.
    ("machine", &["imitation"]),
    // What is concluded of them is held against the rules about paths.
    ("discovery", &["imitation", "path"]),
    // What a rig carries is held against the bounds of the same case.
    ("emulation", &["record", "analytic"]),
    // No simulation is above the bounds of its case, and its record keeps all laws.
    ("simulation", &["analytic", "analysis"]),
];

const THIS_FILE: &str = "xtask/src/tidy/edges.rs";

pub(crate) fn check(workspace: &Workspace) -> Vec<Problem> {
    let for_tests = |kind: Option<&str>| kind == Some("dev");
    let imports = found(&workspace.packages, &|kind| !for_tests(kind));
    let test_imports = found(&workspace.packages, &for_tests);
    let mut problems = compare(&table(IMPORTS), &imports, "IMPORTS");
    problems.extend(compare(&table(TEST_IMPORTS), &test_imports, "TEST_IMPORTS"));
    problems.extend(unknown_crates(&table(IMPORTS), &imports));
    problems
}

fn table(rows: &[(&str, &[&str])]) -> Edges {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    rows.iter().map(|(from, to)| ((*from).to_owned(), names(to))).collect()
}

fn found(packages: &[Package], wanted: &dyn Fn(Option<&str>) -> bool) -> Edges {
    let imports = |package: &Package| {
        let kinds = package.dependencies.iter().filter(|edge| wanted(edge.kind.as_deref()));
        kinds.filter_map(|edge| edge.path.as_deref()).map(|path| folder_name(Some(path))).collect()
    };
    packages.iter().map(|package| (package.folder(), imports(package))).collect()
}

fn compare(table: &Edges, found: &Edges, name: &str) -> Vec<Problem> {
    let none = BTreeSet::new();
    let crates: BTreeSet<&String> = table.keys().chain(found.keys()).collect();
    let mut problems = Vec::new();
    for from in crates {
        let allowed = table.get(from).unwrap_or(&none);
        let real = found.get(from).unwrap_or(&none);
        let manifest = format!("{}/Cargo.toml", crate_folder(from));
        for to in real.difference(allowed) {
            let advice = format!("{from} may not import {to}: pass the value through the program");
            problems.push(Problem::new(&manifest, 1, "import-edge", advice));
        }
        for to in allowed.difference(real) {
            let advice = format!("{from} does not import {to}: take it out of {name}");
            problems.push(Problem::new(THIS_FILE, 1, "import-edge", advice));
        }
    }
    problems
}

fn unknown_crates(table: &Edges, found: &Edges) -> Vec<Problem> {
    let unknown = found.keys().filter(|name| !table.contains_key(*name));
    let advice = |name: &String| format!("the crate {name} has no row in IMPORTS: give it one");
    unknown.map(|name| Problem::new(THIS_FILE, 1, "import-edge", advice(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[(&str, &[&str])] = &[("cli", &["store", "units"]), ("store", &["units"])];

    fn compare_to_table(real: &[(&str, &[&str])]) -> Vec<String> {
        let problems = compare(&table(TABLE), &table(real), "IMPORTS");
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn edges_equal_to_the_table_are_right() {
        assert_eq!(compare_to_table(TABLE), [""; 0]);
    }

    #[test]
    fn an_edge_that_the_table_does_not_have_is_refused() {
        let real: &[(&str, &[&str])] =
            &[("cli", &["store", "units"]), ("store", &["units", "cli"])];
        let expected = "crates/store/Cargo.toml:1: import-edge: \
                        store may not import cli: pass the value through the program";
        assert_eq!(compare_to_table(real), [expected]);
    }

    #[test]
    fn a_row_that_no_crate_needs_is_refused() {
        let expected = "xtask/src/tidy/edges.rs:1: import-edge: \
                        cli does not import units: take it out of IMPORTS";
        assert_eq!(compare_to_table(&[("cli", &["store"]), ("store", &["units"])]), [expected]);
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert_eq!(unknown_crates(&table(TABLE), &table(&[("server", &[])])).len(), 1);
        assert_eq!(unknown_crates(&table(TABLE), &table(TABLE)), []);
    }

    /// The three kinds of a `cargo metadata` edge: of the product, of its tests, of the registry.
    #[test]
    fn edges_are_read_by_kind_and_only_between_our_crates() {
        let json = r#"{"name": "iopath-store", "version": "0.1.0",
            "manifest_path": "/w/crates/store/Cargo.toml", "targets": [],
            "dependencies": [{"kind": null, "path": "/w/crates/units"},
                             {"kind": null, "path": null},
                             {"kind": "dev", "path": "/w/crates/record"}]}"#;
        let packages = [serde_json::from_str(json).expect("cargo's format")];
        let product = found(&packages, &|kind| kind.is_none());
        assert_eq!(product, table(&[("store", &["units"])]));
        assert_eq!(found(&packages, &|kind| kind == Some("dev")), table(&[("store", &["record"])]));
    }
}
