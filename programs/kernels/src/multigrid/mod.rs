//! The operators of multigrid on blocks of points of a grid: their kernels and the texts of these. What runs a kernel
//! on four blocks is in `run`. The texts are linear code, which the assembler schedules.

mod check;
pub mod columns;
pub mod down;
pub mod fused;
mod general;
mod layout;
mod norm;
mod pages;
mod paired;
mod pairs;
mod plane;
mod projection;
mod reference;
mod run;
mod shared;
pub mod sized;
pub mod sizes;
pub mod staged;
mod stencil;
mod transfer;

pub use check::machine_on_generated_data;
pub use check::{BlockOperands, Check, check_on_generated_data, error_of, generated, operations};
pub use cp2_reference::multigrid::Operator;
pub use layout::GridBlock;
pub use pages::{PAGE_ROUTINES, page_routines};
pub use pairs::Paired;
pub use reference::reference;
pub use run::{OperandMap, Report, run};
use run::{called, check_operands, machine, put_operands};
pub use shared::{OperatorSequence, SHARED_POINTS, SharedRun, run_shared, shared_error};

use crate::linear_text::LinearText;
use cp2_isa::Core;
use cp2_session::error::KernelError;
use layout::word;
use sizes::Sizes;
use stencil::Stencil;

/// A kernel of a multigrid V-cycle on a block of a cubic grid: it applies an operator, 27 weights around each point, or
/// takes norms. The operators A, P, Q and S are those of NPB MG. *Faces* of a block are the points that surround it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridKernel {
    /// Residual r = v - A u, for an operator in the place of A whose weight of the six nearest neighbours is 0.
    Resid,
    /// Projection P r of a fine block of r to the coarser grid, which has half as many points along each axis.
    Proj,
    /// Trilinear interpolation u + Q z: adds the interpolated coarse block z to the fine block u.
    Interp,
    /// Trilinear interpolation Q z of the coarse block z, without a fine block to add to.
    Interp0,
    /// Smoother u + S r, for an operator in the place of S whose weight of the eight corners is 0.
    Smooth,
    /// Smoother S r, without a block to add to, for an operator in the place of S whose weight of the eight corners is
    /// 0.
    Smooth0,
    /// Sum of the squares and largest magnitude of the points of a block.
    Norm,
    /// [`GridKernel::Resid`] for operators with any weights.
    ResidGeneral,
    /// [`GridKernel::Proj`] for operators with any weights.
    ProjGeneral,
    /// [`GridKernel::Smooth`] for operators with any weights.
    SmoothGeneral,
    /// [`GridKernel::Smooth0`] for operators with any weights.
    Smooth0General,
}

/// All kernels of multigrid, in the order in which lists show them.
pub const KERNELS: [GridKernel; 11] = [
    GridKernel::Resid,
    GridKernel::Proj,
    GridKernel::Interp,
    GridKernel::Interp0,
    GridKernel::Smooth,
    GridKernel::Smooth0,
    GridKernel::Norm,
    GridKernel::ResidGeneral,
    GridKernel::ProjGeneral,
    GridKernel::SmoothGeneral,
    GridKernel::Smooth0General,
];

