//! From times and registers to bundles: prologue, kernel and epilogue, register numbers, and the
//! address steps that the new order of accesses needs.

use super::address::LinearSet;
use super::deps::BlockProblem;
use super::place::Times;
use super::registers::Allocation;
use super::{ScheduledBundle, SlotOrigin, Work};
use cp2_ir::linear::{LinearInst, Reg};
use cp2_isa::rules::landing::{self, SurvivingWrite};
use cp2_isa::{Access, Address, Arith, Bundle, Effects, Exch, Inst, OperandKind, Slot, Step, Unit};

/// Interval, begin and unrolling of the kernel of a pipelined loop, which its hardware loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    /// Initiation interval.
    pub(super) ii: i64,
    /// Iterations that one pass of the kernel begins.
    pub(super) unroll: i64,
    /// Cycle at which the kernel begins, counted from the first operation of the first iteration.
    pub(super) start: i64,
    /// Whether the `do` has a bundle of its own right before the kernel.
    pub(super) own_bundle: bool,
}

/// The bundles of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Emitted {
    pub(super) bundles: Vec<ScheduledBundle>,
    /// First bundle of the kernel and its length, if there is a hardware loop.
    pub(super) kernel: Option<(usize, usize)>,
}

/// An empty bundle.
pub(super) const EMPTY: ScheduledBundle =
    ScheduledBundle { bundle: Bundle::NOP, arith: SlotOrigin::Nothing, exch: SlotOrigin::Nothing };

/// The plan of a block: all that is settled before bundles are made.
pub(super) struct Plan<'a> {
    pub(super) work: &'a Work<'a>,
    pub(super) block: &'a BlockProblem,
    pub(super) times: &'a Times,
    pub(super) allocation: &'a Allocation,
}

/// Returns the number of cycles from the first operation to the one after the last.
pub(super) fn length(times: &Times) -> i64 {
    times.iter().max().map_or(0, |t| t + 1)
}

/// Returns the cycles at which a kernel can begin, the best first: every operation is under way from then on. Each cycle
/// comes with true if the exchange slot before is taken, so that the `do` needs a bundle of its own.
pub(super) fn kernel_starts(plan: &Plan<'_>, ii: i64) -> Vec<(i64, bool)> {
    let first = (length(plan.times) - ii).max(0);
    // By cycle of the interval: the first time at which its exchange slot is taken.
    let mut since = vec![i64::MAX; ii as usize];
    for (&op, &time) in plan.block.ops.iter().zip(plan.times) {
        if plan.work.ops[op].code.row().slot == Slot::Exchange {
            let since = &mut since[time.rem_euclid(ii) as usize];
            *since = time.min(*since);
        }
    }
    let taken = |start: i64| start > since[(start - 1).rem_euclid(ii) as usize];
    let mut starts: Vec<_> = (first..first + ii).map(|start| (start, taken(start))).collect();
    starts.sort_by_key(|&(start, taken)| (taken, start));
    starts
}

