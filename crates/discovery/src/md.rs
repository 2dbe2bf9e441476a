//! Arrays of md, and the levels that device-mapper's RAID shares with them.
//!
//! Law: md reports level, chunk and the order of its members (Documentation/admin-guide/md.rst).
//! Leaves out: a place for a member that is missing, which no study has.

use iopath_machine::devices::Device;
use iopath_machine::hardware::Array;
use iopath_units::Bytes;

use crate::model::Property;
use crate::volumes::{Laying, Made};

/// What members are to be dealt over.
pub(crate) struct Raid<'a> {
    /// As md writes it: `raid0`, `raid5`, `raid10`.
    pub level: &'a str,
    pub chunk_bytes: Option<u64>,
    pub members: Vec<String>,
    pub remark: String,
}

impl Laying<'_> {
    pub(crate) fn array(&mut self, device: &Device, level: &str) {
        let facts = self.path.facts;
        let known = facts.hardware.arrays.get(&device.name).cloned().unwrap_or_default();
        let in_place: Vec<String> = known
            .members
            .iter()
            .filter(|member| member.slot.is_some())
            .map(|member| member.device.clone())
            .collect();
        let listed = if in_place.is_empty() { device.slaves.clone() } else { in_place };
        let members = self.members(device, &listed);
        let remark = members.remark(&told(&known, level));
        let count = members.names.len();
        let level = known.level.as_deref().unwrap_or(level);
        let chunk_bytes = known.chunk_bytes;
        let made =
            self.leveled(device, Raid { level, chunk_bytes, members: members.names, remark });
        self.add(device, made);
        let disks = known.raid_disks.and_then(|disks| usize::try_from(disks).ok());
        if let Some(missing) = disks.and_then(|disks| disks.checked_sub(count)) {
            self.incomplete(device, missing);
        }
    }

    /// An array of a level, as the language has it.
    pub(crate) fn leveled(&mut self, device: &Device, raid: Raid<'_>) -> Made {
        let Raid { level, chunk_bytes, members, remark } = raid;
        let count = members.len();
        let sized = |name| {
            let size = chunk_bytes.map(|bytes| Bytes(bytes).to_string());
            size.map(|size| Property::quantity(name, &size)).into_iter().collect::<Vec<_>>()
        };
        let made = |kind, values, over| Made { kind, values, over, remark: remark.clone() };
        match level {
            _ if count < 2 => Made::concat(members, &remark),
            "raid0" => made("stripe", sized("unit"), members),
            "raid1" => made("mirror", Vec::new(), members),
            "raid4" | "raid5" | "raid6" | "raid10" => {
                let number = level.trim_start_matches("raid").parse().unwrap_or(0);
                let least = match number {
                    6 => 4,
                    10 => 2,
                    _ => 3,
                };
                if count < least || number == 10 && !count.is_multiple_of(2) {
                    let text = format!("{count} members do not form {level} in a study");
                    self.path.not_known(&device.name, text);
                    return Made::concat(members, &remark);
                }
                let mut values = vec![Property::number("level", number)];
                values.extend(sized("segment"));
                made("raid", values, members)
            }
            _ => Made::concat(members, &remark),
        }
    }

    /// A study has no members that are missing: over those that are left the array would be less.
    pub(crate) fn incomplete(&mut self, device: &Device, missing: usize) {
        if missing == 0 {
            return;
        }
        for volume in self.volumes.iter_mut().filter(|volume| volume.kernel == device.name) {
            volume.values.retain(|value| value.name != "size");
            let there = volume.over.len();
            let text = format!(
                "only {there} of {} members are present: its size is left out",
                there + missing
            );
            self.path.not_known(&device.name, text);
        }
    }
}

fn told(known: &Array, level: &str) -> String {
    let mut words = vec![known.level.clone().unwrap_or_else(|| level.to_owned())];
    let near = known.layout.map(|layout| layout & 0xff).filter(|_| words[0] == "raid10");
    words.extend(near.map(|copies| format!("{copies} copies")));
    let missing = known.degraded.filter(|missing| *missing > 0);
    words.extend(missing.map(|missing| format!("{missing} missing")));
    let action = known.sync_action.as_ref().filter(|action| *action != "idle");
    words.extend(action.cloned());
    let spares = known.members.iter().filter(|member| member.slot.is_none());
    let spares: Vec<&str> = spares.map(|member| member.device.as_str()).collect();
    if !spares.is_empty() {
        words.push(format!("in reserve {}", spares.join(" ")));
    }
    format!("md {}", words.join(", "))
}
