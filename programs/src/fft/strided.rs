//! FFT kernels for vectors that lie with a stride or interleaved in local memory, with or without a
//! table of factors: the steps of the long transform. Vectors in a row, dealt to sections by the
//! host, are in `fft`.

use super::generate;
use crate::error::KernelError;
use cp2_isa::BANK_WORDS;

pub use super::generate::Layout;

/// Lengths that have a strided kernel.
pub const LENGTHS: [usize; 3] = [64, 128, 256];

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Points of a vector.
    pub points: usize,
    /// Where the points lie.
    pub input: Layout,
    /// Where the results go: in columns only if the points lie in columns.
    pub output: Layout,
    /// Every result is multiplied by the word of a table that lies as the results lie.
    pub has_table: bool,
}

fn refuse(what: &'static str, value: usize, limit: impl Into<String>) -> Result<(), KernelError> {
    Err(KernelError::Parameter { what, value, limit: limit.into() })
}

fn check(layout: Layout, names: [&'static str; 2], points: usize) -> Result<(), KernelError> {
    let Layout { stride, pitch } = layout;
    if layout.is_columns() {
        if stride % 2 == 1 || stride * points > BANK_WORDS {
            let limit = format!("an even number of at most {}", BANK_WORDS / points);
            return refuse(names[0], stride, limit);
        }
        if pitch != 1 {
            return refuse(names[1], pitch, "1 where the stride is more than 1");
        }
    } else if stride == 0 {
        return refuse(names[0], stride, "at least 1");
    } else if pitch % 2 == 1 || pitch < points || pitch > BANK_WORDS {
        let limit = format!("an even number from {points} to {BANK_WORDS}");
        return refuse(names[1], pitch, limit);
    }
    Ok(())
}

impl Spec {
    /// The assembly text of the kernel; an error names the parameter that is out of its limits.
    pub fn source(&self) -> Result<String, KernelError> {
        check(self.input, ["input stride", "input pitch"], self.points)?;
        check(self.output, ["output stride", "output pitch"], self.points)?;
        if self.output.is_columns() && !self.input.is_columns() {
            refuse("output stride", self.output.stride, "1 where the input stride is 1")?;
        }
        generate::strided(self.points, [self.input, self.output], self.has_table).ok_or_else(|| {
            KernelError::Length { points: self.points, allowed: "64, 128 or 256".to_owned() }
        })
    }

    /// Vectors that one pass of the kernel's loops transforms; the batch is a multiple.
    pub fn vectors_per_unit(&self) -> usize {
        self.input.vectors_per_unit() as usize
    }

    /// Fewest cycles for a vector: its butterflies, and a product for each result.
    pub fn bound(&self) -> usize {
        super::butterflies(self.points) + if self.has_table { self.points } else { 0 }
    }
}
