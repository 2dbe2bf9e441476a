//! Settings and limits of queues, as numbers here and as text in the environment of records.

use iopath_machine::environment;

use super::*;

#[test]
fn queues_have_their_limits_in_bytes() {
    let hardware = read(&machine("md"));
    let queue = &hardware.attachments["sda"].queue;
    assert_eq!(queue.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(queue.queue_depth, Some(32));
    assert_eq!(queue.max_request_bytes, Some(1280 << 10));
    assert_eq!(queue.max_hardware_request_bytes, Some(32767 << 10));
    assert_eq!(queue.read_ahead_bytes, Some(128 << 10));
    assert_eq!(queue.is_rotational, Some(true));
    assert_eq!(queue.write_cache.as_deref(), Some("write back"));
    assert_eq!(queue.cache_type.as_deref(), Some("write back"));
    assert_eq!(queue.physical_block_bytes, Some(4096));
    // The device says 0: no size suits it best.
    assert_eq!(queue.optimal_io_bytes, None);
    let array = &hardware.attachments["md0"].queue;
    assert_eq!((array.minimum_io_bytes, array.optimal_io_bytes), (Some(524_288), Some(1_572_864)));
    assert_eq!((array.scheduler.as_deref(), array.queue_depth), (None, None));
}

#[test]
fn both_readers_of_a_queue_say_the_same() {
    let directory = machine("san").unpacked().unwrap();
    let root = Root::at(directory.path());
    let devices = Devices::read(&root).unwrap();
    let hardware = Hardware::read(&root, &devices);
    let facts = environment::read_device(&root, &devices, "sdb").facts;
    let queue = &hardware.attachments["sdb"].queue;
    assert_eq!(facts.get("scheduler"), queue.scheduler.as_ref());
    assert_eq!(facts["queue_depth"], queue.queue_depth.unwrap().to_string());
    assert_eq!(facts["max_sectors_kb"], (queue.max_request_bytes.unwrap() >> 10).to_string());
}
