//! What other tools print, to records: one module a tool, each a pure function of a text.
//!
//! [`import`] reads one text as what its tool says of devices, ports, processors and streams;
//! [`merge`] lays several on one time axis and makes records of them. How figures are understood,
//! and what of them a record can hold, is told in `docs/importing.md`, with sources.
//!
//! Nothing is invented. A unit or a time that the text does not tell is asked for ([`Wrong`] names
//! the option); what is left out is told ([`Note`]), with its line.

mod asked;
mod detect;
mod imported;
mod merge;
mod names;
mod stamp;
mod text;
mod tool;
mod wrong;

mod fio;
mod iostat;
mod iozone;
mod nmon;
mod portperfshow;
mod vxbench;
mod vxstat;

pub use asked::{Asked, First};
pub use detect::recognise;
pub use imported::{Course, Imported, Note, Start, Stream, Thing};
pub use merge::{Begin, Relate, Together, merge};
pub use stamp::zone;
pub use tool::Tool;
pub use wrong::Wrong;

/// A text with the name by which messages call it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name.
    pub name: &'a str,
    /// What it holds.
    pub text: &'a str,
}

/// What a text of this tool says.
///
/// # Errors
/// Where the text is not of this tool, is damaged within, or leaves open what only the user knows:
/// then the message names the option to give.
pub fn import(tool: Tool, source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    match tool {
        Tool::Iostat => iostat::read(source, asked),
        Tool::Fio => fio::read(source),
        Tool::Vxstat => vxstat::read(source, asked),
        Tool::Vxbench => vxbench::read(source, asked),
        Tool::Portperfshow => portperfshow::read(source, asked),
        Tool::Nmon => nmon::read(source, asked),
        Tool::Iozone => iozone::read(source),
    }
}
