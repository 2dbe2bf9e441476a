//! Rated capacities: parts of the catalogue by what sysfs says of a link, and what stands in for
//! drives that nobody has rated.
//!
//! Laws: those of the catalogue (`crates/study/src/catalogue.kdl`): line rate × coding / 8 ×
//! packets. A rate that the catalogue has no part for is worked out by the same arithmetic. A drive
//! whose model is not known gets its class's figures, marked as assumed; what is behind a
//! hypervisor or in an array gets none.

use iopath_machine::hardware::{Interface, Link};
use iopath_units::ByteRate;

use crate::model::{Component, Property};

/// What is said of a link: a part of the catalogue, or values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rating {
    pub uses: Option<String>,
    pub values: Vec<Property>,
}

impl Rating {
    fn part(name: String) -> Self {
        Self { uses: Some(name), values: Vec::new() }
    }

    /// The same in both directions at once.
    fn each_way(bytes_per_sec: f64, source: &str) -> Self {
        let rate = rate(bytes_per_sec);
        let value = |name| Property::quantity(name, &rate).from(source);
        Self { uses: None, values: vec![value("read"), value("write")] }
    }

    /// One direction at a time.
    fn together(bytes_per_sec: f64, source: &str) -> Self {
        let value = Property::quantity("both", &rate(bytes_per_sec)).from(source);
        Self { uses: None, values: vec![value] }
    }

    pub(crate) fn give(self, part: &mut Component) {
        part.uses = self.uses;
        part.values.extend(self.values);
    }
}

fn rate(bytes_per_sec: f64) -> String {
    // Rates of links are far below what a whole number of bytes holds.
    ByteRate(bytes_per_sec.round() as u64).to_string()
}

/// A link of PCI Express.
pub(crate) fn pcie(link: Link) -> Rating {
    let generation = match link.megatransfers_per_sec {
        2_500 => 1,
        5_000 => 2,
        8_000 => 3,
        16_000 => 4,
        32_000 => 5,
        64_000 => 6,
        _ => return Rating::default(),
    };
    if [1, 2, 4, 8, 16].contains(&link.width) {
        return Rating::part(format!("pcie{generation}-x{}", link.width));
    }
    let (coding, words) = match generation {
        1 | 2 => (0.8 * 256.0 / 280.0, "8b/10b, 256/280"),
        3..=5 => (128.0 / 130.0 * 256.0 / 280.0, "128b/130b, 256/280"),
        _ => (236.0 / 256.0 * 256.0 / 272.0, "flits 236/256, 256/272"),
    };
    let lane = f64::from(link.megatransfers_per_sec) * 1e6 / 8.0 * coding;
    Rating::each_way(lane * f64::from(link.width), &format!("{link}, {words}"))
}

/// A port of Fibre Channel by what it calls itself: 16000 is 16 Gbit.
pub(crate) fn fibre_channel(megabits_per_sec: u32) -> Rating {
    match megabits_per_sec {
        1_000 | 2_000 | 4_000 | 8_000 | 16_000 | 32_000 | 64_000 => {
            Rating::part(format!("fc-{}g", megabits_per_sec / 1000))
        }
        _ => Rating::default(),
    }
}

/// Lanes of SAS that work as one port.
pub(crate) fn sas(megabits_per_lane: u32, lanes: usize) -> Rating {
    let (word, coding, words) = match megabits_per_lane {
        3_000 => ("3g", 0.8, "8b/10b"),
        6_000 => ("6g", 0.8, "8b/10b"),
        12_000 => ("12g", 0.8, "8b/10b"),
        22_500 => ("24g", 128.0 / 150.0, "128b/150b"),
        _ => return Rating::default(),
    };
    match lanes {
        1 => Rating::part(format!("sas-{word}")),
        4 | 8 => Rating::part(format!("sas-{word}-x{lanes}")),
        _ => {
            let lane = f64::from(megabits_per_lane) * 1e6 / 8.0 * coding * 1024.0 / 1060.0;
            let gigabits = f64::from(megabits_per_lane) / 1000.0;
            let source = format!("{lanes} x {gigabits} Gb/s, {words}, 1024/1060");
            Rating::each_way(lane * lanes as f64, &source)
        }
    }
}

