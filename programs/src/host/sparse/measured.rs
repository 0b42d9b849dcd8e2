//! What was measured of products of sparse matrices, \[D\] tables 3.6 and 3.7.

use crate::host::measured::is_unchanged;
use crate::sparse::matrices::{CLASS_S, CgClass};
use cp2_emu::MachineConfig;

/// Where the rates stand.
pub(super) const SOURCE: &str = "[D] tables 3.6 and 3.7";

/// Which matrix it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Given {
    /// From a file.
    File,
    /// That of NPB CG.
    Class(CgClass),
    /// Random, so many rows, one entry in 16.
    Random(usize),
}

/// Rows, and 10^6 operations per second on VM7 and on VM9, by true entries.
const RANDOM: [(usize, [f64; 2]); 7] = [
    (32, [4.0, 18.0]),
    (64, [11.0, 50.0]),
    (128, [24.0, 110.0]),
    (256, [38.0, 180.0]),
    (512, [54.0, 267.0]),
    (1024, [67.0, 336.0]),
    (2048, [76.0, 384.0]),
];
const OF_CLASS_S: [f64; 2] = [51.0, 248.0];

/// The measured rate of the product by a matrix on a machine; none of a machine that was changed.
pub(super) fn product_mops(config: &MachineConfig, given: Given) -> Option<f64> {
    let machine = ["vm7", "vm9-1000-700"].iter().position(|&name| name == config.name())?;
    let rates = match given {
        Given::Class(class) if class == CLASS_S => OF_CLASS_S,
        Given::Random(rows) => RANDOM.iter().find(|row| row.0 == rows)?.1,
        _ => return None,
    };
    is_unchanged(config).then(|| rates[machine])
}
