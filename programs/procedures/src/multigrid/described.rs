//! The operators of a V-cycle as a program in another language takes them: which kernels there are, and how each grid
//! is cut into blocks. Grids and faces lie as `grid` and `faces` say.

use super::operator::{Cut, Operation, Resident};
use super::program::frames;
use cp2_isa::{BundleAddress, MemoryAddress};
use cp2_kernels::multigrid::sizes::Faces;
use cp2_kernels::multigrid::{Block, Kernel};
use cp2_session::error::KernelError;

/// An operator.
#[derive(Clone, Debug)]
pub struct Described {
    /// Which.
    pub kernel: Kernel,
    /// The largest block that its kernel takes.
    pub frame: Block,
    /// Faces before the first point and behind the last one of a block that the kernel reads, along each axis.
    pub faces: [usize; 2],
    /// What the kernel reads at the place that `g3` tells, of the small classes.
    pub constants: Vec<u64>,
    /// How grids are cut, by their size.
    pub cuts: Vec<Cut>,
}

impl Described {
    /// Whether a block without faces is an operand.
    pub fn takes_plain(&self) -> bool {
        self.kernel.takes_plain()
    }

    /// Points of the result along an axis for so many of the operand.
    pub fn outer(&self, n: usize) -> usize {
        super::outer_points(self.kernel, n)
    }
}

/// The operators of V-cycles of `n` points along an axis, a power of two, in the order of their kernels in the text of
/// [`text`].
///
/// # Errors
/// A grid that cannot be cut into blocks that a kernel takes.
pub fn described(n: usize) -> Result<Vec<Described>, KernelError> {
    let levels = n.trailing_zeros();
    let of = |&(kernel, frame): &(Kernel, Block)| {
        let entry = BundleAddress(0);
        let (constants, least_cycles, by_words) = ((MemoryAddress::FIRST, 0), 0, false);
        let resident = Resident { kernel, frame, entry, constants, least_cycles, by_words };
        let grids: Vec<u32> = match kernel {
            Kernel::Proj => (2..=levels).collect(),
            Kernel::Interp => vec![levels - 1],
            Kernel::Interp0 => (1..levels - 1).collect(),
            Kernel::Smooth0 => vec![1],
            Kernel::Smooth | Kernel::Resid => (2..=levels).collect(),
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

/// The kernels of these operators.
///
/// # Errors
/// Never for the frames that they have.
pub fn text(core: &cp2_isa::Core) -> Result<String, KernelError> {
    cp2_kernels::multigrid::sized::source(core, &frames())
}
