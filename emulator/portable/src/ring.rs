//! Results under way: a slot for every cycle in which some are first seen, with a place for every unit, for each has
//! one latency.

mod target;

pub(crate) use target::{ALL, FPRS, Fprs, Targets, Unit};

use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::state::Quad;
use cp2_isa::{Cycle, Latencies, MAX_LATENCY, SECTIONS};
use target::{Target, UNITS, Values, due};
/// Largest number of slots that a core needs.
const SLOTS: usize = (MAX_LATENCY as usize + 2).next_power_of_two();

/// Condition codes, eight of each section, the first section in the lowest bits.
pub(crate) type Codes = u32;

/// Code 0 of each section, which is always 1.
pub(crate) const ALWAYS: Codes = 0x0101_0101;

/// Results that are first seen in a cycle, but for their values.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot {
    targets: [Targets; UNITS],
    due: u8,
    /// Mask of the condition codes that are written, and their new values.
    codes: Codes,
    code_values: Codes,
}

const EMPTY: Slot = Slot { targets: [Targets::NONE; UNITS], due: 0, codes: 0, code_values: 0 };

/// Ring of the results under way.
#[derive(Debug)]
pub(crate) struct Ring {
    slots: [Slot; SLOTS],
    /// Values of each slot and unit, apart so that both lie at powers of two.
    values: [[Values; UNITS]; SLOTS],
    /// Number of slots that this core needs, less one.
    mask: u64,
    /// Units but for loads, in the order in which results that land in one cycle were issued.
    order: [Unit; UNITS - 1],
    /// Results that another engine left, by cycle, then in the order of the writes.
    others: Vec<InFlight>,
}

impl Ring {
    pub(crate) fn new(latencies: &Latencies) -> Self {
        let longest = latencies.longest().max(latencies.comm_to_status);
        let mask = u64::from(longest + 2).next_power_of_two() - 1;
        // Within a bundle the arithmetic operation comes first, and the sort keeps that.
        let mut order = [
            (latencies.arithmetic, Unit::Arithmetic),
            (latencies.permute, Unit::Permute),
            (latencies.to_fpr, Unit::ToFpr),
        ];
        order.sort_by_key(|&(latency, _)| std::cmp::Reverse(latency));
        Self {
            slots: [EMPTY; SLOTS],
            values: [[[[0; SECTIONS]; 2]; UNITS]; SLOTS],
            mask: mask.min(SLOTS as u64 - 1),
            order: order.map(|(_, unit)| unit),
            others: Vec::new(),
        }
    }

    /// Copies another ring, as far as anything is due.
    pub(crate) fn copy(&mut self, other: &Self) {
        let Self { slots, values, mask, order, others } = other;
        for (place, slot) in slots[..=*mask as usize % SLOTS].iter().enumerate() {
            if slot.due == 0 {
                self.slots[place].due = 0;
            } else {
                (self.slots[place], self.values[place]) = (*slot, values[place]);
            }
        }
        (self.mask, self.order) = (*mask, *order);
        self.others.clone_from(others);
    }

    #[inline(always)]
    fn place(&self, cycle: u64) -> usize {
        (cycle & self.mask) as usize % SLOTS
    }

    #[inline(always)]
    fn slot(&mut self, cycle: u64) -> &mut Slot {
        let place = self.place(cycle);
        &mut self.slots[place]
    }

    /// Returns the place of the results of a unit until they are first seen in cycle `visible`.
    #[inline(always)]
    pub(crate) fn values(&mut self, unit: Unit, visible: u64) -> &mut [Quad; 2] {
        let place = self.place(visible);
        &mut self.values[place][unit as usize]
    }

    /// Plans the results of a unit whose values are in their place already.
    #[inline(always)]
    pub(crate) fn will_land(&mut self, unit: Unit, visible: u64, targets: Targets) {
        let slot = self.slot(visible);
        slot.targets[unit as usize] = targets;
        slot.due |= targets.due();
    }

    /// Plans the results of a unit.
    #[inline(always)]
    pub(crate) fn plan(
        &mut self,
        unit: Unit,
        visible: u64,
        targets: Targets,
        first: &Quad,
        second: Option<&Quad>,
    ) {
        let values = self.values(unit, visible);
        values[0] = *first;
        if let Some(second) = second {
            values[1] = *second;
        }
        self.will_land(unit, visible, targets);
    }

    /// Plans condition codes.
    #[inline(always)]
    pub(crate) fn plan_codes(&mut self, visible: u64, codes: Codes, values: Codes) {
        let slot = self.slot(visible);
        if slot.due & due::CODES == 0 {
            (slot.codes, slot.code_values) = (0, 0);
        }
        slot.codes |= codes;
        slot.code_values = slot.code_values & !codes | values;
        slot.due |= due::CODES;
    }

