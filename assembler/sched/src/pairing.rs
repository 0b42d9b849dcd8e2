//! Operations of a block exchanged for others that need less of its fuller slot: two loads of
//! neighbouring words become a double load, moves of halves become a `psprmsgn`. The sequential
//! meaning stays. Whether that pays is decided where the block is scheduled.

use super::Work;
use super::address::{self, Memory, Sets};
use cp2_ir::linear::{LinearInst, Op, Reg};
use cp2_isa::{Arith, Exch, Inst, OperandKind, Unit};
use std::ops::Range;

/// Moves after one that are looked at as its partner.
const REACH: usize = 8;

/// A region in which some operations have been exchanged.
#[derive(Clone)]
pub(super) struct Balanced<'a> {
    pub(super) work: Work<'a>,
    /// Double loads made of two loads.
    pub(super) paired: usize,
    /// `psprmsgn` made of moves.
    pub(super) shuffled: usize,
    /// Operations that are gone, each with that which does their work: indices into the operations of the region.
    pub(super) merged: Vec<(usize, usize)>,
}

impl Balanced<'_> {
    /// Returns how many operations of each kind were made, and which ones are gone.
    pub(super) fn exchanged(&self) -> Exchanged {
        Exchanged { made: [self.paired, self.shuffled], merged: self.merged.clone() }
    }
}

/// Operations of a block that were exchanged for others.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanged {
    /// Number of double loads, then of `psprmsgn`.
    pub(super) made: [usize; 2],
    /// Operations that are gone, each with that which does their work.
    pub(super) merged: Vec<(usize, usize)>,
}

/// Two loads that may become one.
struct Loads {
    first: usize,
    second: usize,
    set: u8,
    /// Address of the second load, seen from the start of the block.
    at: i64,
}

/// Moves that may become a `psprmsgn`.
#[derive(Clone, Copy)]
enum Moves {
    /// A `mtrans`.
    Transpose(usize),
    /// Two of `copy` and `swaphl`.
    Two(usize, usize),
}

struct Balancer<'a, 'b> {
    done: Balanced<'a>,
    /// The operations of the block.
    ops: &'b [usize],
    stores: Vec<Memory>,
}

impl<'a> Work<'a> {
    /// Returns the region with operations of the block `ops` exchanged while that makes its fuller slot emptier; `None` if
    /// nothing can be done.
    pub(super) fn balanced(&self, ops: &[usize]) -> Option<Balanced<'a>> {
        let mut sets = Sets::of(self, ops);
        let stores = address::memory(self, ops, &sets, false);
        let stores = stores.into_iter().filter(|m| m.store).collect();
        let (loads, moves) = (self.loads(ops, &sets), self.moves(ops));
        let left = sets.absorb(self, ops);
        let mut exchange = left.iter().filter(|&&op| self.need(op).exchange).count();
        let mut arithmetic = left.len() - exchange;
        let done = Balanced { work: self.clone(), paired: 0, shuffled: 0, merged: Vec::new() };
        let mut balancer = Balancer { done, ops, stores };
        let (mut loads, mut moves) = (loads.into_iter(), moves.into_iter());
        loop {
            if exchange > arithmetic {
                let Some(pair) = loads.next() else { break };
                if balancer.pair(&pair) {
                    balancer.done.paired += 1;
                    exchange -= 1;
                }
            } else if arithmetic > exchange + 1 {
                let Some(candidate) = moves.next() else { break };
                if balancer.shuffle(candidate) {
                    balancer.done.shuffled += 1;
                    exchange += 1;
                    arithmetic -= if matches!(candidate, Moves::Two(..)) { 2 } else { 1 };
                }
            } else {
                break;
            }
        }
        let done = balancer.done;
        (done.paired + done.shuffled > 0).then_some(done)
    }

    /// Returns the loads of the two words of a pair, the nearest ones first.
    fn loads(&self, ops: &[usize], sets: &Sets) -> Vec<Loads> {
        let single =
            |k: usize| matches!(self.ops[ops[k]].code, LinearInst::Exch(i) if i.op == Exch::Lwo);
        let mut found = Vec::new();
        for (set, linear) in sets.iter().filter(|(_, linear)| linear.even) {
            let mut loads = linear.accesses.iter().filter(|(k, _)| single(*k));
            while let Some(&(first, there)) = loads.next() {
                let partner = |&&(_, at): &&(usize, i64)| at == there ^ 1;
                if let Some(&(second, at)) = loads.clone().find(partner) {
                    found.push(Loads { first, second, set, at });
                }
            }
        }
        found.sort_by_key(|l| (l.second - l.first, l.first));
        found
    }

    /// Returns the moves that may become permutations: two moves first, for they need one operation less, the nearest ones
    /// before others.
    fn moves(&self, ops: &[usize]) -> Vec<Moves> {
        let arithmetic = |k: usize| match self.ops[ops[k]].code {
            LinearInst::Arith(inst) => Some(inst.op),
            LinearInst::Exch(_) => None,
        };
        let of = |wanted: &[Arith]| -> Vec<usize> {
            (0..ops.len()).filter(|&k| arithmetic(k).is_some_and(|a| wanted.contains(&a))).collect()
        };
        let single = of(&[Arith::Copy, Arith::Swaphl]);
        let mut two = Vec::new();
        for (k, &first) in single.iter().enumerate() {
            two.extend(single[k + 1..].iter().take(REACH).map(|&second| (first, second)));
        }
        two.sort_by_key(|&(first, second)| (second - first, first));
        let two = two.into_iter().map(|(first, second)| Moves::Two(first, second));
        two.chain(of(&[Arith::Mtrans]).into_iter().map(Moves::Transpose)).collect()
    }
}

