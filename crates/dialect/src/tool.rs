//! The tools whose texts are read.

use std::fmt;
use std::str::FromStr;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `iostat` of sysstat, text or JSON.
    Iostat,
    /// `fio` with `--output-format=json` or `json+`.
    Fio,
    /// `vxstat` of Veritas.
    Vxstat,
    /// `vxbench` of Veritas.
    Vxbench,
    /// `portperfshow` of Brocade.
    Portperfshow,
    /// `nmon` of Linux and AIX.
    Nmon,
    /// `iozone`: its table or its Excel form.
    Iozone,
}

impl Tool {
    /// All of them, in the order in which a text is tried.
    pub const ALL: [Self; 7] = [
        Self::Fio,
        Self::Iostat,
        Self::Nmon,
        Self::Vxstat,
        Self::Vxbench,
        Self::Iozone,
        Self::Portperfshow,
    ];

    /// Its name, as options take it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iostat => "iostat",
            Self::Fio => "fio",
            Self::Vxstat => "vxstat",
            Self::Vxbench => "vxbench",
            Self::Portperfshow => "portperfshow",
            Self::Nmon => "nmon",
            Self::Iozone => "iozone",
        }
    }

    /// The names of all, for messages.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tool| tool.name() == text);
        found.ok_or_else(|| {
            format!("\"{text}\" is no tool that is read; it is one of {}", Self::names())
        })
    }
}
