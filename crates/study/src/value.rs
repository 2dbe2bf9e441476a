//! Values of properties: from what is written to what is meant, by the type that the table gives.

use std::fmt;

use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio, UnitError};

use crate::case::Rate;
use crate::language::ValueType;
use crate::nearest;
use crate::paths::Paths;
use crate::selector::{Path, Selector};
use crate::syntax::{Form, Written};

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// Bytes.
    Size(Bytes),
    /// A span of time.
    Time(Nanos),
    /// Requests or bytes per second.
    Rate(Rate),
    /// A share of something.
    Share(Ratio),
    /// A plain number, held in millionths.
    Number(Ratio),
    /// A truth value.
    Flag(bool),
    /// One of the words of its type.
    Word(&'static str),
    /// Any text.
    Text(String),
    /// Parts of the study.
    Selector(Selector),
    /// Paths of the system.
    Paths(Paths),
    /// The path of a property.
    PropertyPath(PropertyPath),
    /// What was written is wrong and reported.
    Failed,
}

/// `name.name.property`: a way to declarations or instances, and one of their properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyPath {
    /// Whose property.
    pub path: Path,
    /// The property's name.
    pub property: String,
}

/// Why a value is none of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfit {
    pub message: String,
    pub hint: String,
}

impl Unfit {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: String::new() }
    }
}

impl Value {
    /// The value of this type that is written so.
    pub(crate) fn read(takes: ValueType, written: &Written) -> Result<Self, Unfit> {
        if written.form == Form::Failed {
            return Ok(Self::Failed);
        }
        match takes {
            ValueType::Count => count(written, takes).map(Self::Count),
            ValueType::Seed => whole(written, takes).map(Self::Count),
            ValueType::Size => quantity(written, |size: &Bytes| size.0 > 0).map(Self::Size),
            ValueType::Time => quantity(written, |time: &Nanos| time.0 > 0).map(Self::Time),
            ValueType::Pause => quantity(written, |_: &Nanos| true).map(Self::Time),
            ValueType::Rate => rate(written).map(Self::Rate),
            ValueType::ByteRate => byte_rate(written).map(Self::Rate),
            ValueType::OperationRate => operation_rate(written).map(Self::Rate),
            ValueType::Choice(numbers) => match whole(written, takes) {
                Ok(number) if numbers.contains(&number) => Ok(Self::Count(number)),
                _ => Err(not(written, takes)),
            },
            ValueType::Share => share(written, takes).map(Self::Share),
            ValueType::Number => number(written, takes).map(Self::Number),
            ValueType::Flag => flag(written).map(Self::Flag),
            ValueType::Word(words) => word(written, words).map(Self::Word),
            ValueType::Text => text(written, takes).map(|text| Self::Text(text.to_owned())),
            ValueType::Selector => path(written, takes, Selector::parse).map(Self::Selector),
            ValueType::Paths => path(written, takes, Paths::parse).map(Self::Paths),
            ValueType::PropertyPath => {
                path(written, takes, PropertyPath::parse).map(Self::PropertyPath)
            }
        }
    }
}

impl PropertyPath {
    /// Reads the part before the last dot as the way, the rest as the property.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (path, property) = text
            .rsplit_once('.')
            .ok_or_else(|| format!("\"{text}\" names no property; write name.property"))?;
        if !crate::selector::is_name(property) {
            return Err(format!("\"{property}\" cannot be a property"));
        }
        Ok(Self { path: Path::parse(path)?, property: property.to_owned() })
    }
}

fn path<T>(
    written: &Written,
    takes: ValueType,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Unfit> {
    let text = text(written, takes)?;
    parse(text).map_err(|why| Unfit::new(format!("\"{text}\" is not {}: {why}", takes.describe())))
}

fn not(written: &Written, takes: ValueType) -> Unfit {
    let shown = match written.form {
        Form::Flag => format!("#{}", written.text),
        Form::Number => written.text.clone(),
        Form::Text | Form::Raw | Form::Failed => format!("\"{}\"", written.text),
    };
    Unfit::new(format!("{shown} is not {}", takes.describe()))
}

fn text(written: &Written, takes: ValueType) -> Result<&str, Unfit> {
    match written.form {
        Form::Text | Form::Raw => Ok(&written.text),
        Form::Number | Form::Flag | Form::Failed => Err(not(written, takes)),
    }
}

fn whole(written: &Written, takes: ValueType) -> Result<u64, Unfit> {
    let number = written.text.parse::<u64>().ok();
    match (written.form, number) {
        (Form::Number | Form::Raw, Some(number)) => Ok(number),
        (Form::Text, Some(number)) => Err(Unfit {
            hint: format!("a count has no quotes; write {number}"),
            ..not(written, takes)
        }),
        _ => Err(not(written, takes)),
    }
}

fn count(written: &Written, takes: ValueType) -> Result<u64, Unfit> {
    let number = whole(written, takes)?;
    if number == 0 {
        let hint = "state 1 or more, or leave it out".to_owned();
        return Err(Unfit { hint, ..not(written, takes) });
    }
    match u32::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(Unfit::new(format!("{number} is too many; at most {}", u32::MAX))),
    }
}

