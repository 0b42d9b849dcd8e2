//! Multigrid as time only: the pages of whole blocks, one in each section, where each kernel takes at least the cycles
//! that the caller gives. The host does its work for a page between the pages. The results mean nothing.

use super::form::OperatorForm;
use super::grid::PaddedGrid;
use super::installed::Installed;
use super::levels::{Levels, Task};
use super::npb::Class;
use super::operator::Grids;
use super::program::Plan;
use super::solver::outer_points;
use crate::host::Host;
use crate::host::pages::{self, Command, Group};
use cp2_emu::MachineConfig;
use cp2_kernels::multigrid::{GridBlock, GridKernel, sized};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Function that returns, for a kernel, the fewest cycles for which each of its runs counts in a simulation, however
/// small its block is; they are meant for blocks of its [usual size](cp2_kernels::multigrid::GridKernel::usual_block).
/// The kernel's own cycles count where they are more, or where the function returns `None`.
pub type KernelCycles = fn(GridKernel) -> Option<u64>;

/// Runs tasks and returns their cycles.
fn cycles(
    host: &mut Host,
    installed: &Installed,
    tasks: &[Task],
    counts: KernelCycles,
) -> Result<u64, KernelError> {
    let begin = host.timeline().cycles();
    for Group { mut pages, tail, .. } in Plan::new(installed, tasks)?.groups {
        let commands = pages.iter_mut().flat_map(|page| &mut page.commands);
        for command in commands {
            let Command::Run(call) = command else { continue };
            let mut residents = installed.residents.iter();
            let of = residents.find(|resident| resident.entry == call.entry);
            // The counts are given for whole blocks.
            call.least_cycles = of.and_then(|resident| counts(resident.kernel)).unwrap_or(0);
        }
        if let Some(page) = pages.last_mut() {
            page.unload.extend(tail);
        }
        pages::run(host, &pages, &mut |_| {})?;
    }
    Ok(host.timeline().cycles() - begin)
}

fn frames() -> Vec<(GridKernel, GridBlock)> {
    let frames = sized::CYCLE.into_iter().filter(|kernel| *kernel != GridKernel::Norm);
    frames.map(|kernel| (kernel, kernel.usual_block())).collect()
}

/// Simulates one multigrid operator on a grid of n points along each axis, block by block with all transfers, on a
/// machine with the configuration `config`, and returns the cycles that it takes. Each run of the kernel takes its own
/// cycles, or those that `counts` gives if they are more, as if a slower kernel ran; kernels are in instruction memory
/// before. The environment and the limit of cycles are those of `on`.
///
/// # Errors
/// A grid of this size cannot be cut into blocks that the kernel takes, or the memory of the machine does not hold the
/// grids.
pub fn operator_cycles(
    on: &Execution,
    config: &MachineConfig,
    kernel: GridKernel,
    n: usize,
    counts: KernelCycles,
) -> Result<u64, KernelError> {
    let mut host = Host::new(config.clone(), &on.unrecorded(*config.core()));
    let outer = outer_points(kernel, n);
    let faced = PaddedGrid::cube(&mut host, n)?;
    let (plain, result) =
        (PaddedGrid::cube(&mut host, outer)?, PaddedGrid::cube(&mut host, outer)?);
    let frames = [(kernel, kernel.usual_block())];
    let installed = Installed::new(&mut host, &frames, &[], GridKernel::operator)?;
    host.send_bundles(&installed.image)?;
    let tasks = [Task::One(kernel, Grids { faced, plain, result, periodic: [false; 3] })];
    cycles(&mut host, &installed, &tasks, counts)
}

/// Simulates one V-cycle of a class of NPB MG and the residual after it on a machine with the configuration `config`,
/// and returns the cycles that they take. Each run of a kernel takes its own cycles, or those that `counts` gives if
/// they are more, as if a slower kernel ran; kernels are in instruction memory before. The environment and the limit of cycles are those of `on`.
///
/// # Errors
/// The memory of the machine does not hold the grids, or its core cannot run the kernels.
pub fn class_cycles(
    on: &Execution,
    config: &MachineConfig,
    class: Class,
    counts: KernelCycles,
) -> Result<u64, KernelError> {
    let mut host = Host::new(config.clone(), &on.unrecorded(*config.core()));
    let levels = Levels::new(&mut host, class.points(), OperatorForm::Plain)?;
    let installed = Installed::new(&mut host, &frames(), &[], GridKernel::operator)?;
    host.send_bundles(&installed.image)?;
    cycles(&mut host, &installed, &levels.cycle(false), counts)
}