/// Whether an operation touches a register.
fn touches(work: &Work<'_>, op: usize, reg: Reg, writes_only: bool) -> bool {
    let accesses = work.region.fpr_accesses(&work.ops[op]);
    accesses.iter().any(|a| a.reg == reg && (a.write || !writes_only))
}

impl Balancer<'_, '_> {
    fn op(&self, k: usize) -> &Op {
        &self.done.work.ops[self.ops[k]]
    }

    fn set(&mut self, k: usize, code: LinearInst) {
        let op = self.ops[k];
        self.done.work.ops[op].code = code;
    }

    fn is_touched(&self, within: Range<usize>, reg: Reg) -> bool {
        within.into_iter().any(|k| touches(&self.done.work, self.ops[k], reg, false))
    }

    fn is_written(&self, within: Range<usize>, reg: Reg) -> bool {
        within.into_iter().any(|k| touches(&self.done.work, self.ops[k], reg, true))
    }

    /// Makes `second` the register after `first`; `None` if that cannot be. True if it is news.
    fn adjoin(&mut self, first: Reg, second: Reg) -> Option<bool> {
        let work = &mut self.done.work;
        if first != second && work.region.next(first) == Some(second) {
            return Some(false);
        }
        let next = &work.region.next;
        let is_alone = |reg: Reg| {
            reg.physical().is_none()
                && !work.is_fixed(reg)
                && !next.contains_key(&reg)
                && !next.values().any(|&n| n == reg)
        };
        if first == second || !is_alone(first) || !is_alone(second) {
            return None;
        }
        work.region.to_mut().next.insert(first, second);
        Some(true)
    }

    /// Makes two registers neighbours in either order: true if the second one is the lower.
    fn neighbours(&mut self, a: Reg, b: Reg) -> Option<bool> {
        match self.adjoin(a, b) {
            Some(_) => Some(false),
            None => self.adjoin(b, a).map(|_| true),
        }
    }

    // ---- loads

    fn pair(&mut self, loads: &Loads) -> bool {
        let (first, second) = (self.op(loads.first).code, self.op(loads.second).code);
        let (LinearInst::Exch(a), LinearInst::Exch(b)) = (first, second) else { return false };
        if a.op != Exch::Lwo || b.op != Exch::Lwo {
            return false;
        }
        let between = loads.first + 1..loads.second;
        let [x, y] = [a, b].map(|inst| Reg(inst.values[0] as u32));
        if x == y || self.is_touched(between.clone(), y) || self.may_change(between, loads) {
            return false;
        }
        let (low, high) = if loads.at & 1 == 1 { (x, y) } else { (y, x) };
        if self.adjoin(low, high).is_none() {
            return false;
        }
        let double = Inst::new(Exch::Ldo, &[low.0 as i32, a.values[1]]);
        self.set(loads.first, LinearInst::Exch(double));
        let step = Inst::new(Exch::Updaddr, &[b.values[1]]);
        self.set(loads.second, LinearInst::Exch(step));
        self.done.merged.push((self.ops[loads.second], self.ops[loads.first]));
        true
    }

