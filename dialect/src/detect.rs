//! Whose text it is, by words that no other tool prints.

use crate::Tool;

/// The tool whose text this is; none where it is nobody's that is known.
#[must_use]
pub fn recognise(text: &str) -> Option<Tool> {
    Tool::ALL.into_iter().find(|tool| is_of(*tool, text))
}

fn is_of(tool: Tool, text: &str) -> bool {
    let json = || text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let line = |is: &dyn Fn(&str) -> bool| text.lines().any(|line| is(line.trim()));
    match tool {
        Tool::Fio => text.contains("\"fio version\""),
        Tool::Iostat if json() => text.contains("\"sysstat\"") && text.contains("\"disk\""),
        Tool::Iostat => line(&|line| {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default().trim_end_matches(':');
            first == "Device" && words.any(|word| word == "tps" || word == "r/s")
        }),
    }
}
