//! One rank against the plain program, in pairs.

use anyhow::{Context, Result};

use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Record, Stage};

const PAIRS: u32 = 5;

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let cluster = stage.front.cluster(&Shape { hosts: 1, ..Shape::default() })?;
    let text = "study \"overhead\"\nlayout { file \"data\" size=\"64 MiB\" }\n\
                workload time=\"1 s\" passes=1 engine=\"null\" {\n    \
                streams \"s\" over=\"data\" op=\"read\" block=\"4 KiB\"\n}\n";
    let words = Stage::measure(&stage.study("overhead.kdl", text)?);
    let mut ratios = Vec::new();
    for pair in 0..PAIRS {
        let by = By { cluster: &cluster, mpi: Mpi::OpenMpi, ranks: 1 };
        let one = || moved(&stage.records(by, &words)?);
        let plain = || moved(&stage.alone(&words)?);
        // What goes first changes, as the machine does.
        let (one, plain) = match pair % 2 {
            0 => (one()?, plain()?),
            _ => {
                let plain = plain()?;
                (one()?, plain)
            }
        };
        ratios.push(one as f64 / plain as f64);
    }
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    let median = ratios[ratios.len() / 2];
    let said = format!("× {median:.3} ({least:.3} to {most:.3}, {PAIRS} pairs)");
    Ok(vec![Row::figure("one rank by the plain program", said)])
}

fn moved(records: &[Record]) -> Result<u64> {
    Ok(records.first().context("no pass")?.totals().values().sum())
}