    /// Whether the word of the second load may change between the two.
    fn may_change(&self, between: Range<usize>, loads: &Loads) -> bool {
        let outside = |k: usize| self.op(k).code.row().unit == Unit::Dma;
        let word = Memory::word(loads.second, loads.set, loads.at);
        between.clone().any(outside)
            || self
                .stores
                .iter()
                .any(|store| between.contains(&store.op) && store.may_meet(&word, &self.done.work))
    }

    // ---- moves

    fn shuffle(&mut self, moves: Moves) -> bool {
        let next = self.done.work.region.next.clone();
        let done = match moves {
            Moves::Transpose(at) => self.transpose(at),
            Moves::Two(first, second) => self.two_moves(first, second),
        };
        if done.is_none() {
            self.done.work.region.to_mut().next = next;
        }
        done.is_some()
    }

    /// Returns the `psprmsgn` for a transfer: two destinations, two sources, and for each destination the words for its low
    /// and its high half, as source and half.
    fn permute(
        &mut self,
        to: [Reg; 2],
        from: [Reg; 2],
        words: [[(usize, i32); 2]; 2],
    ) -> Option<LinearInst> {
        let from_turned = self.neighbours(from[0], from[1])?;
        let to_turned = self.neighbours(to[0], to[1])?;
        let number =
            |(source, half): (usize, i32)| 2 * i32::from((source == 1) != from_turned) + half;
        let [a, b] = words.map(|halves| halves.map(number));
        let ([[l0, h0], [l1, h1]], to) = if to_turned { ([b, a], to[1]) } else { ([a, b], to[0]) };
        let from = if from_turned { from[1] } else { from[0] };
        let values = [to.0 as i32, from.0 as i32, l0, h0, l1, h1];
        Some(LinearInst::Exch(Inst::new(Exch::Psprmsgn0, &values)))
    }

    fn transpose(&mut self, at: usize) -> Option<()> {
        let LinearInst::Arith(inst) = self.op(at).code else { return None };
        let [d, s, t, q, ..] = inst.values.map(|v| Reg(v as u32));
        let code = self.permute([d, q], [s, t], [[(1, 1), (0, 1)], [(1, 0), (0, 0)]])?;
        self.set(at, code);
        Some(())
    }

    fn two_moves(&mut self, first: usize, second: usize) -> Option<()> {
        let (x, y) = (self.op(first), self.op(second));
        let (LinearInst::Arith(a), LinearInst::Arith(b)) = (x.code, y.code) else { return None };
        let is_move = |op: Arith| matches!(op, Arith::Copy | Arith::Swaphl);
        if !is_move(a.op) || !is_move(b.op) || x.cc != y.cc {
            return None;
        }
        let [(to_a, from_a), (to_b, from_b)] =
            [a, b].map(|i| (Reg(i.values[0] as u32), Reg(i.values[1] as u32)));
        let between = first + 1..second;
        if to_a == to_b || x.cc != 0 && between.clone().any(|k| self.sets_conditions(k)) {
            return None;
        }
        let early =
            !self.is_touched(between.clone(), to_b) && !self.is_written(first..second, from_b);
        let late = !self.is_touched(between.clone(), to_a)
            && !self.is_written(between, from_a)
            && from_b != to_a;
        if !early && !late {
            return None;
        }
        let halves = |source: usize, op: Arith| {
            let swapped = i32::from(op == Arith::Swaphl);
            [(source, swapped), (source, 1 - swapped)]
        };
        let words = [halves(0, a.op), halves(1, b.op)];
        let code = self.permute([to_a, to_b], [from_a, from_b], words)?;
        let (here, gone) = if early { (first, second) } else { (second, first) };
        self.set(here, code);
        self.set(gone, LinearInst::Exch(Inst::new(Exch::Nop, &[])));
        self.done.merged.push((self.ops[gone], self.ops[here]));
        Some(())
    }

    fn sets_conditions(&self, k: usize) -> bool {
        let row = self.op(k).code.row();
        let creg = row.operands.iter().any(|o| o.kind == OperandKind::Creg && o.write);
        creg || matches!(self.op(k).code, LinearInst::Arith(inst) if inst.op == Arith::C)
    }
}
