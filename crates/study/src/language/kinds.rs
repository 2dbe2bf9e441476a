//! The table of kinds.

use super::properties::{
    ARM, BIND, CACHE, CACHED, COMMIT, COST, ENDS, EXPECTED, FACTOR, FAIL, FILE, FILE_SYSTEM, FLUSH,
    ISSUE, LIMITS, MANY, MEMBERS, MIRROR, MODELLED, MODELLED_FILE, MOST_LUNS, MOST_MEMBERS,
    MULTIPATH, OVER, PATH, PLACED, PREFETCH, PROCESSOR, RAID, READAHEAD, SERVICE, SIDE, SIZE, STEP,
    STREAM, STREAM_COUNT, STRIPE, STUDY, TREE, WIRE, WORKLOAD,
};
use super::{Class, Keys, Kind, Label, Property, Role};
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

const fn kind(name: &'static str, role: Role, within: &'static [&'static str]) -> Kind {
    let (class, keys) = (Class::Structure, Keys::Properties);
    Kind { name, doc: "", role, class, within, label: Label::None, properties: &[], keys }
}

impl Kind {
    const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    const fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    const fn within(self, within: &'static [&'static str]) -> Self {
        Self { within, ..self }
    }

    const fn label(self, label: Label) -> Self {
        Self { label, ..self }
    }

    const fn keys(self, keys: Keys) -> Self {
        Self { keys, ..self }
    }

    const fn with(self, properties: &'static [&'static [Property]]) -> Self {
        Self { properties, ..self }
    }
}

const fn structure(name: &'static str, within: &'static [&'static str]) -> Kind {
    kind(name, Role::Structure, within)
}

const fn component(
    name: &'static str,
    role: Role,
    class: Class,
    properties: &'static [&'static [Property]],
) -> Kind {
    kind(name, role, IN_PATH).class(class).label(Label::Name).with(properties)
}

/// A part of the path that requests cross.
const fn crossed(name: &'static str, class: Class, doc: &'static str) -> Kind {
    component(name, Role::Container, class, &[MANY, LIMITS]).doc(doc)
}

/// A part of the path with processors and memory.
const fn computing(name: &'static str, class: Class, doc: &'static str) -> Kind {
    component(name, Role::Container, class, &[MANY, PROCESSOR, LIMITS]).doc(doc)
}

const fn medium(name: &'static str, properties: &'static [&'static [Property]]) -> Kind {
    component(name, VOLUME, Class::Medium, properties).within(MEDIUM)
}

const fn volume(
    name: &'static str,
    within: &'static [&'static str],
    properties: &'static [&'static [Property]],
) -> Kind {
    component(name, VOLUME, Class::Volume, properties).within(within)
}

/// Something that belongs to what it stands in.
const fn software(
    name: &'static str,
    within: &'static [&'static str],
    properties: &'static [&'static [Property]],
) -> Kind {
    component(name, Role::Software, Class::Software, properties).within(within)
}

const fn figure(name: &'static str, doc: &'static str) -> Kind {
    let figure = structure(name, &["published"]).label(Label::MaybeTitle).keys(Keys::Figures);
    figure.with(&[EXPECTED]).doc(doc)
}

