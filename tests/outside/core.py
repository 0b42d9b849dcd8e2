"""The core: state, pipelines without interlocks, four sections; one bundle after the other.

A bundle that issues in cycle i reads everything in stage 1, cycle i + 1: first its arithmetic
operation, then its exchange operation. What it writes later waits in `Pipeline` until its cycle is
over. So the model walks over bundles in the order of issue and needs no stage by stage simulation.
"""

from collections import Counter
from dataclasses import dataclass, field

import elementary
from floats import INVALID, DENORMAL, MASK, compare
from operations import ARITHMETIC, Operation, Unit, signed
from shape import CP2, Shape
from words import Decoded, unpack

SECTIONS = range(4)


class Refused(Exception):
    """The bundle is undefined; nothing of it has happened."""


@dataclass
class State:
    """Registers and memory, as reset leaves them."""

    shape: Shape = CP2
    fpr: list[list[int]] = field(default_factory=lambda: [[0] * 64 for _ in SECTIONS])
    lmem: list[dict[int, int]] = field(default_factory=lambda: [{} for _ in SECTIONS])
    gpr: list[int] = field(default_factory=lambda: [0] * 16)
    ireg: list[int] = field(default_factory=lambda: [0] * 16)
    a: list[int] = field(default_factory=lambda: [0] * 16)
    n: list[int] = field(default_factory=lambda: [1] * 16)
    m: list[int] = field(default_factory=lambda: [0x1FFF] * 16)
    control: int = 0
    comm: int = 0
    fpe: int = 0
    mailbox: int = 0
    stack_flags: int = 0
    stopcode: int = 0
    rind: int = 0
    rstep: int = 0
    rmask: int = 0xFFFF
    fccr: list[int] = field(default_factory=lambda: [1] * 4)
    fcsr: list[int] = field(default_factory=lambda: [0] * 4)
    loops: list[list[int]] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    sa: list[list[int]] = field(default_factory=lambda: [[0] * 16 for _ in SECTIONS])
    shared: dict[int, int] = field(default_factory=dict)
    qa: list[int] = field(default_factory=lambda: [0] * 16)

    def __post_init__(self) -> None:
        """Sizes follow the shape of the core."""
        for file in self.fpr:
            file.extend([0] * (self.shape.fprs - len(file)))
        self.m = [self.shape.address if mode == 0x1FFF else mode for mode in self.m]

    def status(self, running: int) -> int:
        """STATUS with an empty host FIFO."""
        return running | 4 | self.mailbox << 3 | self.fpe << 16 | self.stack_flags << 23


@dataclass
class Write:
    """Something that lands at the end of a cycle, or in it if it is a load."""

    kind: str
    section: int = 0
    register: int = 0
    value: int = 0
    mask: int = (1 << 64) - 1
    collected: int = 0


@dataclass
class Counts:
    """What a run reports."""

    cycles: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    flops: list[int] = field(default_factory=lambda: [0] * 4)
    collisions: list[int] = field(default_factory=lambda: [0] * 4)
    banks: list[int] = field(default_factory=lambda: [0] * 2)


