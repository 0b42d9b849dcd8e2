"""Where values of a kernel lie and come from beside the floating-point registers: general, address, index and control registers,
address sets, arrays in local memory, conditions. All are made by methods of ``cp2.Kernel``."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

from cp2._errors import UsageError
from cp2._values import Pair, Value

if TYPE_CHECKING:
    from cp2._kernel import Kernel


def whole(what: str, number: Any, least: int, most: int) -> int:
    """Returns a whole number within limits."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{what}: a whole number is needed, and this is {number!r}")
    if not least <= operator.index(number) <= most:
        raise UsageError(f"{what} {number}: from {least} to {most}")
    return operator.index(number)


def one_line(what: str, text: Any) -> str:
    """Returns a text that goes into a line of the source as it is."""
    if not isinstance(text, str):
        raise TypeError(f"{what}: a text is needed, and this is {text!r}")
    if not text.isprintable():
        raise UsageError(f"{what} {text!r}: it has to be one line of characters that can be printed")
    return text


class Register:
    """A register beside those for floating point. It holds one value for all sections, and an operation that writes it names
    it as an argument."""

    def __init__(self, kernel: Kernel, name: str) -> None:
        self._kernel, self._name = kernel, name

    def __repr__(self) -> str:
        return f"<cp2.{type(self).__name__} {self._name}>"


class General(Register):
    """A general register, such as a count of a loop. Made by :meth:`Kernel.general`."""


class Index(Register):
    """An index register. Made by :meth:`Kernel.index`."""


class Control(Register):
    """A control register that linear code may read and write. Made by :meth:`Kernel.control`."""


class AddressRegister(Register):
    """One of the three registers of an address set: address, step or mode."""


class Argument(General):
    """An argument of a kernel, in a general register. Made by :meth:`Kernel.argument`."""

    def __init__(self, kernel: Kernel, name: str, register: str, promises: str, least: int) -> None:
        super().__init__(kernel, register)
        self.name, self.register = name, register
        self._promises, self._least = promises, least

    def __repr__(self) -> str:
        return f"<cp2.Argument {self.name} in {self.register}{self._promises}>"


class Condition:
    """A condition code of each section, which a comparison sets. Made by :meth:`Kernel.compare` and :meth:`Kernel.condition`."""

    def __init__(self, kernel: Kernel, number: int) -> None:
        self._kernel, self._number = kernel, number
        kernel._holders[number] = self

    def _text(self) -> str:
        """Returns the predicate, if the condition code has not been set anew."""
        if self._kernel._holders.get(self._number) is not self:
            raise UsageError(
                f"cc{self._number} was set anew by a later comparison or `mtc`; a kernel has seven conditions at a time"
            )
        return f"if(cc{self._number}) "

    def __repr__(self) -> str:
        return f"<cp2.Condition cc{self._number}>"


class Place:
    """The address of an access: a text for operations of the kernel of an address set."""

    def __init__(self, set: AddressSet, text: str) -> None:
        self._set, self._text = set, text

    def __repr__(self) -> str:
        return f"<cp2.{type(self).__name__} {self._text}>"


class Offset(Place):
    """The address of a set, which then steps by a constant. Made by :meth:`AddressSet.plus`."""


class Forward(Place):
    """The address of a set, which then steps by its register n. Made by :attr:`AddressSet.forward`."""


class Backward(Place):
    """The address of a set, which then steps back by its register n. Made by :attr:`AddressSet.backward`."""


class AddressSet:
    """An address set under the kernel's own control: address, step and mode, section addresses, a shared address. Made by
    :meth:`Kernel.address_set`, or by :attr:`LocalArray.set` of an array that is not walked over otherwise.

    >>> k = cp2.Kernel("k")
    >>> s = k.address_set()
    >>> k.seti(s.n, 4)
    >>> value = k.lwnp(s.forward)
    >>> k.swo(value, s.plus(1))
    """

    def __init__(self, kernel: Kernel, number: int) -> None:
        self._kernel, self._number = kernel, number

    @property
    def a(self) -> AddressRegister:
        """The address, in words."""
        return AddressRegister(self._kernel, f"a{self._number}")

    @property
    def n(self) -> AddressRegister:
        """The step, in words."""
        return AddressRegister(self._kernel, f"n{self._number}")

    @property
    def m(self) -> AddressRegister:
        """The mode, which tells how steps go round."""
        return AddressRegister(self._kernel, f"m{self._number}")

    def plus(self, words: SupportsIndex) -> Offset:
        """Returns the address for an access behind which the set steps by so many words."""
        return Offset(self, f"(r{self._number}){whole('a step', words, -4096, 4095):+d}")

    @property
    def forward(self) -> Forward:
        """The address for an access behind which the set steps by its register n."""
        return Forward(self, f"(r{self._number})+n{self._number}")

    @property
    def backward(self) -> Backward:
        """The address for an access behind which the set steps back by its register n."""
        return Backward(self, f"(r{self._number})-n{self._number}")

    def __repr__(self) -> str:
        return f"<cp2.AddressSet r{self._number}>"