impl GridKernel {
    /// Returns the name of the kernel, as `cp2 kernels` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resid => "resid",
            Self::Proj => "proj",
            Self::Interp => "interp",
            Self::Interp0 => "interp0",
            Self::Smooth => "smooth",
            Self::Smooth0 => "smooth0",
            Self::Norm => "norm",
            Self::ResidGeneral => "resid_general",
            Self::ProjGeneral => "proj_general",
            Self::SmoothGeneral => "smooth_general",
            Self::Smooth0General => "smooth0_general",
        }
    }

    /// Returns the kernel for special weights (such as [`Self::Resid`]) that has the operands and results of this
    /// general one (such as [`Self::ResidGeneral`]); of other kernels the kernel itself. With the
    /// [operator](Self::operator) of the special kernel both compute the same.
    pub const fn special(self) -> Self {
        match self {
            Self::ResidGeneral => Self::Resid,
            Self::ProjGeneral => Self::Proj,
            Self::SmoothGeneral => Self::Smooth,
            Self::Smooth0General => Self::Smooth0,
            _ => self,
        }
    }

    /// Whether the kernel takes only operators with special weights: `resid` and the smoothers need a 0 where their own
    /// operator has one, and `proj` takes its own operator alone.
    pub fn is_special(self) -> bool {
        matches!(self, Self::Resid | Self::Proj | Self::Smooth | Self::Smooth0)
    }

    /// Whether the kernel applies an operator of any four weights: of centre, faces, edges and corners.
    pub fn takes_weights(self) -> bool {
        !self.is_special() && self != Self::Norm
    }

    /// Returns the kernel with this [name](Self::name), `None` if no kernel has it.
    pub fn from_name(name: &str) -> Option<Self> {
        KERNELS.into_iter().find(|k| k.name() == name)
    }

    /// Returns what notes in its text call the work of the kernel.
    const fn work(self) -> &'static str {
        match self.special() {
            Self::Resid | Self::ResidGeneral => "residual",
            Self::Proj | Self::ProjGeneral => "projection",
            Self::Interp | Self::Interp0 => "interpolation",
            Self::Norm => "norm",
            Self::Smooth | Self::Smooth0 | Self::SmoothGeneral | Self::Smooth0General => {
                "smoothing"
            }
        }
    }

    /// Returns a one-line description of what the kernel computes, for lists of kernels.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Resid => "multigrid: residual r = v - A u of a block, weight 0 for faces",
            Self::Proj => "multigrid: projection (P) of a fine block to the coarser grid",
            Self::Interp => "multigrid: adds the trilinear interpolation of a coarse block",
            Self::Interp0 => "multigrid: trilinear interpolation of a coarse block",
            Self::Smooth => "multigrid: smoother u + S r on a block, weight 0 for corners",
            Self::Smooth0 => "multigrid: smoother S r on a block, weight 0 for corners",
            Self::Norm => "multigrid: sum of squares and largest magnitude of a block",
            Self::ResidGeneral => "multigrid: residual r = v - A u of a block, any weights",
            Self::ProjGeneral => "multigrid: projection of a fine block, any weights",
            Self::SmoothGeneral => "multigrid: smoother u + S r on a block, any weights",
            Self::Smooth0General => "multigrid: smoother S r on a block, any weights",
        }
    }

    /// Returns the operator (27 weights around each point) that the kernel applies in NPB MG: A, P, Q, or the S of the
    /// classes S, W and A for the smoothers. `proj` applies no other operator; `interp` and `interp0` apply theirs if
    /// the caller gives none. For `norm`, which applies none, it is A and does not count.
    pub const fn operator(self) -> Operator {
        match self.special() {
            Self::Proj => Operator::P,
            Self::Interp | Self::Interp0 => Operator::Q,
            Self::Smooth | Self::Smooth0 => Operator::S_SMALL,
            _ => Operator::A,
        }
    }

    /// Returns the size of the block with which the cycles of the kernel are counted. The block is the one that the
    /// kernel reads: 32 x 4 x 4 coarse points for the interpolations, else 32 x 8 x 8 points.
    pub const fn usual_block(self) -> GridBlock {
        match self {
            Self::Interp | Self::Interp0 => GridBlock::new(32, 4, 4),
            _ => GridBlock::new(32, 8, 8),
        }
    }

    /// Returns the names that the kernel's text gives to its operands: to the block with faces (the layers of points
    /// around it), then to the block without. An operand that the kernel does not take has a name too.
    pub const fn operand_names(self) -> [&'static str; 2] {
        match self.special() {
            Self::Smooth | Self::Smooth0 => ["r", "u"],
            Self::Interp | Self::Interp0 => ["coarse", "u"],
            Self::Proj | Self::Norm => ["r", "r"],
            _ => ["u", "v"],
        }
    }

    /// Whether the kernel has an operand with faces, which is a block with the layers of points around it: all kernels
    /// but `norm` have.
    pub const fn takes_faced(self) -> bool {
        !matches!(self, Self::Norm)
    }

    /// Whether the kernel has an operand without faces, which is a block without the layers of points around it:
    /// `resid`, `interp`, `smooth`, their general forms and `norm` have.
    pub const fn takes_plain(self) -> bool {
        matches!(self.special(), Self::Resid | Self::Interp | Self::Smooth | Self::Norm)
    }

    /// Whether the result replaces the operand without faces.
    const fn is_in_place(self) -> bool {
        matches!(self.special(), Self::Interp | Self::Smooth)
    }

    /// Returns the size of the block of the result, which is also that of the operand without faces (the layers of
    /// points around a block), for the size `block` of the operand with faces: half the points along each axis for
    /// projections, twice as many for interpolations, else `block`.
    pub const fn outer(self, block: GridBlock) -> GridBlock {
        match self.special() {
            Self::Proj => block.halved(),
            Self::Interp | Self::Interp0 => block.doubled(),
            _ => block,
        }
    }

    /// Returns the words of the result.
    const fn result_words(self, block: GridBlock) -> usize {
        match self {
            Self::Norm => 1,
            _ => self.outer(block).plain_words(),
        }
    }

    /// Returns the words, two numbers in single precision each, in which the kernel reads the weights of `operator`,
    /// from the word address in `g3` on; none for `norm`.
    pub fn constants(self, operator: &Operator) -> Vec<u64> {
        let [c0, c1, c2, c3] = operator.0;
        let pair = |hi: f64, lo: f64| word(hi as f32, lo as f32);
        match self {
            // %sides, %mix, %corners, %ends, %row0, %row1 of `stencil`.
            Self::Resid => {
                vec![pair(1.0, 1.0), pair(c3 / c2, 1.0), pair(c2, c2), pair(c2, c0)]
            }
            Self::Smooth | Self::Smooth0 => vec![
                pair(c2, c2),
                pair(c1, c2),
                pair(c2, c2),
                pair(c0 - c1 * c1 / c2, 1.0),
                pair(c1 / c2, 1.0),
                pair(1.0, c1 / c2),
            ],
            Self::Proj => vec![
                pair(2.0, 2.0),
                pair(2.0, 1.0),
                pair(1.0 / 16.0, 2.0 / 16.0),
                pair(1.0 / 16.0, 0.0),
                pair(0.0, 0.0),
                pair(1.0 / 16.0, 0.0),
                pair(1.0 / 16.0, 1.0 / 16.0),
                pair(0.0, 0.0),
            ],
            Self::Interp | Self::Interp0 => {
                let matrix = |own: f64, between: f64| [pair(between, between), pair(0.0, own)];
                let matrices = [matrix(c0, c1), matrix(c1, c2), matrix(c2, c3)];
                let mut words = matrices.concat();
                words.extend([pair(0.0, c1), pair(0.0, 0.0), pair(c1, 0.0), pair(c0, 0.0)]);
                words
            }
            Self::Norm => Vec::new(),
            // %far, %near, %own, %sides of `general`.
            Self::ResidGeneral | Self::SmoothGeneral | Self::Smooth0General => {
                vec![pair(c3, c2), pair(c2, c1), pair(c1, c0), pair(1.0, 1.0)]
            }
            // %yt, %ye, %gt, %ge, %sides of `projection`.
            Self::ProjGeneral => vec![
                pair(c2, c2),
                pair(c1, c3),
                pair(c1, c1),
                pair(c2, c0),
                pair(1.0, 1.0),
                pair(0.0, 0.0),
            ],
        }
    }
}

