//! The check of kernels of multigrid on random data against the definition of their operators in double precision, and
//! the number of operations that they issue.

use super::sizes::Sizes;
use super::{GridBlock, GridKernel, Operator, Report, machine, reference, run};
use cp2_emu::Cp2;
use cp2_isa::{BundleAddress, Core, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::random;
use cp2_session::workload::largest;

/// Result of a run of a multigrid kernel on random data by [`check_on_generated_data`], and the largest error of its
/// results against the definition of the operator in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Cycles of the run, from the first bundle to the end at `stop`.
    pub cycles: u64,
    /// Largest difference between a result and the definition in double precision, divided by the size that rounding
    /// errors scale with: the sum of the magnitudes of all weights of the operator, and 1 more if the kernel has an
    /// operand without faces, as the data are below 1. For `norm` the divisor is the largest result.
    pub error: f64,
    /// Results of the kernel and counts of its run: cycles by cause, operations and accesses to local memory.
    pub report: Report,
}

impl Check {
    /// Bound of the error of a correct result, which is less: a value is rounded at most 16 times on its way from
    /// operand to result, the weights once, each time by at most 2^-24 of the scale.
    pub const LIMIT: f64 = 1e-6;

    /// Whether the error is less than [`Self::LIMIT`].
    pub fn is_passed(&self) -> bool {
        self.error < Self::LIMIT
    }
}

/// Returns random numbers, uniform in [-1, 1).
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    random::complex(seed, count.div_ceil(2))
        .into_iter()
        .flat_map(|z| [z.re, z.im])
        .take(count)
        .collect()
}

/// Operands of a kernel for four blocks, one in each section: the points of the blocks with faces (the layers of points
/// around a block), then of the blocks without, block after block with x fastest. An operand that the kernel does not
/// take is empty.
pub type BlockOperands = [Vec<f32>; 2];

/// Returns operands of a kernel for four blocks of the size `block`, with faces and without: random numbers in [-1, 1)
/// that follow from the seed.
pub fn generated(kernel: GridKernel, block: GridBlock, seed: u64) -> BlockOperands {
    let (faced_points, plain_points) = (block.faced_points(), kernel.outer(block).points());
    let count = |takes: bool, points: usize| if takes { SECTIONS * points } else { 0 };
    [
        numbers(seed, count(kernel.takes_faced(), faced_points)),
        numbers(seed.wrapping_add(1), count(kernel.takes_plain(), plain_points)),
    ]
}

/// Prepares a run of a kernel on four blocks of random numbers with its own operator: returns a CP2 with the kernel in
/// instruction memory, the operands in local memory and the arguments in the registers, and the address of the kernel's
/// first bundle.
///
/// # Errors
/// The kernel does not take such blocks, or their words do not fit a bank of the core.
pub fn machine_on_generated_data(
    core: &Core,
    kernel: GridKernel,
    block: GridBlock,
    seed: u64,
) -> Result<(Cp2, BundleAddress), KernelError> {
    super::check_block(core, kernel, block)?;
    let [faced, plain] = generated(kernel, block, seed);
    machine(&Execution::on(*core), kernel, block, &kernel.operator(), [&faced, &plain])
}

/// Runs a kernel with an operator on four blocks of random numbers in [-1, 1), on the usual core and engine, and
/// compares the results with the definition of the operator.
///
/// # Errors
/// The kernel does not take such blocks or such weights, or the run does not end.
pub fn check_on_generated_data(
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    seed: u64,
) -> Result<Check, KernelError> {
    super::check_block(&Core::default(), kernel, block)?;
    let operands = generated(kernel, block, seed);
    let [faced, plain] = &operands;
    let report = run(kernel, block, operator, faced, plain, &Execution::default())?;
    let error = error_of(kernel, block, operator, &operands, &report.output);
    Ok(Check { cycles: report.stats.cycles, error, report })
}

/// Returns the largest error of a kernel's results for four blocks of the size `block` against the definition of
/// `operator` in double precision, scaled as [`Check::error`] is; data of magnitudes above 1 scale it too. `results`
/// are in the order of [`Report::output`].
pub fn error_of(
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    [faced, plain]: &BlockOperands,
    results: &[f32],
) -> f64 {
    let section =
        |of: &[f32], s: usize| of[s * of.len() / SECTIONS..][..of.len() / SECTIONS].to_vec();
    let exact: Vec<f64> = (0..SECTIONS)
        .flat_map(|s| reference(kernel, block, operator, &section(faced, s), &section(plain, s)))
        .collect();
    let scale = match kernel {
        GridKernel::Norm => exact.iter().copied().fold(0.0, f64::max),
        // Generated data are below 1.
        _ => {
            let size = largest(faced.iter().chain(plain).map(|&x| f64::from(x).abs())).max(1.0);
            size * (operator.magnitude() + f64::from(u8::from(kernel.takes_plain())))
        }
    };
    let difference = results.iter().zip(&exact).map(|(&a, b)| (f64::from(a) - b).abs());
    largest(difference) / scale
}

/// Returns the numbers of operations that the arithmetic slot and then the exchange slot issue when a kernel runs once
/// on a block of the size `block` in each section.
///
/// # Errors
/// The kernel does not take such blocks, or their words do not fit a bank of the core.
pub fn operations(
    core: &Core,
    kernel: GridKernel,
    block: GridBlock,
) -> Result<[usize; 2], KernelError> {
    super::check_block(core, kernel, block)?;
    Ok(super::lines(kernel, block, Sizes::Text).operations())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multigrid::{KERNELS, OperandMap, layout};
    use cp2_session::execution::KernelRunner;

    /// Runs a kernel on generated data whose points beside the faces all have the value `beside`, and returns the results.
    fn run_beside(kernel: GridKernel, block: GridBlock, beside: f32) -> Vec<f32> {
        let [faced, plain] = generated(kernel, block, 3);
        let operator = kernel.operator();
        let core = Core::default();
        let (mut cp2, entry) =
            machine(&Execution::on(core), kernel, block, &operator, [&faced, &plain])
                .expect("a machine");
        let bits = u64::from(beside.to_bits());
        let row = block.row();
        for (at, quad) in cp2.state.lmem[..block.faced_words()].iter_mut().enumerate() {
            for word in quad {
                *word = match at % row {
                    0 => bits << 32 | bits,
                    1 => *word & 0xffff_ffff | bits << 32,
                    k if k == row - 2 => *word & !0xffff_ffff | bits,
                    k if k == row - 1 => bits << 32 | bits,
                    _ => *word,
                };
            }
        }
        let mut cp2 = KernelRunner::new(cp2, &Execution::default());
        cp2.call(entry, &[]).expect("a run");
        let map = OperandMap::new(kernel, block);
        let outer = kernel.outer(block);
        layout::take_plain(&cp2.state().lmem[map.result..], outer, outer)
    }

    #[test]
    fn what_lies_beside_the_faces_is_not_read() {
        let block = GridBlock::new(16, 4, 4);
        for kernel in KERNELS.into_iter().filter(|kernel| kernel.takes_faced()) {
            let clean = run_beside(kernel, block, 0.0);
            for beside in [f32::NAN, f32::INFINITY, 1.0] {
                let bits = |of: &[f32]| of.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let spoilt = run_beside(kernel, block, beside);
                assert_eq!(bits(&clean), bits(&spoilt), "{} beside {beside}", kernel.name());
            }
        }
    }
}
