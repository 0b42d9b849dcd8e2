//! Results under way: a slot for every cycle in which some are first seen. What a slot can hold follows from
//! the units: each has one latency, so an operation of each at most lands in a cycle.

use cp2_emu::cp2::seam::{Landing, UnderWay};
use cp2_emu::state::Quad;
use cp2_isa::{Cycle, Halves, Latencies, MAX_LATENCY, SECTIONS};

/// As many registers as a number of eight bits can name, so that none needs a check.
pub(crate) type Fprs = [Quad; 256];

/// Every section.
pub(crate) const ALL: u8 = (1 << SECTIONS) - 1;
/// Most slots that a core needs.
const SLOTS: usize = (MAX_LATENCY as usize + 2).next_power_of_two();
/// Loads that land in a cycle: those of a pair.
const LOADS: usize = 2;
/// Results of other units: two of arithmetic, two of a permutation, one from a general register.
const OTHERS: usize = 5;
const ENTRIES: usize = 8;
const _: () = assert!(LOADS + OTHERS <= ENTRIES);

/// Where a result goes: a register, halves of it, sections; in one word, so that it is moved as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target(u32);

impl Target {
    const HALVES: u32 = 8;
    const ENABLED: u32 = 16;
    const WHOLE: u32 = Halves::BOTH.bits() as u32 | (ALL as u32) << (Self::ENABLED - Self::HALVES);

    #[inline(always)]
    pub(crate) const fn new(reg: u8, halves: Halves, enabled: u8) -> Self {
        let halves = (halves.bits() as u32) << Self::HALVES;
        Self(reg as u32 | halves | (enabled as u32) << Self::ENABLED)
    }

    /// All of a register.
    #[inline(always)]
    pub(crate) const fn whole(reg: u8) -> Self {
        Self(reg as u32 | Self::WHOLE << Self::HALVES)
    }

    #[inline(always)]
    const fn reg(self) -> u8 {
        self.0 as u8
    }

    const fn halves(self) -> Halves {
        Halves::from_bits_truncate((self.0 >> Self::HALVES) as u8)
    }

    const fn enabled(self) -> u8 {
        (self.0 >> Self::ENABLED) as u8
    }

    #[inline(always)]
    const fn is_whole(self) -> bool {
        self.0 >> Self::HALVES == Self::WHOLE
    }
}

/// Condition codes, eight of each section, the first section in the lowest bits.
pub(crate) type Codes = u32;

/// Code 0 of each section, which is always 1.
pub(crate) const ALWAYS: Codes = 0x0101_0101;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot {
    values: [Quad; ENTRIES],
    targets: [Target; ENTRIES],
    loads: u8,
    others: u8,
    /// Condition codes that are written, and what they become.
    codes: Codes,
    code_values: Codes,
}

const EMPTY: Slot = Slot {
    values: [[0; SECTIONS]; ENTRIES],
    targets: [Target(0); ENTRIES],
    loads: 0,
    others: 0,
    codes: 0,
    code_values: 0,
};

/// Results under way.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    slots: [Slot; SLOTS],
    /// Slots that this core needs, less one.
    mask: u64,
}

impl Ring {
    pub(crate) fn new(latencies: &Latencies) -> Self {
        let longest = latencies.longest().max(latencies.comm_to_status);
        let mask = u64::from(longest + 2).next_power_of_two() - 1;
        Self { slots: [EMPTY; SLOTS], mask: mask.min(SLOTS as u64 - 1) }
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

    /// Plans a result that is no load.
    #[inline(always)]
    pub(crate) fn plan(&mut self, visible: u64, target: Target, value: &Quad) {
        let slot = self.slot(visible);
        let k = (LOADS + usize::from(slot.others)) % ENTRIES;
        slot.others += 1;
        slot.put(k, target, value);
    }

    /// Plans a load, which is written before the others.
    #[inline(always)]
    pub(crate) fn plan_load(&mut self, visible: u64, target: Target, value: &Quad) {
        let slot = self.slot(visible);
        let k = usize::from(slot.loads) % LOADS;
        slot.loads += 1;
        slot.put(k, target, value);
    }

    /// Plans condition codes.
    #[inline(always)]
    pub(crate) fn plan_codes(&mut self, visible: u64, codes: Codes, values: Codes) {
        let slot = self.slot(visible);
        (slot.codes, slot.code_values) = (codes, values);
    }

    /// Writes what is first seen in this cycle.
    #[inline(always)]
    pub(crate) fn land(
        &mut self,
        cycle: u64,
        fpr: &mut Fprs,
        codes: &mut Codes,
        collisions: &mut [u64; SECTIONS],
    ) {
        let slot = self.slot(cycle);
        if slot.codes != 0 {
            *codes = *codes & !slot.codes | slot.code_values | ALWAYS;
        }
        if slot.loads + slot.others > 1 && slot.may_collide() {
            slot.count_collisions(collisions);
        }
        for k in 0..usize::from(slot.loads).min(LOADS) {
            slot.write(k, fpr);
        }
        for k in LOADS..(LOADS + usize::from(slot.others)).min(ENTRIES) {
            slot.write(k, fpr);
        }
        slot.clear();
    }

    /// A register as `psprmsgn` reads it in `cycle`: a load that is first seen in the next one is seen.
    pub(crate) fn bypassed(&self, cycle: u64, reg: u8, fpr: &Fprs) -> Quad {
        let slot = &self.slots[self.place(cycle + 1)];
        let mut value = fpr[usize::from(reg)];
        for k in 0..usize::from(slot.loads).min(LOADS) {
            if slot.targets[k].reg() == reg {
                value = slot.values[k];
            }
        }
        value
    }

    /// Whether nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.loads + slot.others == 0 && slot.codes == 0)
    }

