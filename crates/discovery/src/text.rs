//! What was found as a study file: path, layout, binds, and streams that read it.
//!
//! The text is for people to read and change: equal parts in one line, the kernel's names and what
//! is known besides in comments. It is correct by the language's own judgement, which tests hold it
//! to. Leaves out: factors and published figures.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{is_plain, quoted};
use iopath_units::Bytes;

use crate::fold::{Declaration, Places, RESERVED, declarations, unused};
use crate::model::{Discovered, Property, Volume};
use crate::names;

/// Longest line, in characters.
const WIDTH: usize = 100;

/// Bytes of a request of the streams: as `measure` has them where nothing is said.
const BLOCK: u64 = 1 << 20;

/// As many of the kernel's names as are told in a comment: chosen.
const TOLD: usize = 4;

impl Discovered {
    /// The study file.
    #[must_use]
    pub fn study(&self) -> String {
        let declarations = declarations(&self.path);
        let places = Places::of(&declarations);
        let names = self.names(&declarations, &places);
        let mut writer = Writer { out: String::new(), depth: 0 };
        self.head(&mut writer);
        self.write_parts(&mut writer);
        self.write_path(&mut writer, &declarations, &places);
        self.write_layout(&mut writer, &names);
        self.write_workload(&mut writer, &names);
        writer.out
    }

    /// What each volume, file system and file is called: top-level names are unique.
    fn names<'a>(&'a self, declarations: &[Declaration], places: &'a Places) -> Names<'a> {
        let mut taken: BTreeSet<String> =
            declarations.iter().map(|declaration| declaration.name.clone()).collect();
        taken.insert(RESERVED.to_owned());
        let mut free = |name: &str| unused(name, &mut taken);
        Names {
            places,
            streams: free("reader"),
            volumes: self.volumes.iter().map(|one| (&*one.kernel, free(&one.name))).collect(),
            systems: self.file_systems.iter().map(|one| (&*one.name, free(&one.name))).collect(),
            files: self.files.iter().map(|one| (&*one.name, free(&one.name))).collect(),
        }
    }

    fn head(&self, writer: &mut Writer) {
        writer.line(&format!("study {} source=\"iopath discover\"", quoted(&self.title)));
    }

    fn write_parts(&self, writer: &mut Writer) {
        if self.parts.is_empty() {
            return;
        }
        writer.blank();
        writer.open("parts");
        for part in &self.parts {
            writer.comment(&part.remark);
            let words = vec![part.kind.to_owned(), quoted(&part.name)];
            writer.node(words, &part.values, false);
        }
        writer.close();
    }

    fn write_path(&self, writer: &mut Writer, declarations: &[Declaration], places: &Places) {
        if declarations.is_empty() {
            return;
        }
        writer.blank();
        writer.open("path");
        for declaration in declarations {
            writer.declaration(declaration);
        }
        self.write_wires(writer, places);
        if let Some(policy) = self.policy {
            let said = if self.policy_is_assumed { "(assumed)" } else { "" };
            writer.line(&format!("multipath policy={said}{}", quoted(policy)));
        }
        for declaration in declarations {
            write_binds(writer, declaration, places);
        }
        writer.close();
    }

