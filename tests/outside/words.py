"""Bundles as words: the fields of the encoding, packing, unpacking, and what is undefined.

A bundle is an int of 64 bits, or of 128 on cores with more FPRs, whose upper word stands above.
"""

from dataclasses import dataclass, field
from random import Random

from operations import ARITHMETIC, signed
from shape import CP2, Shape

# field: highest and lowest bit
PLACES: dict[str, tuple[int, int]] = {
    "op": (62, 56), "fd": (55, 50), "fs": (49, 44), "ft": (43, 38), "fq": (37, 32),
    "imm6": (37, 32), "imm12": (43, 32), "imm16": (47, 32), "imm18": (49, 32),
    "format": (54, 53), "cc1": (52, 50), "cond": (34, 32), "half": (33, 32), "mode": (32, 32),
    "creg": (35, 32), "cc": (31, 29), "f2": (22, 17), "fd2": (16, 12),
    "reg": (20, 17), "rn": (16, 13), "offset": (12, 0), "imm13": (12, 0), "count": (22, 13),
    "word": (14, 0), "seti": (15, 0), "regtype": (22, 21), "dtype": (5, 3), "stype": (2, 0),
    "secn": (2, 0), "index": (3, 3), "select": (7, 0), "signs": (11, 8),
    # of extensions
    "fmt": (24, 23), "half2": (12, 12), "gm": (3, 0), "low": (0, 0), "fa": (16, 11),
    "fah": (10, 10), "ark": (53, 50), "shared": (9, 0), "offset11": (10, 0), "sj": (12, 11),
}
# fields of registers: where bits 7:6 of the number stand in the upper word
UPPER = {"fd": 64, "fs": 66, "ft": 68, "fq": 70, "f2": 72, "fd2": 74, "fa": 74}

# letter of an arithmetic row: its fields
LETTERS: dict[str, tuple[str, ...]] = {
    "d": ("fd",), "s": ("fs",), "S": ("fs",), "t": ("ft",), "T": ("ft",), "q": ("fq",),
    "w": ("imm6",), "x": ("imm12",), "y": ("imm16",), "z": ("imm18",), "h": ("half",),
    "m": ("mode",), "c": ("format", "cc1", "cond"), "r": ("creg",), "k": ("ark",),
}

Row = tuple[str, tuple[str, ...], str]
FORMS = ("i", "o", "np", "nm")
MEMORY = [base + form for base in ("lw", "sw", "ld", "sd") for form in FORMS]
STEPPED = {"i": ("f2", "word"), "o": ("f2", "rn", "offset"), "p": ("f2", "rn"), "m": ("f2", "rn")}
OWN = ("f2", "rn", "offset")
ACCESS, SECTIONS, COUNTERS = "word-access", "section-addressing", "section-counters"
SHARED, CONDITIONAL = "shared-memory", "conditional-memory"

