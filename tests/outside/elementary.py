"""Elementary functions and Fourier coefficients: tables by their rule, then integers only."""

import math
import struct
import zlib
from functools import lru_cache
from typing import Callable

import floats
from floats import (INEXACT, INFINITY, INVALID, NAN, ONE, OVERFLOW, SIGN, UNDERFLOW,
                    ZERO_DIVIDE, Result)

Row = tuple[int, int, int]


def over(numerator: Callable[[float], float], limit: float) -> Callable[[float], float]:
    """numerator(t) / t, with its limit at 0."""
    return lambda t: numerator(t) / t if t else limit


FUNCTIONS: dict[str, tuple[Callable[[float], float], int]] = {
    "recip": (lambda t: 1 / (1 + t), 0xEE27D271),
    "sqrt": (lambda t: math.sqrt(1 + t), 0x3AE69BF7),
    "sqrt2": (lambda t: math.sqrt(2 + 2 * t), 0xF9207061),
    "log2c": (over(lambda t: math.log1p(t) / math.log(2), 1 / math.log(2)), 0x6750FEED),
    "exp2": (lambda t: 2.0 ** t, 0xFE752C2E),
    "sinc": (over(lambda t: math.sin(math.pi * t / 2), math.pi / 2), 0xF71A9DD6),
    "atanc": (over(lambda t: 2 * math.atan(t) / math.pi, 2 / math.pi), 0xB8E2278B),
}


def nearest(value: float) -> int:
    """The integer next to a number, ties up."""
    return math.floor(value + 0.5)


def make_row(f: Callable[[float], float], i: int) -> Row:
    """The three integers of a row, from the Chebyshev expansion at 12 nodes."""
    angles = [math.pi * (j + 0.5) / 12 for j in range(12)]
    places = [(1 + math.cos(angle)) / 2 for angle in angles]
    values = [2.0 ** 26 * f((i + h) / 128) for h in places]
    b1, b2 = (sum(v * math.cos(k * x) for v, x in zip(values, angles)) / 6 for k in (1, 2))
    a1, a2 = 2 * b1 - 8 * b2, 8 * b2
    c1 = nearest(a1 / 8)
    c2 = nearest((a2 + a1 - 8 * c1) / 4)
    rests = []
    for step in range(513):
        h = step / 512
        rests.append(2.0 ** 26 * f((i + h) / 128) - 8 * c1 * h - 4 * c2 * h * h)
    return nearest((max(rests) + min(rests)) / 2), c1, c2


@lru_cache(maxsize=None)
def table(name: str) -> list[Row]:
    """The 128 rows of a table, checked by the sum that the reference gives."""
    f, expected = FUNCTIONS[name]
    rows = [make_row(f, i) for i in range(128)]
    data = b"".join(struct.pack("<3i", *row) for row in rows)
    if zlib.crc32(data) != expected:
        raise AssertionError(f"the table of {name} is not that of the reference")
    return rows


def evaluate(name: str, t: int, small: int) -> Result:
    """The function of a table at t / 2**24, cut off after 24 bits."""
    if t == 0:
        return small, INEXACT
    u = t & 0x1FFFF
    c0, c1, c2 = table(name)[t >> 17]
    a = (c0 << 32) + c1 * u * (1 << 18) + c2 * u * u
    p = a.bit_length() - 1
    fraction = a >> p - 23 & 0x7FFFFF
    flags = INEXACT if a & (1 << p - 22) - 1 else 0
    return p + 69 << 23 | fraction, flags


def recip(x: int) -> Result:
    """1 / x."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return x, flags
    sign, e = x & SIGN, x >> 23 & 255
    if x & ~SIGN == 0:
        return sign | INFINITY, flags | ZERO_DIVIDE
    if x & ~SIGN == INFINITY:
        return sign, flags
    if x == ONE:
        return ONE, flags
    if e >= 253:
        return sign, UNDERFLOW | INEXACT
    y, flags = evaluate("recip", 2 * (x & 0x7FFFFF), ONE)
    return sign | y - (e - 127 << 23), flags


def square_root(x: int) -> Result:
    """The truncated square root of a positive number, a step of `rsqrt`."""
    if x == ONE:
        return ONE, 0
    k = (x >> 23) - 127
    if k % 2:
        y, flags = evaluate("sqrt2", 2 * (x & 0x7FFFFF), 0x3FB504F3)
    else:
        y, flags = evaluate("sqrt", 2 * (x & 0x7FFFFF), ONE)
    return 127 + k // 2 << 23 | y & 0x7FFFFF, flags


def rsqrt(x: int) -> Result:
    """1 / sqrt(x)."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return x, flags
    if x & ~SIGN == 0:
        return INFINITY, flags | ZERO_DIVIDE
    if x & SIGN:
        return NAN, INVALID
    if x == INFINITY:
        return 0, 0
    root, flags = square_root(x)
    result, more = recip(root)
    return result, flags | more


