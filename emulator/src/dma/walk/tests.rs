//! Addresses of the walks.

use super::*;

#[test]
fn reversed_terms_keep_even_addresses_even() {
    let x = LocalStride { step: 2, count: 8, reversed: true };
    let walk = LocalWalk { x, ..LocalWalk::default() };
    let mut cursor = LocalCursor::new(&Core::CP2, walk, false, &[0; 16]);
    let mut seen = Vec::new();
    for _ in 0..8 {
        seen.push(cursor.address().0);
        cursor.step();
    }
    assert_eq!(seen, [0, 4096, 2048, 6144, 1024, 5120, 3072, 7168]);
}

#[test]
fn half_registers_are_high_then_low() {
    let mut ireg = [0; 16];
    ireg[2] = 0x1111_2222_3333_4444;
    assert_eq!(half_register(&ireg, 4), 0x1111_2222);
    assert_eq!(half_register(&ireg, 5), 0x3333_4444);
}
