//! The arguments of `import`.

use std::path::PathBuf;

use clap::Args;

use super::{ShowOptions, StoreOption};

/// What to import, and what its texts leave open.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Exported run, or output of tools from a single run; - for stdin
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Input format, if it cannot be detected: iostat, fio, vxstat, vxbench, portperfshow, nmon,
    /// iozone
    #[arg(long = "as", value_name = "TOOL")]
    pub tool: Option<String>,
    /// Title of the run
    #[arg(long)]
    pub title: Option<String>,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
    // Last, because its heading holds for what follows it.
    #[command(flatten)]
    pub asked: ImportOptions,
}

/// What only the user knows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Missing information")]
pub(crate) struct ImportOptions {
    /// Unit of a tool: portperfshow=MB or =MiB, vxbench=KiB, "vxstat=512 B"; repeatable
    #[arg(long, value_name = "TOOL=UNIT")]
    pub unit: Vec<String>,
    /// I/O operation of a load: read or write
    #[arg(long)]
    pub op: Option<String>,
    /// Block size of a load
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Reporting interval, if the text has no timestamps
    #[arg(long, value_name = "TIME")]
    pub interval: Option<String>,
    /// Keep the first report of iostat or vxstat: it is not since boot (iostat -y)
    #[arg(long)]
    pub keep_first: bool,
    /// Time zone of local times: +02:00, or UTC
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub zone: Option<String>,
    /// Start of a file relative to the first one: io.txt=3s, io.txt=-2s; repeatable
    #[arg(long, value_name = "FILE=TIME")]
    pub begin: Vec<String>,
    /// Devices below a volume: "vol=sd[a-d]", with copies "vol=sda,sdb write=2"; repeatable
    #[arg(long, value_name = "UPPER=LOWER,…")]
    pub relate: Vec<String>,
}
