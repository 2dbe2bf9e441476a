//! The table of kinds.

use super::properties::{
    ARM, BIND, CACHE, COMMIT, COST, ENDS, EXPECTED, FACTOR, FILE, FILE_SYSTEM, FLUSH, ISSUE,
    LIMITS, MANY, MEMBERS, MIRROR, MODELLED, MODELLED_FILE, MULTIPATH, OVER, PATH, PLACED,
    PREFETCH, PROCESSOR, RAID, READAHEAD, SIDE, SIZE, STREAM, STREAM_COUNT, STRIPE, STUDY, TREE,
    WIRE, WORKLOAD,
};
use super::{Keys, Kind, Label, Property, Role};
use crate::case::TargetKind;

/// The path, the `parts` and every kind that a component may stand in, with what comes besides.
macro_rules! places {
    ($($besides:literal),*) => {
        &[
            "path", "parts", "host", "socket", "drawer", "planar", "link", "bridge", "root-port",
            "pcie-switch", "hba", "nic", "port", "switch", "asic", "array", "controller",
            "expander", "enclosure", $($besides),*
        ]
    };
}

/// Where a component may stand: in the path, in any other, and among the `parts`.
const IN_PATH: &[&str] = places![];

/// Where a medium may stand: besides, in the volume that is made of it.
const MEDIUM: &[&str] = places!["lun", "raid"];

/// Where a volume with media of its own may stand.
const LUN: &[&str] = places!["layout"];

const VOLUME: Role = Role::Target(TargetKind::Device);

const fn structure(name: &'static str, doc: &'static str, within: &'static [&'static str]) -> Kind {
    Kind {
        name,
        doc,
        role: Role::Structure,
        within,
        label: Label::None,
        properties: &[],
        keys: Keys::Properties,
    }
}

const fn component(
    name: &'static str,
    doc: &'static str,
    role: Role,
    properties: &'static [&'static [Property]],
) -> Kind {
    let keys = Keys::Properties;
    Kind { name, doc, role, within: IN_PATH, label: Label::Name, properties, keys }
}

/// A part of the path that requests cross.
const fn crossed(name: &'static str, doc: &'static str) -> Kind {
    component(name, doc, Role::Container, &[MANY, LIMITS])
}

/// A part of the path with processors and memory.
const fn computing(name: &'static str, doc: &'static str) -> Kind {
    component(name, doc, Role::Container, &[MANY, PROCESSOR, LIMITS])
}

const fn medium(
    name: &'static str,
    doc: &'static str,
    properties: &'static [&'static [Property]],
) -> Kind {
    Kind { within: MEDIUM, ..component(name, doc, Role::Target(TargetKind::Device), properties) }
}

const fn volume(
    name: &'static str,
    doc: &'static str,
    within: &'static [&'static str],
    properties: &'static [&'static [Property]],
) -> Kind {
    Kind { within, ..component(name, doc, VOLUME, properties) }
}

/// Something that belongs to what it stands in.
const fn software(
    name: &'static str,
    doc: &'static str,
    within: &'static [&'static str],
    properties: &'static [&'static [Property]],
) -> Kind {
    Kind { within, ..component(name, doc, Role::Software, properties) }
}

const fn figure(name: &'static str, doc: &'static str) -> Kind {
    Kind {
        label: Label::MaybeTitle,
        keys: Keys::Figures,
        properties: &[EXPECTED],
        ..structure(name, doc, &["published"])
    }
}