/// A number with its unit, in quotes.
fn quantity<T>(written: &Written, fits: impl Fn(&T) -> bool) -> Result<T, Unfit>
where
    T: std::str::FromStr<Err = UnitError> + fmt::Display,
{
    let value = written.text.parse::<T>();
    match (written.form, value) {
        (Form::Text | Form::Raw, Ok(value)) if fits(&value) => Ok(value),
        (Form::Text | Form::Raw, Ok(value)) => Err(Unfit::new(format!("{value} is too small"))),
        (Form::Number, Err(error @ UnitError::MissingUnit { .. })) => {
            let message = error.to_string();
            Err(Unfit { message, hint: "a quantity is a text with its unit".to_owned() })
        }
        (_, Err(error)) => Err(Unfit::new(error.to_string())),
        (Form::Number | Form::Flag | Form::Failed, Ok(_)) => {
            Err(Unfit::new(format!("{} is not a quantity", written.text)))
        }
    }
}

fn rate(written: &Written) -> Result<Rate, Unfit> {
    operation_rate(written).or_else(|operations| {
        byte_rate(written).map_err(|bytes| {
            let of_bytes = written.text.trim_end().ends_with("B/s");
            let unfit = if of_bytes { bytes } else { operations };
            Unfit { hint: format!("write {}", ValueType::Rate.describe()), ..unfit }
        })
    })
}

fn operation_rate(written: &Written) -> Result<Rate, Unfit> {
    quantity(written, |rate: &OperationRate| rate.0 > 0).map(Rate::Operations)
}

fn byte_rate(written: &Written) -> Result<Rate, Unfit> {
    quantity(written, |rate: &ByteRate| rate.0 > 0).map(Rate::Bytes)
}

fn share(written: &Written, takes: ValueType) -> Result<Ratio, Unfit> {
    let ratio = ratio(written, takes)?;
    if ratio > Ratio::ONE {
        return Err(Unfit::new(format!("\"{}\" is more than 100 %", written.text)));
    }
    Ok(ratio)
}

fn number(written: &Written, takes: ValueType) -> Result<Ratio, Unfit> {
    ratio(written, takes)
        .and_then(|ratio| if ratio.0 > 0 { Ok(ratio) } else { Err(not(written, takes)) })
}

fn ratio(written: &Written, takes: ValueType) -> Result<Ratio, Unfit> {
    match (written.form, written.text.parse()) {
        (Form::Text | Form::Raw | Form::Number, Ok(ratio)) => Ok(ratio),
        _ => Err(not(written, takes)),
    }
}

fn flag(written: &Written) -> Result<bool, Unfit> {
    match (written.form, written.text.trim_start_matches('#')) {
        (Form::Flag | Form::Raw, "true") => Ok(true),
        (Form::Flag | Form::Raw, "false") => Ok(false),
        _ => Err(not(written, ValueType::Flag)),
    }
}

fn word(written: &Written, words: &'static [&'static str]) -> Result<&'static str, Unfit> {
    let text = text(written, ValueType::Word(words))?;
    words.iter().copied().find(|word| *word == text).ok_or_else(|| Unfit {
        message: format!("\"{text}\" is not one of {}", words.join(", ")),
        hint: Some(nearest::hint(text, words.iter().copied()))
            .filter(|hint| hint.starts_with("did"))
            .unwrap_or_default(),
    })
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.path, self.property)
    }
}

impl fmt::Display for Value {
    /// As it is written in a study file, quotes included.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Count(count) => return write!(f, "{count}"),
            Self::Flag(flag) => return write!(f, "#{flag}"),
            Self::Number(number) => return f.write_str(&decimal(*number)),
            Self::Size(size) => size.to_string(),
            Self::Time(time) => time.to_string(),
            Self::Rate(Rate::Operations(rate)) => rate.to_string(),
            Self::Rate(Rate::Bytes(rate)) => rate.to_string(),
            Self::Share(share) => share.to_string(),
            Self::Word(word) => (*word).to_owned(),
            Self::Text(text) => text.clone(),
            Self::Selector(selector) => selector.to_string(),
            Self::Paths(paths) => paths.to_string(),
            Self::PropertyPath(path) => path.to_string(),
            Self::Failed => String::new(),
        };
        f.write_str(&crate::print::quoted(&text))
    }
}

/// Millionths as a decimal number.
fn decimal(number: Ratio) -> String {
    let (whole, rest) = (number.0 / 1_000_000, number.0 % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{}", format!("{rest:06}").trim_end_matches('0'))
}
