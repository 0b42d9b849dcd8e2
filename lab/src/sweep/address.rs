//! Address of a point of a sweep, a hash of all that its outcome depends on: build of the program, workload, its
//! options and inputs, machine. Points with one address have one outcome.

use crate::recorded::Subject;
use cp2_emu::machine::Key;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// Returns a text that tells builds of the program `cp2` from each other: its version, and the hash XXH64 of `program`,
/// the bytes of the executable file.
pub fn build_of(program: &[u8]) -> String {
    let mut hash = XxHash64::with_seed(0);
    hash.write(program);
    format!("cp2 {} {:016x}", env!("CARGO_PKG_VERSION"), hash.finish())
}

/// Address of a point of a sweep, under which the row with its outcome is kept: a hash of 128 bits of all that the
/// outcome depends on (build of the program, workload, options, machine). It is shown as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowAddress([u64; 2]);

impl RowAddress {
    /// Returns the address of the point that runs `subject`, a workload with its options on its machine, by the build
    /// of the program that the text `build` names ([`build_of`]).
    pub fn of(subject: &Subject, build: &str) -> Self {
        let mut content = format!(
            "{build}\n{}\n{:016x}{:016x}\n",
            subject.name(),
            subject.workload.digest(),
            subject.values.digest()
        );
        match &subject.machine {
            None => content += &format!("{:?}", subject.core.numbers()),
            Some(config) => {
                let value = |key: Key| format!("{key}={} ", config.value(key));
                content.extend(Key::ALL.into_iter().map(value));
            }
        }
        Self([0, 1].map(|seed| {
            let mut hash = XxHash64::with_seed(seed);
            hash.write(content.as_bytes());
            hash.finish()
        }))
    }

    /// Reads the text of an address, as [`fmt::Display`] writes it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (high, low) = text.split_at_checked(16)?;
        let part = |text: &str| u64::from_str_radix(text, 16).ok();
        Some(Self([part(high)?, part(low).filter(|_| low.len() == 16)?]))
    }
}

/// Writes the address as 32 hexadecimal digits.
impl fmt::Display for RowAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}
