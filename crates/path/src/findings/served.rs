//! Volumes whose drives are all in a machine other than the one that writes: without `at` the
//! writer splits requests over them, and each copy and all parity cross the network.

use iopath_study::{Class, PartId, unindexed};

use super::Remarks;
use super::rule::Rule;
use super::view::{About, View};
use crate::volume::Geometry;

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::Volume).filter(|id| is_split_by_stream(view, *id)) {
        let Some(server) = only_host(view, id) else { continue };
        let loads = view.arrivals[id.0].keys().map(|arrival| &view.loads[arrival.load]);
        let mut writers = loads.filter(|load| load.writes());
        let host = |on: PartId| match view.kind(on) {
            "host" => Some(on),
            _ => view.within(on, &["host"]),
        };
        let Some((writer, client)) = writers.find_map(|load| {
            let mut places = load.streams.iter().filter_map(|stream| host(stream.modelled.on?));
            let client = places.find(|client| *client != server)?;
            Some((load.group(), client))
        }) else {
            continue;
        };
        let server = &view.system.part(server).name;
        let client = unindexed(&view.system.part(client).name);
        let about = About::advice(Rule::SplitByClient, view.declared(id));
        let says = format!(
            "all of its drives are in {server}, but {writer} on {client} splits its writes: copies \
             and parity cross the network"
        );
        let hint = format!("state at=\"{server}\" where the server splits them");
        about.say(remarks, &[id], says, &hint);
    }
}

/// Whether a volume writes more than it is given, and nothing says where it is, nor what is on it.
fn is_split_by_stream(view: &View<'_>, id: PartId) -> bool {
    let is_placed = |id: PartId| view.network.component(id.into()).place.is_some();
    let mut above = vec![id];
    while let Some(id) = above.pop() {
        if is_placed(id) {
            return false;
        }
        above.extend(&view.users[id.0]);
    }
    view.volume(id).is_some_and(|volume| {
        matches!(
            volume.geometry,
            Geometry::Mirror | Geometry::StripedMirrors { .. } | Geometry::Parity(_)
        )
    })
}

/// The machine that everything a volume lies on is in; none where there are several.
fn only_host(view: &View<'_>, id: PartId) -> Option<PartId> {
    let members = view.active(id);
    if members.is_empty() {
        return view.within(id, &["host"]);
    }
    let mut hosts = members.iter().map(|member| only_host(view, *member));
    let first = hosts.next()??;
    hosts.all(|host| host == Some(first)).then_some(first)
}
