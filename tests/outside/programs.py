"""Random programs: pieces of flow put together, with the state before the run.

The specification leaves the place of some control operations undefined; those places are kept out by
the shape of `loop`, `skip` and `call`. `faults.py` spoils some of the finished programs.
"""

from dataclasses import dataclass, field
from random import Random

from bundles import Bundles, borders, modes
from faults import spoil
from numbers64 import RANGES, word
from shape import CP2, Shape
from words import Bundle

CALLS_LIMIT = 17
EXTENSIONS = ("word-access", "section-addressing", "conditional-memory", "section-counters",
              "shared-memory", "fft-direction")


@dataclass
class Program:
    """Words, the state before the run, the limit of cycles, and the core that they are for."""

    words: list[int]
    init: dict[str, object]
    limit: int = 3000
    labels: dict[str, int] = field(default_factory=dict)
    shape: Shape = CP2


class Writer(Bundles):
    """Writes one program from its dice."""

    def __init__(self, dice: Random, shape: Shape) -> None:
        super().__init__(dice, shape)
        self.subs: list[str] = []
        self.la: tuple[int, int] | None = None

    def block(self, size: int, depth: int) -> None:
        """Bundles and pieces of flow, one behind the other."""
        pieces = [self.loop, self.loop, self.skip, self.skip_register, self.call, self.sync,
                  self.leave, self.counted, self.mailbox, self.flags, self.probe]
        for _ in range(size):
            if depth < 3 and self.dice.random() < 0.22:
                self.dice.choice(pieces)(depth + 1)
            else:
                self.emit()

    def begin_loop(self, depth: int) -> str:
        """`do` or `doi`; a count in a register may be too young to be seen."""
        end = f"end{len(self.bundles)}"
        count = self.dice.choice((0, 1, 2, 2, 3, 4) if depth < 3 else (0, 1, 2))
        if self.dice.random() < 0.5:
            self.emit("doi", {"count": count, "imm13": end})
        else:
            register = self.dice.choice((12, 13))
            if self.dice.random() < 0.7:
                self.emit("seti", {"reg": register, "regtype": 0, "seti": count})
                self.fill(0, 2)
            self.emit("do", {"rn": register, "imm13": end})
        return end

    def end_loop(self, end: str) -> None:
        """Two free bundles in front of the end, the end, and the bundle behind it."""
        self.label(end)
        self.fill(2, 2)

    def loop(self, depth: int) -> None:
        """A hardware loop, whose body may begin with another."""
        end = self.begin_loop(depth)
        if self.dice.random() < 0.8:
            self.block(self.dice.randint(1, 6), depth)
            self.fill(2, 3)
        self.end_loop(end)

    def counted(self, depth: int) -> None:
        """A loop that writes LC, from a counter that runs down to 0 and around."""
        end = self.begin_loop(depth)
        size = self.dice.randint(1, 5)
        place = self.dice.randrange(size + 1)
        for i in range(size + 2):
            if i == size:
                self.label(end)
            if i == place:
                self.emit("move", {"dtype": 2, "reg": 5, "stype": 3, "rn": 15})
            elif i == place + 1:
                self.emit("updaddrnm", {"rn": 15})
            else:
                self.emit()

    def leave(self, depth: int) -> None:
        """A loop left by `enddo`, with a jump or straight on."""
        end, out = self.begin_loop(depth), f"out{len(self.bundles)}"
        self.fill(0, 3)
        self.emit("enddo")
        self.fill(0, 2)
        if self.dice.random() < 0.5:
            self.emit("jumpi", {"imm13": out})
            self.fill(1, 4)
        self.fill(2, 4)
        self.end_loop(end)
        self.label(out)
        self.emit()

    def skip(self, _depth: int) -> None:
        """A jump over some bundles."""
        target = f"skip{len(self.bundles)}"
        self.emit("jumpi", {"imm13": target})
        self.fill(1, 4)
        self.label(target)
        self.emit()

    def skip_register(self, _depth: int) -> None:
        """A jump by a register that was written a little before, twice."""
        near, far = f"near{len(self.bundles)}", f"far{len(self.bundles)}"
        for target in self.dice.sample((near, far), 2):
            self.emit("seti", {"reg": 15, "regtype": 0, "seti": target})
            self.fill(0, 2)
        self.emit("jump", {"rn": 15})
        self.fill(1, 3)
        self.label(near)
        self.fill(1, 2)
        self.label(far)
        self.emit()

    def call(self, _depth: int) -> None:
        """A call, by a register that may show its old address."""
        if not self.subs:
            self.emit("sync")
            return
        first, second = self.dice.choice(self.subs), self.dice.choice(self.subs)
        if self.dice.random() < 0.5:
            self.emit("calli", {"imm13": first})
        else:
            self.emit("seti", {"reg": 15, "regtype": 0, "seti": first})
            self.fill(2, 3)
            self.emit("seti", {"reg": 15, "regtype": 0, "seti": second})
            self.fill(0, 2)
            self.emit("call", {"rn": 15})
        self.fill(2, 3)

    def sync(self, _depth: int) -> None:
        """A `sync`, to be followed by readers of what it waits for."""
        self.emit("sync")
        self.fill(1, 3)

    def mailbox(self, _depth: int) -> None:
        """COMM written or read, STATUS read soon behind it."""
        way = {"dtype": 2, "reg": 1, "stype": 0, "rn": 2}
        if self.dice.random() < 0.5:
            way = {"dtype": 0, "reg": 2, "stype": 2, "rn": 1}
        self.emit("move", way)
        for register in (3, 4, 5):
            self.emit("move", {"dtype": 0, "reg": register, "stype": 2, "rn": 3})

    def flags(self, _depth: int) -> None:
        """`mtc` to FCSR, operations behind it, STATUS written and read at any distance."""
        self.emit()
        self.bundles[-1].op, self.bundles[-1].operands = "mtc", {"fd": self.register(), "creg": 0}
        for i in range(9):
            kind = self.dice.randrange(6)
            if kind == 0:
                self.emit("move", {"dtype": 2, "reg": 3, "stype": 0, "rn": self.dice.randrange(16)})
            elif kind < 4:
                self.emit("move", {"dtype": 0, "reg": i, "stype": 2, "rn": 3})
            else:
                self.emit()

    def probe(self, _depth: int) -> None:
        """Operations one by one, the FCSR behind each kept: otherwise the next one hides what it raised."""
        names = [name for name, row in self.rows.items() if row.flags]
        names = names[-10:] if self.dice.random() < 0.6 else names  # the elementary functions are the last
        kept = self.names
        for _ in range(self.dice.randint(2, 6)):
            self.names = [self.dice.choice(names)]
            self.bundles.append(Bundle(*self.arithmetic()))
            if "s" not in self.rows[self.names[0]].writes:
                self.bundles[-1].operands["fs"] = self.dice.randrange(self.shape.fprs - 1)
            self.bundles.append(Bundle(op2="sync"))
            place = self.dice.randrange(self.shape.fprs)
            self.bundles.append(Bundle("mfc", {"fd": place, "creg": 0}))
        self.names = kept

    def changed_end(self) -> None:
        """A loop whose LA is written in its body; g14 has the value."""
        end = self.begin_loop(1)
        start, size = len(self.bundles), self.dice.randint(3, 6)
        late = self.dice.random() < 0.5  # the bundle at `end` makes the next one the `end`
        place = size if late else self.dice.randrange(size + 2)
        for i in range(size + 2):
            if i == size:
                self.label(end)
            if i == place:
                self.emit("move", {"dtype": 2, "reg": 6, "stype": 0, "rn": 14})
            else:
                self.emit()
        self.fill(4, 6)
        self.la = start + self.dice.randint(0, 1), start + size + (1 if late else self.dice.randint(-1, 3))

    def deep_loops(self) -> None:
        """More loops than the stack holds."""
        depth = self.dice.randint(14, 18)
        ends = [f"deep{i}" for i in range(depth)]
        for end in ends:
            self.emit("doi", {"count": self.dice.choice((1, 1, 1, 1, 2)), "imm13": end})
        self.fill(1, 2)
        for end in reversed(ends):
            self.label(end)
            self.emit()
        self.fill(2, 3)

    def long_loop(self) -> None:
        """Many rounds of a short body: engines that translate loops come to their fast path."""
        self.emit("doi", {"count": self.dice.randint(60, 250), "imm13": "long"})
        self.fill(1, 4)
        self.end_loop("long")

    def underflow(self) -> None:
        """`ret` and `enddo` with nothing on their stacks."""
        for name in self.dice.sample(("ret", "enddo"), 2):
            self.emit(name)
            self.fill(1, 3)

    def subroutines(self, count: int) -> None:
        """Subroutines, each calling only those written before it."""
        for i in range(count):
            name = self.label(f"sub{i}")
            self.block(self.dice.randint(1, 5), 2)
            self.fill(2, 2)
            self.emit("ret")
            self.emit()
            self.subs.append(name)

    def chain(self, count: int) -> str:
        """Subroutines that call each other deeper than the stack holds."""
        for i in range(count):
            self.label(f"chain{i}")
            self.fill(0, 1)
            if i + 1 < count:
                self.emit("calli", {"imm13": f"chain{i + 1}"})
                self.fill(1, 3)
            self.emit("ret")
            self.emit()
        return "chain0"

    def stop(self) -> None:
        """`stop`, perhaps of a register that was written too late."""
        if self.dice.random() < 0.5:
            self.emit("stopi", {"imm13": self.dice.randrange(8192)})
            return
        self.emit("seti", {"reg": 11, "regtype": 0, "seti": self.dice.randrange(65536)})
        self.fill(0, 3)
        self.emit("stop", {"rn": 11})

    def whole(self, size: int) -> None:
        """The program: a jump to the main part behind the subroutines, that part, a stop."""
        dice = self.dice
        self.emit("jumpi", {"imm13": "main"})
        self.emit()
        deep = self.chain(dice.randint(13, CALLS_LIMIT)) if dice.random() < 0.15 else ""
        self.subroutines(dice.randint(1, 3))
        self.label("main")
        self.block(size, 0)
        extras = [piece for piece in (self.changed_end, self.deep_loops, self.underflow, self.long_loop)
                  if dice.random() < 0.2]
        for piece in extras:
            piece()
            self.block(4, 0)
        if deep:
            self.emit("calli", {"imm13": deep})
            self.fill(3, 6)
        self.stop()