    /// Writes the results that are first seen in this cycle.
    #[inline(always)]
    pub(crate) fn land(
        &mut self,
        cycle: u64,
        fpr: &mut Fprs,
        codes: &mut Codes,
        collisions: &mut [u64; SECTIONS],
    ) {
        use due::{ARITHMETIC, LOAD, PERMUTE};
        const LOAD_ARITHMETIC: u8 = LOAD | ARITHMETIC;
        const LOAD_PERMUTE: u8 = LOAD | PERMUTE;
        const ARITHMETIC_PERMUTE: u8 = ARITHMETIC | PERMUTE;
        let place = self.place(cycle);
        let (slot, values) = (&mut self.slots[place], &self.values[place]);
        let [load, arithmetic, permute, _] = &slot.targets;
        let [of_load, of_arithmetic, of_permute, _] = values;
        match slot.due {
            0 => return,
            ARITHMETIC => arithmetic.write(of_arithmetic, fpr),
            LOAD => load.write(of_load, fpr),
            PERMUTE => permute.write(of_permute, fpr),
            LOAD_ARITHMETIC if !load.may_meet(*arithmetic) => {
                load.write(of_load, fpr);
                arithmetic.write(of_arithmetic, fpr);
            }
            LOAD_PERMUTE if !load.may_meet(*permute) => {
                load.write(of_load, fpr);
                permute.write(of_permute, fpr);
            }
            ARITHMETIC_PERMUTE if !arithmetic.may_meet(*permute) => {
                arithmetic.write(of_arithmetic, fpr);
                permute.write(of_permute, fpr);
            }
            _ => return self.land_all(cycle, fpr, codes, collisions),
        }
        slot.due = 0;
    }

    /// Writes the results that are first seen in this cycle, whatever they are.
    #[inline(never)]
    fn land_all(
        &mut self,
        cycle: u64,
        fpr: &mut Fprs,
        codes: &mut Codes,
        collisions: &mut [u64; SECTIONS],
    ) {
        let place = self.place(cycle);
        let slot = self.slots[place];
        if slot.due & due::CODES != 0 {
            *codes = *codes & !slot.codes | slot.code_values | ALWAYS;
        }
        if slot.due & (due::PARTLY | due::OTHERS) != 0 || slot.may_meet() {
            return self.land_in_order(cycle, fpr, collisions);
        }
        for (k, targets) in slot.targets.iter().enumerate() {
            if slot.due >> k & 1 == 1 {
                targets.write(&self.values[place][k], fpr);
            }
        }
        self.slots[place].due = 0;
    }

    /// Writes results to parts of registers, or more than once to one, in the order that the units keep.
    fn land_in_order(&mut self, cycle: u64, fpr: &mut Fprs, collisions: &mut [u64; SECTIONS]) {
        let due = self.slots[self.place(cycle)].due;
        // One operation alone meets itself where both of its results go to one register.
        if due & (due::UNITS | due::OTHERS) != due::LOAD {
            self.count_collisions(cycle, collisions);
        }
        for (target, value) in self.entries(cycle) {
            target.write(value, &mut fpr[usize::from(target.reg) % FPRS]);
        }
        self.others.retain(|other| other.visible.0 != cycle);
        self.slot(cycle).due = 0;
    }

    fn count_collisions(&self, cycle: u64, collisions: &mut [u64; SECTIONS]) {
        for (k, (target, _)) in self.entries(cycle).enumerate() {
            let older = self.entries(cycle).take(k);
            let met = older.fold(0, |all, (older, _)| all | older.meets(target));
            for (s, count) in collisions.iter_mut().enumerate() {
                *count += u64::from(met >> s & 1);
            }
        }
    }

    /// Returns the results for FPRs that are first seen in a cycle, in the order of the writes: loads first, then those that
    /// another engine left, for they were issued before.
    fn entries(&self, cycle: u64) -> impl Iterator<Item = (Target, &Quad)> {
        let of = move |unit| self.results(cycle, unit);
        let others = self.order.iter().flat_map(move |&unit| of(unit));
        let loads = self.others(cycle, true).chain(of(Unit::Load));
        loads.chain(self.others(cycle, false)).chain(others)
    }

    /// Returns the results of a unit that are due in a cycle.
    fn results(&self, cycle: u64, unit: Unit) -> impl Iterator<Item = (Target, &Quad)> {
        let place = self.place(cycle);
        let (slot, values) = (&self.slots[place], &self.values[place][unit as usize]);
        let targets = slot.targets[unit as usize];
        let n = if slot.due & due::of(unit) != 0 { targets.len() } else { 0 };
        (0..n).map(move |k| (targets.target(k), &values[k]))
    }

