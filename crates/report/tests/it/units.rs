//! Every document in decimal and in binary units: each has prefixes of its own system only.

use iopath_record::Record;
use iopath_report::document::{Block, Document};
use iopath_report::{Color, Detail, Look, PredictedCase, compose, text};
use iopath_units::System;

use crate::load::Load;
use crate::path::Path;
use crate::{compared, depths, view};

const BINARY: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
const DECIMAL: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

/// Runs that between them have every section: streams, mixes, sweeps, load sweeps, warnings, broken
/// laws, memory.
fn runs() -> Vec<Vec<Record>> {
    let step = |(trial, rate): (u32, u64)| {
        let load = Load { trial, requests_per_sec: rate, is_open: true, ..Load::new() };
        let mut record = load.record();
        record.case.levels.insert("load".to_owned(), rate.to_string());
        record
    };
    let mut unfair = Load { streams: 8, ..Load::new() }.record();
    for stream in &mut unfair.streams[..6] {
        stream.phases[1].read_bytes /= 10;
    }
    let small = Load { block: 4096, requests_per_sec: 20_000, streams: 16, ..Load::new() };
    vec![
        Load { write_percent: 30, is_open: true, ..Load::new() }.passes(3),
        small.passes(1),
        vec![unfair],
        depths::trials(0.4),
        [(0, 1000), (1, 2000), (2, 4000)].map(step).to_vec(),
        Load { cache: "buffered (direct refused)", device_share: 0.0, ..Load::new() }.passes(1),
        Load { device_share: 0.5, ..Load::new() }.passes(1),
        vec![Path::new("profile", 1332).record],
    ]
}

fn documents(system: System) -> Vec<Document> {
    let runs = runs();
    let views: Vec<_> = runs.iter().map(|records| view(records)).collect();
    let makers = [compose::summary, compose::whole, compose::explanation];
    let of_runs = views.iter().flat_map(|run| makers.map(|make| make(run, system)));
    let case = || PredictedCase::of(&Path::new("profile", 1332).record, None);
    let others = [
        compose::several(&views, system),
        compared(&runs[0], &runs[1], system),
        compose::prediction(&[case(), case()], Detail::Brief, system),
        compose::prediction(&[case(), case()], Detail::Full, system),
    ];
    of_runs.chain(others).collect()
}

/// Units of the axes of all figures.
fn axes(document: &Document) -> Vec<String> {
    fn of(block: &Block) -> Vec<String> {
        match block {
            Block::Figure(one) => vec![one.chart.x.unit.clone(), one.chart.y.unit.clone()],
            Block::Fold(_, blocks) => blocks.iter().flat_map(of).collect(),
            Block::Cases(cases) => {
                cases.iter().flat_map(|case| &case.blocks).flat_map(of).collect()
            }
            _ => Vec::new(),
        }
    }
    let parts = document.parts.iter().flat_map(|part| &part.sections);
    let blocks = document.sections.iter().chain(parts).flat_map(|section| &section.blocks);
    blocks.flat_map(of).collect()
}

#[test]
fn no_document_has_a_prefix_of_the_other_system() {
    for (system, own, other) in
        [(System::Decimal, DECIMAL, BINARY), (System::Binary, BINARY, DECIMAL)]
    {
        let look = Look { width: Look::UNLIMITED, system, color: Color::Never };
        let mut has_own = 0;
        for document in documents(system) {
            let text = text::render(&document, Detail::Full, &look);
            let text = format!("{text}\n{}", axes(&document).join("\n"));
            let words = || text.split(|c: char| !c.is_alphanumeric());
            let wrong = text.lines().find(|line| {
                line.split(|c: char| !c.is_alphanumeric()).any(|word| other.contains(&word))
            });
            assert_eq!(wrong, None, "{system:?}");
            has_own += usize::from(words().any(|word| own.contains(&word)));
        }
        assert!(has_own > 20, "{has_own} documents have a unit");
    }
}
