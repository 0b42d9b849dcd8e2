//! Instruction memory, with a version that tells whether it may have changed: an engine that keeps what it made of the
//! bundles need not compare them before every run.

use cp2_isa::BundleBits;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

/// Instruction memory of a CP2: a slice of encoded bundles by address, with a version number by which an engine sees
/// whether the bundles may have changed since it last looked. Access to the slice for writing gives a new version.
#[derive(Clone, Default)]
pub struct Instructions {
    words: Box<[BundleBits]>,
    version: u64,
}

/// Returns a version that no instruction memory has had, from 1 on: 0 is the version of the default, which has no bundles.
fn new_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Instructions {
    /// Returns an instruction memory of `words` bundles, all of whose bits are 0, with a version that no other memory
    /// has.
    pub fn new(words: usize) -> Self {
        Self { words: vec![0; words].into_boxed_slice(), version: new_version() }
    }

    /// Returns the version of the bundles: two memories with the same version hold the same bundles. Every access for
    /// writing gives a version that no memory has had before, even if it changes no bit.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl Deref for Instructions {
    type Target = [BundleBits];

    fn deref(&self) -> &[BundleBits] {
        &self.words
    }
}

impl DerefMut for Instructions {
    fn deref_mut(&mut self) -> &mut [BundleBits] {
        self.version = new_version();
        &mut self.words
    }
}

/// Formats the words alone.
impl fmt::Debug for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words.fmt(f)
    }
}

/// Memories are equal if their words are; versions do not count.
impl PartialEq for Instructions {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for Instructions {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_copies_that_nobody_writes_have_the_same_version() {
        let mut one = Instructions::new(4);
        let copy = one.clone();
        assert_eq!(one.version(), copy.version());
        assert_ne!(Instructions::new(4).version(), one.version());
        one[2] = 5;
        assert_ne!(one.version(), copy.version());
        assert_ne!(one, copy);
        let before = one.version();
        assert_eq!(one[2], 5);
        assert_eq!(one.version(), before);
        one[2] = 0;
        assert_eq!(one, copy);
        assert!(one.version() > before);
    }
}
