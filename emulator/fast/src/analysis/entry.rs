//! The first iteration of a loop on the code of the later ones. It differs from them in the results under way when it begins.
//! A result that is not under way is the same as one under way that brings its register the value that it has; and a result
//! may land sooner or later if nobody looks at its register meanwhile. So the results under way can become what the code of
//! the later iterations expects.

use crate::abi::context::{FPRS, PENDING, Vector};
use crate::front_end::region::settled;
use crate::front_end::shape::{PendingResult, PipelineState, ResultTarget};
use cp2_isa::{Core, Halves};
use serde::{Deserialize, Serialize};

/// Number of registers to which results go: FPRs and condition codes.
const CELLS: usize = FPRS + 8;

/// Returns the number of the register to which a result goes: an FPR, or behind all FPRs a condition code.
fn cell(goal: ResultTarget) -> usize {
    match goal {
        ResultTarget::Fpr { reg, .. } => usize::from(reg),
        ResultTarget::Condition(cc) => FPRS + usize::from(cc),
    }
}

/// Uses of FPRs and condition codes in the first cycles of a block; a bit for each cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EntryUses {
    /// Cycles in which each register is read.
    #[serde(with = "cp2_emu::array")]
    read: [u64; CELLS],
    /// Cycles in which a result of the block itself lands in each register.
    #[serde(with = "cp2_emu::array")]
    lands: [u64; CELLS],
    /// Number of cycles of the block within which everything lands that was under way when it began.
    settled: u32,
}

// A result under way has a bit of its own for each cycle in which it can land.
const _: () = assert!(cp2_isa::MAX_LATENCY < u64::BITS);

fn bit(time: usize) -> u64 {
    u32::try_from(time).ok().and_then(|time| 1_u64.checked_shl(time)).unwrap_or(0)
}

/// Returns the bits of the cycles before a cycle.
fn before(time: u8) -> u64 {
    bit(time.into()).wrapping_sub(1)
}

impl EntryUses {
    /// Creates the uses of a block on a core in which nothing happens yet.
    pub(crate) fn new(core: &Core) -> Self {
        Self { read: [0; CELLS], lands: [0; CELLS], settled: settled(core) }
    }

    /// Returns the least number of cycles of a block that may stand for another one, or follow itself.
    pub(crate) fn settled(&self) -> u32 {
        self.settled
    }

    /// Notes that an operation of a cycle reads an FPR.
    pub(crate) fn read_fpr(&mut self, reg: usize, time: usize) {
        self.read[reg] |= bit(time);
    }

    /// Notes that an operation of a cycle may see a result that lands behind that cycle.
    pub(crate) fn read_ahead(&mut self, reg: usize, time: usize) {
        if time < self.settled as usize {
            self.read[reg] = u64::MAX;
        }
    }

    /// Notes that an operation of a cycle is predicated by a condition code.
    pub(crate) fn read_condition(&mut self, cc: u8, time: usize) {
        self.read[FPRS + usize::from(cc)] |= bit(time);
    }

    /// Notes that a result of the block itself lands in a cycle.
    pub(crate) fn land(&mut self, goal: ResultTarget, time: usize) {
        self.lands[cell(goal)] |= bit(time);
    }
}

/// Source of a value under way that a block expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Vector under way now, by number.
    Slot(usize),
    /// Value that a register holds to which the result goes, by the register's number.
    Register(usize),
}

/// Adapter that turns the results under way into those that a block expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adapter {
    /// Registers that get a value now, and the vector under way in which it stands.
    landed: Vec<(usize, usize)>,
    /// Sources of the vectors that the block expects.
    slots: Vec<Source>,
    /// Number of vectors under way now.
    now: usize,
}

/// A result under way and its first vector.
type Placed = (PendingResult, usize);

/// Returns the results under way to a register, each with its first vector.
fn under_way(shape: &PipelineState, to: usize) -> Vec<Placed> {
    let mut slot = 0;
    let placed = shape.entries.iter().map(|&entry| {
        let first = slot;
        slot += 1 + usize::from(entry.masked);
        (entry, first)
    });
    placed.filter(|(entry, _)| cell(entry.goal) == to).collect()
}

fn entries(placed: &[Placed]) -> impl Iterator<Item = PendingResult> {
    placed.iter().map(|&(entry, _)| entry)
}

/// Change at a register, to which other results are under way than a block expects.
struct Change {
    lands_now: bool,
}