    /// Returns the results for FPRs that another engine left and that are due in a cycle: those of loads, or the others.
    fn others(&self, cycle: u64, loads: bool) -> impl Iterator<Item = (Target, &Quad)> {
        let in_cycle = self.others.iter().filter(move |other| other.visible.0 == cycle);
        in_cycle.filter_map(move |other| match &other.landing {
            &Landing::Fpr { reg, halves, ref value, from_load } if from_load == loads => {
                Some((Target { reg: reg.into(), halves, enabled: other.enabled }, value))
            }
            _ => None,
        })
    }

    /// Returns a register as `psprmsgn` reads it in `cycle`: a load that is first seen in the next one is seen.
    #[inline(always)]
    pub(crate) fn bypassed(&self, cycle: u64, reg: u8, fpr: &Fprs) -> Quad {
        let place = self.place(cycle + 1);
        let slot = &self.slots[place];
        let quad = &fpr[usize::from(reg)];
        match slot.due & (due::LOAD | due::OTHERS | due::PARTLY) {
            0 => *quad,
            due::LOAD => {
                let [first, second] = slot.targets[Unit::Load as usize].regs();
                let values = &self.values[place][Unit::Load as usize];
                if first == u16::from(reg) {
                    values[0]
                } else if second == u16::from(reg) {
                    values[1]
                } else {
                    *quad
                }
            }
            _ => self.loaded(cycle + 1, reg, quad),
        }
    }

    /// Returns a register with the loads that are first seen in `cycle`.
    #[inline(never)]
    fn loaded(&self, cycle: u64, reg: u8, quad: &Quad) -> Quad {
        let mut quad = *quad;
        let loads = self.results(cycle, Unit::Load);
        for (target, value) in self.others(cycle, true).chain(loads) {
            if target.reg == u16::from(reg) {
                target.write(value, &mut quad);
            }
        }
        quad
    }

    /// Whether nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.due == 0)
    }

    pub(crate) fn clear(&mut self) {
        for slot in &mut self.slots[..=self.mask as usize % SLOTS] {
            slot.due = 0;
        }
        self.others.clear();
    }

    /// Adds a result of another engine, for an FPR or for condition codes; false if it is another one.
    pub(crate) fn insert(&mut self, result: &InFlight) -> bool {
        let (visible, enabled) = (result.visible.0, result.enabled);
        match result.landing {
            Landing::Fpr { .. } => {
                self.others.push(result.clone());
                self.slot(visible).due |= due::OTHERS;
            }
            Landing::Conditions { first, count, ref value } => {
                let (mut codes, mut values) = (0, 0);
                for (k, s) in (0..count).flat_map(|k| (0..SECTIONS).map(move |s| (k, s))) {
                    let bit = (enabled >> s & 1) as Codes;
                    let place = u32::from(first + k) + 8 * s as u32;
                    codes |= bit << place;
                    values |= (bit & Codes::from(value[s][usize::from(k)])) << place;
                }
                self.plan_codes(visible, codes, values);
            }
            _ => return false,
        }
        true
    }

    /// Returns the results under way before cycle `now` lands, by cycle, then in the order of the writes.
    pub(crate) fn under_way(&self, now: u64) -> Vec<InFlight> {
        let mut all = Vec::new();
        for cycle in now..=now + self.mask {
            let visible = Cycle(cycle);
            let loads = self.others(cycle, true).count() + self.results(cycle, Unit::Load).count();
            for (k, (target, &value)) in self.entries(cycle).enumerate() {
                let Target { reg, halves, enabled } = target;
                let reg = reg as u8;
                let landing = Landing::Fpr { reg, halves, value, from_load: k < loads };
                all.push(InFlight { visible, enabled, landing });
            }
            all.extend(self.slots[self.place(cycle)].conditions(visible));
        }
        all
    }
}

impl Slot {
    /// Whether two units may write the same register.
    fn may_meet(&self) -> bool {
        let is_due = |k: usize| self.due >> k & 1 == 1;
        (1..UNITS).filter(|&k| is_due(k)).any(|k| {
            let older = (0..k).filter(|&older| is_due(older));
            older.into_iter().any(|older| self.targets[older].may_meet(self.targets[k]))
        })
    }

    /// Returns the writes of condition codes, one by one.
    fn conditions(&self, visible: Cycle) -> Vec<InFlight> {
        let sections = |set: Codes, code: u8| {
            (0..SECTIONS)
                .fold(0, |all, s| all | ((set >> (usize::from(code) + 8 * s) & 1) as u8) << s)
        };
        let codes = if self.due & due::CODES != 0 { self.codes } else { 0 };
        (0..8)
            .filter_map(|first| {
                let enabled = sections(codes, first);
                let values = sections(self.code_values, first);
                let value = std::array::from_fn(|s| [values >> s & 1 == 1, false]);
                let landing = Landing::Conditions { first, count: 1, value };
                (enabled != 0).then_some(InFlight { visible, enabled, landing })
            })
            .collect()
    }
}
