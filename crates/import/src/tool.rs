//! The tools whose texts are read.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// A tool, in the order in which a text is tried.
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `fio` with `--output-format=json` or `json+`.
    Fio,
    /// `iostat` of sysstat, text or JSON.
    Iostat,
    /// `nmon` of Linux and AIX.
    Nmon,
    /// `vxstat` of Veritas.
    Vxstat,
    /// `vxbench` of Veritas.
    Vxbench,
    /// `iozone`: its table or its Excel form.
    Iozone,
    /// `portperfshow` of Brocade.
    Portperfshow,
}

impl Tool {
    /// All of them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Its name, as options take it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The names of all, for messages.
    #[must_use]
    pub fn names() -> String {
        <Self as VariantNames>::VARIANTS.join(", ")
    }
}

fn unknown(text: &str) -> String {
    format!("\"{text}\" is not a supported tool: use one of {}", Tool::names())
}
