"""Operations of linear code as methods, by python/operations.py from the table of operations; do not edit."""

from cp2._values import Half, Pair, Value


class Operations:
    """Arithmetic operations. Arguments are the registers that an operation reads, in the order of its form; one that it
    reads and writes comes last, is replaced by the result, and must not be used any more. ``into`` takes the place of a
    new register for the first result."""

    def _operation(self, name, arguments, into):
        raise NotImplementedError

    def clear(self, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``clear D, S``: D := 0, S := 0."""
        return self._operation("clear", (), into)

    def copy(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``copy D, S``: D := S."""
        return self._operation("copy", (s,), into)

    def swaphl(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``swaphl D, S``: D := (S.lo, S.hi)."""
        return self._operation("swaphl", (s,), into)

    def swap64(self, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``swap64 D, S``: Exchange D and S."""
        return self._operation("swap64", (d, s), into)

    def section(self, *, into: Value | Half | None = None) -> Value:
        """``section D``: D := (0, section number)."""
        return self._operation("section", (), into)

    def li3(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li3 D, imm16``: D.hi[31:16] := imm16, the rest of D kept."""
        return self._operation("li3", (number, d), into)

    def li2(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li2 D, imm16``: D.hi[15:0] := imm16, the rest of D kept."""
        return self._operation("li2", (number, d), into)

    def li1(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li1 D, imm16``: D.lo[31:16] := imm16, the rest of D kept."""
        return self._operation("li1", (number, d), into)

    def li0(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``li0 D, imm16``: D.lo[15:0] := imm16, the rest of D kept."""
        return self._operation("li0", (number, d), into)

    def cadd(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``cadd D, S, T``: Complex D := S + T."""
        return self._operation("cadd", (s, t), into)

    def csub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``csub D, S, T``: Complex D := S - T."""
        return self._operation("csub", (s, t), into)

    def caddsub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``caddsub D, S, T, Q``: Complex D := S + T, Q := S - T."""
        return self._operation("caddsub", (s, t), into)

    def cneg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cneg D, S``: Complex D := -S."""
        return self._operation("cneg", (s,), into)

    def cmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``cmul D, S, T``: Complex D := S * T."""
        return self._operation("cmul", (s, t), into)

    def cmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``cmadd D, S, T``: Complex D := D + S * T."""
        return self._operation("cmadd", (s, t, d), into)

    def cmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``cmsub D, S, T``: Complex D := D - S * T."""
        return self._operation("cmsub", (s, t, d), into)

    def cmuli(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cmuli D, S``: Complex D := S * (0, 1), as a complex multiplication."""
        return self._operation("cmuli", (s,), into)

    def cmulni(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cmulni D, S``: Complex D := S * (0, -1), as a complex multiplication."""
        return self._operation("cmulni", (s,), into)

    def cconj(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``cconj D, S``: D := (S.hi, -S.lo)."""
        return self._operation("cconj", (s,), into)

    def cbutterfly(self, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``cbutterfly D, S``: w := coefficient(RIND); D := D + S * w, S := D - S * w; then RIND steps."""
        return self._operation("cbutterfly", (d, s), into)

    def cbutterfly2(self, t: Value, d: Value, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``cbutterfly2 D, S, T``: D := D + S * T, S := D - S * T (complex)."""
        return self._operation("cbutterfly2", (t, d, s), into)

    def chmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``chmul D, S, T``: Complex D := S * conj(T)."""
        return self._operation("chmul", (s, t), into)

    def chmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``chmadd D, S, T``: Complex D := D + S * conj(T)."""
        return self._operation("chmadd", (s, t, d), into)

    def chmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``chmsub D, S, T``: Complex D := D - S * conj(T)."""
        return self._operation("chmsub", (s, t, d), into)

    def psadd(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psadd D, S, T``: Pairwise D := S + T."""
        return self._operation("psadd", (s, t), into)

    def pssub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``pssub D, S, T``: Pairwise D := S - T."""
        return self._operation("pssub", (s, t), into)

    def psaddsub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``psaddsub D, S, T, Q``: Pairwise D := S + T, Q := S - T."""
        return self._operation("psaddsub", (s, t), into)

    def psneg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psneg D, S``: Pairwise D := -S."""
        return self._operation("psneg", (s,), into)

    def psmul(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psmul D, S, T``: Pairwise D := S * T."""
        return self._operation("psmul", (s, t), into)

    def psmadd(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``psmadd D, S, T``: Pairwise D := D + S * T."""
        return self._operation("psmadd", (s, t, d), into)

    def psmsub(self, s: Value, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``psmsub D, S, T``: Pairwise D := D - S * T."""
        return self._operation("psmsub", (s, t, d), into)

    def psabs(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psabs D, S``: Pairwise D := magnitude of S."""
        return self._operation("psabs", (s,), into)

    def mvmul(self, d: Value, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmul D, S, T, Q``: Q := M * T, M the 2x2 matrix with rows S, D."""
        return self._operation("mvmul", (d, s, t), into)

    def mtvmul(self, d: Value, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmul D, S, T, Q``: Q := transposed M * T, M with rows S, D."""
        return self._operation("mtvmul", (d, s, t), into)

    def mvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmadd D, (S, next), T``: D := D + M * T, M with rows S and the next register."""
        return self._operation("mvmadd", (s, t, d), into)

    def mtvmadd(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmadd D, (S, next), T``: D := D + transposed M * T, M with rows S and the next register."""
        return self._operation("mtvmadd", (s, t, d), into)

    def mvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mvmsub D, (S, next), T``: D := D - M * T, M with rows S and the next register."""
        return self._operation("mvmsub", (s, t, d), into)

    def mtvmsub(self, s: Pair, t: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``mtvmsub D, (S, next), T``: D := D - transposed M * T, M with rows S and the next register."""
        return self._operation("mtvmsub", (s, t, d), into)

    def mtrans(self, s: Value, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``mtrans D, S, T, Q``: D := (S.hi, T.hi), Q := (S.lo, T.lo)."""
        return self._operation("mtrans", (s, t), into)

    def qsdot(self, s: Pair, t: Pair, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``qsdot D, (S, next), (T, next), imm1``: Dot product of the four floats of S and next with T and next, into
        D.lo (mode 0) or D.hi (mode 1)."""
        return self._operation("qsdot", (s, t, number, d), into)

    def pscopysign(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``pscopysign D, S, T``: Pairwise magnitude of S with the sign of T."""
        return self._operation("pscopysign", (s, t), into)

    def psgetexp(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psgetexp D, S``: Pairwise unbiased exponent of S as an integer."""
        return self._operation("psgetexp", (s,), into)

    def psgetman(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``psgetman D, S``: Pairwise significand of S in [1, 2), with its sign."""
        return self._operation("psgetman", (s,), into)

    def psscale(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``psscale D, S, T``: Pairwise S * 2^T, T an integer (low 9 bits, signed)."""
        return self._operation("psscale", (s, t), into)

    def getcoeff(self, *, into: Value | Half | None = None) -> Value:
        """``getcoeff D``: D := coefficient(RIND); then RIND steps."""
        return self._operation("getcoeff", (), into)

    def add(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``add D, S, T``: Both halves S + T, 32-bit integers, wrapping."""
        return self._operation("add", (s, t), into)

    def sub(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``sub D, S, T``: Both halves S - T, 32-bit integers, wrapping."""
        return self._operation("sub", (s, t), into)

    def abs(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``abs D, S``: Both halves |S|; 0x80000000 gives 0x7fffffff."""
        return self._operation("abs", (s,), into)

    def neg(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``neg D, S``: Both halves -S; 0x80000000 gives 0x7fffffff."""
        return self._operation("neg", (s,), into)

    def addi(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``addi D, S, simm12``: Both halves S + imm12, wrapping."""
        return self._operation("addi", (s, number), into)

    def subi(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``subi D, S, simm12``: Both halves S - imm12, wrapping."""
        return self._operation("subi", (s, number), into)

    def inci(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``inci D, simm18``: Both halves D + imm18, wrapping."""
        return self._operation("inci", (number, d), into)

    def deci(self, number: int, d: Value, *, into: Value | Half | None = None) -> Value:
        """``deci D, simm18``: Both halves D - imm18, wrapping."""
        return self._operation("deci", (number, d), into)

    def and_(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``and D, S, T``: D := S and T, 64 bits."""
        return self._operation("and", (s, t), into)

    def or_(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``or D, S, T``: D := S or T, 64 bits."""
        return self._operation("or", (s, t), into)

    def xor(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``xor D, S, T``: D := S xor T, 64 bits."""
        return self._operation("xor", (s, t), into)

    def not_(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``not D, S``: D := not S, 64 bits."""
        return self._operation("not", (s,), into)

    def lshift(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``lshift D, S, T``: Logical shift of both halves by T.lo[5:0], signed, positive left."""
        return self._operation("lshift", (s, t), into)

    def lshifti(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``lshifti D, S, simm6``: Logical shift of both halves by imm6, positive left."""
        return self._operation("lshifti", (s, number), into)

    def ashift(self, s: Value, t: Value, *, into: Value | Half | None = None) -> Value:
        """``ashift D, S, T``: Arithmetic shift of both halves by T.lo[5:0], signed, positive left."""
        return self._operation("ashift", (s, t), into)

    def ashifti(self, s: Value, number: int, *, into: Value | Half | None = None) -> Value:
        """``ashifti D, S, simm6``: Arithmetic shift of both halves by imm6, positive left."""
        return self._operation("ashifti", (s, number), into)

    def pwtops(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``pwtops D, S``: Pairwise integer to float."""
        return self._operation("pwtops", (s,), into)

    def pstopw(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``pstopw D, S``: Pairwise float to integer; out of range or NaN gives 0x7fffffff."""
        return self._operation("pstopw", (s,), into)

    def split8(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split8 D, S``: Per half: bits 15:8 of S, sign-extended."""
        return self._operation("split8", (s,), into)

    def split16(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split16 D, S``: Per half: bits 31:16 of S, sign-extended."""
        return self._operation("split16", (s,), into)

    def split32(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``split32 D, S``: D := (0, S.hi)."""
        return self._operation("split32", (s,), into)

    def extsign8h(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign8h D``: Low byte of each 16-bit quarter of D, sign-extended to 16 bits."""
        return self._operation("extsign8h", (d,), into)

    def extsign8w(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign8w D``: Low byte of each half of D, sign-extended to 32 bits."""
        return self._operation("extsign8w", (d,), into)

    def extsign16w(self, d: Value, *, into: Value | Half | None = None) -> Value:
        """``extsign16w D``: Low 16 bits of each half of D, sign-extended to 32 bits."""
        return self._operation("extsign16w", (d,), into)

    def join8(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join8 D, S``: Per half: ((D & 0xff) | (S << 8)) & 0xffff."""
        return self._operation("join8", (s, d), into)

    def join16(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join16 D, S``: Per half: (D & 0xffff) | (S << 16)."""
        return self._operation("join16", (s, d), into)

    def join32(self, s: Value, d: Value, *, into: Value | Half | None = None) -> Value:
        """``join32 D, S``: D.hi := S.lo."""
        return self._operation("join32", (s, d), into)

    def unpck16wstops(self, t: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``unpck16wstops D, S, T``: Four signed 16-bit integers of T to floats: D from T.hi, S from T.lo."""
        return self._operation("unpck16wstops", (t,), into)

    def recip(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``recip D.half, S.half``: 1 / x, from one half of S to one half of D, truncated; flags of both halves of S."""
        return self._operation("recip", (s,), into)

    def sinc(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``sinc D.half, S.half``: sin(pi/2 x) / x for |x| <= 1, truncated; flags of both halves of S."""
        return self._operation("sinc", (s,), into)

    def atanc(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``atanc D.half, S.half``: (2/pi) atan(x) / x for |x| <= 1, truncated."""
        return self._operation("atanc", (s,), into)

    def log2c(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``log2c D.half, S.half``: log2(x) / (x - 1) for x in [1, 2), truncated."""
        return self._operation("log2c", (s,), into)

    def exp2(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``exp2 D.half, S.half``: 2^x, truncated."""
        return self._operation("exp2", (s,), into)

    def rsqrt(self, s: Half, *, into: Value | Half | None = None) -> Half:
        """``rsqrt D.half, S.half``: 1 / sqrt(x): recip of the truncated square root."""
        return self._operation("rsqrt", (s,), into)

    def rrcossin(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrcossin D, S``: D := (rrcos(S.lo), rrsin(S.lo))."""
        return self._operation("rrcossin", (s,), into)

    def rrsin(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrsin D, S``: Pairwise argument reduction for the sine, period 4; exact."""
        return self._operation("rrsin", (s,), into)

    def rrcos(self, s: Value, *, into: Value | Half | None = None) -> Value:
        """``rrcos D, S``: Pairwise argument reduction for the cosine, period 4; rounded by RM where |x| < 1."""
        return self._operation("rrcos", (s,), into)

    def rrlog2(self, s: Value, *, into: Value | Half | None = None) -> tuple[Value, Value]:
        """``rrlog2 D, S, Q``: Pairwise D := significand in [1, 2) with sign, Q := unbiased exponent as a float."""
        return self._operation("rrlog2", (s,), into)
