//! A sprint: blocks one after the other, in epochs that can be taken back as a whole. Where it stands is in
//! `flow`, what an epoch shows to others in `epoch`.

use crate::cache::{BlockId, Cache, Entrance, ShapeId, Wanted};
use crate::context::{Context, Live, PENDING, SPILLS, Vector, mxcsr};
use crate::encoding::Host;
use crate::engine::Sprint;
use crate::epoch::{Epoch, Passes};
use crate::flow::{Choice, Flow};
use crate::handover::{self, TailRecord, Taken};
use crate::region::{LONGEST, Place, Program};
use crate::tables;
use crate::translate::Environment;
use crate::undo::{ENTRIES, Undo};
use cp2_emu::Cp2;
use cp2_emu::cp2::seam::Position;
use cp2_emu::state::{CONTROL_INVERSE, State};
use cp2_isa::Core;

/// Cycles of an epoch, roughly.
const EPOCH: u64 = 16384;
/// The same if accesses are noted: when a kernel and the channel meet, the epoch is done again.
const NOTED_EPOCH: u64 = 8192;
/// Accesses that an epoch can note; a bundle has at most one.
const NOTED: usize = 16384;
/// Vectors of operands that an epoch can keep.
const TAILS: usize = 8192;
/// Most vectors that one block keeps: all bundles of the longest block with five operands, a
/// coefficient's two parts, and a mask.
const LONGEST_TAIL: usize = 8 * LONGEST;
/// Bundles that a loop's body is unrolled to.
const UNROLLED: usize = 32;

// What translated code writes without a look at its length: an epoch is over with the block that
// reaches its end, and a block has at most `LONGEST` bundles, an unrolled one too.
const _: () = assert!(NOTED >= NOTED_EPOCH as usize + LONGEST && TAILS >= LONGEST_TAIL);
const _: () = assert!(2 * UNROLLED <= LONGEST && ENTRIES >= LONGEST);

/// A block whose operations' flags may still be asked for.
#[derive(Clone, Copy, Debug)]
struct Tail {
    block: BlockId,
    first: usize,
    end_cycle: u64,
}

/// What an epoch began with, besides local memory.
#[derive(Debug)]
struct Saved {
    live: Live,
    /// Values that were under way.
    pending: Vec<Vector>,
}

/// Runs blocks on a machine.
#[derive(Debug)]
pub(crate) struct Sprinter {
    context: Box<Context>,
    saved: Saved,
    cache: Cache,
    undo: Undo,
    /// Blocks note their accesses, for [`Epoch::note`].
    notes: bool,
    /// Byte offsets of the accesses of this epoch that code notes; empty until some are.
    noted: Vec<u32>,
    tails: Vec<Vector>,
    log: Vec<Tail>,
    /// Passes of this epoch.
    passes: Vec<Passes>,
    /// Addresses in the sets of their pointers when they began.
    addresses: Vec<u32>,
}

impl Sprinter {
    /// A sprinter for a host and at first a core. The pointers of its context are set anew in every
    /// epoch.
    pub(crate) fn new(host: Host, core: &Core) -> Self {
        let live = Live::ZERO;
        let context = Box::new(Context {
            live,
            lmem: std::ptr::null_mut(),
            undo: std::ptr::null_mut(),
            notes: std::ptr::null_mut(),
            tail: std::ptr::null_mut(),
            coefficients: std::ptr::null(),
            reversed: std::ptr::null(),
            functions: std::ptr::null(),
            passes: 0,
            pointers: [0; 16],
            mxcsr: 0,
            raised: 0,
            host_mxcsr: 0,
            gpr_scratch: [0; 4],
            lanes: Vector::default(),
            spills: [Vector::default(); SPILLS],
            pending: [Vector::default(); PENDING],
        });
        Self {
            saved: Saved { live, pending: Vec::new() },
            context,
            cache: Cache::new(host, core),
            undo: Undo::default(),
            notes: false,
            noted: Vec::new(),
            tails: vec![Vector::default(); TAILS],
            log: Vec::new(),
            passes: Vec::new(),
            addresses: Vec::new(),
        }
    }
}

/// How an epoch ended.
enum Outcome {
    /// It is long enough.
    Full,
    /// The next bundle has to be left to the reference engine.
    Stuck,
    /// Something unusual happened in the call that began in this cycle; the epoch does not count.
    Unusual(u64),
}

/// How long epochs are.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// So many cycles.
    Long(u64),
    /// Up to this cycle as before; from there on one pass of a block, because the next call is known to
    /// meet something unusual. So little is left to the reference engine.
    Short(u64),
}

