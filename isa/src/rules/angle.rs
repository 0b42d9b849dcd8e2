//! Steps of the angle of the Fourier coefficients (`[L]`, cp2-isa 4.3).

/// Returns the angle register RIND after an operation that uses a Fourier coefficient: RSTEP is added, but only the
/// bits that are 1 in RMASK change. RIND steps once per bundle, whatever the predicate.
#[inline]
pub const fn stepped(rind: u16, rstep: u16, rmask: u16) -> u16 {
    rind.wrapping_add(rstep) & rmask | rind & !rmask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_steps_from_8_to_11() {
        assert_eq!(stepped(8, 3, 0xffff), 11);
    }

    #[test]
    fn bits_outside_the_mask_stay() {
        assert_eq!(stepped(0xff0f, 1, 0x000f), 0xff00);
        assert_eq!(stepped(0xff0e, 1, 0x000f), 0xff0f);
        assert_eq!(stepped(0xffff, 1, 0xffff), 0);
        assert_eq!(stepped(5, 3, 0), 5);
    }
}
