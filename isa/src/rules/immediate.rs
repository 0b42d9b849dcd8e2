//! Results of the integer operations on one half of a register and an immediate (`[L]`, cp2-isa 4).

use crate::Arith;

/// Returns the 32 bits that `addi`, `subi`, `ashifti` or `lshifti` with this immediate makes of one half of a register;
/// `None` for other operations. A sum wraps around, and a shift by a negative distance goes to the right.
#[inline]
pub fn result(op: Arith, immediate: i32, half: u32) -> Option<u32> {
    let distance = immediate.unsigned_abs();
    let is_left = immediate >= 0;
    Some(match op {
        Arith::Addi => half.wrapping_add_signed(immediate),
        Arith::Subi => half.wrapping_sub(immediate as u32),
        Arith::Ashifti | Arith::Lshifti if is_left => half.checked_shl(distance).unwrap_or(0),
        Arith::Ashifti => ((half as i32) >> distance.min(31)) as u32,
        Arith::Lshifti => half.checked_shr(distance).unwrap_or(0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_to_and_shifted_by_immediates() {
        let all = [
            (Arith::Addi, -1, 0, 0xffff_ffff),
            (Arith::Subi, 1, 0, 0xffff_ffff),
            (Arith::Subi, -2, 5, 7),
            (Arith::Ashifti, 1, 0xc000_0001, 0x8000_0002),
            (Arith::Ashifti, -1, 0xc000_0001, 0xe000_0000),
            (Arith::Ashifti, -32, 0x8000_0000, 0xffff_ffff),
            (Arith::Lshifti, -1, 0xc000_0001, 0x6000_0000),
            (Arith::Lshifti, -32, 0xffff_ffff, 0),
            (Arith::Lshifti, 32, 1, 0),
        ];
        for (op, immediate, half, expected) in all {
            assert_eq!(result(op, immediate, half), Some(expected), "{op:?} {immediate}");
        }
        assert_eq!(result(Arith::Psadd, 1, 1), None);
    }
}
