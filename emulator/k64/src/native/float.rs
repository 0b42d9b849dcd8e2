//! Floating-point operations in instructions of the native machine, under the conditions of their handlers: those
//! compute as the native machine does where nothing new can be raised, and leave the rest to exact arithmetic.

use super::assembler::{Label, guest, low, of_core};
use super::state::{DEFERRED, FCSR, IS_NATIVE, OPERANDS};
use super::translate::{Translation, ZeroProduct};
use crate::engine::block::Role;
use crate::engine::operation::Operation;
use crate::float::{FloatFormat, FloatOperation, deferred_code};
use crate::isa::Operation as Op;
use Register::{EAX, ECX, RAX, RCX, XMM0, XMM1};
use iced_x86::{Code, Register};

/// Format of numbers, with the instructions of the native machine for it.
#[derive(Clone, Copy)]
struct Format {
    format: FloatFormat,
    load: Code,
    /// Copies the bits of a number to a general register.
    bits: Code,
    /// Bits of the fraction, and the largest exponent.
    fraction: u32,
    largest: i32,
}

const SINGLE: Format = Format {
    format: FloatFormat::Single,
    load: Code::VEX_Vmovss_xmm_m32,
    bits: Code::VEX_Vmovd_rm32_xmm,
    fraction: 23,
    largest: 0xff,
};
const DOUBLE: Format = Format {
    format: FloatFormat::Double,
    load: Code::VEX_Vmovsd_xmm_m64,
    bits: Code::VEX_Vmovq_rm64_xmm,
    fraction: 52,
    largest: 0x7ff,
};

/// Property of a result of the native machine with which it is the whole truth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fine {
    Finite,
    /// Neither infinite, nor so small that it could have been rounded in the subnormal range.
    Ordinary,
}

/// Operation on two numbers of a format.
fn of_two(kind: Op) -> Option<(Code, FloatOperation, Format, Fine)> {
    use Fine::{Finite, Ordinary};
    use FloatOperation::{Add, Div, Mul, Sub};
    Some(match kind {
        Op::AddS => (Code::VEX_Vaddss_xmm_xmm_xmmm32, Add, SINGLE, Finite),
        Op::SubS => (Code::VEX_Vsubss_xmm_xmm_xmmm32, Sub, SINGLE, Finite),
        Op::MulS => (Code::VEX_Vmulss_xmm_xmm_xmmm32, Mul, SINGLE, Ordinary),
        Op::DivS => (Code::VEX_Vdivss_xmm_xmm_xmmm32, Div, SINGLE, Ordinary),
        Op::AddD => (Code::VEX_Vaddsd_xmm_xmm_xmmm64, Add, DOUBLE, Finite),
        Op::SubD => (Code::VEX_Vsubsd_xmm_xmm_xmmm64, Sub, DOUBLE, Finite),
        Op::MulD => (Code::VEX_Vmulsd_xmm_xmm_xmmm64, Mul, DOUBLE, Ordinary),
        Op::DivD => (Code::VEX_Vdivsd_xmm_xmm_xmmm64, Div, DOUBLE, Ordinary),
        _ => return None,
    })
}

/// Sum of a product and a number: the operation on them, and whether the result is negated.
fn of_three(kind: Op) -> Option<(Code, FloatOperation, Format, bool)> {
    use FloatOperation::{Madd, Msub, Nmadd, Nmsub};
    let (add_s, sub_s) = (Code::VEX_Vaddss_xmm_xmm_xmmm32, Code::VEX_Vsubss_xmm_xmm_xmmm32);
    let (add_d, sub_d) = (Code::VEX_Vaddsd_xmm_xmm_xmmm64, Code::VEX_Vsubsd_xmm_xmm_xmmm64);
    Some(match kind {
        Op::MaddS => (add_s, Madd, SINGLE, false),
        Op::MsubS => (sub_s, Msub, SINGLE, false),
        Op::NmaddS => (add_s, Nmadd, SINGLE, true),
        Op::NmsubS => (sub_s, Nmsub, SINGLE, true),
        Op::MaddD => (add_d, Madd, DOUBLE, false),
        Op::MsubD => (sub_d, Msub, DOUBLE, false),
        Op::NmaddD => (add_d, Nmadd, DOUBLE, true),
        Op::NmsubD => (sub_d, Nmsub, DOUBLE, true),
        _ => return None,
    })
}

