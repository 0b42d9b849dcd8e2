"""Exchange operations of the extensions: section, shared and 32-bit accesses, and conditional ones."""

from core import SECTIONS
from exchange import Exchange
from floats import MASK
from words import MEMORY, Decoded

SHARED_WORDS = 1024


class Extended(Exchange):
    """Stage 1 of the exchange operations that an extension adds."""

    def extended(self, bundle: Decoded) -> None:
        """One operation of an extension."""
        name, f = bundle.op2, bundle.fields
        everywhere = [True] * 4
        enabled = [self.enabled(bundle, section) for section in SECTIONS]
        if name[0] == "c" and name[1:] in MEMORY:
            self.memory(bundle, [self.address(bundle)] * 4, name[2] == "d", enabled)
        elif name in ("lwsa", "swsa", "ldsa", "sdsa"):
            self.memory(bundle, self.step_own(bundle, everywhere), name[1] == "d", everywhere)
        elif name in ("mlwsa", "mldsa", "mswsa", "msdsa"):
            self.masked(bundle, enabled)
        elif name == "lwfa":
            places = [self.half(section, f["fa"], f["fah"]) & self.state.shape.address
                      for section in SECTIONS]
            self.memory(bundle, places, False, everywhere)
        elif name == "setsa":
            for section in SECTIONS:
                self.state.sa[section][f["rn"]] = self.general(f["reg"], 1) & self.state.shape.address
        elif name == "mtsa":
            for section in SECTIONS:
                value = self.half(section, f["f2"], f["low"])
                self.state.sa[section][f["rn"]] = value & self.state.shape.address
        elif name == "mxfpr":
            halves = [self.half(section, f["f2"], f["low"]) for section in SECTIONS]
            self.set_general(f["rn"], max(halves))
        elif name == "setq":
            self.state.qa[f["rn"]] = self.general(f["reg"], 1) % SHARED_WORDS
        elif name[:2] in ("lq", "sq"):
            self.shared(bundle)
        else:
            self.halves(bundle)

    def half(self, section: int, register: int, high: int) -> int:
        """A half of an FPR, without the bypass of loads."""
        return self.state.fpr[section][register] >> 32 * high & MASK

    def step_own(self, bundle: Decoded, enabled: list[bool]) -> list[int]:
        """The own address of each section; those of the enabled ones step."""
        rn, own = bundle.fields["rn"], self.state.sa
        addresses = [own[section][rn] for section in SECTIONS]
        for section in SECTIONS:
            if enabled[section]:
                step = addresses[section] + bundle.fields["offset"]
                own[section][rn] = step & self.state.shape.address
        return addresses

    def masked(self, bundle: Decoded, enabled: list[bool]) -> None:
        """Accesses that a masked section takes no part in; a load gives it zeros."""
        double = bundle.op2[2] == "d"
        addresses = self.step_own(bundle, enabled)
        self.memory(bundle, addresses, double, enabled)
        if bundle.op2[1] == "l":
            for section in SECTIONS:
                for register in range(2 if double else 1):
                    if not enabled[section]:
                        self.load(section, bundle.fields["f2"] + register, 0)

    def shared(self, bundle: Decoded) -> None:
        """Accesses of the memory that the sections share."""
        name, f, state = bundle.op2, bundle.fields, self.state
        address = f["shared"]
        if name[-1] == "o":
            address = state.qa[f["rn"]]
            state.qa[f["rn"]] = (address + f["offset11"]) % SHARED_WORDS
        for section in SECTIONS:
            single = name[2] in "bs"
            place = address if single else (address + section) % SHARED_WORDS
            if name[0] == "l":
                self.load(section, f["f2"], state.shared.get(place, 0))
            elif name[2] != "s" or section == f["sj"]:
                state.shared[place] = state.fpr[section][f["f2"]]

    def halves(self, bundle: Decoded) -> None:
        """Loads and stores of one half of a word from or to one half of an FPR."""
        name, f, shape = bundle.op2, bundle.fields, self.state.shape
        part = self.general(f["gm"], 1) & 1
        address = self.address(bundle)
        if name[2:4] == "32":
            part = address & 1
            address = (address >> 1) + f["low"] * (shape.words // 2)
        elif name[2] != "g":
            part = f["fmt"] & 1
        own = f["half2"] if name[2] in "3g" else f["fmt"] >> 1
        self.use_banks([address])
        for section in SECTIONS:
            lmem = self.state.lmem[section]
            old = lmem.get(address, 0)
            if name[0] == "l":
                value = old >> 32 * part & MASK
                self.load(section, f["f2"], value << 32 * own, MASK << 32 * own)
            else:
                value = self.half(section, f["f2"], own) << 32 * part
                lmem[address] = old & ~(MASK << 32 * part) | value
