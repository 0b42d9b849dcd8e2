//! Angle and general registers of a block: a value that is known needs no code until the block ends.

use super::block::{BlockTranslator, Old};
use crate::abi::context::{GPR, GPR_OLD, GPR_SCRATCH, RMASK};
use crate::abi::tables;
use crate::analysis::speculation::Scalar;
use crate::front_end::shape::PipelineState;
use crate::ir::instruction::{Base, Value};
use crate::ir::scalar::{EAX, ECX, built};
use cp2_isa::rules::angle;
use iced_x86::{Code, Instruction, Register};

impl BlockTranslator {
    /// Returns the coefficient at RIND as a pair of values: its real part, and its imaginary part.
    pub(super) fn coefficient(&mut self) -> [Value; 2] {
        if let Some(rind) = self.scalars.granted(Scalar::Rind) {
            let table = tables::coefficients(self.environment.inverse);
            let pair = table[rind as usize & 0xffff].map(|word| self.b.constant(word));
            pair.into_iter().for_each(|v| self.b.set_clean(v));
            return pair;
        }
        self.needs.reads_coefficients = true;
        self.b.raw(built(Instruction::with2(Code::Movzx_r32_rm16, EAX, Register::R8W)));
        self.b.op32(Code::Add_r32_rm32, EAX, EAX);
        let pair = [self.b.broadcast(Base::Table, 0), self.b.broadcast(Base::Table, 8)];
        pair.into_iter().for_each(|v| self.b.set_clean(v));
        pair
    }

    pub(super) fn step_angle(&mut self) {
        let angle = self.scalars.granted(Scalar::Rind);
        let step = angle.and_then(|_| self.scalars.granted(Scalar::Rstep));
        let mask = step.and_then(|_| self.angle_mask());
        if let (Some(angle), Some(step), Some(mask)) = (angle, step, mask) {
            let next = angle::stepped(angle as u16, step as u16, mask as u16);
            return self.scalars.set(Scalar::Rind, next.into());
        }
        self.keep_angle();
        self.scalars.lose(Scalar::Rind);
        let (rind, rstep) = (Register::R8D, Register::R9D);
        if self.environment.full_mask {
            return self.b.op32(Code::Add_r32_rm32, rind, rstep);
        }
        self.b.load32(ECX, RMASK);
        self.b.copy32(EAX, rind);
        self.b.op32(Code::Add_r32_rm32, EAX, rstep);
        self.b.op32(Code::And_r32_rm32, EAX, ECX);
        self.b.raw(built(Instruction::with3(Code::VEX_Andn_r32_r32_rm32, rind, ECX, rind)));
        self.b.op32(Code::Or_r32_rm32, rind, EAX);
    }

    pub(super) fn angle_mask(&mut self) -> Option<u64> {
        if self.environment.full_mask {
            return Some(0xffff);
        }
        self.scalars.granted(Scalar::Rmask)
    }

    /// Brings angle and step into their registers.
    pub(super) fn keep_angle(&mut self) {
        for (scalar, register) in [(Scalar::Rind, Register::R8D), (Scalar::Rstep, Register::R9D)] {
            if let Some(value) = self.scalars.unkept(scalar) {
                self.b.set32(register, value as u32);
            }
        }
    }

    /// Keeps the value that a general register has before a write.
    pub(super) fn keep_gpr(&mut self, number: u8) {
        let old = match self.scalars.known(Scalar::Gpr(number)) {
            Some(value) => Old::Known(value),
            None => {
                self.b.load64(Register::RCX, gpr(number));
                self.b.store64(GPR_SCRATCH + 8 * (self.time & 3) as i32, Register::RCX);
                Old::Scratch
            }
        };
        self.gpr_writes.push((self.time, number, old));
    }

    /// Writes RAX to a general register.
    pub(crate) fn write_gpr(&mut self, number: u8) {
        self.keep_gpr(number);
        self.b.store64(gpr(number), Register::RAX);
        self.scalars.lose(Scalar::Gpr(number));
    }

    /// Writes a value to a general register.
    pub(crate) fn set_gpr(&mut self, number: u8, value: u64) {
        self.keep_gpr(number);
        self.scalars.set(Scalar::Gpr(number), value);
    }

    /// Brings all scalar registers to where they are kept, and the old values of the general registers that the last two
    /// cycles have written to where the next block looks. Returns the numbers of the latter, the last first.
    pub(super) fn settle_scalars(&mut self, entry: &PipelineState) -> [Option<u8>; 2] {
        let written = self.settle_old_gprs(entry);
        for number in 0..16 {
            if let Some(value) = self.scalars.unkept(Scalar::Gpr(number)) {
                self.b.set64(Register::RCX, value);
                self.b.store64(gpr(number), Register::RCX);
            }
        }
        self.keep_angle();
        written
    }

    pub(super) fn settle_old_gprs(&mut self, entry: &PipelineState) -> [Option<u8>; 2] {
        let mut written = [None; 2];
        for age in [2, 1] {
            let canonical = GPR_OLD + 8 * (age as i32 - 1);
            if let Some(time) = self.time.checked_sub(age) {
                let found = self.gpr_writes.iter().find(|&&(t, ..)| t == time);
                if let Some(&(_, number, old)) = found {
                    match old {
                        Old::Known(value) => self.b.set64(Register::RCX, value),
                        Old::Scratch => {
                            let scratch = GPR_SCRATCH + 8 * (time & 3) as i32;
                            self.b.load64(Register::RCX, scratch);
                        }
                    }
                    self.b.store64(canonical, Register::RCX);
                    written[age - 1] = Some(number);
                }
            } else if age == 2 && self.time == 1 {
                written[1] = entry.gpr_written[0];
                self.b.load64(Register::RCX, GPR_OLD);
                self.b.store64(canonical, Register::RCX);
            }
        }
        written
    }
}

/// Returns the place of a general register in the context.
fn gpr(number: u8) -> i32 {
    GPR + 8 * i32::from(number)
}
