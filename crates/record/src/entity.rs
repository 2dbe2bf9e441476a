//! What has counters: streams, targets, devices, processors, the generator itself. Rated limits
//! are copied in, so that a record can be analysed years later without its study.

use serde::{Deserialize, Serialize};

use crate::{Kind, Limit};

/// Position in [`Record::entities`](crate::Record::entities).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntityId(pub u32);

/// One thing, or a class of equal things, that has counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// Its name in the study, or the kernel's for what the study does not name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where on the path it lies.
    pub layer: Layer,
    /// What encloses it.
    pub parent: Option<EntityId>,
    /// The real file or device it stands for.
    pub binding: Option<String>,
    /// How many equal things this one stands for.
    pub count: u32,
    /// What it can do.
    pub limits: Vec<Limit>,
}

impl Entity {
    /// Whether requests of a path meet it; the others are of the machine beside it: its processors,
    /// its memory, the program that makes the load.
    #[must_use]
    pub const fn is_of_path(&self) -> bool {
        match self.layer {
            // Boxes that carry devices, and caches in them.
            Layer::Processor => self.kind.is_machine(),
            Layer::Memory => matches!(self.kind, Kind::Cache | Kind::Pool),
            layer => !layer.is_beside(),
        }
    }
}

impl Layer {
    /// Whether what is counted there was counted on the way already: what a process moved in all,
    /// what went through memory.
    #[must_use]
    pub const fn is_beside(self) -> bool {
        match self {
            Self::Memory | Self::Processor | Self::Generator => true,
            Self::Application
            | Self::FileSystem
            | Self::Volume
            | Self::Lun
            | Self::Device
            | Self::Port
            | Self::Switch
            | Self::Adapter
            | Self::Bus => false,
        }
    }
}

/// Layers of a path, from the application to the media, and the machine beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Streams: what the application asked for.
    Application,
    /// Files and the page cache.
    FileSystem,
    /// Logical volumes, stripes, mirrors.
    Volume,
    /// Logical units of an array.
    Lun,
    /// Disks and partitions.
    Device,
    /// Ports of adapters, switches, arrays.
    Port,
    /// Switches.
    Switch,
    /// Host bus adapters and network cards.
    Adapter,
    /// Buses and bridges.
    Bus,
    /// Main memory.
    Memory,
    /// Processors.
    Processor,
    /// The program that makes the load.
    Generator,
}

/// Traffic of `upper` reappears in `lower`. Copies are in millionths: 2,000,000 for a mirror's
/// writes, 1,125,000 for full stripes of RAID 5 8+1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Where the traffic is seen first.
    pub upper: EntityId,
    /// Where it is seen again.
    pub lower: Vec<EntityId>,
    /// Bytes read below for each byte read above.
    pub read_copies_ppm: u64,
    /// Bytes written below for each byte written above.
    pub write_copies_ppm: u64,
}
