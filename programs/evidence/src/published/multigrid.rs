//! Simulation of the published multigrid procedures as time only: the pages of the published blocks, and the published
//! cycles of kernels in the place of ours.

use super::kernels::count;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::{class_cycles, operations, operator_cycles};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Returns the cycles of the published kernel on the block that this kernel is counted for.
fn published(kernel: GridKernel) -> Option<u64> {
    Some(count(kernel.name())?.cycles)
}

fn mops(config: &MachineConfig, operations: u64, cycles: u64) -> f64 {
    operations as f64 * f64::from(config.value(Key::CpuClock)) / cycles as f64
}

/// Returns the simulated rate of a multigrid operator, each call of whose kernel takes the published cycles, on a grid
/// of `n` points along each axis, in 10^6 operations per second. Operations are counted as \[D\] does. The environment and
/// the limit of cycles are those of `on`.
///
/// # Errors
/// The kernel does not take a grid of this size, or the memory of the machine does not hold the grids.
pub fn operator_mops(
    on: &Execution,
    config: &MachineConfig,
    kernel: GridKernel,
    n: usize,
) -> Result<f64, KernelError> {
    let cycles = operator_cycles(on, config, kernel, n, published)?;
    Ok(mops(config, operations(kernel, n), cycles))
}

/// Returns the simulated rate of one V-cycle of a class of the benchmark NPB MG, and of the residual after it, with
/// the published cycles of kernels, in 10^6 operations per second. Operations are counted as NPB does. The
/// environment and the limit of cycles are those of `on`.
///
/// # Errors
/// The memory of the machine does not hold the grids, or its core cannot run the kernels.
pub fn class_mops(
    on: &Execution,
    config: &MachineConfig,
    class: Class,
) -> Result<f64, KernelError> {
    let cycles = class_cycles(on, config, class, published)?;
    Ok(mops(config, class.operations() / class.iterations() as u64, cycles))
}
