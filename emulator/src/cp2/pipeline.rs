//! Results in flight: each waits for the cycle in which later operations first see it. Old values of general registers,
//! which some operations see for some cycles more, are kept here too.

use crate::arith::Flags;
use crate::state::{Quad, State};
use cp2_isa::rules::flags;
use cp2_isa::rules::landing::WritePhase;
use cp2_isa::{Core, Cycle, Halves, SECTIONS};
use serde::{Deserialize, Serialize};

/// The write of a result to registers of CP2, which has been computed and is still to land, by the kind of register.
/// Values are per section, position s for section s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Landing {
    /// Write of an FPR, or of one of its halves.
    Fpr {
        /// Number of the FPR, from 0.
        reg: u8,
        /// Halves that are written; the others stay.
        halves: Halves,
        /// Value for each section; only its `halves` count.
        value: Quad,
        /// Whether the result comes from a load. Such a result is seen one cycle earlier by `psprmsgn`, and is written
        /// before other results of the same cycle.
        from_load: bool,
    },
    /// Write of condition codes by a comparison.
    Conditions {
        /// Number of the first condition code that is written.
        first: u8,
        /// Number of condition codes that are written, from `first` on: 1 or 2.
        count: u8,
        /// New values of the condition codes for each section; only the first `count` of them count.
        value: [[bool; 2]; SECTIONS],
    },
    /// Flags that an operation has raised in each section: they replace the cause in FCSR and are added to its sticky
    /// flags.
    Exceptions([Flags; SECTIONS]),
    /// Write of FCCR or FCSR by `mtc`.
    Creg {
        /// Whether the register is FCCR, the condition codes; otherwise it is FCSR, the flags.
        fccr: bool,
        /// New value of the register for each section.
        value: Quad,
    },
    /// Flags that replace those of STATUS (STATUS.FPE) when a `mtc` to FCSR lands: the flags that it writes, and the
    /// flags that later operations have raised so far.
    StatusFlags(Flags),
    /// Change of the bits of STATUS that tell whether COMM has been written or read.
    Mailbox {
        /// Bits of STATUS that become 0.
        clear: u64,
        /// Bits of STATUS that become 1.
        set: u64,
    },
}

impl Landing {
    /// Returns the phase of its cycle in which the result is written.
    fn phase(&self) -> WritePhase {
        match self {
            Self::Fpr { from_load: true, .. } => WritePhase::Middle,
            _ => WritePhase::End,
        }
    }
}

/// A result in flight: computed by an operation that has issued, and not yet seen by other operations. Part of a
/// [`Flight`](super::seam::Flight).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// First cycle, counted from reset, in which an operation that issues sees the result.
    pub visible: Cycle,
    /// Sections in which the result is written, one bit each, section 0 the lowest.
    pub enabled: u8,
    /// Register that the result is written to, and its value.
    pub landing: Landing,
}

impl InFlight {
    /// Writes the result to the registers of `state`.
    pub fn land(&self, state: &mut State) {
        write(&self.landing, self.enabled, state);
    }
}

/// A value that a general register had before a write, kept because some operations that issue soon after the write
/// still see it: the cycle of the write, counted from reset, the number of the register (0 to 15), and the value before
/// the write.
pub type OldScalar = (Cycle, u8, u64);

/// Set of all sections.
const ALL: u8 = (1 << SECTIONS) - 1;
/// Sections of a result that they share: it is written once.
const SHARED: u8 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    landing: Landing,
    /// Sections that the operation is enabled in, one bit each.
    enabled: u8,
}

/// Results under way, by the cycle from which they are seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pipeline {
    /// Results by cycle, as a ring whose length is a power of two: a slot for each cycle to the latest that anything waits
    /// for.
    slots: Box<[Vec<Entry>]>,
    /// The latest cycle in which a `mtc` replaces STATUS.FPE, or has.
    replaces_flags: Cycle,
    scalar_log: Vec<OldScalar>,
    /// Cycles for which an old value of a general register can still be read.
    scalars_kept: u64,
}

pub(super) fn sections(enabled: u8) -> impl Iterator<Item = usize> {
    (0..SECTIONS).filter(move |s| enabled >> s & 1 == 1)
}