class Element:
    """A word of an array, by its distance in words from where the block began. Made by :meth:`LocalArray.at`."""

    def __init__(self, array: LocalArray, words: int) -> None:
        self._array, self._words = array, words

    def __repr__(self) -> str:
        return f"<cp2.Element {self._array.name}{self._words:+d}>"


class LocalArray:
    """An array in local memory, with an address set that walks over it. Made by :meth:`Kernel.array`.

    ``load`` and ``store`` without a place go on word by word, each from where the block began: a block is what stands
    between two ends or begins of loops. After a block the set is where they have come. Under a condition they load and store
    in those sections only where it holds, which needs the extension ``conditional-memory``.

    Any other operation that takes an address with an offset takes ``array.at(words)``: ``k.lho(x.at(0), 1)``.
    """

    def __init__(self, kernel: Kernel, name: str, number: int) -> None:
        self.name = name
        self._kernel, self._number = kernel, number
        self._next = {"load": 0, "store": 0}
        self._is_walked = False
        self._own: AddressSet | None = None

    def at(self, words: SupportsIndex) -> Element:
        """Returns the place so many words from where the block began, for an operation of the kernel."""
        return Element(self, whole("a displacement", words, -(1 << 20), 1 << 20))

    def load(self, at: SupportsIndex | None = None, *, into: Value | None = None) -> Value:
        """Loads a word of each section: the next one, or the one ``at`` so many words from where the block began."""
        value: Value = self._access("load", "lwo", (), at, into)
        return value

    def load2(self, at: SupportsIndex | None = None, *, into: Pair | None = None) -> Pair:
        """Loads two words of each section by one operation; the first has to be at an even address."""
        values: Pair = self._access("load", "ldo", (), at, into)
        return values

    def store(self, value: Value, at: SupportsIndex | None = None) -> None:
        """Stores a register to a word of each section: the next one, or the one ``at`` so many words from the begin."""
        self._access("store", "swo", (value,), at, None)

    def store2(self, values: Pair, at: SupportsIndex | None = None) -> None:
        """Stores two registers, the second the next after the first, to two words; the first at an even address."""
        self._access("store", "sdo", (values,), at, None)

    def advance(self, words: SupportsIndex) -> None:
        """Moves the set by so many words, from where the block began, before the next block."""
        self._walk()
        words = self.at(words)._words
        self._next = {"load": words, "store": words}
        self._kernel._text.leave_at(self._number, words)

    def rewind(self) -> None:
        """Moves the set to the first word of the array; what follows counts from there."""
        self._finish()
        self._kernel._text.line(f"seti    a{self._number}, {self.name}")

    @property
    def set(self) -> AddressSet:
        """The address set of the array, at its first word, for a kernel that moves it by operations of its own. The array
        must not be walked over by ``load``, ``store``, ``advance`` and ``at`` then."""
        if self._is_walked:
            raise UsageError(f"array {self.name} is walked over by load, store or at already, which move its set")
        self._own = self._own or AddressSet(self._kernel, self._number)
        return self._own

    def _walk(self) -> None:
        """Notes that the set follows the displacements of accesses."""
        if self._own is not None:
            raise UsageError(f"array {self.name}: the kernel moves its set r{self._number} itself; use that for accesses")
        self._is_walked = True

    def _access(self, way: str, name: str, given: tuple[Any, ...], at: SupportsIndex | None, into: Any) -> Any:
        place = self.at(self._next[way] if at is None else at)
        if self._kernel._condition is not None:
            name = f"c{name}"
        result = self._kernel._operation(name, (*given, place), into)
        if at is None:
            self._next[way] += 2 if name.endswith("do") else 1
        return result

    def _finish(self) -> None:
        """Leaves the set where loads and stores have come, at the end of a block."""
        place = max(self._next.values())
        if place:
            self._kernel._text.leave_at(self._number, place)
        self._next = {"load": 0, "store": 0}

    def __repr__(self) -> str:
        return f"<cp2.LocalArray {self.name}>"
