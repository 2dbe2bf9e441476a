//! A cable from each host to a router, which is the front: own subnets, so that all packets between
//! hosts are forwarded, where they can be delayed; rates by token buckets at both ends.

use std::fs;

use anyhow::{Context, Result};

use super::delay::{self, Delay};
use super::hosts::Host;
use super::options::Shape;
use crate::attack::bench::await_that;
use crate::limits::rig::said;

/// How hosts call their end.
pub(crate) const INTERFACE: &str = "eth0";

/// The front, as hosts and `mpirun` call it.
pub(crate) const FRONT: &str = "10.77.0.1";

/// The names of all hosts.
pub(crate) fn names(hosts: u32) -> String {
    let row = |number| format!("{} host{number}\n", address(number));
    let hosts: String = (0..hosts).map(row).collect();
    format!("127.0.0.1 localhost\n{FRONT} front\n{hosts}")
}

/// Has this process's network namespace forward.
pub(crate) fn route() -> Result<()> {
    said("ip", &["link", "set", "lo", "up"])?;
    fs::write("/proc/sys/net/ipv4/ip_forward", "1").context("no forwarding")
}

/// Gives a host its cable.
pub(crate) fn connect(host: &Host, shape: &Shape) -> Result<()> {
    let (link, first) = (host.name(), host.first().to_string());
    let (own, router) = (address(host.number), router(host.number));
    let ours = |words: &str| said("ip", &words.split(' ').collect::<Vec<_>>());
    let theirs = |words: &str| host.said(&words.split(' ').collect::<Vec<_>>());
    ours(&format!("link add {link} type veth peer name {INTERFACE} netns {first}"))?;
    ours(&format!("addr add {router}/24 dev {link}"))?;
    ours(&format!("link set {link} up"))?;
    theirs("ip link set lo up")?;
    theirs(&format!("ip addr add {own}/24 dev {INTERFACE}"))?;
    theirs(&format!("ip link set {INTERFACE} up"))?;
    theirs(&format!("ip route add default via {router}"))?;
    if let Some(rate) = &shape.rate {
        // A burst of 64 KiB is one packet as TCP gives it to the interface.
        let bucket = |end: &str| {
            format!("qdisc add dev {end} root tbf rate {rate} burst 64kb latency 100ms")
        };
        said("tc", &bucket(&link).split(' ').collect::<Vec<_>>())?;
        theirs(&format!("tc {}", bucket(INTERFACE)))?;
    }
    Ok(())
}

/// Waits until the kernel calls a host's cable running, which it may do a second late. MPICH takes
/// no other.
pub(crate) fn await_running(host: &Host) -> Result<()> {
    let state = format!("/sys/class/net/{INTERFACE}/operstate");
    let is_up = || host.said(&["cat", &state]).is_ok_and(|state| state == "up");
    await_that("a host's cable is up", is_up)
}

/// Lets packets pass at once.
pub(crate) fn at_once() -> Result<()> {
    said("iptables", &["-F", "FORWARD"]).map(drop)
}

/// Delays all packets that are forwarded from now on, by a queue that was not used before.
pub(crate) fn delay(delay: Delay, queue: u16) -> Result<()> {
    delay::begin(delay, queue)?;
    let queue = queue.to_string();
    said("iptables", &["-A", "FORWARD", "-j", "NFQUEUE", "--queue-num", &queue]).map(drop)
}

fn address(host: u32) -> String {
    format!("10.77.{host}.2")
}

fn router(host: u32) -> String {
    format!("10.77.{host}.1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_a_subnet_of_its_own() {
        let expected = "127.0.0.1 localhost\n10.77.0.1 front\n10.77.0.2 host0\n10.77.1.2 host1\n";
        assert_eq!(names(2), expected);
        assert_eq!(router(0), FRONT);
    }
}
