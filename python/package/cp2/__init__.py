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
from cp2._kernel import Kernel
from cp2._native import (
    Machine,
    Program,
    Recording,
    Report,
    Run,
    Schedule,
    Switch,
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
    switches,
    whatif,
)
from cp2._places import (
    AddressRegister,
    AddressSet,
    Argument,
    Backward,
    Condition,
    Control,
    Element,
    Forward,
    General,
    Index,
    LocalArray,
    Offset,
    Register,
)
from cp2._values import Half, Pair, Value

__all__ = [
    "AddressRegister",
    "AddressSet",
    "Argument",
    "AssemblyError",
    "Backward",
    "CancelledError",
    "CheckError",
    "Condition",
    "Control",
    "Diagnostic",
    "Element",
    "Error",
    "Forward",
    "General",
    "GuestError",
    "Half",
    "Index",
    "InputError",
    "InternalError",
    "Kernel",
    "LimitError",
    "LocalArray",
    "Machine",
    "Offset",
    "Pair",
    "Program",
    "Recording",
    "Register",
    "Report",
    "Run",
    "Schedule",
    "Switch",
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
    "switches",
    "whatif",
]