impl Pace {
    /// The cycle at which an epoch is over that begins now.
    fn until(self, now: u64) -> u64 {
        match self {
            Self::Short(call) if now < call => call,
            Self::Short(_) => now + 1,
            Self::Long(cycles) => now + cycles,
        }
    }
}

/// What ends an epoch.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The cycle in which it is long enough.
    until: u64,
    /// The cycle in which the run is over.
    limit: u64,
    /// Exceptions of the host that are unusual.
    watched: u32,
}

/// What is left for a block.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// Cycles of the epoch and of the run.
    epoch: u64,
    run: u64,
    /// Entries of the undo log.
    room: usize,
}

impl Sprinter {
    /// Whether blocks note their accesses from now on.
    pub(crate) fn set_notes(&mut self, notes: bool) {
        if notes {
            self.noted.resize(NOTED, 0);
        }
        self.notes = notes;
    }

    /// Forgets translations of code that has changed.
    pub(crate) fn refresh(&mut self, cp2: &Cp2) {
        self.cache.refresh(Program { core: cp2.core(), iram: &cp2.state.iram });
    }

    /// Blocks that are kept.
    #[cfg(test)]
    pub(crate) fn n_blocks(&self) -> usize {
        self.cache.blocks.len()
    }

    /// The context alone, for measurements.
    pub(crate) fn into_context(mut self) -> Box<Context> {
        self.context.mxcsr = mxcsr::of_rounding(0);
        self.context
    }

    /// Runs translated code until the run has lasted `until` cycles at most. Every epoch is shown
    /// to `follow` before it counts; where that finds a cycle before which it has to end, it does
    /// not count and the sprint ends.
    pub(crate) fn sprint(
        &mut self,
        cp2: &mut Cp2,
        until: u64,
        mut follow: impl FnMut(&mut State, &Epoch<'_>) -> Result<(), u64>,
    ) -> Sprint {
        let flight = cp2.flight();
        if !handover::is_plain(&flight) {
            return Sprint::default();
        }
        let Some(taken) = handover::take(cp2, &flight, &mut self.context) else {
            return Sprint::default();
        };
        self.cache.forget_if_full();
        let begin = flight.cycle;
        let limit = begin + (until - cp2.stats().cycles);
        let mut flow = Flow {
            pc: cp2.state.pc,
            follows_exit: flight.position == Position::LoopExit,
            nullified: None,
            cycle: begin,
            shape: self.cache.shape_id(&taken.shape),
            loops: std::mem::take(&mut cp2.state.loops),
            calls: std::mem::take(&mut cp2.state.calls),
            environment: self.environment(cp2.state.control),
        };
        self.log.clear();
        let watched = mxcsr::UNUSUAL | if taken.inexact_is_known { 0 } else { mxcsr::INEXACT };
        self.context.mxcsr = mxcsr::of_rounding(cp2.state.control);
        self.context.coefficients = std::ptr::null();
        let (mut again, mut met) = (0, None);
        let usual = if self.notes { NOTED_EPOCH } else { EPOCH };
        let mut pace = Pace::Long(usual);
        loop {
            let saved_flow = flow.clone();
            self.save(flow.shape);
            self.begin_epoch(cp2);
            let bounds = Bounds { until: pace.until(flow.cycle), limit, watched };
            let outcome = self.epoch(&mut flow, bounds, &cp2.state);
            if let Outcome::Unusual(call) = outcome {
                let cycles = flow.cycle - saved_flow.cycle;
                self.take_back(cp2, &saved_flow);
                flow = saved_flow;
                if let Pace::Short(_) = pace {
                    again = cycles;
                    break;
                }
                pace = Pace::Short(call);
                continue;
            }
            met = follow(&mut cp2.state, &self.shown((saved_flow.cycle, flow.cycle))).err();
            if met.is_some() {
                self.take_back(cp2, &saved_flow);
                flow = saved_flow;
                break;
            }
            self.commit(cp2);
            // What is too much can only be forgotten between sprints.
            if matches!(outcome, Outcome::Stuck) || self.cache.is_full() {
                break;
            }
        }
        let cycles = flow.cycle - begin;
        self.give(cp2, flow, &taken);
        Sprint { cycles, again, met }
    }

    /// Keeps the registers and what is under way, which has this shape.
    fn save(&mut self, shape: ShapeId) {
        let slots = self.cache.shape(shape).slots();
        self.saved.live = self.context.live;
        self.saved.pending.clear();
        self.saved.pending.extend_from_slice(&self.context.pending[..slots]);
    }

    fn environment(&self, control: u64) -> Environment {
        let core = self.cache.core();
        handover::environment(&core, &self.context.live, control, self.notes)
    }

    fn shown(&self, (begin, end): (u64, u64)) -> Epoch<'_> {
        let Self { passes, addresses, cache, noted, .. } = self;
        Epoch { begin, end, passes, addresses, cache, noted }
    }