impl Pipeline {
    /// Returns a pipeline in which nothing is under way.
    pub(super) fn new(core: &Core) -> Self {
        let latencies = core.latencies();
        let longest = latencies.longest().max(latencies.comm_to_status);
        let slots = (longest as usize + 1).next_power_of_two();
        Self {
            slots: vec![Vec::new(); slots].into_boxed_slice(),
            replaces_flags: Cycle::RESET,
            scalar_log: Vec::new(),
            scalars_kept: latencies.longest().max(latencies.gpr_to_stop).into(),
        }
    }

    /// Whether another pipeline is of a core with the same latencies.
    pub(super) fn is_built_like(&self, other: &Self) -> bool {
        self.slots.len() == other.slots.len() && self.scalars_kept == other.scalars_kept
    }

    #[inline]
    fn place(&self, cycle: Cycle) -> usize {
        cycle.0 as usize & (self.slots.len() - 1)
    }

    /// Plans a result to be seen from cycle `visible` on, in the enabled sections.
    pub(super) fn plan(&mut self, visible: Cycle, enabled: u8, landing: Landing) {
        if enabled != 0 {
            self.slots[self.place(visible)].push(Entry { landing, enabled });
        }
    }

    /// Plans a change of STATUS, which the sections share.
    pub(super) fn plan_status(&mut self, visible: Cycle, landing: Landing) {
        self.expect(visible, &landing);
        self.plan(visible, SHARED, landing);
    }

    /// Remembers how long flags that are raised have to go to `mtc` as well.
    fn expect(&mut self, visible: Cycle, landing: &Landing) {
        if matches!(landing, Landing::StatusFlags(_)) {
            self.replaces_flags = self.replaces_flags.max(visible);
        }
    }

    /// Raises flags of an operation in `cycle`: every `mtc` to FCSR that is under way will leave them in STATUS.FPE.
    pub(super) fn raise(&mut self, cycle: Cycle, raised: Flags) {
        if self.replaces_flags > cycle {
            self.raise_under_way(raised);
        }
    }

    #[cold]
    fn raise_under_way(&mut self, raised: Flags) {
        for entry in self.slots.iter_mut().flatten() {
            if let Landing::StatusFlags(flags) = &mut entry.landing {
                *flags |= raised;
            }
        }
    }

    /// Drops the flags with which a `mtc` to FCSR would replace those of STATUS in the next cycle, for a `move` to STATUS
    /// that issues in `cycle`. The `move` lands with what is first seen in the next cycle and is the later one, so the `mtc`
    /// has nothing left to replace.
    pub(super) fn overrule_status_flags(&mut self, cycle: Cycle) {
        let slot = &mut self.slots[self.place(cycle + 1)];
        slot.retain(|entry| !matches!(entry.landing, Landing::StatusFlags(_)));
    }

    /// Drops the changes of a bit of STATUS by accesses of COMM that are under way, because an access of the host came behind
    /// them.
    pub(super) fn overrule_mailbox(&mut self, bit: u64) {
        for entry in self.slots.iter_mut().flatten() {
            if let Landing::Mailbox { clear, set } = &mut entry.landing {
                *clear &= !bit;
                *set &= !bit;
            }
        }
    }

    /// Writes what is first seen in this cycle, by phase, then in the order of issue. Counts the
    /// write collisions per section.
    pub(super) fn land(
        &mut self,
        cycle: Cycle,
        state: &mut State,
        collisions: &mut [u64; SECTIONS],
    ) {
        let slot = &mut self.slots[self.place(cycle)];
        if slot.len() > 1 {
            slot.sort_by_key(|entry| entry.landing.phase());
        }
        for (i, entry) in slot.iter().enumerate() {
            let met = slot[..i].iter().filter(|older| same_bits(older, entry));
            let met = met.fold(0, |all, older| all | older.enabled & entry.enabled);
            sections(met).for_each(|s| collisions[s] += 1);
            write(&entry.landing, entry.enabled, state);
        }
        slot.clear();
    }

    /// Returns FPR `reg` as `psprmsgn` reads it in `cycle`: a load that lands at the end of the cycle is already seen.
    pub(super) fn bypassed(&self, cycle: Cycle, reg: u8, state: &State) -> Quad {
        let mut quad = state.fpr[usize::from(reg)];
        for entry in &self.slots[self.place(cycle + 1)] {
            if let Landing::Fpr { reg: r, halves, value, from_load: true } = entry.landing
                && r == reg
            {
                let mask = halves.mask();
                let merged = |s: usize| quad[s] & !mask | value[s] & mask;
                let merged: Quad = std::array::from_fn(merged);
                sections(entry.enabled).for_each(|s| quad[s] = merged[s]);
            }
        }
        quad
    }