def log2c(x: int) -> Result:
    """log2(x) / (x - 1) of a number in [1, 2)."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return x, flags
    if x & ~SIGN == 0:
        return INFINITY, flags
    if x == INFINITY:
        return 0, 0
    if x >> 23 != 127:
        return NAN, INVALID
    return evaluate("log2c", 2 * (x & 0x7FFFFF), 0x3FB8AA3B)


def exp2(x: int) -> Result:
    """2 ** x."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return x, flags
    if x & ~SIGN == INFINITY:
        return (0 if x & SIGN else INFINITY), 0
    sign, m, e = floats.parts(x)
    if m == 0:
        return ONE, flags
    scale = max(0, -e)
    value = (-1) ** sign * m << max(0, e)
    if value >= 128 << scale:
        return INFINITY, OVERFLOW | INEXACT
    if value < -126 << scale:
        return 0, UNDERFLOW | INEXACT
    n, rest = value >> scale, value & (1 << scale) - 1
    if rest == 0:
        return n + 127 << 23, 0
    fraction, _ = floats.rounded(0, rest, -scale, floats.NEAREST)
    if fraction == ONE:
        return n + 128 << 23, INEXACT
    _, m, e = floats.parts(fraction)
    t = m << e + 24 if e + 24 >= 0 else m >> -e - 24
    y, flags = evaluate("exp2", t, ONE)
    return y + (n << 23), flags


def centred(name: str, x: int, at_zero: int, at_one: int) -> Result:
    """`sinc` or `atanc`: an even function on [-1, 1]."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return x, flags
    x &= ~SIGN
    if x == 0:
        return at_zero, flags
    if x == INFINITY:
        return 0, 0
    if x >= ONE:
        return (at_one, 0) if x == ONE else (NAN, INVALID)
    _, m, e = floats.parts(x)
    t = m << e + 24 if e + 24 >= 0 else m >> -e - 24
    return evaluate(name, t, at_zero)


def sinc(x: int) -> Result:
    """sin(pi/2 x) / x."""
    return centred("sinc", x, 0x3FC90FDB, ONE)


def atanc(x: int) -> Result:
    """(2/pi) atan(x) / x."""
    return centred("atanc", x, 0x3F22F983, 0x3F000000)


def quarters(x: int) -> tuple[int, int, int]:
    """|x| = 4 q + n + g / 2**k as (n, g, k), for a finite x."""
    _, m, e = floats.parts(x)
    if e >= 0:
        return (m << e) % 4, 0, 0
    return m >> -e & 3, m & (1 << -e) - 1, -e


def exact(negative: int, g: int, k: int) -> int:
    """The float of g / 2**k, which is one."""
    if g == 0:
        return SIGN if negative else 0
    result, flags = floats.rounded(negative, g, -k, floats.NEAREST)
    assert flags == 0, "an argument reduction is exact"
    return result


def reduce_sine(x: int) -> Result:
    """r in [-1, 1] with sin(pi/2 r) = sin(pi/2 x)."""
    x, flags = floats.passed(x)
    if flags & INVALID or x & ~SIGN == INFINITY:
        return NAN, flags | INVALID
    if x & ~SIGN < ONE:
        return x, flags
    n, g, k = quarters(x)
    minus = int(n >= 2) ^ x >> 31
    return exact(minus, (1 << k) - g if n & 1 else g, k), flags


def reduce_cosine(x: int, mode: int) -> Result:
    """r in [-1, 1] with sin(pi/2 r) = cos(pi/2 x)."""
    x, flags = floats.passed(x)
    if flags & INVALID or x & ~SIGN == INFINITY:
        return NAN, flags | INVALID
    x &= ~SIGN
    if x == 0:
        return ONE, flags
    if x < ONE:
        return floats.subtract(ONE, x, mode)
    n, g, k = quarters(x)
    return exact(int(n in (1, 2)), g if n & 1 else (1 << k) - g, k), flags


def significand(x: int) -> Result:
    """The significand in [1, 2) with the sign of x; zeros stay, infinity and NaN are invalid."""
    x, flags = floats.passed(x)
    if flags & INVALID or x & ~SIGN == INFINITY:
        return NAN, flags | INVALID
    return (x if x & ~SIGN == 0 else x & 0x807FFFFF | ONE), flags


def exponent(x: int) -> Result:
    """The unbiased exponent as a 32-bit integer."""
    x, flags = floats.passed(x)
    if flags & INVALID or x & ~SIGN == INFINITY:
        return 0x7FFFFFFF, flags | INVALID
    return (x >> 23 & 255) - 127 & floats.MASK, flags


def split_log(x: int) -> tuple[int, int, int]:
    """Significand, exponent as a float, and flags: the operation `rrlog2` on one half."""
    x, flags = floats.passed(x)
    if flags & INVALID:
        return NAN, 0, flags
    if x & ~SIGN in (0, INFINITY):
        return x, 0, flags
    power, _ = floats.from_int((x >> 23 & 255) - 127, floats.NEAREST)
    return x & 0x807FFFFF | ONE, power, flags


@lru_cache(maxsize=None)
def eighth(t: int) -> tuple[int, int]:
    """(cos, sin) of t / 65536 of a turn, rounded to single; t from 0 to 8192."""
    pair = []
    for value in (math.cos(2 * math.pi * t / 65536), math.sin(2 * math.pi * t / 65536)):
        numerator, denominator = value.as_integer_ratio()
        power = denominator.bit_length() - 1
        pair.append(floats.rounded(0, numerator, -power, 0)[0] if numerator else 0)
    return pair[0], pair[1]


def coefficient(angle: int, inverse: int) -> int:
    """The Fourier coefficient of a 16-bit angle: cosine in the upper half, sine in the lower."""
    b13, b14, b15 = angle >> 13 & 1, angle >> 14 & 1, angle >> 15
    u = angle & 8191
    c, s = eighth(8192 - u if b13 else u)
    hi, lo = (s, c) if b13 ^ b14 else (c, s)
    if b14 ^ b15:
        hi ^= SIGN
    if b15 ^ inverse:
        lo ^= SIGN
    return hi << 32 | lo

