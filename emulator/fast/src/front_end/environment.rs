//! The modes that a block is translated for: how address sets step, how results are rounded.

use crate::abi::context::Live;
use cp2_emu::state::{CONTROL_INVERSE, CONTROL_ROUNDING};
use cp2_isa::Core;
use cp2_isa::rules::address as rule;
use serde::{Deserialize, Serialize};

/// The mode of an address set, as far as a block knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownMode {
    Linear,
    Reversed,
    Circular,
}

impl KnownMode {
    /// Returns the mode that a value of Mn means.
    #[inline]
    pub(crate) fn of(core: &Core, m: u16) -> Self {
        match rule::StepMode::of(core, m) {
            rule::StepMode::Linear => Self::Linear,
            rule::StepMode::Reversed => Self::Reversed,
            rule::StepMode::Circular(_) => Self::Circular,
        }
    }
}

/// Modes of a machine for which a translation is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Environment {
    /// Address sets in linear mode, one bit each.
    pub(crate) linear: u16,
    /// Address sets in bit-reversed mode, one bit each.
    pub(crate) reversed: u16,
    /// Whether RMASK has all bits, so that all bits of the angle step.
    pub(crate) full_mask: bool,
    /// Rounding mode, CONTROL.RM.
    pub(crate) rounding: u8,
    /// Whether coefficients are those of the inverse transform, CONTROL.I.
    pub(crate) inverse: bool,
    /// Whether accesses to local memory are noted.
    pub(crate) notes: bool,
    /// Whether the cost of each bundle is counted.
    pub(crate) profiled: bool,
}

impl Environment {
    /// Returns the environment that registers and CONTROL make, without a profile.
    pub(crate) fn of(core: &Core, live: &Live, control: u64, notes: bool) -> Self {
        let (mut linear, mut reversed) = (0, 0);
        for (k, &m) in live.m.iter().enumerate() {
            let mode = KnownMode::of(core, m as u16);
            linear |= u16::from(mode == KnownMode::Linear) << k;
            reversed |= u16::from(mode == KnownMode::Reversed) << k;
        }
        Self {
            linear,
            reversed,
            full_mask: live.rmask == 0xffff,
            rounding: (control & CONTROL_ROUNDING) as u8,
            inverse: control & CONTROL_INVERSE != 0,
            notes,
            profiled: false,
        }
    }
}
