"""Random single bundles: every operation that the core has, with operands that mean something.

What the specification leaves undefined is kept out here, by the choice of operands; `faults.py` puts
it in on purpose. Reserved: g12, g13 hold loop counts, g14 a value of LA, g15 addresses, r15 counts for LC.
"""

from random import Random

from operations import ARITHMETIC
from shape import Shape
from words import EXCHANGE, MEMORY, OP2_CODES, PAIRED, PLACES, UPPER, Bundle, arithmetic_fields, pack

PLAIN = MEMORY + ["updaddr", "updaddrnp", "updaddrnm"] + ["psprmsgn0", "psprmsgn1"] * 2
PLAIN += ["mtfpr", "mffpr", "seti", "move", "clr", "check_dma", "start_dma"]
OTHERS = ["move"] * 12 + ["mtfpr", "mffpr", "mtfpr", "mffpr", "seti", "lwi", "ldi", "nop", "nop"]
# their `rn` is no address set that the flow of programs relies on
ANY_SET = {"mtfpr", "setsa", "mtsa", "setq", "lqo", "lqbo", "sqo", "sqso", "lwsa", "ldsa", "swsa", "sdsa",
           "mlwsa", "mldsa", "mswsa", "msdsa"}
REGISTERS = 12  # general registers that plain operations may write


def borders(shape: Shape) -> list[int]:
    """Words of local memory next to the borders of its banks."""
    middle, end = shape.words // 2, shape.words
    return [0, 1, 2, 3, middle - 2, middle - 1, middle, middle + 1, end - 4, end - 3, end - 2, end - 1]


def modes(shape: Shape) -> list[int]:
    """Values of Mn: linear, bit-reversed, circles of several sizes, masks with holes."""
    linear = shape.address
    return [linear, linear, 0, 0, 7, 15, 0xFFF, 0x1000, 0x1FFE, 0x1FFF]


