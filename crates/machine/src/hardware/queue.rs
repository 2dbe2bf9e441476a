//! The queue of a block device: settings and limits.
//!
//! Format: Documentation/ABI/stable/sysfs-block; `device/queue_depth` is of SCSI devices. A
//! partition has its disk's queue. What the drive says of its own cache stands elsewhere:
//! `cache_type` of SCSI disks (Documentation/scsi/sd-parameters.rst) and of virtio-blk.
//! The same attributes are kept as text in the environment of records ([`crate::environment`]);
//! both take them from the table here.
//! Leaves out: zones, discard, integrity.

use super::attributes::Attributes;
use crate::root::Root;

/// Names of attributes and their files below `/sys/block/NAME`.
pub(crate) const SETTINGS: [(&str, &str); 20] = [
    ("scheduler", "queue/scheduler"),
    ("nr_requests", "queue/nr_requests"),
    ("read_ahead_kb", "queue/read_ahead_kb"),
    ("max_sectors_kb", "queue/max_sectors_kb"),
    ("max_hw_sectors_kb", "queue/max_hw_sectors_kb"),
    ("max_segments", "queue/max_segments"),
    ("nomerges", "queue/nomerges"),
    ("rotational", "queue/rotational"),
    ("rq_affinity", "queue/rq_affinity"),
    ("io_poll", "queue/io_poll"),
    ("zoned", "queue/zoned"),
    ("write_cache", "queue/write_cache"),
    ("fua", "queue/fua"),
    ("wbt_lat_usec", "queue/wbt_lat_usec"),
    ("logical_block_size", "queue/logical_block_size"),
    ("physical_block_size", "queue/physical_block_size"),
    ("optimal_io_size", "queue/optimal_io_size"),
    ("minimum_io_size", "queue/minimum_io_size"),
    ("queue_depth", "device/queue_depth"),
    ("numa_node", "device/numa_node"),
];

/// One of these by its file, as text: of several choices the one in brackets.
pub(crate) fn setting(root: &Root, disk: &str, file: &str) -> Option<String> {
    root.attribute(format!("/sys/block/{disk}/{file}")).map(|text| chosen(&text))
}

/// `none [mq-deadline] kyber` chooses the bracketed word; other texts are whole.
pub(crate) fn chosen(text: &str) -> String {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(text, |(word, _)| word).to_owned()
}

/// Settings and limits of a queue; `None` where the kernel does not tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueFacts {
    /// Who orders requests: `none`, `mq-deadline`, `bfq`, `kyber`.
    pub scheduler: Option<String>,
    /// Commands that the device is given at a time (SCSI).
    pub queue_depth: Option<u64>,
    /// The largest request that is made.
    pub max_request_bytes: Option<u64>,
    /// The largest that the device and its controller take.
    pub max_hardware_request_bytes: Option<u64>,
    /// How far the kernel reads ahead through the page cache.
    pub read_ahead_bytes: Option<u64>,
    /// Turns, as far as the kernel knows.
    pub is_rotational: Option<bool>,
    /// `write back` or `write through`, as the kernel believes.
    pub write_cache: Option<String>,
    /// The drive's own word: `write back`, `write through`, `none`, `write back, no read (daft)`.
    pub cache_type: Option<String>,
    /// The smallest unit that is written without reading.
    pub physical_block_bytes: Option<u64>,
    /// The size of requests below which throughput suffers: the chunk of a stripe.
    pub minimum_io_bytes: Option<u64>,
    /// The size that suits best: the stripe of an array; `None` also where the device says 0.
    pub optimal_io_bytes: Option<u64>,
    /// How many bytes the beginning is off from a physical block (`alignment_offset`); -1 where no
    /// alignment holds.
    pub alignment_offset: Option<i64>,
}

pub(super) fn read(attributes: &Attributes<'_>, disk: &str) -> QueueFacts {
    let text = |name: &str| {
        let (_, file) = SETTINGS.iter().find(|(found, _)| *found == name)?;
        setting(attributes.root, disk, file)
    };
    let number = |name: &str| text(name)?.parse::<u64>().ok();
    let kib = |name: &str| number(name)?.checked_mul(1024);
    let is_set = |name: &str| number(name).map(|value| value != 0);
    let alignment = attributes.text(format!("/sys/block/{disk}/alignment_offset"));
    QueueFacts {
        scheduler: text("scheduler"),
        queue_depth: number("queue_depth"),
        max_request_bytes: kib("max_sectors_kb"),
        max_hardware_request_bytes: kib("max_hw_sectors_kb"),
        read_ahead_bytes: kib("read_ahead_kb"),
        is_rotational: is_set("rotational"),
        write_cache: text("write_cache"),
        cache_type: cache_type(attributes, disk),
        physical_block_bytes: number("physical_block_size"),
        minimum_io_bytes: number("minimum_io_size"),
        optimal_io_bytes: number("optimal_io_size").filter(|bytes| *bytes > 0),
        alignment_offset: alignment.and_then(|text| text.parse().ok()),
    }
}

fn cache_type(attributes: &Attributes<'_>, disk: &str) -> Option<String> {
    let folder = format!("/sys/block/{disk}");
    let of_scsi = format!("{folder}/device/scsi_disk");
    let address = attributes.names(&of_scsi).into_iter().next();
    let place = address.map_or(folder, |address| format!("{of_scsi}/{address}"));
    attributes.text(format!("{place}/cache_type"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bracketed_choice_is_taken() {
        for (text, choice) in [
            ("none [mq-deadline] kyber", "mq-deadline"),
            ("[none]", "none"),
            ("write back", "write back"),
            ("always [madvise] never", "madvise"),
        ] {
            assert_eq!(chosen(text), choice);
        }
    }
}
