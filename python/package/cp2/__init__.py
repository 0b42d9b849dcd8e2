"""Assemble, schedule, run and study programs of the CP2 coprocessor.

CP2 is a VLIW machine with four SIMD sections in lockstep; ``cp2`` runs its programs exact to the cycle.

>>> import cp2
>>> program = cp2.assemble(".kernel k\\n seti g0, 3\\n stopi 7\\n")
>>> run = program.run()
>>> run.code, run.cycles
(7, 2)

Options have the words of the command line: ``cp2 run --load x=x.npy --arg n=64`` is
``program.run(load={"x": x}, arg={"n": 64})``.
"""

from cp2._errors import (
    AssemblyError,
    CancelledError,
    CheckError,
    Diagnostic,
    Error,
    GuestError,
    InputError,
    InternalError,
    LimitError,
    UsageError,
)
from cp2._kernel import Argument, Condition, Kernel, LocalArray
from cp2._native import (
    Machine,
    Program,
    Recording,
    Report,
    Run,
    Schedule,
    Table,
    WorkloadRun,
    assemble,
    estimate,
    kernels,
    load,
    roofline,
    run,
    schedule,
    sensitivity,
    source,
    sweep,
    whatif,
)
from cp2._values import Half, Pair, Value

__all__ = [
    "Argument",
    "AssemblyError",
    "CancelledError",
    "CheckError",
    "Condition",
    "Diagnostic",
    "Error",
    "GuestError",
    "Half",
    "InputError",
    "InternalError",
    "Kernel",
    "LimitError",
    "LocalArray",
    "Machine",
    "Pair",
    "Program",
    "Recording",
    "Report",
    "Run",
    "Schedule",
    "Table",
    "UsageError",
    "Value",
    "WorkloadRun",
    "assemble",
    "estimate",
    "kernels",
    "load",
    "roofline",
    "run",
    "schedule",
    "sensitivity",
    "source",
    "sweep",
    "whatif",
]
