//! A block, cycle by cycle: results land, operands are read, operations become steps. Which value a
//! register holds in which cycle is settled here, so that translated code knows no pipeline.

use crate::address::{Addresses, Mode};
use crate::arithmetic::{Lowering, Operands, Results};
use crate::builder::{Builder, HIGH, LOW};
use crate::context::{CC, FLOPS, FPR, FPRS, Live, PEND, Vector, vector_at};
use crate::counts::Counts;
use crate::guard::{Boldness, Guards};
use crate::ir::{Home, Ins, Value};
use crate::knowledge::Knowledge;
use crate::region::{Ending, Place, Program, Region, changes_mode};
use crate::scalar::{built, context};
use crate::shape::{Goal, Part8, Shape};
use crate::touched::Touched;
use crate::widen::Early;
use cp2_emu::Stats;
use cp2_emu::cp2::seam;
use cp2_emu::stats::Cause;
use cp2_isa::{
    Arith, Bundle, Core, Effects, Exch, Inst, Kind, Latencies, MoveReg, RegFile, control, fields,
};
use iced_x86::{Code, Instruction, Register};

mod finish;
mod scalars;

/// What of a machine's state a translation takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Environment {
    /// Address sets in linear mode, one bit each.
    pub(crate) linear: u16,
    /// Address sets in bit-reversed mode.
    pub(crate) reversed: u16,
    /// All bits of the angle step.
    pub(crate) full_mask: bool,
    /// CONTROL.RM.
    pub(crate) rounding: u8,
    /// CONTROL.I: coefficients of the inverse transform.
    pub(crate) inverse: bool,
    /// Accesses to local memory are noted.
    pub(crate) notes: bool,
}

/// An operation whose flags may still be asked for when a block has ended.
#[derive(Clone, Debug)]
pub(crate) struct TailOp {
    /// Cycles from its issue to the end of the block.
    pub(crate) age: u32,
    pub(crate) inst: Inst<Arith>,
    /// Its sections, if they are not all: a mask in the tail.
    pub(crate) mask: Option<usize>,
    /// Operands D, S, T, next S, next T in the tail.
    pub(crate) operands: [Option<usize>; 5],
    /// Coefficient in the tail.
    pub(crate) coefficient: Option<[usize; 2]>,
}

/// A block as steps.
pub(crate) struct Translation {
    pub(crate) ins: Vec<Ins>,
    pub(crate) homes: Vec<Option<Home>>,
    pub(crate) constants: Vec<Vector>,
    pub(crate) facts: Facts,
}

/// What the engine has to know of a block.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) ending: Ending,
    /// Cycles of one pass.
    pub(crate) cycles: u32,
    /// What one pass counts, but for accesses through pointers, which `touched` has, for accesses to
    /// bank 1 whose place only the run knows, and for flops of predicated operations.
    pub(crate) counts: Counts,
    /// What is under way at the end.
    pub(crate) shape: Shape,
    pub(crate) tail: Vec<TailOp>,
    /// Vectors that the tail takes.
    pub(crate) tail_slots: usize,
    /// Nothing older than the tail can be asked for.
    pub(crate) closes: bool,
    /// The code goes back to its start while passes are left.
    pub(crate) repeats: bool,
    /// What the translation takes for granted still holds at the end.
    pub(crate) stable: bool,
    /// Coefficients are read from the table of all angles.
    pub(crate) reads_coefficients: bool,
    pub(crate) guards: Guards,
    pub(crate) early: Early,
    /// Entries of the undo log that a pass makes.
    pub(crate) undos: usize,
    /// What a pass accesses in local memory, besides what pointers reach.
    pub(crate) touched: Touched,
}

/// A result under way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    goal: Goal,
    value: Value,
    mask: Option<Value>,
}

/// An operation with flags.
struct Flagged {
    time: usize,
    inst: Inst<Arith>,
    mask: Option<Value>,
    operands: [Option<Value>; 5],
    coefficient: Option<[Value; 2]>,
}

/// Where the value is that a general register had before a write.
#[derive(Clone, Copy, Debug)]
enum Old {
    Known(u64),
    /// In the context, by cycle.
    Scratch,
}

/// A bundle that cannot be translated in its place.
pub(crate) struct Refused(usize);