/// Every kind there is.
pub static KINDS: &[Kind] = &[
    Kind {
        label: Label::Title,
        properties: &[STUDY],
        ..structure("study", "The title of the study; once in every file.", &[""])
    },
    Kind {
        keys: Keys::Paths,
        ..structure(
            "set",
            "Assignments that hold in every case, as `--set` makes them.",
            &["", "experiment"],
        )
    },
    Kind {
        role: Role::Catalogue,
        ..structure("parts", "Parts that `use` names, besides those of the catalogue.", &[""])
    },
    Kind {
        properties: &[PATH],
        ..structure("path", "What lies between streams and media.", &["", "experiment"])
    },
    computing("host", "A machine that streams run on, or that serves others."),
    computing("socket", "A processor with its memory and root ports."),
    crossed("drawer", "A box of adapters outside the machine."),
    crossed("planar", "A board with slots."),
    crossed("link", "A cable or lane inside a machine."),
    crossed("bridge", "A host bridge or bus bridge; its slots stand inside."),
    crossed("root-port", "A PCI Express port of a processor."),
    crossed("pcie-switch", "A PCI Express switch; its own limits are those of its upstream port."),
    crossed("hba", "A host bus adapter; takes a wire itself or by its ports."),
    crossed("nic", "A network adapter."),
    crossed("port", "A port of an adapter, a switch or an array; takes one wire."),
    crossed("switch", "A switch of the fabric; its own limits are those between its ASICs."),
    crossed("asic", "A part of a switch within which ports talk at full rate."),
    crossed(
        "array",
        "A storage array; its own limits are those of the link between its controllers.",
    ),
    computing(
        "controller",
        "A controller of an array or a node; it owns the volumes that stand in it.",
    ),
    crossed("expander", "A SAS expander."),
    crossed("enclosure", "A box that devices sit in."),
    medium("disk", "A disk with an arm, as a block device.", &[MANY, ARM, FLUSH, SIZE, LIMITS]),
    medium("ssd", "A solid-state disk, as a block device.", &[MANY, FLUSH, SIZE, LIMITS]),
    medium(
        "nvme",
        "A namespace of an NVMe drive, as a block device.",
        &[MANY, FLUSH, SIZE, LIMITS],
    ),
    medium(
        "part",
        "Any other block device, or anything that has limits only.",
        &[MANY, FLUSH, SIZE, LIMITS],
    ),
    volume(
        "lun",
        "A logical unit: the disks that stand in it, as one device.",
        LUN,
        &[MANY, RAID, MEMBERS, PLACED, SIZE, LIMITS],
    ),
    volume(
        "raid",
        "A RAID array over the disks that stand in it, or over its members.",
        LUN,
        &[MANY, RAID, MEMBERS, PLACED, SIZE, LIMITS],
    ),
    structure(
        "layout",
        "What is laid out over the path: volumes, file systems, files.",
        &["", "experiment"],
    ),
    volume(
        "stripe",
        "A volume over members in turn.",
        &["layout"],
        &[MANY, STRIPE, MEMBERS, PLACED, SIZE, LIMITS],
    ),
    volume(
        "concat",
        "A volume over members one after the other.",
        &["layout"],
        &[MANY, MEMBERS, PLACED, SIZE, LIMITS],
    ),
    volume(
        "mirror",
        "Volumes that keep each block on every side; one for each pair of its sides.",
        &["layout"],
        &[MIRROR, PLACED, SIZE, LIMITS],
    ),
    Kind {
        label: Label::MaybeName,
        properties: &[SIDE],
        ..structure("side", "One side of a mirror.", &["mirror"])
    },
    software(
        "filesystem",
        "A file system over volumes or devices.",
        &["layout"],
        &[FILE_SYSTEM, LIMITS],
    ),
    Kind {
        within: &["layout"],
        ..component(
            "file",
            "A regular file; without a `bind` a scratch file that has no name and vanishes.",
            Role::Target(TargetKind::File),
            &[MANY, SIZE, FILE, MODELLED_FILE],
        )
    },
    Kind {
        within: &["layout"],
        ..component(
            "tree",
            "Small files in directories, which a metadata load makes, looks at and removes; only a \
             measurement knows them.",
            Role::Target(TargetKind::Tree),
            &[MANY, TREE],
        )
    },
    software(
        "cache",
        "A cache in front of the volumes of what it stands in.",
        &["host", "array", "controller", "hba", "filesystem"],
        &[SIZE, CACHE],
    ),
    software(
        "readahead",
        "How a file system reads ahead of each sequential stream.",
        &["filesystem"],
        &[READAHEAD],
    ),
    software(
        "prefetch",
        "Threads that read ahead and write behind for all streams of a file system.",
        &["filesystem"],
        &[PREFETCH],
    ),
    software("pool", "Memory that a file system caches in.", &["filesystem"], &[SIZE]),
    software(
        "issue",
        "How a file system hands the parts of one request down.",
        &["filesystem"],
        &[ISSUE],
    ),
    software(
        "commit",
        "How a file system commits what was written: in groups, as ZFS does.",
        &["filesystem"],
        &[COMMIT],
    ),
    software(
        "cost",
        "Processor time that requests cost where they are handled.",
        &["host", "controller", "filesystem"],
        &[COST],
    ),
    Kind {
        role: Role::Link,
        label: Label::MaybeName,
        properties: &[ENDS, WIRE],
        ..structure("wire", "Cables between two lists of parts, one to one.", &["path"])
    },
    Kind {
        role: Role::Link,
        label: Label::MaybeName,
        properties: &[ENDS],
        ..structure(
            "zone",
            "Who may talk to whom, one to one; without any zone all that is wired may.",
            &["path"],
        )
    },
    Kind {
        role: Role::Policy,
        properties: &[MULTIPATH],
        ..structure("multipath", "How requests choose among several routes.", &["path"])
    },
    Kind {
        role: Role::Joint,
        label: Label::MaybeName,
        properties: &[BIND],
        ..structure(
            "bind",
            "Names the real files or devices that targets stand for, one to one.",
            &["", "path", "layout"],
        )
    },
    Kind {
        label: Label::Title,
        ..structure(
            "experiment",
            "A workload with its factors; a file's only one may stand without this block.",
            &[""],
        )
    },
    Kind {
        role: Role::Workload,
        properties: &[WORKLOAD, STREAM],
        ..structure(
            "workload",
            "What the streams do, how long and by which means; stream properties here are the \
             defaults of its streams.",
            &["", "experiment"],
        )
    },
    Kind {
        role: Role::Streams,
        label: Label::Name,
        properties: &[OVER, STREAM_COUNT, STREAM, MODELLED],
        ..structure("streams", "Workers, each with its chain of requests.", &["workload"])
    },
    structure("vary", "The factors; their levels multiply to the cases.", &["", "experiment"]),
    Kind {
        label: Label::TitleAndLevels,
        properties: &[FACTOR],
        ..structure(
            "factor",
            "What varies: `of` a property over the values behind it, or level by level.",
            &["vary"],
        )
    },
    Kind {
        label: Label::Title,
        keys: Keys::Paths,
        ..structure("level", "One level of a factor: a set of assignments.", &["factor"])
    },
    structure("published", "Figures that the source of the study states.", &["", "experiment"]),
    figure("given", "A figure that went into the study and so proves nothing."),
    figure("check", "A figure that the study must reproduce."),
    figure("identity", "A figure that follows from others by arithmetic."),
    figure("shape", "A statement about the course of a figure along a factor."),
    Kind {
        keys: Keys::Figures,
        ..structure(
            "against",
            "The case that a ratio is taken against: the factors that differ.",
            &["given", "check", "identity", "shape"],
        )
    },
];
