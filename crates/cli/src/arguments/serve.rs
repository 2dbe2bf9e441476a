//! The arguments of `iopath serve`.

use clap::Args;

use super::StoreOption;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Port to listen on [default: any free port]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Show sizes and rates in powers of 1024 (MiB/s) instead of 1000 (MB/s)
    #[arg(long)]
    pub binary: bool,
    #[command(flatten)]
    pub store: StoreOption,
}
