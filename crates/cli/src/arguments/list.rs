//! The arguments of `iopath list`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use iopath_report::RunColumn;

use super::{ShowOptions, StoreOption};

#[derive(Debug, Args)]
pub(crate) struct List {
    /// List only runs with all these words in study, command or host name
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Show only the newest N runs
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub last: u64,
    /// Show all runs
    #[arg(long, conflicts_with = "last")]
    pub all: bool,
    /// Sort the runs shown by this column, the greatest last
    #[arg(long, value_name = "COLUMN", value_parser = columns())]
    pub sort: Option<RunColumn>,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

fn columns() -> impl TypedValueParser<Value = RunColumn> {
    let names = PossibleValuesParser::new(RunColumn::ALL.map(RunColumn::name));
    // The parser lets only these names pass.
    names.map(|name| RunColumn::named(&name).unwrap_or_default())
}
