"""What each arithmetic operation computes in one section, one function per operation.

A function gets a `Unit` with its operands and returns the new values of the registers that its row
names, in that order. The table at the end is the whole of the arithmetic half of the instruction set.
"""

from dataclasses import dataclass
from typing import Callable

import elementary
import floats
from floats import MASK, SIGN


@dataclass(slots=True)
class Unit:
    """The operands of one operation in one section, and the flags that its steps raise."""

    mode: int = 0
    section: int = 0
    d: int = 0
    s: int = 0
    t: int = 0
    after_s: int = 0
    after_t: int = 0
    imm: int = 0
    half: int = 0
    coefficient: int = 0
    flags: int = 0

    def step(self, outcome: floats.Result) -> int:
        """The value of a step; its flags join those of the operation."""
        self.flags |= outcome[1]
        return outcome[0]

    def add(self, a: int, b: int) -> int:
        """One addition."""
        return self.step(floats.add(a, b, self.mode))

    def sub(self, a: int, b: int) -> int:
        """One subtraction."""
        return self.step(floats.subtract(a, b, self.mode))

    def mul(self, a: int, b: int) -> int:
        """One multiplication."""
        return self.step(floats.multiply(a, b, self.mode))

    def pair(self, step: Callable[[int, int], int], a: int, b: int) -> int:
        """A step on both halves of two registers."""
        return step(a >> 32, b >> 32) << 32 | step(a & MASK, b & MASK)

    def dot(self, a: int, b: int) -> int:
        """a.hi * b.hi + a.lo * b.lo, three steps."""
        return self.add(self.mul(a >> 32, b >> 32), self.mul(a & MASK, b & MASK))

    def product(self, s: int, t: int) -> int:
        """The complex product, six steps."""
        a, b, c, d = s >> 32, s & MASK, t >> 32, t & MASK
        real = self.sub(self.mul(a, c), self.mul(b, d))
        return real << 32 | self.add(self.mul(a, d), self.mul(b, c))


Values = tuple[int, ...]


def pairwise(x: int, change: Callable[[int], int]) -> int:
    """A function of 32 bits on both halves."""
    return (change(x >> 32) & MASK) << 32 | change(x & MASK) & MASK


def signed(x: int, bits: int = 32) -> int:
    """The lowest bits as a signed number."""
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> bits - 1 else x


def shifted(x: int, amount: int, arithmetic: bool) -> int:
    """Both halves shifted left by a signed amount of -32 to 31."""
    if amount >= 0:
        return pairwise(x, lambda h: h << amount)
    if arithmetic:
        return pairwise(x, lambda h: signed(h) >> -amount)
    return pairwise(x, lambda h: h >> -amount)


def join(hi: int, lo: int) -> int:
    """A register from its halves."""
    return (hi & MASK) << 32 | lo & MASK


def conjugate(x: int) -> int:
    """The lower sign bit flipped, which is no step."""
    return x ^ SIGN


def swap64(u: Unit) -> Values:
    """Exchange D and S."""
    return u.s, u.d


def immediate(position: int) -> Callable[[Unit], Values]:
    """li0 to li3: sixteen bits of D replaced."""
    return lambda u: (u.d & ~(0xFFFF << position) | u.imm << position,)


def psaddsub(u: Unit) -> Values:
    """Sum to D, difference to Q."""
    return u.pair(u.add, u.s, u.t), u.pair(u.sub, u.s, u.t)


def psneg(u: Unit) -> Values:
    """Both signs flipped, by steps."""
    return (pairwise(u.s, lambda x: u.step(floats.negated(x))),)


def psabs(u: Unit) -> Values:
    """Both signs cleared, by steps."""
    return (pairwise(u.s, lambda x: u.step(floats.with_sign(x, 0))),)


def cconj(u: Unit) -> Values:
    """The real part passes a step, the imaginary part is negated."""
    return (join(u.step(floats.passed(u.s >> 32)), u.step(floats.negated(u.s & MASK))),)


def cmadd(u: Unit) -> Values:
    """D + S * T."""
    return (u.pair(u.add, u.d, u.product(u.s, u.t)),)


def cmsub(u: Unit) -> Values:
    """D - S * T."""
    return (u.pair(u.sub, u.d, u.product(u.s, u.t)),)


def chmul(u: Unit) -> Values:
    """S * conj(T)."""
    return (u.product(u.s, conjugate(u.t)),)


def chmadd(u: Unit) -> Values:
    """D + S * conj(T)."""
    return (u.pair(u.add, u.d, u.product(u.s, conjugate(u.t))),)


def chmsub(u: Unit) -> Values:
    """D - S * conj(T)."""
    return (u.pair(u.sub, u.d, u.product(u.s, conjugate(u.t))),)


