"""Compares a model of CP2 that knows nothing of the emulator with every engine of `cp2 run`, on random programs.

The model (`core.py`, `control.py`, `exchange.py`, `extensions.py`, `operations.py`, `floats.py`, `elementary.py`,
`words.py`, `shape.py`) is written from the reference texts and the book in `specs/src` alone. It shares no code, no
table and no constant with the emulator, and needs nothing but Python 3.11. Each program has a random state of its
own (`numbers64.py`: denormals, NaN, infinities, ties, borders) and runs to its stop, to a fault or to a limit.

    python3 tests/outside/compare.py --cp2 target/release/cp2 --programs 300 --seed 1 [--extensions]

Compared after each program, bit for bit: all registers of all sections, local and shared memory, STATUS, how the run
ended with stop code or address, word and cycle of the fault, cycles and their causes, counts of operations, flops,
collisions of writes, accesses of banks. With `--extensions` each program is for a core with a random set of them:
`word-access`, `section-addressing`, `conditional-memory`, `section-counters`, `shared-memory`, `fft-direction`,
`more-fprs=N`, `larger-local-memory=N`.

Exit code 0: all agree, and every operation was executed. 1: the first disagreement; the differences and the command
that runs the program again are printed, its files and those of its state are kept. 2: all agree, and an operation was
not executed, or with `--complete` something else that `coverage.py` lists did not happen. About 1000 programs make it
complete.

Not compared: the DMA channel (a core without one: `check_dma` gives 0, `start_dma` does nothing), the host FIFO and
`run`, COMM as the host sees it, the text of error messages, `dma-words` and `memory-controller`, which are not of the
core, the assembler (programs are words), and cores with other latencies or numbers of banks.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.dont_write_bytecode = True

from control import Machine  # noqa: E402
from core import State  # noqa: E402
from coverage import CAUSES, Coverage, report  # noqa: E402
from programs import Program, make  # noqa: E402
from shape import Shape  # noqa: E402

ENGINES = ("reference", "portable", "fast")
BUNDLES = 8192


def load_state(init: dict, shape: Shape) -> State:
    """The state that an `--init` object describes; what it leaves out is as after reset."""
    state = State(shape)
    for name, value in init.items():
        if name in ("fpr", "sa"):
            setattr(state, name, [[int(v, 16) for v in file] for file in value])
        elif name == "lmem":
            state.lmem = [{int(k): int(v, 16) for k, v in words.items()} for words in value]
        elif name == "shared":
            state.shared = {int(k): int(v, 16) for k, v in value.items()}
        elif isinstance(value, list):
            setattr(state, name, [int(v, 16) for v in value])
        elif name != "status":
            setattr(state, name, int(value, 16))
    status = int(init.get("status", "0"), 16)
    state.fpe, state.stack_flags = status >> 16 & 63, status >> 23 & 15
    state.mailbox = status >> 3 & 3
    return state


def flat(value: object, path: str, out: dict[str, object]) -> None:
    """Nested lists and objects as one dictionary of paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            flat(inner, f"{path}.{key}" if path else key, out)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            flat(inner, f"{path}[{i}]", out)
    else:
        out[path] = value


def told_by_model(machine: Machine) -> dict[str, object]:
    """State and counts of the model under the names that `cp2` uses."""
    state, counts = machine.state, machine.counts
    tree: dict[str, object] = {"fpr": state.fpr, "status": state.status(0), "cycles": counts.cycles,
                               "end": machine.end}
    for name in ("gpr", "ireg", "a", "n", "m", "fccr", "fcsr", "control", "stopcode", "rind",
                 "rstep", "rmask"):
        tree[name] = getattr(state, name)
    tree["lmem"] = [{str(k): v for k, v in words.items() if v} for words in state.lmem]
    if state.shape.has("section-addressing"):
        tree["sa"] = state.sa
    if state.shape.has("shared-memory"):
        tree["qa"], tree["shared"] = state.qa, {str(k): v for k, v in state.shared.items() if v}
    tree["causes"] = {cause: counts.causes[cause] for cause in CAUSES}
    tree["operations"] = dict(counts.operations)
    tree["flops"], tree["collisions"] = counts.flops, counts.collisions
    tree["banks"] = counts.banks
    if machine.end == "fault":
        tree["fault"] = {"address": machine.pc, "cycle": counts.cycles, "word": machine.word()}
    elif machine.end == "stopped":
        tree["stopped with"] = state.stopcode
    out: dict[str, object] = {}
    flat(tree, "", out)
    return out


