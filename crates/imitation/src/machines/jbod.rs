//! A server with a SAS adapter: a port of four lanes to the expander of an enclosure with twelve
//! disks, each on a lane of its own; the disk in bay 5 runs at half the rate. Synthetic.

use crate::{Function, Queue, Rate, Tree};

const ENCLOSURE: &str = "0x500304801f2e3d3f";

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-11", 32_768_000, "10 21");
    tree.node(1, "12-23", 33_026_048, "21 10");
    let rate = Rate::full("8.0 GT/s PCIe", 8);
    let port = "pci0000:80/0000:80:03.0";
    tree.function(port, Function::port("8086:6f08", 1, rate));
    let sas = Function {
        class: "0x010700",
        id: "1000:0097",
        driver: "mpt3sas",
        node: 1,
        rate: Some(rate),
    };
    let adapter = tree.function(&format!("{port}/0000:81:00.0"), sas);
    let host = tree.scsi_host(&adapter, 0, "mpt3sas", 9856);
    let wide = tree.sas_port(&host, "port-0:0", &[0, 1, 2, 3], "12.0 Gbit");
    let expander = format!("{wide}/expander-0:0");
    let facts = format!("{expander}/sas_expander/expander-0:0");
    tree.attributes(
        &facts,
        &[("vendor_id", "LSI"), ("product_id", "SAS3x28"), ("product_rev", "0601"), ("level", "0")],
    );
    tree.class("sas_expander", "expander-0:0", &facts);
    for bay in 0..12_u32 {
        let rate = if bay == 5 { "6.0 Gbit" } else { "12.0 Gbit" };
        let port = tree.sas_port(&expander, &format!("port-0:0:{bay}"), &[bay], rate);
        let end = tree.sas_end(&port, ENCLOSURE, bay);
        let name = format!("sd{}", char::from(b'a' + bay as u8));
        let number = format!("8:{}", 16 * bay);
        let address = format!("0:0:{bay}:0");
        let disk = (23_437_770_752, &Queue::disk());
        let disk = tree.scsi_disk(&end, &address, (&name, &number), disk);
        tree.scsi_attributes(&disk, &[("vendor", "SEAGATE"), ("model", "ST12000NM0038")]);
    }
    tree
}