/// Loads the constants at address set 3.
fn load_constants(code: &mut LinearText, names: &[&str]) {
    for (k, pair) in names.chunks(2).enumerate() {
        code.access("ld", pair.join(":"), CONSTANTS, 2 * k as i64);
    }
}

/// Address set of the constants.
const CONSTANTS: usize = 3;

/// Returns the number of rows of a plane that the body of a loop works on. Neighbouring rows share sums; more than 4 do not
/// fit the registers, and 4 long ones take the scheduler minutes. `interp0`, which is for the coarser levels, works on 2
/// where many kernels are to fit instruction memory together.
fn rows(kernel: GridKernel, block: GridBlock, sizes: Sizes) -> usize {
    let is_short = sizes == Sizes::Call && kernel == GridKernel::Interp0;
    let most = if block.n1 > 32 || is_short { 2 } else { 4 };
    [4, 2].into_iter().find(|&r| r <= most && block.n2.is_multiple_of(r)).unwrap_or(1)
}

/// Returns the linear code of a kernel.
fn lines(kernel: GridKernel, block: GridBlock, sizes: Sizes) -> LinearText {
    let rows = rows(kernel, block, sizes);
    let special = |stencil| stencil::lines(stencil, block, rows, sizes);
    let general = |stencil| stencil::general(stencil, block, rows, sizes);
    match kernel {
        GridKernel::Resid => special(Stencil::Resid),
        GridKernel::Smooth => special(Stencil::Smooth),
        GridKernel::Smooth0 => special(Stencil::Smooth0),
        GridKernel::Proj => transfer::proj(block, sizes),
        GridKernel::Interp => transfer::interp(block, rows, true, sizes),
        GridKernel::Interp0 => transfer::interp(block, rows, false, sizes),
        GridKernel::Norm => norm::lines(block, sizes),
        GridKernel::ResidGeneral => general(Stencil::Resid),
        GridKernel::ProjGeneral => projection::lines(block, sizes),
        GridKernel::SmoothGeneral => general(Stencil::Smooth),
        GridKernel::Smooth0General => general(Stencil::Smooth0),
    }
}

