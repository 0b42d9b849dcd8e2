//! Bit fields of a bundle, named as in the encoding table. Nothing here knows any operation.

/// The encoded bits of a bundle: the lower 64 are the bundle of CP2. On a core with more than 64 FPRs the upper 64 are
/// a second word with the high bits of register numbers; the second word is 0 if the bundle names f0 to f63 alone.
pub type BundleBits = u128;

/// Returns the bits of a bundle as text: 16 hexadecimal digits, or 32 if its upper word is not 0.
pub fn bundle_digits(bits: BundleBits) -> String {
    let digits = if bits >> 64 == 0 { 16 } else { 32 };
    format!("{bits:0digits$x}")
}

/// A bit field of the encoding of a bundle: a contiguous range of the lower 64 bits. A field that holds the number of
/// an FPR has two more bits, bits 7:6 of the number, in the upper word of a bundle of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Highest bit of the range in the lower 64 bits, itself included; at most 63.
    pub hi: u8,
    /// Lowest bit of the range in the lower 64 bits, itself included.
    pub lo: u8,
    /// Bit of the upper word, from 0, that holds bit 6 of the number of an FPR; bit 7 of the number stands above it.
    /// `None` if the field has no bits in the upper word.
    pub upper: Option<u8>,
}

/// The first bit of a register's number that stands in the upper word.
const UPPER: u32 = 6;

impl BitField {
    /// Creates the field of the bits `hi` down to `lo` of the lower word, both included; bit 0 is the least
    /// significant. The field has no bits in the upper word.
    pub const fn new(hi: u8, lo: u8) -> Self {
        Self { hi, lo, upper: None }
    }

    /// Returns the number of bits of the field in the lower 64 bits of a bundle; two more in the upper word do not
    /// count.
    pub const fn width(self) -> u32 {
        (self.hi - self.lo + 1) as u32
    }

    const fn low_mask(self) -> u64 {
        ((1u64 << self.width()) - 1) << self.lo
    }

    /// Returns the mask of the bits of a bundle that the field has, those in the upper word included.
    pub const fn mask(self) -> BundleBits {
        let upper = match self.upper {
            Some(at) => 3 << at,
            None => 0,
        };
        (upper as BundleBits) << 64 | self.low_mask() as BundleBits
    }

    /// Returns the value of the field in a bundle as an unsigned number; the two bits in the upper word, if the field
    /// has them, are bits 7:6.
    #[inline]
    pub const fn get(self, bits: BundleBits) -> u32 {
        // Words of 64 bits: the reference engine decodes in every cycle.
        let low = ((bits as u64 & self.low_mask()) >> self.lo) as u32;
        match self.upper {
            Some(at) => low | (((bits >> 64) as u64 >> at) as u32 & 3) << UPPER,
            None => low,
        }
    }

    /// Returns the value of the field in a bundle as a two's complement number, whose sign is the highest bit `hi` of
    /// the field.
    #[inline]
    pub const fn get_signed(self, bits: BundleBits) -> i32 {
        let shift = 32 - self.width();
        ((self.get(bits) << shift) as i32) >> shift
    }

    /// Returns the bits of a bundle that have the low bits of `value` in the field and 0 everywhere else. Bits of
    /// `value` that do not fit are dropped.
    pub const fn deposit(self, value: i32) -> BundleBits {
        let low = ((value as i64 as u64) << self.lo) & self.low_mask();
        let upper = match self.upper {
            Some(at) => ((value as u64 >> UPPER) & 3) << at,
            None => 0,
        };
        (upper as BundleBits) << 64 | low as BundleBits
    }
}

/// The bit fields of a bundle, one constant for each field of the encoding (`specs/src/machine.md`). Different
/// operations use the same bits, so fields overlap.
pub mod fields {
    use super::BitField;

    const fn first(of: &[u8]) -> Option<u8> {
        match of {
            [bit, ..] => Some(*bit),
            [] => None,
        }
    }

