"""Bundles without a meaning, put into finished programs: one for each rule of what is undefined.

The rules stand in `specs/src/machine.md`, "What is undefined", and `specs/src/timing.md`, "Not allowed".
Whether a spoiled program comes to its fault, and what it does before, is for the model to say.
"""

from random import Random

from shape import Shape
from words import EXCHANGE, OP2_CODES, OP_CODES, get, put

CONTROLS = ("jumpi", "jump", "calli", "call", "ret", "do", "doi", "enddo", "sync", "stopi", "runi", "run")
PAIR_OF_RESULTS = {"clear": "ds", "swap64": "ds", "cbutterfly": "ds", "cbutterfly2": "ds",
                   "unpck16wstops": "ds", "caddsub": "dq", "psaddsub": "dq", "mtrans": "dq", "rrlog2": "dq"}
WITH_NEXT = {"mvmadd": ("fs",), "mtvmadd": ("fs",), "mvmsub": ("fs",), "mtvmsub": ("fs",),
             "qsdot": ("fs", "ft")}


def with_op(word: int, name: str) -> int:
    """The word with another arithmetic operation."""
    return put(word, "op", OP_CODES[name])


def with_op2(word: int, name: str) -> int:
    """The word with another exchange operation; its opcode has bit 63 as the highest."""
    return with_code(word, OP2_CODES[name])


def with_code(word: int, code: int) -> int:
    """The word with an opcode of the exchange half."""
    return word & ~(0x3F << 23 | 1 << 63) | (code & 0x3F) << 23 | code >> 6 << 63


def unknown(dice: Random, word: int) -> int:
    """Any opcode in one of the halves; most of the values are in use by nothing."""
    if dice.random() < 0.5:
        return put(word, "op", dice.randrange(128))
    return with_code(word, dice.choice((dice.randrange(0x2A, 0x40), dice.randrange(0x40, 0x80))))


def after_last(dice: Random, word: int, shape: Shape) -> int:
    """An operation that takes the last register and its successor, or one that the core does not have."""
    last = shape.fprs - dice.randrange(2) if shape.fprs not in (64, 256) else shape.fprs - 1
    if dice.random() < 0.4:
        name = dice.choice(list(WITH_NEXT))
        return put(with_op(word, name), dice.choice(WITH_NEXT[name]), last)
    name = dice.choice(("ldi", "ldnp", "sdo", "psprmsgn0", "lwi", "mtfpr"))
    return put(with_op2(word, name), "f2", last)


def second_permuted(word: int, shape: Shape) -> int:
    """`psprmsgn` into the last register and its successor."""
    last = shape.fprs - 1
    name = "psprmsgn1" if last >> 5 & 1 else "psprmsgn0"
    word = put(with_op2(word, name), "f2", 0)
    return put(word, "fd2", last & 31 | last >> 6 << 5)


def equal(dice: Random, word: int) -> int:
    """Both results into one register."""
    name = dice.choice(list(PAIR_OF_RESULTS))
    first, second = PAIR_OF_RESULTS[name]
    register = dice.randrange(64)
    return put(put(with_op(word, name), "f" + first, register), "f" + second, register)


def comparison(dice: Random, word: int) -> int:
    """A pairwise comparison into cc7."""
    word = put(with_op(word, "c"), "format", dice.choice((2, 3)))
    return put(word, "cc1", 7)


def move_of_nothing(dice: Random, word: int) -> int:
    """`move` of a type or a control register that there is not, or to STOPCODE."""
    word = with_op2(word, "move")
    kind = dice.randrange(4)
    if kind == 0:
        return put(word, dice.choice(("dtype", "stype")), dice.choice((1, 7)))
    place, register, least = ("stype", "rn", 12) if kind == 1 else ("dtype", "reg", 11)
    word = put(put(word, "dtype", 0), "stype", 0)
    return put(put(word, place, 2), register, dice.randrange(least, 16))


def section(dice: Random, word: int) -> int:
    """A section that there is not."""
    name = dice.choice(("mtfpr", "mffpr"))
    return put(with_op2(word, name), "secn", dice.randrange(5 if name == "mtfpr" else 4, 8))


