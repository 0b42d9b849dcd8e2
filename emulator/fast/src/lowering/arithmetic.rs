//! The arithmetic operations as steps on 256-bit values. The steps hold for operands and results without NaN, denormals and
//! exceptions other than Inexact; the exception bits of the native machine tell when that fails, and the engine then takes the
//! steps back.

use super::operands::{Lowering, Operands, Results};
use crate::ir::builder::{Builder, HIGH, LOW, SIGN_HIGH, SIGN_LOW, SIGNS};
use crate::ir::instruction::Value;
use cp2_isa::{Arith, Comparison, Inst};
use iced_x86::Code;

/// Factor of a complex product: what the other factor is multiplied by straight and crosswise.
type Factor = [Value; 2];

impl Lowering<'_> {
    /// Whether `-(x * y)` is rounded as `-x * y`.
    fn is_symmetric(&self) -> bool {
        self.rounding < 2
    }

    /// Returns the factor T, its imaginary part with the sign flipped if asked for.
    fn factor(&mut self, t: Value, conjugate: bool) -> Factor {
        let (real, imaginary) = (self.b.high(t), self.b.low(t));
        let signs = self.b.constant(if conjugate { SIGN_LOW } else { SIGN_HIGH });
        [real, self.b.xor(imaginary, signs)]
    }

    /// Returns the product of `s` and a factor.
    fn product(&mut self, s: Value, [real, imaginary]: Factor) -> Value {
        let is_symmetric = self.is_symmetric();
        let b = &mut *self.b;
        let straight = b.mul(s, real);
        let crossed = b.swapped(s);
        if is_symmetric {
            let crosswise = b.mul(crossed, imaginary);
            return b.add(straight, crosswise);
        }
        let signs = b.constant(SIGN_HIGH);
        let plain = b.xor(imaginary, signs);
        let crosswise = b.mul(crossed, plain);
        let signed = b.xor(crosswise, signs);
        b.set_clean(signed);
        b.add(straight, signed)
    }

    fn complex(&mut self, s: Value, t: Value, conjugate: bool) -> Value {
        self.b.check(&[s, t]);
        let factor = self.factor(t, conjugate);
        self.product(s, factor)
    }

    fn complex_by_i(&mut self, s: Value, negative: bool) -> Value {
        const ONE: u64 = 0x3f80_0000;
        let imaginary = if negative { ONE | SIGN_LOW } else { ONE };
        self.b.check(&[s]);
        let zero = self.b.constant(0);
        let other = self.b.constant(imaginary | (imaginary ^ SIGN_LOW) << 32);
        self.product(s, [zero, other])
    }

    fn sum_and_difference(&mut self, s: Value, t: Value) -> (Value, Value) {
        (self.b.add(s, t), self.b.sub(s, t))
    }

    /// Returns the product of the matrix with rows `(row_0, row_1)` and a vector.
    fn matrix(&mut self, row_0: Value, row_1: Value, vector: Value, transposed: bool) -> Value {
        let b = &mut *self.b;
        b.check(&[row_0, row_1, vector]);
        if transposed {
            let (high, low) = (b.high(vector), b.low(vector));
            let (x, y) = (b.mul(row_0, high), b.mul(row_1, low));
            return b.add(x, y);
        }
        let (p, q) = (b.mul(row_0, vector), b.mul(row_1, vector));
        let (q_high, p_low) = (b.high(q), b.low(p));
        let (x, y) = (b.blend(q_high, p, HIGH), b.blend(q, p_low, HIGH));
        b.add(x, y)
    }

    fn add_checked(&mut self, s: Value, t: Value) -> Value {
        self.b.check(&[s, t]);
        self.b.add(s, t)
    }

    fn sub_checked(&mut self, s: Value, t: Value) -> Value {
        self.b.check(&[s, t]);
        self.b.sub(s, t)
    }

    fn mul_checked(&mut self, s: Value, t: Value) -> Value {
        self.b.check(&[s, t]);
        self.b.mul(s, t)
    }

    fn flipped(&mut self, s: Value, signs: u64) -> Value {
        self.b.check(&[s]);
        let signs = self.b.constant(signs);
        self.b.xor(s, signs)
    }

    fn four_products(&mut self, x: &Operands, mode: i32) -> Value {
        let b = &mut *self.b;
        b.check(&[x.s, x.t, x.s_next, x.t_next]);
        let mut halves = [x.d; 2];
        for (half, (s, t)) in halves.iter_mut().zip([(x.s, x.t), (x.s_next, x.t_next)]) {
            let products = b.mul(s, t);
            let crossed = b.swapped(products);
            *half = b.add(products, crossed);
        }
        let sum = b.add(halves[0], halves[1]);
        b.blend(x.d, sum, if mode & 1 == 1 { HIGH } else { LOW })
    }

    fn splat(immediate: i32) -> u64 {
        u64::from(immediate as u32) << 32 | u64::from(immediate as u32)
    }

    fn plus(&mut self, s: Value, immediate: i32, subtract: bool) -> Value {
        let other = self.b.constant(Self::splat(immediate));
        let code = if subtract {
            Code::VEX_Vpsubd_ymm_ymm_ymmm256
        } else {
            Code::VEX_Vpaddd_ymm_ymm_ymmm256
        };
        self.b.binary(code, s, other)
    }

    fn shift_by(&mut self, left: Code, right: Code, s: Value, amount: i32) -> Value {
        if amount >= 0 {
            self.b.shift(left, s, amount as u8)
        } else {
            self.b.shift(right, s, amount.unsigned_abs() as u8)
        }
    }

    fn shift_variable(&mut self, s: Value, t: Value, arithmetic: bool) -> Value {
        let b = &mut *self.b;
        let low = b.low(t);
        let up = b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, low, 26);
        let amount = b.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, up, 26);
        let zero = b.constant(0);
        let opposite = b.binary(Code::VEX_Vpsubd_ymm_ymm_ymmm256, zero, amount);
        let left = b.binary(Code::VEX_Vpsllvd_ymm_ymm_ymmm256, s, amount);
        let code = if arithmetic {
            Code::VEX_Vpsravd_ymm_ymm_ymmm256
        } else {
            Code::VEX_Vpsrlvd_ymm_ymm_ymmm256
        };
        let right = b.binary(code, s, opposite);
        b.select_halves(left, right, amount)
    }

    fn extended(&mut self, s: Value, up: u8, down: u8) -> Value {
        let high = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, s, up);
        self.b.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, high, down)
    }

    fn negated_int(&mut self, s: Value) -> Value {
        let (zero, lowest) = (self.b.constant(0), self.b.constant(SIGNS));
        let negated = self.b.binary(Code::VEX_Vpsubd_ymm_ymm_ymmm256, zero, s);
        let saturates = self.b.binary(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, s, lowest);
        self.b.binary(Code::VEX_Vpaddd_ymm_ymm_ymmm256, negated, saturates)
    }

    fn with_quarter(&mut self, d: Value, quarter: u32, immediate: i32) -> Value {
        let keep = self.b.constant(!(0xffff << (16 * quarter)));
        let put = self.b.constant(u64::from(immediate as u16) << (16 * quarter));
        let kept = self.b.and(d, keep);
        self.b.or(kept, put)
    }

    fn joined(&mut self, d: Value, s: Value, bits: u8) -> Value {
        let keep = self.b.constant(Self::splat((1 << bits) - 1));
        let kept = self.b.and(d, keep);
        let high = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, s, 32 - bits);
        let part =
            if bits == 8 { self.b.shift(Code::VEX_Vpsrld_ymm_ymm_imm8, high, 16) } else { high };
        self.b.or(kept, part)
    }

    fn unpacked(&mut self, t: Value) -> (Value, Value) {
        let b = &mut *self.b;
        let convert = |b: &mut Builder, x: Value| {
            let low = b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, x, 16);
            let both = b.blend(low, x, HIGH);
            let integers = b.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, both, 16);
            b.unary(Code::VEX_Vcvtdq2ps_ymm_ymmm256, integers)
        };
        let (high, low) = (b.high(t), b.low(t));
        (convert(b, high), convert(b, low))
    }

    pub(super) fn compare(&mut self, comparison: Comparison, s: Value, t: Value) -> Results {
        let Comparison { relation, format, .. } = comparison;
        let b = &mut *self.b;
        let holds = if !format.is_integer() {
            let predicate = match relation {
                0 => 0x0f,
                1 => 0x03,
                2 => 0x11,
                3 => 0x12,
                4 => 0x00,
                5 => 0x04,
                6 => 0x1e,
                _ => 0x1d,
            };
            b.binary_imm(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, s, t, predicate)
        } else {
            let (equal, above) =
                (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256);
            let plain = match relation {
                0 => b.constant(u64::MAX),
                1 => b.constant(0),
                2 | 7 => b.binary(above, t, s),
                3 | 6 => b.binary(above, s, t),
                _ => b.binary(equal, s, t),
            };
            if matches!(relation, 3 | 5 | 7) {
                let ones = b.constant(u64::MAX);
                b.xor(plain, ones)
            } else {
                plain
            }
        };
        let low = b.low(holds);
        let high = if format.is_pairwise() { b.high(holds) } else { low };
        Results { conditions: Some([low, high]), ..Results::default() }
    }

    pub(super) fn lower_float(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let Operands { d, s, t, .. } = *x;
        Some(match inst.op {
            A::Cadd | A::Psadd => Results::d(self.add_checked(s, t)),
            A::Csub | A::Pssub => Results::d(self.sub_checked(s, t)),
            A::Caddsub | A::Psaddsub => {
                self.b.check(&[s, t]);
                Results::dq(self.sum_and_difference(s, t))
            }
            A::Cneg | A::Psneg => Results::d(self.flipped(s, SIGNS)),
            A::Cconj => Results::d(self.flipped(s, SIGN_LOW)),
            A::Psabs => {
                self.b.check(&[s]);
                let keep = self.b.constant(!SIGNS);
                Results::d(self.b.and(s, keep))
            }
            A::Pscopysign => {
                self.b.check(&[s, t]);
                let (keep, signs) = (self.b.constant(!SIGNS), self.b.constant(SIGNS));
                let (magnitude, sign) = (self.b.and(s, keep), self.b.and(t, signs));
                Results::d(self.b.or(magnitude, sign))
            }
            A::Psmul => Results::d(self.mul_checked(s, t)),
            A::Psmadd => {
                let product = self.mul_checked(s, t);
                Results::d(self.add_checked(d, product))
            }
            A::Psmsub => {
                let product = self.mul_checked(s, t);
                Results::d(self.sub_checked(d, product))
            }
            A::Pwtops => Results::d(self.b.unary(Code::VEX_Vcvtdq2ps_ymm_ymmm256, s)),
            A::Pstopw => {
                self.b.check(&[s]);
                Results::d(self.b.unary(Code::VEX_Vcvtps2dq_ymm_ymmm256, s))
            }
            A::Unpck16wstops => Results::ds(self.unpacked(t)),
            _ => return self.lower_complex(inst, x),
        })
    }

    fn lower_complex(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let Operands { d, s, t, .. } = *x;
        Some(match inst.op {
            A::Cmul => Results::d(self.complex(s, t, false)),
            A::Chmul => Results::d(self.complex(s, t, true)),
            A::Cmadd | A::Chmadd => {
                let product = self.complex(s, t, inst.op == A::Chmadd);
                Results::d(self.add_checked(d, product))
            }
            A::Cmsub | A::Chmsub => {
                let product = self.complex(s, t, inst.op == A::Chmsub);
                Results::d(self.sub_checked(d, product))
            }
            A::Cmuli => Results::d(self.complex_by_i(s, false)),
            A::Cmulni => Results::d(self.complex_by_i(s, true)),
            A::Cbutterfly => {
                self.b.check(&[d, s]);
                let product = self.product(s, x.coefficient?);
                Results::ds(self.sum_and_difference(d, product))
            }
            A::Cbutterfly2 => {
                self.b.check(&[d]);
                let product = self.complex(s, t, false);
                Results::ds(self.sum_and_difference(d, product))
            }
            _ => return self.lower_matrix(inst, x),
        })
    }

    fn lower_matrix(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let Operands { d, s, t, s_next, .. } = *x;
        Some(match inst.op {
            A::Mvmul => Results::q(self.matrix(s, d, t, false)),
            A::Mtvmul => Results::q(self.matrix(s, d, t, true)),
            A::Mvmadd | A::Mtvmadd => {
                let product = self.matrix(s, s_next, t, inst.op == A::Mtvmadd);
                Results::d(self.add_checked(d, product))
            }
            A::Mvmsub | A::Mtvmsub => {
                let product = self.matrix(s, s_next, t, inst.op == A::Mtvmsub);
                Results::d(self.sub_checked(d, product))
            }
            A::Qsdot => Results::d(self.four_products(x, inst.values[3])),
            _ => return None,
        })
    }

    pub(super) fn lower_integer(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let v = &inst.values;
        let Operands { d, s, t, .. } = *x;
        Some(Results::d(match inst.op {
            A::Swaphl => self.b.swapped(s),
            A::Section => self.b.constant_quad([0, 1, 2, 3]),
            A::Li3 => self.with_quarter(d, 3, v[1]),
            A::Li2 => self.with_quarter(d, 2, v[1]),
            A::Li1 => self.with_quarter(d, 1, v[1]),
            A::Li0 => self.with_quarter(d, 0, v[1]),
            A::Getcoeff => {
                let [real, imaginary] = x.coefficient?;
                self.b.blend(imaginary, real, HIGH)
            }
            A::Add => self.b.binary(Code::VEX_Vpaddd_ymm_ymm_ymmm256, s, t),
            A::Sub => self.b.binary(Code::VEX_Vpsubd_ymm_ymm_ymmm256, s, t),
            A::Abs => {
                let magnitude = self.b.unary(Code::VEX_Vpabsd_ymm_ymmm256, s);
                let highest = self.b.constant(!SIGNS);
                self.b.binary(Code::VEX_Vpminud_ymm_ymm_ymmm256, magnitude, highest)
            }
            A::Neg => self.negated_int(s),
            A::Addi => self.plus(s, v[2], false),
            A::Subi => self.plus(s, v[2], true),
            A::Inci => self.plus(d, v[1], false),
            A::Deci => self.plus(d, v[1], true),
            A::And => self.b.and(s, t),
            A::Or => self.b.or(s, t),
            A::Xor => self.b.xor(s, t),
            A::Not => {
                let ones = self.b.constant(u64::MAX);
                self.b.xor(s, ones)
            }
            A::Mtrans => {
                let (t_high, s_low) = (self.b.high(t), self.b.low(s));
                let d = self.b.blend(t_high, s, HIGH);
                return Some(Results::dq((d, self.b.blend(t, s_low, HIGH))));
            }
            A::Clear => {
                let zero = self.b.constant(0);
                return Some(Results::ds((zero, zero)));
            }
            _ => return self.lower_shift(inst, x),
        }))
    }

    /// Makes the steps of shifts, and of operations that move fields of bits; `None` for other operations.
    fn lower_shift(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let Operands { d, s, t, .. } = *x;
        let amount = inst.values[2];
        let (up, down, down_signed) = (
            Code::VEX_Vpslld_ymm_ymm_imm8,
            Code::VEX_Vpsrld_ymm_ymm_imm8,
            Code::VEX_Vpsrad_ymm_ymm_imm8,
        );
        Some(Results::d(match inst.op {
            A::Lshift => self.shift_variable(s, t, false),
            A::Ashift => self.shift_variable(s, t, true),
            A::Lshifti => self.shift_by(up, down, s, amount),
            A::Ashifti => self.shift_by(up, down_signed, s, amount),
            A::Split8 => self.extended(s, 16, 24),
            A::Split16 => self.b.shift(down_signed, s, 16),
            A::Split32 => self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, s, 32),
            A::Extsign8h => {
                let high = self.b.shift(Code::VEX_Vpsllw_ymm_ymm_imm8, d, 8);
                self.b.shift(Code::VEX_Vpsraw_ymm_ymm_imm8, high, 8)
            }
            A::Extsign8w => self.extended(d, 24, 24),
            A::Extsign16w => self.extended(d, 16, 16),
            A::Join8 => self.joined(d, s, 8),
            A::Join16 => self.joined(d, s, 16),
            A::Join32 => {
                let low = self.b.low(s);
                self.b.blend(d, low, HIGH)
            }
            _ => return None,
        }))
    }
}
