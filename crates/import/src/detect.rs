//! Whose text it is, by words that no other tool prints.

use crate::Tool;

/// The tool whose text this is; none where it is nobody's that is known.
#[must_use]
pub fn recognise(text: &str) -> Option<Tool> {
    Tool::ALL.iter().copied().find(|tool| is_of(*tool, text))
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
        Tool::Nmon => line(&|line| line.starts_with("ZZZZ,T")),
        Tool::Vxstat => line(&|line| line.starts_with("TYP") && line.contains("NAME")),
        Tool::Vxbench => line(&|line| {
            (line.starts_with("user ") || line.starts_with("total:"))
                && line.contains(" sec")
                && line.contains("KB/s")
        }),
        Tool::Iozone => line(&|line| {
            line.starts_with("kB  reclen") || line.starts_with("KB  reclen") || is_excel(line)
        }),
        Tool::Portperfshow => is_ports(text),
    }
}

fn is_excel(line: &str) -> bool {
    line.starts_with("\"Writer report\"") || line.starts_with("\"Reader report\"")
}

/// A line of numbers that ascend by one, above a line that is drawn.
fn is_ports(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let ports = |line: &str| {
        let words: Vec<&str> = line.trim_end_matches("Total").split_whitespace().collect();
        let numbers: Option<Vec<u32>> = words.iter().map(|word| word.parse().ok()).collect();
        numbers.is_some_and(|all| {
            let follow = all.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
            !all.is_empty() && follow
        })
    };
    let drawn = |line: &str| line.len() >= 5 && line.bytes().all(|letter| letter == b'=');
    lines.windows(2).any(|pair| ports(pair[0]) && drawn(pair[1]))
}
