//! Hash maps by small keys that are looked up all the time: keys are few and not hostile, and nothing depends on their order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hash map by small keys that are looked up all the time.
pub(crate) type SmallKeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// Hasher of [`SmallKeyMap`], which multiplies and rotates.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u16(&mut self, n: u16) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