def memory(dice: Random, shape: Shape, exponents: tuple[int, int]) -> dict[str, str]:
    """Words of one local memory: around the borders of its banks, and some elsewhere."""
    middle, end = shape.words // 2, shape.words
    places = [*range(24), *range(middle - 12, middle + 12), *range(end - 24, end)]
    places += [dice.randrange(end) for _ in range(40)]
    return {str(place): f"{word(dice, exponents):x}" for place in sorted(set(places))}


def initial(dice: Random, shape: Shape, size: int, la: tuple[int, int] | None) -> dict[str, object]:
    """The state before the run of a program of `size` bundles."""
    def values(count: int, bits: int) -> list[str]:
        return [f"{dice.getrandbits(bits):x}" for _ in range(count)]

    def addresses() -> list[str]:
        near = borders(shape)
        return [f"{dice.choice(near) if dice.random() < 0.7 else dice.randrange(shape.words):x}"
                for _ in range(16)]

    exponents = dice.choice(RANGES)
    gpr = values(16, 64)
    for i in (12, 13):
        gpr[i] = f"{dice.getrandbits(32) << 32 | dice.randrange(5):x}"
    start, end = la or sorted((dice.randrange(2, size), dice.randrange(2, size)))
    gpr[14] = f"{start << 16 | end:x}"
    a = addresses()
    n = [f"{dice.choice((0, 1, 1, 2, 3, shape.words - 1, shape.words // 2, 64)):x}" for _ in range(16)]
    m = [f"{dice.choice(modes(shape)):x}" for _ in range(16)]
    a[15], n[15], m[15] = "3", "1", "3"
    state = {
        "fpr": [[f"{word(dice, exponents):x}" for _ in range(shape.fprs)] for _ in range(4)],
        "lmem": [memory(dice, shape, exponents) for _ in range(4)],
        "gpr": gpr, "ireg": values(16, 64), "a": a, "n": n, "m": m,
        "control": f"{dice.choice((0, 0, 0, 1, 2, 3)) | dice.getrandbits(1) << 15:x}",
        "status": f"{dice.getrandbits(2) << 3 | dice.getrandbits(6) << 16:x}",
        "stopcode": values(1, 64)[0],
        "rind": values(1, 16)[0], "rstep": values(1, 16)[0],
        "rmask": f"{dice.choice((0xFFFF, 0xFFF0, 0x7FFF, 0x0FF0, dice.getrandbits(16))):x}",
        "fccr": [f"{dice.getrandbits(8) | 1:x}" for _ in range(4)],
        "fcsr": [f"{dice.getrandbits(32) & 0x3F0FC:x}" for _ in range(4)],
    }
    if shape.has("section-addressing"):
        state["sa"] = [addresses() for _ in range(4)]
    if shape.has("shared-memory"):
        places = [*range(16), *range(1008, 1024)]
        state["shared"] = {str(place): f"{word(dice, exponents):x}" for place in places}
        state["qa"] = [f"{dice.choice((0, 1, 5, 1020, 1021, 1023, dice.randrange(1024))):x}" for _ in range(16)]
    for key in list(state):
        if dice.random() < 0.04:  # then it is as reset leaves it
            del state[key]
    return state


def extended(dice: Random) -> Shape:
    """A core with a random set of extensions, at least one."""
    while True:
        chosen = frozenset(name for name in EXTENSIONS if dice.random() < 0.5)
        fprs = dice.choice((64, 64, 64, 128, 256, dice.randint(65, 256)))
        shape = Shape(chosen, fprs, dice.choice((8192, 8192, 16384, 32768)))
        if shape.options():
            return shape


def make(seed: int, number: int, extensions: bool = False) -> Program:
    """Program `number` of a seed, for CP2 or for a core with extensions."""
    dice = Random(f"{seed} {number} {extensions}")
    shape = extended(dice) if extensions else CP2
    writer = Writer(dice, shape)
    writer.whole(dice.randint(20, 70))
    words = writer.words(dice if dice.random() < 0.5 else None)
    if dice.random() < 0.4:
        spoil(dice, shape, words)
    limit = dice.randint(1, 300) if dice.random() < 0.1 else 3000
    return Program(words, initial(dice, shape, len(words), writer.la), limit, writer.labels, shape)