pub(crate) struct Translator {
    pub(crate) b: Builder,
    pub(crate) core: Core,
    pub(crate) environment: Environment,
    /// Value of every FPR as operations of this cycle see it.
    view: [Value; FPRS],
    entry_view: [Value; FPRS],
    conditions: [Value; 8],
    entry_conditions: [Value; 8],
    /// Results by the cycle in which they land.
    under_way: Vec<Vec<Pending>>,
    pub(crate) time: usize,
    pub(crate) addresses: Addresses,
    pub(crate) knowledge: Knowledge,
    gpr_writes: Vec<(usize, u8, Old)>,
    reads_coefficients: bool,
    /// Entries of the undo log so far.
    pub(crate) undos: i32,
    flagged: Vec<Flagged>,
    flops: Option<Value>,
    early: Early,
    stats: Stats,
    pub(crate) touched: Touched,
    /// Whether accesses can be noted.
    notes: bool,
}

/// What a translation starts from.
pub(crate) struct Start<'a> {
    /// What is under way.
    pub(crate) shape: &'a Shape,
    pub(crate) environment: Environment,
    /// The registers, of which `boldness` tells what may be taken for granted.
    pub(crate) live: &'a Live,
    pub(crate) boldness: Boldness,
    /// Address sets that are no pointers.
    pub(crate) plain: u16,
    /// Some of its accesses have to be noted when it runs.
    pub(crate) notes: bool,
}

/// Translates the block at a place for what is there; `times` bodies of a loop one behind the other.
/// `None` if not even one bundle can be translated.
pub(crate) fn translate(
    program: Program<'_>,
    place: &Place,
    mut start: Start<'_>,
    times: usize,
) -> Option<Translation> {
    let mut most = usize::MAX;
    loop {
        let mut region = place.region(program, most);
        let n = region.bundles.len();
        if n == 0 {
            return None;
        }
        if times > 1 {
            let changes = region.bundles.iter().any(|(_, b)| changes_mode(&b.exch));
            if changes || region.ending != Ending::Loop {
                return None;
            }
            let body = region.bundles.clone();
            (1..times).for_each(|_| region.bundles.extend(body.iter().copied()));
        }
        match Translator::new(program.core, &start).run(&region, place, start.shape) {
            Ok(Outcome::Done(translation)) => return Some(*translation),
            Ok(Outcome::Strays(sets)) => start.plain |= sets,
            Ok(Outcome::Unnoted) => start.notes = true,
            Err(Refused(k)) if times == 1 => most = k,
            Err(_) => return None,
        }
    }
}

/// How a translation ended.
enum Outcome {
    Done(Box<Translation>),
    /// These address sets must not be pointers.
    Strays(u16),
    /// There are accesses that have to be noted.
    Unnoted,
}

impl Translator {
    fn new(core: &Core, start: &Start<'_>) -> Self {
        let Start { shape, environment, live, boldness, plain, notes } = *start;
        let mut b = Builder::default();
        let view = std::array::from_fn(|k| b.at(vector_at(FPR, k)));
        let conditions = std::array::from_fn(|k| b.at(vector_at(CC, k)));
        let mut under_way: Vec<Vec<Pending>> = Vec::new();
        let mut slot = 0;
        for entry in &shape.entries {
            let time = usize::from(entry.offset);
            under_way.resize_with(under_way.len().max(time + 1), Vec::new);
            let mut next = || {
                slot += 1;
                b.at(vector_at(PEND, slot - 1))
            };
            let value = next();
            let mask = entry.masked.then(next);
            under_way[time].push(Pending { goal: entry.goal, value, mask });
        }
        let modes = std::array::from_fn(|k| {
            if environment.linear >> k & 1 == 1 {
                Mode::Linear
            } else if environment.reversed >> k & 1 == 1 {
                Mode::Reversed
            } else {
                Mode::Circular
            }
        });
        let bold = boldness != Boldness::Nothing;
        Self {
            b,
            core: *core,
            environment,
            view,
            entry_view: view,
            conditions,
            entry_conditions: conditions,
            under_way,
            time: 0,
            addresses: Addresses::new(core, modes, bold.then_some(live.a), plain, notes),
            knowledge: Knowledge::new(live, boldness),
            gpr_writes: Vec::new(),
            reads_coefficients: false,
            undos: 0,
            flagged: Vec::new(),
            flops: None,
            early: Early::new(core),
            stats: Stats::new(core),
            touched: Touched::new(core),
            notes,
        }
    }

    pub(crate) fn latencies(&self) -> &Latencies {
        self.core.latencies()
    }

    fn run(mut self, region: &Region, place: &Place, entry: &Shape) -> Result<Outcome, Refused> {
        let modes = self.addresses.modes;
        for (k, (_, bundle)) in region.bundles.iter().enumerate() {
            self.land();
            let next = region.next_address(k, place);
            self.bundle(next, bundle).ok_or(Refused(k))?;
            self.time += 1;
            if bundle.exch.op == Exch::Sync {
                self.hold();
            }
        }
        let stable = self.addresses.modes == modes
            && !region.bundles.iter().any(|(_, b)| changes_mode(&b.exch));
        // Where every pass of a loop begins has to be known before the first one.
        let may_repeat = stable && is_whole_body(region, place);
        let unknown = self.addresses.settle_pointers();
        let strays = self.addresses.strays() | if may_repeat { unknown } else { 0 };
        if strays != 0 {
            return Ok(Outcome::Strays(strays));
        }
        if !self.touched.noted.is_empty() && !self.notes {
            return Ok(Outcome::Unnoted);
        }
        Ok(Outcome::Done(Box::new(self.finish(region, entry, stable, may_repeat))))
    }

