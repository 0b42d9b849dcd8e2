//! Integer operations. `a` and `b` are registers, `imm` an immediate; the value goes to `d`.

use super::operation::{Exit, Operation, next, stop};
use crate::core::Cpu;
use crate::exception::Exception;
use crate::registers::{HI, LO};

/// Returns the low word, sign-extended.
#[inline(always)]
const fn word(value: u64) -> u64 {
    value as i32 as u64
}

/// Defines operations on two registers; before the name stands the name of the form with an immediate, if there is one.
macro_rules! values {
    ($($immediate:ident $name:ident = |$a:ident, $b:ident| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let ($a, $b) = (core.registers[op.a], core.registers[op.b]);
            core.registers[op.d] = $value;
            next(core, rest)
        }
        values!(@immediate $immediate = |$a, $b| $value);
    )*};
    (@immediate _none = |$a:ident, $b:ident| $value:expr) => {};
    (@immediate $name:ident = |$a:ident, $b:ident| $value:expr) => {
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let ($a, $b) = (core.registers[op.a], op.imm());
            core.registers[op.d] = $value;
            next(core, rest)
        }
    };
}

values! {
    addiu addu = |a, b| word(a.wrapping_add(b));
    daddiu daddu = |a, b| a.wrapping_add(b);
    andi and = |a, b| a & b;
    ori or = |a, b| a | b;
    xori xor = |a, b| a ^ b;
    slti slt = |a, b| u64::from((a as i64) < b as i64);
    sltiu sltu = |a, b| u64::from(a < b);
    sll sllv = |a, b| word(a << (b & 31));
    srl srlv = |a, b| word(u64::from(a as u32 >> (b & 31)));
    sra srav = |a, b| (a as i32 >> (b & 31)) as u64;
    dsll dsllv = |a, b| a << (b & 63);
    dsrl dsrlv = |a, b| a >> (b & 63);
    dsra dsrav = |a, b| (a as i64 >> (b & 63)) as u64;
    rotr rotrv = |a, b| word(u64::from((a as u32).rotate_right(b as u32 & 31)));
    drotr drotrv = |a, b| a.rotate_right(b as u32 & 63);
    _none subu = |a, b| word(a.wrapping_sub(b));
    _none dsubu = |a, b| a.wrapping_sub(b);
    _none nor = |a, b| !(a | b);
    _none mul = |a, b| word(a.wrapping_mul(b));
}

macro_rules! functions {
    ($($name:ident = |$a:ident| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let $a = core.registers[op.a];
            core.registers[op.d] = $value;
            next(core, rest)
        }
    )*};
}

functions! {
    copy = |a| a;
    clz = |a| u64::from((a as u32).leading_zeros());
    clo = |a| u64::from((a as u32).leading_ones());
    dclz = |a| u64::from(a.leading_zeros());
    dclo = |a| u64::from(a.leading_ones());
    seb = |a| a as i8 as u64;
    seh = |a| a as i16 as u64;
    wsbh = |a| word(u64::from((a as u32).swap_bytes().rotate_left(16)));
    dsbh = |a| (a & 0x00ff_00ff_00ff_00ff) << 8 | a >> 8 & 0x00ff_00ff_00ff_00ff;
    dshd = |a| {
        let halves = (a & 0x0000_ffff_0000_ffff) << 16 | a >> 16 & 0x0000_ffff_0000_ffff;
        halves.rotate_left(32)
    };
}

/// Writes the immediate to `d`.
pub(super) fn constant(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    core.registers[op.d] = op.imm();
    next(core, rest)
}

macro_rules! overflowing {
    ($($name:ident($kind:ty) = |$a:ident, $b:ident| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            // An operand that is no register is the immediate: `b` is 0 then.
            let $a = core.registers[op.a] as $kind;
            let $b = core.registers[op.b].wrapping_add(op.imm()) as $kind;
            match $value {
                Some(value) => core.registers[op.d] = value as u64,
                None => return stop(core, rest, Exception::Overflow),
            }
            next(core, rest)
        }
    )*};
}

overflowing! {
    add(i32) = |a, b| a.checked_add(b);
    sub(i32) = |a, b| a.checked_sub(b);
    dadd(i64) = |a, b| a.checked_add(b);
    dsub(i64) = |a, b| a.checked_sub(b);
}

