//! Integer operations in instructions of the native machine.

use super::assembler::{guest, is_low, low};
use super::state::held;
use super::translate::{Source, Translation};
use crate::engine::block::Role;
use crate::engine::operation::Operation;
use crate::isa::Operation as Op;
use crate::registers::{HI, LO};
use Register::{EAX, ECX, EDX, RAX, RCX, RDX};
use iced_x86::{Code, MemoryOperand, Register};

/// Codes of an operation on two registers, and on a register and memory.
type Pair = (Code, Code);

const ADD: Pair = (Code::Add_r64_rm64, Code::Add_r32_rm32);
const SUB: Pair = (Code::Sub_r64_rm64, Code::Sub_r32_rm32);
const AND: Pair = (Code::And_r64_rm64, Code::And_r32_rm32);
const OR: Pair = (Code::Or_r64_rm64, Code::Or_r32_rm32);
const XOR: Pair = (Code::Xor_r64_rm64, Code::Xor_r32_rm32);

impl Translation<'_> {
    /// Translates an operation on general registers; false if it is none, or one that is left to its handler.
    pub(super) fn integer(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        self.sums(index, op, kind)
            || self.shifts(op, kind)
            || self.products(index, op, kind)
            || self.moves(index, op, kind)
    }

    fn sums(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        match kind {
            Op::Addu => self.word_of_two(op, ADD.1),
            Op::Subu => self.word_of_two(op, SUB.1),
            Op::Daddu if op.a == 0 => self.copy(op.d, op.b),
            Op::Daddu | Op::Or if op.b == 0 => self.copy(op.d, op.a),
            Op::Or if op.a == 0 => self.copy(op.d, op.b),
            Op::Dsubu if op.b == 0 => self.copy(op.d, op.a),
            Op::Daddu => self.of_two(op, ADD.0, true),
            Op::Dsubu => self.of_two(op, SUB.0, false),
            Op::And => self.of_two(op, AND.0, true),
            Op::Or => self.of_two(op, OR.0, true),
            Op::Xor => self.of_two(op, XOR.0, true),
            Op::Nor => {
                self.read_to(RAX, op.a);
                self.apply(OR.0, RAX, op.b);
                self.out.one(Code::Not_rm64, RAX);
                self.write(op.d, RAX);
            }
            Op::Addiu if op.a == 0 => self.set_constant(op.d, op.imm()),
            Op::Daddiu if op.a == 0 => self.set_constant(op.d, op.imm()),
            Op::Addiu if op.imm == 0 => self.word(op),
            Op::Addiu => {
                let a = self.read(op.a, RAX);
                self.out.load(Code::Lea_r32_m, EAX, displaced(a, op.imm));
                self.write_word(op.d, RAX);
            }
            Op::Daddiu => self.sum_with_immediate(op),
            Op::Andi => {
                self.read_low_to(RAX, op.a);
                self.out.immediate(Code::And_rm32_imm32, EAX, op.imm);
                self.write(op.d, RAX);
            }
            Op::Ori if op.a == 0 => self.set_constant(op.d, op.imm()),
            Op::Ori => self.with_immediate(op, Code::Or_rm64_imm32),
            Op::Xori => self.with_immediate(op, Code::Xor_rm64_imm32),
            Op::Lui => self.set_constant(op.d, op.imm()),
            Op::Slt | Op::Sltu => {
                let set = if kind == Op::Slt { Code::Setl_rm8 } else { Code::Setb_rm8 };
                self.compare_values(op.a, op.b);
                self.set_if(op.d, set);
            }
            Op::Slti | Op::Sltiu => {
                let set = if kind == Op::Slti { Code::Setl_rm8 } else { Code::Setb_rm8 };
                let a = self.read(op.a, RAX);
                self.out.immediate(Code::Cmp_rm64_imm32, a, op.imm);
                self.set_if(op.d, set);
            }
            Op::Add | Op::Addi | Op::Sub => self.word_that_traps(index, op, kind),
            _ => return false,
        }
        true
    }

    /// Compares two registers of the guest, of which the second may be 0 without an unsigned meaning of the test.
    fn compare_values(&mut self, a: u8, b: u8) {
        let a = self.read(a, RAX);
        match Self::source(b) {
            Source::Register(b) => self.out.two(Code::Cmp_r64_rm64, a, b),
            Source::Memory(b) => self.out.load(Code::Cmp_r64_rm64, a, b),
            Source::Zero => self.out.immediate(Code::Cmp_rm64_imm8, a, 0),
        }
    }

    /// Applies an operation to a register of the native machine and a register of the guest.
    fn apply(&mut self, code: Code, to: Register, b: u8) {
        match Self::source(b) {
            Source::Register(b) => {
                let b = if is_low(to) { low(b) } else { b };
                self.out.two(code, to, b);
            }
            Source::Memory(b) => self.out.load(code, to, b),
            Source::Zero => {
                self.out.constant(RCX, 0);
                self.out.two(code, to, if is_low(to) { ECX } else { RCX });
            }
        }
    }

    fn of_two(&mut self, op: &Operation, code: Code, is_commutative: bool) {
        match held(op.d) {
            Some(d) if op.d == op.a => self.apply(code, d, op.b),
            Some(d) if op.d == op.b && is_commutative => self.apply(code, d, op.a),
            Some(d) if op.d != op.b => {
                self.read_to(d, op.a);
                self.apply(code, d, op.b);
            }
            _ => {
                self.read_to(RAX, op.a);
                self.apply(code, RAX, op.b);
                self.write(op.d, RAX);
            }
        }
    }

    fn word_of_two(&mut self, op: &Operation, code: Code) {
        if op.b == 0 {
            return self.word(op);
        }
        self.read_low_to(RAX, op.a);
        self.apply(code, EAX, op.b);
        self.write_word(op.d, RAX);
    }

    /// Writes the lower half of `a`, sign-extended.
    fn word(&mut self, op: &Operation) {
        match (held(op.d), Self::source(op.a)) {
            (Some(d), Source::Memory(a)) => self.out.load(Code::Movsxd_r64_rm32, d, a),
            _ => {
                let a = self.read(op.a, RAX);
                match held(op.d) {
                    Some(d) => self.out.two(Code::Movsxd_r64_rm32, d, low(a)),
                    None => {
                        self.out.two(Code::Movsxd_r64_rm32, RAX, low(a));
                        self.write(op.d, RAX);
                    }
                }
            }
        }
    }

    fn sum_with_immediate(&mut self, op: &Operation) {
        match held(op.d) {
            Some(d) if op.d == op.a => self.out.immediate(Code::Add_rm64_imm32, d, op.imm),
            None if op.d == op.a => {
                self.out.store_immediate(Code::Add_rm64_imm32, guest(op.d), op.imm);
            }
            d => {
                let a = self.read(op.a, RAX);
                let to = d.unwrap_or(RAX);
                self.out.load(Code::Lea_r64_m, to, displaced(a, op.imm));
                self.write(op.d, to);
            }
        }
    }

    fn with_immediate(&mut self, op: &Operation, code: Code) {
        let to = held(op.d).unwrap_or(RAX);
        self.read_to(to, op.a);
        self.out.immediate(code, to, op.imm);
        self.write(op.d, to);
    }

    fn word_that_traps(&mut self, index: usize, op: &Operation, kind: Op) {
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        self.read_low_to(RAX, op.a);
        match kind {
            Op::Addi => self.out.immediate(Code::Add_rm32_imm32, EAX, op.imm),
            Op::Add => self.apply(ADD.1, EAX, op.b),
            _ => self.apply(SUB.1, EAX, op.b),
        }
        self.out.jump(Code::Jo_rel32_64, rare);
        self.write_word(op.d, RAX);
        self.out.bind(back);
    }

    fn shifts(&mut self, op: &Operation, kind: Op) -> bool {
        match kind {
            Op::Sll if op.imm == 0 => self.word(op),
            Op::Sll => self.shift_word(op, Code::Shl_rm32_imm8),
            Op::Srl => self.shift_word(op, Code::Shr_rm32_imm8),
            Op::Sra => self.shift_word(op, Code::Sar_rm32_imm8),
            Op::Rotr => self.shift_word(op, Code::Ror_rm32_imm8),
            Op::Dsll | Op::Dsll32 => self.shift(op, Code::Shl_rm64_imm8),
            Op::Dsrl | Op::Dsrl32 => self.shift(op, Code::Shr_rm64_imm8),
            Op::Dsra | Op::Dsra32 => self.shift(op, Code::Sar_rm64_imm8),
            Op::Drotr | Op::Drotr32 => self.shift(op, Code::Ror_rm64_imm8),
            Op::Sllv => self.shift_word_by(op, Code::VEX_Shlx_r32_rm32_r32),
            Op::Srlv => self.shift_word_by(op, Code::VEX_Shrx_r32_rm32_r32),
            Op::Srav => self.shift_word_by(op, Code::VEX_Sarx_r32_rm32_r32),
            Op::Dsllv => self.shift_by(op, Code::VEX_Shlx_r64_rm64_r64),
            Op::Dsrlv => self.shift_by(op, Code::VEX_Shrx_r64_rm64_r64),
            Op::Dsrav => self.shift_by(op, Code::VEX_Sarx_r64_rm64_r64),
            Op::Ext => {
                self.field(op);
                self.write_word(op.d, RAX);
            }
            Op::Dext | Op::Dextm | Op::Dextu => {
                self.field(op);
                self.write(op.d, RAX);
            }
            Op::Ins | Op::Dins | Op::Dinsm | Op::Dinsu => self.insert(op, kind == Op::Ins),
            _ => return false,
        }
        true
    }

    fn shift_word(&mut self, op: &Operation, code: Code) {
        self.read_low_to(RAX, op.a);
        self.out.two_shift(code, EAX, op.imm as u32);
        self.write_word(op.d, RAX);
    }

    fn shift(&mut self, op: &Operation, code: Code) {
        let to = held(op.d).unwrap_or(RAX);
        self.read_to(to, op.a);
        if op.imm != 0 {
            self.out.two_shift(code, to, op.imm as u32);
        }
        self.write(op.d, to);
    }

    fn shift_word_by(&mut self, op: &Operation, code: Code) {
        let a = self.read(op.a, RAX);
        let b = self.read(op.b, RCX);
        self.out.three(code, [EAX, low(a), low(b)]);
        self.write_word(op.d, RAX);
    }

    fn shift_by(&mut self, op: &Operation, code: Code) {
        let a = self.read(op.a, RAX);
        let b = self.read(op.b, RCX);
        let to = held(op.d).unwrap_or(RAX);
        self.out.three(code, [to, a, b]);
        self.write(op.d, to);
    }

    /// Writes a field of `a` to RAX, from bit `c` on and as many bits as the immediate says.
    fn field(&mut self, op: &Operation) {
        let size = op.imm as u32;
        self.read_to(RAX, op.a);
        let above = 64 - u32::from(op.c) - size;
        if above > 0 {
            self.out.two_shift(Code::Shl_rm64_imm8, RAX, above);
        }
        if size < 64 {
            self.out.two_shift(Code::Shr_rm64_imm8, RAX, 64 - size);
        }
    }

    fn insert(&mut self, op: &Operation, is_word: bool) {
        let mask = u64::MAX >> (64 - op.imm) << op.c;
        self.read_to(RAX, op.a);
        if op.c > 0 {
            self.out.two_shift(Code::Shl_rm64_imm8, RAX, op.c.into());
        }
        self.out.constant(RCX, mask);
        self.out.two(AND.0, RAX, RCX);
        self.out.one(Code::Not_rm64, RCX);
        self.apply(AND.0, RCX, op.b);
        self.out.two(OR.0, RAX, RCX);
        if is_word {
            self.write_word(op.d, RAX);
        } else {
            self.write(op.d, RAX);
        }
    }

    fn products(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        match kind {
            Op::Mul => {
                self.read_low_to(RAX, op.a);
                self.apply(Code::Imul_r32_rm32, EAX, op.b);
                self.write_word(op.d, RAX);
            }
            Op::Mult => {
                let (a, b) = (self.read(op.a, RAX), self.read(op.b, RCX));
                self.out.two(Code::Movsxd_r64_rm32, RAX, low(a));
                self.out.two(Code::Movsxd_r64_rm32, RCX, low(b));
                self.halves();
            }
            Op::Multu => {
                self.read_low_to(RAX, op.a);
                self.read_low_to(RCX, op.b);
                self.halves();
            }
            Op::Dmult | Op::Dmultu => {
                self.read_to(RAX, op.a);
                let b = self.read(op.b, RCX);
                let is_signed = kind == Op::Dmult;
                self.out.one(if is_signed { Code::Imul_rm64 } else { Code::Mul_rm64 }, b);
                self.write(LO, RAX);
                self.write(HI, RDX);
            }
            Op::Div | Op::Divu | Op::Ddiv | Op::Ddivu => self.quotient(index, op, kind),
            _ => return false,
        }
        true
    }

    /// Writes the product of RAX and RCX to HI and LO, a word each.
    fn halves(&mut self) {
        self.out.two(Code::Imul_r64_rm64, RAX, RCX);
        self.out.two(Code::Movsxd_r64_rm32, RCX, EAX);
        self.write(LO, RCX);
        self.out.two_shift(Code::Sar_rm64_imm8, RAX, 32);
        self.write(HI, RAX);
    }

    fn quotient(&mut self, index: usize, op: &Operation, kind: Op) {
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        let is_word = matches!(kind, Op::Div | Op::Divu);
        let is_signed = matches!(kind, Op::Div | Op::Ddiv);
        self.read_to(RCX, op.b);
        // Divisors 0 and -1 are the handler's.
        if is_signed {
            self.out.load(Code::Lea_r64_m, RDX, displaced(RCX, 1));
            if is_word {
                self.out.immediate(Code::Cmp_rm32_imm8, EDX, 1);
            } else {
                self.out.immediate(Code::Cmp_rm64_imm8, RDX, 1);
            }
            self.out.jump(Code::Jbe_rel32_64, rare);
        } else {
            let (code, register) =
                if is_word { (Code::Test_rm32_r32, ECX) } else { (Code::Test_rm64_r64, RCX) };
            self.out.two(code, register, register);
            self.out.jump(Code::Je_rel32_64, rare);
        }
        self.read_to(RAX, op.a);
        match (is_word, is_signed) {
            (true, true) => self.out.plain(Code::Cdq),
            (false, true) => self.out.plain(Code::Cqo),
            _ => self.out.constant(RDX, 0),
        }
        let (code, divisor) = match kind {
            Op::Div => (Code::Idiv_rm32, ECX),
            Op::Divu => (Code::Div_rm32, ECX),
            Op::Ddiv => (Code::Idiv_rm64, RCX),
            _ => (Code::Div_rm64, RCX),
        };
        self.out.one(code, divisor);
        if is_word {
            self.write_word(LO, RAX);
            self.write_word(HI, RDX);
        } else {
            self.write(LO, RAX);
            self.write(HI, RDX);
        }
        self.out.bind(back);
    }

    fn moves(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        match kind {
            Op::Movz | Op::Movf | Op::MovzD | Op::MovfD => {
                self.move_if(op, Code::Cmove_r64_rm64);
            }
            Op::Movn | Op::Movt | Op::MovnD | Op::MovtD => {
                self.move_if(op, Code::Cmovne_r64_rm64);
            }
            Op::Mthi | Op::Mtlo | Op::Mfhi | Op::Mflo | Op::Dmfc1 | Op::Dmtc1 | Op::MovD => {
                self.copy(op.d, op.a);
            }
            Op::Seb => self.extend(op, Code::Movsx_r64_rm8),
            Op::Seh => self.extend(op, Code::Movsx_r64_rm16),
            Op::Clz | Op::Dclz => {
                let is_word = kind == Op::Clz;
                let a = self.read(op.a, RAX);
                if is_word {
                    self.out.two(Code::Lzcnt_r32_rm32, EAX, low(a));
                } else {
                    self.out.two(Code::Lzcnt_r64_rm64, RAX, a);
                }
                self.write(op.d, RAX);
            }
            Op::Wsbh => {
                self.read_low_to(RAX, op.a);
                self.out.one(Code::Bswap_r32, EAX);
                self.out.two_shift(Code::Rol_rm32_imm8, EAX, 16);
                self.write_word(op.d, RAX);
            }
            Op::Dshd | Op::Dsbh => {
                self.read_to(RAX, op.a);
                if kind == Op::Dsbh {
                    self.out.one(Code::Bswap_r64, RAX);
                }
                self.reverse_halves();
                self.write(op.d, RAX);
            }
            Op::Teq | Op::Tne | Op::Tge | Op::Tgeu | Op::Tlt | Op::Tltu => {
                let jump = match kind {
                    Op::Teq => Code::Je_rel32_64,
                    Op::Tne => Code::Jne_rel32_64,
                    Op::Tge => Code::Jge_rel32_64,
                    Op::Tgeu => Code::Jae_rel32_64,
                    Op::Tlt => Code::Jl_rel32_64,
                    _ => Code::Jb_rel32_64,
                };
                let back = self.out.label();
                let rare = self.by_handler(index, back);
                self.compare_values(op.a, op.b);
                self.out.jump(jump, rare);
                self.out.bind(back);
            }
            _ => return false,
        }
        true
    }

    /// Translates the two operations that reverse the bytes of a doubleword; false if the operation and the next are none.
    pub(super) fn swap(&mut self, index: usize) -> bool {
        let of = |at: usize| {
            let role = self.block.origins.get(at)?.role;
            Some((role, self.block.operations[at]))
        };
        let (Some((first, a)), Some((second, b))) = (of(index), of(index + 1)) else {
            return false;
        };
        let is_swap = matches!(
            (first, second),
            (Role::Effect(Op::Dsbh), Role::Effect(Op::Dshd))
                | (Role::Effect(Op::Dshd), Role::Effect(Op::Dsbh))
        );
        if !is_swap || a.d != b.a || a.d != b.d {
            return false;
        }
        let to = held(b.d).unwrap_or(RAX);
        self.read_to(to, a.a);
        self.out.one(Code::Bswap_r64, to);
        self.write(b.d, to);
        true
    }

    /// Reverses the halves of a doubleword in RAX.
    fn reverse_halves(&mut self) {
        self.out.two_shift(Code::Rol_rm64_imm8, RAX, 32);
        self.out.constant(RCX, 0xffff_0000_ffff_0000);
        self.out.three(Code::VEX_Andn_r64_r64_rm64, [RDX, RCX, RAX]);
        self.out.two(AND.0, RAX, RCX);
        self.out.two_shift(Code::Shr_rm64_imm8, RAX, 16);
        self.out.two_shift(Code::Shl_rm64_imm8, RDX, 16);
        self.out.two(OR.0, RAX, RDX);
    }

    fn extend(&mut self, op: &Operation, code: Code) {
        self.read_to(RAX, op.a);
        let part = if code == Code::Movsx_r64_rm8 { Register::AL } else { Register::AX };
        self.out.two(code, RAX, part);
        self.write(op.d, RAX);
    }

    fn move_if(&mut self, op: &Operation, code: Code) {
        self.compare_values(op.b, 0);
        // Moves leave the flags of the native machine as they are.
        let to = held(op.d).unwrap_or(RCX);
        self.read_to(to, op.d);
        match Self::source(op.a) {
            Source::Register(a) => self.out.two(code, to, a),
            Source::Memory(a) => self.out.load(code, to, a),
            Source::Zero => {
                self.out.immediate(Code::Mov_rm64_imm32, RAX, 0);
                self.out.two(code, to, RAX);
            }
        }
        self.write(op.d, to);
    }
}

/// Returns the place at a displacement from the address in a register.
pub(super) fn displaced(base: Register, displacement: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, displacement.into())
}