def switched_off(dice: Random, shape: Shape, word: int) -> int:
    """An operation of an extension that is off, or one that needs two of which one is on."""
    off = [code for code, (_, _, extension) in EXCHANGE.items() if not shape.has(extension)]
    if shape.has("section-counters") and not shape.has("section-addressing"):
        off = [OP2_CODES[name] for name in ("mlwsa", "mldsa", "mswsa", "msdsa")]
    return with_code(word, dice.choice(off)) if off else put(word, "op", 0x36)


def control(dice: Random, word: int, place: int, size: int) -> int:
    """A control operation, where the program did not look for one."""
    name = dice.choice(CONTROLS)
    word = with_op2(word, name)
    near = max(0, min(8191, place + dice.choice((-3, -1, 0, 0, 1, 1, 2, 3, 4, 6, 9))))
    if "imm13" in EXCHANGE[OP2_CODES[name]][1]:
        target = dice.choice((near, near, near, near, dice.randrange(size), dice.randrange(8188, 8192)))
        word = put(word, "imm13", target)
    if name == "doi":
        word = put(word, "count", dice.randrange(4))
    return word


def astray(dice: Random, word: int, place: int, size: int) -> int:
    """A control operation, a write of LC or LA, or any word at all."""
    kind = dice.randrange(8)
    if kind == 0:
        return dice.getrandbits(64)
    if kind < 3:
        word = put(put(with_op2(word, "move"), "dtype", 2), "stype", 0)
        register = dice.choice((5, 6, 6))
        return put(put(word, "reg", register), "rn", 14 if register == 6 else dice.randrange(16))
    return control(dice, word, place, size)


def undefined(dice: Random, shape: Shape, word: int) -> int:
    """The word changed into one that mostly has no meaning."""
    if shape.extensions and dice.random() < 0.2:
        return switched_off(dice, shape, word)
    kinds = (lambda: unknown(dice, word), lambda: after_last(dice, word, shape),
             lambda: second_permuted(word, shape), lambda: equal(dice, word),
             lambda: comparison(dice, word), lambda: move_of_nothing(dice, word),
             lambda: section(dice, word), lambda: switched_off(dice, shape, word),
             lambda: put(with_op(word, dice.choice(("mfc", "mtc"))), "creg", dice.randrange(2, 16)),
             lambda: word ^ 1 << dice.randrange(64))
    return dice.choice(kinds)()


def places(words: list[int], *names: str) -> list[int]:
    """The places of exchange operations."""
    codes = [OP2_CODES[name] for name in names]
    return [place for place, word in enumerate(words) if word >> 23 & 0x3F | (word >> 63 & 1) << 6 in codes]


def spoil(dice: Random, shape: Shape, words: list[int]) -> None:
    """Change one or a few bundles of a program."""
    kind, found = dice.random(), places(words, "do", "doi")
    if kind < 0.36:
        for _ in range(3):
            place = dice.randrange(2, len(words))
            words[place] = undefined(dice, shape, words[place])
    elif kind < 0.39:  # a jump to the end of instruction memory, and on
        place = dice.randrange(2, len(words))
        words[place] = put(with_op2(words[place], "jumpi"), "imm13", dice.randrange(8185, 8192))
    elif kind < 0.42:  # the same by registers, and beyond it
        for place in places(words, "seti"):
            if get(words[place], "reg") == 15 and get(words[place], "regtype") == 0:
                words[place] = put(words[place], "seti", dice.choice((8190, 8191, 8192, 8193, 16384)))
    elif kind < 0.62 and found:  # the `end` of a loop one bundle off
        place = dice.choice(found)
        end = get(words[place], "imm13") + dice.choice((-1, 1))
        words[place] = put(words[place], "imm13", dice.choice((end, end, end, place, place, place + 1)))
    elif kind < 0.85 and found:  # a control operation at the end of a loop
        place = get(words[dice.choice(found)], "imm13") + dice.choice((-2, -1, -1, 0, 1, 2))
        place = max(2, min(len(words) - 1, place))
        words[place] = control(dice, words[place], place, len(words))
    else:
        for _ in range(dice.choice((1, 2, 3, 20))):
            place = dice.randrange(2, len(words))
            words[place] = astray(dice, words[place], place, len(words))