    /// Drops operands that nobody can ask for, and points the context at its buffers.
    fn begin_epoch(&mut self, cp2: &mut Cp2) {
        let closes = |t: &Tail| self.cache.block(t.block).facts.closes;
        let keep = self.log.iter().rposition(closes).unwrap_or(0);
        self.log.drain(..keep);
        let mut free = 0;
        for tail in &mut self.log {
            let n = self.cache.block(tail.block).facts.tail_slots;
            self.tails.copy_within(tail.first..tail.first + n, free);
            tail.first = free;
            free += n;
        }
        let context = &mut *self.context;
        context.lmem = cp2.state.lmem.as_mut_ptr();
        self.undo.begin(context);
        context.notes = self.noted.as_mut_ptr();
        context.reversed = tables::reversed(cp2.core()).as_ptr();
        context.functions = tables::functions().as_ptr();
        self.passes.clear();
        self.addresses.clear();
    }

    fn first_free(&self) -> usize {
        self.log.last().map_or(0, |tail| tail.first + self.cache.block(tail.block).facts.tail_slots)
    }

    fn epoch(
        &mut self,
        flow: &mut Flow,
        Bounds { until, limit, watched }: Bounds,
        State { control, iram, lmem, .. }: &State,
    ) -> Outcome {
        let (control, core) = (*control, self.cache.core());
        let mut free = self.first_free();
        if free + LONGEST_TAIL > TAILS {
            return Outcome::Stuck;
        }
        let tails = self.tails.as_mut_ptr();
        let mut before = None;
        loop {
            let room = self.undo.room(&self.context);
            let is_full = self.cache.is_full() && !self.passes.is_empty();
            let is_over = flow.cycle >= until || is_full;
            if is_over || free + LONGEST_TAIL > TAILS || room < LONGEST {
                return Outcome::Full;
            }
            let left = Left { epoch: until - flow.cycle, run: limit - flow.cycle, room };
            let Some(choice) = self.choose(flow, left, before, iram) else {
                return Outcome::Stuck;
            };
            let id = choice.entrance.id;
            let block = self.cache.block(id);
            let facts = &block.facts;
            let shape = self.cache.shape(flow.shape);
            let Some(target) = flow.prepared(&core, facts.ending, &self.context.live, shape) else {
                return Outcome::Stuck;
            };
            if facts.reads_coefficients && self.context.coefficients.is_null() {
                let table = tables::coefficients(control & CONTROL_INVERSE != 0);
                self.context.coefficients = table.as_ptr();
            }
            if let Some(widening) = choice.entrance.widening {
                let Context { live, pending, .. } = &mut *self.context;
                self.cache.widening(widening).apply(live, pending);
            }
            self.context.tail = tails.wrapping_add(free);
            self.context.passes = choice.passes;
            let moved = facts.guards.moved(&self.context.live);
            for pointer in &facts.guards.pointers {
                self.addresses.push(self.context.live.a[usize::from(pointer.set)]);
                self.undo.keep(&self.context, lmem, pointer, choice.passes);
            }
            call(block, &mut self.context);
            let call = flow.cycle;
            flow.cycle += u64::from(facts.cycles) * choice.passes;
            if self.context.raised & watched != 0 {
                return Outcome::Unusual(call);
            }
            if !facts.tail.is_empty() {
                self.log.push(Tail { block: id, first: free, end_cycle: flow.cycle });
                free += facts.tail_slots;
            }
            self.passes.push(Passes { block: id, n: choice.passes, moved });
            flow.shape = block.shape;
            if !facts.stable {
                flow.environment = self.environment(control);
            }
            let shape = self.cache.shape(block.shape);
            flow.pass(facts.ending, choice, target, &self.context.live, shape);
            before = Some(id);
        }
    }

