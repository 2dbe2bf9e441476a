//! A scene: the declarations that hold in one experiment, and the edits that assignments make to
//! them. An assignment without an index edits the declaration before it is expanded; one with an
//! index edits instances, and its path is kept until there are some.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::declaration::{Declaration, Reader};
use crate::language::{Property, Role};
use crate::mistake::MistakeKind;
use crate::nearest;
use crate::parts::Parts;
use crate::print::with_article;
use crate::selector::{Join, Path, Step};
use crate::source::{Sourced, Span};
use crate::syntax::Entry;
use crate::value::{PropertyPath, Value};

/// Properties that belong to a whole declaration, never to one of its instances.
const WHOLE: [&str; 17] = [
    "count",
    "use",
    "over",
    "on",
    "at",
    "via",
    "region",
    "rate",
    "arrivals",
    "from",
    "hit",
    "behind",
    "lag",
    "after",
    "start-delay",
    "prepare",
    "load",
];

/// All declarations of one experiment; the streams stand beside the workload.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub roots: Vec<Declaration>,
    /// How many of the roots are of the path: they stand first.
    pub in_path: usize,
    /// What `use` names.
    pub parts: Arc<Parts>,
    /// Names that are unknown only because their declarations could not be read.
    pub lost: BTreeSet<String>,
    /// Whether a whole path could not be read.
    pub blind: bool,
}

/// An assignment that is known to fit its scene.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub path: PropertyPath,
    pub property: &'static Property,
    pub value: Sourced<Value>,
}

/// Why a path finds nothing; `None` where the reason was reported before.
pub(crate) type NotFound = Option<(String, String)>;

impl Scene {
    /// The roots of a role.
    pub(crate) fn with_role(&self, role: Role) -> impl Iterator<Item = &Declaration> {
        self.roots.iter().filter(move |root| root.kind.role == role)
    }

    /// The workload, where the experiment has one.
    pub(crate) fn workload(&self) -> Option<&Declaration> {
        self.with_role(Role::Workload).next()
    }

    /// All declarations that a path means, its indexes left aside; at least one.
    pub(crate) fn find(&self, path: &Path) -> Result<Vec<&Declaration>, NotFound> {
        let mut level: Vec<&Declaration> = self.roots.iter().collect();
        let mut found = Vec::new();
        for (index, step) in path.steps.iter().enumerate() {
            if index > 0 {
                level = found.iter().flat_map(|d: &&Declaration| &d.children).collect();
            }
            if step.join == Join::Below {
                level = with_descendants(&level);
            }
            found = level.iter().copied().filter(|d| d.name == step.name).collect();
            if found.is_empty() {
                return Err(self.not_found(step, &path.steps[..index], &level));
            }
        }
        Ok(found)
    }

    fn not_found(&self, step: &Step, before: &[Step], level: &[&Declaration]) -> NotFound {
        if self.blind || before.iter().chain([step]).any(|step| self.lost.contains(&step.name)) {
            return None;
        }
        if step.join == Join::Child
            && let Some(parent) = before.last()
            && with_descendants(level).iter().any(|below| below.name == step.name)
        {
            let message = format!("there is no \"{}\" directly in {}", step.name, parent.name);
            return Some((message, format!("it is deeper: write {}..{}", parent.name, step.name)));
        }
        let names: BTreeSet<&str> = level.iter().map(|declaration| &*declaration.name).collect();
        let names = names.into_iter().filter(|name| !name.is_empty());
        let message = match before.last() {
            Some(parent) => format!("there is no \"{}\" in {}", step.name, parent.name),
            None => format!("there is no \"{}\"", step.name),
        };
        Some((message, nearest::hint(&step.name, names)))
    }

    /// Applies an edit without an index.
    pub(crate) fn apply(&mut self, edit: &Edit) {
        visit(&mut self.roots, &edit.path.path.steps, &mut |declaration| {
            declaration.values.insert(edit.property.name, edit.value.clone());
        });
    }

    /// Reads an assignment; what does not fit is reported.
    pub(crate) fn edit(
        &self,
        reader: &mut Reader,
        path: &Sourced<PropertyPath>,
        entry: &Entry,
    ) -> Option<Edit> {
        let property = match self.property(&path.value) {
            Ok(property) => property,
            Err((kind, message, hint)) => {
                if !message.is_empty() {
                    reader.collected.hinted(kind, path.span, message, hint);
                }
                return None;
            }
        };
        let value = reader.value(property, entry);
        Some(Edit { path: path.value.clone(), property, value })
    }

    /// The property that a path means; an empty message where the reason was reported before.
    fn property(
        &self,
        path: &PropertyPath,
    ) -> Result<&'static Property, (MistakeKind, String, String)> {
        let found = self.find(&path.path).map_err(|why| {
            let (message, hint) = why.unwrap_or_default();
            (MistakeKind::UnknownName, message, hint)
        })?;
        let mut property = None;
        for declaration in found {
            let kind = declaration.kind;
            let Some(own) = kind.property(&path.property) else {
                let message = format!(
                    "{} is {} and has no property \"{}\"",
                    declaration.name,
                    with_article(kind.name),
                    path.property
                );
                let names = kind.all_properties().map(|property| property.name);
                let hint = nearest::hint(&path.property, names);
                return Err((MistakeKind::UnknownProperty, message, hint));
            };
            if path.path.is_indexed() {
                indexable(declaration, own)?;
            }
            property = Some(own);
        }
        property.ok_or_else(|| (MistakeKind::UnknownName, String::new(), String::new()))
    }
}

/// Whether one instance may differ from the others in this property.
fn indexable(
    declaration: &Declaration,
    property: &Property,
) -> Result<(), (MistakeKind, String, String)> {
    let whole = match declaration.kind.role {
        Role::Streams | Role::Target(_) | Role::Container | Role::Software => {
            WHOLE.contains(&property.name)
        }
        Role::Workload
        | Role::Failure
        | Role::Joint
        | Role::Link
        | Role::Policy
        | Role::Catalogue
        | Role::Structure => true,
    };
    if !whole {
        return Ok(());
    }
    let message = format!("{} applies to the whole declaration and has no index", property.name);
    Err((
        MistakeKind::Contradiction,
        message,
        format!("write {}.{}", declaration.name, property.name),
    ))
}

fn with_descendants<'a>(level: &[&'a Declaration]) -> Vec<&'a Declaration> {
    let mut all = Vec::new();
    for declaration in level {
        all.push(*declaration);
        let children: Vec<_> = declaration.children.iter().collect();
        all.extend(with_descendants(&children));
    }
    all
}

fn visit(
    declarations: &mut [Declaration],
    steps: &[Step],
    change: &mut impl FnMut(&mut Declaration),
) {
    let Some((step, rest)) = steps.split_first() else { return };
    for declaration in declarations {
        if declaration.name == step.name {
            if rest.is_empty() {
                change(declaration);
            } else {
                visit(&mut declaration.children, rest, change);
            }
        }
        if step.join == Join::Below {
            visit(&mut declaration.children, steps, change);
        }
    }
}

/// Reads the path of an assignment; what is none is reported.
pub(crate) fn property_path(
    reader: &mut Reader,
    text: &str,
    span: Span,
) -> Option<Sourced<PropertyPath>> {
    match PropertyPath::parse(text) {
        Ok(value) => Some(Sourced { value, origin: crate::source::Origin::Unstated, span }),
        Err(why) => {
            let message = format!("\"{text}\" is not the path of a property: {why}");
            reader.collected.add(MistakeKind::Value, span, message);
            None
        }
    }
}
