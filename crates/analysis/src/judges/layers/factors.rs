//! Factors by which two meters of the same bytes may differ, with their sources.

use iopath_record::{Kind, Layer, Record};

use super::Step;

/// A factor and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub factor: f64,
    pub name: &'static str,
}

const fn factor(factor: f64, name: &'static str) -> Factor {
    Factor { factor, name }
}

/// Slips between prefixes, each either way.
const PREFIXES: [Factor; 3] = [
    factor(1.024, "KiB (2^10) taken for kB (10^3)"),
    factor(1.048_576, "MiB (2^20) taken for MB (10^6)"),
    factor(1.073_741_824, "GiB (2^30) taken for GB (10^9)"),
];

const BLOCKS: [Factor; 1] = [factor(2.0, "blocks of 1024 bytes taken for blocks of 512")];

/// What a link carries besides data, in frames that are full: a meter of frames counts it.
///
/// Fibre Channel: 2112 bytes of data in frames of 2148, with delimiters, header and CRC (FC-FS-5,
/// 9.2). Ethernet with TCP over IPv4 and timestamps: 1448 of 1514, or 8948 of 9014 (IEEE 802.3
/// without FCS, RFC 7323).
const FRAMES: [Factor; 3] = [
    factor(2148.0 / 2112.0, "frames of Fibre Channel (2148 bytes for 2112 of data)"),
    factor(1514.0 / 1448.0, "frames of Ethernet with TCP (1514 bytes for 1448 of data)"),
    factor(9014.0 / 8948.0, "jumbo frames of Ethernet with TCP (9014 bytes for 8948 of data)"),
];

/// What two meters of one step may differ by.
#[derive(Debug)]
pub(super) struct Factors {
    pub frames: Vec<Factor>,
    above: &'static [Factor],
    below: &'static [Factor],
    /// The user said a unit that a text leaves open.
    pub is_said: bool,
}

impl Factors {
    /// Those that are possible between these layers of a record.
    pub(super) fn of(record: &Record, step: &Step, kind: &Kind) -> Self {
        Self {
            frames: framing(step.lower_layer, kind),
            above: open_units(record, step.upper_layer),
            below: open_units(record, step.lower_layer),
            is_said: record.environment.keys().any(|fact| fact.ends_with(".prefix")),
        }
    }

    /// Slips of the meter below, or of the one above.
    pub(super) fn slips(&self) -> Vec<(f64, String)> {
        let told = |which: &str, slip: &Factor| {
            format!("a unit of the meter {which} is off: {}", slip.name)
        };
        let below = self.below.iter().map(|slip| (slip.factor, told("below", slip)));
        let above = self.above.iter().map(|slip| (1.0 / slip.factor, told("above", slip)));
        below.chain(above).collect()
    }
}

/// Units that the text of this layer's meter leaves open: portperfshow prints `k`, `m` and `g` of
/// 1000 or of 1024, vxbench `KB` of either, vxstat blocks whose size it does not print. The kernel
/// and all other texts say theirs.
fn open_units(record: &Record, layer: Layer) -> &'static [Factor] {
    let has = |fact: &str| record.environment.contains_key(fact);
    match layer {
        Layer::Port | Layer::Switch if has("import.portperfshow.prefix") => &PREFIXES,
        Layer::Application if has("import.vxbench.kb_bytes") => &PREFIXES[..1],
        Layer::Volume | Layer::Lun | Layer::Device if has("import.vxstat.block_bytes") => &BLOCKS,
        _ => &[],
    }
}

/// Framing that a meter of this layer may count; a port of Fibre Channel only its own. None at
/// disks: the kernel counts sectors of data, without protection information
/// (Documentation/block/data-integrity.rst).
fn framing(layer: Layer, kind: &Kind) -> Vec<Factor> {
    match layer {
        Layer::Port | Layer::Switch | Layer::Adapter
            if matches!(kind, Kind::FcHost | Kind::FcPort) =>
        {
            FRAMES[..1].to_vec()
        }
        Layer::Port | Layer::Switch | Layer::Adapter | Layer::Bus => FRAMES.to_vec(),
        _ => Vec::new(),
    }
}