    fn hold(&mut self) {
        for _ in 1..self.latencies().sync {
            self.land();
            self.time += 1;
            self.stats.count_cycle(Cause::SyncHold);
        }
    }

    /// Writes what is first seen in this cycle: loads, then the rest in the order of issue.
    fn land(&mut self) {
        let landing = self.under_way.get_mut(self.time).map(std::mem::take);
        let Some(mut landing) = landing else { return };
        landing.sort_by_key(|entry| !entry.goal.is_load());
        for (k, entry) in landing.iter().enumerate() {
            if landing[..k].iter().any(|older| older.goal.collides(entry.goal)) {
                self.stats.collisions.iter_mut().for_each(|n| *n += 1);
            }
            let place = match entry.goal {
                Goal::Fpr { reg, .. } => &mut self.view[usize::from(reg)],
                Goal::Condition(cc) => &mut self.conditions[usize::from(cc)],
            };
            let b = &mut self.b;
            let whole = match entry.goal {
                Goal::Fpr { part: Part8::Lo, .. } => b.blend(*place, entry.value, LOW),
                Goal::Fpr { part: Part8::Hi, .. } => b.blend(*place, entry.value, HIGH),
                _ => entry.value,
            };
            *place = match entry.mask {
                Some(mask) => {
                    let clean = b.is_clean(*place) && b.is_clean(whole);
                    let merged = b.select(*place, whole, mask);
                    if clean {
                        b.set_clean(merged);
                    }
                    merged
                }
                None => whole,
            };
        }
    }

    /// Plans a result; refuses one whose collisions only the run could tell.
    fn plan(&mut self, delay: u32, goal: Goal, value: Value, mask: Option<Value>) -> Option<()> {
        let visible = self.time + delay as usize;
        self.under_way.resize_with(self.under_way.len().max(visible + 1), Vec::new);
        let slot = &mut self.under_way[visible];
        let clash = |o: &Pending| o.goal.collides(goal) && (o.mask.is_some() || mask.is_some());
        if slot.iter().any(clash) {
            return None;
        }
        self.early.land(goal, visible);
        slot.push(Pending { goal, value, mask });
        Some(())
    }

    pub(crate) fn plan_fpr(
        &mut self,
        delay: u32,
        reg: i32,
        value: Value,
        mask: Option<Value>,
        from_load: bool,
    ) -> Option<()> {
        let goal = Goal::Fpr { reg: reg as u8, part: Part8::Whole, from_load };
        self.plan(delay, goal, value, mask)
    }

    pub(crate) fn fpr(&mut self, n: i32) -> Value {
        self.early.read_fpr(n as usize, self.time);
        self.view[n as usize]
    }

    /// An FPR as `psprmsgn` sees it.
    pub(crate) fn bypassed(&mut self, n: i32) -> Value {
        self.early.read_ahead(n as usize, self.time);
        let mut value = self.fpr(n);
        for entry in self.under_way.get(self.time + 1).into_iter().flatten() {
            if let Goal::Fpr { reg, from_load: true, .. } = entry.goal
                && i32::from(reg) == n
            {
                value = entry.value;
            }
        }
        value
    }

    /// The mask of a condition code, none for code 0.
    pub(crate) fn predicate(&mut self, cc: u8) -> Option<Value> {
        self.early.read_condition(cc, self.time);
        (cc != 0).then(|| self.conditions[usize::from(cc)])
    }

    /// Counts an access of a bank.
    pub(crate) fn count_access(&mut self, bank: usize) {
        self.stats.bank_accesses[bank] += 1;
    }

    /// Makes the steps of a bundle, behind which the one at `next` issues, if that is known.
    fn bundle(&mut self, next: Option<u16>, bundle: &Bundle) -> Option<()> {
        let effects = bundle.arith.op.row().effects;
        let mask =
            if effects.contains(Effects::PREDICATED) { self.predicate(bundle.cc) } else { None };
        self.stats.count_bundle(bundle, if mask.is_some() { 0 } else { 0xf });
        let steps = effects.contains(Effects::COEFFICIENT);
        let coefficient = steps.then(|| self.coefficient());
        let moves = |k| moved_control(&bundle.exch, k) == Some(control::RIND);
        // A `move` reads the angle behind its step, and writes it behind its step.
        if steps && (moves(1) || !moves(0)) {
            self.step_angle();
        }
        let results = self.arithmetic(&bundle.arith, mask, coefficient)?;
        // Of two results that land in one cycle the exchange operation's is the later one.
        self.commit(&bundle.arith, mask, &results)?;
        self.exchange(next, bundle)
    }

