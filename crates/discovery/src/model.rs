//! What was found of a machine, as parts that each stand for one real thing.
//!
//! Words are those of the study language. Equal parts are written as one later (`fold`); here each
//! has its own name, that of the kernel. Leaves out: how any of it is written.

use std::collections::BTreeMap;

/// The path below some targets, or of a whole machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Title of the study.
    pub title: String,
    /// Models of drives, with what is known or assumed of them.
    pub parts: Vec<PartModel>,
    /// Hosts, switches and arrays with all that they contain.
    pub path: Vec<Component>,
    /// Cables, each between two parts of the path.
    pub wires: Vec<Wire>,
    /// How requests choose among routes, in the word of the language, where there are several.
    pub policy: Option<&'static str>,
    /// Nobody says that requests choose so.
    pub policy_is_assumed: bool,
    /// What lies on others, those at the bottom first.
    pub volumes: Vec<Volume>,
    /// File systems that targets lie in.
    pub file_systems: Vec<FileSystem>,
    /// Files among the targets.
    pub files: Vec<File>,
    /// What streams go to, by name: files, or devices by the kernel's name.
    pub targets: Vec<String>,
    /// What is wrong or unwise.
    pub findings: Vec<Finding>,
    /// What could not be read or is not known, in words.
    pub unread: Vec<String>,
    /// Why devices have no limit, by their kernel's names; a line of the above says so of each.
    pub unlimited: BTreeMap<String, String>,
    /// What was assumed, in words.
    pub assumed: Vec<String>,
}

/// A part of the path: one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Word of the language, such as `root-port`.
    pub kind: &'static str,
    /// What the kernel calls it: `0000:40:01.1`, `nvme0n1`, `eth0`.
    pub kernel: String,
    /// Its name in the study if it stays alone.
    pub name: String,
    /// Its name if there are several alike; the kind where nothing is said.
    pub common: String,
    /// A part of the catalogue or of [`Discovered::parts`].
    pub uses: Option<String>,
    /// What is said of it.
    pub values: Vec<Property>,
    /// What a person should know, the same of all that are alike.
    pub remark: String,
    /// The node of the block device that it is, such as `/dev/sda`.
    pub node: Option<String>,
    /// What it contains.
    pub children: Vec<Component>,
}

/// A property with its value as it is written, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name in the language.
    pub name: &'static str,
    /// Its value: quoted where it is no number.
    pub value: String,
    /// `assumed`, `rated`, or any other source.
    pub origin: Option<String>,
}

/// A model of drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartModel {
    /// Word of the language.
    pub kind: &'static str,
    /// Its name, made from the maker's.
    pub name: String,
    /// What is known or assumed.
    pub values: Vec<Property>,
    /// Maker's name, firmware, and where the values come from.
    pub remark: String,
}

/// A cable, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wire {
    /// One end, by what the kernel calls it.
    pub from: String,
    /// The other.
    pub to: String,
}

/// Something that lies on devices: an array of md, a logical volume, a partition, a loop device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Word of the language: `stripe`, `concat`, `mirror`, `raid`.
    pub kind: &'static str,
    /// The name in the study.
    pub name: String,
    /// What the kernel calls it; its name where it is inside a file system.
    pub kernel: String,
    /// The node of the block device that it is; `None` where it is none.
    pub node: Option<String>,
    /// What is said of it.
    pub values: Vec<Property>,
    /// What it lies on, in order: block devices by kernel name, or other volumes by name.
    pub over: Vec<String>,
    /// What a person should know.
    pub remark: String,
}

/// A file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSystem {
    /// The name in the study.
    pub name: String,
    /// What it lies on, as for [`Volume::over`].
    pub on: Vec<String>,
    /// What is said of it.
    pub values: Vec<Property>,
    /// Type, place and options.
    pub remark: String,
}

/// A file, or a directory for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The name in the study.
    pub name: String,
    /// The file system it lies in, by name; `None` where that is unknown.
    pub on: Option<String>,
    /// What is said of it.
    pub values: Vec<Property>,
    /// Its length; of a scratch file the size that it gets. 0 where that is unknown.
    pub bytes: u64,
    /// Where it is; `None` for a scratch file.
    pub path: Option<String>,
    /// Its extents, in words.
    pub remark: String,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Costs throughput or safety now.
    Warning,
    /// Worth knowing.
    Advice,
}

impl Weight {
    /// `warning` or `advice`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Advice => "advice",
        }
    }
}

/// Something wrong or unwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of the rule.
    pub rule: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// Whom it concerns, by the kernel's names.
    pub parts: Vec<String>,
    /// What is found, with the figures.
    pub text: String,
    /// What to do.
    pub hint: String,
}

impl Property {
    /// A text value, which is put in quotes.
    #[must_use]
    pub fn quantity(name: &'static str, value: &str) -> Self {
        Self { name, value: iopath_study::quoted(value), origin: None }
    }

    /// A number, which needs no quotes.
    #[must_use]
    pub fn number(name: &'static str, value: u64) -> Self {
        Self { name, value: value.to_string(), origin: None }
    }

    /// The same with its source.
    #[must_use]
    pub fn from(self, origin: &str) -> Self {
        Self { origin: Some(origin.to_owned()), ..self }
    }
}

impl Component {
    /// A part with nothing said of it yet.
    #[must_use]
    pub fn new(kind: &'static str, kernel: &str, name: &str) -> Self {
        Self {
            kind,
            kernel: kernel.to_owned(),
            name: name_of(name),
            common: kind.to_owned(),
            ..Self::default()
        }
    }

    /// Itself and everything in it, each before what it contains.
    #[must_use]
    pub fn all(&self) -> Vec<&Self> {
        let below = self.children.iter().flat_map(Self::all);
        std::iter::once(self).chain(below).collect()
    }
}

/// A text as a name of the language: letters, digits, `-` and `_`, a letter first.
#[must_use]
pub fn name_of(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let mut name: String = text.chars().map(plain).collect();
    while name.contains("--") {
        name = name.replace("--", "-");
    }
    let name = name.trim_matches('-');
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name.to_owned(),
        Some(_) => format!("n{name}"),
        None => "unnamed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        for (text, name) in [
            ("nvme0n1", "nvme0n1"),
            ("0000:40:01.1", "n0000-40-01-1"),
            ("cciss!c0d0", "cciss-c0d0"),
            ("SAMSUNG MZQL23T8", "SAMSUNG-MZQL23T8"),
            ("--", "unnamed"),
            ("vg0-data_1", "vg0-data_1"),
        ] {
            assert_eq!(name_of(text), name, "{text}");
        }
    }
}
