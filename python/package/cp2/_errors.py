"""Exceptions and diagnostics. The native part chooses the class by the kind of an error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cp2._native import Run, WorkloadRun


@dataclass(frozen=True)
class Diagnostic:
    """An error or a warning about a place in a source.

    ``line`` and ``column`` count from 1; they and ``file`` are ``None`` if the diagnostic belongs to no text.
    ``text`` is all of it as people read it, with the line of the source and a caret.
    """

    code: str
    severity: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    help: str | None
    text: str


class Error(Exception):
    """An error of cp2. ``run`` is what a run left, if the error ended one; else it is ``None``."""

    run: Run | WorkloadRun | None = None


class InputError(Error, ValueError):
    """A program, a file, an array or a value is not as it should be."""


class AssemblyError(InputError):
    """The assembler refuses a text. The message is the diagnostics as people read them.

    ``file``, ``line`` and ``column`` are those of the first error, lines and columns from 1.
    """

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        errors = [d for d in self.diagnostics if d.severity == "error"] or self.diagnostics
        first = errors[0] if errors else None
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.column = first.column if first else None
        self.code = first.code if first else None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.diagnostics))


class UsageError(Error, ValueError):
    """The parts of a call do not go together."""


class CheckError(Error):
    """A check of a run found something, such as a broken promise or a wrong result."""


class GuestError(Error, RuntimeError):
    """The program that ran on CP2 did something that has no meaning (a fault)."""


class LimitError(Error, RuntimeError):
    """The run reached its limit of cycles before its end."""


class CancelledError(Error):
    """The run was asked to end."""


class InternalError(Error, RuntimeError):
    """An error of cp2 itself; please report it."""


BY_KIND = {
    "check": CheckError,
    "usage": UsageError,
    "input": InputError,
    "guest": GuestError,
    "limit": LimitError,
    "cancelled": CancelledError,
    "internal": InternalError,
    "assembly": AssemblyError,
}
for _class in {Diagnostic, Error, *BY_KIND.values()}:
    _class.__module__ = "cp2"
