//! The arithmetic half of a bundle, executed and not yet committed: what it reads in a section, and
//! what it has computed.

use crate::arith::{Flags, Lane, LaneResult, Rounding};
use crate::state::{Quad, State};
use cp2_isa::rules::flags;
use cp2_isa::{Arith, Effects, Halves, Inst, NamedRegisters, Role, SECTIONS};

/// The results of the arithmetic half of a bundle.
pub(super) struct Computed {
    /// Sections in which the operation executes.
    pub(super) enabled: u8,
    /// Results in each section.
    pub(super) outcome: [LaneResult; SECTIONS],
    /// Values that `mtc` writes.
    pub(super) creg: Quad,
    /// RIND after its step, if the operation steps it.
    pub(super) next_rind: Option<u16>,
}

/// Returns the operands that an operation with these registers sees in section `s`.
#[inline]
pub(super) fn lane(
    NamedRegisters { d, s: first, t }: NamedRegisters,
    state: &State,
    s: usize,
    coefficient: u64,
    rounding: Rounding,
) -> Lane {
    let fpr = |n: u8| state.fpr.get(usize::from(n)).map_or(0, |quad| quad[s]);
    Lane {
        d: fpr(d),
        s: fpr(first),
        t: fpr(t),
        s_next: fpr(first + 1),
        t_next: fpr(t + 1),
        coefficient,
        section: s as u8,
        rounding,
    }
}

/// Choice of a result from an [`LaneResult`].
pub(super) type Pick = fn(&LaneResult) -> u64;

/// Returns the FPRs that an arithmetic operation writes: number, halves and which result.
pub(super) fn results(inst: &Inst<Arith>) -> impl Iterator<Item = (u8, Halves, Pick)> + '_ {
    inst.results().map(|result| {
        let pick: Pick = match result.role {
            Role::D => |o| o.d,
            Role::S => |o| o.s,
            Role::Q => |o| o.q,
        };
        (result.number, result.halves, pick)
    })
}

/// Returns the flags that an arithmetic operation adds to STATUS at once.
pub(super) fn raised(inst: &Inst<Arith>, computed: &Computed) -> Flags {
    if !inst.op.row().effects.contains(Effects::FLAGS) {
        return Flags::empty();
    }
    computed.outcome.iter().fold(Flags::empty(), |all, o| all | o.flags)
}

/// Returns the sticky flags of all values that `mtc` writes to FCSR.
pub(super) fn sticky(written: &Quad) -> Flags {
    written.iter().fold(Flags::empty(), |all, &v| all | flags::sticky(v))
}
