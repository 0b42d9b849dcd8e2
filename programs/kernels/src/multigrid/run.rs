//! Run of one kernel of multigrid on CP2 alone, on four blocks, one in each section: the places of its operands, and
//! which operands are refused.

use super::layout::{GridBlock, put_faced, put_plain, take_words};
use super::sizes::Faces;
use super::{GridKernel, Operator, source};
use cp2_emu::{Cp2, Stats};
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::machine_with;

/// Word addresses in local memory of the operands, the result and the constants of a multigrid kernel, all in its first
/// half (bank 0), as [`run`] arranges them. The operand with faces, a block with the layers of points around it, lies
/// at address 0.
#[derive(Clone, Copy, Debug)]
pub struct OperandMap {
    /// Address of the block without faces that the kernel reads, if it takes one.
    pub plain: usize,
    /// Address of the block that the kernel writes: that of `plain` for `interp` and the smoothers that add to a block.
    pub result: usize,
    /// Address of the words of [`GridKernel::constants`], which have the weights of the operator.
    pub constants: usize,
    pub(super) end: usize,
}

impl OperandMap {
    /// Returns the addresses for a kernel on blocks of the size `block`.
    pub fn new(kernel: GridKernel, block: GridBlock) -> Self {
        let plain = if kernel.takes_faced() { block.faced_words() } else { 0 };
        let plain_words = if kernel.takes_plain() { kernel.outer(block).plain_words() } else { 0 };
        let result = if kernel.is_in_place() { plain } else { plain + plain_words };
        let constants = if kernel.is_in_place() {
            plain + plain_words
        } else {
            (result + kernel.result_words(block)).next_multiple_of(2)
        };
        let end = constants + kernel.constants(&kernel.operator()).len();
        Self { plain, result, constants, end }
    }
}

/// Results and counts of a run of a kernel of multigrid on four blocks, one in each section.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Points of the results, block after block in the order of the sections, with x fastest; of `norm` the sum of
    /// squares and the largest magnitude for each block.
    pub output: Vec<f32>,
    /// Counts of the run of the kernel: cycles by cause, operations and accesses to local memory; moving the operands
    /// to local memory takes no part in them.
    pub stats: Stats,
}

/// Runs a kernel with the weights of an operator on four blocks of the size `block`, one in each section of a CP2
/// alone.
///
/// `faced` has the four blocks with faces, one layer of points more on every side, (n1 + 2) x (n2 + 2) x (n3 + 2)
/// points each, x fastest; it is empty for `norm`. `plain` has the four blocks that the kernel adds to, subtracts from
/// or takes norms of, without faces; it is empty for projections, `interp0` and the smoothers that add to nothing.
///
/// # Errors
/// The kernel does not take such blocks, weights or numbers of points, a point is not finite, or the run does not end.
pub fn run(
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    faced: &[f32],
    plain: &[f32],
    on: &Execution,
) -> Result<Report, KernelError> {
    let (cp2, entry) = machine(on, kernel, block, operator, [faced, plain])?;
    called(kernel, block, KernelRunner::new(cp2, on), entry)
}

/// Runs the kernel of a machine with operands; the arguments are in their registers.
pub(super) fn called(
    kernel: GridKernel,
    block: GridBlock,
    mut cp2: KernelRunner,
    entry: BundleAddress,
) -> Result<Report, KernelError> {
    let stats = cp2.call(entry, &[])?;
    let results = &cp2.state().lmem[OperandMap::new(kernel, block).result..];
    let output = take_words(results, kernel.result_words(block));
    Ok(Report { output, stats })
}

/// Returns a machine with the kernel and its operands, as [`run`] takes them, and the entry.
pub(super) fn machine(
    on: &Execution,
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    operands: [&[f32]; 2],
) -> Result<(Cp2, BundleAddress), KernelError> {
    let text = source(&on.core, kernel, block)?;
    let [faced, plain] = operands;
    check_operands(kernel, block, operator, faced, plain)?;
    let (mut cp2, entry) =
        machine_with(&on.environment, &on.core, &format!("{}.s", kernel.name()), &text)?;
    put_operands(&mut cp2, kernel, block, &kernel.constants(operator), operands);
    Ok((cp2, entry))
}

/// Puts blocks, constants and the addresses of both in their places.
pub(super) fn put_operands(
    cp2: &mut Cp2,
    kernel: GridKernel,
    block: GridBlock,
    constants: &[u64],
    [faced, plain]: [&[f32]; 2],
) {
    let map = OperandMap::new(kernel, block);
    let outer = kernel.outer(block);
    put_faced(&mut cp2.state.lmem, (block, Faces::BOTH), block, faced);
    put_plain(&mut cp2.state.lmem[map.plain..], outer, outer, plain);
    for (quad, &constant) in cp2.state.lmem[map.constants..].iter_mut().zip(constants) {
        *quad = [constant; SECTIONS];
    }
    let addresses = [0, map.plain, map.result, map.constants].map(|a| a as u64);
    cp2.state.gpr[..4].copy_from_slice(&addresses);
}

pub(super) fn check_operands(
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    faced: &[f32],
    plain: &[f32],
) -> Result<(), KernelError> {
    let refuse = |given: String, allowed: String| {
        Err(KernelError::Block { kernel: kernel.name(), given, allowed })
    };
    let expected = |takes: bool, points: usize| if takes { SECTIONS * points } else { 0 };
    let sizes = [
        ("with", faced, expected(kernel.takes_faced(), block.faced_points())),
        ("without", plain, expected(kernel.takes_plain(), kernel.outer(block).points())),
    ];
    for (what, points, size) in sizes {
        if points.len() != size {
            return refuse(
                format!("{} points {what} faces", points.len()),
                format!("{size} for four blocks of {block}"),
            );
        }
        if let Some(i) = points.iter().position(|x| !x.is_finite()) {
            return refuse(
                format!("{} as point {i} of the blocks {what} faces", points[i]),
                "finite numbers".to_owned(),
            );
        }
    }
    let [_, c1, c2, c3] = operator.0;
    let (fits, allowed) = match kernel {
        GridKernel::Resid => (c1 == 0.0 && c2 != 0.0, "weight 0 for faces and another for edges"),
        GridKernel::Smooth | GridKernel::Smooth0 => {
            (c3 == 0.0 && c2 != 0.0, "weight 0 for corners and another for edges")
        }
        GridKernel::Proj => (*operator == kernel.operator(), "its own operator only"),
        _ => (true, ""),
    };
    if fits { Ok(()) } else { refuse(format!("the weights {:?}", operator.0), allowed.to_owned()) }
}
