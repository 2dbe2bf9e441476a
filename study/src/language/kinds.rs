//! The table of kinds.

use super::properties::{
    BIND, COMPONENT, CONTAINER, EXPECTED, FACTOR, FILE, OVER, STREAM, STREAM_COUNT, STUDY, WORKLOAD,
};
use super::{Keys, Kind, Label, Property, Role};
use crate::case::TargetKind;

const IN_PATH: &[&str] = &["path", "host", "enclosure"];

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
    structure("path", "What lies between streams and media.", &["", "experiment"]),
    component("host", "A machine; contains other components.", Role::Container, &[CONTAINER]),
    component("enclosure", "A box that devices sit in.", Role::Container, &[CONTAINER]),
    component(
        "disk",
        "A disk with an arm, as a block device.",
        Role::Target(TargetKind::Device),
        &[COMPONENT],
    ),
    component(
        "nvme",
        "A namespace of an NVMe drive, as a block device.",
        Role::Target(TargetKind::Device),
        &[COMPONENT],
    ),
    component("part", "Any other block device.", Role::Target(TargetKind::Device), &[COMPONENT]),
    structure("layout", "What is laid out over the path: files.", &["", "experiment"]),
    Kind {
        within: &["layout"],
        ..component(
            "file",
            "A regular file; without a `bind` a scratch file that has no name and vanishes.",
            Role::Target(TargetKind::File),
            &[COMPONENT, FILE],
        )
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
        properties: &[OVER, STREAM_COUNT, STREAM],
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
