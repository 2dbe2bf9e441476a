//! Bills of real templates equal the sums over the instances of their cases.

use iopath_advice::{Bill, Choice, Measure};
use iopath_study::{Asked, Source, Study, parse_asked};

const TEMPLATE: &str = r#"
study "which array"
parts {
    ssd "fast" use="ssd-sas-12g" price=900 watts=9 rack-units=0.1
    ssd "slow" use="ssd-sata" price=400.5 watts=3
}
path {
    host "server" price=5000 rack-units=2 {
        hba count=1 price=1200 watts=12 { port count=2 use="fc-16g" price=10 }
    }
    array "box" count=1 price=20000 rack-units=4 {
        controller count=2 { ssd "drive" count=4 use="fast" }
    }
    switch "san"
    wire from="server.hba.port" to="san"
    wire from="box" to="san"
}
workload { streams "app" over="box..drive" block="4 KiB" }
vary {
    factor "adapters" of="server.hba.count" "1 .. 4"
    factor "boxes" of="box.count" 1 2 4
    factor "drive" of="box.controller.drive.use" "fast" "slow"
    factor "drives" of="box.controller.drive.count" "1 .. 12"
}
"#;

fn study() -> Study {
    let source = Source { name: "template.kdl".into(), text: TEMPLATE.into() };
    let asked = Asked { is_template: true, ..Asked::default() };
    parse_asked(&source, &[], asked).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn counts_that_rise_are_more_of_the_same() {
    let study = study();
    let choices: Vec<_> = study.experiments[0].factors.iter().map(Choice::of).collect();
    let levels: Vec<usize> = choices.iter().map(|choice| choice.levels).collect();
    let is_more: Vec<bool> = choices.iter().map(|choice| choice.is_more).collect();
    assert_eq!(levels, [4, 3, 2, 12]);
    assert_eq!(is_more, [true, true, false, true]);
}

#[test]
fn bills_are_sums_over_instances() {
    let study = study();
    let experiment = &study.experiments[0];
    let choices: Vec<_> = experiment.factors.iter().map(Choice::of).collect();
    let inventory = |build: &[usize]| experiment.inventory(build);
    let measures =
        [(Measure::Price, "price"), (Measure::RackUnits, "rack-units"), (Measure::Watts, "watts")];
    for (measure, property) in measures {
        let bill = Bill::of(&choices, measure, &inventory);
        assert!(!bill.is_nothing());
        for build in [[0, 0, 0, 0], [3, 2, 1, 11], [1, 1, 1, 3], [2, 1, 0, 5]] {
            let case = study.case_at(experiment, &build).unwrap();
            let ids = case.system.ids();
            let ratios = ids.filter_map(|id| case.system.ratio(id, property));
            let sum: f64 = ratios.map(|ratio| ratio.0 as f64 / 1e6).sum();
            assert!((bill.total(&build) - sum).abs() < 1e-6, "{property} {build:?}: {sum}");
        }
    }
}