impl Translation<'_> {
    /// Translates an operation of the FPU; false if it is none, or one that is left to its handler.
    pub(super) fn float(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        if let Some((code, operation, format, fine)) = of_two(kind) {
            self.on_two(index, op, (code, operation, format, fine));
        } else if let Some(form) = of_three(kind) {
            self.on_three(index, op, form);
        } else {
            return self.conversion(index, op, kind) || self.bits(op, kind);
        }
        true
    }

    /// Has the rest of the block done by handlers if the native machine may not compute.
    fn need_plain(&mut self, index: usize) {
        if !self.is_plain {
            let rest = self.rest_by_handlers(index);
            self.out.store_immediate(Code::Cmp_rm8_imm8, of_core(IS_NATIVE), 0);
            self.out.jump(Code::Je_rel32_64, rest);
            self.is_plain = true;
        }
    }

    /// Writes the bits of the number in a vector register to RAX, and goes to `rare` if the number is not fine.
    fn look_at(&mut self, number: Register, format: Format, fine: Fine, rare: Label) {
        let is_double = matches!(format.format, FloatFormat::Double);
        let of = |register| if is_double { register } else { low(register) };
        self.out.two(format.bits, of(RAX), number);
        let (lea, shift) = if is_double {
            (Code::Lea_r64_m, Code::Shr_rm64_imm8)
        } else {
            (Code::Lea_r32_m, Code::Shr_rm32_imm8)
        };
        let twice = iced_x86::MemoryOperand::with_base_index(RAX, RAX);
        self.out.load(lea, of(RCX), twice);
        self.out.two_shift(shift, of(RCX), format.fraction + 1);
        if fine == Fine::Finite {
            self.out.immediate(Code::Cmp_rm32_imm32, ECX, format.largest);
            self.out.jump(Code::Je_rel32_64, rare);
        } else {
            self.out.immediate(Code::Sub_rm32_imm8, ECX, 2);
            self.out.immediate(Code::Cmp_rm32_imm32, ECX, format.largest - 2);
            self.out.jump(Code::Jae_rel32_64, rare);
        }
    }

    /// Whether the operation behind this one keeps another in its place in any case, before anybody could look.
    fn is_replaced(&self, index: usize) -> bool {
        let Some(origin) = self.block.origins.get(index + 1) else { return false };
        let Role::Effect(kind) = origin.role else { return false };
        of_two(kind).is_some() || of_three(kind).is_some()
    }

    /// Writes the bits of the product in XMM0 to RAX, and goes to `rare` if it is neither ordinary nor a product of zero.
    fn look_at_product(&mut self, op: &Operation, format: Format, rare: Label) {
        let (label, back) = (self.out.label(), self.out.label());
        self.look_at(XMM0, format, Fine::Ordinary, label);
        self.out.bind(back);
        let is_double = matches!(format.format, FloatFormat::Double);
        self.ask(ZeroProduct { label, back, other: rare, factors: [op.a, op.b], is_double });
    }

    /// Keeps an operation whose cause is deferred; `operands` are the numbers of registers whose bits it has.
    fn defer(
        &mut self,
        index: usize,
        operation: FloatOperation,
        format: FloatFormat,
        operands: &[u8],
    ) {
        if self.is_replaced(index) {
            return;
        }
        let code = deferred_code(operation, format);
        self.out.store_immediate(Code::Mov_rm32_imm32, of_core(DEFERRED), code as i32);
        for (place, register) in (0..).zip(operands) {
            self.out.load(Code::VEX_Vmovsd_xmm_m64, XMM1, guest(*register));
            self.out.store(Code::VEX_Vmovsd_m64_xmm, of_core(OPERANDS + 8 * place), XMM1);
        }
    }

    /// Writes a number whose bits are in RAX.
    fn put(&mut self, register: u8, format: FloatFormat) {
        match format {
            FloatFormat::Single => self.out.store(Code::Mov_rm32_r32, guest(register), EAX),
            FloatFormat::Double => self.out.store(Code::Mov_rm64_r64, guest(register), RAX),
        }
    }

    fn on_two(
        &mut self,
        index: usize,
        op: &Operation,
        (code, operation, format, fine): (Code, FloatOperation, Format, Fine),
    ) {
        self.need_plain(index);
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        self.out.load(format.load, XMM0, guest(op.a));
        self.out.three_memory(code, [XMM0, XMM0], guest(op.b));
        if operation == FloatOperation::Mul {
            self.look_at_product(op, format, rare);
        } else {
            self.look_at(XMM0, format, fine, rare);
        }
        self.defer(index, operation, format.format, &[op.a, op.b]);
        self.put(op.d, format.format);
        self.out.bind(back);
    }

    fn on_three(
        &mut self,
        index: usize,
        op: &Operation,
        (code, operation, format, is_negated): (Code, FloatOperation, Format, bool),
    ) {
        self.need_plain(index);
        let back = self.out.label();
        let rare = self.by_handler(index, back);
        let product = match format.format {
            FloatFormat::Single => Code::VEX_Vmulss_xmm_xmm_xmmm32,
            FloatFormat::Double => Code::VEX_Vmulsd_xmm_xmm_xmmm64,
        };
        self.out.load(format.load, XMM0, guest(op.a));
        self.out.three_memory(product, [XMM0, XMM0], guest(op.b));
        self.look_at_product(op, format, rare);
        self.out.three_memory(code, [XMM0, XMM0], guest(op.c));
        self.look_at(XMM0, format, Fine::Finite, rare);
        self.defer(index, operation, format.format, &[op.a, op.b, op.c]);
        if is_negated {
            match format.format {
                FloatFormat::Single => self.out.immediate(Code::Btc_rm32_imm8, EAX, 31),
                FloatFormat::Double => self.out.immediate(Code::Btc_rm64_imm8, RAX, 63),
            }
        }
        self.put(op.d, format.format);
        self.out.bind(back);
    }

    fn conversion(&mut self, index: usize, op: &Operation, kind: Op) -> bool {
        use FloatFormat::{Double, Single};
        let a = guest(op.a);
        let back = self.out.label();
        match kind {
            Op::TruncWD | Op::TruncLD => {
                self.need_plain(index);
                let rare = self.by_handler(index, back);
                let (operation, code, to) = if kind == Op::TruncWD {
                    (FloatOperation::TruncW, Code::VEX_Vcvttsd2si_r32_xmmm64, EAX)
                } else {
                    (FloatOperation::TruncL, Code::VEX_Vcvttsd2si_r64_xmmm64, RAX)
                };
                self.out.load(code, to, a);
                // What the native machine gives for numbers beyond its integers.
                self.out.constant(RCX, if to == EAX { 1 << 31 } else { 1 << 63 });
                self.out.two(Code::Cmp_r64_rm64, RAX, RCX);
                self.out.jump(Code::Je_rel32_64, rare);
                self.defer(index, operation, Double, &[op.a]);
                self.put(op.d, if to == EAX { Single } else { Double });
            }
            Op::CvtDW | Op::CvtDL => {
                self.need_plain(index);
                let (operation, code) = if kind == Op::CvtDW {
                    (FloatOperation::DFromW, Code::VEX_Vcvtsi2sd_xmm_xmm_rm32)
                } else {
                    (FloatOperation::DFromL, Code::VEX_Vcvtsi2sd_xmm_xmm_rm64)
                };
                self.out.three(Code::VEX_Vxorps_xmm_xmm_xmmm128, [XMM0, XMM0, XMM0]);
                self.out.three_memory(code, [XMM0, XMM0], a);
                self.out.two(DOUBLE.bits, RAX, XMM0);
                self.defer(index, operation, Double, &[op.a]);
                self.put(op.d, Double);
            }
            Op::CvtSD | Op::CvtDS => {
                self.need_plain(index);
                let rare = self.by_handler(index, back);
                let (from, to, operation, code, fine) = if kind == Op::CvtSD {
                    let code = Code::VEX_Vcvtsd2ss_xmm_xmm_xmmm64;
                    (DOUBLE, SINGLE, FloatOperation::SFromD, code, Fine::Ordinary)
                } else {
                    let code = Code::VEX_Vcvtss2sd_xmm_xmm_xmmm32;
                    (SINGLE, DOUBLE, FloatOperation::DFromS, code, Fine::Finite)
                };
                self.out.load(from.load, XMM0, a);
                self.out.three(code, [XMM0, XMM0, XMM0]);
                self.look_at(XMM0, to, fine, rare);
                self.defer(index, operation, from.format, &[op.a]);
                self.put(op.d, to.format);
            }
            Op::CS | Op::CD => {
                let rare = self.by_handler(index, back);
                self.comparison(op, kind == Op::CD, rare);
            }
            _ => return false,
        }
        self.out.bind(back);
        true
    }

    /// Compares two numbers; the immediate is the relation, of which bit 1 asks for equal and bit 2 for less.
    fn comparison(&mut self, op: &Operation, is_double: bool, rare: Label) {
        let (format, code) = if is_double {
            (DOUBLE, Code::VEX_Vucomisd_xmm_xmmm64)
        } else {
            (SINGLE, Code::VEX_Vucomiss_xmm_xmmm32)
        };
        self.out.load(format.load, XMM0, guest(op.a));
        self.out.load(code, XMM0, guest(op.b));
        self.out.jump(Code::Jp_rel32_64, rare);
        let set = match op.imm >> 1 & 3 {
            0 => None,
            1 => Some(Code::Sete_rm8),
            2 => Some(Code::Setb_rm8),
            _ => Some(Code::Setbe_rm8),
        };
        match set {
            Some(set) => self.set_if(op.d, set),
            None => self.set_constant(op.d, 0),
        }
        self.out.store_immediate(Code::And_rm32_imm32, of_core(FCSR), !(63 << 12));
        self.out.store_immediate(Code::Mov_rm32_imm32, of_core(DEFERRED), 0);
    }

    /// Translates a move or a change of the sign.
    fn bits(&mut self, op: &Operation, kind: Op) -> bool {
        match kind {
            Op::Mfc1 => {
                self.read_low_to(RAX, op.a);
                self.write_word(op.d, RAX);
            }
            Op::Mtc1 | Op::MovS => {
                self.read_low_to(RAX, op.a);
                self.put(op.d, FloatFormat::Single);
            }
            Op::NegS | Op::AbsS => {
                self.read_low_to(RAX, op.a);
                let code = if kind == Op::NegS { Code::Btc_rm32_imm8 } else { Code::Btr_rm32_imm8 };
                self.out.immediate(code, EAX, 31);
                self.put(op.d, FloatFormat::Single);
            }
            Op::NegD | Op::AbsD => {
                self.read_to(RAX, op.a);
                let code = if kind == Op::NegD { Code::Btc_rm64_imm8 } else { Code::Btr_rm64_imm8 };
                self.out.immediate(code, RAX, 63);
                self.put(op.d, FloatFormat::Double);
            }
            _ => return false,
        }
        true
    }
}
