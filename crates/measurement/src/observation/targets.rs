//! The targets of an observation, as entities above what they lie on.

use iopath_record::{EntityId, Kind, Layer};

use super::table::Table;
use crate::below::Copies;
use crate::system_sources::{Entities as _, Named, Scope};

/// The targets themselves, above what they lie on.
pub(super) fn put(
    table: &mut Table,
    scope: &Scope,
    below: &dyn Fn(&mut Table, &str) -> Option<EntityId>,
) {
    for target in &scope.targets {
        let Some(mount) = &target.location.mount else { continue };
        let name = target.path.display().to_string();
        let binding = Some(format!("{} {}", mount.fs_type, mount.mount_point.display()));
        let upper = table.put(Named { name, kind: Kind::File, layer: Layer::FileSystem, binding });
        let devices = target.location.devices.iter();
        let lower = devices.filter_map(|name| below(table, name)).collect();
        table.relate(upper, lower, Copies::ONE);
    }
}