/// Every kind there is.
pub static KINDS: &[Kind] = &[
    structure("study", &[""])
        .label(Label::Title)
        .with(&[STUDY])
        .doc("The title of the study; once in every file."),
    structure("set", &["", "experiment"])
        .keys(Keys::Paths)
        .doc("Assignments that hold in every case, as `--set` makes them."),
    kind("parts", Role::Catalogue, &[""]).doc("Parts for `use`, in addition to the catalogue's."),
    structure("path", &["", "experiment"]).with(&[PATH]).doc("What is between streams and media."),
    computing("host", Class::Host, "A machine that streams run on, or that serves others.")
        .with(&[MANY, PROCESSOR, MOST_LUNS, LIMITS]),
    computing("socket", Class::Adapter, "A processor with its memory and root ports."),
    crossed("drawer", Class::Structure, "A box of adapters outside the machine."),
    crossed("planar", Class::Structure, "A board with slots."),
    crossed("link", Class::Structure, "A cable or lane inside a machine."),
    crossed("bridge", Class::Structure, "A host bridge or bus bridge; contains its slots."),
    crossed("root-port", Class::Adapter, "A PCI Express port of a processor."),
    crossed(
        "pcie-switch",
        Class::Expander,
        "A PCI Express switch; its own limits are those of its upstream port.",
    ),
    crossed("hba", Class::Initiator, "A host bus adapter; takes a wire itself or by its ports."),
    crossed("nic", Class::Adapter, "A network adapter."),
    crossed(
        "port",
        Class::Structure,
        "A port of an adapter, a switch or an array; takes one wire.",
    ),
    crossed(
        "switch",
        Class::Switch,
        "A switch of the fabric; its own limits are those between its ASICs.",
    ),
    crossed(
        "asic",
        Class::Switch,
        "A part of a switch within which ports communicate at full \
         rate.",
    ),
    crossed(
        "array",
        Class::Adapter,
        "A storage array; its own limits are those of the link between its controllers.",
    )
    .with(&[MANY, MOST_LUNS, LIMITS]),
    computing(
        "controller",
        Class::Controller,
        "A controller of an array or a node; it owns the volumes in it.",
    )
    .with(&[MANY, PROCESSOR, MOST_LUNS, LIMITS]),
    crossed("expander", Class::Expander, "A SAS expander."),
    crossed("enclosure", Class::Structure, "A box with devices."),
    medium("disk", &[MANY, ARM, FLUSH, SIZE, LIMITS]).doc("A disk with an arm, as a block device."),
    medium("ssd", &[MANY, SERVICE, FLUSH, SIZE, LIMITS])
        .doc("A solid-state disk, as a block device."),
    medium("nvme", &[MANY, SERVICE, FLUSH, SIZE, LIMITS])
        .doc("A namespace of an NVMe drive, as a block device."),
    medium("part", &[MANY, SERVICE, FLUSH, SIZE, LIMITS])
        .doc("Any other block device, or anything that has limits only."),
    volume("lun", LUN, &[MANY, RAID, CACHED, MEMBERS, MOST_MEMBERS, PLACED, SIZE, LIMITS])
        .doc("A logical unit: the disks in it, as one device."),
    volume("raid", LUN, &[MANY, RAID, CACHED, MEMBERS, MOST_MEMBERS, PLACED, SIZE, LIMITS])
        .doc("A RAID array over the disks in it, or over its members."),
    structure("layout", &["", "experiment"])
        .doc("Layout over the path: volumes, file systems, files."),
    volume("stripe", &["layout"], &[MANY, STRIPE, MEMBERS, MOST_MEMBERS, PLACED, SIZE, LIMITS])
        .doc("A volume over members in turn."),
    volume("concat", &["layout"], &[MANY, MEMBERS, MOST_MEMBERS, PLACED, SIZE, LIMITS])
        .doc("A volume over consecutive members."),
    volume("mirror", &["layout"], &[MIRROR, MOST_MEMBERS, PLACED, SIZE, LIMITS])
        .doc("Volumes that keep each block on every side; one for each pair of its sides."),
    structure("side", &["mirror"])
        .label(Label::MaybeName)
        .with(&[SIDE])
        .doc("One side of a mirror."),
    software("filesystem", &["layout"], &[FILE_SYSTEM, LIMITS])
        .class(Class::File)
        .doc("A file system over volumes or devices."),
    component(
        "file",
        Role::Target(TargetKind::File),
        Class::File,
        &[MANY, SIZE, FILE, MODELLED_FILE],
    )
    .within(&["layout"])
    .doc("A regular file; without a `bind` a scratch file that has no name and vanishes."),
    component("tree", Role::Target(TargetKind::Tree), Class::Structure, &[MANY, TREE])
        .within(&["layout"])
        .doc(
            "Small files in directories, which a metadata load creates, looks up and removes; \
             measurements only.",
        ),
    software("cache", &["host", "array", "controller", "hba", "filesystem"], &[SIZE, CACHE])
        .doc("A cache in front of the volumes of its container."),
    software("readahead", &["filesystem"], &[READAHEAD])
        .doc("How a file system reads ahead of each sequential stream."),
    software("prefetch", &["filesystem"], &[PREFETCH])
        .doc("Threads that read ahead and write behind for all streams of a file system."),
    software("pool", &["filesystem"], &[SIZE]).doc("Memory that a file system caches in."),
    software("issue", &["filesystem"], &[ISSUE])
        .doc("How a file system issues the parts of one request."),
    software("commit", &["filesystem"], &[COMMIT])
        .doc("How a file system commits writes: in groups, as ZFS does."),
    software("cost", &["parts", "host", "controller", "filesystem"], &[COST])
        .doc("Processor time of requests where they are handled."),
    kind("wire", Role::Link, &["path"])
        .label(Label::MaybeName)
        .with(&[ENDS, WIRE])
        .doc("Cables between two lists of parts, one to one."),
    kind("zone", Role::Link, &["path"])
        .label(Label::MaybeName)
        .with(&[ENDS])
        .doc("Which ends may communicate, one to one; without any zone all that are wired."),
    kind("multipath", Role::Policy, &["path"])
        .with(&[MULTIPATH])
        .doc("How requests choose among several routes."),
    kind("bind", Role::Joint, &["", "path", "layout"])
        .label(Label::MaybeName)
        .with(&[BIND])
        .doc("The real files or devices of targets, one to one."),
    structure("experiment", &[""])
        .label(Label::Title)
        .doc("A workload with its factors; a file's only one needs no such block."),
    kind("workload", Role::Workload, &["", "experiment"])
        .with(&[WORKLOAD, STREAM])
        .doc("What the streams do, how long and how; stream properties here are defaults."),
    kind("streams", Role::Streams, &["workload"])
        .label(Label::Name)
        .with(&[OVER, STREAM_COUNT, STREAM, MODELLED])
        .doc("Streams, each a chain of requests."),
    kind("fail", Role::Failure, &["workload"])
        .label(Label::MaybeName)
        .with(&[FAIL])
        .doc("Parts of the path that fail during a pass; simulations only."),
    structure("vary", &["", "experiment"]).doc("The factors; their levels multiply to the cases."),
    structure("factor", &["vary"])
        .label(Label::TitleAndLevels)
        .with(&[FACTOR])
        .doc("What varies: `of` a property over the values that follow, or level by level."),
    structure("level", &["factor"])
        .label(Label::Title)
        .keys(Keys::Paths)
        .doc("One level of a factor: a set of assignments."),
    structure("published", &["", "experiment"]).doc("Figures that the source of the study states."),
    figure("given", "A figure used in the study, which so proves nothing."),
    figure("check", "A figure that the study must reproduce."),
    figure("identity", "A figure that follows from others by arithmetic."),
    figure("shape", "A statement about a figure along a factor."),
    structure("step", &["", "experiment"]).label(Label::MaybeTitle).with(&[STEP]).doc(
        "What an experiment is for in a runbook, and what is expected of it; at the top level, \
         with a title, a step that is no experiment.",
    ),
    structure("against", &["given", "check", "identity", "shape"])
        .keys(Keys::Figures)
        .doc("The case that a ratio is taken against: the factors that differ."),
];
