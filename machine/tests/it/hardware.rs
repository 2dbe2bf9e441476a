//! What block devices hang on, on imitated machines and on this one.

use iopath_machine::{Devices, Hardware, Root};

#[test]
fn this_very_machine_is_read() {
    let root = Root::live();
    let devices = Devices::read(&root).unwrap();
    let hardware = Hardware::read(&root, &devices).unwrap();
    let whole = devices.iter().filter(|device| device.range().is_none());
    let names: Vec<&String> = whole.map(|device| &device.name).collect();
    assert_eq!(hardware.attachments.keys().collect::<Vec<_>>(), names);
    for address in hardware.functions.keys() {
        let chain = hardware.chain(address);
        assert_eq!(&chain.last().unwrap().address, address);
        assert_eq!(chain[0].parent, None);
    }
}