# code of the exchange half: name, fields, and the extension that it belongs to
EXCHANGE: dict[int, Row] = {
    code: (name, fields, "") for code, name, fields in (
        (0x00, "nop", ()), (0x01, "move", ("reg", "rn", "dtype", "stype")), (0x02, "clr", ("rn",)),
        (0x03, "ret", ()), (0x04, "enddo", ()), (0x05, "sync", ()),
        (0x08, "stopi", ("imm13",)), (0x09, "stop", ("rn",)),
        (0x0A, "runi", ("imm13",)), (0x0B, "run", ("rn",)),
        *((0x10 + i, name, STEPPED[name[-1]]) for i, name in enumerate(MEMORY)),
        (0x20, "seti", ("reg", "regtype", "seti")),
        (0x21, "updaddr", ("rn", "offset")), (0x22, "updaddrnp", ("rn",)),
        (0x23, "updaddrnm", ("rn",)),
        (0x24, "doi", ("count", "imm13")), (0x25, "do", ("rn", "imm13")),
        (0x26, "calli", ("imm13",)), (0x27, "call", ("rn",)),
        (0x28, "jumpi", ("imm13",)), (0x29, "jump", ("rn",)),
        (0x2E, "check_dma", ("reg",)), (0x2F, "start_dma", ()),
        (0x30, "mtfpr", ("f2", "rn", "index", "secn")),
        (0x31, "mffpr", ("f2", "rn", "index", "secn")),
        (0x32, "psprmsgn0", ("f2", "fd2", "select", "signs")),
        (0x33, "psprmsgn1", ("f2", "fd2", "select", "signs")),
    )
}
EXCHANGE |= {
    0x34: ("lwsa", OWN, SECTIONS), 0x35: ("swsa", OWN, SECTIONS),
    0x36: ("ldsa", OWN, SECTIONS), 0x37: ("sdsa", OWN, SECTIONS),
    0x38: ("setsa", ("rn", "reg"), SECTIONS), 0x39: ("mtsa", ("f2", "rn", "low"), SECTIONS),
    0x3A: ("lwfa", ("f2", "fa", "fah"), SECTIONS),
    0x3F: ("mxfpr", ("f2", "rn", "low"), COUNTERS), 0x2A: ("mlwsa", OWN, COUNTERS),
    0x3C: ("mldsa", OWN, COUNTERS), 0x3D: ("mswsa", OWN, COUNTERS), 0x3E: ("msdsa", OWN, COUNTERS),
    0x3B: ("setq", ("rn", "reg"), SHARED),
    0x40: ("lqi", ("f2", "shared"), SHARED), 0x41: ("lqo", ("f2", "rn", "offset11"), SHARED),
    0x42: ("lqbi", ("f2", "shared"), SHARED), 0x43: ("lqbo", ("f2", "rn", "offset11"), SHARED),
    0x44: ("sqi", ("f2", "shared"), SHARED), 0x45: ("sqo", ("f2", "rn", "offset11"), SHARED),
    0x46: ("sqsi", ("f2", "shared", "sj"), SHARED),
    0x47: ("sqso", ("f2", "rn", "offset11", "sj"), SHARED),
    0x48: ("lh32np", ("f2", "rn", "half2", "low"), ACCESS),
    0x49: ("lh32nm", ("f2", "rn", "half2", "low"), ACCESS),
    0x4A: ("sh32np", ("f2", "rn", "half2", "low"), ACCESS),
    0x4B: ("sh32nm", ("f2", "rn", "half2", "low"), ACCESS),
    0x4C: ("lhgnp", ("f2", "rn", "half2", "gm"), ACCESS),
    0x4D: ("lhgnm", ("f2", "rn", "half2", "gm"), ACCESS),
    0x4E: ("shgnp", ("f2", "rn", "half2", "gm"), ACCESS),
    0x4F: ("shgnm", ("f2", "rn", "half2", "gm"), ACCESS),
    **{0x50 + i: ("c" + name, STEPPED[name[-1]], CONDITIONAL) for i, name in enumerate(MEMORY)},
    **{0x60 + i: (("s" if i & 16 else "l") + "h" + FORMS[i >> 2 & 3],
                  STEPPED[FORMS[i >> 2 & 3][-1]] + ("fmt",), ACCESS) for i in range(32)},
}
# operations of a register and its successor
PAIRED = ({name for name in MEMORY if name[1] == "d"} | {"c" + name for name in MEMORY if name[1] == "d"}
          | {"ldsa", "sdsa", "mldsa", "msdsa", "psprmsgn0", "psprmsgn1"})
OP_CODES = {operation.name: code for code, operation in ARITHMETIC.items()}
OP2_CODES = {row[0]: code for code, row in reversed(EXCHANGE.items())}
CONTROL = {"jump", "jumpi", "call", "calli", "ret", "do", "doi", "enddo", "stop", "stopi", "sync",
           "run", "runi"}

# An operand is a number, or the name of a label to be resolved.
Operands = dict[str, int | str]


@dataclass
class Bundle:
    """One bundle before it is packed: the two operations with their fields, and the predicate."""

    op: str = "nop"
    operands: Operands = field(default_factory=dict)
    op2: str = "nop"
    operands2: Operands = field(default_factory=dict)
    cc: int = 0


def arithmetic_fields(name: str) -> list[str]:
    """The encoding fields of an arithmetic operation."""
    letters = ARITHMETIC[OP_CODES[name]].fields
    return [place for letter in letters for place in LETTERS[letter]]


def put(word: int, place: str, value: int) -> int:
    """The word with one field replaced."""
    high, low = PLACES[place]
    mask = (1 << high - low + 1) - 1
    if place in UPPER:
        word = word & ~(3 << UPPER[place]) | value >> high - low + 1 << UPPER[place]
    return word & ~(mask << low) | (value & mask) << low


