//! The text of one case: the study with nothing left to choose. Values of levels stand where they
//! hold, defaults are written out, so that another version with other defaults reads the same
//! case; each factor keeps its one level, so that the case keeps its name.

use std::fmt::Write;

use crate::declaration::{Declaration, default};
use crate::experiment::Experiment;
use crate::language::{Kind, Role};
use crate::print::{key, quoted};
use crate::resolve::PASSES_UNTIL_CI;
use crate::scene::{Edit, Scene};
use crate::source::{Origin, Sourced};
use crate::syntax::{Entry, Form};
use crate::unused;
use crate::value::Value;
use crate::vary::{Factor, Level};

/// What stands above all experiments.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    pub title: &'a str,
    pub source: Option<&'a Sourced<Value>>,
}

struct Writer<'a> {
    out: String,
    depth: usize,
    scene: &'a Scene,
    indexed: &'a [&'a Edit],
}

/// Prints one case.
pub(crate) fn case(
    head: Head<'_>,
    experiment: &Experiment,
    (scene, indexed): (&Scene, &[&Edit]),
    levels: &[&Level],
) -> String {
    let mut writer = Writer { out: String::new(), depth: 0, scene, indexed };
    writer.ground(head, experiment);
    let block = experiment.title != head.title;
    if block {
        writer.open(&format!("experiment {}", quoted(&experiment.title)));
    }
    if let Some(workload) = scene.workload() {
        writer.open(&writer.head(workload));
        for role in [Role::Streams, Role::Failure] {
            scene.with_role(role).for_each(|row| writer.line(&writer.head(row)));
        }
        writer.close();
    }
    if !levels.is_empty() {
        writer.open("vary");
        for (factor, level) in experiment.factors.iter().zip(levels) {
            writer.factor(factor, level);
        }
        writer.close();
    }
    if block {
        writer.close();
    }
    writer.out
}

/// Prints what an experiment shares with others over the same path: all but its load.
pub(crate) fn ground(head: Head<'_>, experiment: &Experiment) -> String {
    let scene = &experiment.scene;
    let mut writer = Writer { out: String::new(), depth: 0, scene, indexed: &[] };
    writer.ground(head, experiment);
    writer.out
}

impl Writer<'_> {
    /// Title, path, layout, and what is assigned to some of their parts.
    fn ground(&mut self, head: Head<'_>, experiment: &Experiment) {
        let source = head.source.map(|source| format!(" source={}", stated(source)));
        self.line(&format!("study {}{}", quoted(head.title), source.unwrap_or_default()));
        let (path, layout) = self.scene.roots.split_at(self.scene.in_path);
        self.section("path", path);
        self.section("layout", layout);
        for row in self.scene.with_role(Role::Joint) {
            self.declaration(row);
        }
        for edit in &experiment.indexed {
            self.line(&format!("set{}", assignment(edit)));
        }
    }

    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        // Writing to a String does not fail.
        let _ = writeln!(self.out, "{indent}{text}");
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// The roots of a section.
    fn section(&mut self, name: &str, roots: &[Declaration]) {
        let belongs = |root: &&Declaration| match root.kind.role {
            Role::Container | Role::Target(_) | Role::Software | Role::Link | Role::Policy => true,
            Role::Structure
            | Role::Catalogue
            | Role::Joint
            | Role::Workload
            | Role::Streams
            | Role::Failure => false,
        };
        let roots: Vec<&Declaration> = roots.iter().filter(belongs).collect();
        if roots.is_empty() {
            return;
        }
        self.open(name);
        for root in roots {
            self.declaration(root);
        }
        self.close();
    }

    fn declaration(&mut self, row: &Declaration) {
        let head = self.head(row);
        if row.children.is_empty() {
            self.line(&head);
            return;
        }
        self.open(&head);
        for child in &row.children {
            self.declaration(child);
        }
        self.close();
    }

    /// Kind, name and properties.
    fn head(&self, row: &Declaration) -> String {
        let mut head = row.kind.name.to_owned();
        if !row.name.is_empty() && row.name != row.kind.name {
            head.push(' ');
            head.push_str(&quoted(&row.name));
        }
        let unused = unused::of(self.scene, self.indexed, row);
        for property in row.kind.all_properties() {
            if unused.contains(property.name) {
                continue;
            }
            if let Some(value) = self.value(row, property.name) {
                let _ = write!(head, " {}={}", property.name, stated(&value));
            }
        }
        head
    }

    /// The value to print: what is stated, else a default that another version might change.
    fn value(&self, row: &Declaration, name: &str) -> Option<Sourced<Value>> {
        if let Some(value) = row.values.get(name) {
            return Some(value.clone());
        }
        let own = match row.kind.role {
            Role::Workload => !is_stream_property(name),
            Role::Streams => !self.scene.workload()?.values.contains_key(name),
            Role::Failure => true,
            Role::Container
            | Role::Target(_)
            | Role::Software
            | Role::Joint
            | Role::Link
            | Role::Policy
            | Role::Catalogue
            | Role::Structure => false,
        };
        if !own || name == "count" {
            return None;
        }
        let mut value = default(row.kind.property(name)?, row.span)?;
        if name == "passes" && row.values.contains_key("until-ci") {
            value.value = Value::Count(u64::from(PASSES_UNTIL_CI));
        }
        Some(value)
    }

    /// A factor with its one level; what it chose by `use` is merged in already.
    fn factor(&mut self, factor: &Factor, level: &Level) {
        let name = quoted(&factor.name);
        let merged = |edit: &&Edit| edit.property.name == "use";
        if let Some(of) = factor.of.as_ref().filter(|_| !level.edits.iter().any(|e| merged(&e))) {
            self.line(&format!("factor {name} of={} {}", quoted(of), written(&level.entry)));
            return;
        }
        let edits: String =
            level.edits.iter().filter(|edit| !merged(edit)).map(assignment).collect();
        self.open(&format!("factor {name}"));
        self.line(&format!("level {}{edits}", written(&level.entry)));
        self.close();
    }
}

fn is_stream_property(name: &str) -> bool {
    Kind::named("streams").is_some_and(|kind| kind.property(name).is_some())
}

fn assignment(edit: &Edit) -> String {
    format!(" {}={}", key(&edit.path.to_string()), stated(&edit.value))
}

fn stated(value: &Sourced<Value>) -> String {
    format!("{}{}", value.origin, value.value)
}

fn written(entry: &Entry) -> String {
    let origin: &Origin = &entry.origin;
    match entry.written.form {
        Form::Number => format!("{origin}{}", entry.written.text),
        Form::Flag => format!("{origin}#{}", entry.written.text),
        Form::Text | Form::Raw | Form::Failed => format!("{origin}{}", quoted(&entry.written.text)),
    }
}
