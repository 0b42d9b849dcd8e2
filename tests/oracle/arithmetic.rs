//! The arithmetic half of a bundle: which registers it reads and writes and when. The values come
//! from `cp2_emu::arith`, one section at a time, those of the elementary functions from `elementary`.

use super::elementary;
use super::history::Moment;
use super::machine::{Machine, STAGE_1};
use super::rules::Rule;
use super::status::Effect;
use cp2_emu::arith::{self, Flags, Lane, LaneResult, Rounding};
use cp2_isa::{Arith, Bundle, SECTIONS, control};

const HI: u64 = 0xffff_ffff_0000_0000;
const LO: u64 = 0xffff_ffff;
/// Sticky flags of FCSR.
const STICKY: u64 = 0x3f << 2;
/// Sticky flags and cause of FCSR.
const FCSR_BITS: u64 = STICKY | 0x3f << 12;
/// CONTROL.I.
const INVERSE: u32 = 15;

/// Register fields of the word.
struct Fields {
    d: usize,
    s: usize,
    t: usize,
    q: usize,
}

impl Fields {
    fn of(word: u64, machine: &Machine<'_>) -> Self {
        let field = |lo: u32, upper| machine.register(word >> lo & 0x3f, upper);
        Self { d: field(50, 0), s: field(44, 2), t: field(38, 4), q: field(32, 6) }
    }
}

/// Whether an operation leaves FCSR alone (reference 4.2).
fn leaves_fcsr(op: Arith) -> bool {
    use Arith::*;
    matches!(
        op,
        Nop | C
            | Clear
            | Copy
            | Swaphl
            | Swap64
            | Section
            | Li3
            | Li2
            | Li1
            | Li0
            | Mfc
            | Mtc
            | Mtrans
            | Getcoeff
            | Add
            | Sub
            | Abs
            | Neg
            | Addi
            | Subi
            | Inci
            | Deci
            | And
            | Or
            | Xor
            | Not
            | Lshift
            | Lshifti
            | Ashift
            | Ashifti
            | Split8
            | Split16
            | Split32
            | Extsign8h
            | Extsign8w
            | Extsign16w
            | Join8
            | Join16
            | Join32
    )
}

fn rounding(control: u64) -> Rounding {
    [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down][(control & 3) as usize]
}

