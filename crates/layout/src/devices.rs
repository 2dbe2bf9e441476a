//! Which real device a member is: `NAME=DEVICE` with commas, or a line each in a file.
//!
//! Leaves out: whether there is such a device; the script looks at that where it is run.

use std::collections::BTreeMap;

/// Real devices by the names of the study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Devices {
    pub(crate) by_name: BTreeMap<String, String>,
}

impl Devices {
    /// Adds `NAME=DEVICE,NAME=DEVICE`.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_pairs(&mut self, text: &str) -> Result<(), String> {
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, device) = pair
                .split_once('=')
                .ok_or_else(|| format!("{pair:?}: write NAME=DEVICE, such as lun[0]=/dev/sdb"))?;
            self.add(name.trim(), device.trim())?;
        }
        Ok(())
    }

    /// Adds lines `NAME DEVICE`; what is behind `#` is left out.
    ///
    /// # Errors
    ///
    /// What is wrong, with its line.
    pub fn add_lines(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let wrong = |why: String| format!("line {number}: {why}");
            let (name, device) = line
                .rsplit_once(char::is_whitespace)
                .ok_or_else(|| wrong(format!("{line:?}: write NAME DEVICE")))?;
            self.add(name.trim(), device).map_err(wrong)?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, device: &str) -> Result<(), String> {
        if name.is_empty() || device.is_empty() {
            return Err(format!("{name:?} and {device:?}: both a name and a device are needed"));
        }
        if device.chars().any(char::is_control) || device.starts_with('-') {
            return Err(format!("{device:?} is no device"));
        }
        if let Some((other, _)) = self.by_name.iter().find(|(_, same)| *same == device) {
            return Err(format!("{device} is both {other} and {name}"));
        }
        match self.by_name.insert(name.to_owned(), device.to_owned()) {
            Some(before) => Err(format!("{name} is both {before} and {device}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_lines_say_the_same() {
        let (mut pairs, mut lines) = (Devices::default(), Devices::default());
        pairs.add_pairs("box.lun[0]=/dev/sdb, box.lun[1]=/dev/sdc").unwrap();
        lines.add_lines("# ours\nbox.lun[0]  /dev/sdb\n\nbox.lun[1]\t/dev/sdc # new\n").unwrap();
        assert_eq!(pairs, lines);
    }

    #[test]
    fn a_device_is_one_member_and_a_member_one_device() {
        let rows = [
            ("a=/dev/sdb,b=/dev/sdb", "/dev/sdb is both a and b"),
            ("a=/dev/sdb,a=/dev/sdc", "a is both /dev/sdb and /dev/sdc"),
            ("a", "\"a\": write NAME=DEVICE, such as lun[0]=/dev/sdb"),
            ("a=", "\"a\" and \"\": both a name and a device are needed"),
            ("a=--force", "\"--force\" is no device"),
            ("a=/dev/sd\nb", "\"/dev/sd\\nb\" is no device"),
        ];
        for (text, expected) in rows {
            assert_eq!(Devices::default().add_pairs(text).unwrap_err(), expected);
        }
        let error = Devices::default().add_lines("\nlun").unwrap_err();
        assert_eq!(error, "line 2: \"lun\": write NAME DEVICE");
    }
}
