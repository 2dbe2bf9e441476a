//! Factors by which two meters of the same bytes may differ, with their sources.

use iopath_record::{Fact, Kind, Layer, Record};

use super::LayerTransition;

/// What a link carries besides data, in frames that are full: a meter of frames counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// 2112 bytes of data in frames of 2148, with delimiters, header and CRC (FC-FS-5, 9.2).
    FibreChannel,
    /// TCP over IPv4 with timestamps: 1448 of 1514 (IEEE 802.3 without FCS, RFC 7323).
    Ethernet,
    /// The same in jumbo frames: 8948 of 9014.
    JumboEthernet,
}

impl Frame {
    /// Bytes of a frame, and of data in it.
    #[must_use]
    pub const fn bytes(self) -> [u32; 2] {
        match self {
            Self::FibreChannel => [2148, 2112],
            Self::Ethernet => [1514, 1448],
            Self::JumboEthernet => [9014, 8948],
        }
    }

    pub(super) fn factor(self) -> f64 {
        let [frame, data] = self.bytes().map(f64::from);
        frame / data
    }
}

const FRAMES: [Frame; 3] = [Frame::FibreChannel, Frame::Ethernet, Frame::JumboEthernet];

/// A unit that is taken for a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MistakenUnit {
    /// 2^10 for 10^3.
    Kilo,
    /// 2^20 for 10^6.
    Mega,
    /// 2^30 for 10^9.
    Giga,
    /// Blocks of 1024 bytes for blocks of 512.
    Block,
}

impl MistakenUnit {
    fn factor(self) -> f64 {
        match self {
            Self::Kilo => 1.024,
            Self::Mega => 1.048_576,
            Self::Giga => 1.073_741_824,
            Self::Block => 2.0,
        }
    }
}

/// Slips between prefixes, each either way.
const PREFIXES: [MistakenUnit; 3] = [MistakenUnit::Kilo, MistakenUnit::Mega, MistakenUnit::Giga];

/// Whose unit may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meter {
    Above,
    Below,
}

/// A unit of one meter that is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slip {
    pub of: Meter,
    pub unit: MistakenUnit,
}

impl Slip {
    pub(super) fn factor(self) -> f64 {
        match self.of {
            Meter::Below => self.unit.factor(),
            Meter::Above => 1.0 / self.unit.factor(),
        }
    }
}

/// What two meters of one step may differ by.
#[derive(Debug)]
pub(super) struct Factors {
    pub frames: &'static [Frame],
    above: &'static [MistakenUnit],
    below: &'static [MistakenUnit],
    /// The user said a unit that a text leaves open.
    pub is_said: bool,
}

impl Factors {
    /// Those that are possible between these layers of a record.
    pub(super) fn of(record: &Record, step: &LayerTransition, kind: &Kind) -> Self {
        Self {
            frames: framing(step.lower_layer, kind),
            above: open_units(record, step.upper_layer),
            below: open_units(record, step.lower_layer),
            is_said: record.environment.keys().any(|fact| fact.ends_with(".prefix")),
        }
    }

    /// Slips of the meter below, or of the one above.
    pub(super) fn slips(&self) -> impl Iterator<Item = Slip> {
        let below = self.below.iter().map(|unit| Slip { of: Meter::Below, unit: *unit });
        below.chain(self.above.iter().map(|unit| Slip { of: Meter::Above, unit: *unit }))
    }
}

/// Units that the text of this layer's meter leaves open: portperfshow prints `k`, `m` and `g` of
/// 1000 or of 1024, vxbench `KB` of either, vxstat blocks whose size it does not print. The kernel
/// and all other texts say theirs.
fn open_units(record: &Record, layer: Layer) -> &'static [MistakenUnit] {
    let has = |fact: Fact<'_>| fact.of(&record.environment).is_some();
    match layer {
        Layer::Port | Layer::Switch if has(Fact::PortPrefix) => &PREFIXES,
        Layer::Application if has(Fact::VxbenchKb) => &PREFIXES[..1],
        Layer::Volume | Layer::Lun | Layer::Device if has(Fact::VxstatBlock) => {
            &[MistakenUnit::Block]
        }
        _ => &[],
    }
}

/// Framing that a meter of this layer may count; a port of Fibre Channel only its own. None at
/// disks: the kernel counts sectors of data, without protection information
/// (Documentation/block/data-integrity.rst).
fn framing(layer: Layer, kind: &Kind) -> &'static [Frame] {
    match layer {
        Layer::Port | Layer::Switch | Layer::Adapter if kind.as_str().starts_with("fc") => {
            &[Frame::FibreChannel]
        }
        Layer::Port | Layer::Switch | Layer::Adapter | Layer::Bus => &FRAMES,
        _ => &[],
    }
}
