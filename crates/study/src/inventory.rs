//! What there is of everything at some levels of an experiment, by declaration: how many within
//! each parent, what one costs, takes and draws. No instance is made for it, so that very many
//! cases can be priced. Left out: what an assignment with an index changes.

use iopath_units::Ratio;

use crate::declaration::Declaration;
use crate::experiment::Experiment;
use crate::language::Role;
use crate::mistake::Collected;
use crate::scene::Scene;

/// One declaration of a path or layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name, without indexes: `server.hba`.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Position of what it stands in, before its own.
    pub parent: Option<usize>,
    /// How many within each parent.
    pub count: u32,
    /// Price of one.
    pub price: Option<Ratio>,
    /// Rack space of one.
    pub rack_units: Option<Ratio>,
    /// Power of one, in watts.
    pub watts: Option<Ratio>,
}

impl Experiment {
    /// Every component with these levels, by their places in the factors; the same list whatever
    /// the levels, but for its numbers.
    #[must_use]
    pub fn inventory(&self, places: &[usize]) -> Vec<Item> {
        // What is wrong with a case is found when it is made.
        let (scene, _) = self.at(&self.levels_at(places), &mut Collected::default());
        let mut items = Vec::new();
        for root in parts(&scene) {
            add(root, None, &mut items);
        }
        items
    }

    /// Whether the last name of a property's path is a member of a RAID 1 at any level of any
    /// factor: how many there are is how many copies.
    #[must_use]
    pub fn has_copies_of(&self, path: &str) -> bool {
        let name = path.rsplit('.').nth(1).unwrap_or(path);
        let first = vec![0; self.factors.len()];
        let factors = self.factors.iter().enumerate();
        let mut builds = factors.flat_map(|(at, factor)| {
            let with = |level| {
                let mut build = first.clone();
                build[at] = level;
                build
            };
            (0..factor.levels.len()).map(with).collect::<Vec<_>>()
        });
        builds.any(|build| {
            let (scene, _) = self.at(&self.levels_at(&build), &mut Collected::default());
            has_copies_of(&scene.roots, name)
        })
    }
}

/// Whether the members of a declaration are copies of one another.
fn is_mirror(declaration: &Declaration) -> bool {
    let level = declaration.get("level").and_then(|level| level.value.count());
    matches!(declaration.kind.name, "raid" | "lun") && level == Some(1)
}

fn has_copies_of(declarations: &[Declaration], name: &str) -> bool {
    declarations.iter().any(|one| {
        (is_mirror(one) && one.children.iter().any(|child| child.name == name))
            || has_copies_of(&one.children, name)
    })
}

fn parts(scene: &Scene) -> impl Iterator<Item = &Declaration> {
    scene.roots.iter().filter(|root| is_part(root))
}

fn is_part(declaration: &Declaration) -> bool {
    matches!(declaration.kind.role, Role::Container | Role::Target(_))
}

fn add(declaration: &Declaration, parent: Option<usize>, items: &mut Vec<Item>) {
    let number = |name: &str| declaration.get(name).and_then(|stated| stated.value.share());
    let within = parent.map(|parent: usize| format!("{}.", items[parent].name));
    let at = items.len();
    items.push(Item {
        name: within.unwrap_or_default() + &declaration.name,
        kind: declaration.kind.name,
        parent,
        count: declaration.count().unwrap_or(1),
        price: number("price"),
        rack_units: number("rack-units"),
        watts: number("watts"),
    });
    for child in declaration.children.iter().filter(|child| is_part(child)) {
        add(child, Some(at), items);
    }
}