class Bundles:
    """Writes bundles one behind the other from its dice."""

    def __init__(self, dice: Random, shape: Shape) -> None:
        self.dice = dice
        self.shape = shape
        self.bundles: list[Bundle] = []
        self.labels: dict[str, int] = {}
        self.hot = dice.sample(range(shape.fprs), 14)
        self.dense = dice.choice((0.5, 0.8, 0.95))
        rows = [row for row in ARITHMETIC.values() if row.name != "nop" and shape.has(row.extension)]
        self.rows = {row.name: row for row in rows}
        self.names = list(self.rows)
        if dice.random() < 0.3:  # programs that dwell on few operations let them meet
            self.names = dice.sample(self.names, 6)
        self.added = [name for name, code in OP2_CODES.items() if self.is_added(code)]

    def is_added(self, code: int) -> bool:
        """Whether an exchange operation belongs to an extension that is on."""
        name, _, extension = EXCHANGE[code]
        masked = name in ("mlwsa", "mldsa", "mswsa", "msdsa")
        return bool(extension) and self.shape.has(extension) and (
            not masked or self.shape.has("section-addressing"))

    def register(self, last: int = -1) -> int:
        """An FPR up to `last`, mostly one of those that the program uses often."""
        everything = self.shape.fprs
        often = self.dice.random() < 0.85
        chosen = self.dice.choice(self.hot) if often else self.dice.randrange(everything)
        return min(chosen, everything + last)

    def random_field(self, place: str) -> int:
        """Any value that the place of an operand holds."""
        high, low = PLACES[place]
        return self.dice.getrandbits(high - low + 1)

    def arithmetic(self) -> tuple[str, dict[str, int]]:
        """An arithmetic operation; no equal destinations, no register after the last, no cc7 of a pair."""
        name = self.dice.choice(self.names)
        row = self.rows[name]
        operands = {place: self.random_field(place) for place in arithmetic_fields(name)}
        for letter in row.fields:
            if letter in "dstqST":
                operands["f" + letter.lower()] = self.register(-2 if letter in "ST" else -1)
        if "creg" in operands:
            operands["creg"] &= 1
        if name == "c" and operands["format"] & 2 and operands["cc1"] == 7:
            operands["cc1"] = 6
        places = ["f" + letter for letter in row.writes if letter in "dsq"]
        while len(places) == 2 and operands[places[0]] == operands[places[1]]:
            operands[places[0]] = self.dice.randrange(self.shape.fprs)
        return name, operands

    def move(self) -> dict[str, int]:
        """Operands of a `move` that cannot make the flow go astray."""
        dice = self.dice
        source, target = dice.choice((0, 2, 2, 3, 4, 5, 6)), dice.choice((0, 0, 2, 3, 4, 5, 6))
        operands = {"dtype": target, "stype": source, "rn": dice.randrange(16),
                    "reg": dice.randrange(15)}
        if source == 2:
            operands["rn"] = dice.randrange(12)
        if target == 0:
            operands["reg"] = dice.randrange(REGISTERS)
        if target == 2:
            operands["reg"] = dice.choice((0, 1, 1, 2, 3, 3, 4, 7, 8, 9, 10))
        return operands

    def plain(self) -> tuple[str, dict[str, int]]:
        """An exchange operation that leaves the flow alone."""
        dice = self.dice
        if self.added and dice.random() < 0.45:
            name = dice.choice(self.added)
        else:
            name = dice.choice(PLAIN if dice.random() < 0.6 else OTHERS)
        if name == "move":
            return name, self.move()
        operands = {place: self.random_field(place) for place in EXCHANGE[OP2_CODES[name]][1]}
        for place in operands:
            if place in ("f2", "fa"):
                operands[place] = self.register(-2 if name in PAIRED else -1)
            elif place == "fd2":
                operands[place] = self.permuted(name)
        self.restrict(name, operands)
        self.addresses(name, operands)
        return name, operands

    def permuted(self, name: str) -> int:
        """The field of the first register that `psprmsgn` writes; its opcode is bit 5 of the number."""
        second = int(name[-1] == "1")
        while True:
            first = self.register(-2)
            if first >> 5 & 1 == second:
                return first & 31 | first >> 6 << 5
            first ^= 32
            if first + 1 < self.shape.fprs:
                return first & 31 | first >> 6 << 5

    def restrict(self, name: str, operands: dict[str, int]) -> None:
        """Keep the reserved registers, and numbers of sections in their range."""
        dice = self.dice
        if name in ("mffpr", "mxfpr"):
            operands["rn"] = dice.randrange(REGISTERS)
        elif "rn" in operands and name not in ANY_SET:
            operands["rn"] = dice.randrange(15)
        if name == "check_dma":
            operands["reg"] = dice.randrange(REGISTERS)
        if "secn" in operands:
            operands["secn"] = dice.randrange(5 if name == "mtfpr" else 4)
        if name == "seti":
            kind = operands["regtype"]
            operands["reg"] = dice.randrange(REGISTERS if kind == 0 else 15)
            if kind == 3:
                operands["seti"] = dice.choice(modes(self.shape))
            elif kind == 1:
                operands["seti"] = dice.choice(borders(self.shape))

    def addresses(self, name: str, operands: dict[str, int]) -> None:
        """Addresses and steps that meet each other, and the borders of banks."""
        dice = self.dice
        if "word" in operands:
            near = dice.random() < 0.7
            place = dice.choice(borders(self.shape)) if near else dice.randrange(self.shape.words)
            ignored = dice.getrandbits(2) if self.shape.words == 8192 else 0
            operands["word"] = place | ignored << 13
        if "offset" in operands and dice.random() < 0.8:
            operands["offset"] = dice.choice((-4096, -3, -2, -1, 0, 1, 2, 4, 4095))
        if "shared" in operands and dice.random() < 0.8:
            operands["shared"] = dice.choice((0, 1, 2, 3, 4, 5, 1020, 1021, 1022, 1023))
        if "offset11" in operands and dice.random() < 0.8:
            operands["offset11"] = dice.choice((-1024, -4, -1, 0, 0, 1, 1, 4, 1023))
        if name == "doi":
            operands["count"] = dice.randrange(4)

    def emit(self, op2: str = "", operands2: dict[str, int | str] | None = None) -> None:
        """One bundle, its exchange half given or random."""
        bundle = Bundle()
        if self.dice.random() < self.dense:
            bundle.op, bundle.operands = self.arithmetic()
        if self.dice.random() < 0.4:
            bundle.cc = self.dice.randrange(8)
        if op2:
            bundle.op2, bundle.operands2 = op2, operands2 or {}
        elif self.dice.random() < self.dense:
            bundle.op2, bundle.operands2 = self.plain()
        self.bundles.append(bundle)

    def fill(self, least: int, most: int) -> None:
        """Some bundles that leave the flow alone."""
        for _ in range(self.dice.randint(least, most)):
            self.emit()

    def label(self, name: str = "") -> str:
        """A label for the next bundle."""
        name = name or f"l{len(self.labels)}"
        self.labels[name] = len(self.bundles)
        return name

    def words(self, noise: Random | None) -> list[int]:
        """The bundles as words; `noise` fills bits that no operand uses."""
        upper = noise if self.shape.fprs > 64 else None
        words = []
        for bundle in self.bundles:
            word = pack(bundle, self.labels, noise)
            if upper and upper.random() < 0.3:
                word |= self.unused_upper(bundle, upper) | upper.getrandbits(52) << 76
            words.append(word)
        return words

    def unused_upper(self, bundle: Bundle, noise: Random) -> int:
        """Noise for the places of the upper word that no register of the bundle uses."""
        used = {UPPER[place] for place in (*bundle.operands, *bundle.operands2) if place in UPPER}
        free = [place for place in (64, 66, 68, 70, 72, 74) if place not in used]
        return sum(noise.randrange(4) << place for place in free)