impl Machine<'_> {
    pub(super) fn arithmetic(&mut self, word: u64, bundle: &Bundle) {
        let op = bundle.arith.op;
        if op == Arith::Nop {
            return;
        }
        let enabled: [bool; SECTIONS] =
            std::array::from_fn(|s| op == Arith::Qsdot || self.predicate(word, s));
        if op == Arith::Amtsa {
            let (set, from) = ((word >> 50 & 15) as usize, Fields::of(word, self).s);
            for s in (0..SECTIONS).filter(|&s| enabled[s]) {
                let value = self.read_fpr(from, s) >> (32 * (word >> 32 & 1));
                self.write_own(set, s, value, 2);
            }
            return;
        }
        let mixed = enabled.contains(&true) && enabled.contains(&false);
        self.counted.met.note(Rule::MixedPredicate, mixed);
        let common = self.common_operands(op);
        let mut mtc_flags = 0;
        for s in (0..SECTIONS).filter(|&s| enabled[s]) {
            let lane = self.lane(word, s, common);
            let outcome = self.outcome(word, bundle, &lane);
            self.counted.stats.flops[s] += u64::from(op.row().flops);
            self.write_fprs(word, op, s, &outcome);
            self.write_conditions(word, op, s, &outcome);
            self.move_creg(word, op, s, lane.d);
            mtc_flags |= lane.d >> 2 & 0x3f;
        }
        if op == Arith::Mtc && word >> 32 & 15 == 0 {
            self.counted.met.note(Rule::MtcDisabled, enabled == [false; SECTIONS]);
            self.change_fpe(self.times.condition, Effect::Mtc(mtc_flags));
        }
        if matches!(op, Arith::Cbutterfly | Arith::Getcoeff) {
            self.step_rind();
        }
    }

    /// Computes the operation in one section.
    fn outcome(&mut self, word: u64, bundle: &Bundle, lane: &Lane) -> LaneResult {
        let rounding = match lane.rounding {
            Rounding::Nearest => elementary::Rounding::Nearest,
            Rounding::Zero => elementary::Rounding::Zero,
            Rounding::Up => elementary::Rounding::Up,
            Rounding::Down => elementary::Rounding::Down,
        };
        let selector = (word >> 32 & 3) as u8;
        let with = elementary::Operands { d: lane.d, s: lane.s, selector, rounding };
        let op = bundle.arith.op;
        let Some(computed) = elementary::execute(op, &with) else {
            return arith::execute(&bundle.arith, lane);
        };
        let outside = computed.flags & elementary::flag::V != 0;
        self.counted.met.functions[op as usize][usize::from(outside)] += 1;
        let flags = Flags::from_bits_truncate(computed.flags);
        LaneResult { d: computed.d, q: computed.q, flags, ..LaneResult::default() }
    }

    /// Returns the operands that all sections share: the rounding mode and the coefficient.
    fn common_operands(&self, op: Arith) -> Lane {
        let read =
            |number: u8| self.scalars.control[usize::from(number)].start_of(self.cycle + STAGE_1);
        let mode = read(control::CONTROL);
        let coefficient = match op {
            Arith::Cbutterfly | Arith::Getcoeff => {
                arith::coefficient(read(control::RIND) as u16, mode >> INVERSE & 1 == 1)
            }
            _ => 0,
        };
        Lane { rounding: rounding(mode), coefficient, ..Lane::default() }
    }

    fn lane(&mut self, word: u64, s: usize, common: Lane) -> Lane {
        let f = Fields::of(word, self);
        Lane {
            d: self.read_fpr(f.d, s),
            s: self.read_fpr(f.s, s),
            t: self.read_fpr(f.t, s),
            s_next: self.read_fpr(f.s + 1, s),
            t_next: self.read_fpr(f.t + 1, s),
            section: s as u8,
            ..common
        }
    }

    fn write_fprs(&mut self, word: u64, op: Arith, s: usize, outcome: &LaneResult) {
        use Arith::*;
        let f = Fields::of(word, self);
        let mut write = |number: usize, keep: u64, value: u64| {
            let write = self.arithmetic_write(self.times.arithmetic, keep, value & !keep);
            self.fpr[number][s].push(write);
        };
        match op {
            Nop | C | Mfc | Mtc => {}
            Clear | Swap64 | Cbutterfly | Cbutterfly2 | Unpck16wstops => {
                write(f.d, 0, outcome.d);
                write(f.s, 0, outcome.s);
            }
            Caddsub | Psaddsub | Mtrans | Rrlog2 => {
                write(f.d, 0, outcome.d);
                write(f.q, 0, outcome.q);
            }
            Mvmul | Mtvmul => write(f.q, 0, outcome.q),
            Recip | Sinc | Atanc | Log2c | Exp2 | Rsqrt => {
                let keep = if word >> 33 & 1 == 1 { LO } else { HI };
                write(f.d, keep, outcome.d);
            }
            _ => write(f.d, 0, outcome.d),
        }
    }

    /// Writes FCCR or FCSR: comparisons write FCCR; most other operations replace the cause and add to the flags: in FCSR
    /// when they land, in STATUS at once.
    fn write_conditions(&mut self, word: u64, op: Arith, s: usize, outcome: &LaneResult) {
        if op == Arith::C {
            let first = word >> 50 & 7;
            let codes = if word >> 54 & 1 == 1 { 2 } else { 1 };
            for (cc, &condition) in (first..).zip(&outcome.conditions[..codes]) {
                self.write_condition(s, cc, condition);
            }
        }
        if !leaves_fcsr(op) {
            let flags = u64::from(outcome.flags.bits());
            let write =
                self.arithmetic_write(self.times.condition, STICKY, flags << 2 | flags << 12);
            let behind_mtc = self.flags.fcsr[s].replacement_is_pending(self.cycle + STAGE_1);
            self.counted.met.note(Rule::FlagsBehindMtc, flags != 0 && behind_mtc);
            self.flags.fcsr[s].push(write);
            self.change_fpe(STAGE_1, Effect::Flags(flags));
        }
    }

    fn write_condition(&mut self, s: usize, cc: u64, condition: bool) {
        if cc != 0 {
            let write =
                self.arithmetic_write(self.times.condition, !(1 << cc), u64::from(condition) << cc);
            self.flags.fccr[s].push(write);
        }
    }

    /// Adds an event of the arithmetic half to STATUS, `delay` cycles after the issue.
    fn change_fpe(&mut self, delay: i64, effect: Effect) {
        self.flags.status.push(self.cycle + delay, self.order(0), effect);
    }

    /// Moves between an FPR and FCCR or FCSR: `mfc` and `mtc`.
    fn move_creg(&mut self, word: u64, op: Arith, s: usize, value: u64) {
        let is_fccr = word >> 32 & 15 == 1;
        let creg = if is_fccr { &mut self.flags.fccr[s] } else { &mut self.flags.fcsr[s] };
        if op == Arith::Mfc {
            let cycle = self.cycle + STAGE_1;
            self.counted.met.note(Rule::OldCondition, creg.is_pending(cycle));
            self.counted.met.note(Rule::MfcBeforeMtc, creg.replacement_is_pending(cycle));
            let low = creg.start_of(cycle);
            let write = self.arithmetic_write(self.times.arithmetic, 0, low);
            let d = Fields::of(word, self).d;
            self.fpr[d][s].push(write);
        } else if op == Arith::Mtc {
            let value = if is_fccr { value & 0xff | 1 } else { value & FCSR_BITS };
            let write = self.arithmetic_write(self.times.condition, 0, value);
            let creg = if is_fccr { &mut self.flags.fccr[s] } else { &mut self.flags.fcsr[s] };
            creg.push(write);
        }
    }

    fn step_rind(&mut self) {
        let read =
            |number: u8| self.scalars.control[usize::from(number)].start_of(self.cycle + STAGE_1);
        let (rind, step, mask) = (read(control::RIND), read(control::RSTEP), read(control::RMASK));
        let next = (rind + step) & mask | rind & !mask;
        let mut write = self.arithmetic_write(STAGE_1, 0, next & 0xffff);
        write.moment = Moment::Within;
        self.scalars.control[usize::from(control::RIND)].push(write);
    }
}
