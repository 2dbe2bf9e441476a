//! Packs the chart library into the program: plotly.js, as the crate `plotly` carries it, without
//! the typesetting of formulas that the crate's own pages add. Gzip, because browsers unpack that.

use std::env;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let tags = plotly::Plot::offline_js_sources();
    let script = first_script(&tags).ok_or("the crate plotly has no script to embed")?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(script.as_bytes())?;
    write(&encoder.finish()?)
}

#[expect(clippy::disallowed_methods, reason = "a build script writes to the folder of cargo")]
fn write(packed: &[u8]) -> Result<(), Box<dyn Error>> {
    let path = Path::new(&env::var("OUT_DIR")?).join("plotly.js.gz");
    Ok(std::fs::write(path, packed)?)
}

/// What stands between the first pair of script tags.
fn first_script(tags: &str) -> Option<&str> {
    let (_, rest) = tags.split_once("<script")?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.split_once("</script>")?.0)
}
