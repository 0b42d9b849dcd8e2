//! Turns of hardware loops that a run may go through unobserved, because the check is known to find nothing in them:
//! those of a loop whose registers are undefined as they were a turn before, and whose addresses can be followed here
//! to words that are defined; and those of any loop that comes back with all of its addresses as well.

use super::Sanitizer;
use super::body::{self, Access, Move};
use super::mask::{self, EVERYWHERE};
use super::shadow::{Code, Landing, Scalar, Shade};
use cp2_asm::linear::ABSOLUTE;
use cp2_emu::cp2::seam::FlowPosition;
use cp2_emu::state::{ActiveLoop, State};
use cp2_emu::trace::{NoObserver, PastCycle};
use cp2_emu::{End, Engine, Machine};
use cp2_isa::rules::address::{self, first_word};
use cp2_isa::{Address, BundleAddress, Core, MoveReg, RegFile, SECTIONS, WordAddress, decode};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Cycles that a leap saves at least.
const LEAST: u64 = 32;

/// Loops whose turns may be passed over.
#[derive(Debug, Default)]
pub(super) struct Leaps {
    /// Whether whoever runs the machine asks.
    pub(super) are_wanted: bool,
    /// Whether the run is at the begin of a turn that may be the first of a leap.
    is_due: bool,
    /// Moves of the loops whose addresses can be followed, by first and last bundle; none for others.
    bodies: BTreeMap<(BundleAddress, BundleAddress), Option<Vec<Move>>>,
    /// Begins of the latest turns, by the first bundle of the loop.
    turns: BTreeMap<BundleAddress, Turn>,
    /// Number of bundles that depended on more than the shadow.
    opaque: u64,
}

impl Leaps {
    /// Notes that the shadow has come to depend on values.
    pub(super) fn note_opaque(&mut self) {
        self.opaque += 1;
    }
}

/// Undefined parts of registers, now and under way; and the numbers of times that something was found, or depended on
/// values.
#[derive(Clone, Debug, PartialEq)]
struct Undefined {
    fpr: Vec<Shade>,
    codes: [Code; 8],
    scalars: [[Scalar; 16]; 5],
    angle: [Scalar; 3],
    own: Vec<[Scalar; SECTIONS]>,
    shared: Vec<Scalar>,
    shared_addresses: Vec<Scalar>,
    under_way: Vec<(u64, Landing)>,
    counts: [u64; 2],
}

/// Facts other than undefined parts that a turn depends on, as far as a check sees it.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    /// Loops around the turn and its own loop, but for the count of that.
    loops: Vec<ActiveLoop>,
    calls: Vec<BundleAddress>,
    registers: Registers,
    addresses: (Box<[[WordAddress; SECTIONS]]>, Box<[WordAddress]>),
    /// Number of changes of memory, and fingerprint of what promises have noted.
    counts: [u64; 2],
}

/// The begin of a turn.
#[derive(Clone, Debug)]
struct Turn {
    undefined: Undefined,
    facts: Facts,
    /// Number of loads of undefined words before the turn.
    loads: u64,
    count: u32,
    cycle: u64,
}

/// Scalar registers with which a body is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registers {
    gpr: [u64; 16],
    a: [WordAddress; 16],
    n: [u16; 16],
    m: [u16; 16],
    ireg: [u64; 16],
}

impl Registers {
    fn of(state: &State) -> Self {
        let State { gpr, a, n, m, ireg, .. } = state;
        Self { gpr: *gpr, a: *a, n: *n, m: *m, ireg: *ireg }
    }

    fn step(&mut self, core: &Core, set: u8, step: cp2_isa::Step) {
        let k = usize::from(set);
        let words = address::words(step, self.n[k]);
        self.a[k] = address::stepped(core, self.a[k], words, self.m[k]);
    }

    /// Returns the value of a register; bodies that read control registers are not followed.
    fn get(&self, from: MoveReg) -> u64 {
        let n = usize::from(from.number & 15);
        match from.file {
            RegFile::Gpr => self.gpr[n],
            RegFile::A => self.a[n].0.into(),
            RegFile::N => self.n[n].into(),
            RegFile::M => self.m[n].into(),
            RegFile::Ireg => self.ireg[n],
            RegFile::Control => 0,
        }
    }

