"""Operations of linear code as methods, by python/operations.py from the table of operations; do not edit."""

from typing import Any

from cp2._values import Half, Pair, Value


class Operations:
    """Arithmetic operations. Arguments are the registers that an operation reads, in the order of its form; one that it
    reads and writes comes last, is replaced by the result, and must not be used any more. ``into`` takes the place of a
    new register for the first result."""

    def _operation(self, name: str, arguments: tuple[Any, ...], into: Value | Half | None) -> Any:
        raise NotImplementedError

    def clear(self, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``clear D, S``: D := 0, S := 0."""
        result: tuple[Value, Value] = self._operation("clear", (), into)
        return result

    def copy(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``copy D, S``: D := S."""
        result: Value = self._operation("copy", (s,), into)
        return result

    def swaphl(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``swaphl D, S``: D := (S.lo, S.hi)."""
        result: Value = self._operation("swaphl", (s,), into)
        return result

    def swap64(self, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``swap64 D, S``: Exchange D and S."""
        result: tuple[Value, Value] = self._operation("swap64", (d, s), into)
        return result

    def section(self, *, into: Value | Half | None = None) -> Value:
        """``section D``: D := (0, section number)."""
        result: Value = self._operation("section", (), into)
        return result

    def li3(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li3 D, imm16``: D.hi[31:16] := imm16, the rest of D kept."""
        result: Value = self._operation("li3", (number, d), into)
        return result

    def li2(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li2 D, imm16``: D.hi[15:0] := imm16, the rest of D kept."""
        result: Value = self._operation("li2", (number, d), into)
        return result

    def li1(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li1 D, imm16``: D.lo[31:16] := imm16, the rest of D kept."""
        result: Value = self._operation("li1", (number, d), into)
        return result

    def li0(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li0 D, imm16``: D.lo[15:0] := imm16, the rest of D kept."""
        result: Value = self._operation("li0", (number, d), into)
        return result

    def cadd(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``cadd D, S, T``: Complex D := S + T."""
        result: Value = self._operation("cadd", (s, t), into)
        return result

    def csub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``csub D, S, T``: Complex D := S - T."""
        result: Value = self._operation("csub", (s, t), into)
        return result

    def caddsub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``caddsub D, S, T, Q``: Complex D := S + T, Q := S - T."""
        result: tuple[Value, Value] = self._operation("caddsub", (s, t), into)
        return result

    def cneg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cneg D, S``: Complex D := -S."""
        result: Value = self._operation("cneg", (s,), into)
        return result

    def cmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``cmul D, S, T``: Complex D := S * T."""
        result: Value = self._operation("cmul", (s, t), into)
        return result

    def cmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``cmadd D, S, T``: Complex D := D + S * T."""
        result: Value = self._operation("cmadd", (s, t, d), into)
        return result

    def cmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``cmsub D, S, T``: Complex D := D - S * T."""
        result: Value = self._operation("cmsub", (s, t, d), into)
        return result

    def cmuli(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cmuli D, S``: Complex D := S * (0, 1), as a complex multiplication."""
        result: Value = self._operation("cmuli", (s,), into)
        return result

    def cmulni(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cmulni D, S``: Complex D := S * (0, -1), as a complex multiplication."""
        result: Value = self._operation("cmulni", (s,), into)
        return result

    def cconj(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cconj D, S``: D := (S.hi, -S.lo)."""
        result: Value = self._operation("cconj", (s,), into)
        return result

    def cbutterfly(self, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``cbutterfly D, S``: w := coefficient(RIND); D := D + S * w, S := D - S * w; then RIND steps."""
        result: tuple[Value, Value] = self._operation("cbutterfly", (d, s), into)
        return result

    def cbutterfly2(self, t: Value, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``cbutterfly2 D, S, T``: D := D + S * T, S := D - S * T (complex)."""
        result: tuple[Value, Value] = self._operation("cbutterfly2", (t, d, s), into)
        return result

    def chmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``chmul D, S, T``: Complex D := S * conj(T)."""
        result: Value = self._operation("chmul", (s, t), into)
        return result

    def chmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``chmadd D, S, T``: Complex D := D + S * conj(T)."""
        result: Value = self._operation("chmadd", (s, t, d), into)
        return result

    def chmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``chmsub D, S, T``: Complex D := D - S * conj(T)."""
        result: Value = self._operation("chmsub", (s, t, d), into)
        return result

    def psadd(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psadd D, S, T``: Pairwise D := S + T."""
        result: Value = self._operation("psadd", (s, t), into)
        return result

    def pssub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``pssub D, S, T``: Pairwise D := S - T."""
        result: Value = self._operation("pssub", (s, t), into)
        return result

    def psaddsub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``psaddsub D, S, T, Q``: Pairwise D := S + T, Q := S - T."""
        result: tuple[Value, Value] = self._operation("psaddsub", (s, t), into)
        return result

    def psneg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psneg D, S``: Pairwise D := -S."""
        result: Value = self._operation("psneg", (s,), into)
        return result

    def psmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psmul D, S, T``: Pairwise D := S * T."""
        result: Value = self._operation("psmul", (s, t), into)
        return result

    def psmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``psmadd D, S, T``: Pairwise D := D + S * T."""
        result: Value = self._operation("psmadd", (s, t, d), into)
        return result

    def psmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``psmsub D, S, T``: Pairwise D := D - S * T."""
        result: Value = self._operation("psmsub", (s, t, d), into)
        return result

    def psabs(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psabs D, S``: Pairwise D := magnitude of S."""
        result: Value = self._operation("psabs", (s,), into)
        return result

    def mvmul(self, d: Value, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmul D, S, T, Q``: Q := M * T, M the 2x2 matrix with rows S, D."""
        result: Value = self._operation("mvmul", (d, s, t), into)
        return result

    def mtvmul(self, d: Value, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmul D, S, T, Q``: Q := transposed M * T, M with rows S, D."""
        result: Value = self._operation("mtvmul", (d, s, t), into)
        return result

    def mvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmadd D, (S, next), T``: D := D + M * T, M with rows S and the next register."""
        result: Value = self._operation("mvmadd", (s, t, d), into)
        return result

    def mtvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmadd D, (S, next), T``: D := D + transposed M * T, M with rows S and the next register."""
        result: Value = self._operation("mtvmadd", (s, t, d), into)
        return result

    def mvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmsub D, (S, next), T``: D := D - M * T, M with rows S and the next register."""
        result: Value = self._operation("mvmsub", (s, t, d), into)
        return result

    def mtvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmsub D, (S, next), T``: D := D - transposed M * T, M with rows S and the next register."""
        result: Value = self._operation("mtvmsub", (s, t, d), into)
        return result

    def mtrans(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``mtrans D, S, T, Q``: D := (S.hi, T.hi), Q := (S.lo, T.lo)."""
        result: tuple[Value, Value] = self._operation("mtrans", (s, t), into)
        return result

    def qsdot(self, s: Pair, t: Pair, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``qsdot D, (S, next), (T, next), imm1``: Dot product of the four floats of S and next with T and next, into
        D.lo (mode 0) or D.hi (mode 1)."""
        result: Value = self._operation("qsdot", (s, t, number, d), into)
        return result

    def pscopysign(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``pscopysign D, S, T``: Pairwise magnitude of S with the sign of T."""
        result: Value = self._operation("pscopysign", (s, t), into)
        return result

    def psgetexp(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psgetexp D, S``: Pairwise unbiased exponent of S as an integer."""
        result: Value = self._operation("psgetexp", (s,), into)
        return result

    def psgetman(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psgetman D, S``: Pairwise significand of S in [1, 2), with its sign."""
        result: Value = self._operation("psgetman", (s,), into)
        return result

    def psscale(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psscale D, S, T``: Pairwise S * 2^T, T an integer (low 9 bits, signed)."""
        result: Value = self._operation("psscale", (s, t), into)
        return result

    def getcoeff(self, *, into: Value | Half | None = None) -> Value:
        """``getcoeff D``: D := coefficient(RIND); then RIND steps."""
        result: Value = self._operation("getcoeff", (), into)
        return result

    def add(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``add D, S, T``: Both halves S + T, 32-bit integers, wrapping."""
        result: Value = self._operation("add", (s, t), into)
        return result

    def sub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``sub D, S, T``: Both halves S - T, 32-bit integers, wrapping."""
        result: Value = self._operation("sub", (s, t), into)
        return result

    def abs(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``abs D, S``: Both halves |S|; 0x80000000 gives 0x7fffffff."""
        result: Value = self._operation("abs", (s,), into)
        return result

    def neg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``neg D, S``: Both halves -S; 0x80000000 gives 0x7fffffff."""
        result: Value = self._operation("neg", (s,), into)
        return result

    def addi(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``addi D, S, simm12``: Both halves S + imm12, wrapping."""
        result: Value = self._operation("addi", (s, number), into)
        return result

    def subi(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``subi D, S, simm12``: Both halves S - imm12, wrapping."""
        result: Value = self._operation("subi", (s, number), into)
        return result

    def inci(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``inci D, simm18``: Both halves D + imm18, wrapping."""
        result: Value = self._operation("inci", (number, d), into)
        return result

    def deci(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``deci D, simm18``: Both halves D - imm18, wrapping."""
        result: Value = self._operation("deci", (number, d), into)
        return result

    def and_(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``and D, S, T``: D := S and T, 64 bits."""
        result: Value = self._operation("and", (s, t), into)
        return result

    def or_(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``or D, S, T``: D := S or T, 64 bits."""
        result: Value = self._operation("or", (s, t), into)
        return result

    def xor(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``xor D, S, T``: D := S xor T, 64 bits."""
        result: Value = self._operation("xor", (s, t), into)
        return result

    def not_(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``not D, S``: D := not S, 64 bits."""
        result: Value = self._operation("not", (s,), into)
        return result

    def lshift(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``lshift D, S, T``: Logical shift of both halves by T.lo[5:0], signed, positive left."""
        result: Value = self._operation("lshift", (s, t), into)
        return result

    def lshifti(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``lshifti D, S, simm6``: Logical shift of both halves by imm6, positive left."""
        result: Value = self._operation("lshifti", (s, number), into)
        return result

    def ashift(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``ashift D, S, T``: Arithmetic shift of both halves by T.lo[5:0], signed, positive left."""
        result: Value = self._operation("ashift", (s, t), into)
        return result

    def ashifti(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``ashifti D, S, simm6``: Arithmetic shift of both halves by imm6, positive left."""
        result: Value = self._operation("ashifti", (s, number), into)
        return result

    def pwtops(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``pwtops D, S``: Pairwise integer to float."""
        result: Value = self._operation("pwtops", (s,), into)
        return result

    def pstopw(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``pstopw D, S``: Pairwise float to integer; out of range or NaN gives 0x7fffffff."""
        result: Value = self._operation("pstopw", (s,), into)
        return result

    def split8(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split8 D, S``: Per half: bits 15:8 of S, sign-extended."""
        result: Value = self._operation("split8", (s,), into)
        return result

    def split16(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split16 D, S``: Per half: bits 31:16 of S, sign-extended."""
        result: Value = self._operation("split16", (s,), into)
        return result

    def split32(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split32 D, S``: D := (0, S.hi)."""
        result: Value = self._operation("split32", (s,), into)
        return result

    def extsign8h(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign8h D``: Low byte of each 16-bit quarter of D, sign-extended to 16 bits."""
        result: Value = self._operation("extsign8h", (d,), into)
        return result

    def extsign8w(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign8w D``: Low byte of each half of D, sign-extended to 32 bits."""
        result: Value = self._operation("extsign8w", (d,), into)
        return result

    def extsign16w(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign16w D``: Low 16 bits of each half of D, sign-extended to 32 bits."""
        result: Value = self._operation("extsign16w", (d,), into)
        return result

    def join8(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join8 D, S``: Per half: ((D & 0xff) | (S << 8)) & 0xffff."""
        result: Value = self._operation("join8", (s, d), into)
        return result

    def join16(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join16 D, S``: Per half: (D & 0xffff) | (S << 16)."""
        result: Value = self._operation("join16", (s, d), into)
        return result

    def join32(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join32 D, S``: D.hi := S.lo."""
        result: Value = self._operation("join32", (s, d), into)
        return result

    def unpck16wstops(self, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``unpck16wstops D, S, T``: Four signed 16-bit integers of T to floats: D from T.hi, S from T.lo."""
        result: tuple[Value, Value] = self._operation("unpck16wstops", (t,), into)
        return result

    def recip(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``recip D.half, S.half``: 1 / x, from one half of S to one half of D, truncated; flags of both halves of S."""
        result: Half = self._operation("recip", (s,), into)
        return result

    def sinc(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``sinc D.half, S.half``: sin(pi/2 x) / x for |x| <= 1, truncated; flags of both halves of S."""
        result: Half = self._operation("sinc", (s,), into)
        return result

    def atanc(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``atanc D.half, S.half``: (2/pi) atan(x) / x for |x| <= 1, truncated."""
        result: Half = self._operation("atanc", (s,), into)
        return result

    def log2c(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``log2c D.half, S.half``: log2(x) / (x - 1) for x in [1, 2), truncated."""
        result: Half = self._operation("log2c", (s,), into)
        return result

    def exp2(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``exp2 D.half, S.half``: 2^x, truncated."""
        result: Half = self._operation("exp2", (s,), into)
        return result

    def rsqrt(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``rsqrt D.half, S.half``: 1 / sqrt(x): recip of the truncated square root."""
        result: Half = self._operation("rsqrt", (s,), into)
        return result

    def rrcossin(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrcossin D, S``: D := (rrcos(S.lo), rrsin(S.lo))."""
        result: Value = self._operation("rrcossin", (s,), into)
        return result

    def rrsin(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrsin D, S``: Pairwise argument reduction for the sine, period 4; exact."""
        result: Value = self._operation("rrsin", (s,), into)
        return result

    def rrcos(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrcos D, S``: Pairwise argument reduction for the cosine, period 4; rounded by RM where |x| < 1."""
        result: Value = self._operation("rrcos", (s,), into)
        return result

    def rrlog2(self, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``rrlog2 D, S, Q``: Pairwise D := significand in [1, 2) with sign, Q := unbiased exponent as a float."""
        result: tuple[Value, Value] = self._operation("rrlog2", (s,), into)
        return result