/// A link of Serial ATA.
pub(crate) fn sata(megabits_per_sec: u32) -> Rating {
    match megabits_per_sec {
        1_500 => Rating::part("sata-1-5g".to_owned()),
        3_000 => Rating::part("sata-3g".to_owned()),
        6_000 => Rating::part("sata-6g".to_owned()),
        _ => Rating::default(),
    }
}

/// A link of USB: coding only, packets are left out.
pub(crate) fn usb(megabits_per_sec: u32) -> Rating {
    let bits = f64::from(megabits_per_sec) * 1e6;
    match megabits_per_sec {
        480 => Rating::together(bits / 8.0, "480 Mb/s, without packets"),
        5_000 => Rating::each_way(bits / 8.0 * 0.8, "5 Gb/s, 8b/10b"),
        10_000 | 20_000 => {
            let source = format!("{} Gb/s, 128b/132b", megabits_per_sec / 1000);
            Rating::each_way(bits / 8.0 * 128.0 / 132.0, &source)
        }
        _ => Rating::default(),
    }
}

/// An Ethernet interface that carries TCP: the catalogue's parts are those of packets of 9000
/// bytes, others are worked out with 38 bytes of frame, 20 of IP and 32 of TCP around the data.
pub(crate) fn ethernet(interface: &Interface) -> Rating {
    let Some(megabits) = interface.megabits_per_sec else { return Rating::default() };
    let mtu = interface.mtu_bytes.unwrap_or(1500);
    let known = [1_000, 10_000, 25_000, 40_000, 100_000, 200_000, 400_000];
    if mtu == 9000 && known.contains(&megabits) {
        return Rating::part(format!("eth-{}g", megabits / 1000));
    }
    let (data, frame) = (f64::from(mtu.max(100)) - 52.0, f64::from(mtu.max(100)) + 38.0);
    let source = format!("{} Mb/s, MTU {mtu}, {data}/{frame}", megabits);
    Rating::each_way(f64::from(megabits) * 1e6 / 8.0 * data / frame, &source)
}

/// What a drive is, as far as its class goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// An NVMe drive with this link at most.
    Nvme(Option<Link>),
    /// A drive with an arm on SATA, of so many bytes.
    DiskSata,
    /// A drive with an arm on SAS, of so many bytes.
    DiskSas(u64),
    /// Flash on SATA.
    FlashSata,
    /// Flash on SAS with lanes of so many megabits.
    FlashSas(u32),
}

impl Class {
    /// The part of the catalogue that stands in for the class.
    pub(crate) fn part(self) -> Option<&'static str> {
        match self {
            Self::Nvme(link) => match link?.megatransfers_per_sec {
                8_000 => Some("nvme-gen3"),
                16_000 => Some("nvme-gen4"),
                32_000 => Some("nvme-gen5"),
                64_000 => Some("nvme-gen6"),
                _ => None,
            },
            Self::DiskSata => Some("hdd-7k2-18tb"),
            // Disks of 10,000 and 15,000 turns end at 2.4 TB.
            Self::DiskSas(bytes) if bytes <= 2_500_000_000_000 => Some("hdd-10k-sas"),
            Self::DiskSas(_) => Some("hdd-7k2-18tb"),
            Self::FlashSata => Some("ssd-sata"),
            Self::FlashSas(megabits) if megabits > 12_000 => Some("ssd-sas-24g"),
            Self::FlashSas(_) => Some("ssd-sas-12g"),
        }
    }
}

