//! From a selector to instances of the sort that a property takes; what is none of the sort, or
//! selects nothing, is reported at the selector.

use crate::declaration::{Declaration, is_target};
use crate::instances::Instances;
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::print::with_article;
use crate::selector::Selector;
use crate::source::Sourced;

/// What a property takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What streams read and write.
    Bytes,
    /// What a volume or file system lies on: volumes, media, and files that lie on nothing.
    Member,
    /// What a file lies in.
    FileSystem,
    /// What a wire, a zone or a route meets: components and media.
    Component,
    /// Where a volume is split: components.
    Place,
    /// Where streams run.
    Machine,
}

impl Wanted {
    fn takes(self, row: &Declaration) -> bool {
        let kind = row.kind.name;
        let medium = matches!(kind, "disk" | "ssd" | "nvme" | "part");
        let component = row.kind.role == Role::Container;
        match self {
            Self::Bytes => is_target(row),
            Self::Member => match kind {
                "tree" => false,
                "file" => !row.values.contains_key("on"),
                _ => is_target(row),
            },
            Self::FileSystem => kind == "filesystem",
            Self::Component => component || medium,
            Self::Place => component,
            Self::Machine => matches!(kind, "host" | "socket" | "controller"),
        }
    }

    /// What is said of something that is not taken, behind "x is a kind".
    fn refusal(self) -> &'static str {
        match self {
            Self::Bytes => " and has no bytes itself",
            Self::Member => "; members are volumes, devices and files without a file system",
            Self::FileSystem => "; a file belongs in a filesystem",
            Self::Component => "; a component of the path is expected",
            Self::Place => "; a place is a component of the path",
            Self::Machine => "; streams run on a host, a socket or a controller",
        }
    }
}

/// The instances that a selector means; anything else is reported.
pub(crate) fn all(
    instances: &Instances<'_>,
    selector: &Sourced<Selector>,
    wanted: Wanted,
    collected: &mut Collected,
) -> Option<Vec<usize>> {
    let selected = match instances.select(&selector.value) {
        Ok(selected) => selected,
        Err(why) => {
            if let Some((message, hint)) = why {
                collected.hinted(MistakeKind::UnknownName, selector.span, message, hint);
            }
            return None;
        }
    };
    let refused = |at: &&usize| !wanted.takes(instances.all[**at].declaration);
    let Some(&other) = selected.iter().find(refused) else { return Some(selected) };
    if instances.is_unsure(&selector.value) {
        return None;
    }
    let row = instances.all[other].declaration;
    let message = format!("{} is {}{}", row.name, with_article(row.kind.name), wanted.refusal());
    let hint = row.children.iter().find(|child| wanted.takes(child));
    let hint = hint.map(|child| format!("write \"{}..{}\"", selector.value, child.name));
    collected.hinted(MistakeKind::UnknownName, selector.span, message, hint.unwrap_or_default());
    None
}

/// The same while instances are still being made: only what stands before is there.
pub(crate) fn before(
    instances: &Instances<'_>,
    selector: &Sourced<Selector>,
    wanted: Wanted,
    needs: &Declaration,
    collected: &mut Collected,
) -> Option<Vec<usize>> {
    if let Some(ahead) = selector.value.paths.iter().find(|path| instances.is_ahead(path)) {
        let name = &ahead.steps[0].name;
        let message = if *name == needs.name {
            format!("{name} contains itself")
        } else {
            format!("{name} stands behind {}; declare it before", needs.name)
        };
        collected.add(MistakeKind::Contradiction, selector.span, message);
        return None;
    }
    all(instances, selector, wanted, collected)
}