    fn set(&mut self, core: &Core, to: MoveReg, value: u64) {
        let n = usize::from(to.number & 15);
        let narrow = value as u16 & core.address_mask();
        match to.file {
            RegFile::Gpr => self.gpr[n] = value,
            RegFile::A => self.a[n] = WordAddress(narrow),
            RegFile::N => self.n[n] = narrow,
            RegFile::M => self.m[n] = narrow,
            RegFile::Ireg => self.ireg[n] = value,
            RegFile::Control => {}
        }
    }
}

/// Word that a turn reaches, and the set through which it does.
#[derive(Clone, Copy, Debug)]
struct Reach {
    set: u8,
    word: WordAddress,
    is_store: bool,
}

/// Returns the last bundle of a loop that is active, and the number of its bundles.
fn bounds(of: &ActiveLoop) -> (BundleAddress, u64) {
    let body = of.body();
    (body.last(), u64::from(body.last() - of.start) + 1)
}

impl Sanitizer<'_> {
    /// Breaks the run off where it may leap.
    pub(super) fn consider(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        let innermost = past.state.loops.last();
        if innermost.is_none_or(|l| l.start != past.state.pc || l.count < 2) {
            return ControlFlow::Continue(());
        }
        self.leaps.is_due = true;
        ControlFlow::Break(())
    }

    /// Passes over turns if that is due and nothing can be found in them.
    pub(super) fn leap(
        &mut self,
        engine: &mut dyn Engine,
        machine: &mut Machine,
        until: u64,
    ) -> Option<End> {
        if !std::mem::take(&mut self.leaps.is_due) || machine.dma.next_event().is_some() {
            return None;
        }
        let innermost = *machine.cp2.state.loops.last()?;
        let turn = self.turn_here(machine, &innermost);
        let before = self.leaps.turns.insert(innermost.start, turn)?;
        let turn = &self.leaps.turns[&innermost.start];
        let follows = before.count == turn.count + 1 && before.undefined == turn.undefined;
        let period = turn.cycle - before.cycle;
        let left = until.saturating_sub(machine.cp2.stats().cycles);
        let most = u64::from(innermost.count - 1).min(left / period.max(1));
        let comes_back = before.facts == turn.facts;
        let is_defined = before.loads == turn.loads;
        let is_plain = machine.cp2.flight().position == FlowPosition::Plain;
        if !follows || !is_plain || most * period < LEAST {
            return None;
        }
        let turns = match (comes_back, is_defined) {
            (true, _) => most,
            (_, true) => self.follow(&machine.cp2.state, &innermost, (period, most)),
            _ => 0,
        };
        if turns == 0 {
            return None;
        }
        self.run_turns(engine, machine, (turns, period))
    }

    /// Lets the engine go through turns.
    fn run_turns(
        &mut self,
        engine: &mut dyn Engine,
        machine: &mut Machine,
        (turns, period): (u64, u64),
    ) -> Option<End> {
        let ActiveLoop { start, count, .. } = *machine.cp2.state.loops.last()?;
        let under_way = self.shadow.take_under_way(machine.cycle());
        let cycles = turns * period;
        let goal = machine.cp2.stats().cycles + cycles;
        let end = engine.advance_kernel(machine, goal, &mut NoObserver);
        let state = &machine.cp2.state;
        let is_there = state.pc == start
            && state.loops.last().is_some_and(|l| u64::from(l.count) + turns == u64::from(count));
        assert!(end.is_some() || is_there, "a turn takes other cycles than the one before");
        self.cycles += cycles;
        self.before.take(state);
        // A promise that the next bundle breaks ends the run there.
        let _ = self.watch.observe(state);
        self.shadow.put_under_way(machine.cycle(), under_way);
        self.leaps.turns.remove(&start);
        end
    }

    /// Follows the addresses of a loop for `most` turns at most; returns the number of turns in which nothing can be
    /// found, and takes memory through them.
    fn follow(&mut self, state: &State, of: &ActiveLoop, (period, most): (u64, u64)) -> u64 {
        let (last, length) = bounds(of);
        if length != period {
            return 0;
        }
        let Self { leaps, core, watch, .. } = &mut *self;
        let make = || {
            let bundles = (of.start.0..=last.0).map(|at| {
                let word = *state.iram.get(usize::from(at))?;
                decode(word, core).ok()
            });
            let bundles: Vec<_> = bundles.collect::<Option<_>>()?;
            body::moves(&bundles).filter(|_| watch.is_one_region(of.start, last))
        };
        // The body is taken while its turns change the rest of `self`; what cannot be followed stays known as such.
        let body = leaps.bodies.entry((of.start, last)).or_insert_with(make);
        let Some(moves) = body.take() else { return 0 };
        let mut registers = Registers::of(state);
        let mut reached = Vec::new();
        let mut turns = 0;
        while turns < most && self.turn(&moves, &mut registers, &mut reached) {
            turns += 1;
        }
        self.leaps.bodies.insert((of.start, last), Some(moves));
        turns
    }

    /// Follows one turn; false, with registers and memory as they were, if the turn has to be looked at.
    fn turn(
        &mut self,
        moves: &[Move],
        registers: &mut Registers,
        reached: &mut Vec<Reach>,
    ) -> bool {
        let mut after = *registers;
        let core = self.core;
        reached.clear();
        for of in moves {
            match *of {
                Move::Step { set, step } => after.step(&core, set, step),
                Move::Set { to, value } => after.set(&core, to, value.into()),
                Move::Copy { to, from } => after.set(&core, to, after.get(from)),
                Move::Clear { set } => {
                    let k = usize::from(set);
                    after.a[k] = WordAddress::default();
                    (after.n[k], after.m[k]) = (1, core.address_mask());
                }
                Move::Access { access, step } => {
                    if !self.stays_clean(&access, &after, reached) {
                        return false;
                    }
                    if let Some((set, step)) = step {
                        after.step(&core, set, step);
                    }
                }
            }
        }
        if !self.watch.note_accesses(reached.iter().map(|reach| (reach.set, reach.word))) {
            return false;
        }
        for reach in reached.iter().filter(|reach| reach.is_store) {
            self.shadow.define_word(reach.word.index(), mask::ALL);
        }
        *registers = after;
        true
    }

    /// Whether an access finds what it loads defined and stays in arrays.
    fn stays_clean(
        &self,
        access: &Access,
        registers: &Registers,
        reached: &mut Vec<Reach>,
    ) -> bool {
        let (set, at) = match access.address {
            Address::Set { set, .. } => (set, registers.a[usize::from(set)]),
            Address::Word(word) => (ABSOLUTE, word),
            Address::Sections { .. } | Address::Fpr { .. } => return false,
        };
        if access.words == 2 && at.0 % 2 == 1 {
            return false;
        }
        let first = first_word(at, access.words.into());
        for word in (0..access.words.into()).map(|k| first.plus(k)) {
            let is_good = match access.is_store {
                true => self.declared.has(word, EVERYWHERE),
                false => self.shadow.memory[word.index()] == 0,
            };
            if !is_good {
                return false;
            }
            reached.push(Reach { set, word, is_store: access.is_store });
        }
        true
    }

    /// Returns the begin of a turn of a loop, with machine and shadow as they are now.
    fn turn_here(&self, machine: &Machine, innermost: &ActiveLoop) -> Turn {
        let (state, shadow) = (&machine.cp2.state, &self.shadow);
        let mut loops = state.loops.clone();
        if let Some(innermost) = loops.last_mut() {
            innermost.count = 0;
        }
        Turn {
            undefined: Undefined {
                fpr: shadow.fpr.clone(),
                codes: shadow.codes,
                scalars: [
                    shadow.scalars.gpr,
                    shadow.scalars.ireg,
                    shadow.scalars.a,
                    shadow.scalars.n,
                    shadow.scalars.m,
                ],
                angle: [shadow.scalars.rind, shadow.scalars.rstep, shadow.scalars.rmask],
                own: shadow.scalars.sa.clone(),
                shared: shadow.shared.clone(),
                shared_addresses: shadow.scalars.qa.clone(),
                under_way: shadow.under_way(machine.cycle()),
                counts: [self.findings.total, self.leaps.opaque + shadow.opaque],
            },
            facts: Facts {
                loops,
                calls: state.calls.clone(),
                registers: Registers::of(state),
                addresses: (state.sa.clone(), state.qa.clone()),
                counts: [shadow.changes, self.watch.fingerprint()],
            },
            loads: shadow.undefined_loads,
            count: innermost.count,
            cycle: self.cycles,
        }
    }
}
