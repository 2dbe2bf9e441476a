//! What `check` says of a study that can be read: how much it is, its paths as trees, and what the
//! rules about paths find.

use iopath_path::Severity;

use crate::document::{Block, Document};
use crate::view::check::CheckReport;
use crate::words::check::sentence;

/// The study, without its mistakes.
#[must_use]
pub fn document(report: &CheckReport) -> Document {
    let mut blocks = vec![Block::Verdict(sentence(report))];
    blocks.extend((!report.trees.is_empty()).then(|| Block::Trees(report.trees.clone())));
    let findings = report.findings.iter().filter(|one| one.severity != Severity::Mistake);
    blocks.extend(findings.map(|one| Block::Verbatim(report.told(one))));
    Document::of_blocks(report.study.clone(), blocks)
}
