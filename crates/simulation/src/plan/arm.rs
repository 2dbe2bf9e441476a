//! The arm of a disk, in picoseconds.

use iopath_path::Arm;

use crate::core::Ps;

/// What a request costs the arm of a disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmTimes {
    pub row: u32,
    pub passing: Ps,
    pub alone: Ps,
    pub queued: Ps,
    /// Until the place of the request before comes round again; `Ps::MAX` where nothing says.
    pub again: Ps,
}

impl ArmTimes {
    pub(super) fn of(arm: Arm) -> Self {
        Self {
            row: arm.row.0,
            passing: Ps::from_secs_f64(arm.passing_s),
            alone: Ps::from_secs_f64(arm.alone_s),
            queued: Ps::from_secs_f64(arm.queued_s),
            again: Some(arm.again_s)
                .filter(|again| again.is_finite())
                .map_or(Ps::MAX, Ps::from_secs_f64),
        }
    }
}
