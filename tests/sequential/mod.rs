//! Linear code by its sequential meaning, with real values: every operation is done before the next
//! begins. What operations compute in one section comes from `cp2_emu::arith`, as in the oracle;
//! everything else (operands, predicates, flags, addresses, memory, loops) is read from the
//! specification once more.

mod exchange;

use cp2_asm::linear::{Block, LinearInst, Reg, Region, TripCount};
use cp2_emu::State;
use cp2_emu::arith::{self, Lane, LaneResult, Rounding};
use cp2_emu::state::Quad;
use cp2_isa::{Arith, Core, Effects, Extensions, Inst, OperandKind, SECTIONS, fields};

/// Bits of a virtual register before its first write.
const NOTHING: u64 = 0x7fe1_dead_7fe1_dead;

/// Reason why a region has no meaning from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The count of a loop is not what the region promises.
    Count(u32),
    /// The region executes more operations than the limit.
    Long,
    /// Two address sets that are said to be disjoint reach one word.
    Overlap(u8, u8),
}

/// Interpreter that runs a region.
pub(crate) struct Sequential<'a> {
    region: &'a Region,
    state: &'a mut State,
    virtuals: Vec<Quad>,
    /// Number of operations that may still be executed.
    left: u64,
    /// Words reached by each address set, by immediate addresses, by addresses of single sections.
    words: Vec<Vec<u16>>,
    /// CONTROL.I is written by `move`.
    has_direction: bool,
}

/// Runs a region on a state, at most `limit` operations.
pub(crate) fn run(
    core: &Core,
    region: &Region,
    state: &mut State,
    limit: u64,
) -> Result<(), Broken> {
    let mut run = Sequential {
        region,
        state,
        virtuals: vec![[NOTHING; SECTIONS]; region.names.len()],
        left: limit,
        words: vec![Vec::new(); 18],
        has_direction: core.extensions().contains(Extensions::FFT_DIRECTION),
    };
    run.blocks(&region.blocks)?;
    run.promises()
}

