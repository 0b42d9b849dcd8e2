"""Operations of linear code as methods, by python/operations.py from the table of operations; do not edit."""

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

    def clear(self, *, into: Value | None = None) -> tuple[Value, Value]:
        """``clear D, S``: D := 0, S := 0."""
        result: tuple[Value, Value] = self._operation("clear", (), into)
        return result

    def copy(self, s: Value, *, into: Value | None = None) -> Value:
        """``copy D, S``: D := S."""
        result: Value = self._operation("copy", (s,), into)
        return result

    def swaphl(self, s: Value, *, into: Value | None = None) -> Value:
        """``swaphl D, S``: D := (S.lo, S.hi)."""
        result: Value = self._operation("swaphl", (s,), into)
        return result

    def swap64(self, d: Value, s: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``swap64 D, S``: Exchange D and S."""
        result: tuple[Value, Value] = self._operation("swap64", (d, s), into)
        return result

    def section(self, *, into: Value | None = None) -> Value:
        """``section D``: D := (0, section number)."""
        result: Value = self._operation("section", (), into)
        return result

    def li3(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``li3 D, imm16``: D.hi[31:16] := imm16, the rest of D kept."""
        result: Value = self._operation("li3", (number, d), into)
        return result

    def li2(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``li2 D, imm16``: D.hi[15:0] := imm16, the rest of D kept."""
        result: Value = self._operation("li2", (number, d), into)
        return result

    def li1(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``li1 D, imm16``: D.lo[31:16] := imm16, the rest of D kept."""
        result: Value = self._operation("li1", (number, d), into)
        return result

    def li0(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``li0 D, imm16``: D.lo[15:0] := imm16, the rest of D kept."""
        result: Value = self._operation("li0", (number, d), into)
        return result

    def mfc(self, register: Literal["fccr"], *, into: Value | None = None) -> Value:
        """``mfc D, fcsr or fccr``: D := (0, FCSR or FCCR)."""
        result: Value = self._operation("mfc", (register,), into)
        return result

    def mtc(self, d: Value, register: Literal["fccr"]) -> None:
        """``mtc D, fcsr or fccr``: FCSR or FCCR := D.lo."""
        self._operation("mtc", (d, register), None)

    def cadd(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``cadd D, S, T``: Complex D := S + T."""
        result: Value = self._operation("cadd", (s, t), into)
        return result

    def csub(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``csub D, S, T``: Complex D := S - T."""
        result: Value = self._operation("csub", (s, t), into)
        return result

    def caddsub(self, s: Value, t: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``caddsub D, S, T, Q``: Complex D := S + T, Q := S - T."""
        result: tuple[Value, Value] = self._operation("caddsub", (s, t), into)
        return result

    def cneg(self, s: Value, *, into: Value | None = None) -> Value:
        """``cneg D, S``: Complex D := -S."""
        result: Value = self._operation("cneg", (s,), into)
        return result

    def cmul(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``cmul D, S, T``: Complex D := S * T."""
        result: Value = self._operation("cmul", (s, t), into)
        return result

    def cmadd(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``cmadd D, S, T``: Complex D := D + S * T."""
        result: Value = self._operation("cmadd", (s, t, d), into)
        return result

    def cmsub(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``cmsub D, S, T``: Complex D := D - S * T."""
        result: Value = self._operation("cmsub", (s, t, d), into)
        return result

    def cmuli(self, s: Value, *, into: Value | None = None) -> Value:
        """``cmuli D, S``: Complex D := S * (0, 1), as a complex multiplication."""
        result: Value = self._operation("cmuli", (s,), into)
        return result

    def cmulni(self, s: Value, *, into: Value | None = None) -> Value:
        """``cmulni D, S``: Complex D := S * (0, -1), as a complex multiplication."""
        result: Value = self._operation("cmulni", (s,), into)
        return result

    def cconj(self, s: Value, *, into: Value | None = None) -> Value:
        """``cconj D, S``: D := (S.hi, -S.lo)."""
        result: Value = self._operation("cconj", (s,), into)
        return result

    def cbutterfly(self, d: Value, s: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``cbutterfly D, S``: w := coefficient(RIND); D := D + S * w, S := D - S * w; then RIND steps."""
        result: tuple[Value, Value] = self._operation("cbutterfly", (d, s), into)
        return result

    def cbutterfly2(self, t: Value, d: Value, s: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``cbutterfly2 D, S, T``: D := D + S * T, S := D - S * T (complex)."""
        result: tuple[Value, Value] = self._operation("cbutterfly2", (t, d, s), into)
        return result

    def chmul(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``chmul D, S, T``: Complex D := S * conj(T)."""
        result: Value = self._operation("chmul", (s, t), into)
        return result

    def chmadd(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``chmadd D, S, T``: Complex D := D + S * conj(T)."""
        result: Value = self._operation("chmadd", (s, t, d), into)
        return result

    def chmsub(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``chmsub D, S, T``: Complex D := D - S * conj(T)."""
        result: Value = self._operation("chmsub", (s, t, d), into)
        return result

    def psadd(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``psadd D, S, T``: Pairwise D := S + T."""
        result: Value = self._operation("psadd", (s, t), into)
        return result

    def pssub(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``pssub D, S, T``: Pairwise D := S - T."""
        result: Value = self._operation("pssub", (s, t), into)
        return result

    def psaddsub(self, s: Value, t: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``psaddsub D, S, T, Q``: Pairwise D := S + T, Q := S - T."""
        result: tuple[Value, Value] = self._operation("psaddsub", (s, t), into)
        return result

    def psneg(self, s: Value, *, into: Value | None = None) -> Value:
        """``psneg D, S``: Pairwise D := -S."""
        result: Value = self._operation("psneg", (s,), into)
        return result

    def psmul(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``psmul D, S, T``: Pairwise D := S * T."""
        result: Value = self._operation("psmul", (s, t), into)
        return result

    def psmadd(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``psmadd D, S, T``: Pairwise D := D + S * T."""
        result: Value = self._operation("psmadd", (s, t, d), into)
        return result

    def psmsub(self, s: Value, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``psmsub D, S, T``: Pairwise D := D - S * T."""
        result: Value = self._operation("psmsub", (s, t, d), into)
        return result

    def psabs(self, s: Value, *, into: Value | None = None) -> Value:
        """``psabs D, S``: Pairwise D := magnitude of S."""
        result: Value = self._operation("psabs", (s,), into)
        return result

    def mvmul(self, d: Value, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``mvmul D, S, T, Q``: Q := M * T, M the 2x2 matrix with rows S, D."""
        result: Value = self._operation("mvmul", (d, s, t), into)
        return result

    def mtvmul(self, d: Value, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``mtvmul D, S, T, Q``: Q := transposed M * T, M with rows S, D."""
        result: Value = self._operation("mtvmul", (d, s, t), into)
        return result

    def mvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``mvmadd D, (S, next), T``: D := D + M * T, M with rows S and the next register."""
        result: Value = self._operation("mvmadd", (s, t, d), into)
        return result

    def mtvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``mtvmadd D, (S, next), T``: D := D + transposed M * T, M with rows S and the next register."""
        result: Value = self._operation("mtvmadd", (s, t, d), into)
        return result

    def mvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``mvmsub D, (S, next), T``: D := D - M * T, M with rows S and the next register."""
        result: Value = self._operation("mvmsub", (s, t, d), into)
        return result

    def mtvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | None = None) -> Value:
        """``mtvmsub D, (S, next), T``: D := D - transposed M * T, M with rows S and the next register."""
        result: Value = self._operation("mtvmsub", (s, t, d), into)
        return result

    def mtrans(self, s: Value, t: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``mtrans D, S, T, Q``: D := (S.hi, T.hi), Q := (S.lo, T.lo)."""
        result: tuple[Value, Value] = self._operation("mtrans", (s, t), into)
        return result

    def qsdot(self, s: Pair, t: Pair, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``qsdot D, (S, next), (T, next), imm1``: Dot product of the four floats of S and next with T and next, into
        D.lo (mode 0) or D.hi (mode 1)."""
        result: Value = self._operation("qsdot", (s, t, number, d), into)
        return result

    def pscopysign(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``pscopysign D, S, T``: Pairwise magnitude of S with the sign of T."""
        result: Value = self._operation("pscopysign", (s, t), into)
        return result

    def psgetexp(self, s: Value, *, into: Value | None = None) -> Value:
        """``psgetexp D, S``: Pairwise unbiased exponent of S as an integer."""
        result: Value = self._operation("psgetexp", (s,), into)
        return result

    def psgetman(self, s: Value, *, into: Value | None = None) -> Value:
        """``psgetman D, S``: Pairwise significand of S in [1, 2), with its sign."""
        result: Value = self._operation("psgetman", (s,), into)
        return result

    def psscale(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``psscale D, S, T``: Pairwise S * 2^T, T an integer (low 9 bits, signed)."""
        result: Value = self._operation("psscale", (s, t), into)
        return result

    def getcoeff(self, *, into: Value | None = None) -> Value:
        """``getcoeff D``: D := coefficient(RIND); then RIND steps."""
        result: Value = self._operation("getcoeff", (), into)
        return result

    def add(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``add D, S, T``: Both halves S + T, 32-bit integers, wrapping."""
        result: Value = self._operation("add", (s, t), into)
        return result

    def sub(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``sub D, S, T``: Both halves S - T, 32-bit integers, wrapping."""
        result: Value = self._operation("sub", (s, t), into)
        return result

    def abs(self, s: Value, *, into: Value | None = None) -> Value:
        """``abs D, S``: Both halves |S|; 0x80000000 gives 0x7fffffff."""
        result: Value = self._operation("abs", (s,), into)
        return result

    def neg(self, s: Value, *, into: Value | None = None) -> Value:
        """``neg D, S``: Both halves -S; 0x80000000 gives 0x7fffffff."""
        result: Value = self._operation("neg", (s,), into)
        return result

    def addi(self, s: Value, number: SupportsIndex, *, into: Value | None = None) -> Value:
        """``addi D, S, simm12``: Both halves S + imm12, wrapping."""
        result: Value = self._operation("addi", (s, number), into)
        return result

    def subi(self, s: Value, number: SupportsIndex, *, into: Value | None = None) -> Value:
        """``subi D, S, simm12``: Both halves S - imm12, wrapping."""
        result: Value = self._operation("subi", (s, number), into)
        return result

    def inci(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``inci D, simm18``: Both halves D + imm18, wrapping."""
        result: Value = self._operation("inci", (number, d), into)
        return result

    def deci(self, number: SupportsIndex, d: Value, *, into: Value | None = None) -> Value:
        """``deci D, simm18``: Both halves D - imm18, wrapping."""
        result: Value = self._operation("deci", (number, d), into)
        return result

    def and_(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``and D, S, T``: D := S and T, 64 bits."""
        result: Value = self._operation("and", (s, t), into)
        return result

    def or_(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``or D, S, T``: D := S or T, 64 bits."""
        result: Value = self._operation("or", (s, t), into)
        return result

    def xor(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``xor D, S, T``: D := S xor T, 64 bits."""
        result: Value = self._operation("xor", (s, t), into)
        return result

    def not_(self, s: Value, *, into: Value | None = None) -> Value:
        """``not D, S``: D := not S, 64 bits."""
        result: Value = self._operation("not", (s,), into)
        return result

    def lshift(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``lshift D, S, T``: Logical shift of both halves by T.lo[5:0], signed, positive left."""
        result: Value = self._operation("lshift", (s, t), into)
        return result

    def lshifti(self, s: Value, number: SupportsIndex, *, into: Value | None = None) -> Value:
        """``lshifti D, S, simm6``: Logical shift of both halves by imm6, positive left."""
        result: Value = self._operation("lshifti", (s, number), into)
        return result

    def ashift(self, s: Value, t: Value, *, into: Value | None = None) -> Value:
        """``ashift D, S, T``: Arithmetic shift of both halves by T.lo[5:0], signed, positive left."""
        result: Value = self._operation("ashift", (s, t), into)
        return result

    def ashifti(self, s: Value, number: SupportsIndex, *, into: Value | None = None) -> Value:
        """``ashifti D, S, simm6``: Arithmetic shift of both halves by imm6, positive left."""
        result: Value = self._operation("ashifti", (s, number), into)
        return result

    def pwtops(self, s: Value, *, into: Value | None = None) -> Value:
        """``pwtops D, S``: Pairwise integer to float."""
        result: Value = self._operation("pwtops", (s,), into)
        return result

    def pstopw(self, s: Value, *, into: Value | None = None) -> Value:
        """``pstopw D, S``: Pairwise float to integer; out of range or NaN gives 0x7fffffff."""
        result: Value = self._operation("pstopw", (s,), into)
        return result

    def split8(self, s: Value, *, into: Value | None = None) -> Value:
        """``split8 D, S``: Per half: bits 15:8 of S, sign-extended."""
        result: Value = self._operation("split8", (s,), into)
        return result

    def split16(self, s: Value, *, into: Value | None = None) -> Value:
        """``split16 D, S``: Per half: bits 31:16 of S, sign-extended."""
        result: Value = self._operation("split16", (s,), into)
        return result

    def split32(self, s: Value, *, into: Value | None = None) -> Value:
        """``split32 D, S``: D := (0, S.hi)."""
        result: Value = self._operation("split32", (s,), into)
        return result

    def extsign8h(self, d: Value, *, into: Value | None = None) -> Value:
        """``extsign8h D``: Low byte of each 16-bit quarter of D, sign-extended to 16 bits."""
        result: Value = self._operation("extsign8h", (d,), into)
        return result

    def extsign8w(self, d: Value, *, into: Value | None = None) -> Value:
        """``extsign8w D``: Low byte of each half of D, sign-extended to 32 bits."""
        result: Value = self._operation("extsign8w", (d,), into)
        return result

    def extsign16w(self, d: Value, *, into: Value | None = None) -> Value:
        """``extsign16w D``: Low 16 bits of each half of D, sign-extended to 32 bits."""
        result: Value = self._operation("extsign16w", (d,), into)
        return result

    def join8(self, s: Value, d: Value, *, into: Value | None = None) -> Value:
        """``join8 D, S``: Per half: ((D & 0xff) | (S << 8)) & 0xffff."""
        result: Value = self._operation("join8", (s, d), into)
        return result

    def join16(self, s: Value, d: Value, *, into: Value | None = None) -> Value:
        """``join16 D, S``: Per half: (D & 0xffff) | (S << 16)."""
        result: Value = self._operation("join16", (s, d), into)
        return result

    def join32(self, s: Value, d: Value, *, into: Value | None = None) -> Value:
        """``join32 D, S``: D.hi := S.lo."""
        result: Value = self._operation("join32", (s, d), into)
        return result

    def unpck16wstops(self, t: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``unpck16wstops D, S, T``: Four signed 16-bit integers of T to floats: D from T.hi, S from T.lo."""
        result: tuple[Value, Value] = self._operation("unpck16wstops", (t,), into)
        return result

    def recip(self, s: Half, *, into: Half | None = None) -> Half:
        """``recip D.half, S.half``: 1 / x, from one half of S to one half of D, truncated; flags of both halves of S."""
        result: Half = self._operation("recip", (s,), into)
        return result

    def sinc(self, s: Half, *, into: Half | None = None) -> Half:
        """``sinc D.half, S.half``: sin(pi/2 x) / x for |x| <= 1, truncated; flags of both halves of S."""
        result: Half = self._operation("sinc", (s,), into)
        return result

    def atanc(self, s: Half, *, into: Half | None = None) -> Half:
        """``atanc D.half, S.half``: (2/pi) atan(x) / x for |x| <= 1, truncated."""
        result: Half = self._operation("atanc", (s,), into)
        return result

    def log2c(self, s: Half, *, into: Half | None = None) -> Half:
        """``log2c D.half, S.half``: log2(x) / (x - 1) for x in [1, 2), truncated."""
        result: Half = self._operation("log2c", (s,), into)
        return result

    def exp2(self, s: Half, *, into: Half | None = None) -> Half:
        """``exp2 D.half, S.half``: 2^x, truncated."""
        result: Half = self._operation("exp2", (s,), into)
        return result

    def rsqrt(self, s: Half, *, into: Half | None = None) -> Half:
        """``rsqrt D.half, S.half``: 1 / sqrt(x): recip of the truncated square root."""
        result: Half = self._operation("rsqrt", (s,), into)
        return result

    def rrcossin(self, s: Value, *, into: Value | None = None) -> Value:
        """``rrcossin D, S``: D := (rrcos(S.lo), rrsin(S.lo))."""
        result: Value = self._operation("rrcossin", (s,), into)
        return result

    def rrsin(self, s: Value, *, into: Value | None = None) -> Value:
        """``rrsin D, S``: Pairwise argument reduction for the sine, period 4; exact."""
        result: Value = self._operation("rrsin", (s,), into)
        return result

    def rrcos(self, s: Value, *, into: Value | None = None) -> Value:
        """``rrcos D, S``: Pairwise argument reduction for the cosine, period 4; rounded by RM where |x| < 1."""
        result: Value = self._operation("rrcos", (s,), into)
        return result

    def rrlog2(self, s: Value, *, into: Value | None = None) -> tuple[Value, Value]:
        """``rrlog2 D, S, Q``: Pairwise D := significand in [1, 2) with sign, Q := unbiased exponent as a float."""
        result: tuple[Value, Value] = self._operation("rrlog2", (s,), into)
        return result

    def amtsa(self, to: AddressSet, s: Half) -> None:
        """``amtsa rK, S.half``: Section address of rK := low bits of a half of S, in every section its own. Needs
        section-addressing."""
        self._operation("amtsa", (to, s), None)

    def move(self, to: Register, source: Register) -> None:
        """``move register, register``: Copy between general, control, address and index registers."""
        self._operation("move", (to, source), None)

    def clr(self, to: AddressSet) -> None:
        """``clr rK``: An := 0, Nn := 1, Mn := 0x1fff."""
        self._operation("clr", (to,), None)

    def lwi(self, word: SupportsIndex | str | LocalArray, *, into: Value | None = None) -> Value:
        """``lwi F, word address``: Load one word, immediate address."""
        result: Value = self._operation("lwi", (word,), into)
        return result

    def lwo(self, address: Offset | Element, *, into: Value | None = None) -> Value:
        """``lwo F, (rK)+simm13``: Load one word; An then steps by the offset."""
        result: Value = self._operation("lwo", (address,), into)
        return result

    def lwnp(self, address: Forward, *, into: Value | None = None) -> Value:
        """``lwnp F, (rK)+nK``: Load one word; An then steps by +Nn."""
        result: Value = self._operation("lwnp", (address,), into)
        return result

    def lwnm(self, address: Backward, *, into: Value | None = None) -> Value:
        """``lwnm F, (rK)-nK``: Load one word; An then steps by -Nn."""
        result: Value = self._operation("lwnm", (address,), into)
        return result

    def swi(self, f: Value, word: SupportsIndex | str | LocalArray) -> None:
        """``swi F, word address``: Store one word, immediate address."""
        self._operation("swi", (f, word), None)

    def swo(self, f: Value, address: Offset | Element) -> None:
        """``swo F, (rK)+simm13``: Store one word; An then steps by the offset."""
        self._operation("swo", (f, address), None)

    def swnp(self, f: Value, address: Forward) -> None:
        """``swnp F, (rK)+nK``: Store one word; An then steps by +Nn."""
        self._operation("swnp", (f, address), None)

    def swnm(self, f: Value, address: Backward) -> None:
        """``swnm F, (rK)-nK``: Store one word; An then steps by -Nn."""
        self._operation("swnm", (f, address), None)

    def ldi(self, word: SupportsIndex | str | LocalArray, *, into: Pair | None = None) -> Pair:
        """``ldi (F, next), word address``: Load two words, immediate address."""
        result: Pair = self._operation("ldi", (word,), into)
        return result

    def ldo(self, address: Offset | Element, *, into: Pair | None = None) -> Pair:
        """``ldo (F, next), (rK)+simm13``: Load two words; An then steps by the offset."""
        result: Pair = self._operation("ldo", (address,), into)
        return result

    def ldnp(self, address: Forward, *, into: Pair | None = None) -> Pair:
        """``ldnp (F, next), (rK)+nK``: Load two words; An then steps by +Nn."""
        result: Pair = self._operation("ldnp", (address,), into)
        return result

    def ldnm(self, address: Backward, *, into: Pair | None = None) -> Pair:
        """``ldnm (F, next), (rK)-nK``: Load two words; An then steps by -Nn."""
        result: Pair = self._operation("ldnm", (address,), into)
        return result

    def sdi(self, f: Pair, word: SupportsIndex | str | LocalArray) -> None:
        """``sdi (F, next), word address``: Store two words, immediate address."""
        self._operation("sdi", (f, word), None)

    def sdo(self, f: Pair, address: Offset | Element) -> None:
        """``sdo (F, next), (rK)+simm13``: Store two words; An then steps by the offset."""
        self._operation("sdo", (f, address), None)

    def sdnp(self, f: Pair, address: Forward) -> None:
        """``sdnp (F, next), (rK)+nK``: Store two words; An then steps by +Nn."""
        self._operation("sdnp", (f, address), None)

    def sdnm(self, f: Pair, address: Backward) -> None:
        """``sdnm (F, next), (rK)-nK``: Store two words; An then steps by -Nn."""
        self._operation("sdnm", (f, address), None)

    def seti(self, to: General | AddressRegister, word: SupportsIndex | str | LocalArray) -> None:
        """``seti gpr, aK, nK or mK, imm16``: GPR, An, Nn or Mn := imm16, zero-extended."""
        self._operation("seti", (to, word), None)

    def updaddr(self, address: Offset | Element) -> None:
        """``updaddr (rK)+simm13``: An steps by the offset."""
        self._operation("updaddr", (address,), None)

    def updaddrnp(self, address: Forward) -> None:
        """``updaddrnp (rK)+nK``: An steps by +Nn."""
        self._operation("updaddrnp", (address,), None)

    def updaddrnm(self, address: Backward) -> None:
        """``updaddrnm (rK)-nK``: An steps by -Nn."""
        self._operation("updaddrnm", (address,), None)

    def mtfpr(
        self, register: General | Index, section: SupportsIndex | Literal["all"], *, into: Value | None = None
    ) -> Value:
        """``mtfpr F, gpr or iK, s0..s3 or all``: FPR of one section, or of all, := GPR or IREG."""
        result: Value = self._operation("mtfpr", (register, section), into)
        return result

    def mffpr(self, register: General | Index, f: Value, section: SupportsIndex) -> None:
        """``mffpr gpr or iK, F, s0..s3``: GPR or IREG := FPR of one section."""
        self._operation("mffpr", (register, f, section), None)

    def psprmsgn(
        self, f: Pair, word0: SupportsIndex | str, word1: SupportsIndex | str, word2: SupportsIndex | str, word3: SupportsIndex | str, *, into: Pair | None = None
    ) -> Pair:
        """``psprmsgn (D, next), (F, next), [-]word, [-]word, [-]word, [-]word``: The words of F and next are 0 F.lo, 1
        F.hi, 2 next.lo, 3 next.hi; those named become D.lo, D.hi, next D.lo, next D.hi, `-` flips a sign."""
        result: Pair = self._operation("psprmsgn", (f, word0, word1, word2, word3), into)
        return result

    def lwsa(self, address: Offset, *, into: Value | None = None) -> Value:
        """``lwsa F, (rK)+simm13``: Load one word, each section at its own address; those step by the offset. Needs
        section-addressing."""
        result: Value = self._operation("lwsa", (address,), into)
        return result

    def swsa(self, f: Value, address: Offset) -> None:
        """``swsa F, (rK)+simm13``: Store one word, each section at its own address; those step by the offset. Needs
        section-addressing."""
        self._operation("swsa", (f, address), None)

    def ldsa(self, address: Offset, *, into: Pair | None = None) -> Pair:
        """``ldsa (F, next), (rK)+simm13``: Load two words, each section at its own address; those step by the offset.
        Needs section-addressing."""
        result: Pair = self._operation("ldsa", (address,), into)
        return result

    def sdsa(self, f: Pair, address: Offset) -> None:
        """``sdsa (F, next), (rK)+simm13``: Store two words, each section at its own address; those step by the offset.
        Needs section-addressing."""
        self._operation("sdsa", (f, address), None)

    def setsa(self, to: AddressSet, g: General) -> None:
        """``setsa rK, gpr``: Section addresses of rK := GPR, one value in all. Needs section-addressing."""
        self._operation("setsa", (to, g), None)

    def mtsa(self, to: AddressSet, f: Half) -> None:
        """``mtsa rK, F.half``: Section address of rK := low bits of a half of an FPR, in every section its own. Needs
        section-addressing."""
        self._operation("mtsa", (to, f), None)

    def lwfa(self, f: Half, *, into: Value | None = None) -> Value:
        """``lwfa F, F.half``: Load one word, each section at the address in the low bits of a half of an FPR. Needs
        section-addressing."""
        result: Value = self._operation("lwfa", (f,), into)
        return result

    def mlwsa(self, address: Offset, *, into: Value | None = None) -> Value:
        """``mlwsa F, (rK)+simm13``: `lwsa` in the sections that the predicate enables; in the others F := 0 and the
        address stays. Needs section-addressing, section-counters."""
        result: Value = self._operation("mlwsa", (address,), into)
        return result

    def mldsa(self, address: Offset, *, into: Pair | None = None) -> Pair:
        """``mldsa (F, next), (rK)+simm13``: `ldsa` in the sections that the predicate enables; in the others both
        registers := 0 and the address stays. Needs section-addressing, section-counters."""
        result: Pair = self._operation("mldsa", (address,), into)
        return result

    def mswsa(self, f: Value, address: Offset) -> None:
        """``mswsa F, (rK)+simm13``: `swsa` in the sections that the predicate enables; in the others memory and address
        stay. Needs section-addressing, section-counters."""
        self._operation("mswsa", (f, address), None)

    def msdsa(self, f: Pair, address: Offset) -> None:
        """``msdsa (F, next), (rK)+simm13``: `sdsa` in the sections that the predicate enables; in the others memory and
        address stay. Needs section-addressing, section-counters."""
        self._operation("msdsa", (f, address), None)

    def mxfpr(self, g: General, f: Half) -> None:
        """``mxfpr gpr, F.half``: GPR := the largest of a half of an FPR in all sections, as unsigned 32-bit numbers.
        Needs section-counters."""
        self._operation("mxfpr", (g, f), None)

    def setq(self, to: AddressSet, g: General) -> None:
        """``setq rK, gpr``: Shared address of rK := GPR. Needs shared-memory."""
        self._operation("setq", (to, g), None)

    def lqi(self, word: SupportsIndex | str, *, into: Value | None = None) -> Value:
        """``lqi F, shared address``: Load four words of shared memory from an immediate address on, one into each
        section. Needs shared-memory."""
        result: Value = self._operation("lqi", (word,), into)
        return result

    def lqo(self, address: Offset, *, into: Value | None = None) -> Value:
        """``lqo F, (rK)+simm11``: Load four words of shared memory, one into each section; the shared address then steps
        by the offset. Needs shared-memory."""
        result: Value = self._operation("lqo", (address,), into)
        return result

    def lqbi(self, word: SupportsIndex | str, *, into: Value | None = None) -> Value:
        """``lqbi F, shared address``: Load one word of shared memory into all sections, immediate address. Needs shared-
        memory."""
        result: Value = self._operation("lqbi", (word,), into)
        return result

    def lqbo(self, address: Offset, *, into: Value | None = None) -> Value:
        """``lqbo F, (rK)+simm11``: Load one word of shared memory into all sections; the shared address then steps by
        the offset. Needs shared-memory."""
        result: Value = self._operation("lqbo", (address,), into)
        return result

    def sqi(self, f: Value, word: SupportsIndex | str) -> None:
        """``sqi F, shared address``: Store the words of the sections into four of shared memory from an immediate
        address on. Needs shared-memory."""
        self._operation("sqi", (f, word), None)

    def sqo(self, f: Value, address: Offset) -> None:
        """``sqo F, (rK)+simm11``: Store the words of the sections into four of shared memory; the shared address then
        steps by the offset. Needs shared-memory."""
        self._operation("sqo", (f, address), None)

    def sqsi(self, f: Value, word: SupportsIndex | str, section: SupportsIndex) -> None:
        """``sqsi F, shared address, s0..s3``: Store the word of one section into shared memory, immediate address. Needs
        shared-memory."""
        self._operation("sqsi", (f, word, section), None)

    def sqso(self, f: Value, address: Offset, section: SupportsIndex) -> None:
        """``sqso F, (rK)+simm11, s0..s3``: Store the word of one section into shared memory; the shared address then
        steps by the offset. Needs shared-memory."""
        self._operation("sqso", (f, address, section), None)

    def lh32np(self, address: Forward, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lh32np F.half, (rK)+nK, imm1``: Load a 32-bit word; An counts 32-bit words in half imm1 of local memory and
        steps by +Nn. Needs word-access."""
        result: Half = self._operation("lh32np", (address, number), into)
        return result

    def lh32nm(self, address: Backward, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lh32nm F.half, (rK)-nK, imm1``: Load a 32-bit word; An counts 32-bit words in half imm1 of local memory and
        steps by -Nn. Needs word-access."""
        result: Half = self._operation("lh32nm", (address, number), into)
        return result

    def sh32np(self, f: Half, address: Forward, number: SupportsIndex) -> None:
        """``sh32np F.half, (rK)+nK, imm1``: Store a 32-bit word; An counts 32-bit words in half imm1 of local memory and
        steps by +Nn. Needs word-access."""
        self._operation("sh32np", (f, address, number), None)

    def sh32nm(self, f: Half, address: Backward, number: SupportsIndex) -> None:
        """``sh32nm F.half, (rK)-nK, imm1``: Store a 32-bit word; An counts 32-bit words in half imm1 of local memory and
        steps by -Nn. Needs word-access."""
        self._operation("sh32nm", (f, address, number), None)

    def lhgnp(self, address: Forward, g: General, *, into: Half | None = None) -> Half:
        """``lhgnp F.half, (rK)+nK, gpr``: Load the half of a word that bit 0 of a GPR names; An then steps by +Nn. Needs
        word-access."""
        result: Half = self._operation("lhgnp", (address, g), into)
        return result

    def lhgnm(self, address: Backward, g: General, *, into: Half | None = None) -> Half:
        """``lhgnm F.half, (rK)-nK, gpr``: Load the half of a word that bit 0 of a GPR names; An then steps by -Nn. Needs
        word-access."""
        result: Half = self._operation("lhgnm", (address, g), into)
        return result

    def shgnp(self, f: Half, address: Forward, g: General) -> None:
        """``shgnp F.half, (rK)+nK, gpr``: Store to the half of a word that bit 0 of a GPR names; An then steps by +Nn.
        Needs word-access."""
        self._operation("shgnp", (f, address, g), None)

    def shgnm(self, f: Half, address: Backward, g: General) -> None:
        """``shgnm F.half, (rK)-nK, gpr``: Store to the half of a word that bit 0 of a GPR names; An then steps by -Nn.
        Needs word-access."""
        self._operation("shgnm", (f, address, g), None)

    def clwi(self, word: SupportsIndex | str | LocalArray, *, into: Value | None = None) -> Value:
        """``clwi F, word address``: `lwi` in the sections that the predicate enables. Needs conditional-memory."""
        result: Value = self._operation("clwi", (word,), into)
        return result

    def clwo(self, address: Offset | Element, *, into: Value | None = None) -> Value:
        """``clwo F, (rK)+simm13``: `lwo` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        result: Value = self._operation("clwo", (address,), into)
        return result

    def clwnp(self, address: Forward, *, into: Value | None = None) -> Value:
        """``clwnp F, (rK)+nK``: `lwnp` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        result: Value = self._operation("clwnp", (address,), into)
        return result

    def clwnm(self, address: Backward, *, into: Value | None = None) -> Value:
        """``clwnm F, (rK)-nK``: `lwnm` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        result: Value = self._operation("clwnm", (address,), into)
        return result

    def cswi(self, f: Value, word: SupportsIndex | str | LocalArray) -> None:
        """``cswi F, word address``: `swi` in the sections that the predicate enables. Needs conditional-memory."""
        self._operation("cswi", (f, word), None)

    def cswo(self, f: Value, address: Offset | Element) -> None:
        """``cswo F, (rK)+simm13``: `swo` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        self._operation("cswo", (f, address), None)

    def cswnp(self, f: Value, address: Forward) -> None:
        """``cswnp F, (rK)+nK``: `swnp` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        self._operation("cswnp", (f, address), None)

    def cswnm(self, f: Value, address: Backward) -> None:
        """``cswnm F, (rK)-nK``: `swnm` in the sections that the predicate enables; An steps. Needs conditional-memory."""
        self._operation("cswnm", (f, address), None)

    def cldi(self, word: SupportsIndex | str | LocalArray, *, into: Pair | None = None) -> Pair:
        """``cldi (F, next), word address``: `ldi` in the sections that the predicate enables. Needs conditional-memory."""
        result: Pair = self._operation("cldi", (word,), into)
        return result

    def cldo(self, address: Offset | Element, *, into: Pair | None = None) -> Pair:
        """``cldo (F, next), (rK)+simm13``: `ldo` in the sections that the predicate enables; An steps. Needs
        conditional-memory."""
        result: Pair = self._operation("cldo", (address,), into)
        return result

    def cldnp(self, address: Forward, *, into: Pair | None = None) -> Pair:
        """``cldnp (F, next), (rK)+nK``: `ldnp` in the sections that the predicate enables; An steps. Needs conditional-
        memory."""
        result: Pair = self._operation("cldnp", (address,), into)
        return result

    def cldnm(self, address: Backward, *, into: Pair | None = None) -> Pair:
        """``cldnm (F, next), (rK)-nK``: `ldnm` in the sections that the predicate enables; An steps. Needs conditional-
        memory."""
        result: Pair = self._operation("cldnm", (address,), into)
        return result

    def csdi(self, f: Pair, word: SupportsIndex | str | LocalArray) -> None:
        """``csdi (F, next), word address``: `sdi` in the sections that the predicate enables. Needs conditional-memory."""
        self._operation("csdi", (f, word), None)

    def csdo(self, f: Pair, address: Offset | Element) -> None:
        """``csdo (F, next), (rK)+simm13``: `sdo` in the sections that the predicate enables; An steps. Needs
        conditional-memory."""
        self._operation("csdo", (f, address), None)

    def csdnp(self, f: Pair, address: Forward) -> None:
        """``csdnp (F, next), (rK)+nK``: `sdnp` in the sections that the predicate enables; An steps. Needs conditional-
        memory."""
        self._operation("csdnp", (f, address), None)

    def csdnm(self, f: Pair, address: Backward) -> None:
        """``csdnm (F, next), (rK)-nK``: `sdnm` in the sections that the predicate enables; An steps. Needs conditional-
        memory."""
        self._operation("csdnm", (f, address), None)

    def lhi(self, word: SupportsIndex | str | LocalArray, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lhi F.half, word address, imm1``: Load one half of a word into one half of F, immediate address. Needs word-
        access."""
        result: Half = self._operation("lhi", (word, number), into)
        return result

    def lho(self, address: Offset | Element, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lho F.half, (rK)+simm13, imm1``: Load one half of a word into one half of F; An then steps by the offset.
        Needs word-access."""
        result: Half = self._operation("lho", (address, number), into)
        return result

    def lhnp(self, address: Forward, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lhnp F.half, (rK)+nK, imm1``: Load one half of a word into one half of F; An then steps by +Nn. Needs word-
        access."""
        result: Half = self._operation("lhnp", (address, number), into)
        return result

    def lhnm(self, address: Backward, number: SupportsIndex, *, into: Half | None = None) -> Half:
        """``lhnm F.half, (rK)-nK, imm1``: Load one half of a word into one half of F; An then steps by -Nn. Needs word-
        access."""
        result: Half = self._operation("lhnm", (address, number), into)
        return result

    def shi(self, f: Half, word: SupportsIndex | str | LocalArray, number: SupportsIndex) -> None:
        """``shi F.half, word address, imm1``: Store one half of F into one half of a word, immediate address. Needs
        word-access."""
        self._operation("shi", (f, word, number), None)

    def sho(self, f: Half, address: Offset | Element, number: SupportsIndex) -> None:
        """``sho F.half, (rK)+simm13, imm1``: Store one half of F into one half of a word; An then steps by the offset.
        Needs word-access."""
        self._operation("sho", (f, address, number), None)

    def shnp(self, f: Half, address: Forward, number: SupportsIndex) -> None:
        """``shnp F.half, (rK)+nK, imm1``: Store one half of F into one half of a word; An then steps by +Nn. Needs word-
        access."""
        self._operation("shnp", (f, address, number), None)

    def shnm(self, f: Half, address: Backward, number: SupportsIndex) -> None:
        """``shnm F.half, (rK)-nK, imm1``: Store one half of F into one half of a word; An then steps by -Nn. Needs word-
        access."""
        self._operation("shnm", (f, address, number), None)