    /// Wires to the same part, from the same box, are one line.
    fn write_wires(&self, writer: &mut Writer, places: &Places) {
        struct Group<'a> {
            to: &'a String,
            top: Option<&'a String>,
            from: Vec<String>,
        }
        let mut groups: Vec<Group<'_>> = Vec::new();
        for wire in &self.wires {
            let top = places.of.get(&wire.from).and_then(|way| way.first()).map(|step| &step.name);
            let to = &wire.to;
            match groups.iter_mut().find(|group| group.to == to && group.top == top) {
                Some(group) => group.from.push(wire.from.clone()),
                None => groups.push(Group { to, top, from: vec![wire.from.clone()] }),
            }
        }
        for Group { to, from, .. } in groups {
            let from = places.select(&places.sorted(&from));
            let to = places.select(std::slice::from_ref(to));
            if let Some((from, to)) = from.zip(to) {
                let ends = [("from", from), ("to", to)];
                let ends = ends.map(|(name, selector)| Property::quantity(name, &selector));
                writer.node(vec!["wire".to_owned()], &ends, false);
            }
        }
    }

    fn write_layout(&self, writer: &mut Writer, names: &Names<'_>) {
        if self.volumes.is_empty() && self.file_systems.is_empty() && self.files.is_empty() {
            return;
        }
        writer.blank();
        writer.open("layout");
        for volume in &self.volumes {
            writer.comment(&volume.remark);
            self.write_volume(writer, names, volume);
        }
        for system in &self.file_systems {
            writer.comment(&system.remark);
            let mut values = vec![Property::quantity("on", &names.select(&system.on))];
            values.extend(system.values.iter().cloned());
            let words = vec!["filesystem".to_owned(), quoted(names.system(&system.name))];
            writer.node(words, &values, false);
        }
        for file in &self.files {
            let name = &names.files[&*file.name];
            writer.comment(&file.remark);
            let on = file.on.as_ref().map(|on| Property::quantity("on", names.system(on)));
            let values: Vec<Property> = on.into_iter().chain(file.values.iter().cloned()).collect();
            writer.node(vec!["file".to_owned(), quoted(name)], &values, false);
            if let Some(path) = &file.path {
                writer.bind(name, path);
            }
        }
        writer.close();
    }

    fn write_volume(&self, writer: &mut Writer, names: &Names<'_>, volume: &Volume) {
        let name = &names.volumes[&*volume.kernel];
        let words = vec![volume.kind.to_owned(), quoted(name)];
        if volume.kind == "mirror" {
            writer.node(words, &volume.values, true);
            for side in &volume.over {
                let of = Property::quantity("of", &names.select(std::slice::from_ref(side)));
                writer.node(vec!["side".to_owned()], &[of], false);
            }
            writer.close();
        } else {
            let mut values = volume.values.clone();
            values.push(Property::quantity("over", &names.select(&volume.over)));
            writer.node(words, &values, false);
        }
        if let Some(node) = volume.node.as_ref().filter(|node| names::can_be_bound(node)) {
            writer.bind(name, node);
        }
    }

    fn write_workload(&self, writer: &mut Writer, names: &Names<'_>) {
        let over = names.targets(&self.targets);
        if over.is_empty() {
            return;
        }
        writer.blank();
        writer.line("// A workload that only reads.");
        writer.open("workload time=\"10 s\" warm-up=\"2 s\" passes=3");
        let mut values = vec![Property::quantity("over", &over)];
        // Of several machines the first is the one that was looked at.
        let hosts = self.path.iter().filter(|part| part.kind == "host").count();
        let own =
            self.path.first().map(|part| names.places.select(std::slice::from_ref(&part.kernel)));
        if let Some(own) = own.flatten().filter(|_| hosts > 1) {
            values.push(Property::quantity("on", &own));
        }
        // No file is smaller than one request to it.
        let smallest = self.files.iter().map(|file| file.bytes).filter(|bytes| *bytes > 0).min();
        let block = smallest.map_or(BLOCK, |bytes| BLOCK.min(1 << bytes.ilog2()));
        values.push(Property::quantity("block", &Bytes(block).to_string()));
        values.push(Property::number("depth", 8));
        writer.node(vec!["streams".to_owned(), quoted(&names.streams)], &values, false);
        writer.close();
    }
}

/// The devices of a declaration by their nodes, then of those in it.
fn write_binds(writer: &mut Writer, declaration: &Declaration, places: &Places) {
    let can_be = declaration.nodes.iter().all(|node| names::can_be_bound(node));
    let selector = places.select(&declaration.kernel).filter(|_| can_be);
    if let Some(selector) = selector.filter(|_| !declaration.nodes.is_empty()) {
        writer.bind(&selector, &names::compressed(&declaration.nodes));
    }
    for child in &declaration.children {
        write_binds(writer, child, places);
    }
}

/// What parts are called in the text.
struct Names<'a> {
    places: &'a Places,
    streams: String,
    volumes: BTreeMap<&'a str, String>,
    systems: BTreeMap<&'a str, String>,
    files: BTreeMap<&'a str, String>,
}

impl Names<'_> {
    /// A selector of devices and volumes, in this order. What is nowhere is left out.
    fn select(&self, wanted: &[String]) -> String {
        let mut paths: Vec<String> = Vec::new();
        let mut devices: Vec<String> = Vec::new();
        let flush = |devices: &mut Vec<String>, paths: &mut Vec<String>| {
            if !devices.is_empty() {
                paths.extend(self.places.select(devices));
                devices.clear();
            }
        };
        for name in wanted {
            match self.volumes.get(name.as_str()) {
                Some(volume) => {
                    flush(&mut devices, &mut paths);
                    paths.push(volume.clone());
                }
                None if self.places.has(name) => devices.push(name.clone()),
                None => {}
            }
        }
        flush(&mut devices, &mut paths);
        paths.join(", ")
    }

    fn system(&self, key: &str) -> &str {
        self.systems.get(key).map_or("", String::as_str)
    }

    /// Files by name, else devices and volumes.
    fn targets(&self, wanted: &[String]) -> String {
        let file = |name: &String| self.files.get(name.as_str()).cloned();
        let files = wanted.iter().filter_map(file);
        let files: Vec<String> = files.collect();
        let others: Vec<String> =
            wanted.iter().filter(|name| file(name).is_none()).cloned().collect();
        let others = self.select(&self.places.sorted(&others));
        let all = files.into_iter().chain((!others.is_empty()).then_some(others));
        all.collect::<Vec<_>>().join(", ")
    }
}

struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn indent(&self) -> String {
        "    ".repeat(self.depth)
    }

    fn line(&mut self, text: &str) {
        let indent = self.indent();
        self.out.push_str(&format!("{indent}{text}\n"));
    }

    fn blank(&mut self) {
        self.out.push('\n');
    }

    fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A comment, wrapped; nothing where there is nothing to say.
    fn comment(&mut self, text: &str) {
        let indent = self.indent();
        let mut line = String::new();
        for word in harmless(text).split_whitespace() {
            let long = indent.len() + 3 + line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && long > WIDTH {
                self.line(&format!("//{line}"));
                line.clear();
            }
            line.push(' ');
            line.push_str(word);
        }
        if !line.is_empty() {
            self.line(&format!("//{line}"));
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.comment(&told(declaration));
        let mut words = vec![declaration.kind.to_owned()];
        if declaration.name != declaration.kind {
            words.push(quoted(&declaration.name));
        }
        if declaration.count > 1 {
            words.push(format!("count={}", declaration.count));
        }
        words.extend(declaration.uses.as_ref().map(|uses| format!("use={}", quoted(uses))));
        let opens = !declaration.children.is_empty();
        self.node(words, &declaration.values, opens);
        if opens {
            for child in &declaration.children {
                self.declaration(child);
            }
            self.close();
        }
    }

    fn bind(&mut self, from: &str, to: &str) {
        let ends = [("from", from), ("to", to)];
        let ends = ends.map(|(name, value)| Property::quantity(name, value));
        self.node(vec!["bind".to_owned()], &ends, false);
    }

    /// A line of words and properties; one that is too long goes on in the next.
    fn node(&mut self, words: Vec<String>, values: &[Property], opens: bool) {
        let mut words = words;
        words.extend(values.iter().map(written));
        if opens {
            words.push("{".to_owned());
        }
        let indent = self.indent();
        let mut line = format!("{indent}{}", words[0]);
        for (held, word) in (1..).zip(&words[1..]) {
            // Room for the mark that the line goes on.
            if held > 1 && line.chars().count() + 1 + word.chars().count() + 2 > WIDTH {
                self.out.push_str(&format!("{line} \\\n"));
                line = format!("{indent}    {word}");
            } else {
                line = format!("{line} {word}");
            }
        }
        self.out.push_str(&format!("{line}\n"));
        if opens {
            self.depth += 1;
        }
    }
}

fn written(property: &Property) -> String {
    let Property { name, value, origin } = property;
    let plain = |origin: &str| ["given", "rated", "assumed"].contains(&origin);
    match origin.as_deref() {
        Some(origin) if plain(origin) => format!("{name}=({origin}){value}"),
        Some(origin) => format!("{name}=({}){value}", quoted(origin)),
        None => format!("{name}={value}"),
    }
}

/// The kernel's names of the instances, as far as their names do not say them, and the remark.
fn told(declaration: &Declaration) -> String {
    let mut known: Vec<&String> =
        declaration.kernel.iter().filter(|kernel| !kernel.contains([' ', '('])).collect();
    known.retain(|kernel| !kernel.is_empty() && **kernel != declaration.name);
    let is_bound = !declaration.nodes.is_empty();
    let names = match known.len() {
        0 => String::new(),
        _ if is_bound => String::new(),
        some if some <= TOLD => join(&known),
        some => format!("{} and {} more", join(&known[..TOLD - 1]), some - (TOLD - 1)),
    };
    match (names.is_empty(), declaration.remark.is_empty()) {
        (true, _) => declaration.remark.clone(),
        (false, true) => names,
        (false, false) => format!("{names}: {}", declaration.remark),
    }
}

fn join(names: &[&String]) -> String {
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A text that cannot end a comment or bewilder a terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect()
}