class Core:
    """The state with what is under way; `control.py` adds the flow of bundles."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.counts = Counts()
        self.cycle = 0  # in which the bundle at hand issues
        self.done = 0  # cycles before this one are complete
        self.loads: dict[int, list[Write]] = {}
        self.ends: dict[int, list[Write]] = {}
        self.fcsr = list(state.fcsr)  # in program order, ahead of what has landed
        self.gpr_writes: list[list[tuple[int, int]]] = [[(-9, value)] for value in state.gpr]
        self.fpe_writes: list[Write] = []
        self.decoded: dict[int, Decoded] = {}
        self.own_addresses: list[tuple[int, int, int]] = []  # that an `amtsa` sets behind the bundle
        self.seen: Counter[str] = Counter()  # what happened, for the report of coverage

    def decode(self, word: int) -> Decoded:
        """The bundle of a word, each unpacked once."""
        if word not in self.decoded:
            self.decoded[word] = unpack(word, self.state.shape)
        return self.decoded[word]

    # What is under way

    def at_end(self, delay: int, write: Write) -> None:
        """Let something land at the end of the cycle `delay` cycles after issue."""
        self.ends.setdefault(self.cycle + delay, []).append(write)

    def advance(self, cycle: int) -> None:
        """Complete all cycles before `cycle`."""
        while self.done < cycle:
            touched: dict[tuple[int, int], int] = {}
            for write in self.loads.pop(self.done, ()):
                self.land(write, touched)
            for write in self.ends.pop(self.done, ()):
                self.land(write, touched)
            self.done += 1

    def land(self, write: Write, touched: dict[tuple[int, int], int]) -> None:
        """One landing; two on one FPR in one cycle are counted."""
        state = self.state
        if write.kind == "fpr":
            file = state.fpr[write.section]
            file[write.register] = file[write.register] & ~write.mask | write.value & write.mask
            place = write.section, write.register
            if touched.get(place, 0) & write.mask:
                self.counts.collisions[write.section] += 1
                self.seen["two writes of one register in one cycle"] += 1
            elif touched.get(place, 0):
                self.seen["writes of both halves of one register in one cycle"] += 1
            touched[place] = touched.get(place, 0) | write.mask
        elif write.kind == "fccr":
            codes = state.fccr[write.section] & ~write.mask | write.value & write.mask
            state.fccr[write.section] = codes & 255 | 1
        elif write.kind == "fcsr":
            state.fcsr[write.section] = write.value
        elif write.kind == "fpe":
            state.fpe = write.value | write.collected
            self.fpe_writes.remove(write)
        elif write.kind == "status":
            state.fpe = write.value >> 16 & 63
            state.stack_flags = write.value >> 23 & 15
        elif write.kind == "mailbox":
            state.mailbox = state.mailbox & ~write.mask | write.value

    # The arithmetic half

    def enabled(self, bundle: Decoded, section: int) -> bool:
        """Whether the predicate lets a section execute."""
        return bool(self.state.fccr[section] >> bundle.cc & 1)

    def arithmetic(self, bundle: Decoded) -> None:
        """Stage 1 of the arithmetic half in all sections."""
        row = ARITHMETIC[bundle.op]
        if row.name == "nop":
            return
        coefficient = 0
        if row.name in ("cbutterfly", "getcoeff"):
            inverse = self.state.control >> 15 & 1
            coefficient = elementary.coefficient(self.state.rind, inverse)
        raised = written = 0
        for section in SECTIONS:
            if not self.enabled(bundle, section):
                if row.name != "qsdot":
                    self.seen["section held back: arithmetic"] += 1
                    continue
                self.seen["qsdot in a section that the predicate disables"] += 1
            self.counts.flops[section] += row.flops
            if row.name == "c":
                self.comparison(bundle, section)
            elif row.name == "mtc":
                written |= self.move_to_control(bundle, section)
            elif row.name == "amtsa":
                self.own_address(bundle, section)
            else:
                raised |= self.compute(bundle, row, section, coefficient)
        if row.name == "mtc" and bundle.fields["creg"] == 0:
            write = Write("fpe", value=written >> 2 & 63)
            self.fpe_writes.append(write)
            self.at_end(7, write)
        self.state.fpe |= raised
        for write in self.fpe_writes:
            write.collected |= raised
            self.seen["flags raised behind a mtc that has not landed"] += bool(raised)
        if row.name in ("cbutterfly", "getcoeff"):
            s = self.state
            s.rind = (s.rind + s.rstep) & s.rmask | s.rind & ~s.rmask & 0xFFFF

    def compute(self, bundle: Decoded, row: Operation, section: int, coefficient: int) -> int:
        """An operation with results in one section; gives the flags it raises."""
        f, file = bundle.fields, self.state.fpr[section]
        d, s, t = (file[f[name]] if f[name] < len(file) else 0 for name in ("fd", "fs", "ft"))
        unit = Unit(self.state.control & 3, section, d, s, t,
                    file[(f["fs"] + 1) % len(file)], file[(f["ft"] + 1) % len(file)], 0, f["half"], coefficient)
        for letter in row.fields:
            if letter in "wxyz":
                unit.imm = f[{"w": "imm6", "x": "imm12", "y": "imm16", "z": "imm18"}[letter]]
        if row.name == "mfc":
            unit.imm = (self.state.fccr if f["creg"] else self.state.fcsr)[section]
        for letter, value in zip(row.writes, row.function(unit)):
            if letter == "H":
                shift = 32 * (f["half"] >> 1)
                self.at_end(8, Write("fpr", section, f["fd"], value << shift, MASK << shift))
            else:
                self.at_end(8, Write("fpr", section, f["f" + letter], value))
        if not row.flags:
            return 0
        if unit.flags & INVALID:
            unit.flags &= INVALID | DENORMAL
        self.note_flags(row.name, unit.flags)
        self.fcsr[section] = self.fcsr[section] & 0xFC | unit.flags << 2 | unit.flags << 12
        self.at_end(7, Write("fcsr", section, value=self.fcsr[section]))
        return unit.flags

    def note_flags(self, name: str, flags: int) -> None:
        """Remember for the report which exceptions an operation raised, and in which rounding mode."""
        for bit, letter in enumerate("IUOZVE"):
            if flags >> bit & 1:
                self.seen[f"{name} {letter}"] += 1
                if letter in "IUO":
                    self.seen[f"rounding mode {self.state.control & 3}: {letter}"] += 1

    def move_to_control(self, bundle: Decoded, section: int) -> int:
        """`mtc` in one section; gives what it writes to FCSR."""
        value = self.state.fpr[section][bundle.fields["fd"]] & MASK
        if bundle.fields["creg"]:
            self.at_end(7, Write("fccr", section, value=value))
            return 0
        self.fcsr[section] = value & 0x3F0FC
        self.at_end(7, Write("fcsr", section, value=self.fcsr[section]))
        return self.fcsr[section]

    def own_address(self, bundle: Decoded, section: int) -> None:
        """`amtsa` in one section; the exchange operation beside it still sees the old address."""
        f = bundle.fields
        value = self.state.fpr[section][f["fs"]] >> 32 * f["mode"] & self.state.shape.address
        self.own_addresses.append((section, f["ark"], value))

    def comparison(self, bundle: Decoded, section: int) -> None:
        """`c` in one section: one code, or two of a pairwise format."""
        f, file = bundle.fields, self.state.fpr[section]
        s, t = file[f["fs"]], file[f["ft"]]
        value = mask = 0
        for half in range(2 if f["format"] & 2 else 1):
            a, b = s >> 32 * half & MASK, t >> 32 * half & MASK
            if f["format"] & 1:
                x, y = signed(a), signed(b)
                relation = "<" if x < y else ">" if x > y else "="
            else:
                relation = compare(a, b)
            holds = relation in ("<=>?", "?", "<", "<=", "=", "<>?", ">", ">=")[f["cond"]]
            value |= holds << f["cc1"] + half
            mask |= 1 << f["cc1"] + half
        self.at_end(7, Write("fccr", section, value=value, mask=mask))

    # Registers that the exchange half reads and writes

    def general(self, register: int, distance: int) -> int:
        """A GPR as an operation sees it whose distance from the write has to be `distance`."""
        for issued, value in reversed(self.gpr_writes[register]):
            if issued <= self.cycle - distance:
                return value
            self.seen[f"general register read too early, distance {distance}"] += 1
        raise AssertionError("the first value is always old enough")

    def set_general(self, register: int, value: int) -> None:
        """A write of a GPR by the bundle at hand."""
        writes = self.gpr_writes[register]
        writes.append((self.cycle, value))
        del writes[:-5]
        self.state.gpr[register] = value

    def finish(self) -> None:
        """Let everything land that is under way."""
        self.advance(self.cycle + 12)
