//! The published multigrid as time only: the pages of the published blocks, and the published counts of kernels in the
//! place of ours.

use super::kernels::count;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::{class_cycles, operations, operator_cycles};
use cp2_session::Environment;
use cp2_session::error::KernelError;

/// Returns the cycles of the published kernel on the block that this kernel is counted for.
fn published(kernel: GridKernel) -> Option<u64> {
    Some(count(kernel.name())?.cycles)
}

fn mops(config: &MachineConfig, operations: u64, cycles: u64) -> f64 {
    operations as f64 * f64::from(config.value(Key::CpuClock)) / cycles as f64
}

/// Returns the rate of an operator on a grid of `n` points along an axis by the counting of \[D\], 10^6 operations per
/// second.
///
/// # Errors
/// A size that the kernel does not take, or a machine whose memory does not hold the grids.
pub fn operator_mops(
    environment: &Environment,
    config: &MachineConfig,
    kernel: GridKernel,
    n: usize,
) -> Result<f64, KernelError> {
    let cycles = operator_cycles(environment, config, kernel, n, published)?;
    Ok(mops(config, operations(kernel, n), cycles))
}

/// Returns the rate of a class of NPB MG, of one V-cycle with the residual behind it, 10^6 operations per second.
///
/// # Errors
/// Those of [`operator_mops`].
pub fn class_mops(
    environment: &Environment,
    config: &MachineConfig,
    class: Class,
) -> Result<f64, KernelError> {
    let cycles = class_cycles(environment, config, class, published)?;
    Ok(mops(config, class.operations() / class.iterations() as u64, cycles))
}
