"""Values of linear code under construction: virtual registers of a ``cp2.Kernel``, as they are at one place of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cp2._kernel import Kernel


class Value:
    """A virtual register of a kernel: 64 bits in each of four sections, two float32 or one complex64.

    An operation that updates a register, such as ``psmadd``, returns a new ``Value`` of it; the old one must not be used
    any more.
    """

    __slots__ = ("_kernel", "_name", "_version")

    def __init__(self, kernel: Kernel, name: str, version: int) -> None:
        self._kernel, self._name, self._version = kernel, name, version

    @property
    def hi(self) -> Half:
        """The high half, bits 63 to 32: the first of two float32, the real part of a complex64."""
        return Half(self, "hi")

    @property
    def lo(self) -> Half:
        """The low half, bits 31 to 0: the second of two float32, the imaginary part of a complex64."""
        return Half(self, "lo")

    def __repr__(self) -> str:
        return f"<cp2.Value %{self._name}>"


class Half:
    """One half of a register."""

    __slots__ = ("_half", "_value")

    def __init__(self, value: Value, half: str) -> None:
        self._value, self._half = value, half

    @property
    def value(self) -> Value:
        """The whole register."""
        return self._value

    def __repr__(self) -> str:
        return f"<cp2.Half %{self._value._name}.{self._half}>"


Pair = tuple[Value, Value]
"""Two registers of which the second is the next after the first."""
