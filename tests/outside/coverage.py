"""What the random programs came to: operations, exceptions, causes of cycles, ends, reasons of faults."""

import json
import subprocess
from collections import Counter

FROM_HOST = {"run", "runi"}  # in a kernel they are an error, which is one of the reasons below

CAUSES = ("both_slots", "arithmetic_only", "exchange_only", "empty", "nullified", "sync_hold")
ENDS = ("stopped", "cycle_limit", "fault")
# The model's words for what `specs/src/machine.md` and `specs/src/timing.md` call undefined or not allowed.
REASONS = ("unknown operation", "equal destinations", "register that there is not", "register after the last",
           "pairwise comparison into cc7", "control register of mfc, mtc", "type of move",
           "control register of move", "section", "run in a kernel",
           "control operation where none is allowed", "address beyond instruction memory",
           "the delay slot is the end of a loop", "end before the loop's start",
           "end not before that of the loop around", "flow past the last bundle")
CONTROL = ("PC", "COMM", "CONTROL", "STATUS", "PSP", "LC", "LA", "LSP", "RIND", "RSTEP", "RMASK")
EVENTS = [
    "section held back: arithmetic", "section held back: psprmsgn",
    "qsdot in a section that the predicate disables",
    "two writes of one register in one cycle", "psprmsgn takes a load by its bypass",
    "flags raised behind a mtc that has not landed",
    *(f"general register read too early, distance {distance}" for distance in (2, 3)),
    *(f"{mode} step {way}" for mode in ("linear", "circular", "bit-reversed") for way in ("up", "down", "by 0")),
    *(f"move {way} {kind}" for way in ("from", "to") for kind in ("GPR", "control register", "An", "Nn", "Mn", "IREG")),
    *(f"move {way} {name}" for way in ("from", "to") for name in CONTROL), "move from STOPCODE",
    "bundle nullified by a count of 0", "hardware loop goes back", "hardware loop is over",
    "loop within a loop", "delay slot with an operation", "LOE", "LUE", "POE", "PUE",
    *(f"rounding mode {mode}: {letter}" for mode in range(4) for letter in "IUO"),
]
EXTENDED_EVENTS = ["section held back: access to local memory",
                   "writes of both halves of one register in one cycle"]


class Coverage:
    """Sums over programs."""

    def __init__(self) -> None:
        self.operations: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.extensions: Counter[str] = Counter()

    def add(self, other: "Coverage") -> None:
        """Take in what other programs came to."""
        for name, counter in vars(other).items():
            getattr(self, name).update(counter)


def operations_of(cp2: str) -> list[dict]:
    """All operations as `cp2 isa --json` lists them."""
    done = subprocess.run([cp2, "isa", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["operations"]


def line(title: str, wanted: list[str], met: Counter[str]) -> list[str]:
    """Print how much of a list was met; gives what was not."""
    missing = [name for name in wanted if not met[name]]
    print(f"{title}: {len(wanted) - len(missing)} of {len(wanted)}"
          + (f"; missing: {', '.join(missing)}" if missing else ""))
    return missing


def report(coverage: Coverage, cp2: str, extensions: bool, complete: bool) -> bool:
    """Print the coverage; whether it suffices: every operation, and with `complete` all else too."""
    rows = [row for row in operations_of(cp2) if extensions or not row["extensions"]]
    names = {row["name"] for row in rows} - FROM_HOST - {"nop"}
    raised = [f"{row['name']} {letter}" for row in rows for letter in row["exceptions"]]
    met = coverage.seen
    missing = line("operations executed", sorted(names), coverage.operations)
    sufficient = not missing
    missing += line("exceptions raised by operations", raised, met)
    missing += line("causes of cycles", list(CAUSES), coverage.causes)
    missing += line("ends of programs", list(ENDS), coverage.ends)
    missing += line("reasons of faults", list(REASONS), coverage.reasons)
    missing += line("events", EVENTS + (EXTENDED_EVENTS if extensions else []), met)
    if extensions:
        options = ", ".join(f"{name} {count}" for name, count in sorted(coverage.extensions.items()))
        print(f"programs with extensions: {options}")
    print("ends: " + ", ".join(f"{end} {coverage.ends[end]}" for end in ENDS)
          + f"; {sum(coverage.causes.values())} cycles, 4 sections")
    return sufficient and not (complete and missing)