/// Returns the change if the results under way to a register may be exchanged for those that are expected, so that each read
/// of the block finds the value that it would have found.
fn change(now: &[Placed], expected: &[Placed], read: u64, lands: u64) -> Option<Change> {
    let is_whole = |e: PendingResult| {
        let halves = match e.goal {
            ResultTarget::Fpr { halves, .. } => halves,
            ResultTarget::Condition(_) => Halves::BOTH,
        };
        !e.masked && halves == Halves::BOTH
    };
    let is_simple = |all: &[Placed]| all.len() <= 1 && entries(all).all(is_whole);
    if !is_simple(now) || !is_simple(expected) {
        return None;
    }
    let offset = |all: &[Placed]| all.first().map(|(entry, _)| entry.offset);
    let (is, will_be) = (offset(now), offset(expected));
    // A result of the block that comes first or at the same time would be overwritten, or collide.
    if lands & before(is.max(will_be)? + 1) != 0 {
        return None;
    }
    let Some(is) = is else {
        // The expected result lands on the value that the register has.
        return Some(Change { lands_now: false });
    };
    let is_unread = |cycles: u64| read & cycles == 0;
    if let Some(will_be) = will_be
        && is > 0
        && is_unread(before(is) ^ before(will_be))
    {
        return Some(Change { lands_now: false });
    }
    is_unread(before(is)).then_some(Change { lands_now: true })
}

impl Adapter {
    /// Creates the adapter from the results under way to those that a block expects, of which the uses in its first cycles
    /// are given. `None` if the block could tell the difference. Old values of general registers do not matter: only changes
    /// of the flow read them, and they are forgotten before the block ends.
    pub(crate) fn new(
        now: &PipelineState,
        expected: &PipelineState,
        entry_uses: &EntryUses,
    ) -> Option<Self> {
        let mut adapter = Self { now: now.slots(), ..Self::default() };
        let mut sources = vec![None; expected.slots()];
        for register in 0..CELLS {
            let [from, to] = [now, expected].map(|shape| under_way(shape, register));
            if entries(&from).eq(entries(&to)) {
                for (&(entry, from), &(_, to)) in from.iter().zip(&to) {
                    (0..=usize::from(entry.masked))
                        .for_each(|k| sources[to + k] = Some(Source::Slot(from + k)));
                }
                continue;
            }
            let Change { lands_now } =
                change(&from, &to, entry_uses.read[register], entry_uses.lands[register])?;
            let value = from.first().map(|&(_, slot)| slot);
            if let Some(&(_, slot)) = to.first() {
                sources[slot] = Some(value.map_or(Source::Register(register), Source::Slot));
            }
            if lands_now {
                adapter.landed.extend(value.map(|slot| (register, slot)));
            }
        }
        adapter.slots = sources.into_iter().collect::<Option<_>>()?;
        Some(adapter)
    }

    /// Turns the results under way into those that the block expects. `now` is room for a copy of them.
    pub(crate) fn apply(
        &self,
        (fpr, cc): (&mut [Vector; FPRS], &mut [Vector; 8]),
        pending: &mut [Vector; PENDING],
        now: &mut [Vector; PENDING],
    ) {
        now[..self.now].copy_from_slice(&pending[..self.now]);
        for &(register, slot) in &self.landed {
            *register_of(fpr, cc, register) = now[slot];
        }
        for (k, source) in self.slots.iter().enumerate() {
            pending[k] = match *source {
                Source::Slot(slot) => now[slot],
                Source::Register(register) => *register_of(fpr, cc, register),
            };
        }
    }
}

