//! Several doors to each device.
//!
//! A FUSE export of QEMU before 10.1 waits for each request by nested polling: of several requests
//! of one file the one that came last is answered first, and holds back the others. That keeps
//! rates and loses the order in which streams share a device. Where readahead puts many requests in
//! flight, each device gets several exports over the same medium and the same groups, and requests
//! take turns over them.

use super::Plan;

/// Requests in flight that one export answers in their order.
const IN_ORDER: f64 = 1.0;

/// The most doors of a device, and of all devices together (chosen: each is a file more for each
/// stream, and daemons need seconds to come up with more).
const MOST_OF_ONE: usize = 5;
const MOST: usize = 256;

impl Plan {
    /// As many doors as requests in flight ask for: so many of them meet at each device.
    #[must_use]
    pub fn with_doors_for(self, in_flight: f64) -> Self {
        let devices = self.rig.devices.len().max(1);
        let wanted = (in_flight / IN_ORDER).ceil().clamp(1.0, MOST_OF_ONE as f64) as usize;
        let doors = wanted.min((MOST / devices).max(1));
        self.with_doors(doors)
    }

    /// So many doors to each device.
    fn with_doors(mut self, doors: usize) -> Self {
        let devices = self.rig.devices.len();
        let copies: Vec<usize> = (0..devices * doors).map(|door| door % devices).collect();
        self.requests = copies.iter().map(|device| self.requests[*device]).collect();
        let device = |(door, device): (usize, &usize)| {
            let mut device = self.rig.devices[*device].clone();
            if doors > 1 {
                device.name = format!("{} door {}", device.name, door / devices);
            }
            device
        };
        self.rig.devices = copies.iter().enumerate().map(device).collect();
        for leaf in self.targets.iter_mut().flat_map(|target| target.leaves.values_mut()) {
            let ways = std::mem::take(&mut leaf.ways);
            let through = |door| ways.iter().map(move |way| door * devices + way);
            leaf.ways = (0..doors).flat_map(through).collect();
        }
        self
    }
}