def told_by_engine(report: dict, dump: dict) -> dict[str, object]:
    """State and counts of an engine, numbers for hexadecimal strings."""
    out: dict[str, object] = {}
    flat({k: v for k, v in dump.items() if k != "cycles"}, "", out)
    out = {path: int(str(value), 16) for path, value in out.items()}
    stats = report["stats"]
    counts: dict[str, object] = {
        "cycles": stats["cycles"]["value"], "end": report["end"]["kind"],
        "causes": {name: cause["value"] for name, cause in stats["causes"].items()},
        "operations": stats["operations"]["value"], "flops": stats["flops"]["value"],
        "collisions": stats["collisions"]["value"], "banks": stats["bank_accesses"]["value"]}
    end = report["end"]
    if end["kind"] == "fault":
        counts["fault"] = {"address": end["address"], "cycle": end["cycle"], "word": int(end["word"], 16)}
    elif end["kind"] == "stopped":
        counts["stopped with"] = int(end["stopcode"], 16)
    flat(counts, "", out)
    return out


def command(cp2: str, engine: str, folder: Path, program: Program) -> list[str]:
    """The command that runs the program in `folder` on an engine."""
    return [cp2, "run", str(folder / "program.hex"), "--no-cache", "--json", "--engine", engine,
            "--init", str(folder / "init.json"), "--dump", str(folder / "dump.json"),
            "--max-cycles", str(program.limit), *program.shape.options()]


def run_engine(cp2: str, engine: str, folder: Path, program: Program) -> dict[str, object]:
    """What one engine tells of the program in `folder`."""
    dump = folder / "dump.json"
    dump.unlink(missing_ok=True)
    done = subprocess.run(command(cp2, engine, folder, program), capture_output=True, text=True, check=False)
    if not dump.exists() or not done.stdout:
        return {"refused": done.stderr.strip()}
    return told_by_engine(json.loads(done.stdout), json.loads(dump.read_text()))


def shown(value: object) -> str:
    """A value for a line of differences."""
    return f"{value:#x}" if isinstance(value, int) else str(value)


def differences(model: dict[str, object], engine: dict[str, object]) -> list[str]:
    """Lines for all that is not the same."""
    return [f"  {path}: model {shown(model.get(path))}, engine {shown(engine.get(path))}"
            for path in sorted(model.keys() | engine.keys()) if model.get(path) != engine.get(path)]


def write_program(program: Program, folder: Path) -> None:
    """The files that `cp2 run` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    digits = [f"{word:016x}" if word < 1 << 64 else f"{word:032x}" for word in program.words]
    (folder / "program.hex").write_text("".join(line + "\n" for line in digits))
    (folder / "init.json").write_text(json.dumps(program.init))


def run_model(program: Program) -> Machine:
    """The program on the model; instruction memory behind it is empty bundles."""
    words = program.words + [0] * (BUNDLES - len(program.words))
    machine = Machine(load_state(program.init, program.shape), words)
    machine.run(program.limit)
    return machine


def cover(machine: Machine) -> Coverage:
    """What one program came to."""
    coverage = Coverage()
    coverage.operations, coverage.seen = machine.counts.operations, machine.seen
    coverage.causes = machine.counts.causes
    coverage.ends[machine.end] = 1
    if machine.reason:
        coverage.reasons[machine.reason] = 1
    shape = machine.state.shape
    coverage.extensions.update(shape.extensions)
    coverage.extensions["more-fprs"] += shape.fprs > 64
    coverage.extensions["larger-local-memory"] += shape.words > 8192
    return coverage


def examine(options: argparse.Namespace, number: int) -> tuple[Coverage, str]:
    """One program on the model and all engines: its coverage, and what they disagree in, if they do."""
    program = make(options.seed, number, options.extensions)
    machine = run_model(program)
    told = told_by_model(machine)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_program(program, folder)
        for engine in options.engine:
            lines = differences(told, run_engine(options.cp2, engine, folder, program))
            if lines:
                write_program(program, Path(options.keep))
                again = " ".join(command(options.cp2, engine, Path(options.keep), program))
                head = f"seed {options.seed}, program {number}: model and {engine} engine disagree\n  {again}\n"
                return cover(machine), head + "\n".join(lines[:60])
    return cover(machine), ""


def compare_all(options: argparse.Namespace) -> int:
    """All programs on all engines; the exit code."""
    coverage, agreed = Coverage(), 0
    numbers = range(options.begin, options.begin + options.programs)
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(partial(examine, options), numbers, chunksize=4):
            if outcome[1]:
                print(outcome[1])
                pool.shutdown(cancel_futures=True)
                return 1
            coverage.add(outcome[0])
            agreed += 1
    print(f"{agreed} programs agree on the model and the engines {', '.join(options.engine)}")
    return 0 if report(coverage, options.cp2, options.extensions, options.complete) else 2


def main() -> int:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cp2", default="target/release/cp2", help="the program to test")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", type=int, default=0, help="number of the first program")
    parser.add_argument("--extensions", action="store_true", help="a random set of extensions for each program")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="all if absent")
    parser.add_argument("--keep", default="outside-disagreement", help="folder for a disagreement")
    parser.add_argument("--complete", action="store_true", help="fail if anything was not covered")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    options = parser.parse_args()
    options.engine = options.engine or list(ENGINES)
    began = time.monotonic()
    code = compare_all(options)
    print(f"{time.monotonic() - began:.1f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