fn register_of<'a>(
    fpr: &'a mut [Vector; FPRS],
    cc: &'a mut [Vector; 8],
    register: usize,
) -> &'a mut Vector {
    match register.checked_sub(FPRS) {
        Some(code) => &mut cc[code],
        None => &mut fpr[register],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::context::Live;

    fn entry(offset: u8, reg: u8) -> PendingResult {
        let goal = ResultTarget::Fpr { reg, halves: Halves::BOTH, from_load: false };
        PendingResult { offset, goal, masked: false }
    }

    fn shape(entries: &[PendingResult]) -> PipelineState {
        PipelineState { entries: entries.to_vec(), ..PipelineState::default() }
    }

    fn entry_uses(read: &[(usize, usize)], lands: &[(u8, usize)]) -> EntryUses {
        let mut entry_uses = EntryUses::new(&Core::CP2);
        read.iter().for_each(|&(reg, time)| entry_uses.read_fpr(reg, time));
        lands.iter().for_each(|&(reg, time)| entry_uses.land(entry(0, reg).goal, time));
        entry_uses
    }

    fn live() -> (Live, [Vector; PENDING]) {
        let mut live = Live::ZERO;
        for (k, value) in live.fpr.iter_mut().enumerate() {
            *value = Vector([100 + k as u64; 4]);
        }
        (live, std::array::from_fn(|k| Vector([k as u64; 4])))
    }

    /// Returns the values of registers 1 and 2 in the first cycles of a block in which only results under way land.
    fn course(
        (mut live, pending): (Live, [Vector; PENDING]),
        shape: &PipelineState,
    ) -> Vec<[u64; 2]> {
        let step = |time: u8| {
            for (slot, entry) in shape.entries.iter().enumerate() {
                if entry.offset == time {
                    *register_of(&mut live.fpr, &mut live.cc, cell(entry.goal)) = pending[slot];
                }
            }
            [live.fpr[1].0[0], live.fpr[2].0[0]]
        };
        (0..16).map(step).collect()
    }

    /// Tries all pairs of shapes with at most one result to register 1, and all sets of reads of it.
    #[test]
    fn a_read_finds_what_it_would_have_found() {
        let results = |offset: Option<u8>| -> Vec<PendingResult> {
            offset.map(|offset| entry(offset, 1)).into_iter().chain([entry(3, 2)]).collect()
        };
        let offsets = || std::iter::once(None).chain((0..5).map(Some));
        let mut taken = 0;
        for (is, will_be, reads) in offsets()
            .flat_map(|is| offsets().map(move |will_be| (is, will_be)))
            .flat_map(|(is, will_be)| (0..32_u16).map(move |reads| (is, will_be, reads)))
        {
            let read: Vec<(usize, usize)> =
                (0..5).filter(|t| reads >> t & 1 == 1).map(|t| (1, t)).collect();
            let (now, expected) = (shape(&results(is)), shape(&results(will_be)));
            let Some(adapter) = Adapter::new(&now, &expected, &entry_uses(&read, &[])) else {
                continue;
            };
            taken += 1;
            let mut adapted = live();
            let room = &mut [Vector::default(); PENDING];
            adapter.apply((&mut adapted.0.fpr, &mut adapted.0.cc), &mut adapted.1, room);
            let (was, becomes) = (course(live(), &now), course(adapted, &expected));
            for (time, (was, becomes)) in was.iter().zip(&becomes).enumerate() {
                assert_eq!(was[1], becomes[1]);
                let is_seen = time >= 5 || reads >> time & 1 == 1;
                assert!(!is_seen || was[0] == becomes[0], "{is:?} {will_be:?} {reads:b} {time}");
            }
        }
        // Never refused: shapes that are the same, a result that lands in the first cycle, and none under way.
        assert!(taken > 6 * 32 + 5 * 32 + 5 * 32, "{taken}");
    }

    #[test]
    fn a_result_of_the_block_itself_is_not_overtaken() {
        let (none, one) = (shape(&[]), shape(&[entry(4, 1)]));
        assert!(Adapter::new(&none, &one, &entry_uses(&[], &[(1, 5)])).is_some());
        assert!(Adapter::new(&none, &one, &entry_uses(&[], &[(1, 4)])).is_none());
        assert!(Adapter::new(&one, &none, &entry_uses(&[], &[(1, 3)])).is_none());
    }

    #[test]
    fn masks_and_halves_stay_what_they_are() {
        let masked = PendingResult { masked: true, ..entry(2, 1) };
        let goal = ResultTarget::Fpr { reg: 1, halves: Halves::LO, from_load: false };
        let half = PendingResult { goal, ..entry(2, 1) };
        for special in [masked, half] {
            let (with, more) = (shape(&[special]), shape(&[entry(0, 2), special]));
            assert!(Adapter::new(&shape(&[]), &with, &EntryUses::new(&Core::CP2)).is_none());
            let adapter =
                Adapter::new(&with, &more, &EntryUses::new(&Core::CP2)).expect("only one more");
            let mut adapted = live();
            let room = &mut [Vector::default(); PENDING];
            adapter.apply((&mut adapted.0.fpr, &mut adapted.0.cc), &mut adapted.1, room);
            let n = more.slots();
            let values: Vec<u64> = adapted.1[..n].iter().map(|v| v.0[0]).collect();
            assert_eq!(values, [[102, 0, 1], [102, 0, 0]][usize::from(n < 3)][..n]);
        }
    }
}