    pub(crate) fn clear(&mut self) {
        for slot in &mut self.slots[..=self.mask as usize % SLOTS] {
            slot.clear();
        }
    }

    /// Takes over a result for an FPR or for condition codes; false if there is no room.
    pub(crate) fn put(&mut self, result: &UnderWay) -> bool {
        let (visible, enabled) = (result.visible.0, result.enabled);
        let slot = self.slot(visible);
        match result.landing {
            Landing::Fpr { from_load: true, .. } if usize::from(slot.loads) == LOADS => false,
            Landing::Fpr { from_load: false, .. }
                if usize::from(slot.others) == ENTRIES - LOADS =>
            {
                false
            }
            Landing::Fpr { reg, halves, value, from_load } => {
                let target = Target::new(reg, halves, enabled);
                if from_load {
                    self.plan_load(visible, target, &value);
                } else {
                    self.plan(visible, target, &value);
                }
                true
            }
            Landing::Conditions { first, count, ref value } => {
                let (mut codes, mut values) = (0, 0);
                for (k, s) in (0..count).flat_map(|k| (0..SECTIONS).map(move |s| (k, s))) {
                    let bit = (enabled >> s & 1) as Codes;
                    let place = u32::from(first + k) + 8 * s as u32;
                    codes |= bit << place;
                    values |= (bit & Codes::from(value[s][usize::from(k)])) << place;
                }
                let is_free = slot.codes == 0;
                self.plan_codes(visible, codes, values);
                is_free
            }
            _ => false,
        }
    }

    /// What is under way before cycle `now` lands, by cycle, then in the order of the writes.
    pub(crate) fn under_way(&self, now: u64) -> Vec<UnderWay> {
        let mut all = Vec::new();
        for visible in now..=now + self.mask {
            let slot = &self.slots[self.place(visible)];
            for k in slot.entries() {
                let target = slot.targets[k];
                let (reg, halves, enabled) = (target.reg(), target.halves(), target.enabled());
                let (value, from_load) = (slot.values[k], k < LOADS);
                let landing = Landing::Fpr { reg, halves, value, from_load };
                all.push(UnderWay { visible: Cycle(visible), enabled, landing });
            }
            all.extend(slot.conditions(Cycle(visible)));
        }
        all
    }
}

impl Slot {
    #[inline(always)]
    fn clear(&mut self) {
        (self.loads, self.others, self.codes) = (0, 0, 0);
    }

    #[inline(always)]
    fn put(&mut self, k: usize, target: Target, value: &Quad) {
        self.values[k] = *value;
        self.targets[k] = target;
    }

    /// Whether two entries may write the same register: not two loads, which are of a pair, and not the two
    /// results of one operation.
    #[inline(always)]
    fn may_collide(&self) -> bool {
        let [first, second, ..] = self.targets[LOADS..] else { return true };
        match (self.loads, self.others) {
            (_, 0) => false,
            (0, 2) => first.reg() == second.reg(),
            (_, 1 | 2) => {
                self.targets[..LOADS].iter().take(self.loads.into()).any(|load| {
                    load.reg() == first.reg() || self.others == 2 && load.reg() == second.reg()
                }) || self.others == 2 && first.reg() == second.reg()
            }
            _ => true,
        }
    }

    #[inline(always)]
    fn write(&self, k: usize, fpr: &mut Fprs) {
        let target = self.targets[k];
        let to = &mut fpr[usize::from(target.reg())];
        if target.is_whole() {
            *to = self.values[k];
            return;
        }
        let (halves, enabled) = (target.halves(), target.enabled());
        for (s, to) in to.iter_mut().enumerate() {
            let mask = if enabled >> s & 1 == 1 { halves.mask() } else { 0 };
            *to = *to & !mask | self.values[k][s] & mask;
        }
    }

    fn entries(&self) -> impl Iterator<Item = usize> + use<> {
        (0..usize::from(self.loads)).chain(LOADS..LOADS + usize::from(self.others))
    }

    #[cold]
    fn count_collisions(&self, collisions: &mut [u64; SECTIONS]) {
        let same = |a: Target, b: Target| a.reg() == b.reg() && a.halves().intersects(b.halves());
        let entries: Vec<Target> = self.entries().map(|k| self.targets[k]).collect();
        for (k, &entry) in entries.iter().enumerate() {
            let older = entries[..k].iter().filter(|&&older| same(older, entry));
            let met = older.fold(0, |all, older| all | older.enabled() & entry.enabled());
            for (s, count) in collisions.iter_mut().enumerate() {
                *count += u64::from(met >> s & 1);
            }
        }
    }

    /// The condition codes, one by one.
    fn conditions(&self, visible: Cycle) -> Vec<UnderWay> {
        let sections = |set: Codes, code: u8| {
            (0..SECTIONS)
                .fold(0, |all, s| all | ((set >> (usize::from(code) + 8 * s) & 1) as u8) << s)
        };
        (0..8)
            .filter_map(|first| {
                let enabled = sections(self.codes, first);
                let values = sections(self.code_values, first);
                let value = std::array::from_fn(|s| [values >> s & 1 == 1, false]);
                let landing = Landing::Conditions { first, count: 1, value };
                (enabled != 0).then_some(UnderWay { visible, enabled, landing })
            })
            .collect()
    }
}
