//! Kernels of multigrid whose text serves blocks of several sizes, so that the kernels of all levels of a V-cycle stay
//! in instruction memory together. Blocks and calls are described in `specs/src/multigrid.md`.
//!
//! A text is made for the rows and planes of one block, the *frame*. A smaller block lies in the frame as if it were
//! the corner of a block of that size; rows are computed to the frame's end, and results behind the block's own points
//! are of no use. The arguments of a call tell the numbers of groups of rows and of planes.

use super::layout::{GridBlock, put_faced, put_plain, take_plain};
use super::sizes::{Faces, Sizes, least_passes};
use super::{
    GridKernel, OperandMap, Operator, Report, check_block, check_operands, lines, norm, rows,
};
use crate::linear_text::LinearText;
use cp2_isa::{BundleAddress, Core, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// The kernels that a V-cycle of NPB MG needs on its grids: residual, projection, both interpolations, both smoothers,
/// and the norm.
pub const CYCLE: [GridKernel; 7] = [
    GridKernel::Resid,
    GridKernel::Proj,
    GridKernel::Interp,
    GridKernel::Interp0,
    GridKernel::Smooth,
    GridKernel::Smooth0,
    GridKernel::Norm,
];

/// Kernels, each with its frame: the size of the largest block of a grid that its text takes.
pub type Frames<'a> = &'a [(GridKernel, GridBlock)];

/// Returns the kernels of [`CYCLE`], each with its usual [`frame`], the size of the largest block that its text takes.
pub fn cycle() -> Vec<(GridKernel, GridBlock)> {
    CYCLE.into_iter().map(|kernel| (kernel, frame(kernel))).collect()
}

/// Returns the usual frame of a kernel, which is the size of the largest block that its text takes: 32 x 8 x 8 points
/// of a fine block, 32 x 4 x 4 points of a coarse one for interpolations. For `proj`, whose results are small, it is 32
/// x 8 x 16 points.
pub fn frame(kernel: GridKernel) -> GridBlock {
    match kernel {
        GridKernel::Proj => GridBlock::new(32, 8, 16),
        _ => kernel.usual_block(),
    }
}

/// Returns the text of a kernel for blocks within a frame.
fn text(core: &Core, kernel: GridKernel, frame: GridBlock) -> Result<String, KernelError> {
    check_block(core, kernel, frame)?;
    let code = lines(kernel, frame, Sizes::Call);
    let description = format!("{}, blocks within {frame} points", kernel.description());
    Ok(around(kernel, &description, &code))
}

/// Returns the text of a kernel that repeats linear code for groups of rows, as the call tells.
fn around(kernel: GridKernel, description: &str, code: &LinearText) -> String {
    let (name, code) = (kernel.name(), code.noted(kernel.work()));
    format!(
        "; {description}.
        .kernel {name}
        | move a0, g0
        | move a1, g1
        | move a2, g2
        | move n0, g6
        | move n1, g7
        | move n2, g8
        | do g4, {name}_end
        | move a3, g3
.linear
        .disjoint r0, r1, r2, r3
        .even r0, r1, r2, r3
        .scratch g15
{code}.endlinear
        | updaddrnp (r0)+n0
        | updaddrnp (r1)+n1
{name}_end:
        | updaddrnp (r2)+n2
        nop
        stopi 0
"
    )
}

/// Returns one assembly text with several kernels, each of which takes all blocks within its frame; [`arguments`] tells
/// a call the size of a block.
///
/// # Errors
/// A kernel takes no blocks of the size of its frame, or they do not fit a bank of the core.
pub fn source(core: &Core, kernels: Frames<'_>) -> Result<String, KernelError> {
    kernels.iter().map(|&(kernel, frame)| text(core, kernel, frame)).collect()
}

/// Operation of the exchange slot that accesses no memory, on general registers that the kernels do not use.
const BETWEEN_ACCESSES: &str = "move g14, g13";

/// Returns the text of a kernel as [`source`] does, but behind each access of a bundle the next one accesses no local memory. It
/// takes more cycles, and suits a local memory of one bank: there the DMA channel has only the cycles that a kernel leaves,
/// and uses them best where they lie between accesses.
///
/// # Errors
/// The errors are those of [`source`].
pub fn spaced_source(
    core: &Core,
    kernel: GridKernel,
    frame: GridBlock,
) -> Result<String, KernelError> {
    check_block(core, kernel, frame)?;
    let code = lines(kernel, frame, Sizes::Call).spaced_by(BETWEEN_ACCESSES);
    let description =
        format!("{}, blocks within {frame} points, accesses apart", kernel.description());
    Ok(around(kernel, &description, &code))
}

/// Returns the words from one group of rows to the next, less those that the planes of a group have stepped, modulo 2^16.
fn step(rows: usize, planes: usize) -> u64 {
    (rows as u64).wrapping_sub(planes as u64) & 0xffff
}

/// Returns the arguments in `g0` to `g8` for a call of a kernel of [`source`] with this frame (the size of the largest
/// block) on a block of the size `block`: the word addresses of the block with faces, of the block without, of the
/// result and of the constants, as [`OperandMap`] has them for the frame; the number of groups of rows; the passes of
/// the loop over planes; and three steps in words, modulo 2^16, from behind a group of rows to the next group: of the
/// block with faces, of the one without and of the result.
///
/// # Errors
/// The block does not fit the frame, n1 is odd, n1 or n2 is 0, or the loop over planes would run less often than
/// [`least_passes`] says.
pub fn arguments(
    kernel: GridKernel,
    frame: GridBlock,
    block: GridBlock,
) -> Result<[u64; 9], KernelError> {
    let planes = match kernel.special() {
        GridKernel::Proj => block.n3 / 2,
        GridKernel::Norm => block.n3 * frame.plain_plane() / norm::WORDS,
        _ => block.n3,
    };
    let is_within = block.n1 <= frame.n1 && block.n2 <= frame.n2 && block.n3 <= frame.n3;
    let is_even = block.n1.is_multiple_of(2) && block.n1 > 0 && block.n2 > 0;
    let least = least_passes(kernel);
    if !is_within || !is_even || planes < least {
        return Err(KernelError::Block {
            kernel: kernel.name(),
            given: format!("a block of {block} points"),
            allowed: format!("even n1, within {frame}, and at least {least} passes of its loop"),
        });
    }
    let of_group = rows(kernel, frame, Sizes::Call);
    let outer = kernel.outer(frame);
    let map = OperandMap::new(kernel, frame);
    let plane = Faces::of(kernel).plane(frame);
    let [a0, a1, a2, a3] = [0, map.plain, map.result, map.constants].map(|a| a as u64);
    let (groups, faced, plain) = match kernel.special() {
        GridKernel::Proj | GridKernel::Norm => (1, 0, 0),
        GridKernel::Interp | GridKernel::Interp0 => (
            block.n2.div_ceil(of_group),
            step(of_group * frame.row(), planes * plane),
            step(2 * of_group * outer.words(), 2 * planes * outer.plain_plane()),
        ),
        _ => (
            block.n2.div_ceil(of_group),
            step(of_group * frame.row(), planes * plane),
            step(of_group * outer.words(), planes * outer.plain_plane()),
        ),
    };
    Ok([a0, a1, a2, a3, groups as u64, planes as u64, faced, plain, plain])
}

/// CP2 with several kernels of [`source`] in instruction memory at once, by [`Self::new`]; they run on blocks of any
/// size within their frames, which are the sizes of the largest blocks.
pub struct Resident {
    cp2: KernelRunner,
    kernels: Vec<(GridKernel, GridBlock, BundleAddress)>,
    /// Number of bundles of instruction memory that the kernels take together.
    pub bundles: usize,
}

impl Resident {
    /// Creates a CP2 and puts the kernels, each with its frame (the size of the largest block), into its instruction
    /// memory.
    ///
    /// # Errors
    /// A kernel does not take its frame, or the kernels do not fit instruction memory together.
    pub fn new(kernels: Frames<'_>, on: &Execution) -> Result<Self, KernelError> {
        let text = source(&on.core, kernels)?;
        let image = on.environment.assemble(&on.core, "multigrid.s", &text)?;
        let mut cp2 = KernelRunner::new(cp2_session::load::cp2(&on.core), on);
        cp2.load(&image);
        let entries = kernels.iter().zip(image.kernels.iter().map(|kernel| kernel.start));
        Ok(Self {
            cp2,
            kernels: entries.map(|(&(kernel, frame), entry)| (kernel, frame, entry)).collect(),
            bundles: image.kernels.iter().map(|kernel| kernel.words.len()).sum(),
        })
    }

    /// Returns the frame of a kernel, and the address where the kernel begins.
    fn find(&self, kernel: GridKernel) -> Result<(GridBlock, BundleAddress), KernelError> {
        let found = self.kernels.iter().find(|(k, ..)| *k == kernel);
        found.map(|&(_, frame, entry)| (frame, entry)).ok_or_else(|| KernelError::Block {
            kernel: kernel.name(),
            given: "instruction memory without it".to_owned(),
            allowed: "one that holds it".to_owned(),
        })
    }

    /// Runs one of the kernels with the weights of an operator on four blocks of the size `block`, one in each section,
    /// as [`super::run`] does. The operands are the points of the blocks with faces, the layers of points around them,
    /// and of the blocks without.
    ///
    /// # Errors
    /// The kernel is not in instruction memory, does not take the block or the operands, or does not end.
    pub fn run(
        &mut self,
        kernel: GridKernel,
        block: GridBlock,
        operator: &Operator,
        [faced, plain]: [&[f32]; 2],
    ) -> Result<Report, KernelError> {
        let (frame, entry) = self.find(kernel)?;
        let arguments = arguments(kernel, frame, block)?;
        check_operands(kernel, block, operator, faced, plain)?;
        let map = OperandMap::new(kernel, frame);
        let lmem = &mut self.cp2.state().lmem;
        lmem.fill([0; SECTIONS]);
        put_faced(lmem, (frame, Faces::of(kernel)), block, faced);
        put_plain(&mut lmem[map.plain..], kernel.outer(frame), kernel.outer(block), plain);
        for (quad, constant) in lmem[map.constants..].iter_mut().zip(kernel.constants(operator)) {
            *quad = [constant; SECTIONS];
        }
        let stats = self.cp2.call(entry, &arguments.map(|a| a as usize))?;
        let results = &self.cp2.state().lmem[map.result..];
        let output = match kernel {
            GridKernel::Norm => super::layout::take_words(results, 1),
            _ => take_plain(results, kernel.outer(frame), kernel.outer(block)),
        };
        Ok(Report { output, stats })
    }
}
