"""Random register contents: special floats, near ones, ties, integers, everything."""

from random import Random

SPECIALS = (0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF,
            0x00000001, 0x807FFFFF, 0x007FFFFF, 0x00800000, 0x80800000, 0x00800001, 0x7F7FFFFF,
            0xFF7FFFFF, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x4B800000, 0xCB800001,
            0x4F000000, 0xCF000000, 0x4EFFFFFF, 0xCF000001, 0x43000000, 0xC2FC0000, 0xC2FC0001,
            0x7E800000, 0x7E7FFFFF, 0x40000000, 0x3F000000, 0x33000000, 0xB3000000, 0xB3000001)
MANTISSAS = (0, 0, 1, 0x7FFFFF, 0x7FFFFE, 0x400000, 0x3FFFFF, 0x400001, 0x800, 0xFFF)
EXPONENTS = (1, 2, 24, 25, 63, 64, 103, 126, 127, 127, 128, 128, 130, 150, 151, 190, 191, 253, 254)


# exponents that most numbers of a program have: around 1, arguments of the elementary functions, or where sums
# underflow or overflow
RANGES = ((119, 135), (119, 135), (119, 135), (126, 127), (1, 5), (251, 254))


def half(dice: Random, exponents: tuple[int, int]) -> int:
    """Thirty-two bits; a float without other reasons has an exponent in the range."""
    kind = dice.random()
    if kind < 0.2:
        return dice.choice(SPECIALS)
    if kind < 0.28:
        return dice.getrandbits(32)
    if kind < 0.36:
        return dice.randint(-40, 40) & 0xFFFFFFFF
    sign = dice.getrandbits(1) << 31
    mantissa = dice.choice(MANTISSAS) if dice.random() < 0.3 else dice.getrandbits(23)
    if dice.random() < 0.4:  # few bits: sums cancel, and the tables of functions are read at their rows
        mantissa &= dice.choice((0x7FF000, 0x7F0000))
    if kind < 0.5:
        exponent = dice.choice(EXPONENTS)
    elif kind < 0.58:
        exponent = dice.randint(1, 254)
    else:
        exponent = dice.randint(*exponents)
    return sign | exponent << 23 | mantissa


def word(dice: Random, exponents: tuple[int, int]) -> int:
    """Sixty-four bits, halves by themselves; sometimes both the same."""
    hi = half(dice, exponents)
    return hi << 32 | (hi if dice.random() < 0.05 else half(dice, exponents))
