//! Bit fields of a bundle, named as in the encoding table. Nothing here knows any operation.

/// The bits of a bundle: 64 on CP2. Where there are more FPRs a second word of 64 stands above them, with the
/// high bits of register numbers; it is 0 in what names f0 to f63 alone.
pub type BundleBits = u128;

/// Returns the bits of a bundle as text: 16 hexadecimal digits, or 32 if its upper word is not 0.
pub fn bundle_digits(bits: BundleBits) -> String {
    let digits = if bits >> 64 == 0 { 16 } else { 32 };
    format!("{bits:0digits$x}")
}

/// A contiguous bit range of the lower 64 bits of a bundle. The number of a register has two more bits, 7:6, in the
/// upper word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Highest bit of the field, 63 at most.
    pub hi: u8,
    /// Lowest bit of the field, 0 at least.
    pub lo: u8,
    /// Bit of the upper word at which bits 7:6 of the number of a register stand.
    pub upper: Option<u8>,
}

/// The first bit of a register's number that stands in the upper word.
const UPPER: u32 = 6;

impl BitField {
    /// Creates the field of the bits `hi:lo`; bit 0 is the least significant.
    pub const fn new(hi: u8, lo: u8) -> Self {
        Self { hi, lo, upper: None }
    }

    /// Returns the number of bits of the field in the lower 64.
    pub const fn width(self) -> u32 {
        (self.hi - self.lo + 1) as u32
    }

    const fn low_mask(self) -> u64 {
        ((1u64 << self.width()) - 1) << self.lo
    }

    /// Returns a mask with ones where the field lies.
    pub const fn mask(self) -> BundleBits {
        let upper = match self.upper {
            Some(at) => 3 << at,
            None => 0,
        };
        (upper as BundleBits) << 64 | self.low_mask() as BundleBits
    }

    /// Returns the field's bits as an unsigned number.
    #[inline]
    pub const fn get(self, bits: BundleBits) -> u32 {
        // Words of 64 bits: the reference engine decodes in every cycle.
        let low = ((bits as u64 & self.low_mask()) >> self.lo) as u32;
        match self.upper {
            Some(at) => low | (((bits >> 64) as u64 >> at) as u32 & 3) << UPPER,
            None => low,
        }
    }

    /// Returns the field's bits as a two's complement number.
    #[inline]
    pub const fn get_signed(self, bits: BundleBits) -> i32 {
        let shift = 32 - self.width();
        ((self.get(bits) << shift) as i32) >> shift
    }

    /// Returns the low bits of `value` moved to the field's place.
    pub const fn deposit(self, value: i32) -> BundleBits {
        let low = ((value as i64 as u64) << self.lo) & self.low_mask();
        let upper = match self.upper {
            Some(at) => ((value as u64 >> UPPER) & 3) << at,
            None => 0,
        };
        (upper as BundleBits) << 64 | low as BundleBits
    }
}

/// The fields of the bundle (bundle encoding in `specs/src/machine.md`).
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
        /// Arithmetic opcode.
        OP 62 56;
        /// Destination register.
        FD 55 50 upper 0;
        /// First source register.
        FS 49 44 upper 2;
        /// Second source register.
        FT 43 38 upper 4;
        /// Third source or second destination register.
        FQ 37 32 upper 6;
        /// Signed shift amount.
        IMM6 37 32;
        /// Signed addend.
        IMM12 43 32;
        /// Unsigned half of a word.
        IMM16 47 32;
        /// Signed addend.
        IMM18 49 32;
        /// Operand format of a comparison.
        FMT 54 53;
        /// Condition code that a comparison sets.
        CC1 52 50;
        /// Relation of a comparison.
        COND 34 32;
        /// Destination half of an elementary function.
        DST_HALF 33 33;
        /// Source half of an elementary function.
        SRC_HALF 32 32;
        /// Control register of `mfc` and `mtc`.
        CREG 35 32;
        /// Destination half of `qsdot`.
        MODE 32 32;
        /// Predicate.
        CC 31 29;
        /// Exchange opcode but for its highest bit.
        OP2 28 23;
        /// Highest bit of the exchange opcode: only operations of extensions have it.
        OP2_HIGH 63 63;
        /// Half of the register of a word access: high bit of its format, in the opcode.
        WORD_REGISTER 24 24;
        /// Half of the word in memory: low bit of the format of a word access, in the opcode.
        WORD_MEMORY 23 23;
        /// Half of the register of a word access whose half in memory the run tells.
        RUN_REGISTER 12 12;
        /// GPR whose lowest bit is the half in memory.
        RUN_GPR 3 0;
        /// Half of local memory in which an address counts words of 32 bits.
        RUN_PART 0 0;
        /// Register of a load, a store, `psprmsgn`, `mtfpr`, `mffpr`.
        FT2 22 17 upper 8;
        /// Destination of `psprmsgn`, whose opcode is bit 5 of the number.
        FD2 16 12 upper 10;
        /// GPR of `check_dma`.
        GT 20 17;
        /// Register that `seti` sets.
        RN2 20 17;
        /// Destination of `move`.
        DREG 20 17;
        /// Iterations of `doi`.
        CNT10 22 13;
        /// Address set.
        RN 16 13;
        /// GPR operand of control operations.
        GS 16 13;
        /// GPR or IREG of `mtfpr`, `mffpr`.
        GR 16 13;
        /// Source of `move`.
        SREG 16 13;
        /// Address of a bundle, stop code.
        IMM13 12 0;
        /// Address of a word in local memory; bits 14:13 only where local memory is larger than CP2's.
        WORD15 14 0;
        /// Signed address step.
        OFFSET13 12 0;
        /// Immediate of `seti`.
        SETI_IMM 15 0;
        /// Register file of `seti`.
        REGTYPE 22 21;
        /// Register file of the destination of `move`.
        DTYP 5 3;
        /// Register file of the source of `move`.
        STYP 2 0;
        /// Set whose section addresses an arithmetic operation writes.
        SET 53 50;
        /// Half of FT2 that holds addresses.
        ADDRESS_HALF 0 0;
        /// Register that a load takes its addresses from.
        FA 16 11 upper 10;
        /// Half of FA that holds the addresses.
        FA_HALF 10 10;
        /// Address of a word in shared memory.
        WORD10 9 0;
        /// Signed step of a shared address.
        OFFSET11 10 0;
        /// Section whose word goes to shared memory.
        SHARED_SECTION 12 11;
        /// Section of `mtfpr`, `mffpr`.
        SECN 2 0;
        /// IREG instead of GPR in `mtfpr`, `mffpr`.
        IREG_FLAG 3 3;
    }
}
