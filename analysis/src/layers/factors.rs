//! Factors by which two meters of the same bytes may differ, with their sources.

use iopath_record::Layer;

/// A factor and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub factor: f64,
    pub name: &'static str,
}

const fn factor(factor: f64, name: &'static str) -> Factor {
    Factor { factor, name }
}

/// Slips between units. Each goes either way.
pub(super) const SLIPS: [Factor; 5] = [
    factor(1.024, "KiB (2^10) taken for kB (10^3)"),
    factor(1.048_576, "MiB (2^20) taken for MB (10^6)"),
    factor(1.073_741_824, "GiB (2^30) taken for GB (10^9)"),
    factor(8.0, "bytes taken for bits"),
    factor(2.0, "blocks of 1024 bytes taken for blocks of 512"),
];

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

/// Protection information: 8 bytes behind each 512 (T10 SBC-4, type 1).
const SECTORS: [Factor; 1] = [factor(520.0 / 512.0, "sectors of 520 bytes for 512 of data")];

/// Framing that a meter of this layer may count; a port of Fibre Channel only its own.
pub(super) fn framing(layer: Layer, kind: &str) -> &'static [Factor] {
    match layer {
        Layer::Port | Layer::Switch | Layer::Adapter if kind.starts_with("fc") => &FRAMES[..1],
        Layer::Port | Layer::Switch | Layer::Adapter | Layer::Bus => &FRAMES,
        Layer::Lun | Layer::Device => &SECTORS,
        Layer::Application
        | Layer::FileSystem
        | Layer::Volume
        | Layer::Memory
        | Layer::Processor
        | Layer::Generator => &[],
    }
}
