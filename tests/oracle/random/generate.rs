//! Random programs whose control flow is legal: nested loops, calls, jumps, with stale operands
//! where the rules allow it; and a share of programs that are then spoiled.

use super::super::build::{exch, exchange, register};
use super::super::state;
use super::dice::Dice;
use super::operands::{beside, filler};
use cp2_emu::State;
use cp2_isa::{BundleBits, Core, Exch, RegFile, control, encode};

/// A program, ready to run.
pub(crate) struct Program {
    /// Core on which the program runs.
    pub(crate) core: Core,
    /// State with the program in IRAM.
    pub(crate) state: State,
    /// Address of the first bundle to issue.
    pub(crate) start: u16,
    /// Address after the last bundle.
    pub(crate) end: u16,
    /// Address of the first bundle in IRAM.
    pub(crate) base: u16,
    /// Cycles after which the run is cut off.
    pub(crate) limit: u64,
    /// Whether some bundle was replaced at random.
    pub(crate) spoiled: bool,
}

/// Longest program before `stop`, roughly.
const BUNDLES: usize = 120;
/// Cycles granted to a program; one that loops longer ends by the limit.
const LIMIT: u64 = 1000;
/// GPRs of the control flow: counts (g4 to g7), jump and call targets, LA.
const COUNT_GPR: usize = 4;
pub(super) const SMALL_COUNT_GPR: i32 = 7;
const TARGET_GPR: i32 = 8;
const LA_GPR: usize = 12;

/// Returns the program with this number, for the unmodified core.
pub(crate) fn program(number: u64) -> Program {
    let mut writer = Writer::new(number);
    writer.subroutines();
    let start = writer.here();
    match writer.dice.below(100) {
        0..2 => writer.deep_loops(),
        2 => writer.deep_calls(),
        _ => {}
    }
    let size = writer.dice.between(8, BUNDLES);
    let stop_at = writer.words.len() + size;
    while writer.words.len() < stop_at {
        writer.item(0);
    }
    let start = if writer.deep_entry > 0 { writer.deep_entry } else { start };
    writer.stop();
    let spoiled = writer.dice.percent(10);
    if spoiled {
        writer.spoil();
    }
    writer.finish(start, spoiled)
}

pub(super) struct Writer {
    pub(super) dice: Dice,
    base: u16,
    pub(super) words: Vec<BundleBits>,
    /// Entries of finished subroutines.
    entries: Vec<u16>,
    /// A subroutine is being written: `ret` on an empty stack is out of the question.
    in_subroutine: bool,
    deep_entry: u16,
    /// Indices of the `end` bundles of loops.
    ends: Vec<usize>,
    /// LA for the template that changes it.
    la: Option<u64>,
}

impl Writer {
    fn new(number: u64) -> Self {
        let mut dice = Dice::new(number);
        let base = if dice.percent(50) { 0 } else { dice.below(7000) as u16 };
        Self {
            dice,
            base,
            words: Vec::new(),
            entries: Vec::new(),
            in_subroutine: false,
            deep_entry: 0,
            ends: Vec::new(),
            la: None,
        }
    }

    fn here(&self) -> u16 {
        self.base + self.words.len() as u16
    }

    pub(super) fn fill(&mut self, n: usize) {
        for _ in 0..n {
            let word = filler(&mut self.dice);
            self.words.push(word);
        }
    }

    pub(super) fn control(&mut self, op: Exch, operands: &[i32]) {
        let word = beside(&mut self.dice, exch(op, operands));
        self.words.push(word);
    }

    fn set(&mut self, gpr: i32, value: u16) {
        self.control(Exch::Seti, &[gpr, value.into()]);
    }

    /// Puts an address into the low 13 bits (targets and ends) of a word written before.
    fn patch(&mut self, index: usize, address: u16) {
        self.words[index] = self.words[index] & !0x1fff | BundleBits::from(address);
    }