impl Plan<'_> {
    /// Returns the bundles of `count` iterations; with a pipeline they are made such that its kernel, run once here, can run
    /// any number of times.
    pub(super) fn emit(&self, ii: i64, count: i64, pipeline: Option<Pipeline>) -> Emitted {
        let mut sheet = Sheet { origin: 0, bundles: Vec::new() };
        for op in 0..self.block.ops.len() {
            for iteration in 0..count {
                let time = self.times[op] + iteration * ii;
                self.emit_operation(&mut sheet, op, iteration, time);
            }
        }
        let kernel = pipeline.map(|p| (p.start, p.unroll * p.ii));
        if let Some((start, length)) = kernel {
            sheet.cover(start - 1);
            sheet.cover(start + length - 1);
        }
        for (n, set) in self.block.sets.iter() {
            self.steps(&mut sheet, n, set, (ii, count), kernel);
        }
        let origin = sheet.origin;
        let mut kernel = kernel.map(|(start, length)| ((start - origin) as usize, length as usize));
        if let (Some((first, _)), Some(Pipeline { own_bundle: true, .. })) = (&mut kernel, pipeline)
        {
            sheet.bundles.insert(*first, EMPTY);
            *first += 1;
        }
        Emitted { bundles: sheet.bundles, kernel }
    }

    /// Whether the kernel of a pipeline can begin a cycle late, when `count` iterations run: an earlier
    /// bundle's result then lands a cycle earlier for the kernel. So nothing there may read the register in
    /// the cycle before it lands, and nothing there may land in that cycle and have to be replaced by it.
    pub(super) fn can_wait(&self, ii: i64, count: i64, pipeline: Pipeline) -> bool {
        let emitted = self.emit(ii, count, Some(Pipeline { own_bundle: false, ..pipeline }));
        let Some((first, _)) = emitted.kernel else { return false };
        let accesses = |i: usize| {
            let mut all = Vec::new();
            emitted.bundles[i].bundle.footprint(&mut |a| all.push(a));
            all
        };
        let reach = self.work.core.latencies().longest() as usize;
        let last = emitted.bundles.len().min(first + reach);
        let late: Vec<_> =
            (first..last).flat_map(|i| accesses(i).into_iter().map(move |a| (i, a))).collect();
        (first.saturating_sub(reach)..first).all(|i| {
            accesses(i).iter().filter(|w| w.changed().is_some()).all(|write| {
                late.iter().all(|(at, access)| !self.is_disturbed(at - i, write, access))
            })
        })
    }

    /// Whether a write that an access follows `behind` bundles later is wrong for it when it comes a
    /// cycle earlier.
    fn is_disturbed(&self, behind: usize, write: &Access, access: &Access) -> bool {
        if !write.resource.overlaps(access.resource) {
            return false;
        }
        let latencies = self.work.core.latencies();
        let time = |a: &Access, to: Unit| latencies.distance(a.unit, a.resource, to) as usize;
        let is_read_before = access.used().is_some() && time(write, access.unit) == behind + 1;
        let plain = Unit::Arithmetic;
        let lands_before =
            access.changed().is_some() && time(write, plain) == behind + time(access, plain) + 1;
        is_read_before
            || lands_before
                && landing::surviving_write(write.unit, access.unit) == SurvivingWrite::Younger
    }

    fn emit_operation(&self, sheet: &mut Sheet, op: usize, iteration: i64, time: i64) {
        let id = self.block.ops[op];
        let source =
            if id < self.work.region.ops.len() { SlotOrigin::Op(id) } else { SlotOrigin::Made };
        let code = self.rewritten(op, iteration);
        let cc = self.work.ops[id].cc;
        let obeys = code.row().effects.contains(Effects::PREDICATED);
        let place = sheet.at(time);
        if obeys && cc != 0 {
            place.bundle.cc = cc;
        }
        match code {
            LinearInst::Arith(inst) => {
                place.bundle.arith = inst;
                place.arith = source;
            }
            LinearInst::Exch(inst) => {
                place.bundle.exch = inst;
                place.exch = source;
            }
        }
    }

    /// Returns the operation with the registers of an iteration.
    fn rewritten(&self, op: usize, iteration: i64) -> LinearInst {
        let (work, webs) = (self.work, &self.block.webs);
        let instance = (iteration % self.allocation.unroll.max(1)) as usize;
        let register = |reg: Reg, write: bool| {
            if let Some(fixed) = work.fixed_register(reg) {
                return i32::from(fixed);
            }
            let web = webs.web(op, reg, write).or_else(|| webs.web(op, reg, !write));
            web.map_or(0, |w| i32::from(self.allocation.registers[w][instance]))
        };
        let mut code = work.ops[self.block.ops[op]].code;
        let row = code.row();
        let values = match &mut code {
            LinearInst::Arith(inst) => &mut inst.values,
            LinearInst::Exch(inst) => &mut inst.values,
        };
        for (operand, value) in row.operands.iter().zip(values) {
            match operand.kind {
                OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                    *value = register(Reg(*value as u32), operand.write);
                }
                OperandKind::FprHalf(..) => {
                    let half = *value & 1;
                    *value = register(Reg(*value as u32 >> 1), operand.write) * 2 + half;
                }
                _ => {}
            }
        }
        match code {
            LinearInst::Exch(inst) => LinearInst::Exch(inst.with_variant()),
            other => other,
        }
    }

    /// Returns the shortest step to the same word, which the signed 13-bit offset holds; addresses count modulo the memory.
    fn wrapped(&self, step: i64) -> i64 {
        let words = self.work.core.lmem_words() as i64;
        (step + words / 2).rem_euclid(words) - words / 2
    }

    /// Gives the accesses through a linear set their steps.
    fn steps(
        &self,
        sheet: &mut Sheet,
        n: u8,
        set: &LinearSet,
        (ii, count): (i64, i64),
        kernel: Option<(i64, i64)>,
    ) {
        let mut nodes: Vec<(i64, i64)> = Vec::new();
        for &(op, at) in &set.accesses {
            for iteration in 0..count {
                let time = self.times[op] + iteration * ii;
                nodes.push((time, at + iteration * set.step));
            }
        }
        nodes.sort_unstable();
        let mut turn = None;
        if let Some((start, length)) = kernel {
            let first = nodes.partition_point(|&(t, _)| t < start);
            let after = nodes.partition_point(|&(t, _)| t < start + length);
            // Where the next pass of the kernel would go on, whether there is one or not.
            let next = (nodes[first].0 + length, nodes[first].1 + length / ii * set.step);
            if nodes.get(after) != Some(&next) {
                nodes.insert(after, next);
                turn = Some(after);
            }
        }
        let last = count * set.step;
        let target = |k: usize| nodes.get(k + 1).map_or(last, |&(_, at)| at);
        for (k, &(time, at)) in nodes.iter().enumerate() {
            let step = self.wrapped(target(k) - at);
            if turn == Some(k) {
                if step != 0 {
                    let end = kernel.map_or(time, |(start, length)| start + length);
                    let time = if k + 1 == nodes.len() { sheet.last_turn(end, time) } else { time };
                    sheet.made(time, step_by(n, step));
                }
            } else {
                let exch = &mut sheet.at(time).bundle.exch;
                *exch = exch.with_address(stepping(n, step));
            }
        }
        let lead = self.wrapped(nodes[0].1);
        if lead != 0 {
            let free =
                (sheet.origin..nodes[0].0).rev().find(|&t| sheet.is_exchange_free(t, kernel));
            let time = free.unwrap_or(sheet.origin - 1);
            sheet.made(time, step_by(n, lead));
        }
    }
}

