//! FFT kernels for vectors that lie with a stride or interleaved in local memory, with or without a table of factors:
//! the steps of the long transform. Vectors that lie one after the other, dealt to sections by the host, are in `fft`.

use super::generate;
use cp2_isa::Core;
use cp2_session::error::KernelError;

pub use super::generate::Layout;

/// Lengths, in points, of the vectors for which there is a strided kernel.
pub const LENGTHS: [usize; 3] = [64, 128, 256];

/// Description of an FFT kernel for vectors that need not be contiguous in local memory: length and layouts of the
/// vectors, and whether the results are multiplied by a table of factors, as a step of a longer transform needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedSpec {
    /// Number of complex points of a vector, one of [`LENGTHS`].
    pub points: usize,
    /// Layout of the points in local memory.
    pub input: Layout,
    /// Layout of the results in local memory: in columns only if the points lie in columns.
    pub output: Layout,
    /// Whether every result is multiplied by a complex factor of its own: the word at the result's place in a table
    /// that has the layout of the results, from the word address in `g3` on.
    pub has_table: bool,
}

fn refuse(what: &'static str, value: usize, limit: impl Into<String>) -> Result<(), KernelError> {
    Err(KernelError::Parameter { what, value, limit: limit.into() })
}

fn check(
    core: &Core,
    layout: Layout,
    names: [&'static str; 2],
    points: usize,
) -> Result<(), KernelError> {
    let Layout { stride, pitch } = layout;
    // Input and output share local memory.
    let room = core.lmem_words() / 2;
    if layout.is_columns() {
        if stride % 2 == 1 || stride * points > room {
            let limit = format!("an even number of at most {}", room / points);
            return refuse(names[0], stride, limit);
        }
        if pitch != 1 {
            return refuse(names[1], pitch, "1 where the stride is more than 1");
        }
    } else if stride == 0 {
        return refuse(names[0], stride, "at least 1");
    } else if pitch % 2 == 1 || pitch < points || pitch > room {
        let limit = format!("an even number from {points} to {room}");
        return refuse(names[1], pitch, limit);
    }
    Ok(())
}

impl StridedSpec {
    /// Returns the name of the kernel's source file, which tells all fields, such as `fft64_1x64_1x64_table.s`.
    pub fn name(&self) -> String {
        let Self { points, input, output, has_table } = self;
        let table = if *has_table { "_table" } else { "" };
        format!("fft{points}_{}_{}{table}.s", input.name(), output.name())
    }

    /// Returns the assembly text of the kernel for a core. The kernel takes in `g0` the word address of the input, in
    /// `g1` that of the output, in `g2` the number of units less 1, where a unit is [`Self::vectors_per_unit`] vectors
    /// in each section, and in `g3` the word address of the table of factors, if there is one.
    ///
    /// # Errors
    /// A stride or pitch is out of its limits, no kernel has this length, or the core has too few registers.
    pub fn source(&self, core: &Core) -> Result<String, KernelError> {
        check(core, self.input, ["input stride", "input pitch"], self.points)?;
        check(core, self.output, ["output stride", "output pitch"], self.points)?;
        if self.output.is_columns() && !self.input.is_columns() {
            refuse("output stride", self.output.stride, "1 where the input stride is 1")?;
        }
        let layouts = [self.input, self.output];
        generate::strided(core, self.points, layouts, self.has_table)?.ok_or_else(|| {
            KernelError::Length { points: self.points, allowed: "64, 128 or 256".to_owned() }
        })
    }

    /// Returns the number of vectors of a section that one pass of the kernel's loops transforms: 2 if the points lie
    /// in columns, else 1. The number of vectors of a run is a multiple of it.
    pub fn vectors_per_unit(&self) -> usize {
        self.input.vectors_per_unit() as usize
    }

    /// Returns the fewest cycles that the kernel can take for one vector in each section: one for each of its
    /// butterflies and, if the results are multiplied by a table of factors ([`Self::has_table`]), one for each of
    /// these products.
    pub fn bound(&self) -> usize {
        super::butterflies(self.points) + if self.has_table { self.points } else { 0 }
    }
}