impl Sequential<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> Result<(), Broken> {
        for block in blocks {
            match block {
                Block::Straight(range) => {
                    range.clone().try_for_each(|index| self.operation(index))?;
                }
                Block::Loop(inner) => {
                    let count = self.count(inner.count)?;
                    (0..count).try_for_each(|_| self.blocks(&inner.body))?;
                }
            }
        }
        Ok(())
    }

    fn count(&self, count: TripCount) -> Result<u32, Broken> {
        match count {
            TripCount::Fixed(count) => Ok(count),
            TripCount::Register { gpr, min, multiple, .. } => {
                let count = self.state.gpr[usize::from(gpr)] as u32;
                let kept = count >= min && count.is_multiple_of(multiple.max(1));
                if kept { Ok(count) } else { Err(Broken::Count(count)) }
            }
        }
    }

    /// Checks that no two sets that are said to be disjoint have met.
    fn promises(&mut self) -> Result<(), Broken> {
        for words in &mut self.words {
            words.sort_unstable();
            words.dedup();
        }
        for sets in &self.region.disjoint {
            for (k, &a) in sets.iter().enumerate() {
                for &b in sets[..k].iter().filter(|&&b| b != a) {
                    let other = &self.words[usize::from(b)];
                    if self.words[usize::from(a)].iter().any(|w| other.binary_search(w).is_ok()) {
                        return Err(Broken::Overlap(a, b));
                    }
                }
            }
        }
        Ok(())
    }

    fn operation(&mut self, index: usize) -> Result<(), Broken> {
        self.left = self.left.checked_sub(1).ok_or(Broken::Long)?;
        let op = &self.region.ops[index];
        match &op.code {
            LinearInst::Arith(inst) => self.arithmetic(inst, op.cc),
            LinearInst::Exch(inst) => self.exchange(inst, op.cc),
        }
        Ok(())
    }

    fn slot(&mut self, number: i32) -> &mut Quad {
        let reg = Reg(number as u32);
        match reg.virtual_index() {
            Some(v) => match self.region.assigned.get(&v) {
                Some(&n) => &mut self.state.fpr[usize::from(n)],
                None => &mut self.virtuals[v],
            },
            None => &mut self.state.fpr[reg.0 as usize],
        }
    }

    fn fpr(&mut self, number: i32) -> Quad {
        *self.slot(number)
    }

    /// Returns the number of the register after this one.
    fn after(&self, number: i32) -> i32 {
        self.region.next(Reg(number as u32)).map_or(number, |reg| reg.0 as i32)
    }

    /// Whether a section executes what the predicate rules.
    fn enabled(&self, cc: u8, section: usize) -> bool {
        cc == 0 || self.state.fccr[section] >> cc & 1 == 1
    }

    // ---- arithmetic operations

    fn arithmetic(&mut self, inst: &Inst<Arith>, cc: u8) {
        let predicated = inst.op != Arith::Qsdot;
        let enabled: Vec<usize> =
            (0..SECTIONS).filter(|&s| !predicated || self.enabled(cc, s)).collect();
        if inst.op == Arith::Amtsa {
            let [set, from, ..] = inst.values;
            return self.write_own(set, from, |s| enabled.contains(&s));
        }
        let lanes = self.lanes(inst);
        for &s in &enabled {
            let outcome = arith::execute(inst, &lanes[s]);
            self.write_fprs(inst, s, &outcome);
            self.conditions(inst, s, &outcome, &lanes[s]);
        }
        if matches!(inst.op, Arith::Cbutterfly | Arith::Getcoeff) {
            let State { rind, rstep, rmask, .. } = *self.state;
            self.state.rind = rind.wrapping_add(rstep) & rmask | rind & !rmask;
        }
    }

    /// Returns the operands in every section.
    fn lanes(&mut self, inst: &Inst<Arith>) -> [Lane; SECTIONS] {
        let control = self.state.control;
        let rounding = [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down]
            [(control & 3) as usize];
        let coefficient = arith::coefficient(self.state.rind, control >> 15 & 1 == 1);
        let common = Lane { rounding, coefficient, ..Lane::default() };
        let mut lanes: [Lane; SECTIONS] =
            std::array::from_fn(|s| Lane { section: s as u8, ..common });
        for (operand, &value) in inst.op.row().operands.iter().zip(&inst.values) {
            let (field, number, pair) = match operand.kind {
                OperandKind::Fpr(field) => (field, value, false),
                OperandKind::FprPair(field) => (field, value, true),
                OperandKind::FprHalf(field, _) => (field, value >> 1, false),
                _ => continue,
            };
            let first = self.fpr(number);
            let second = if pair { self.fpr(self.after(number)) } else { Quad::default() };
            for (s, lane) in lanes.iter_mut().enumerate() {
                match field {
                    fields::FD => lane.d = first[s],
                    fields::FS => (lane.s, lane.s_next) = (first[s], second[s]),
                    fields::FT => (lane.t, lane.t_next) = (first[s], second[s]),
                    _ => {}
                }
            }
        }
        lanes
    }

    fn write_fprs(&mut self, inst: &Inst<Arith>, s: usize, outcome: &LaneResult) {
        if matches!(inst.op, Arith::Mfc) {
            let value =
                if inst.values[1] == 1 { self.state.fccr[s].into() } else { self.state.fcsr[s] };
            self.slot(inst.values[0])[s] = value.into();
            return;
        }
        for (operand, &value) in inst.op.row().operands.iter().zip(&inst.values) {
            match operand.kind {
                _ if !operand.write => {}
                OperandKind::Fpr(fields::FD) => self.slot(value)[s] = outcome.d,
                OperandKind::Fpr(fields::FS) => self.slot(value)[s] = outcome.s,
                OperandKind::Fpr(_) => self.slot(value)[s] = outcome.q,
                OperandKind::FprHalf(..) => {
                    let mask = 0xffff_ffff << (32 * (value & 1));
                    let register = &mut self.slot(value >> 1)[s];
                    *register = *register & !mask | outcome.d & mask;
                }
                _ => {}
            }
        }
    }

    /// Writes FCCR and FCSR.
    fn conditions(&mut self, inst: &Inst<Arith>, s: usize, outcome: &LaneResult, lane: &Lane) {
        if inst.op == Arith::C {
            let codes = if inst.values[1] >= 2 { 2 } else { 1 };
            for (k, &holds) in outcome.conditions[..codes].iter().enumerate() {
                let bit = 1u8 << (inst.values[2] as usize + k);
                let fccr = &mut self.state.fccr[s];
                *fccr = *fccr & !bit | if holds { bit } else { 0 } | 1;
            }
        }
        if inst.op == Arith::Mtc {
            match inst.values[1] {
                1 => self.state.fccr[s] = lane.d as u8 | 1,
                _ => {
                    self.state.fcsr[s] = lane.d as u32 & 0x0003_f0fc;
                    self.state.status |= (lane.d >> 2 & 0x3f) << 16;
                }
            }
        }
        if inst.op.row().effects.contains(Effects::FLAGS) {
            let flags = u32::from(outcome.flags.bits());
            let fcsr = &mut self.state.fcsr[s];
            *fcsr = *fcsr & 0xfc | flags << 2 | flags << 12;
            self.state.status |= u64::from(flags) << 16;
        }
    }
}
