//! Whether what the program names as the limit is the truth.

use super::ask::Limit;
use super::truth::Truth;

/// Causes that mean that more requests in flight would yield more.
const CLOSED: [&str; 2] = ["latency", "in-flight"];

impl Truth {
    /// Where two constraints are within 10 %, either is right.
    pub(crate) fn is(&self, limit: &Limit) -> bool {
        let is_closed = CLOSED.contains(&limit.cause.as_str());
        let is_component = limit.cause == "component";
        let names = |truth: &String| {
            limit
                .entity
                .split(", ")
                .flat_map(|names| names.split(" and "))
                .any(|name| means(name, truth))
        };
        (self.is_closed && is_closed)
            || (self.is_open && is_component && self.limits.iter().any(names))
    }

    /// For the table.
    pub(crate) fn shown(&self) -> String {
        let components = || match self.limits.split_first() {
            Some((first, [])) => first.clone(),
            Some((first, more)) => format!("{first} +{}", more.len()),
            None => "-".to_owned(),
        };
        match (self.is_closed, self.is_open) {
            (true, true) => format!("in flight or {}", components()),
            (true, false) => "in flight".to_owned(),
            (false, _) => components(),
        }
    }
}

/// Whether a selector means this one: without an index it means all, with indices those.
fn means(selector: &str, one: &str) -> bool {
    let (ours, theirs) = (one.split('.'), selector.split('.'));
    let is_long = ours.clone().count() == theirs.clone().count();
    is_long && ours.zip(theirs).all(|(one, selector)| step_means(selector, one))
}

fn step_means(selector: &str, one: &str) -> bool {
    let (name, index) = parts(one);
    let (wanted, ranges) = parts(selector);
    let is_in = |index: &str| {
        ranges.split(',').any(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| text.parse::<u64>().ok();
            number(first) <= number(index) && number(index) <= number(last)
        })
    };
    name == wanted && (ranges.is_empty() || is_in(index))
}

/// A step's name and what is in its brackets.
fn parts(step: &str) -> (&str, &str) {
    match step.split_once('[') {
        Some((name, index)) => (name, index.trim_end_matches(']')),
        None => (step, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_means_what_it_selects() {
        for (selector, one, is_meant) in [
            ("node.h0", "node.h0", true),
            ("node.h0", "node[1].h0", true),
            ("node[1].h0", "node[1].h0", true),
            ("node[0].h0", "node[1].h0", false),
            ("node.h0.lun[0-2]", "node.h0.lun[2]", true),
            ("node.h0.lun[0,3]", "node.h0.lun[2]", false),
            ("node.h0", "node.h0.lun[2]", false),
            ("node.h1", "node.h0", false),
        ] {
            assert_eq!(means(selector, one), is_meant, "{selector} and {one}");
        }
    }
}
