"""``cp2.Kernel``: kernels of linear code, built in Python. What is built is the text that a person would write, so it has
the same checks, the same schedules and the same runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any, SupportsIndex

import numpy as np

from cp2 import _native
from cp2._errors import UsageError
from cp2._operands import RESULTS, TEXTS, check_written, owned, value
from cp2._operations import Operations
from cp2._places import AddressSet, Argument, Condition, Control, Element, General, Index, LocalArray, one_line, whole
from cp2._values import Half, Pair, Value

_TYPES = ("float32", "complex64", "int32", "uint32", "int64", "uint64")
_LARGEST = (1 << 32) - 1
"""Most iterations of a loop, and most words, promises and the like."""


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
        self._n_general = self._n_sets = 0
        self._arrays: list[tuple[LocalArray, str, str]] = []
        self._head: list[str] = []
        self._promises: list[str] = []
        self._constants: dict[bytes, str] = {}
        self._data: list[str] = []
        self._depth = self._deepest = 0
        self._condition: Condition | None = None
        self._conditions = 0
        self._holders: dict[int, Condition] = {}

    def argument(
        self,
        name: str,
        *,
        min: SupportsIndex | None = None,
        multiple: SupportsIndex | None = None,
        expected: SupportsIndex | None = None,
    ) -> Argument:
        """Declares a whole number that the caller gives, or that the sizes of arrays tell, such as the count of a loop.

        ``min`` and ``multiple`` are promises, which a run checks; ``expected`` is the usual value.
        """
        name = _word("argument", name)
        promises, least = _promised(name, min=min, multiple=multiple)
        usual, _ = _promised(name, expected=expected)
        register = self._next_general()
        self._head.append(f".arg    {name}, {register}{promises}")
        return Argument(self, name, register, promises + usual, least)

    def general(self) -> General:
        """Returns a general register that nothing else uses. It has no value yet: ``k.seti(g, 3)`` gives one."""
        return General(self, self._next_general())

    def index(self, number: SupportsIndex) -> Index:
        """Returns an index register, from 0 to 15."""
        return Index(self, f"i{whole('index register', number, 0, 15)}")

    def control(self, name: str) -> Control:
        """Returns a control register of the index registers: ``"rind"``, ``"rstep"`` or ``"rmask"``."""
        return Control(self, _word("control register", name))

    def address_set(self) -> AddressSet:
        """Returns an address set that no array uses, for a kernel that moves it by operations of its own."""
        return AddressSet(self, self._next_set())

    def array(
        self,
        name: str,
        direction: str,
        type: str,
        *shape: str | SupportsIndex,
        words: SupportsIndex,
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
        if any(array.name == name for array, _, _ in self._arrays):
            raise UsageError(f"the kernel has an array {name} already")
        name, count = _word("array", name), whole(f"array {name}: words", words, 1, _LARGEST)
        options = f", layout={one_line('a layout', layout)}"
        options += f", pack={one_line('pack', pack)}" if pack is not None else ""
        sizes = ", ".join(_size(name, size) for size in shape)
        array = LocalArray(self, name, self._next_set())
        self._head.append(f".array  {name}, {direction}, {type}, {sizes}{options}")
        self._arrays.append((array, f"seti    a{array._number}, {name}", f"{name}: .zero {count}"))
        return array

    def disjoint(self, *arrays: LocalArray | AddressSet) -> None:
        """Promises that accesses through these arrays never meet, so that they may be moved past each other."""
        self._promise(".disjoint ", arrays)

    def even(self, *arrays: LocalArray | AddressSet) -> None:
        """Promises that these arrays begin at even addresses; ``load2`` and ``store2`` need that."""
        self._promise(".even   ", arrays)

    def constant(self, hi: float | complex, lo: float | None = None) -> Value:
        """Loads a constant: a float in both halves, two floats, or a complex number, each rounded to float32."""
        if isinstance(hi, complex | np.complexfloating) and lo is None:
            hi, lo = float(hi.real), float(hi.imag)
        halves = [_float32(half) for half in (hi, hi if lo is None else lo)]
        # By their bits, for 0 and -0 are equal and a NaN is not.
        key = b"".join(half.tobytes() for half in halves)
        if key not in self._constants:
            self._constants[key] = f"constant{len(self._constants)}"
            self._data.append(f"{self._constants[key]}: .complex {', '.join(str(half) for half in halves)}")
        made = self._new()
        self._text.line(f"lwi     %{made._name}, {self._constants[key]}")
        return made

    def zeros(self, count: SupportsIndex) -> list[Value]:
        """Clears so many registers, from 1 to 128."""
        count = whole("registers to clear:", count, 1, 128)
        values = [self._new() for _ in range(count + count % 2)]
        for first, second in zip(values[::2], values[1::2]):
            self._text.line(f"clear   %{first._name}, %{second._name}")
        return values[:count]

    @contextlib.contextmanager
    def loop(
        self,
        count: SupportsIndex | General,
        *,
        min: SupportsIndex | None = None,
        multiple: SupportsIndex | None = None,
        expected: SupportsIndex | None = None,
    ) -> Iterator[None]:
        """Repeats what is built within: a fixed number of times, or as often as an argument or a general register says.

        ``min`` and ``multiple`` promise what a general register holds, ``expected`` tells what it usually holds; an argument
        has told that itself.
        """
        promises, least = _promised("the count", min=min, multiple=multiple, expected=expected)
        if promises and (isinstance(count, Argument) or not isinstance(count, General)):
            raise UsageError("min, multiple and expected are for a count in a general register; an argument has its own")
        if isinstance(count, Argument):
            promises, least = count._promises, count._least
        if isinstance(count, General):
            text = owned(self, count)._name + promises
        else:
            least = whole("a loop runs", count, 1, _LARGEST)
            text = str(least)
        self._end_block()
        self._text.begin_loop(text, least)
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
        name = f"c.{_word('relation', relation)}.{_word('format', format)}"
        operands = f"{value(self, s)}, {value(self, t)}"
        count = 2 if format in ("ps", "pw") else 1
        number = 1 + self._conditions
        if number + count > 8:
            number = 1
        condition = self._condition._text() if self._condition else ""
        self._conditions = (number - 1 + count) % 7
        self._text.line(f"{condition}{name} cc{number}, {operands}")
        return tuple(Condition(self, number + k) for k in range(count))

    def condition(self, number: SupportsIndex) -> Condition:
        """Returns a condition code, from 1 to 7, as it is here; that is for codes which ``mtc`` wrote."""
        return Condition(self, whole("condition code", number, 1, 7))

    @contextlib.contextmanager
    def when(self, condition: Condition) -> Iterator[None]:
        """Does the operations within only in the sections where the condition holds; the others keep what they have. So
        the result of each has to take the place of a value: of one that it updates, or of ``into``. Operations that are done
        in all sections whatever the condition are refused.
        """
        if not isinstance(condition, Condition) or condition._kernel is not self:
            raise UsageError(f"a condition of the kernel `{self.name}` is needed, and this is {condition!r}")
        if self._condition is not None:
            raise UsageError("conditions do not nest")
        condition._text()
        self._condition = condition
        try:
            yield
        finally:
            self._condition = None

    def line(self, text: str) -> None:
        """Adds a line of assembly as it is, without the condition of ``when``."""
        self._text.line(text)

    def text(self) -> str:
        """Returns the source of the kernel as it is built so far."""
        if self._depth:
            raise UsageError("a loop is still open; the text is whole only behind it")
        self._end_block()
        scratch = [f".scratch {', '.join(f'g{15 - k}' for k in range(self._deepest))}"] if self._deepest else []
        # Data stand before the code: linear code has to know the addresses of constants.
        data = [f".align  2\n{words}" for _, _, words in self._arrays] + self._data
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
        text = self.text()
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(text)

    def __repr__(self) -> str:
        names = ", ".join(array.name for array, _, _ in self._arrays) or "no arrays"
        return f"<cp2.Kernel {self.name}: {len(self._versions)} registers, {names}>"

    def _next_general(self) -> str:
        if self._n_general == 12:
            raise UsageError("a kernel has at most 12 arguments and general registers here: g1 to g12")
        self._n_general += 1
        return f"g{self._n_general}"

    def _next_set(self) -> int:
        if self._n_sets == 16:
            raise UsageError("a kernel has at most 16 arrays and address sets here")
        self._n_sets += 1
        return self._n_sets - 1

    def _promise(self, directive: str, arrays: tuple[Any, ...]) -> None:
        for array in arrays:
            if not isinstance(array, LocalArray | AddressSet):
                raise TypeError(f"arrays of the kernel are needed, and this is {array!r}")
            owned(self, array)
        self._promises.append(directive + ", ".join(f"r{array._number}" for array in arrays))

    def _new(self) -> Value:
        name = f"v{len(self._versions)}"
        self._versions[name] = 0
        return Value(self, name, 0)

    def _new_of(self, kind: str) -> Any:
        if kind == "pair":
            return self._new(), self._new()
        return self._new() if kind == "register" else self._new().hi

    def _end_block(self) -> None:
        for array, _, _ in self._arrays:
            array._finish()

    def _written(self, target: Any) -> Any:
        """Returns the value, pair or half that is in the place of one that an operation wrote."""
        if isinstance(target, tuple):
            return tuple(self._written(value) for value in target)
        if isinstance(target, Half):
            return Half(self._written(target.value), target._half)
        self._versions[target._name] += 1
        return Value(self, target._name, self._versions[target._name])

    def _operation(self, name: str, arguments: tuple[Any, ...], into: Value | Half | Pair | None) -> Any:
        operation = _OPERATIONS[name]
        if self._condition is not None and not operation["predicated"]:
            raise UsageError(f"{name} is done in all sections, whatever the condition; do it outside of `when`")
        condition = self._condition._text() if self._condition else ""
        operands: list[dict[str, Any]] = operation["operands"]
        texts, results, element = self._texts(name, operands, arguments, into)
        if element is None:
            self._text.line(f"{condition}{name:<7} {', '.join(texts)}")
        else:
            at = [o["kind"] for o in operands].index("place")
            rest = "".join(f", {text}" for text in texts[at + 1 :])
            number, before = element._array._number, ", ".join(texts[:at])
            self._text.access(condition + name, before, number, element._words, rest)
        if name == "mtc":
            self._holders.clear()
        new = [self._written(target) for target in results]
        return None if not new else new[0] if len(new) == 1 else tuple(new)

    def _texts(
        self, name: str, operands: list[dict[str, Any]], arguments: tuple[Any, ...], into: Any
    ) -> tuple[list[str], list[Any], Element | None]:
        """Returns the texts of the operands, the targets that become results, and the word of an array among them."""
        is_result = [o["kind"] in RESULTS and o["written"] for o in operands]
        pure = [k for k in range(len(operands)) if not is_result[k]]
        both = [k for k, o in enumerate(operands) if is_result[k] and o["read"]]
        given_at = dict(zip(pure + both, arguments))
        texts, results, element = [""] * len(operands), [], None
        is_access = any(o["kind"] in RESULTS for o in operands)
        for k, given in given_at.items():
            operand = operands[k]
            if operand["kind"] == "place" and isinstance(given, Element) and is_access:
                element = given
                owned(self, element._array)._walk()
                continue
            if operand["written"] and not is_result[k]:
                check_written(name, given)
            texts[k] = TEXTS[operand["kind"]](self, given)
        for k in (k for k, wanted in enumerate(is_result) if wanted):
            target = given_at.get(k)
            if target is None and into is not None:
                target, into = into, None
            elif target is None and self._condition is not None:
                raise UsageError(f"{name}: under a condition a result takes the place of a value; give `into`")
            texts[k] = texts[k] or (TEXTS[operands[k]["kind"]](self, target) if target is not None else "")
            results.append(target)
        if into is not None:
            raise UsageError(f"{name}: its results replace its operands; `into` has no place")
        return self._with_new(operands, is_result, texts, results), results, element

    def _with_new(
        self, operands: list[dict[str, Any]], is_result: list[bool], texts: list[str], results: list[Any]
    ) -> list[str]:
        """Takes new registers for the results that take no place of others, once all is known to be right."""
        places = [k for k, wanted in enumerate(is_result) if wanted]
        for at, k in enumerate(places):
            if results[at] is None:
                results[at] = self._new_of(operands[k]["kind"])
                texts[k] = TEXTS[operands[k]["kind"]](self, results[at])
        return texts


def _float32(number: Any) -> np.float32:
    """Returns a number as float32."""
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        raise TypeError(f"a float, two floats or a complex number are needed, and this is {number!r}")
    with np.errstate(over="ignore"):
        rounded = np.float32(number)
    if np.isinf(rounded) and abs(number) != float("inf"):
        raise UsageError(f"the constant {number} is beyond the range of float32")
    return rounded


def _promised(name: str, **given: SupportsIndex | None) -> tuple[str, int]:
    """Returns promises as they stand in a directive, and the least value that they allow."""
    told = {key: n for key, n in given.items() if n is not None}
    numbers = {key: whole(f"{name}: {key}", n, 0 if key == "min" else 1, _LARGEST) for key, n in told.items()}
    least = max_of(1, numbers.get("min", 1), numbers.get("multiple", 1))
    return "".join(f", {key}={n}" for key, n in numbers.items()), least


def _size(name: str, size: Any) -> str:
    """Returns the size of an axis of an array as it stands in its directive."""
    if isinstance(size, str):
        return one_line(f"array {name}: an axis", size)
    return str(whole(f"array {name}: an axis", size, 0, _LARGEST))


def max_of(*numbers: int) -> int:
    """Returns the largest of some numbers."""
    return sorted(numbers)[-1]


def _word(what: str, name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise UsageError(f"{what} {name!r}: a name has letters, digits and _, and begins with no digit")
    return name


_OPERATIONS: dict[str, dict[str, Any]] = {operation["name"]: operation for operation in _native._operations()}