    /// The next block and how often.
    fn choose(
        &mut self,
        flow: &Flow,
        left: Left,
        before: Option<BlockId>,
        iram: &[u64],
    ) -> Option<Choice> {
        if flow.nullified.is_some() {
            return None;
        }
        let innermost = flow.loops.last();
        let mut place = Place::new(flow.pc, innermost, flow.follows_exit);
        let (mut times, mut iterations) = (1, 1);
        let entrance = Entrance { id: 0, widening: None };
        let mut choice = Choice { entrance, times: 1, passes: 1, cut: false };
        if let Some(l) = innermost
            && l.end >= flow.pc
        {
            let around = flow.loops.len().checked_sub(2).map(|k| flow.loops[k]);
            // Where two loops end one behind the other, the last bundle of the inner one is
            // the last but one of the outer one, which decides on it.
            let is_nested = around.is_some_and(|outer| outer.end == l.end + 1);
            if is_nested && l.count <= 1 {
                choice.cut = true;
                place.last = Some(l.end);
            } else if l.count > 1 {
                iterations = u64::from(l.count) - u64::from(is_nested);
                let body = usize::from(l.end + 2).saturating_sub(usize::from(l.start)).max(1);
                if l.start == flow.pc && body < UNROLLED && !flow.follows_exit {
                    times = UNROLLED.div_ceil(body);
                }
            }
        }
        let (cache, live) = (&mut self.cache, &self.context.live);
        let mut find = |times: usize| {
            let wanted = Wanted { place, shape: flow.shape, environment: flow.environment, times };
            let entrance = cache.find(&wanted, before, (iram, live))?;
            let cycles = u64::from(cache.block(entrance.id).facts.cycles);
            (cycles <= left.run).then_some((entrance, cycles))
        };
        let unrolled = (times > 1 && iterations >= times as u64).then(|| find(times)).flatten();
        let (entrance, cycles) = match unrolled {
            Some(found) => found,
            None => {
                times = 1;
                find(1)?
            }
        };
        choice.entrance = entrance;
        choice.times = times as u32;
        let facts = &self.cache.block(entrance.id).facts;
        if facts.repeats {
            let room = left.room.checked_div(facts.undos).map_or(u64::MAX, |n| n as u64);
            let most = (left.epoch.min(left.run) / cycles).min(room);
            let most = most.min(iterations / times as u64).max(1);
            choice.passes = most.min(facts.guards.passes(&self.context.live));
        }
        Some(choice)
    }

    /// Counts the passes of an epoch.
    fn commit(&mut self, cp2: &mut Cp2) {
        let stats = cp2.stats_mut();
        for &Passes { block, n, moved } in &self.passes {
            let facts = &self.cache.block(block).facts;
            facts.counts.add_to(stats, n);
            let near = facts.touched.near_accesses(moved);
            stats.bank_accesses.iter_mut().zip(near).for_each(|(sum, one)| *sum += n * one);
        }
    }

    /// Restores everything that the epoch changed.
    fn take_back(&mut self, cp2: &mut Cp2, flow: &Flow) {
        self.undo.restore(&self.context, &mut cp2.state.lmem);
        self.context.live = self.saved.live;
        self.context.pending[..self.saved.pending.len()].copy_from_slice(&self.saved.pending);
        self.log.retain(|tail| tail.end_cycle <= flow.cycle);
    }

    fn give(&mut self, cp2: &mut Cp2, flow: Flow, taken: &Taken) {
        let live = &self.context.live;
        let stats = cp2.stats_mut();
        for (total, new) in stats.bank_accesses.iter_mut().zip(live.banks) {
            *total += new;
        }
        for (total, new) in stats.flops.iter_mut().zip(live.flops.0) {
            *total += new;
        }
        let tails: Vec<TailRecord<'_>> = self
            .log
            .iter()
            .map(|tail| {
                let facts = &self.cache.block(tail.block).facts;
                TailRecord {
                    end_cycle: tail.end_cycle,
                    ops: &facts.tail,
                    slots: &self.tails[tail.first..tail.first + facts.tail_slots],
                }
            })
            .collect();
        let position = match flow.nullified {
            Some(to) => Position::Nullified(to),
            None if flow.follows_exit => Position::LoopExit,
            None => Position::Plain,
        };
        cp2.state.pc = flow.pc;
        cp2.state.loops = flow.loops;
        cp2.state.calls = flow.calls;
        let shape = self.cache.shape(flow.shape);
        let now = (flow.cycle, position);
        handover::give(&self.context, cp2, shape, &taken.unseen, &tails, now);
    }
}

#[allow(unsafe_code, reason = "the one call of translated code")]
fn call(block: &crate::cache::Block, context: &mut Context) {
    // SAFETY: a sprinter exists only on a host with AVX2 and BMI1. The blocks of its cache come from
    // `assemble`. `begin_epoch` and `epoch` have pointed the context at the machine's local memory,
    // whose length `take` has checked, and at tables of the asked-for lengths; at an undo log with room
    // for the stores of all passes, because `epoch` begins no block with less than `LONGEST` entries
    // and `choose` no more passes than fit; at notes (if accesses are noted) for all bundles of an
    // epoch; and at room for the longest tail. `take` has checked that the address sets and their
    // steps are below 8192, and blocks keep them so; `find` has checked what the block takes for
    // granted, and `choose` for how many passes that stays so.
    unsafe { block.code.call(context) }
}
