//! Pieces of random programs in which rules of landing, flags and control registers come together. They
//! need no legality of flow but their own.

use super::super::build::{arithmetic, exch, exchange, register};
use super::generate::{SMALL_COUNT_GPR, Writer};
use super::operands::{self, ADDRESSES};
use cp2_isa::{Arith, Bundle, Exch, Inst, MoveReg, RegFile, control, encode};

fn gpr(number: usize) -> i32 {
    register(RegFile::Gpr, number as u8)
}

fn control_register(number: u8) -> i32 {
    MoveReg { file: RegFile::Control, number }.packed()
}

impl Writer {
    fn bundle(&mut self, bundle: &Bundle) {
        self.words.push(encode(bundle));
    }

    /// Writes bundles, some of which move registers of the control flow: for the surroundings of loop ends, jumps and calls.
    pub(super) fn near_flow(&mut self, n: usize) {
        for _ in 0..n {
            if self.dice.percent(35) {
                let exch = self.flow_move();
                self.control(exch.op, &exch.values);
            } else {
                self.fill(1);
            }
        }
    }

    fn flow_move(&mut self) -> Inst<Exch> {
        let read_only = [control::PC, control::PSP, control::LSP];
        let g = gpr(self.dice.below(4));
        let (to, from) = match self.dice.below(10) {
            0 => (control_register(control::LC), gpr(SMALL_COUNT_GPR as usize)),
            1 => (control_register(self.dice.pick(&read_only)), g),
            2..4 => (g, control_register(self.dice.pick(&read_only))),
            _ => (
                g,
                control_register(self.dice.pick(&[
                    control::LC,
                    control::LA,
                    control::LSP,
                    control::PC,
                ])),
            ),
        };
        exch(Exch::Move, &[to, from])
    }

    /// Writes an arithmetic result and a write of the exchange half that land in one cycle, and its readers.
    pub(super) fn landing(&mut self) {
        let (to, from) = (self.dice.below(4) as i32, self.dice.below(4) as i32);
        let half = self.dice.below(2) as i32;
        let mut first = match self.dice.below(4) {
            0 => arithmetic(Arith::Copy, &[to, from]),
            1 => arithmetic(Arith::Mfc, &[to, half]),
            2 => arithmetic(Arith::Psadd, &[to, from, from + 1]),
            _ => arithmetic(Arith::Exp2, &[2 * to + half, 2 * from + half]),
        };
        if self.dice.percent(25) {
            first.cc = self.dice.between(1, 7) as u8;
        }
        self.bundle(&first);
        self.fill(4);
        let address = self.dice.pick(&ADDRESSES) + self.dice.below(8) as i32;
        let second = match self.dice.below(6) {
            0..2 => exch(Exch::Lwi, &[to, address]),
            2 => exch(Exch::Ldi, &[to, address]),
            3 => exch(Exch::Ldi, &[to.max(1) - 1, address]),
            4 => exch(Exch::Mtfpr, &[to, from, 4]),
            _ => exch(Exch::Psprmsgn0, &[to, from, 0, 5, 2, 7]),
        };
        self.control(second.op, &second.values);
        let wait = self.dice.between(0, 3);
        self.fill(wait);
        self.control(Exch::Psprmsgn0, &[4 + from, to, 0, 1, 6, 3]);
        self.fill(1);
    }

    /// Writes `mtc`, `mfc`, operations that raise flags, and moves from and to STATUS and COMM.
    pub(super) fn flags(&mut self) {
        for _ in 0..self.dice.between(6, 14) {
            let f = self.dice.below(4) as i32;
            let mut bundle = match self.dice.below(100) {
                0..15 => arithmetic(Arith::Mtc, &[f, 0]),
                15..20 => arithmetic(Arith::Mtc, &[f, 1]),
                20..30 => arithmetic(Arith::Mfc, &[f, self.dice.below(2) as i32]),
                30..60 => Bundle { arith: operands::arithmetic(&mut self.dice), ..Bundle::NOP },
                _ => Bundle::NOP,
            };
            if self.dice.percent(20) {
                bundle.cc = self.dice.between(1, 7) as u8;
            }
            let g = gpr(self.dice.below(4));
            let [status, comm] = [control::STATUS, control::COMM].map(control_register);
            bundle.exch = match self.dice.below(100) {
                0..35 => exch(Exch::Move, &[g, status]),
                35..50 => exch(Exch::Move, &[status, g]),
                50..60 => exch(Exch::Move, &[comm, g]),
                60..70 => exch(Exch::Move, &[g, comm]),
                _ => Bundle::NOP.exch,
            };
            self.bundle(&bundle);
        }
    }

    /// Writes steps of RIND with moves from and to it and what steps it.
    pub(super) fn angles(&mut self) {
        for _ in 0..self.dice.between(2, 5) {
            let f = self.dice.below(4) as i32;
            let mut bundle = match self.dice.below(4) {
                0 => arithmetic(Arith::Getcoeff, &[f]),
                1..3 => arithmetic(Arith::Cbutterfly, &[f, f + 1]),
                _ => Bundle::NOP,
            };
            let angles = [control::RIND, control::RIND, control::RSTEP, control::RMASK];
            let (g, angle) = (gpr(self.dice.below(4)), control_register(self.dice.pick(&angles)));
            bundle.exch = match self.dice.below(5) {
                0..2 => exchange(Exch::Move, &[g, angle]).exch,
                2..4 => exchange(Exch::Move, &[angle, g]).exch,
                _ => Bundle::NOP.exch,
            };
            self.bundle(&bundle);
        }
    }
}
