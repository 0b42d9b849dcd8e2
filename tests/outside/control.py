"""The flow of bundles: jumps with a delay slot, calls, hardware loops, sync, stop."""

from core import Refused, State
from extensions import Extended
from floats import MASK
from operations import ARITHMETIC
from words import CONTROL, Decoded

NESTING = 15
CALL_OVER, CALL_UNDER, LOOP_OVER, LOOP_UNDER = 1, 2, 4, 8


class Machine(Extended):
    """Runs a program to its stop, to a fault, or to a limit of cycles."""

    def __init__(self, state: State, program: list[int]) -> None:
        super().__init__(state)
        self.program = program
        self.pc = 0
        self.target: int | None = None  # where the bundle at hand, a delay slot, goes on
        self.nullified = False
        self.tail = False  # the bundle at hand stands at the `end` + 1 of a loop
        self.end = "running"
        self.limit = 0
        self.reason = ""  # of a fault; the bundle at `pc` is the undefined one

    def run(self, limit: int) -> None:
        """Issue bundles until the run ends, then let everything land."""
        self.limit = limit
        while self.end == "running":
            if self.counts.cycles >= limit:
                self.end = "cycle_limit"
                break
            try:
                self.step()
            except Refused as reason:
                self.end = "fault"
                self.reason = str(reason)
        self.finish()

    def word(self) -> int:
        """The bundle at hand, with its upper word; 0 behind the end of instruction memory."""
        return self.program[self.pc] if self.pc < len(self.program) else 0

    def count(self, cause: str, cycles: int = 1) -> None:
        """Cycles with their cause."""
        self.counts.cycles += cycles
        self.counts.causes[cause] += cycles

    def step(self) -> None:
        """One bundle: decision of the loop, stage 1, and what issues next."""
        if self.pc >= len(self.program):
            raise Refused("flow past the last bundle")
        bundle = self.decode(self.program[self.pc])
        delay, target = self.target is not None, self.target
        self.target = None
        following = self.pc + 1 if target is None else target
        if self.nullified:
            self.nullified = False
            self.count("nullified")
            self.seen["bundle nullified by a count of 0"] += 1
            self.go_on(following, False)
            return
        loop = self.state.loops[-1] if self.state.loops else None
        at_end = loop is not None and not delay and self.pc == loop[2]
        self.check(bundle, delay or at_end or self.tail, loop)
        if at_end and loop is not None:
            if loop[0] > 1:
                loop[0] -= 1
                self.target = loop[1]
                self.seen["hardware loop goes back"] += 1
            else:
                self.state.loops.pop()
                self.seen["hardware loop is over"] += 1
        self.advance(self.cycle + 1)
        self.tally(bundle)
        self.seen["delay slot with an operation"] += delay and bundle.word & 0x7F << 56 != 0
        self.seen["loop within a loop"] += len(self.state.loops) > 1
        self.arithmetic(bundle)
        if bundle.op2 in CONTROL:
            self.control(bundle)
        else:
            self.exchange(bundle, following)
        for section, register, value in self.own_addresses:
            self.state.sa[section][register] = value
        self.own_addresses.clear()
        self.go_on(following, at_end)

    def go_on(self, following: int, tail: bool) -> None:
        """The next bundle issues in the next cycle."""
        self.cycle += 1
        self.tail = tail
        self.pc = following

    def check(self, bundle: Decoded, closed: bool, loop: list[int] | None) -> None:
        """Refuse what is undefined before anything of the bundle happens (specs/src/timing.md, "Not allowed").

        A `ret` and a `do` are judged by their place and operands alone: the text excepts neither a `ret` with an
        empty stack nor a `do` with a count of 0.
        """
        if bundle.fault:
            raise Refused(bundle.fault)
        if bundle.op2 not in CONTROL:
            return
        if closed or loop is not None and self.pc in (loop[2], loop[2] + 1):
            raise Refused("control operation where none is allowed")
        if bundle.op2 in ("jump", "call"):
            if self.operand(bundle, 1 if bundle.op2 == "jump" else 2) > 8191:
                raise Refused("address beyond instruction memory")
        if bundle.op2 in ("jump", "jumpi", "call", "calli", "ret"):
            if loop is not None and self.pc + 1 == loop[2]:
                raise Refused("the delay slot is the end of a loop")
        if bundle.op2 in ("do", "doi"):
            end = bundle.fields["imm13"]
            if end <= self.pc or end == 8191:
                raise Refused("end before the loop's start")
            inside = loop is not None and loop[1] <= self.pc <= loop[2] + 1
            if inside and loop is not None and end >= loop[2]:
                raise Refused("end not before that of the loop around")

    def tally(self, bundle: Decoded) -> None:
        """Count the bundle and its operations."""
        halves = [name for name in (ARITHMETIC[bundle.op].name, bundle.op2) if name != "nop"]
        first = ARITHMETIC[bundle.op].name != "nop"
        cause = "both_slots" if len(halves) == 2 else "empty" if not halves else (
            "arithmetic_only" if first else "exchange_only")
        self.count(cause)
        for name in halves:
            self.counts.operations[name] += 1

    def control(self, bundle: Decoded) -> None:
        """Stage 1 of a control operation."""
        state, name = self.state, bundle.op2
        if name in ("jump", "jumpi"):
            self.target = self.operand(bundle, 1)
        elif name in ("call", "calli"):
            self.target = self.operand(bundle, 2)
            self.push(state.calls, self.pc + 2, CALL_OVER)
        elif name == "ret":
            if state.calls:
                self.target = state.calls.pop()
            else:
                state.stack_flags |= CALL_UNDER
                self.seen["PUE"] += 1
        elif name in ("do", "doi"):
            self.start_loop(bundle)
        elif name == "enddo":
            if state.loops:
                state.loops.pop()
            else:
                state.stack_flags |= LOOP_UNDER
                self.seen["LUE"] += 1
        elif name == "sync":
            # `--max-cycles` stops after that many cycles (cp2 run --help), so it may cut the hold short.
            held = min(6, self.limit - self.counts.cycles)
            self.count("sync_hold", held)
            self.cycle += held
        elif name in ("stop", "stopi"):
            state.stopcode = self.operand(bundle, 3)
            self.end = "stopped"

    def operand(self, bundle: Decoded, distance: int) -> int:
        """Address or stop code: immediate, or a GPR with the distance of its reader."""
        if bundle.op2[-1] == "i":
            return bundle.fields["imm13"]
        return self.general(bundle.fields["rn"], distance)

    def push(self, stack: list, entry: object, flag: int) -> None:
        """Push; a full stack has its top replaced and the flag set."""
        if len(stack) == NESTING:
            self.state.stack_flags |= flag
            stack.pop()
            self.seen["POE" if flag == CALL_OVER else "LOE"] += 1
        stack.append(entry)

    def start_loop(self, bundle: Decoded) -> None:
        """`do`, `doi`: a loop, or with count 0 one nullified bundle and on behind the body."""
        end = bundle.fields["imm13"]
        count = bundle.fields["count"]
        if bundle.op2 == "do":
            count = self.general(bundle.fields["rn"], 2) & MASK
        if count == 0:
            self.nullified = True
            self.target = end + 2
        else:
            self.push(self.state.loops, [count, self.pc + 1, end], LOOP_OVER)