/// Returns the address of set `n`, which then steps by so many words.
fn stepping(n: u8, step: i64) -> Address {
    Address::Set { set: n, step: Step::Offset(step as i32) }
}

fn step_by(n: u8, step: i64) -> Inst<Exch> {
    Inst::new(Exch::Updaddr, &[]).with_address(stepping(n, step))
}

/// Bundles by time.
struct Sheet {
    /// Time of the first bundle.
    origin: i64,
    bundles: Vec<ScheduledBundle>,
}

impl Sheet {
    /// Makes sure that there is a bundle at a time.
    fn cover(&mut self, time: i64) {
        while self.origin > time {
            self.bundles.insert(0, EMPTY);
            self.origin -= 1;
        }
        let length = (time - self.origin + 1) as usize;
        if self.bundles.len() < length {
            self.bundles.resize(length, EMPTY);
        }
    }

    fn at(&mut self, time: i64) -> &mut ScheduledBundle {
        self.cover(time);
        &mut self.bundles[(time - self.origin) as usize]
    }

    /// Whether the exchange slot of a bundle is free, and is no part of the loop.
    fn is_exchange_free(&self, time: i64, kernel: Option<(i64, i64)>) -> bool {
        let in_loop =
            kernel.is_some_and(|(start, length)| (start - 1..start + length).contains(&time));
        let index = usize::try_from(time - self.origin).ok();
        let placed = index.and_then(|i| self.bundles.get(i));
        !in_loop && placed.is_some_and(|p| p.exch == SlotOrigin::Nothing)
    }

    /// Returns the time of a step that could be at `time` and has to be behind the kernel, which ends at `end`: an
    /// earlier one if there is no bundle at `time` yet.
    fn last_turn(&self, end: i64, time: i64) -> i64 {
        let covered = self.origin + self.bundles.len() as i64;
        if time < covered { time } else { end.max(covered) }
    }

    /// Adds an operation of the scheduler's.
    fn made(&mut self, time: i64, inst: Inst<Exch>) {
        let mut time = time;
        while self.at(time).exch != SlotOrigin::Nothing {
            time += 1;
        }
        let place = self.at(time);
        place.bundle.exch = inst;
        place.exch = SlotOrigin::Made;
    }
}

/// Whether a bundle does nothing.
pub(super) fn is_empty(placed: &ScheduledBundle) -> bool {
    placed.bundle.arith.op == Arith::Nop && placed.bundle.exch.op == Exch::Nop
}
