//! The streams of a case, read from its text, in which everything is written out: fio then issues
//! what the study says and nothing else.

use anyhow::{Context, Result, bail};

/// One declaration of streams, on each target of the case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stream {
    /// As fio's `rw` names it.
    pub op: String,
    pub reads_percent: u64,
    pub block: u64,
    pub depth: u64,
    /// Streams on each target.
    pub count: u64,
    pub is_shared: bool,
    /// Requests a second of all of them.
    pub rate: Option<f64>,
    pub is_poisson: bool,
}

/// The only declaration of a case.
pub(crate) fn stream(text: &str) -> Result<Stream> {
    let mut lines = text.lines().map(str::trim).filter(|line| line.starts_with("streams "));
    let line = lines.next().context("the case has no streams")?;
    if lines.next().is_some() {
        bail!("fio is given one declaration of streams, the case has more");
    }
    let value = |key| value(line, key);
    let order = match value("pattern") {
        Some("random") => "rand",
        Some("sequential") => "",
        other => bail!("fio has no such pattern: {other:?}"),
    };
    let op = match value("op") {
        Some("mix") => "rw",
        other => other.context("a stream without op")?,
    };
    let count = |key| value(key).map_or(Ok(1), |text| text.parse().context("no count"));
    let reads = value("reads").map_or(Ok(100.0), percent)?;
    Ok(Stream {
        op: format!("{order}{op}"),
        reads_percent: reads.round() as u64,
        block: bytes(value("block").context("a stream without block")?)?,
        depth: count("depth")?,
        count: count("count")?,
        is_shared: value("region") == Some("shared"),
        rate: value("rate").map(per_second).transpose()?,
        is_poisson: value("arrivals") == Some("poisson"),
    })
}

/// The value of a property, without its quotes and its origin.
fn value<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let begin = line.find(&format!(" {key}="))? + key.len() + 2;
    let mut rest = &line[begin..];
    if rest.starts_with('(') {
        rest = &rest[rest.find(')')? + 1..];
    }
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([' ', ';', '}']).next(),
    }
}

fn percent(text: &str) -> Result<f64> {
    let number = text.trim_end_matches(['%', ' ']).parse::<f64>().context("no share")?;
    Ok(if text.ends_with('%') { number } else { 100.0 * number })
}

fn bytes(text: &str) -> Result<u64> {
    let (number, unit) = text.split_once(' ').with_context(|| format!("no size: {text}"))?;
    let unit = match unit {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => bail!("no size of a request: {text}"),
    };
    Ok(number.parse::<u64>()? * unit)
}

fn per_second(text: &str) -> Result<f64> {
    let number =
        text.strip_suffix(" /s").with_context(|| format!("no rate of requests: {text}"))?;
    Ok(number.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = concat!(
        r#"    streams "s" over="h.d" op="mix" reads="70 %" pattern="random" region="own" "#,
        r#"block="8 KiB" depth=(assumed)16 rate="400 /s" arrivals="poisson" sync="none""#
    );

    #[test]
    fn a_declaration_is_read_with_its_defaults() {
        let expected = Stream {
            op: "randrw".to_owned(),
            reads_percent: 70,
            block: 8192,
            depth: 16,
            count: 1,
            is_shared: false,
            rate: Some(400.0),
            is_poisson: true,
        };
        assert_eq!(stream(LINE).unwrap(), expected);
    }

    #[test]
    fn what_fio_would_not_do_alike_is_refused() {
        let zipf = LINE.replace("random", "zipf");
        assert!(stream(&zipf).unwrap_err().to_string().starts_with("fio has no such pattern"));
        let two = format!("{zipf}\n{zipf}");
        assert!(stream(&two).unwrap_err().to_string().contains("the case has more"));
    }
}
