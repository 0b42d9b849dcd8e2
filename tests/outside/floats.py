"""IEEE single precision with CP2's rules, exact, on bit patterns held in ints.

A float is a 32-bit pattern. Every step takes denormal operands as zeros, gives one NaN only, rounds
its own result, and replaces results that are too small. Flags are those of FCSR, from bit 0 on.
"""

INEXACT, UNDERFLOW, OVERFLOW, ZERO_DIVIDE, INVALID, DENORMAL = 1, 2, 4, 8, 16, 32
NAN = 0x7FFFFFFF
SIGN = 0x80000000
INFINITY = 0x7F800000
LARGEST = 0x7F7FFFFF
SMALLEST = 0x00800000
ONE = 0x3F800000
MASK = 0xFFFFFFFF

NEAREST, TO_ZERO, UP, DOWN = range(4)

Result = tuple[int, int]


def is_nan(x: int) -> bool:
    """Whether the pattern is a NaN, quiet or signalling."""
    return x & 0x7FFFFFFF > INFINITY


def is_infinite(x: int) -> bool:
    """Whether the pattern is an infinity."""
    return x & 0x7FFFFFFF == INFINITY


def flush(x: int) -> Result:
    """The operand as a step sees it: a denormal is a zero of its sign and raises E."""
    if x & 0x7F800000 == 0 and x & 0x7FFFFF:
        return x & SIGN, DENORMAL
    return x, 0


def parts(x: int) -> tuple[int, int, int]:
    """Sign, integer significand and exponent of a finite float that is no denormal."""
    exponent = x >> 23 & 255
    if exponent == 0:
        return x >> 31, 0, 0
    return x >> 31, x & 0x7FFFFF | 0x800000, exponent - 150


def shorten(negative: int, m: int, excess: int, mode: int) -> tuple[int, bool]:
    """`m` without its `excess` lowest bits, rounded; and whether bits were lost."""
    low = m & (1 << excess) - 1
    m >>= excess
    if not low:
        return m, False
    half = 1 << excess - 1
    if mode == NEAREST:
        up = low > half or low == half and m & 1
    elif mode == TO_ZERO:
        up = False
    else:
        up = (mode == DOWN) == bool(negative)
    return m + bool(up), True


def rounded(negative: int, m: int, e: int, mode: int) -> Result:
    """The float of magnitude m * 2**e, m above 0, with the flags of rounding it."""
    excess = m.bit_length() - 24
    lost = False
    if excess > 0:
        m, lost = shorten(negative, m, excess, mode)
        if m == 1 << 24:
            m >>= 1
            excess += 1
    else:
        m <<= -excess
    biased = e + excess + 150
    sign = SIGN if negative else 0
    away = mode == NEAREST or mode == (DOWN if negative else UP)
    if biased > 254:
        return sign | (INFINITY if away else LARGEST), OVERFLOW | INEXACT
    if biased < 1:
        away = mode == (DOWN if negative else UP)
        return sign | (SMALLEST if away else 0), UNDERFLOW | INEXACT
    return sign | biased << 23 | m & 0x7FFFFF, INEXACT if lost else 0


def add(a: int, b: int, mode: int) -> Result:
    """One addition."""
    a, flags = flush(a)
    b, more = flush(b)
    flags |= more
    if is_nan(a) or is_nan(b):
        return NAN, flags | INVALID
    if is_infinite(a) or is_infinite(b):
        if is_infinite(a) and is_infinite(b) and a != b:
            return NAN, flags | INVALID
        return (a if is_infinite(a) else b), flags
    sign_a, m_a, e_a = parts(a)
    sign_b, m_b, e_b = parts(b)
    if not m_a and not m_b:
        return (a if a == b else SIGN if mode == DOWN else 0), flags
    if not m_a or not m_b:
        return (a if m_a else b), flags
    e = min(e_a, e_b)
    total = (m_a << e_a - e) * (1 - 2 * sign_a) + (m_b << e_b - e) * (1 - 2 * sign_b)
    if total == 0:
        return (SIGN if mode == DOWN else 0), flags
    result, more = rounded(int(total < 0), abs(total), e, mode)
    return result, flags | more


def subtract(a: int, b: int, mode: int) -> Result:
    """One subtraction."""
    if is_nan(b):
        return add(a, b, mode)
    return add(a, b ^ SIGN, mode)


def multiply(a: int, b: int, mode: int) -> Result:
    """One multiplication."""
    a, flags = flush(a)
    b, more = flush(b)
    flags |= more
    if is_nan(a) or is_nan(b):
        return NAN, flags | INVALID
    sign = (a ^ b) & SIGN
    zero = not a & 0x7FFFFFFF or not b & 0x7FFFFFFF
    if is_infinite(a) or is_infinite(b):
        if zero:
            return NAN, flags | INVALID
        return sign | INFINITY, flags
    if zero:
        return sign, flags
    _, m_a, e_a = parts(a)
    _, m_b, e_b = parts(b)
    result, more = rounded(sign >> 31, m_a * m_b, e_a + e_b, mode)
    return result, flags | more


def passed(a: int) -> Result:
    """A step that only looks at its operand: flushes it, or gives the NaN."""
    if is_nan(a):
        return NAN, INVALID
    return flush(a)


def with_sign(a: int, sign: int) -> Result:
    """The operand with another sign bit, by a step; a NaN has no sign."""
    a, flags = passed(a)
    if is_nan(a):
        return a, flags
    return a & 0x7FFFFFFF | sign, flags


def negated(a: int) -> Result:
    """The operand with its sign flipped."""
    return with_sign(a, ~a & SIGN)


def scaled(a: int, power: int, mode: int) -> Result:
    """a * 2**power in one step."""
    a, flags = passed(a)
    if flags & INVALID or is_infinite(a) or not a & 0x7FFFFFFF:
        return a, flags
    sign, m, e = parts(a)
    return rounded(sign, m, e + power, mode)


def from_int(value: int, mode: int) -> Result:
    """A signed integer as a float; 0 gives +0."""
    if value == 0:
        return 0, 0
    return rounded(int(value < 0), abs(value), 0, mode)


def to_int(a: int, mode: int) -> Result:
    """A float as a 32-bit integer; 0x7fffffff and V where it does not fit."""
    a, flags = flush(a)
    if is_nan(a) or is_infinite(a):
        return 0x7FFFFFFF, flags | INVALID
    sign, m, e = parts(a)
    if e >= 0:
        m <<= e
    else:
        m, lost = shorten(sign, m, -e, mode)
        flags |= INEXACT if lost else 0
    value = -m if sign else m
    if not -(1 << 31) <= value < 1 << 31:
        return 0x7FFFFFFF, INVALID
    return value & MASK, flags


def compare(a: int, b: int) -> str:
    """The relation of two floats: `<`, `=`, `>`, or `?` with a NaN; denormals are zeros."""
    if is_nan(a) or is_nan(b):
        return "?"
    keys = []
    for x in (flush(a)[0], flush(b)[0]):
        magnitude = x & 0x7FFFFFFF
        keys.append(-magnitude if x & SIGN else magnitude)
    return "<" if keys[0] < keys[1] else ">" if keys[0] > keys[1] else "="
