"""What a core has: the extensions that are on, its number of FPRs and of words of local memory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """The unmodified CP2, or one with extensions."""

    extensions: frozenset[str] = frozenset()
    fprs: int = 64
    words: int = 8192

    @property
    def bits(self) -> int:
        """The bits of an address in local memory."""
        return self.words.bit_length() - 1

    @property
    def address(self) -> int:
        """All ones in the width of an address."""
        return self.words - 1

    def has(self, name: str) -> bool:
        """Whether an extension is on; the empty name is the core itself."""
        return not name or name in self.extensions

    def options(self) -> list[str]:
        """The options of the command line that switch all of it on."""
        names = sorted(self.extensions)
        if self.fprs != 64:
            names.append(f"more-fprs={self.fprs}")
        if self.words != 8192:
            names.append(f"larger-local-memory={self.words}")
        return ["--enable", ",".join(names)] if names else []


CP2 = Shape()
