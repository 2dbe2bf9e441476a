//! A virtual machine in a cloud: the system on virtio-blk, data on virtio-scsi. Synthetic, in the
//! layout of QEMU and KVM guests.

use crate::{Function, Partition, Queue, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-3", 16_383_476, "10");
    let virtio = |class, id| Function { class, id, driver: "virtio-pci", node: -1, rate: None };
    let block = tree.function("pci0000:00/0000:00:04.0", virtio("0x010000", "1af4:1001"));
    let queue = Queue::nvme()
        .with("scheduler", "none [mq-deadline]")
        .with("nr_requests", "256")
        .with("rotational", "1")
        .with("write_cache", "write back");
    let device = format!("{block}/virtio1");
    let disk = format!("{device}/block/vda");
    tree.disk(&disk, "254:0", 209_715_200, &queue);
    tree.hardware_queues(&disk, 4);
    tree.link(&format!("{disk}/device"), &device);
    tree.link(&format!("{device}/driver"), "/sys/bus/virtio/drivers/virtio_blk");
    let system = Partition { number: 1, device: "254:1", start: 262_144, sectors: 209_451_008 };
    tree.partition(&disk, system);
    let scsi = tree.function("pci0000:00/0000:00:05.0", virtio("0x010000", "1af4:1004"));
    let host = tree.scsi_host(&format!("{scsi}/virtio2"), 0, "virtio_scsi", 1024);
    let data = (1_048_576_000, &queue.clone().with("rotational", "0"));
    let data = tree.scsi_disk(&host, "0:0:1:0", ("sda", "8:0"), data);
    tree.scsi_attributes(&data, &[("vendor", "Google"), ("model", "PersistentDisk")]);
    let net = tree.function("pci0000:00/0000:00:03.0", virtio("0x020000", "1af4:1000"));
    let net = format!("{net}/virtio0");
    tree.interface(&net, "eth0", 10_000);
    tree.mount("254:1", "/", "ext4", ("/dev/vda1", "rw,discard"));
    tree.mount("8:0", "/data", "ext4", ("/dev/sda", "rw"));
    tree
}