/// Drives of the catalogue by how their model begins. Makers sell several drives of one size
/// whose numbers begin alike (ST24000NM000C is none of the X24), so each entry is a whole number,
/// and each stands where one source names both the number and the rated drive:
///
/// * Kingston SEDC600M/960G: pugetsystems.com, with the rates that the catalogue has.
/// * Cheetah 15K.6: WMI tables of drives on GitHub, `^ST3(4508|3006|1463)56(FC|SS)$`.
/// * Exos 10E2400: product manual 100827454, rev. F.
/// * Exos X18: product manual 100865853 (SAS), rev. H; ST18000NM000J (SATA) as shops list it.
/// * Exos X24: product manual 200562600 (SAS), rev. A; ST24000NM002H (SATA) as shops list it.
///
/// Flash on NVMe of the catalogue is not here: no public source was found that gives the number
/// of such a drive.
const MODELS: [(&str, &str); 11] = [
    ("KINGSTON SEDC600M960G", "ssd-sata"),
    ("ST3300656SS", "hdd-15k6-sas"),
    ("ST2400MM0129", "hdd-10k-sas"),
    ("ST18000NM000J", "hdd-7k2-18tb"),
    ("ST18000NM004J", "hdd-7k2-18tb"),
    ("ST18000NM005J", "hdd-7k2-18tb"),
    ("ST18000NM007J", "hdd-7k2-18tb"),
    ("ST24000NM002H", "hdd-7k2-24tb"),
    ("ST24000NM005H", "hdd-7k2-24tb"),
    ("ST24000NM006H", "hdd-7k2-24tb"),
    ("ST24000NM007H", "hdd-7k2-24tb"),
];

/// The part of the catalogue that this very model is.
pub(crate) fn of_model(model: &str) -> Option<&'static str> {
    MODELS.iter().find(|(begin, _)| model.starts_with(begin)).map(|(_, part)| *part)
}

/// The values of a part of the catalogue as those of a drive that it stands in for.
pub(crate) fn assumed(part: &str) -> Vec<Property> {
    let about_speed =
        |name: &str| !["size", "price", "rack-units", "watts", "slots"].contains(&name);
    let values = iopath_study::catalogue_part(part).unwrap_or_default().into_iter();
    let values = values.filter(|(name, _)| about_speed(name));
    values
        .map(|(name, value)| Property { name, value, origin: Some("assumed".to_owned()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(megatransfers_per_sec: u32, width: u32) -> Link {
        Link { megatransfers_per_sec, width }
    }

    #[test]
    fn links_have_the_names_of_the_catalogue() {
        let uses = |rating: Rating| rating.uses.expect("a part of the catalogue");
        let names = [
            uses(pcie(link(16_000, 4))),
            uses(pcie(link(2_500, 1))),
            uses(fibre_channel(16_000)),
            uses(sas(12_000, 4)),
            uses(sas(22_500, 1)),
            uses(sata(1_500)),
        ];
        assert_eq!(names, ["pcie4-x4", "pcie1-x1", "fc-16g", "sas-12g-x4", "sas-24g", "sata-1-5g"]);
        for name in names {
            assert!(iopath_study::catalogue_part(&name).is_some(), "{name}");
        }
    }

    /// 12 lanes of generation 3 are three times four of them; two lanes of SAS twice one.
    #[test]
    fn links_that_the_catalogue_lacks_follow_its_arithmetic() {
        let read = |rating: &Rating| rating.values[0].value.clone();
        assert_eq!(read(&pcie(link(8_000, 12))), "\"10802637363 B/s\"");
        assert_eq!(read(&sas(12_000, 2)), "\"2318490566 B/s\"");
        assert_eq!(read(&usb(5_000)), "\"500 MB/s\"");
        assert_eq!(pcie(link(1, 4)), Rating::default());
    }

    /// What `/sys` says of a model has what follows in the maker's number behind it.
    #[test]
    fn a_model_is_known_by_its_whole_number() {
        assert_eq!(of_model("ST18000NM000J-2TV103"), Some("hdd-7k2-18tb"));
        assert_eq!(of_model("ST24000NM002H-3KS133"), Some("hdd-7k2-24tb"));
        for other in ["ST18000NM003D-3DL103", "ST24000NM000C-3WD103"] {
            assert_eq!(of_model(other), None, "{other} is another drive of that size");
        }
    }

    #[test]
    fn every_model_and_class_has_its_part() {
        let classes = [
            Class::Nvme(Some(link(16_000, 4))),
            Class::DiskSata,
            Class::DiskSas(1 << 40),
            Class::FlashSata,
            Class::FlashSas(12_000),
        ];
        let of_classes = classes.iter().filter_map(|class| class.part());
        for part in MODELS.iter().map(|(_, part)| *part).chain(of_classes) {
            assert!(!assumed(part).is_empty(), "{part}");
        }
    }
}
