//! Latencies as data, in bundles between the operation that writes a value and the one that reads it. No semantics.

use crate::control;
use crate::footprint::Resource;
use crate::rules::times;
use crate::table::Unit;

/// Longest latency of a unit that a machine file may set, in bundles.
pub const MAX_LATENCY: u32 = 32;

/// Distances of a core, in bundles: a value that an operation issued in cycle i produces is first seen by an operation
/// issued in cycle i + distance (`specs/src/timing.md`). They follow from the latencies of four units, which are
/// numbers of the [`Core`](crate::Core).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Latencies {
    /// Distance from an arithmetic operation, or `mfc`, to the first operation that sees its result in the FPR.
    pub arithmetic: u32,
    /// Distance from a comparison or `mtc` to the first predicate or `mfc` that sees the condition codes, from raised
    /// flags to the first `mfc` that sees them in FCSR, and from a `mtc` to the first `move` that sees STATUS.FPE
    /// changed.
    pub condition: u32,
    /// Distance from a load to the first arithmetic operation, store or `mffpr` that sees the value.
    pub load: u32,
    /// Distance from a load to the first `psprmsgn` that sees the value, by a bypass: less than `load`.
    pub load_to_permute: u32,
    /// Distance from `psprmsgn` to the first operation that sees its result in the FPR.
    pub permute: u32,
    /// Distance from `mtfpr` to the first operation that sees its value in the FPR.
    pub to_fpr: u32,
    /// Distance from the write of a general register to the first `do` or `call` that sees the value.
    pub gpr_to_loop: u32,
    /// Distance from the write of a general register to the first `stop` or `run` that sees the value.
    pub gpr_to_stop: u32,
    /// Distance from a write of the mailbox COMM to the first read of STATUS that sees COMMCP2 changed, and from a read
    /// of COMM to the first that sees COMMK64 changed.
    pub comm_to_status: u32,
    /// Number of cycles from a `sync` to the issue of the next bundle, and from a `stop` to the next entry of the host
    /// FIFO.
    pub sync: u32,
    /// Number of cycles after the last bundle of a run until all results have landed, that is, stand in their
    /// registers.
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

    /// Returns the latency of the slowest unit, in bundles: the longest distance from an operation to the earliest one
    /// that sees its result.
    #[inline]
    pub const fn longest(&self) -> u32 {
        self.drain + 1
    }

    /// Returns the distance, in bundles, from an operation of this unit that writes an FPR to the earliest operation
    /// that sees the value when it reads the FPR without a bypass. Units without a latency of their own have that of
    /// arithmetic.
    #[inline]
    pub fn write_fpr(&self, producer: Unit) -> u32 {
        match producer {
            Unit::Load => self.load,
            Unit::Permute => self.permute,
            Unit::ToFpr => self.to_fpr,
            _ => self.arithmetic,
        }
    }

    /// Returns the distance, in bundles, at which an operation of the unit `consumer` first sees what an operation of
    /// the unit `producer` wrote to `resource`; 0 means in the producer's own bundle.
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
