//! Ranges of the numbers in bit fields of descriptors, which the encoder checks and messages name.
//! [`Descriptor::encode`](super::Descriptor::encode) checks numbers against them; its [`FieldError`](super::FieldError)
//! has the range into which a number did not fit.

use cp2_isa::NumberRange;

/// Range of the signed number that is added to the number of a descriptor to get that of the next one: 9 bits, -256 to
/// 255.
pub const NEXT: NumberRange = NumberRange::between(-0x100, 0xff);
/// Range of a field that names a 32-bit half of one of the 16 index registers of CP2: 0 to 31, where 2k is the high
/// half of register `ik` and 2k + 1 the low one.
pub const HALF_REGISTER: NumberRange = NumberRange::bits(5);
/// Range of the first address of a walk through system memory, in bytes: 32 bits, a multiple of 4.
pub const MEMORY_BASE: NumberRange = NumberRange { low: 0, high: 0xffff_fffc, multiple_of: 4 };
/// Range of the number of beats of 16 bytes (or of 32-bit words, where those are moved) in a burst: 0 to 63. The field
/// holds the number itself.
pub const BURST: NumberRange = NumberRange::bits(6);
/// Range of a step of a walk through system memory, in bytes: signed 24 bits, a multiple of 4.
pub const MEMORY_STEP: NumberRange =
    NumberRange { low: -0x80_0000, high: 0x7f_fffc, multiple_of: 4 };
/// Range of a count of a walk through system memory ([`Stride::count`](super::Stride::count)): 20 bits, 0 to 2^20 - 1.
/// The field holds the count itself, not one less.
pub const MEMORY_COUNT: NumberRange = NumberRange::bits(20);
/// Range of [`Put::flow`](super::Put::flow), the number of beats that a section gives before the next section gives
/// some: 0 to 4, where 0 means all of them.
pub const FLOW: NumberRange = NumberRange::between(0, 4);
/// Range of a mask of the four 32-bit words of a beat ([`Put::mask`](super::Put::mask)), one bit each: 0 to 15.
pub const MASK: NumberRange = NumberRange::bits(4);