/// Returns the assembly text of a kernel for blocks of the size `block`, the one that is read (for `proj` the fine one,
/// for interpolations the coarse one). The kernel takes in `g0` to `g3` the word addresses of the operand with faces,
/// which is a block with the layers of points around it, of the operand without them (such as v of v - A u), of the
/// result and of the constants. `interp` and the smoothers that add to a block leave the result in the place of the
/// operand without faces.
///
/// # Errors
/// The kernel does not take such blocks, or their words do not fit a bank of the core.
pub fn source(core: &Core, kernel: GridKernel, block: GridBlock) -> Result<String, KernelError> {
    check_block(core, kernel, block)?;
    let weights = kernel.constants(&kernel.operator()).len();
    let head = [kernel.description(), kernel.name()];
    Ok(text_of(head, kernel, block, weights, &lines(kernel, block, Sizes::Text)))
}

/// Returns the text of a kernel with this description and name around its linear code.
fn text_of(
    [description, name]: [&str; 2],
    kernel: GridKernel,
    block: GridBlock,
    weights: usize,
    lines: &LinearText,
) -> String {
    let moves: String = (0..4).map(|k| format!("        | move a{k}, g{k}\n")).collect();
    format!(
        "; {description} of {block} points.\n        .kernel {name}\n{}{moves}.linear\n        \
         .disjoint r0, r1, r2, r3\n        .even r0, r1, r2, r3\n{}.endlinear\n        stopi 0\n",
        declared(kernel, block, weights),
        lines.noted(kernel.work())
    )
}

/// Returns the arrays that a kernel with `weights` words of constants takes and gives. Rows of a block with faces have three
/// numbers that do not count at both ends.
fn declared(kernel: GridKernel, block: GridBlock, weights: usize) -> String {
    let array = |name: &str, direction: &str, shape: &str, register: &str| {
        format!("        .array  {name}, {direction}, float32, {shape}, at={register}\n")
    };
    let GridBlock { n1, n2, n3 } = kernel.outer(block);
    let plain = format!("4, {n3}, {n2}, {n1}, layout=blocks");
    let faced = format!("4, {}, {}, {}, layout=blocks", block.n3 + 2, block.n2 + 2, block.n1 + 8);
    let [of_faced, of_plain] = kernel.operand_names();
    let mut out = String::new();
    if kernel.takes_faced() {
        out += &array(of_faced, "in", &faced, "g0");
    }
    if kernel.takes_plain() {
        let direction = if kernel.is_in_place() { "inout" } else { "in" };
        out += &array(of_plain, direction, &plain, "g1");
    }
    if !kernel.is_in_place() {
        let result = if kernel == GridKernel::Norm { "4, 2, layout=blocks" } else { &plain };
        // `interp0` puts its block where `interp` finds the one that it adds to.
        let register = if kernel == GridKernel::Interp0 { "g1" } else { "g2" };
        out += &array("result", "out", result, register);
    }
    if weights > 0 {
        out += &array("weights", "in", &(2 * weights).to_string(), "g3");
    }
    out
}

/// Longest row: the body of a loop holds whole rows, and has to fit instruction memory.
const LONGEST_ROW: usize = 64;

/// Returns the most words of local memory that a block takes with all that belongs to it: one half, so that the next block
/// is moved meanwhile, or all of a small memory.
fn page_words(core: &Core) -> usize {
    let words = core.lmem_words();
    (words / 2).max(words.min(Core::CP2.lmem_words() / 2))
}

fn check_block(core: &Core, kernel: GridKernel, block: GridBlock) -> Result<(), KernelError> {
    let page = page_words(core);
    let refuse = |allowed: String| {
        let given = format!("a block of {block} points");
        Err(KernelError::Block { kernel: kernel.name(), given, allowed })
    };
    let of = |count: usize, multiple: usize| count.is_multiple_of(multiple);
    let sizes = [block.n1, block.n2, block.n3];
    if sizes.iter().any(|&n| n == 0 || n > page) || block.n1 > LONGEST_ROW {
        return refuse(format!("sizes of at least 1, and n1 at most {LONGEST_ROW}"));
    }
    match kernel.special() {
        GridKernel::Proj if !of(block.n1, 8) || !of(block.n2, 2) || !of(block.n3, 2) => {
            return refuse("n1 that is a multiple of 8, and even n2 and n3".to_owned());
        }
        GridKernel::Norm if !of(block.points(), 2 * norm::WORDS) => {
            return refuse(format!("a multiple of {} points", 2 * norm::WORDS));
        }
        _ if !of(block.n1, 4) => return refuse("n1 that is a multiple of 4".to_owned()),
        _ => {}
    }
    let needed = OperandMap::new(kernel, block).end;
    if needed > page {
        return refuse(format!(
            "blocks whose operands, result and constants fit {page} words of local memory; \
             these need {needed}"
        ));
    }
    Ok(())
}
