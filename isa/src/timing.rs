//! Latencies as data, in bundles between producer and consumer. No semantics.

use crate::control;
use crate::footprint::Resource;
use crate::rules::times;
use crate::table::Unit;

/// Longest latency that a machine may have.
pub const MAX_LATENCY: u32 = 32;

/// Distances in bundles: a value that an operation issued in cycle i produces is first seen by an
/// operation issued in cycle i + distance (`specs/src/timing.md`). They follow from the latencies of
/// four units; [`crate::Core`] is where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Latencies {
    /// Arithmetic result, `mfc` too, to any reader of the FPR.
    pub arithmetic: u32,
    /// Comparison or `mtc` to predicate, `mfc`; flags to `mfc`; `mtc` to STATUS.FPE.
    pub condition: u32,
    /// Load to the first arithmetic operation, store or `mffpr` that sees the value.
    pub load: u32,
    /// Load to the first `psprmsgn` that sees the value, by a bypass.
    pub load_to_permute: u32,
    /// `psprmsgn` to the first operation that sees its result in the FPR.
    pub permute: u32,
    /// `mtfpr` to the first operation that sees its value in the FPR.
    pub to_fpr: u32,
    /// Write of a GPR to the first `do` or `call` that sees its value.
    pub gpr_to_loop: u32,
    /// Write of a GPR to the first `stop` or `run` that sees its value.
    pub gpr_to_stop: u32,
    /// Write of COMM to STATUS.COMMCP2, read of COMM to STATUS.COMMK64.
    pub comm_to_status: u32,
    /// Cycles from a `sync` to the issue of the next bundle, from a `stop` to the next entry of the
    /// host FIFO.
    pub sync: u32,
    /// Cycles after the last bundle until everything has landed.
    pub drain: u32,
}

impl Latencies {
    /// Creates the distances of a core whose units take these latencies.
    pub(crate) const fn from_units(arithmetic: u32, load: u32, permute: u32, to_fpr: u32) -> Self {
        let mut longest = arithmetic;
        let others = [load, permute, to_fpr];
        let mut k = 0;
        while k < others.len() {
            if others[k] > longest {
                longest = others[k];
            }
            k += 1;
        }
        Self {
            arithmetic,
            condition: times::condition(arithmetic),
            load,
            load_to_permute: times::bypassed_load(load),
            permute,
            to_fpr,
            gpr_to_loop: times::GPR_TO_LOOP,
            gpr_to_stop: times::GPR_TO_STOP,
            comm_to_status: times::COMM_TO_STATUS,
            sync: times::settled(longest),
            drain: times::settled(longest),
        }
    }

    /// Returns the longest distance that a result takes on this machine.
    #[inline]
    pub const fn longest(&self) -> u32 {
        self.drain + 1
    }

    /// Returns the number of cycles until readers without a bypass see the write of a unit to an FPR.
    #[inline]
    pub fn write_fpr(&self, producer: Unit) -> u32 {
        match producer {
            Unit::Load => self.load,
            Unit::Permute => self.permute,
            Unit::ToFpr => self.to_fpr,
            _ => self.arithmetic,
        }
    }

    /// Returns the distance at which `consumer` first sees what `producer` wrote to `resource`; 0 means in the producer's own
    /// bundle.
    #[inline]
    pub fn distance(&self, producer: Unit, resource: Resource, consumer: Unit) -> u32 {
        match resource {
            Resource::Fpr(..) if producer == Unit::Load && consumer == Unit::Permute => {
                self.load_to_permute
            }
            Resource::Fpr(..) => self.write_fpr(producer),
            Resource::Fccr(_) | Resource::Fcsr => self.condition,
            Resource::Fpe => match producer {
                Unit::Creg => self.condition,
                Unit::Scalar => 1,
                // Stage 1 raises the flags of the arithmetic half before the exchange half reads.
                _ => 0,
            },
            Resource::Mailbox => self.comm_to_status,
            // So is the angle stepped.
            Resource::Control(control::RIND)
                if producer == Unit::Arithmetic && consumer == Unit::Scalar =>
            {
                0
            }
            Resource::Gpr(_) if consumer == Unit::Loop => self.gpr_to_loop,
            Resource::Gpr(_) if consumer == Unit::Stop => self.gpr_to_stop,
            _ => 1,
        }
    }
}
