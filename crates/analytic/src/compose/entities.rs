//! What the table of entities and its relations need to know of the model: which streams and
//! components it uses alike, and what flows.

use iopath_entities::{Flows, StreamClass, Table, limits_of};
use iopath_path::fold::label;
use iopath_path::{ComponentId, LegId};
use iopath_record::Relation;
use iopath_units::Op;

use crate::demand;
use crate::model::Model;
use crate::traffic::{Flow, Traffic};

/// The table, with the traffic of one bound. Alike are components whose limits are alike to the
/// model, so they are used alike in every bound, and which carry as much.
pub(super) fn table(model: &Model<'_>, traffic: &Traffic) -> Table {
    let streams: Vec<StreamClass> = model.demand.classes.iter().map(stream_class).collect();
    let limits = limits_of(model.network);
    let key = |component: ComponentId| {
        let component = component.0 as usize;
        let alike = limits[component].iter().flat_map(|limit| &model.limit_of[*limit as usize]);
        let mut key: Vec<u64> = alike.copied().map(u64::from).collect();
        let flow = traffic.components[component];
        let Flow { bytes, operations } = flow;
        let flows = Op::BOTH.map(Op::index).map(|op| [label(bytes[op]), label(operations[op])]);
        let tells = flow != Flow::default() || !key.is_empty();
        key.extend(flows.into_iter().flatten());
        tells.then_some(key)
    };
    Table::new(model.case, model.network, &streams, &key)
}

fn stream_class(class: &demand::StreamClass) -> StreamClass {
    StreamClass {
        streams: class.streams.clone(),
        in_flight: class.in_flight,
        wants: class.wants,
        bytes: class.bytes,
        thread_s: class.thread_s,
        flushing: class.flushing,
    }
}

/// The relations, with the same traffic.
pub(super) fn relations(model: &Model<'_>, table: &Table, traffic: &Traffic) -> Vec<Relation> {
    let network = model.network;
    let requests = |leg: LegId| traffic.legs[leg.0 as usize];
    let led_to = |leg: LegId, place: usize| requests(leg) * network.leg(leg).next[place].times;
    let bytes = |component: ComponentId| traffic.components[component.0 as usize].bytes;
    let flows = Flows { requests: &requests, led_to: &led_to, bytes: &bytes };
    iopath_entities::relations(network, table, &flows)
}
