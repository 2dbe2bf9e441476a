//! The arguments of `import`.

use std::path::PathBuf;

use clap::Args;

use super::{ShowOptions, StoreOption};

/// What to import, and what its texts do not tell.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// An exported run, or texts that tools left during one run; - for stdin
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Whose texts these are, where they do not show it: iostat, fio, vxstat, vxbench,
    /// portperfshow, nmon, iozone
    #[arg(long = "as", value_name = "TOOL")]
    pub tool: Option<String>,
    /// What the run is called
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
#[command(next_help_heading = "What a text does not tell")]
pub(crate) struct ImportOptions {
    /// What a tool's unit is: portperfshow=MB or =MiB, vxbench=KiB, "vxstat=512 B"; repeatable
    #[arg(long, value_name = "TOOL=UNIT")]
    pub unit: Vec<String>,
    /// What a load did: read or write
    #[arg(long)]
    pub op: Option<String>,
    /// Bytes of a request of a load
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Time from one report to the next, where a text has no times
    #[arg(long, value_name = "TIME")]
    pub interval: Option<String>,
    /// Keep the first report of iostat or vxstat: it is not of the time before (iostat -y)
    #[arg(long)]
    pub keep_first: bool,
    /// How far local times are ahead of UTC: +02:00, or UTC
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub zone: Option<String>,
    /// When a file began, after the first one: io.txt=3s, io.txt=-2s; repeatable
    #[arg(long, value_name = "FILE=TIME")]
    pub begin: Vec<String>,
    /// Whose traffic reappears where: "vol=sd[a-d]", with copies "vol=sda,sdb write=2"; repeatable
    #[arg(long, value_name = "UPPER=LOWER,…")]
    pub relate: Vec<String>,
}
