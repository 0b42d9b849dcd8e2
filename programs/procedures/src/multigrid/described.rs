//! The operators of a V-cycle as a program in another language takes them: which kernels there are, and how each grid
//! is cut into blocks. Grids and faces lie as `grid` and `faces` say.

use super::operator::{Cut, Operation, Resident};
use super::program::frames;
use cp2_isa::{BundleAddress, MemoryAddress};
use cp2_kernels::multigrid::sizes::Faces;
use cp2_kernels::multigrid::{GridBlock, GridKernel};
use cp2_session::error::KernelError;

/// All that a program in another language needs to run an operator of a V-cycle on CP2: its kernel, the largest block that it
/// takes, the faces it reads, its constants, and how grids of each size are cut into blocks.
#[derive(Clone, Debug)]
pub struct Described {
    /// Kernel of the operator.
    pub kernel: GridKernel,
    /// The largest block that its kernel takes.
    pub frame: GridBlock,
    /// Faces of a block that the kernel reads, before its first point and behind its last one, along each axis.
    pub faces: [usize; 2],
    /// Constants that the kernel reads at the address in `g3`, with the weights of the small classes.
    pub constants: Vec<u64>,
    /// Blocks into which grids are cut, for each size of the grids.
    pub cuts: Vec<Cut>,
}

impl Described {
    /// Whether the operator has a block without faces as an operand.
    pub fn takes_plain(&self) -> bool {
        self.kernel.takes_plain()
    }

    /// Returns the points of the result along an axis for `n` points of the operand.
    pub fn outer(&self, n: usize) -> usize {
        super::outer_points(self.kernel, n)
    }
}

/// Returns the operators of V-cycles of `n` points along an axis, a power of two, in the order of their kernels in [`text`].
///
/// # Errors
/// A grid that cannot be cut into blocks that a kernel takes.
pub fn described(n: usize) -> Result<Vec<Described>, KernelError> {
    let levels = n.trailing_zeros();
    let of = |&(kernel, frame): &(GridKernel, GridBlock)| {
        let entry = BundleAddress(0);
        let (constants, least_cycles, by_words) = ((MemoryAddress::FIRST, 0), 0, false);
        let resident = Resident { kernel, frame, entry, constants, least_cycles, by_words };
        let grids: Vec<u32> = match kernel {
            GridKernel::Proj => (2..=levels).collect(),
            GridKernel::Interp => vec![levels - 1],
            GridKernel::Interp0 => (1..levels - 1).collect(),
            GridKernel::Smooth0 => vec![1],
            GridKernel::Smooth | GridKernel::Resid => (2..=levels).collect(),
            _ => Vec::new(),
        };
        let cuts = grids.into_iter().map(|level| Operation::new(resident, 1 << level)?.cut());
        let faces = Faces::of(kernel);
        Ok(Described {
            kernel,
            frame,
            faces: [faces.before, faces.behind],
            constants: kernel.constants(&kernel.operator()),
            cuts: cuts.collect::<Result<_, _>>()?,
        })
    };
    frames().iter().map(of).collect()
}

/// Returns the assembly text of the kernels of [`described`].
///
/// # Errors
/// None: every frame of these kernels is allowed.
pub fn text(core: &cp2_isa::Core) -> Result<String, KernelError> {
    cp2_kernels::multigrid::sized::source(core, &frames())
}
