//! Description of the operators of a V-cycle for programs in other languages: their kernels, and the cut of each grid
//! into blocks. The layouts of grids and faces are those of `grid` and `faces`.

use super::images::frames;
use super::operator::{Cut, Operation, Resident};
use crate::host::pages::BANK_WORDS;
use cp2_isa::{BundleAddress, MemoryAddress};
use cp2_kernels::multigrid::sizes::Faces;
use cp2_kernels::multigrid::{GridBlock, GridKernel};
use cp2_session::error::KernelError;

/// Description of an operator of a V-cycle for a program in another language that runs it on CP2: its kernel, the
/// largest block that the kernel takes, the faces that it reads, its constants, and the cut of grids of each size into
/// blocks. [`described`] makes it.
#[derive(Clone, Debug)]
pub struct OperatorDescription {
    /// Kernel by which CP2 applies the operator.
    pub kernel: GridKernel,
    /// Size of the largest block that the kernel takes, for which its text was made.
    pub frame: GridBlock,
    /// Layers of points around a block that the kernel reads, the same along each of the three axes: 1 or 0 before its
    /// first point, then 1 or 0 behind its last one.
    pub faces: [usize; 2],
    /// Words with the weights of the operator, which the kernel reads from the word address in `g3` on. Smoothers have
    /// the weights of the classes S, W and A of NPB MG.
    pub constants: Vec<u64>,
    /// Cuts into blocks of the grids that the operator reads with faces in a V-cycle, one for each size, smallest
    /// first.
    pub cuts: Vec<Cut>,
}

impl OperatorDescription {
    /// Whether the kernel has, beside the block that it reads with faces (the points around it), another block without
    /// faces as an operand, such as v of the residual v - A u.
    pub fn takes_plain(&self) -> bool {
        self.kernel.takes_plain()
    }

    /// Returns the number of points along each axis of the grid of results, if the operator reads a grid of `n` points
    /// along each axis: n / 2, n or 2 n.
    pub fn outer(&self, n: usize) -> usize {
        super::outer_points(self.kernel, n)
    }
}

/// Returns descriptions of the operators of a V-cycle whose finest grid has `n` points along each axis, a power of two,
/// in the order of their kernels in [`text`].
///
/// # Errors
/// A grid cannot be cut into blocks that a kernel takes.
pub fn described(n: usize) -> Result<Vec<OperatorDescription>, KernelError> {
    let levels = n.trailing_zeros();
    let of = |&(kernel, frame): &(GridKernel, GridBlock)| {
        let entry = BundleAddress(0);
        let (constants, least_cycles, by_words) = ((MemoryAddress::FIRST, 0), 0, false);
        let bank_words = BANK_WORDS;
        let resident = Resident {
            kernel,
            frame,
            entry,
            constants,
            least_cycles,
            bank_words,
            by_words,
            is_whole: false,
        };
        let grids: Vec<u32> = match kernel {
            GridKernel::Proj => (2..=levels).collect(),
            GridKernel::Interp => vec![levels - 1],
            GridKernel::Interp0 => (1..levels - 1).collect(),
            GridKernel::Smooth0 => vec![1],
            GridKernel::Smooth | GridKernel::Resid => (2..=levels).collect(),
            _ => Vec::new(),
        };
        let cuts = grids.into_iter().map(|level| Operation::new(resident, [1 << level; 3])?.cut());
        let faces = Faces::of(kernel);
        Ok(OperatorDescription {
            kernel,
            frame,
            faces: [faces.before, faces.behind],
            constants: kernel.constants(&kernel.operator()),
            cuts: cuts.collect::<Result<_, _>>()?,
        })
    };
    frames().iter().map(of).collect()
}

/// Returns one assembly text with the kernels of all operators that [`described`] returns, for a core.
///
/// # Errors
/// A frame of a kernel does not fit a bank of the core; on CP2 all do.
pub fn text(core: &cp2_isa::Core) -> Result<String, KernelError> {
    cp2_kernels::multigrid::sized::source(core, &frames())
}
