"""Writes package/cp2/_operations.py from the table of operations:

    python operations.py > package/cp2/_operations.py
"""

import keyword
import textwrap

from cp2 import _native

HEAD = '''"""Operations of linear code as methods, by python/operations.py from the table of operations; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from cp2._values import Half, Pair, Value

if TYPE_CHECKING:
    from cp2._places import (
        AddressRegister,
        AddressSet,
        Backward,
        Element,
        Forward,
        General,
        Index,
        LocalArray,
        Offset,
        Register,
    )


class Operations:
    """Operations of both slots. Arguments stand in the order of the form, without the floating-point registers that are
    written: those are the results. One that is read and written comes last, is replaced by the result, and must not be used
    any more. ``into`` takes the place of a new register for the first result."""

    def _operation(self, name: str, arguments: tuple[Any, ...], into: Value | Half | Pair | None) -> Any:
        raise NotImplementedError
'''

# The type of an argument, and its name, by the kind of the operand; values have the name of their field.
TYPES = {
    "register": ("Value", ""),
    "pair": ("Pair", ""),
    "half": ("Half", ""),
    "number": ("SupportsIndex", "number"),
    "conditions": ('Literal["fccr"]', "register"),
    "general": ("General", "g"),
    "countable": ("General | Index", "register"),
    "settable": ("General | AddressRegister", "to"),
    "movable": ("Register", "register"),
    "set": ("AddressSet", "to"),
    "place": ("Offset | Element", "address"),
    "offset": ("Offset", "address"),
    "forward": ("Forward", "address"),
    "backward": ("Backward", "address"),
    "word": ("SupportsIndex | str | LocalArray", "word"),
    "shared_word": ("SupportsIndex | str", "word"),
    "section": ("SupportsIndex", "section"),
    "sections": ('SupportsIndex | Literal["all"]', "section"),
    "selector": ("SupportsIndex | str", "word"),
}
VALUES = ("register", "pair", "half")


def is_result(operand):
    """Whether an operand is a value that the operation writes."""
    return operand["kind"] in VALUES and operand["written"]


def arguments(operation):
    """Returns (name, kind) of each argument: values that are written are read before, and come last."""
    operands = operation["operands"]
    order = [o for o in operands if not is_result(o)] + [o for o in operands if is_result(o) and o["read"]]
    names = [TYPES[o["kind"]][1] or o["name"].strip("(")[0].lower() for o in order]
    if operation["name"] == "move":
        names = ["to", "source"]
    numbered = [name + str(names[:k].count(name)) if names.count(name) > 1 else name for k, name in enumerate(names)]
    return list(zip(numbered, (o["kind"] for o in order)))


def method_name(operation):
    """Returns the name of the method of an operation."""
    name = operation["name"]
    return name + "_" if keyword.iskeyword(name) else name


def method(operation):
    """Returns the text of a method."""
    given = arguments(operation)
    results = [TYPES[o["kind"]][0] for o in operation["operands"] if is_result(o)]
    result = results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]" if results else "None"
    parameters = "".join(f", {name}: {TYPES[kind][0]}" for name, kind in given)
    into = {"Value": "Value", "Half": "Half", "Pair": "Pair"}.get(results[0]) if results else None
    parameters += f", *, into: {into} | None = None" if into else ""
    needs = f" Needs {operation['extension']}." if operation["extension"] else ""
    document = textwrap.wrap(f"``{operation['form']}``: {operation['meaning']}{needs}", 110)
    document = "\n        ".join(document)
    values = ", ".join(name for name, _ in given) + ("," if len(given) == 1 else "")
    call = f'self._operation("{operation["name"]}", ({values}), {"into" if into else "None"})'
    body = f"result: {result} = {call}\n        return result" if results else call
    head = f"    def {method_name(operation)}(self{parameters}) -> {result}:"
    if len(head) > 120:
        head = f"    def {method_name(operation)}(\n        self{parameters}\n    ) -> {result}:"
    return (
        f"\n{head}\n"
        f'        """{document}"""\n'
        f"        {body}\n"
    )


def text():
    """Returns the text of the module."""
    return HEAD + "".join(method(operation) for operation in _native._operations())


if __name__ == "__main__":
    print(text(), end="")