    /// Returns the results that are under way in `cycle`, before they land, by cycle, then in the order of the writes.
    pub(super) fn under_way(&self, cycle: Cycle) -> Vec<InFlight> {
        let (later, sooner) = self.slots.split_at(self.place(cycle));
        let mut all = Vec::new();
        let slots = sooner.iter().chain(later).zip(0..);
        for (slot, ahead) in slots.filter(|(slot, _)| !slot.is_empty()) {
            all.extend(slot.iter().map(|Entry { landing, enabled }| InFlight {
                visible: cycle + ahead,
                enabled: *enabled,
                landing: landing.clone(),
            }));
        }
        all
    }

    /// Returns the results under way, with the sections in which they are written.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u8, &Landing)> {
        self.slots.iter().flatten().map(|entry| (entry.enabled, &entry.landing))
    }

    /// Returns the latest cycle in which a `mtc` replaces STATUS.FPE, or has replaced it.
    pub(super) fn replaces_flags(&self) -> Cycle {
        self.replaces_flags
    }

    /// Returns the old values of general registers.
    pub(super) fn old_scalars(&self) -> &[OldScalar] {
        &self.scalar_log
    }

    /// Replaces the results under way.
    pub(super) fn set_under_way(&mut self, landings: Vec<InFlight>, scalars: Vec<OldScalar>) {
        self.slots.iter_mut().for_each(Vec::clear);
        self.replaces_flags = Cycle::RESET;
        for InFlight { visible, enabled, landing } in landings {
            self.expect(visible, &landing);
            self.plan(visible, enabled, landing);
        }
        self.scalar_log = scalars;
    }

    /// Remembers the value that a general register had before a write in `cycle`.
    pub(super) fn log_scalar(&mut self, cycle: Cycle, reg: u8, old: u64) {
        self.scalar_log.retain(|&(c, ..)| c + self.scalars_kept > cycle);
        self.scalar_log.push((cycle, reg, old));
    }

    /// Returns a general register as it is read in `cycle` by an operation that sees writes after `distance` cycles.
    pub(super) fn gpr(&self, cycle: Cycle, reg: u8, distance: u32, state: &State) -> u64 {
        let unseen = |c: Cycle| c + u64::from(distance) > cycle;
        let hidden = self.scalar_log.iter().find(|&&(c, r, _)| r == reg && unseen(c));
        hidden.map_or(state.gpr[usize::from(reg)], |&(_, _, old)| old)
    }
}

fn same_bits(a: &Entry, b: &Entry) -> bool {
    match (&a.landing, &b.landing) {
        (Landing::Fpr { reg: r1, halves: h1, .. }, Landing::Fpr { reg: r2, halves: h2, .. }) => {
            r1 == r2 && h1.intersects(*h2)
        }
        _ => false,
    }
}

/// Writes a result in sections.
#[inline]
pub(super) fn write(landing: &Landing, enabled: u8, state: &mut State) {
    match *landing {
        Landing::Fpr { reg, halves: Halves::BOTH, ref value, .. } if enabled == ALL => {
            state.fpr[usize::from(reg)] = *value;
        }
        Landing::Fpr { reg, halves, ref value, .. } => {
            let target = &mut state.fpr[usize::from(reg)];
            let mask = halves.mask();
            sections(enabled).for_each(|s| target[s] = target[s] & !mask | value[s] & mask);
        }
        Landing::Conditions { first, count, ref value } => {
            for s in sections(enabled) {
                for (cc, &holds) in (first..first + count).zip(&value[s]) {
                    state.fccr[s] = flags::condition_written(state.fccr[s], cc, holds);
                }
            }
        }
        Landing::Exceptions(raised) => {
            for s in sections(enabled) {
                state.fcsr[s] = flags::accumulated(state.fcsr[s], raised[s]);
            }
        }
        Landing::Creg { fccr: true, value } => {
            sections(enabled).for_each(|s| state.fccr[s] = flags::fccr_written(value[s]));
        }
        Landing::Creg { fccr: false, value } => {
            sections(enabled).for_each(|s| state.fcsr[s] = flags::fcsr_written(value[s]));
        }
        Landing::StatusFlags(left) => state.status = flags::status_replaced(state.status, left),
        Landing::Mailbox { clear, set } => state.status = state.status & !clear | set,
    }
}
