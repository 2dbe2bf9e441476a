//! Where a value stands in a text and where it comes from: every value of a study keeps both.
//! Reading files is left to the caller, who hands over name and text.

use std::fmt;

/// A study file: its name for messages, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name as a person knows it, usually the path.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// Which text a span lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Text {
    /// The study file.
    Study,
    /// The file of this index among those that the study includes (`path file=`).
    Included(usize),
    /// The catalogue that comes with the program.
    Catalogue,
    /// The assignment of this index that was given beside the file (`--set`).
    Set(usize),
}

/// A range of bytes in one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The text it lies in.
    pub text: Text,
    /// First byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// A range of the study file.
    pub(crate) fn study(start: usize, end: usize) -> Self {
        Self { text: Text::Study, start, end }
    }
}

/// Where something is declared. What is said does not depend on it, so all places are equal.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub Span);

impl Default for Place {
    /// The beginning of the study.
    fn default() -> Self {
        Self(Span::study(0, 0))
    }
}

impl PartialEq for Place {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

/// Who says so: the KDL annotation of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No annotation.
    Unstated,
    /// `(given)`: the study states it.
    Given,
    /// `(rated)`: the maker states it.
    Rated,
    /// `(assumed)`: nobody states it.
    Assumed,
    /// `("inferred from 'figure' by hypothesis")`: derived from published figures.
    Inferred(Inference),
    /// `("title of a source")`: published elsewhere.
    Published(String),
}

impl Origin {
    /// Whether nobody stands behind the value.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        matches!(self, Self::Unstated | Self::Assumed)
    }
}

/// What a value was derived from, and by which hypothesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Titles of figures, of this study or of another one; at least one.
    pub figures: Vec<String>,
    /// Why the value follows from them.
    pub hypothesis: String,
}

/// How an inference is written, for messages.
pub(crate) const INFERENCE: &str = "(\"inferred from 'figure' by hypothesis\")";

impl Inference {
    /// Whether a text means to be one.
    pub(crate) fn is_meant(text: &str) -> bool {
        let rest = text.trim_start().strip_prefix("inferred");
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    }

    /// `inferred from 'one', 'two' by hypothesis`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix("inferred from ")?;
        let mut figures = Vec::new();
        while let Some((figure, behind)) = quoted(rest) {
            figures.push(Some(figure.to_owned()).filter(|figure| !figure.is_empty())?);
            let more = behind.strip_prefix(", ");
            rest = more.unwrap_or(behind);
            if more.is_none() {
                break;
            }
        }
        rest = rest.strip_prefix(" by ").filter(|_| !figures.is_empty())?;
        let hypothesis = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty())?;
        Some(Self { figures, hypothesis })
    }
}

/// What stands in the quotes that a text begins with, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('\'')?.split_once('\'')
}

impl fmt::Display for Inference {
    /// The text of the annotation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inferred from '{}' by {}", self.figures.join("', '"), self.hypothesis)
    }
}

/// Words of the annotations that are not quoted.
pub(crate) const ORIGINS: [(&str, Origin); 3] =
    [("given", Origin::Given), ("rated", Origin::Rated), ("assumed", Origin::Assumed)];

impl fmt::Display for Origin {
    /// The annotation with its parentheses, nothing where none was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unstated => Ok(()),
            Self::Given => f.write_str("(given)"),
            Self::Rated => f.write_str("(rated)"),
            Self::Assumed => f.write_str("(assumed)"),
            Self::Inferred(inference) => {
                write!(f, "({})", crate::print::quoted(&inference.to_string()))
            }
            Self::Published(text) => write!(f, "({})", crate::print::quoted(text)),
        }
    }
}

/// A value, who says so, and where it is written. Two that say the same are equal, wherever they
/// stand.
#[derive(Clone, Debug)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Its annotation.
    pub origin: Origin,
    /// The place of the value.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Sourced<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.value, &self.origin) == (&other.value, &other.origin)
    }
}

impl<T: Eq> Eq for Sourced<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inference_names_figures_and_a_hypothesis() {
        for text in [
            "inferred from 'test 4' by Little's law",
            "inferred from 'one, read', 'one, write' by 'a thread' preparing",
        ] {
            assert_eq!(Inference::read(text).map(|one| one.to_string()).as_deref(), Some(text));
        }
        for text in [
            "inferred",
            "inferred from test 4 by Little's law",
            "inferred from 'test 4'",
            "inferred from 'test 4' by ",
            "inferred from 'test 4', by Little's law",
            "inferred from '' by Little's law",
        ] {
            assert_eq!(Inference::read(text), None, "{text}");
        }
        assert!(!Inference::is_meant("inferredness") && Inference::is_meant("inferred:"));
    }
}
