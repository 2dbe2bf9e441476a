//! The language as data: which kinds there are, where each may stand, which properties it has, of
//! which type and with which default. Reading, printing and the reference page all follow these
//! tables; a new kind or property is a new row.

mod class;
mod kinds;
mod properties;

pub use class::Class;
pub use kinds::KINDS;

use crate::case::TargetKind;

/// A word that a node may begin with.
#[derive(Debug)]
pub struct Kind {
    /// The word.
    pub name: &'static str,
    /// One sentence for the reference.
    pub doc: &'static str,
    /// What it is to the reader.
    pub role: Role,
    /// What it is to a request.
    pub class: Class,
    /// The kinds it may stand in; `""` is the top of the file.
    pub within: &'static [&'static str],
    /// What may stand between the kind and its properties.
    pub label: Label,
    /// Its properties, in groups.
    pub properties: &'static [&'static [Property]],
    /// What may stand before each `=` instead of a property.
    pub keys: Keys,
}

/// What a kind is to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Orders other nodes and is read by name: `vary`, `factor`.
    Structure,
    /// A part of the path without bytes of its own; contains others.
    Container,
    /// Software between streams and volumes: file systems and what belongs to them, caches, costs.
    Software,
    /// Has bytes that streams can use.
    Target(TargetKind),
    /// Pairs targets with real files and devices.
    Joint,
    /// Pairs parts of the path: `wire`, `zone`.
    Link,
    /// Says how routes are chosen.
    Policy,
    /// Parts that `use` names.
    Catalogue,
    /// Defaults and rules for all streams.
    Workload,
    /// Workers.
    Streams,
    /// What fails while they run.
    Failure,
}

/// What may stand between a kind and its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Nothing.
    None,
    /// A name; the kind's own word where there is none.
    Name,
    /// A name that may be left out, and then there is none.
    MaybeName,
    /// A text in quotes.
    Title,
    /// A text in quotes that may be left out.
    MaybeTitle,
    /// A text in quotes, then values.
    TitleAndLevels,
}

/// What stands before each `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Properties of the kind only.
    Properties,
    /// Paths of properties elsewhere: an assignment each.
    Paths,
    /// Metrics and factors.
    Figures,
}

/// A property of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    /// The word before `=`.
    pub name: &'static str,
    /// One sentence for the reference.
    pub doc: &'static str,
    /// What it takes.
    pub takes: ValueType,
    /// Its value where nothing is said, as it would be written; `None` where there is none.
    pub default: Option<&'static str>,
}

/// What a property takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A whole number from 1: `4`.
    Count,
    /// A whole number from 0: `42`.
    Seed,
    /// Bytes, at least one: `"128 KiB"`.
    Size,
    /// A span of time above zero: `"30 s"`.
    Time,
    /// A span of time that may be zero: `"0 s"`.
    Pause,
    /// Requests or bytes per second: `"20000 /s"`, `"100 MB/s"`.
    Rate,
    /// Bytes per second: `"195 MB/s"`.
    ByteRate,
    /// Operations per second: `"20000 /s"`.
    OperationRate,
    /// One of these numbers.
    Choice(&'static [u64]),
    /// A share from 0 to 100 %: `"70 %"`, `0.7`.
    Share,
    /// A number above zero: `1.2`.
    Number,
    /// `#true` or `#false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
    /// Parts of the study: `"server..nvme, data[0-3]"`.
    Selector,
    /// An ordered list of paths of the system: `"/dev/nvme[0-3]n1"`.
    Paths,
    /// The path of a property: `"reader.block"`.
    PropertyPath,
}

impl Kind {
    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// The property of this name.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&'static Property> {
        self.all_properties().find(|property| property.name == name)
    }

    /// Whether a property is a limit or a cost: something that was measured, rated or assumed, and
    /// not chosen by who built the system.
    #[must_use]
    pub fn is_parameter(&self, name: &str) -> bool {
        let Some(property) = self.property(name) else { return false };
        let limits = [
            properties::LIMITS,
            properties::PROCESSOR,
            properties::ARM,
            properties::SERVICE,
            properties::COST,
        ];
        let limit = limits.iter().any(|group| group.contains(property));
        match name {
            "price" | "rack-units" | "watts" | "slots" | "use" => false,
            // What a protocol sets, not what was measured.
            "payload" | "overhead" | "write-payload" | "write-overhead" => false,
            "rate-cap" => true,
            "size" => matches!(self.name, "cache" | "pool"),
            "both" | "latency" => true,
            _ => limit,
        }
    }

    /// Its properties in the order of the reference.
    pub fn all_properties(&self) -> impl Iterator<Item = &'static Property> + use<> {
        self.properties.iter().flat_map(|group| group.iter())
    }
}

impl ValueType {
    /// What it takes, for people, with an example.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Count => "a whole number from 1 such as 4".to_owned(),
            Self::Seed => "a whole number from 0 such as 42".to_owned(),
            Self::Size => "a size such as \"128 KiB\"".to_owned(),
            Self::Time => "a time such as \"30 s\"".to_owned(),
            Self::Pause => "a time such as \"2 s\", or \"0 s\"".to_owned(),
            Self::Rate => "a rate such as \"20000 /s\" or \"100 MB/s\"".to_owned(),
            Self::ByteRate => "a rate such as \"195 MB/s\"".to_owned(),
            Self::OperationRate => "a rate such as \"20000 /s\"".to_owned(),
            Self::Choice(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                format!("one of {}", numbers.join(", "))
            }
            Self::Share => "a share such as \"70 %\" or 0.7".to_owned(),
            Self::Number => "a number above zero such as 1.2".to_owned(),
            Self::Flag => "#true or #false".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Text => "a text in quotes".to_owned(),
            Self::Selector => "a selector such as \"data\" or \"server..nvme\"".to_owned(),
            Self::Paths => "paths such as \"/dev/nvme[0-3]n1\"".to_owned(),
            Self::PropertyPath => "the path of a property such as \"reader.block\"".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Form, Written};
    use crate::value::Value;

    #[test]
    fn defaults_are_values_of_their_types() {
        for kind in KINDS {
            for property in kind.all_properties() {
                let Some(default) = property.default else { continue };
                let written = Written { form: Form::Raw, text: default.to_owned() };
                let value = Value::read(property.takes, &written);
                assert!(value.is_ok(), "{}.{}: {value:?}", kind.name, property.name);
            }
        }
    }

    #[test]
    fn every_place_exists_and_no_name_is_there_twice() {
        for (index, kind) in KINDS.iter().enumerate() {
            assert!(KINDS[..index].iter().all(|other| other.name != kind.name), "{}", kind.name);
            for place in kind.within {
                assert!(place.is_empty() || Kind::named(place).is_some(), "{place}");
            }
            let names: Vec<_> = kind.all_properties().map(|property| property.name).collect();
            let mut unique = names.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(names.len(), unique.len(), "{}", kind.name);
        }
    }
}
