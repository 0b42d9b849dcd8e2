//! Targets of results: units, the registers that they write, and which of these are due in a slot.

use cp2_emu::state::Quad;
use cp2_isa::{Halves, SECTIONS};

/// FPRs of all sections: as many as a number of eight bits can name, and behind them one for each unit, which takes what no
/// register gets, see [`Targets::new`].
pub(crate) type Fprs = [Quad; FPRS];

/// Number of registers in [`Fprs`]: a power of two, so that no number needs a check.
pub(crate) const FPRS: usize = 512;

/// Number of the first register behind those that eight bits name.
pub(super) const SINK: u16 = 256;

/// Set of all sections.
pub(crate) const ALL: u8 = (1 << SECTIONS) - 1;

/// Unit that writes FPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Load,
    Arithmetic,
    Permute,
    ToFpr,
}

/// Number of units.
pub(super) const UNITS: usize = 4;

/// Bits that tell which results are due in a slot.
pub(super) mod due {
    use super::Unit;

    pub(in crate::ring) const LOAD: u8 = of(Unit::Load);
    pub(in crate::ring) const ARITHMETIC: u8 = of(Unit::Arithmetic);
    pub(in crate::ring) const PERMUTE: u8 = of(Unit::Permute);
    pub(in crate::ring) const CODES: u8 = 1 << 4;
    /// Bit of a result that does not write whole registers in all sections.
    pub(in crate::ring) const PARTLY: u8 = 1 << 5;
    /// Bit of a result that another engine left.
    pub(in crate::ring) const OTHERS: u8 = 1 << 6;
    pub(in crate::ring) const UNITS: u8 = 0xf;

    pub(in crate::ring) const fn of(unit: Unit) -> u8 {
        1 << unit as u8
    }
}

/// Targets of the results of a unit: two registers, two bytes each, halves of each, sections, and what is due, a byte each,
/// from the lowest on, so that all of it is moved as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets(u64);

impl Targets {
    const HALVES: u32 = 32;
    const ENABLED: u32 = 48;
    const DUE: u32 = 56;

    /// Targets of a unit without results.
    pub(crate) const NONE: Self = Self::new(Unit::Load, [None; 2]);

    /// Creates targets that are written in all sections: registers, and halves of them.
    pub(crate) const fn new(unit: Unit, results: [Option<(u8, Halves)>; 2]) -> Self {
        let (mut regs, mut halves) = ([SINK + unit as u16; 2], [Halves::BOTH; 2]);
        let mut k = 0;
        while k < 2 {
            if let Some((reg, of)) = results[k] {
                (regs[k], halves[k]) = (reg as u16, of);
            }
            k += 1;
        }
        let [low, high] = [halves[0].bits() as u64, halves[1].bits() as u64];
        let both = Halves::BOTH.bits() as u64;
        let is_whole = low & high == both && regs[0] != regs[1];
        let partly = if is_whole { 0 } else { due::PARTLY };
        Self(
            regs[0] as u64
                | (regs[1] as u64) << u16::BITS
                | low << Self::HALVES
                | high << (Self::HALVES + 8)
                | (ALL as u64) << Self::ENABLED
                | ((due::of(unit) | partly) as u64) << Self::DUE,
        )
    }

    /// Creates targets that are `n` whole registers from `reg` on.
    pub(crate) const fn whole(unit: Unit, reg: u8, n: u8) -> Self {
        let second = if n > 1 { Some((reg + 1, Halves::BOTH)) } else { None };
        Self::new(unit, [Some((reg, Halves::BOTH)), second])
    }

    /// Returns the targets restricted to some sections.
    #[inline(always)]
    pub(crate) const fn only(self, enabled: u8) -> Self {
        if enabled == ALL {
            return self;
        }
        let others = ((ALL & !enabled) as u64) << Self::ENABLED;
        Self(self.0 & !others | (due::PARTLY as u64) << Self::DUE)
    }

    #[inline(always)]
    pub(super) const fn regs(self) -> [u16; 2] {
        [self.0 as u16, (self.0 >> u16::BITS) as u16]
    }

    #[inline(always)]
    pub(super) const fn due(self) -> u8 {
        (self.0 >> Self::DUE) as u8
    }

    /// Writes results to whole registers.
    #[inline(always)]
    pub(super) fn write(self, values: &Values, fpr: &mut Fprs) {
        let [first, second] = self.regs();
        fpr[usize::from(first) % FPRS] = values[0];
        fpr[usize::from(second) % FPRS] = values[1];
    }

    /// Whether these and other targets may have a register in common.
    #[inline(always)]
    pub(super) fn may_meet(self, other: Self) -> bool {
        let ([a, b], [c, d]) = (self.regs(), other.regs());
        a == c || a == d || b == c || b == d
    }

    /// Returns the number of registers that are written.
    pub(super) const fn len(self) -> usize {
        if self.regs()[1] >= SINK { 1 } else { 2 }
    }

    pub(super) const fn target(self, k: usize) -> Target {
        let halves = (self.0 >> (Self::HALVES + 8 * k as u32)) as u8;
        Target {
            reg: self.regs()[k],
            halves: Halves::from_bits_truncate(halves),
            enabled: (self.0 >> Self::ENABLED) as u8,
        }
    }
}

/// Target of one result: register, halves of it, sections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) reg: u16,
    pub(super) halves: Halves,
    pub(super) enabled: u8,
}

impl Target {
    pub(super) fn write(self, value: &Quad, to: &mut Quad) {
        for (s, to) in to.iter_mut().enumerate() {
            let mask = if self.enabled >> s & 1 == 1 { self.halves.mask() } else { 0 };
            *to = *to & !mask | value[s] & mask;
        }
    }

    /// Returns the sections in which both targets write the same bits.
    pub(super) fn meets(self, other: Self) -> u8 {
        let same = self.reg == other.reg && self.halves.intersects(other.halves);
        if same { self.enabled & other.enabled } else { 0 }
    }
}

/// Values of the two results of a unit.
pub(super) type Values = [Quad; 2];
