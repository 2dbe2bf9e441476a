//! A decimal number with a unit behind it, read without floating point so that
//! `"0.1 GB"` is exactly 100,000,000 bytes.

use crate::UnitError;

/// What a parser is after: used in messages only.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub kind: &'static str,
    pub example: &'static str,
}

/// One unit and how many base units it holds, as a fraction (bits need the divisor).
pub(crate) struct Unit {
    pub name: &'static str,
    pub times: u128,
    pub over: u128,
}

/// A unit of so many base units.
pub(crate) const fn unit(name: &'static str, times: u128) -> Unit {
    Unit { name, times, over: 1 }
}

/// Reads `text` as a whole number of base units; anything finer is refused.
pub(crate) fn parse(text: &str, units: &[Unit], wanted: Wanted) -> Result<u64, UnitError> {
    read(text, units, wanted, scale)
}

/// Reads `text` as the nearest whole number of base units.
pub(crate) fn parse_nearest(text: &str, units: &[Unit], wanted: Wanted) -> Result<u64, UnitError> {
    read(text, units, wanted, |mantissa, decimals, unit| {
        let over = 10u128.pow(decimals) * unit.over;
        let product = mantissa.checked_mul(unit.times).ok_or("it is too large")?;
        u64::try_from((product + over / 2) / over).map_err(|_| "it is too large")
    })
}

fn read(
    text: &str,
    units: &[Unit],
    wanted: Wanted,
    scale: impl Fn(u128, u32, &Unit) -> Result<u64, &'static str>,
) -> Result<u64, UnitError> {
    let Wanted { kind, example } = wanted;
    let trimmed = text.trim();
    let split =
        trimmed.find(|c: char| !(c.is_ascii_digit() || ".,_".contains(c))).unwrap_or(trimmed.len());
    let (digits, unit) = (&trimmed[..split], trimmed[split..].trim());
    let owned = || text.to_owned();
    let (mantissa, decimals) =
        decimal(digits).ok_or_else(|| UnitError::NotANumber { text: owned(), kind, example })?;
    if unit.is_empty() {
        return Err(UnitError::MissingUnit { text: owned(), kind, example });
    }
    let unit = units.iter().find(|u| u.name == unit).ok_or_else(|| UnitError::UnknownUnit {
        text: owned(),
        unit: unit.to_owned(),
        kind,
        example,
        meant: meant(units, digits, unit),
    })?;
    scale(mantissa, decimals, unit).map_err(|why| UnitError::OutOfRange { text: owned(), why })
}

/// What a size of fio is here: its `4k` is `4 KiB`.
fn meant(units: &[Unit], digits: &str, unit: &str) -> String {
    let long = format!("{}iB", unit.to_uppercase());
    match unit.len() == 1 && units.iter().any(|one| one.name == long) {
        true => format!("; fio's {digits}{unit} is \"{digits} {long}\""),
        false => String::new(),
    }
}

/// `"1.25"` is `(125, 2)`; underscores group digits as in Rust; at most 20 digits.
fn decimal(digits: &str) -> Option<(u128, u32)> {
    let clean: String = digits.chars().filter(|c| *c != '_').collect();
    let (whole, fraction) = clean.split_once('.').unwrap_or((&clean, ""));
    let valid = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !valid(whole) || !valid(fraction) || clean.ends_with('.') {
        return None;
    }
    if whole.len() + fraction.len() > 20 {
        return None;
    }
    let mantissa = format!("{whole}{fraction}").parse().ok()?;
    Some((mantissa, u32::try_from(fraction.len()).ok()?))
}

fn scale(mantissa: u128, decimals: u32, unit: &Unit) -> Result<u64, &'static str> {
    let over = 10u128.pow(decimals) * unit.over;
    let product = mantissa.checked_mul(unit.times).ok_or("it is too large")?;
    if product % over != 0 {
        return Err("it is finer than the smallest unit");
    }
    u64::try_from(product / over).map_err(|_| "it is too large")
}