macro_rules! moves {
    ($($name:ident = |$b:ident| $holds:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let $b = core.registers[op.b];
            if $holds {
                core.registers[op.d] = core.registers[op.a];
            }
            next(core, rest)
        }
    )*};
}

moves! {
    movz = |b| b == 0;
    movn = |b| b != 0;
}

macro_rules! products {
    ($($name:ident = |$a:ident, $b:ident| $pair:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let ($a, $b) = (core.registers[op.a], core.registers[op.b]);
            let (hi, lo) = $pair;
            core.registers[HI] = hi;
            core.registers[LO] = lo;
            next(core, rest)
        }
    )*};
}

/// Returns a doubleword as HI and LO.
#[inline(always)]
const fn halves(value: u64) -> (u64, u64) {
    (word(value >> 32), word(value))
}

/// Quotient and remainder. No rule says what a division by zero gives; here it divides by one, and so does
/// the one quotient that has no representation.
macro_rules! division {
    ($a:expr, $b:expr) => {{
        let (dividend, divisor) = ($a, $b);
        let divisor = if divisor == 0 { 1 } else { divisor };
        (dividend.wrapping_rem(divisor) as u64, dividend.wrapping_div(divisor) as u64)
    }};
}

products! {
    mult = |a, b| halves((i64::from(a as i32) * i64::from(b as i32)) as u64);
    multu = |a, b| halves((a & 0xffff_ffff) * (b & 0xffff_ffff));
    dmult = |a, b| {
        let product = i128::from(a as i64) * i128::from(b as i64);
        ((product >> 64) as u64, product as u64)
    };
    dmultu = |a, b| {
        let product = u128::from(a) * u128::from(b);
        ((product >> 64) as u64, product as u64)
    };
    div = |a, b| division!(a as i32, b as i32);
    divu = |a, b| {
        let (hi, lo) = division!(a as u32, b as u32);
        (word(hi), word(lo))
    };
    ddiv = |a, b| division!(a as i64, b as i64);
    ddivu = |a, b| division!(a, b);
}

macro_rules! sums_of_products {
    ($($name:ident = |$sum:ident, $a:ident, $b:ident| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let $sum = core.registers[HI] << 32 | core.registers[LO] & 0xffff_ffff;
            let ($a, $b) = (core.registers[op.a], core.registers[op.b]);
            (core.registers[HI], core.registers[LO]) = halves($value);
            next(core, rest)
        }
    )*};
}

sums_of_products! {
    madd = |sum, a, b| sum.wrapping_add((i64::from(a as i32) * i64::from(b as i32)) as u64);
    maddu = |sum, a, b| sum.wrapping_add((a & 0xffff_ffff) * (b & 0xffff_ffff));
    msub = |sum, a, b| sum.wrapping_sub((i64::from(a as i32) * i64::from(b as i32)) as u64);
    msubu = |sum, a, b| sum.wrapping_sub((a & 0xffff_ffff) * (b & 0xffff_ffff));
}

/// Extracts a field of `a`, from bit `c` on and as many bits as the immediate says.
pub(super) fn extract(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    core.registers[op.d] = core.registers[op.a] >> op.c & u64::MAX >> (64 - op.imm);
    next(core, rest)
}

/// Extracts a field of the word in `a`, from bit `c` on and as many bits as the immediate says; sign-extended.
pub(super) fn extract_word(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    let value = core.registers[op.a] >> op.c & u64::MAX >> (64 - op.imm);
    core.registers[op.d] = word(value);
    next(core, rest)
}

fn inserted(core: &Cpu, op: &Operation) -> u64 {
    let mask = u64::MAX >> (64 - op.imm) << op.c;
    core.registers[op.b] & !mask | core.registers[op.a] << op.c & mask
}

/// Inserts as many bits of `a` as the immediate says into `b`, from bit `c` on.
pub(super) fn insert(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    core.registers[op.d] = inserted(core, op);
    next(core, rest)
}

/// Inserts as many bits of `a` as the immediate says into the word in `b`, from bit `c` on; sign-extended.
pub(super) fn insert_word(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    core.registers[op.d] = word(inserted(core, op));
    next(core, rest)
}
