"""``cp2.Kernel``: kernels of linear code, built in Python. What is built is the text that a person would write, so it has
the same checks, the same schedules and the same runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from cp2 import _native
from cp2._errors import UsageError
from cp2._operations import Operations
from cp2._values import Half, Pair, Value

_TYPES = ("float32", "complex64", "int32", "uint32", "int64", "uint64")


class Argument:
    """An argument of a kernel, in a general register. Made by :meth:`Kernel.argument`."""

    def __init__(self, name: str, register: str, promises: str, least: int) -> None:
        self.name, self.register = name, register
        self._promises, self._least = promises, least

    def __repr__(self) -> str:
        return f"<cp2.Argument {self.name} in {self.register}{self._promises}>"


class Condition:
    """A condition code of each section, which a comparison sets. Made by :meth:`Kernel.compare`."""

    def __init__(self, kernel: Kernel, number: int) -> None:
        self._kernel, self._number = kernel, number
        kernel._holders[number] = self

    def _text(self) -> str:
        """Returns the predicate, if the condition code has not been set anew."""
        if self._kernel._holders[self._number] is not self:
            raise UsageError(f"cc{self._number} was set anew by a later comparison; a kernel has seven conditions at a time")
        return f"if(cc{self._number}) "

    def __repr__(self) -> str:
        return f"<cp2.Condition cc{self._number}>"


class LocalArray:
    """An array in local memory, with an address set that walks over it. Made by :meth:`Kernel.array`.

    ``load`` and ``store`` without a place go on word by word, each from where the block began: a block is what stands
    between two ends or begins of loops. After a block the set is where they have come.
    """

    def __init__(self, kernel: Kernel, name: str, number: int) -> None:
        self.name = name
        self._kernel, self._set = kernel, number
        self._next = {"load": 0, "store": 0}

    def _place(self, way: str, at: int | None, words: int) -> int:
        if at is not None:
            return at
        place = self._next[way]
        self._next[way] += words
        return place

    def load(self, at: int | None = None) -> Value:
        """Loads a word of each section: the next one, or the one ``at`` so many words from where the block began."""
        value = self._kernel._new()
        place = self._place("load", at, 1)
        self._kernel._text.access("lw", f"%{value._name}", self._set, place)
        return value

    def load2(self, at: int | None = None) -> Pair:
        """Loads two words of each section by one operation; the first has to be at an even address."""
        first, second = self._kernel._new(), self._kernel._new()
        place = self._place("load", at, 2)
        self._kernel._text.access("ld", f"%{first._name}:%{second._name}", self._set, place)
        return first, second

    def store(self, value: Value, at: int | None = None) -> None:
        """Stores a register to a word of each section: the next one, or the one ``at`` so many words from the begin."""
        name = self._kernel._read(value)
        self._kernel._text.access("sw", name, self._set, self._place("store", at, 1))

    def store2(self, values: Pair, at: int | None = None) -> None:
        """Stores two registers, the second the next after the first, to two words; the first at an even address."""
        name = self._kernel._pair(values)
        self._kernel._text.access("sd", name, self._set, self._place("store", at, 2))

    def advance(self, words: int) -> None:
        """Moves the set by so many words, from where the block began, before the next block."""
        self._next = {"load": words, "store": words}
        self._kernel._text.leave_at(self._set, words)

    def rewind(self) -> None:
        """Moves the set to the first word of the array; what follows counts from there."""
        self._finish()
        self._kernel._text.line(f"seti    a{self._set}, {self.name}")

    def _finish(self) -> None:
        """Leaves the set where loads and stores have come, at the end of a block."""
        place = max(self._next.values())
        if place:
            self._kernel._text.leave_at(self._set, place)
        self._next = {"load": 0, "store": 0}

    def __repr__(self) -> str:
        return f"<cp2.LocalArray {self.name}>"


class Kernel(Operations):
    """A kernel of linear code under construction.

    >>> import numpy as np, cp2
    >>> k = cp2.Kernel("axpy")
    >>> n = k.argument("n", min=1)
    >>> x = k.array("x", "in", "float32", "4*n", pack="both", words=64)
    >>> y = k.array("y", "inout", "float32", "4*n", pack="both", words=64)
    >>> k.disjoint(x, y)
    >>> a = k.constant(0.5)
    >>> with k.loop(n):
    ...     y.store(k.psmadd(a, x.load(), y.load()))
    >>> run = k.run({"x": np.ones(8, np.float32), "y": np.arange(8, dtype=np.float32)})
    >>> run["y"]
    array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], dtype=float32)

    The body of a loop is built once. What goes from one iteration to the next has to stay in its register: operations that
    accumulate (``psmadd``) do that, others with ``into=``. A kernel for another core is built for its ``machine``.
    """

    def __init__(self, name: str, *, machine: Any = None) -> None:
        self.name = _word("kernel", name)
        self._machine, self._text = machine, _native._LinearText()
        self._versions: dict[str, int] = {}
        self._arguments: list[Argument] = []
        self._arrays: list[tuple[LocalArray, str, str]] = []
        self._head: list[str] = []
        self._promises: list[str] = []
        self._constants: dict[tuple[float, float], str] = {}
        self._depth = self._deepest = 0
        self._condition: Condition | None = None
        self._conditions = 0
        self._holders: dict[int, Condition] = {}

    def argument(
        self, name: str, *, min: int | None = None, multiple: int | None = None, expected: int | None = None
    ) -> Argument:
        """Declares a whole number that the caller gives, or that the sizes of arrays tell, such as the count of a loop.

        ``min`` and ``multiple`` are promises, which a run checks; ``expected`` is the usual value.
        """
        if len(self._arguments) == 12:
            raise UsageError("a kernel has at most 12 arguments here: g1 to g12")
        promises = "".join(f", {k}={int(v)}" for k, v in [("min", min), ("multiple", multiple)] if v is not None)
        register = f"g{len(self._arguments) + 1}"
        self._head.append(f".arg    {_word('argument', name)}, {register}{promises}")
        if expected is not None:
            promises += f", expected={int(expected)}"
        least = max_of(1, min or 1, multiple or 1)
        argument = Argument(name, register, promises, least)
        self._arguments.append(argument)
        return argument

    def array(
        self,
        name: str,
        direction: str,
        type: str,
        *shape: str | int,
        words: int,
        layout: str = "blocks",
        pack: str | None = None,
    ) -> LocalArray:
        """Declares an array of the caller and reserves ``words`` words of local memory for it in each section.

        ``direction`` is ``"in"``, ``"out"`` or ``"inout"``, ``type`` that of the elements, ``shape`` the sizes of the axes,
        each a number or an expression over arguments such as ``"4*n"``. ``layout`` says which section has which elements,
        ``pack`` how 32-bit elements lie in words (``"pairs"``, ``"both"``, ``"low"``, ``"high"``).
        """
        if direction not in ("in", "out", "inout") or type not in _TYPES:
            raise UsageError(f"array {name}: the direction is in, out or inout, the type one of {', '.join(_TYPES)}")
        if len(self._arrays) == 16:
            raise UsageError("a kernel has at most 16 arrays here, one for each address set")
        options = f", layout={layout}" + (f", pack={pack}" if pack else "")
        sizes = ", ".join(str(size) for size in shape)
        self._head.append(f".array  {_word('array', name)}, {direction}, {type}, {sizes}{options}")
        array = LocalArray(self, name, len(self._arrays))
        self._arrays.append((array, f"seti    a{array._set}, {name}", f"{name}: .zero {int(words)}"))
        return array

    def disjoint(self, *arrays: LocalArray) -> None:
        """Promises that accesses through these arrays never meet, so that they may be moved past each other."""
        self._promises.append(".disjoint " + ", ".join(f"r{a._set}" for a in arrays))

    def even(self, *arrays: LocalArray) -> None:
        """Promises that these arrays begin at even addresses; ``load2`` and ``store2`` need that."""
        self._promises.append(".even   " + ", ".join(f"r{a._set}" for a in arrays))

    def constant(self, hi: float | complex, lo: float | None = None) -> Value:
        """Loads a constant: a float in both halves, two floats, or a complex number."""
        if isinstance(hi, complex):
            hi, lo = hi.real, hi.imag
        pair = (float(hi), float(hi if lo is None else lo))
        label = self._constants.setdefault(pair, f"constant{len(self._constants)}")
        value = self._new()
        self._text.line(f"lwi     %{value._name}, {label}")
        return value

    def zeros(self, count: int) -> list[Value]:
        """Clears so many registers, from 1 to 128."""
        if not 1 <= count <= 128:
            raise UsageError(f"zeros({count}): from 1 to 128 registers")
        values = [self._new() for _ in range(count + count % 2)]
        for first, second in zip(values[::2], values[1::2]):
            self._text.line(f"clear   %{first._name}, %{second._name}")
        return values[:count]

    @contextlib.contextmanager
    def loop(self, count: int | Argument) -> Iterator[None]:
        """Repeats what is built within: a fixed number of times, or as often as an argument says."""
        self._end_block()
        if isinstance(count, Argument):
            self._text.begin_loop(count.register + count._promises, count._least)
        else:
            self._text.begin_loop(str(int(count)), int(count))
        self._depth += 1
        self._deepest = max_of(self._deepest, self._depth)
        yield
        self._end_block()
        self._text.end_loop()
        self._depth -= 1

    def compare(self, relation: str, format: str, s: Value, t: Value) -> tuple[Condition, ...]:
        """Compares two registers in each section: ``"lt"``, ``"le"``, ``"eq"`` and others, of the low halves as float
        (``"s"``) or int (``"w"``), or of both halves (``"ps"``, ``"pw"``), which gives a condition for the low and one for
        the high half. A kernel has seven conditions; the eighth takes the place of the first.
        """
        count = 2 if format in ("ps", "pw") else 1
        number = 1 + self._conditions
        if number + count > 8:
            number = 1
        self._conditions = (number - 1 + count) % 7
        self._text.line(f"c.{relation}.{format} cc{number}, {self._read(s)}, {self._read(t)}")
        return tuple(Condition(self, number + k) for k in range(count))

    @contextlib.contextmanager
    def when(self, condition: Condition) -> Iterator[None]:
        """Does the operations within only in the sections where the condition holds; the others keep what they have. So
        the result of each has to take the place of a value: of one that it updates, or of ``into``.
        """
        if not isinstance(condition, Condition) or condition._kernel is not self:
            raise UsageError(f"a condition of the kernel `{self.name}` is needed, and this is {condition!r}")
        if self._condition is not None:
            raise UsageError("conditions do not nest")
        self._condition = condition
        try:
            yield
        finally:
            self._condition = None

    def line(self, text: str) -> None:
        """Adds a line of assembly as it is: an operation that has no method, or a directive."""
        self._text.line(text)

    def text(self) -> str:
        """Returns the source of the kernel as it is built so far."""
        if self._depth:
            raise UsageError("a loop is still open; the text is whole only behind it")
        self._end_block()
        scratch = [f".scratch {', '.join(f'g{15 - k}' for k in range(self._deepest))}"] if self._deepest else []
        # Data stand before the code: linear code has to know the addresses of constants.
        data = [f".align  2\n{words}" for _, _, words in self._arrays]
        data += [f"{label}: .complex {hi!r}, {lo!r}" for (hi, lo), label in self._constants.items()]
        lines = [".lmem   all", *data] if data else []
        lines += [f".kernel {self.name}", *self._head, *(begin for _, begin, _ in self._arrays)]
        lines += [".linear", *self._promises, *scratch]
        text = "".join(f"        {line}\n" for line in "\n".join(lines).splitlines())
        return f"{text}{self._text.text()}        .endlinear\n        stopi   0\n"

    def assemble(self) -> _native.Program:
        """Assembles and schedules the kernel; errors are those of the text."""
        return _native.assemble(self.text(), machine=self._machine, name=f"{self.name}.s")

    def schedule(self) -> _native.Schedule:
        """Returns the schedule of the kernel."""
        return self.assemble().schedule()

    def run(self, load: Mapping[str, Any] | None = None, **options: Any) -> _native.Run:
        """Assembles the kernel and runs it once; the options are those of :meth:`Program.run`."""
        return self.assemble().run(load, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the source of the kernel into a file."""
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.text())

    def _new(self) -> Value:
        name = f"v{len(self._versions)}"
        self._versions[name] = 0
        return Value(self, name, 0)

    def _end_block(self) -> None:
        for array, _, _ in self._arrays:
            array._finish()

    def _read(self, value: Any) -> str:
        """Returns the name of a value, if it is still what its register holds."""
        if not isinstance(value, Value):
            raise TypeError(f"a value of the kernel is needed, and this is {value!r}")
        if value._kernel is not self:
            raise UsageError(f"%{value._name} is a value of the kernel `{value._kernel.name}`, not of `{self.name}`")
        if self._versions[value._name] != value._version:
            raise UsageError(
                f"%{value._name} was replaced by the result of a later operation; use that, or copy the value before"
            )
        return f"%{value._name}"

    def _pair(self, values: Any) -> str:
        if not isinstance(values, tuple) or len(values) != 2:
            raise TypeError(f"two values are needed, and this is {values!r}")
        return ":".join(self._read(value) for value in values)

    def _written(self, value: Value) -> Value:
        self._versions[value._name] += 1
        return Value(self, value._name, self._versions[value._name])

    def _argument(self, kind: str, given: Any) -> str:
        if kind == "register":
            return self._read(given)
        if kind == "pair":
            return self._pair(given)
        if kind == "half":
            if not isinstance(given, Half):
                raise TypeError(f"half of a value is needed, such as x.hi, and this is {given!r}")
            return f"{self._read(given.value)}.{given._half}"
        if isinstance(given, bool) or not isinstance(given, int):
            raise TypeError(f"a whole number is needed, and this is {given!r}")
        return str(given)

    def _operation(self, name: str, arguments: tuple[Any, ...], into: Value | Half | None) -> Any:
        operands = _OPERANDS[name]
        is_given = [o["read"] or o["kind"] == "number" for o in operands]
        pure = [k for k, o in enumerate(operands) if is_given[k] and not o["written"]]
        both = [k for k, o in enumerate(operands) if is_given[k] and o["written"]]
        texts, results = [""] * len(operands), []
        for k, given in zip(pure + both, arguments):
            texts[k] = self._argument(operands[k]["kind"], given)
        given_at = dict(zip(pure + both, arguments))
        for k, operand in enumerate(operands):
            if not operand["written"]:
                continue
            target = given_at.get(k)
            if target is None and into is not None:
                target, into = into, None
            elif target is None and self._condition is not None:
                raise UsageError(f"{name}: under a condition a result takes the place of a value; give `into`")
            elif target is None:
                target = self._new() if operand["kind"] == "register" else self._new().hi
            texts[k] = texts[k] or self._argument(operand["kind"], target)
            results.append(target)
        if into is not None:
            raise UsageError(f"{name}: its results replace its operands; `into` has no place")
        condition = self._condition._text() if self._condition else ""
        self._text.line(f"{condition}{name:<7} {', '.join(texts)}")
        new = [
            Half(self._written(r.value), r._half) if isinstance(r, Half) else self._written(r) for r in results
        ]
        return new[0] if len(new) == 1 else tuple(new)


def max_of(*numbers: int) -> int:
    """Returns the largest of some numbers."""
    return sorted(numbers)[-1]


def _word(what: str, name: str) -> str:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise UsageError(f"{what} {name!r}: a name has letters, digits and _, and begins with no digit")
    return name


_OPERANDS = {operation["name"]: operation["operands"] for operation in _native._operations()}