def butterfly(u: Unit, w: int) -> Values:
    """D + S * w and D - S * w, the product computed once."""
    t = u.product(u.s, w)
    return u.pair(u.add, u.d, t), u.pair(u.sub, u.d, t)


def psmadd(u: Unit) -> Values:
    """D + S * T, pairwise."""
    return (u.pair(u.add, u.d, u.pair(u.mul, u.s, u.t)),)


def psmsub(u: Unit) -> Values:
    """D - S * T, pairwise."""
    return (u.pair(u.sub, u.d, u.pair(u.mul, u.s, u.t)),)


def matrix(u: Unit, first: int, second: int, transposed: bool) -> int:
    """The matrix with two rows times T."""
    if transposed:
        hi, lo = first >> 32, first & MASK
        first, second = join(hi, second >> 32), join(lo, second)
    return join(u.dot(first, u.t), u.dot(second, u.t))


def mvmul(u: Unit) -> Values:
    """Rows S, D times T."""
    return (matrix(u, u.s, u.d, False),)


def mtvmul(u: Unit) -> Values:
    """The same matrix transposed."""
    return (matrix(u, u.s, u.d, True),)


def matrix_sum(transposed: bool, minus: bool) -> Callable[[Unit], Values]:
    """D plus or minus the matrix of S and its successor times T."""
    def function(u: Unit) -> Values:
        product = matrix(u, u.s, u.after_s, transposed)
        return (u.pair(u.sub if minus else u.add, u.d, product),)
    return function


def mtrans(u: Unit) -> Values:
    """Columns of the matrix with rows S and T."""
    return join(u.s >> 32, u.t >> 32), join(u.s, u.t)


def qsdot(u: Unit) -> Values:
    """The dot product of four floats into one half of D."""
    value = u.add(u.dot(u.s, u.t), u.dot(u.after_s, u.after_t))
    return (join(value, u.d) if u.half & 1 else join(u.d >> 32, value),)


def pscopysign(u: Unit) -> Values:
    """Magnitude of S, sign of T; both are operands of the step."""
    def one(a: int, b: int) -> int:
        sign = u.step(floats.passed(b))
        if floats.is_nan(sign):
            u.step(floats.passed(a))
            return floats.NAN
        return u.step(floats.with_sign(a, sign & SIGN))
    return (u.pair(one, u.s, u.t),)


def psscale(u: Unit) -> Values:
    """S * 2**T."""
    return (u.pair(lambda a, b: u.step(floats.scaled(a, signed(b, 9), u.mode)), u.s, u.t),)


def magnitude(x: int) -> int:
    """Absolute value of a 32-bit integer; the least number gives the largest."""
    return min(abs(signed(x)), 0x7FFFFFFF)


def opposite(x: int) -> int:
    """Negative of a 32-bit integer; the least number gives the largest."""
    return min(-signed(x), 0x7FFFFFFF)


def extsign8h(u: Unit) -> Values:
    """Low byte of each 16 bits, sign-extended to 16 bits."""
    value = 0
    for position in (0, 16, 32, 48):
        value |= (signed(u.d >> position, 8) & 0xFFFF) << position
    return (value,)


def join8(u: Unit) -> Values:
    """Per half: the low byte of D, above it that of S."""
    return (u.pair(lambda a, b: (a & 0xFF | b << 8) & 0xFFFF, u.d, u.s),)


def join16(u: Unit) -> Values:
    """Per half: the low 16 bits of D, above them those of S."""
    return (u.pair(lambda a, b: (a & 0xFFFF | b << 16) & MASK, u.d, u.s),)


def unpck16wstops(u: Unit) -> Values:
    """Four signed 16-bit integers of T as floats."""
    def both(x: int) -> int:
        return join(u.step(floats.from_int(signed(x >> 16, 16), u.mode)),
                    u.step(floats.from_int(signed(x, 16), u.mode)))
    return both(u.t >> 32), both(u.t & MASK)


def one_half(function: Callable[[int], floats.Result], both: bool) -> Callable[[Unit], Values]:
    """An elementary function: its 32-bit result; `both`: the other half of S raises E and V."""
    def operation(u: Unit) -> Values:
        halves = u.s & MASK, u.s >> 32
        if both:
            u.step(floats.passed(halves[~u.half & 1]))
        return (u.step(function(halves[u.half & 1])),)
    return operation


def rrcossin(u: Unit) -> Values:
    """Reduced cosine and sine of S.lo."""
    x = u.s & MASK
    return (join(u.step(elementary.reduce_cosine(x, u.mode)), u.step(elementary.reduce_sine(x))),)


def rrlog2(u: Unit) -> Values:
    """Significands to D, exponents as floats to Q."""
    (d_hi, q_hi, f_hi), (d_lo, q_lo, f_lo) = (
        elementary.split_log(u.s >> 32), elementary.split_log(u.s & MASK))
    u.flags |= f_hi | f_lo
    return join(d_hi, d_lo), join(q_hi, q_lo)


