"""The exchange half but for the flow: moves, addresses, local memory, permutations."""

from core import SECTIONS, Core, Write
from floats import MASK
from words import MEMORY, Decoded, get, target

WHOLE = (1 << 64) - 1
KINDS = ("GPR", "", "control register", "An", "Nn", "Mn", "IREG")
CONTROL_NAMES = ("PC", "COMM", "CONTROL", "STATUS", "PSP", "LC", "LA", "LSP", "RIND", "RSTEP", "RMASK",
                 "STOPCODE")


def reversed_bits(value: int, bits: int) -> int:
    """The lowest bits in the opposite order."""
    return int(f"{value & (1 << bits) - 1:0{bits}b}"[::-1], 2)


def stepped(address: int, step: int, mode: int, bits: int) -> int:
    """An after a signed step in the mode of Mn."""
    if mode == 0:
        size = reversed_bits(abs(step), bits)
        return reversed_bits(reversed_bits(address, bits) + (-size if step < 0 else size), bits)
    return address & ~mode & (1 << bits) - 1 | (address + step) & mode


class Exchange(Core):
    """Stage 1 of exchange operations."""

    def address(self, bundle: Decoded) -> int:
        """The address of an access; An steps."""
        f, state = bundle.fields, self.state
        if bundle.op2[-1] == "i":
            # specs/src/extensions/larger-local-memory.md: with 8192 words bits 14:13 are ignored. An address beyond
            # the end of a larger memory is called undefined there, but is not in the list of what stops the machine
            # (specs/src/machine.md); here it counts modulo the words, as all addresses do.
            return f["word"] & state.shape.address
        rn = f["rn"]
        address = state.a[rn]
        step = f["offset"]
        if bundle.op2.endswith("np"):
            step = state.n[rn]
        elif bundle.op2.endswith("nm"):
            step = -state.n[rn]
        mode = {0: "bit-reversed", state.shape.address: "linear"}.get(state.m[rn], "circular")
        self.seen[f"{mode} step {'up' if step > 0 else 'down' if step < 0 else 'by 0'}"] += 1
        state.a[rn] = stepped(address, step, state.m[rn], state.shape.bits)
        return address

    def use_banks(self, addresses: list[int]) -> None:
        """Count an access of every bank that some section reaches."""
        half = self.state.shape.words // 2
        for bank in {address // half for address in addresses}:
            self.counts.banks[bank] += 1

    def load(self, section: int, register: int, value: int, mask: int = WHOLE) -> None:
        """A load reads memory now and writes its register two cycles behind stage 1."""
        write = Write("fpr", section, register, value, mask)
        self.loads.setdefault(self.cycle + 3, []).append(write)

    def memory(self, bundle: Decoded, addresses: list[int], double: bool,
               enabled: list[bool]) -> None:
        """A load or a store of one or two words, in the enabled sections."""
        self.use_banks(addresses)
        register, words = bundle.fields["f2"], 2 if double else 1
        for section in SECTIONS:
            if not enabled[section]:
                self.seen["section held back: access to local memory"] += 1
                continue
            address = addresses[section] & -words
            lmem = self.state.lmem[section]
            for i in range(words):
                if bundle.op2.lstrip("cm")[0] == "s":
                    lmem[address + i] = self.state.fpr[section][register + i]
                else:
                    self.load(section, register + i, lmem.get(address + i, 0))

    def bypassed(self, section: int, register: int) -> int:
        """An FPR with what a load writes in this very cycle."""
        value = self.state.fpr[section][register]
        for write in self.loads.get(self.cycle + 1, ()):
            if (write.section, write.register) == (section, register):
                value = value & ~write.mask | write.value
                self.seen["psprmsgn takes a load by its bypass"] += 1
        return value

    def permutation(self, bundle: Decoded) -> None:
        """`psprmsgn` in the enabled sections."""
        f = bundle.fields
        first = target(bundle.op2, f)
        for section in SECTIONS:
            if not self.enabled(bundle, section):
                self.seen["section held back: psprmsgn"] += 1
                continue
            pair = self.bypassed(section, f["f2"]) | self.bypassed(section, f["f2"] + 1) << 64
            out = 0
            for i in range(4):
                word = pair >> 32 * (f["select"] >> 2 * i & 3) & MASK
                out |= (word ^ (f["signs"] >> i & 1) << 31) << 32 * i
            self.at_end(3, Write("fpr", section, first, out & WHOLE))
            self.at_end(3, Write("fpr", section, first + 1, out >> 64))

    def to_fpr(self, bundle: Decoded) -> None:
        """`mtfpr`."""
        f = bundle.fields
        value = self.state.ireg[f["rn"]] if f["index"] else self.general(f["rn"], 1)
        for section in SECTIONS if f["secn"] == 4 else (f["secn"],):
            self.at_end(3, Write("fpr", section, f["f2"], value))

    def from_fpr(self, bundle: Decoded) -> None:
        """`mffpr`."""
        f = bundle.fields
        value = self.state.fpr[f["secn"]][f["f2"]]
        if f["index"]:
            self.state.ireg[f["rn"]] = value
        else:
            self.set_general(f["rn"], value)

    def immediate(self, bundle: Decoded) -> None:
        """`seti`."""
        f = bundle.fields
        kind = get(bundle.word, "regtype")
        if kind == 0:
            self.set_general(f["reg"], f["seti"])
        else:
            (self.state.a, self.state.n, self.state.m)[kind - 1][f["reg"]] = f["seti"] & self.state.shape.address

    def read_control(self, number: int, following: int) -> int:
        """A control register as `move` reads it; `following` issues next."""
        state = self.state
        self.seen[f"move from {CONTROL_NAMES[number]}"] += 1
        if number == 1:
            self.at_end(2, Write("mailbox", value=0, mask=2))
            return state.comm
        loop = state.loops[-1] if state.loops else [0, 0, 0]
        values = {0: following, 2: state.control, 3: state.status(1), 4: len(state.calls),
                  5: loop[0], 6: loop[1] << 16 | loop[2], 7: len(state.loops), 8: state.rind,
                  9: state.rstep, 10: state.rmask, 11: state.stopcode}
        return values[number]

    def write_control(self, number: int, value: int) -> None:
        """A control register as `move` writes it; PC, PSP and LSP take nothing."""
        state = self.state
        self.seen[f"move to {CONTROL_NAMES[number]}"] += 1
        if number == 1:
            state.comm = value
            self.at_end(2, Write("mailbox", value=1, mask=1))
        elif number == 2:
            mask = 0x8003 if state.shape.has("fft-direction") else 3
            state.control = state.control & ~mask | value & mask
        elif number == 3:
            self.at_end(1, Write("status", value=value))
        elif number == 5 and state.loops:
            state.loops[-1][0] = value & MASK
        elif number == 6 and state.loops:
            state.loops[-1][1:] = [value >> 16 & 0x1FFF, value & 0x1FFF]
        elif number == 8:
            state.rind = value & 0xFFFF
        elif number == 9:
            state.rstep = value & 0xFFFF
        elif number == 10:
            state.rmask = value & 0xFFFF

    def move(self, bundle: Decoded, following: int) -> None:
        """`move` between register files."""
        f, state = bundle.fields, self.state
        self.seen[f"move from {KINDS[f['stype']]}"] += 1
        self.seen[f"move to {KINDS[f['dtype']]}"] += 1
        files = {3: state.a, 4: state.n, 5: state.m, 6: state.ireg}
        source, kind = f["stype"], f["dtype"]
        if source == 0:
            value = self.general(f["rn"], 1)
        elif source == 2:
            value = self.read_control(f["rn"], following)
        else:
            value = files[source][f["rn"]]
        if kind == 0:
            self.set_general(f["reg"], value)
        elif kind == 2:
            self.write_control(f["reg"], value)
        else:
            files[kind][f["reg"]] = value if kind == 6 else value & state.shape.address

    def exchange(self, bundle: Decoded, following: int) -> None:
        """Stage 1 of an operation that does not change the flow."""
        name, f = bundle.op2, bundle.fields
        if name == "move":
            self.move(bundle, following)
        elif name == "clr":
            rn = f["rn"]
            self.state.a[rn], self.state.n[rn], self.state.m[rn] = 0, 1, self.state.shape.address
        elif name in MEMORY:
            self.memory(bundle, [self.address(bundle)] * 4, name[1] == "d", [True] * 4)
        elif name == "seti":
            self.immediate(bundle)
        elif name[:7] == "updaddr":
            self.address(bundle)
        elif name == "check_dma":
            self.set_general(f["reg"], 0)
        elif name == "mtfpr":
            self.to_fpr(bundle)
        elif name == "mffpr":
            self.from_fpr(bundle)
        elif name[:8] == "psprmsgn":
            self.permutation(bundle)
        elif name not in ("nop", "start_dma"):
            self.extended(bundle)

    def extended(self, bundle: Decoded) -> None:
        """Stage 1 of an operation of an extension."""
        raise NotImplementedError