    fn subroutines(&mut self) {
        self.in_subroutine = true;
        for _ in 0..self.dice.below(3) {
            let entry = self.here();
            let n = self.dice.between(0, 3);
            (0..n).for_each(|_| self.item(1));
            self.control(Exch::Ret, &[]);
            self.near_flow(1);
            self.entries.push(entry);
        }
        self.in_subroutine = false;
    }

    /// Writes one piece of straight or structured code.
    fn item(&mut self, depth: usize) {
        match self.dice.below(100) {
            0..50 => {
                let n = self.dice.between(1, 8);
                self.fill(n);
            }
            50..66 if depth < 3 => self.hardware_loop(depth),
            66..75 => self.jump(depth),
            75..83 => self.call(),
            83..87 => self.control(Exch::Sync, &[]),
            87..89 => self.control(Exch::Enddo, &[]),
            89..91 if !self.in_subroutine => {
                self.control(Exch::Ret, &[]);
                self.near_flow(1);
            }
            91..93 => self.write_loop_count(),
            93..95 if self.la.is_none() => self.changed_loop(depth),
            95..96 => self.landing(),
            96..98 => self.flags(),
            98 => self.angles(),
            _ => self.near_flow(2),
        }
    }

    /// Writes `move lc, gK` with a small count, mostly one that ends the loop.
    fn write_loop_count(&mut self) {
        let gpr = if self.dice.percent(80) { SMALL_COUNT_GPR as u8 } else { 4 };
        let (to, from) = (register(RegFile::Control, control::LC), register(RegFile::Gpr, gpr));
        self.control(Exch::Move, &[to, from]);
    }

    /// Writes a loop with a body and an end that may be shared with the loop around it. The end of a loop within may stand
    /// one bundle before this one's if it cannot be skipped.
    fn hardware_loop(&mut self, depth: usize) {
        let index = self.begin_loop();
        if self.dice.percent(20) {
            self.near_flow(1);
        }
        let n = self.dice.between(0, 2);
        (0..n).for_each(|_| self.item(depth + 1));
        let exit = self.dice.percent(6).then(|| self.leave());
        self.end_loop(index, depth);
        if let Some(jump) = exit {
            let after = self.here();
            self.patch(jump, after);
        }
    }

    /// Writes `do` or `doi`; returns its index. The count of `do` may have changed just before.
    fn begin_loop(&mut self) -> usize {
        if self.dice.percent(60) {
            let count = self.dice.below(4) as i32;
            self.control(Exch::Doi, &[count, 0]);
            return self.words.len() - 1;
        }
        let gpr = self.dice.between(COUNT_GPR, COUNT_GPR + 3) as i32;
        if self.dice.percent(70) && gpr != SMALL_COUNT_GPR {
            let (old, new) = (self.dice.below(4) as u16, self.dice.below(4) as u16);
            self.set(gpr, old);
            let n = self.dice.below(3);
            self.fill(n);
            self.set(gpr, new);
            let n = self.dice.below(3);
            self.fill(n);
        }
        self.control(Exch::Do, &[gpr, 0]);
        self.words.len() - 1
    }

    /// Ends a loop: plainly, or by a loop within whose last bundle is this one's `end`.
    fn end_loop(&mut self, index: usize, depth: usize) {
        if depth < 4 && self.dice.percent(30) {
            let inner = self.words.len();
            let count = self.dice.between(1, 3) as i32;
            self.control(Exch::Doi, &[count, 0]);
            let n = self.dice.below(3);
            self.fill(n);
            self.end_loop(inner, depth + 1);
            self.near_flow(1);
        } else if self.dice.percent(8) {
            self.write_loop_count();
            self.fill(1);
        } else {
            self.near_flow(3);
        }
        let end = self.here() - 2;
        self.ends.push(self.words.len() - 2);
        self.patch(index, end);
    }

