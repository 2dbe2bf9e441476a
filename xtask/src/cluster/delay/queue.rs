//! The reader of the queue: two threads, of which one receives and one lets go.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::net::netlink::{NETFILTER, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, send, socket_with,
};

use super::{Delay, netlink};

/// Room for some hundred packets' facts.
const ROOM: usize = 1 << 16;

struct Held {
    id: u32,
    due: Instant,
}

/// Delays the packets of a queue from now on, until this process ends.
pub(crate) fn begin(delay: Delay, queue: u16) -> Result<()> {
    let socket =
        open(queue).context("packets cannot be queued (CONFIG_NETFILTER_NETLINK_QUEUE)")?;
    let socket = Arc::new(socket);
    let (held, waiting) = channel();
    let receiving = Arc::clone(&socket);
    thread::spawn(move || receive(&receiving, delay, &held));
    thread::spawn(move || let_go(&socket, queue, &waiting));
    Ok(())
}

fn open(queue: u16) -> rustix::io::Result<OwnedFd> {
    let (family, kind) = (AddressFamily::NETLINK, SocketType::RAW);
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, Some(NETFILTER))?;
    bind(&socket, &SocketAddrNetlink::new(0, 0))?;
    send(&socket, &netlink::bind(queue), SendFlags::empty())?;
    Ok(socket)
}

fn receive(socket: &OwnedFd, delay: Delay, held: &Sender<Held>) {
    // The delays of every run are the same; when packets come is not.
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut last: BTreeMap<u32, Instant> = BTreeMap::new();
    let mut room = vec![0_u8; ROOM];
    loop {
        // An error says that packets were lost, as cables lose some: TCP sends them again.
        let Ok((length, _)) = recv(socket, room.as_mut_slice(), RecvFlags::empty()) else {
            continue;
        };
        let now = Instant::now();
        for packet in netlink::packets(&room[..length]) {
            let share = draw.next_u32() as f64 / f64::from(u32::MAX);
            let before = last.entry(packet.leaves_by).or_insert(now);
            *before = (now + delay.at(share)).max(*before);
            if held.send(Held { id: packet.id, due: *before }).is_err() {
                return;
            }
        }
    }
}

/// Lets packets go in the order in which they are due.
fn let_go(socket: &OwnedFd, queue: u16, waiting: &Receiver<Held>) {
    let mut held: BTreeMap<(Instant, u32), u32> = BTreeMap::new();
    loop {
        let next = held.first_key_value().map(|((due, _), _)| *due);
        let arrived = match next {
            Some(due) => waiting.recv_timeout(due.saturating_duration_since(Instant::now())).ok(),
            None => match waiting.recv() {
                Ok(arrived) => Some(arrived),
                Err(_) => return,
            },
        };
        held.extend(arrived.map(|one| ((one.due, one.id), one.id)));
        while let Some(first) = held.first_entry()
            && first.key().0 <= Instant::now()
        {
            // One that its connection has given up meanwhile is not there any more.
            let _ = send(socket, &netlink::accept(queue, first.remove()), SendFlags::empty());
        }
    }
}