def each(change: Callable[[int], int]) -> Callable[[Unit], Values]:
    """An operation of both halves of S that raises nothing."""
    return lambda u: (pairwise(u.s, change),)


def stepped(function: Callable[[Unit, int], floats.Result]) -> Callable[[Unit], Values]:
    """An operation that makes one step of each half of S."""
    return lambda u: (pairwise(u.s, lambda x: u.step(function(u, x))),)


@dataclass(frozen=True)
class Operation:
    """A row of the table: name, operand fields, registers written, flops, what it computes."""

    name: str
    fields: str
    writes: str
    flags: bool
    flops: int
    function: Callable[[Unit], Values]
    extension: str = ""


def row(name: str, fields: str, writes: str, function: Callable[[Unit], Values],
        flops: int | None = None) -> Operation:
    """A row; `flops` given, 0 too, means that the operation replaces FCSR.cause."""
    return Operation(name, fields, writes, flops is not None, flops or 0, function)


PAIR_ADD = lambda u: (u.pair(u.add, u.s, u.t),)  # noqa: E731
PAIR_SUB = lambda u: (u.pair(u.sub, u.s, u.t),)  # noqa: E731
INT_ADD = lambda a, b: a + b & MASK  # noqa: E731
INT_SUB = lambda a, b: a - b & MASK  # noqa: E731
# Fields: d s t q registers; S T those with a successor; h half selectors, m mode of `qsdot`;
# w x y z immediates of 6, 12, 16, 18 bits; c fields of a comparison; r control register; k address.
ARITHMETIC: dict[int, Operation] = {
    0x00: row("nop", "", "", lambda u: ()),
    0x02: row("c", "cst", "", lambda u: ()),
    0x03: row("clear", "ds", "ds", lambda u: (0, 0)),
    0x04: row("copy", "ds", "d", lambda u: (u.s,)),
    0x05: row("swaphl", "ds", "d", lambda u: (join(u.s, u.s >> 32),)),
    0x06: row("swap64", "ds", "ds", swap64),
    0x07: row("section", "d", "d", lambda u: (u.section,)),
    0x08: row("li3", "dy", "d", immediate(48)),
    0x09: row("li2", "dy", "d", immediate(32)),
    0x0A: row("li1", "dy", "d", immediate(16)),
    0x0B: row("li0", "dy", "d", immediate(0)),
    0x0E: row("mfc", "dr", "d", lambda u: (u.imm,)),
    0x0F: row("mtc", "dr", "", lambda u: ()),
    0x10: row("cadd", "dst", "d", PAIR_ADD, 2),
    0x11: row("csub", "dst", "d", PAIR_SUB, 2),
    0x12: row("caddsub", "dstq", "dq", psaddsub, 4),
    0x13: row("cneg", "ds", "d", psneg, 0),
    0x14: row("cmul", "dst", "d", lambda u: (u.product(u.s, u.t),), 6),
    0x15: row("cmadd", "dst", "d", cmadd, 8),
    0x16: row("cmsub", "dst", "d", cmsub, 8),
    0x17: row("cmuli", "ds", "d", lambda u: (u.product(u.s, floats.ONE),), 6),
    0x18: row("cmulni", "ds", "d", lambda u: (u.product(u.s, floats.ONE | SIGN),), 6),
    0x19: row("cconj", "ds", "d", cconj, 0),
    0x1A: row("cbutterfly", "ds", "ds", lambda u: butterfly(u, u.coefficient), 10),
    0x1B: row("cbutterfly2", "dst", "ds", lambda u: butterfly(u, u.t), 10),
    0x1C: row("chmul", "dst", "d", chmul, 6),
    0x1D: row("chmadd", "dst", "d", chmadd, 8),
    0x1E: row("chmsub", "dst", "d", chmsub, 8),
    0x20: row("psadd", "dst", "d", PAIR_ADD, 2),
    0x21: row("pssub", "dst", "d", PAIR_SUB, 2),
    0x22: row("psaddsub", "dstq", "dq", psaddsub, 4),
    0x23: row("psneg", "ds", "d", psneg, 0),
    0x24: row("psmul", "dst", "d", lambda u: (u.pair(u.mul, u.s, u.t),), 2),
    0x25: row("psmadd", "dst", "d", psmadd, 4),
    0x26: row("psmsub", "dst", "d", psmsub, 4),
    0x27: row("psabs", "ds", "d", psabs, 0),
    0x28: row("mvmul", "dstq", "q", mvmul, 6),
    0x29: row("mtvmul", "dstq", "q", mtvmul, 6),
    0x2A: row("mvmadd", "dSt", "d", matrix_sum(False, False), 8),
    0x2B: row("mtvmadd", "dSt", "d", matrix_sum(True, False), 8),
    0x2C: row("mvmsub", "dSt", "d", matrix_sum(False, True), 8),
    0x2D: row("mtvmsub", "dSt", "d", matrix_sum(True, True), 8),
    0x2E: row("mtrans", "dstq", "dq", mtrans),
    0x2F: row("qsdot", "dSTm", "d", qsdot, 7),
    0x30: row("pscopysign", "dst", "d", pscopysign, 0),
    0x31: row("psgetexp", "ds", "d", stepped(lambda u, x: elementary.exponent(x)), 0),
    0x32: row("psgetman", "ds", "d", stepped(lambda u, x: elementary.significand(x)), 0),
    0x33: row("psscale", "dst", "d", psscale, 2),
    0x34: row("getcoeff", "d", "d", lambda u: (u.coefficient,)),
    0x35: Operation("amtsa", "ksm", "", False, 0, lambda u: (), "section-addressing"),
    0x40: row("add", "dst", "d", lambda u: (u.pair(INT_ADD, u.s, u.t),)),
    0x41: row("sub", "dst", "d", lambda u: (u.pair(INT_SUB, u.s, u.t),)),
    0x42: row("abs", "ds", "d", each(magnitude)),
    0x43: row("neg", "ds", "d", each(opposite)),
    0x44: row("addi", "dsx", "d", lambda u: (pairwise(u.s, lambda h: h + u.imm),)),
    0x45: row("subi", "dsx", "d", lambda u: (pairwise(u.s, lambda h: h - u.imm),)),
    0x46: row("inci", "dz", "d", lambda u: (pairwise(u.d, lambda h: h + u.imm),)),
    0x47: row("deci", "dz", "d", lambda u: (pairwise(u.d, lambda h: h - u.imm),)),
    0x48: row("and", "dst", "d", lambda u: (u.s & u.t,)),
    0x49: row("or", "dst", "d", lambda u: (u.s | u.t,)),
    0x4A: row("xor", "dst", "d", lambda u: (u.s ^ u.t,)),
    0x4B: row("not", "ds", "d", lambda u: (u.s ^ (1 << 64) - 1,)),
    0x4C: row("lshift", "dst", "d", lambda u: (shifted(u.s, signed(u.t, 6), False),)),
    0x4D: row("lshifti", "dsw", "d", lambda u: (shifted(u.s, u.imm, False),)),
    0x4E: row("ashift", "dst", "d", lambda u: (shifted(u.s, signed(u.t, 6), True),)),
    0x4F: row("ashifti", "dsw", "d", lambda u: (shifted(u.s, u.imm, True),)),
    0x58: row("pwtops", "ds", "d", stepped(lambda u, x: floats.from_int(signed(x), u.mode)), 0),
    0x59: row("pstopw", "ds", "d", stepped(lambda u, x: floats.to_int(x, u.mode)), 0),
    0x5A: row("split8", "ds", "d", each(lambda h: signed(h >> 8, 8))),
    0x5B: row("split16", "ds", "d", each(lambda h: signed(h >> 16, 16))),
    0x5C: row("split32", "ds", "d", lambda u: (u.s >> 32,)),
    0x5D: row("extsign8h", "d", "d", extsign8h),
    0x5E: row("extsign8w", "d", "d", lambda u: (pairwise(u.d, lambda h: signed(h, 8)),)),
    0x5F: row("extsign16w", "d", "d", lambda u: (pairwise(u.d, lambda h: signed(h, 16)),)),
    0x60: row("join8", "ds", "d", join8),
    0x61: row("join16", "ds", "d", join16),
    0x62: row("join32", "ds", "d", lambda u: (join(u.s, u.d),)),
    0x63: row("unpck16wstops", "dst", "ds", unpck16wstops, 0),
    0x70: row("recip", "dsh", "H", one_half(elementary.recip, True), 1),
    0x71: row("sinc", "dsh", "H", one_half(elementary.sinc, True), 1),
    0x72: row("atanc", "dsh", "H", one_half(elementary.atanc, False), 1),
    0x73: row("log2c", "dsh", "H", one_half(elementary.log2c, False), 1),
    0x74: row("exp2", "dsh", "H", one_half(elementary.exp2, False), 1),
    0x75: row("rsqrt", "dsh", "H", one_half(elementary.rsqrt, False), 1),
    0x78: row("rrcossin", "ds", "d", rrcossin, 2),
    0x79: row("rrsin", "ds", "d", stepped(lambda u, x: elementary.reduce_sine(x)), 2),
    0x7A: row("rrcos", "ds", "d", stepped(lambda u, x: elementary.reduce_cosine(x, u.mode)), 2),
    0x7B: row("rrlog2", "dsq", "dq", rrlog2, 0),
}
