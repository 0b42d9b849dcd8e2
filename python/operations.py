"""Writes package/cp2/_operations.py from the table of operations:

    python operations.py > package/cp2/_operations.py
"""

import keyword
import textwrap

from cp2 import _native

HEAD = '''"""Operations of linear code as methods, by python/operations.py from the table of operations; do not edit."""

from typing import Any

from cp2._values import Half, Pair, Value


class Operations:
    """Arithmetic operations. Arguments are the registers that an operation reads, in the order of its form; one that it
    reads and writes comes last, is replaced by the result, and must not be used any more. ``into`` takes the place of a
    new register for the first result."""

    def _operation(self, name: str, arguments: tuple[Any, ...], into: Value | Half | None) -> Any:
        raise NotImplementedError
'''

TYPES = {"register": "Value", "pair": "Pair", "half": "Half", "number": "int"}


def arguments(operation):
    """Returns (name, type) of each argument: what is only read, then what is read and written."""
    read = [o for o in operation["operands"] if o["read"] or o["kind"] == "number"]
    order = [o for o in read if not o["written"]] + [o for o in read if o["written"]]
    names = ["stqd"["STQD".index(o["name"].strip("(")[0])] if o["name"].strip("(")[0] in "STQD" else "number" for o in order]
    return [(name, TYPES[o["kind"]]) for name, o in zip(names, order)]


def method(operation):
    """Returns the text of a method."""
    name = operation["name"]
    method = name + "_" if keyword.iskeyword(name) else name
    given = arguments(operation)
    written = [o for o in operation["operands"] if o["written"]]
    result = "Value" if written[0]["kind"] == "register" else "Half"
    result = result if len(written) == 1 else "tuple[" + ", ".join([result] * len(written)) + "]"
    parameters = "".join(f", {n}: {t}" for n, t in given)
    needs = f" Needs {operation['extension']}." if operation["extension"] else ""
    document = textwrap.wrap(f"``{operation['form']}``: {operation['meaning']}{needs}", 110)
    document = "\n        ".join(document)
    values = ", ".join(n for n, _ in given) + ("," if len(given) == 1 else "")
    return (
        f"\n    def {method}(self{parameters}, *, into: Value | Half | None = None) -> {result}:\n"
        f'        """{document}"""\n'
        f'        result: {result} = self._operation("{name}", ({values}), into)\n'
        "        return result\n"
    )


def text():
    """Returns the text of the module."""
    return HEAD + "".join(method(operation) for operation in _native._operations())


if __name__ == "__main__":
    print(text(), end="")
