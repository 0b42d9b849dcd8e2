//! The published multigrid as time only: pages of the published blocks, one in each section, the published counts of
//! kernels in the place of ours, the host's work for a page between the pages. The numbers mean nothing.

use super::form::Form;
use super::grid::Grid;
use super::installed::Installed;
use super::levels::{Levels, Task};
use super::npb::Class;
use super::operator::Grids;
use super::program::Plan;
use super::solver::{operations, outer_points};
use crate::host::pages::{self, Command, Group};
use crate::host::session::Host;
use crate::multigrid::{Block, Kernel, sized};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_session::engine::Execution;
use cp2_session::error::KernelError;

/// Cycles of these tasks.
fn cycles(host: &mut Host, installed: &Installed, tasks: &[Task]) -> Result<u64, KernelError> {
    let begin = host.timeline().cycles();
    for Group { mut pages, tail, .. } in Plan::new(installed, tasks)?.groups {
        let commands = pages.iter_mut().flat_map(|page| &mut page.commands);
        for command in commands {
            let Command::Run(call) = command else { continue };
            let mut residents = installed.residents.iter();
            let of = residents.find(|resident| resident.entry == call.entry);
            // The published counts are those of whole blocks.
            call.least_cycles = of.and_then(|resident| resident.kernel.published()).unwrap_or(0);
        }
        if let Some(page) = pages.last_mut() {
            page.unload.extend(tail);
        }
        pages::run(host, &pages, &mut |_| {})?;
    }
    Ok(host.timeline().cycles() - begin)
}

fn frames() -> Vec<(Kernel, Block)> {
    let frames = sized::CYCLE.into_iter().filter(|kernel| *kernel != Kernel::Norm);
    frames.map(|kernel| (kernel, kernel.usual_block())).collect()
}

fn mops(config: &MachineConfig, operations: u64, cycles: u64) -> f64 {
    operations as f64 * f64::from(config.value(Key::CpuClock)) / cycles as f64
}

/// The rate of an operator on a grid of n points along an axis by the counting of \[D\], 10^6 operations per second.
///
/// # Errors
/// A size that the kernel does not take, or a machine whose memory does not hold the grids.
pub fn operator_mops(config: &MachineConfig, kernel: Kernel, n: usize) -> Result<f64, KernelError> {
    let mut host = Host::new(config.clone(), Execution::on(*config.core()));
    let outer = outer_points(kernel, n);
    let faced = Grid::new(&mut host, n)?;
    let (plain, result) = (Grid::new(&mut host, outer)?, Grid::new(&mut host, outer)?);
    let frames = [(kernel, kernel.usual_block())];
    let installed = Installed::new(&mut host, &frames, &[], Kernel::operator)?;
    host.send_bundles(&installed.image)?;
    let tasks = [Task::One(kernel, Grids { faced, plain, result, has_faces: false })];
    Ok(mops(config, operations(kernel, n), cycles(&mut host, &installed, &tasks)?))
}

/// The rate of a class of NPB MG, of one V-cycle with the residual behind it.
///
/// # Errors
/// Those of [`operator_mops`].
pub fn class_mops(config: &MachineConfig, class: Class) -> Result<f64, KernelError> {
    let mut host = Host::new(config.clone(), Execution::on(*config.core()));
    let levels = Levels::new(&mut host, class.points(), Form::Plain)?;
    let installed = Installed::new(&mut host, &frames(), &[], Kernel::operator)?;
    host.send_bundles(&installed.image)?;
    let cycles = cycles(&mut host, &installed, &levels.cycle(false))?;
    Ok(mops(config, class.operations() / class.iterations() as u64, cycles))
}