    /// Writes `enddo`, then a jump to be patched; returns the index of the jump.
    fn leave(&mut self) -> usize {
        self.control(Exch::Enddo, &[]);
        self.control(Exch::Jumpi, &[0]);
        let jump = self.words.len() - 1;
        self.fill(1);
        jump
    }

    /// Writes a jump over some code, immediate or through a GPR that was just changed.
    fn jump(&mut self, depth: usize) {
        let mut patches = Vec::new();
        if self.dice.percent(60) {
            patches.push(self.words.len());
            self.control(Exch::Jumpi, &[0]);
            self.near_flow(1);
        } else {
            // The old target is legal, too: the bundle after the delay slot.
            let old = self.words.len();
            self.set(TARGET_GPR, 0);
            let n = self.dice.below(3);
            self.fill(n);
            patches.push(self.words.len());
            self.set(TARGET_GPR, 0);
            let n = self.dice.below(3);
            self.fill(n);
            self.control(Exch::Jump, &[TARGET_GPR]);
            self.near_flow(1);
            let after = self.here();
            self.patch(old, after);
        }
        match self.dice.below(3) {
            0 => self.fill(1),
            1 => self.fill(4),
            _ => self.item(depth + 1),
        }
        let after = self.here();
        patches.into_iter().for_each(|index| self.patch(index, after));
    }

    /// Writes a call of a finished subroutine.
    fn call(&mut self) {
        if self.entries.is_empty() {
            return self.fill(1);
        }
        let (old, new) = (self.dice.pick(&self.entries), self.dice.pick(&self.entries));
        if self.dice.percent(50) {
            self.control(Exch::Calli, &[new.into()]);
        } else {
            self.set(TARGET_GPR + 1, old);
            let n = self.dice.between(1, 3);
            self.fill(n);
            self.set(TARGET_GPR + 1, new);
            let n = self.dice.below(3);
            self.fill(n);
            self.control(Exch::Call, &[TARGET_GPR + 1]);
        }
        self.near_flow(1);
    }

    /// Writes a loop over straight code whose LA is changed in the body. In the last iteration a `move` in the bundle at
    /// `end` would change the loop around, so there must be none then.
    fn changed_loop(&mut self, depth: usize) {
        let length = self.dice.between(4, 8);
        let start = self.here() + 1;
        let place = |dice: &mut Dice, n: usize| start + dice.below(n) as u16;
        let outermost = depth == 0 && !self.in_subroutine;
        let (first_end, second_end, at) = if outermost && self.dice.percent(50) {
            // The delay slot of the first way back becomes the end.
            let end = place(&mut self.dice, length - 2);
            (end, end + 1, end)
        } else {
            let first = 1 + place(&mut self.dice, length - 2);
            let second = 1 + place(&mut self.dice, length - 2);
            (first, second, place(&mut self.dice, usize::from(first.min(second) - start)))
        };
        let at = usize::from(at - start);
        self.control(Exch::Doi, &[3, first_end.into()]);
        self.fill(at);
        let (to, from) =
            (register(RegFile::Control, control::LA), register(RegFile::Gpr, LA_GPR as u8));
        self.control(Exch::Move, &[to, from]);
        self.fill(length - at - 1);
        self.la = Some(u64::from(second_end) | u64::from(start) << 16);
    }

    /// Writes as many loops as the stack can hold or more, their ends next to each other.
    fn deep_loops(&mut self) {
        let n = self.dice.pick(&[14, 15, 15, 15, 16, 17]);
        let first = self.words.len();
        let doubled = self.dice.below(n);
        for k in 0..n {
            let count = if k == doubled { 2 } else { 1 };
            self.control(Exch::Doi, &[count, 0]);
        }
        if self.dice.percent(75) {
            // None at all: the flow goes to two bundles behind its end.
            let end = self.here() + 1;
            self.control(Exch::Doi, &[0, end.into()]);
        }
        self.fill(n + 3);
        let last = self.here() - 2;
        for k in 0..n {
            self.patch(first + k, last - k as u16);
        }
    }