    fn arithmetic(
        &mut self,
        inst: &Inst<Arith>,
        mask: Option<Value>,
        coefficient: Option<[Value; 2]>,
    ) -> Option<Results> {
        if inst.op == Arith::Nop {
            return Some(Results::default());
        }
        let [d, s, t] = seam::sources(inst);
        let numbers = [d, s, t, s + 1, t + 1].map(|n| n.min(FPRS - 1));
        let fpr = |n: usize| self.view[n.min(FPRS - 1)];
        let operands = Operands {
            d: fpr(d),
            s: fpr(s),
            t: fpr(t),
            s_next: fpr(s + 1),
            t_next: fpr(t + 1),
            coefficient,
        };
        let read = read_operands(inst, &operands);
        for (n, _) in numbers.into_iter().zip(read).filter(|(_, value)| value.is_some()) {
            self.early.read_fpr(n, self.time);
        }
        let rounding = self.environment.rounding;
        let results = Lowering { b: &mut self.b, rounding }.lower(inst, &operands)?;
        if inst.op.row().effects.contains(Effects::FLAGS) {
            self.flagged.push(Flagged {
                time: self.time,
                inst: *inst,
                mask,
                operands: read,
                coefficient,
            });
        }
        Some(results)
    }

    fn commit(&mut self, inst: &Inst<Arith>, mask: Option<Value>, results: &Results) -> Option<()> {
        if let Some(conditions) = results.conditions {
            let count = if inst.values[1] >= 2 { 2 } else { 1 };
            for (k, value) in conditions.into_iter().enumerate().take(count) {
                let cc = inst.values[2] as u8 + k as u8;
                if cc != 0 {
                    self.plan(self.latencies().condition, Goal::Condition(cc), value, mask)?;
                }
            }
        }
        let made = [results.d, results.s, results.q];
        for ((reg, part, _), value) in seam::results(inst).zip(made.into_iter().flatten()) {
            let goal = Goal::Fpr { reg, part: part.into(), from_load: false };
            self.plan(self.latencies().arithmetic, goal, value, mask)?;
        }
        if let (Some(mask), flops @ 1..) = (mask, inst.op.row().flops) {
            let amount = self.b.constant(flops.into());
            let counted = self.b.and(mask, amount);
            let total = match self.flops {
                Some(total) => total,
                None => self.b.at(FLOPS),
            };
            self.flops = Some(self.b.binary(Code::VEX_Vpaddq_ymm_ymm_ymmm256, counted, total));
        }
        Some(())
    }
}

/// Whether a block is the whole body of a loop.
fn is_whole_body(region: &Region, place: &Place) -> bool {
    region.ending == Ending::Loop
        && place.innermost.is_some_and(|(start, end)| {
            start == place.pc && region.bundles.last().is_some_and(|(pc, _)| *pc == end + 1)
        })
}

/// The values that an operation reads, of D, S, T, next S, next T.
fn read_operands(inst: &Inst<Arith>, x: &Operands) -> [Option<Value>; 5] {
    let mut read = [None; 5];
    for operand in inst.op.row().operands.iter().filter(|o| o.is_read()) {
        match operand.kind {
            Kind::Fpr(fields::FD) => read[0] = Some(x.d),
            Kind::Fpr(fields::FS) | Kind::FprHalf(fields::FS, _) => read[1] = Some(x.s),
            Kind::Fpr(fields::FT) => read[2] = Some(x.t),
            Kind::FprPair(fields::FS) => (read[1], read[3]) = (Some(x.s), Some(x.s_next)),
            Kind::FprPair(fields::FT) => (read[2], read[4]) = (Some(x.t), Some(x.t_next)),
            _ => {}
        }
    }
    read
}

/// The control register that a `move` names as its operand `k`: 0 destination, 1 source.
fn moved_control(inst: &Inst<Exch>, k: usize) -> Option<u8> {
    match (inst.op, MoveReg::from_packed(inst.values[k])) {
        (Exch::Move, Some(MoveReg { file: RegFile::Control, number })) => Some(number),
        _ => None,
    }
}

/// The place of a scalar as an operand of RAX.
pub(crate) fn load_rax(b: &mut Builder, displacement: i32) {
    b.raw(built(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, context(displacement))));
}
