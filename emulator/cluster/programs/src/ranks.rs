//! The ranks of a run together.

use crate::console::Consoles;
use crate::driver::{RankDriver, WaitingCall, tag_name};
use crate::error::{ClusterProgramError, ProgramFailure, ProgramStop};
use crate::problem::{ClusterProgramProblem, ClusterProgramRun};
use cp2_cluster::{ClusterError, Endpoint, Tick, WaitingRank};
use cp2_emu::machine::Key;
use cp2_k64::devices::Devices;
use cp2_k64::elf::ElfProgram;
use cp2_k64::machine::Processor;
use cp2_system::{Board, MessageUnit, costs};
use std::sync::PoisonError;

/// Runs a program on all processors of a topology until all have ended. What they print goes to `consoles`.
///
/// # Errors
/// The file is no program of the machine, the clock does not fit the ticks of the network, a program fails, all wait for what nobody
/// sends, or a message is not received.
pub fn run_program(
    problem: &ClusterProgramProblem<'_>,
    consoles: &Consoles,
) -> Result<ClusterProgramRun, ClusterProgramError> {
    let mhz = problem.config.value(Key::CpuClock);
    let clock = ClusterProgramError::Clock { mhz: mhz.into() };
    let period = Tick::period(mhz.into()).ok_or(clock)?;
    let name = problem.name;
    let elf = ElfProgram::read(problem.elf)
        .map_err(|e| ClusterProgramError::Program(format!("{name}: {e}")))?;
    let ranks = problem.topology.ranks();
    let waiting: Vec<WaitingCall> = (0..ranks).map(|_| WaitingCall::default()).collect();
    let start = |endpoint: Endpoint| {
        let rank = endpoint.rank();
        let driver = driver(problem, &elf, (endpoint, period), consoles, &waiting[rank]);
        async move { driver?.go_through().await }
    };
    let outcome = cp2_cluster::run(&problem.topology, &problem.options, start);
    let outcome = outcome.map_err(|error| named(error, &waiting))?;
    let cp2_cluster::ClusterOutcome { results, accounts, links, messages, events, .. } = outcome;
    Ok(ClusterProgramRun { ends: results, accounts, links, messages, events })
}

/// Makes the board of a rank, with the program in its memory.
fn driver<'p>(
    problem: &ClusterProgramProblem<'p>,
    elf: &ElfProgram,
    (endpoint, period): (Endpoint, Tick),
    consoles: &Consoles,
    waiting: &WaitingCall,
) -> Result<RankDriver<'p>, ProgramFailure> {
    let config = &problem.config;
    let rank = endpoint.rank();
    let console = consoles.of(rank);
    let devices = Devices::new(elf.entry, Box::new(console.clone()));
    let unit = MessageUnit::new(rank as u32, endpoint.ranks() as u32, config.value(Key::CpuClock));
    let board = Board::new(config, (problem.engine)(rank), devices).with_messages(unit);
    let made = Processor::new(elf, Box::new(board), problem.release);
    let mut processor = made.map_err(|e| ProgramFailure {
        stop: ProgramStop::Input,
        text: format!("{}: {e}", problem.name),
    })?;
    processor.core.keep_time(costs(config));
    Ok(RankDriver {
        elf: problem.elf,
        arguments: problem.arguments,
        processor,
        endpoint,
        overheads: problem.topology.overheads(),
        period,
        max_cycles: problem.max_cycles,
        console,
        waiting: waiting.clone(),
    })
}

/// Returns an error with the calls in which ranks wait.
fn named(error: ClusterError<ProgramFailure>, calls: &[WaitingCall]) -> ClusterProgramError {
    let ClusterError::Deadlock { waiting } = error else {
        return ClusterProgramError::Cluster(Box::new(error));
    };
    let sentence = |WaitingRank { rank, from, tag, is_over }: WaitingRank| {
        let call = calls[rank].lock().unwrap_or_else(PoisonError::into_inner).clone();
        let call = call.map_or(String::new(), |call| format!(" in {call}"));
        let over = if is_over { ", which has ended" } else { "" };
        format!("rank {rank}{call} for {} from rank {from}{over}", tag_name(tag))
    };
    ClusterProgramError::Deadlock { waiting: waiting.into_iter().map(sentence).collect() }
}