    /// Writes a chain of more calls than the stack can hold; the program starts behind it.
    fn deep_calls(&mut self) {
        let n = self.dice.between(15, 17);
        let mut target = self.here();
        self.control(Exch::Ret, &[]);
        self.fill(1);
        for _ in 1..n {
            let entry = self.here();
            self.control(Exch::Calli, &[target.into()]);
            self.fill(1);
            self.control(Exch::Ret, &[]);
            self.fill(1);
            target = entry;
        }
        self.deep_entry = self.here();
        self.control(Exch::Calli, &[target.into()]);
        self.fill(1);
    }

    /// Writes `stopi`, or `stop` with a GPR that was just changed.
    fn stop(&mut self) {
        if self.dice.percent(50) {
            let code = self.dice.below(8192) as i32;
            self.control(Exch::Stopi, &[code]);
        } else {
            self.set(0, 1);
            self.set(0, 2);
            let n = self.dice.below(4);
            self.fill(n);
            self.control(Exch::Stop, &[0]);
        }
        self.fill(3);
    }

    /// Replaces bundles by anything.
    fn spoil(&mut self) {
        for _ in 0..self.dice.between(1, 2) {
            let index = self.sore_point();
            self.words[index] = match self.dice.below(6) {
                0 => self.dice.bits().into(),
                1 => {
                    let to = register(RegFile::Control, control::STOPCODE);
                    encode(&exchange(Exch::Move, &[to, register(RegFile::Gpr, 1)]))
                }
                _ => self.misplaced(),
            };
        }
    }

    /// Returns the index of a bundle, mostly one near a jump or near the end of a loop.
    fn sore_point(&mut self) -> usize {
        let any = self.dice.below(self.words.len());
        let index = match self.dice.below(3) {
            0 if !self.ends.is_empty() => self.dice.pick(&self.ends) - 1,
            1 => {
                let is_control =
                    |word: &BundleBits| matches!(word >> 23 & 0x3f, 0x03 | 0x24..=0x29);
                any + self.words[any..].iter().position(is_control).unwrap_or(0)
            }
            _ => return any,
        };
        (index + self.dice.below(3)).min(self.words.len() - 1)
    }

    /// Returns a control operation that stands where it happens to stand.
    fn misplaced(&mut self) -> BundleBits {
        let near = match self.dice.below(20) {
            0..3 => 8190,
            _ => i32::from(self.base) + self.dice.below(self.words.len()) as i32,
        };
        let gpr = self.dice.below(16) as i32;
        let count = self.dice.below(3) as i32;
        let bundle = match self.dice.below(11) {
            0 => exchange(Exch::Ret, &[]),
            1 => exchange(Exch::Enddo, &[]),
            2 => exchange(Exch::Sync, &[]),
            3 => exchange(Exch::Stop, &[gpr]),
            4 => exchange(Exch::Runi, &[near]),
            5 => exchange(Exch::Run, &[gpr]),
            6 => exchange(Exch::Doi, &[count, near]),
            7 => exchange(Exch::Do, &[gpr, near]),
            8 => exchange(Exch::Calli, &[near]),
            9 => exchange(Exch::Jump, &[gpr]),
            _ => exchange(Exch::Jumpi, &[near]),
        };
        encode(&bundle)
    }

    fn finish(mut self, start: u16, spoiled: bool) -> Program {
        let mut state = state::random(&mut self.dice);
        let (base, end) = (self.base, self.here());
        state.iram[usize::from(base)..usize::from(end)].copy_from_slice(&self.words);
        if let Some(la) = self.la {
            state.gpr[LA_GPR] = la;
        }
        // Some runs are cut off in the middle, with everything under way.
        let limit = if self.dice.percent(4) { self.dice.below(80) as u64 } else { LIMIT };
        Program { core: Core::CP2, state, start, end, base, limit, spoiled }
    }
}