def get(word: int, place: str) -> int:
    """One field of the word, unsigned."""
    high, low = PLACES[place]
    value = word >> low & (1 << high - low + 1) - 1
    if place in UPPER:
        value |= (word >> UPPER[place] & 3) << high - low + 1
    return value


def pack(bundle: Bundle, labels: dict[str, int], dice: Random | None) -> int:
    """The word of a bundle; `dice` fills bits of the lower word that no operand uses with noise."""
    word = dice.getrandbits(63) if dice else 0
    word = put(word, "op", OP_CODES[bundle.op])
    word = put(word, "cc", bundle.cc)
    code = OP2_CODES[bundle.op2]
    word = word & ~(0x3F << 23) | (code & 0x3F) << 23 | code >> 6 << 63
    for operands in (bundle.operands, bundle.operands2):
        for place, value in operands.items():
            word = put(word, place, labels[value] if isinstance(value, str) else value)
    return word


@dataclass(frozen=True)
class Decoded:
    """One bundle as the machine sees it; `fault` says why it is undefined."""

    word: int
    op: int
    op2: str
    cc: int
    fields: dict[str, int]
    fault: str


def target(name: str, f: dict[str, int]) -> int:
    """The first register that `psprmsgn` writes: its opcode is bit 5 of the number."""
    return f["fd2"] & 31 | (name[-1] == "1") << 5 | f["fd2"] >> 5 << 6


def arithmetic_fault(op: int, f: dict[str, int], shape: Shape) -> str:
    """Why the arithmetic half is undefined, empty if it is not."""
    row = ARITHMETIC[op]
    destinations = [f["f" + letter] for letter in row.writes if letter in "dsq"]
    if len(set(destinations)) < len(destinations):
        return "equal destinations"
    for letter in row.fields:
        if letter in "dstq" and f["f" + letter] >= shape.fprs:
            return "register that there is not"
        if letter in "ST" and f["f" + letter.lower()] + 1 >= shape.fprs:
            return "register after the last"
    if row.name == "c" and f["format"] >= 2 and f["cc1"] == 7:
        return "pairwise comparison into cc7"
    if "r" in row.fields and f["creg"] > 1:
        return "control register of mfc, mtc"
    return ""


def exchange_fault(row: Row, f: dict[str, int], shape: Shape) -> str:
    """Why the exchange half is undefined, empty if it is not."""
    name, fields, _ = row
    second = int(name in PAIRED)
    if "f2" in fields and f["f2"] + second >= shape.fprs:
        return "register that there is not"
    if "fa" in fields and f["fa"] >= shape.fprs:
        return "register that there is not"
    if "fd2" in fields and target(name, f) + 1 >= shape.fprs:
        return "register that there is not"
    if name == "move":
        types = f["dtype"], f["stype"]
        if any(t in (1, 7) for t in types):
            return "type of move"
        if types[0] == 2 and f["reg"] >= 11 or types[1] == 2 and f["rn"] >= 12:
            return "control register of move"
    if name == "mtfpr" and f["secn"] > 4 or name == "mffpr" and f["secn"] > 3:
        return "section"
    if name in ("run", "runi"):
        return "run in a kernel"
    return ""


def unpack(word: int, shape: Shape = CP2) -> Decoded:
    """The bundle of a word."""
    op, op2 = get(word, "op"), word >> 23 & 0x3F | (word >> 63 & 1) << 6
    fields = {place: get(word, place) for place in PLACES}
    for place, bits in (("imm6", 6), ("imm12", 12), ("imm18", 18), ("offset", 13),
                        ("offset11", 11)):
        fields[place] = signed(fields[place], bits)
    row = EXCHANGE.get(op2, ("nop", (), "unknown"))
    known = op in ARITHMETIC and shape.has(ARITHMETIC[op].extension) and shape.has(row[2])
    if row[0] in ("mlwsa", "mldsa", "mswsa", "msdsa"):
        known &= shape.has(SECTIONS)
    fault = "unknown operation"
    if known:
        fault = arithmetic_fault(op, fields, shape) or exchange_fault(row, fields, shape)
    return Decoded(word, op, row[0], get(word, "cc"), fields, fault)