    macro_rules! fields {
        ($($(#[$doc:meta])* $name:ident $hi:literal $lo:literal $(upper $upper:literal)?;)*) => {
            $($(#[$doc])* pub const $name: BitField =
                BitField { upper: first(&[$($upper)?]), ..BitField::new($hi, $lo) };)*
        };
    }
    fields! {
        /// Field of the opcode of the arithmetic operation.
        OP 62 56;
        /// Field of the number of D, the destination FPR of an arithmetic operation.
        FD 55 50 upper 0;
        /// Field of the number of S, the first source FPR of an arithmetic operation.
        FS 49 44 upper 2;
        /// Field of the number of T, the second source FPR of an arithmetic operation.
        FT 43 38 upper 4;
        /// Field of the number of Q, one more destination FPR of an arithmetic operation, such as that of the
        /// difference of `caddsub`.
        FQ 37 32 upper 6;
        /// Field of the signed distance of a shift (`lshifti`, `ashifti`); positive is to the left.
        IMM6 37 32;
        /// Field of the signed number that `addi` adds and `subi` subtracts.
        IMM12 43 32;
        /// Field of the 16 bits that `li0` to `li3` put into a quarter of a register.
        IMM16 47 32;
        /// Field of the signed number that `inci` adds and `deci` subtracts.
        IMM18 49 32;
        /// Field of the operand format of a comparison, which [`OperandFormat`](crate::OperandFormat) explains: 0 to 3
        /// for s, w, ps, pw.
        FMT 54 53;
        /// Field of the number of the condition code that a comparison sets, the first of two if both halves are
        /// compared.
        CC1 52 50;
        /// Field of the relation of a comparison: 0 to 7 for t (true), un (unordered), lt, le, eq, ne, gt, ge.
        COND 34 32;
        /// Field of the half of D that an elementary function writes: 1 is the high half.
        DST_HALF 33 33;
        /// Field of the half of S that an elementary function or `amtsa` reads: 1 is the high half.
        SRC_HALF 32 32;
        /// Field of the register that `mfc` reads and `mtc` writes: 0 is FCSR, 1 is FCCR.
        CREG 35 32;
        /// Field of the half of D that the dot product `qsdot` writes: 1 is the high half.
        MODE 32 32;
        /// Field of the predicate: the number of the condition code that enables sections; 0 enables all.
        CC 31 29;
        /// Field of the exchange opcode without its highest bit, which is in [`OP2_HIGH`].
        OP2 28 23;
        /// Field of the highest bit of the exchange opcode, which stands beside the arithmetic opcode. Only operations
        /// of extensions have a 1 there.
        OP2_HIGH 63 63;
        /// Field of the half of the FPR that a 32-bit load or store (`lhi` to `shnm`) moves: 1 is the high half. The
        /// bit is a part of [`OP2`].
        WORD_REGISTER 24 24;
        /// Field of the half of the word in local memory that a 32-bit load or store (`lhi` to `shnm`) moves: 1 is the
        /// high half. The bit is a part of [`OP2`].
        WORD_MEMORY 23 23;
        /// Field of the half of the FPR, 1 for the high one, that a 32-bit load or store moves if only the run tells
        /// the half in memory: `lh32np`, `lhgnp` and their kind.
        RUN_REGISTER 12 12;
        /// Field of the number of the GPR whose bit 0 names the half of the word in memory that `lhgnp`, `lhgnm`,
        /// `shgnp` and `shgnm` move.
        RUN_GPR 3 0;
        /// Field of the half of local memory, 1 for the upper one, from whose beginning the addresses of `lh32np`,
        /// `lh32nm`, `sh32np` and `sh32nm` count 32-bit words.
        RUN_PART 0 0;
        /// Field of the number of the FPR of a load, a store, `mtfpr` or `mffpr`, and of the source of `psprmsgn`; of
        /// the first FPR if the operation names two.
        FT2 22 17 upper 8;
        /// Field of the destination FPR of `psprmsgn` without bit 5 of its number, which the opcode tells.
        FD2 16 12 upper 10;
        /// Field of the number of the GPR that `check_dma` writes, or that `setsa` or `setq` reads.
        GT 20 17;
        /// Field of the number of the register that `seti` sets, within the register file that [`REGTYPE`] tells.
        RN2 20 17;
        /// Field of the number of the destination register of `move`, within the register file that [`DTYP`] tells.
        DREG 20 17;
        /// Field of the number of iterations of the hardware loop that `doi` begins, unsigned, 0 to 1023; with 0 the
        /// body is skipped.
        CNT10 22 13;
        /// Field of the number of the address set rK that a memory access, an update of an address or `clr` names.
        RN 16 13;
        /// Field of the number of the GPR that a control operation such as `do`, `call`, `jump` or `stop` reads, or
        /// that `mxfpr` writes.
        GS 16 13;
        /// Field of the number of the GPR or index register of `mtfpr` and `mffpr`; [`IREG_FLAG`] tells which of the
        /// two.
        GR 16 13;
        /// Field of the number of the source register of `move`, within the register file that [`STYP`] tells.
        SREG 16 13;
        /// Field of the address of a bundle that a jump, call, loop or `runi` names, and of the stop code of `stopi`;
        /// unsigned.
        IMM13 12 0;
        /// Field of the address of a word in local memory, for accesses with an immediate address. Bits 14:13 count
        /// only where local memory is larger than CP2's.
        WORD15 14 0;
        /// Field of the signed number of words by which an address of local memory steps.
        OFFSET13 12 0;
        /// Field of the unsigned 16-bit value that `seti` gives to a register.
        SETI_IMM 15 0;
        /// Field of the register file of `seti`: 0 to 3 for GPR, An, Nn, Mn.
        REGTYPE 22 21;
        /// Field of the register file of the destination of `move`, a value of [`RegFile`](crate::RegFile).
        DTYP 5 3;
        /// Field of the register file of the source of `move`, a value of [`RegFile`](crate::RegFile).
        STYP 2 0;
        /// Field of the number of the address set whose section addresses the arithmetic operation `amtsa` writes.
        SET 53 50;
        /// Field of the half of the FPR in [`FT2`], 1 for the high one, that `mtsa` takes addresses from and `mxfpr`
        /// compares.
        ADDRESS_HALF 0 0;
        /// Field of the number of the FPR that `lwfa` takes the address of each section from.
        FA 16 11 upper 10;
        /// Field of the half of the FPR in [`FA`] that holds the addresses: 1 is the high half.
        FA_HALF 10 10;
        /// Field of the address of a word in shared memory, the memory that the sections have in common; unsigned.
        WORD10 9 0;
        /// Field of the signed number of words by which an address of shared memory steps.
        OFFSET11 10 0;
        /// Field of the number of the section whose word `sqsi` or `sqso` stores into shared memory.
        SHARED_SECTION 12 11;
        /// Field of the number of the section whose FPR `mtfpr` writes or `mffpr` reads; 4 in `mtfpr` means all
        /// sections.
        SECN 2 0;
        /// Field that tells what [`GR`] names in `mtfpr` and `mffpr`: 1 for an index register, 0 for a GPR.
        IREG_FLAG 3 3;
    }
}
