"""What stands for an operand in the text of an operation, by the kind of the operand in the table of operations."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cp2._errors import UsageError
from cp2._places import (
    AddressRegister,
    AddressSet,
    Argument,
    Backward,
    Forward,
    General,
    Index,
    LocalArray,
    Offset,
    Place,
    Register,
    one_line,
    whole,
)
from cp2._values import Half, Value

if TYPE_CHECKING:
    from cp2._kernel import Kernel

RESULTS = ("register", "pair", "half")
"""Kinds of operands that are values; those that an operation writes only are its results."""

_SELECTORS = ("0", "1", "2", "3", "-0", "-1", "-2", "-3")


def value(kernel: Kernel, given: Any) -> str:
    """Returns the name of a value, if it is still what its register holds."""
    if not isinstance(given, Value):
        raise TypeError(f"a value of the kernel is needed, and this is {given!r}")
    if given._kernel is not kernel:
        raise UsageError(f"%{given._name} is a value of the kernel `{given._kernel.name}`, not of `{kernel.name}`")
    if kernel._versions[given._name] != given._version:
        raise UsageError(f"%{given._name} was replaced by the result of a later operation; use that, or copy the value before")
    return f"%{given._name}"


def pair(kernel: Kernel, given: Any) -> str:
    """Returns two values."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError(f"two values are needed, and this is {given!r}")
    return ":".join(value(kernel, one) for one in given)


def half(kernel: Kernel, given: Any) -> str:
    """Returns half of a value."""
    if not isinstance(given, Half):
        raise TypeError(f"half of a value is needed, such as x.hi, and this is {given!r}")
    return f"{value(kernel, given.value)}.{given._half}"


def number(kernel: Kernel, given: Any) -> str:
    """Returns a whole number."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"a whole number is needed, and this is {given!r}")
    return str(operator.index(given))


def owned(kernel: Kernel, given: Any) -> Any:
    """Returns something that a kernel made, if it is of this kernel."""
    if given._kernel is not kernel:
        raise UsageError(f"{given!r} is of the kernel `{given._kernel.name}`, not of `{kernel.name}`")
    return given


def register(what: str, *classes: type[Register]) -> Callable[[Kernel, Any], str]:
    """Returns the function for registers of some classes."""

    def text(kernel: Kernel, given: Any) -> str:
        if not isinstance(given, classes):
            raise TypeError(f"{what} is needed, and this is {given!r}")
        name: str = owned(kernel, given)._name
        return name

    return text


def place(what: str, kind: type[Place]) -> Callable[[Kernel, Any], str]:
    """Returns the function for addresses through address sets."""

    def text(kernel: Kernel, given: Any) -> str:
        if not isinstance(given, kind):
            raise TypeError(f"{what} is needed, and this is {given!r}")
        owned(kernel, given._set)
        return given._text

    return text


def address_set(kernel: Kernel, given: Any) -> str:
    """Returns an address set."""
    if not isinstance(given, AddressSet):
        raise TypeError(f"an address set is needed, such as k.address_set(), and this is {given!r}")
    return f"r{owned(kernel, given)._number}"


def word(kernel: Kernel, given: Any) -> str:
    """Returns an address: a number, the begin of an array, or an expression over labels."""
    if isinstance(given, LocalArray):
        name: str = owned(kernel, given).name
        return name
    return one_line("an address", given) if isinstance(given, str) else number(kernel, given)


def section(most: int) -> Callable[[Kernel, Any], str]:
    """Returns the function for sections up to a number; 4 is all of them."""

    def text(kernel: Kernel, given: Any) -> str:
        if most == 4 and given == "all":
            return "all"
        return f"s{whole('section', given, 0, 3)}"

    return text


def selector(kernel: Kernel, given: Any) -> str:
    """Returns which word `psprmsgn` takes."""
    text = given if isinstance(given, str) else number(kernel, given)
    if text not in _SELECTORS:
        raise UsageError(f"a word is 0 to 3, or -1 to -3 or \"-0\" for its sign flipped, and this is {given!r}")
    return text


def conditions(kernel: Kernel, given: Any) -> str:
    """Returns the control register of the condition codes."""
    if given != "fccr":
        raise UsageError(f"linear code has `fccr` only here, and this is {given!r}")
    return "fccr"


TEXTS: dict[str, Callable[[Kernel, Any], str]] = {
    "register": value,
    "pair": pair,
    "half": half,
    "number": number,
    "conditions": conditions,
    "general": register("a general register, such as k.general(),", General),
    "countable": register("a general or index register", General, Index),
    "settable": register("a general register, or one of an address set such as s.a,", General, AddressRegister),
    "movable": register("a register that is none for floating point", Register),
    "set": address_set,
    "place": place("an address with an offset, array.at(words) or s.plus(words),", Offset),
    "offset": place("an address with an offset, s.plus(words),", Offset),
    "forward": place("an address that goes on by n, s.forward,", Forward),
    "backward": place("an address that goes back by n, s.backward,", Backward),
    "word": word,
    "shared_word": word,
    "section": section(3),
    "sections": section(4),
    "selector": selector,
}


def check_written(name: str, given: Any) -> None:
    """Refuses to write what an argument promises to be."""
    if isinstance(given, Argument):
        raise UsageError(f"{name} would change the argument {given.name}, of which its promises are told; take k.general()")
