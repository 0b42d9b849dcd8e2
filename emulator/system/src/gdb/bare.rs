//! Programs on the bare machine under gdb.

use super::code::Code;
use super::guest::{DebugGuest, StopReason, watched};
use super::monitor;
use crate::Board;
use cp2_k64::core::Cpu;
use cp2_k64::exception::Exception;
use cp2_k64::machine::{BackResult, MachineEnd, Processor};
use cp2_k64::memory::Watchpoint;
use gdbstub::common::Signal;
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use std::collections::BTreeSet;

/// Cycles between two looks at whether gdb has sent something.
const SLICE: u64 = 1 << 20;
/// Cycles that an instruction may wait for what is outside before a step gives up, about.
const LONGEST_STEP: u64 = 1 << 22;

/// Program on the bare machine.
pub(super) struct BareGuest<'a> {
    pub(super) processor: &'a mut Processor,
    pub(super) code: Code<'a>,
}

/// Returns the reason that gdb is told for the end of a run.
fn reason(end: &MachineEnd) -> StopReason {
    use StopReason as S;
    match end {
        MachineEnd::Exit(code) => S::Exited(*code),
        MachineEnd::Breakpoint => S::SwBreak(()),
        MachineEnd::Watchpoint(hit) => watched(*hit),
        MachineEnd::Exception { exception, .. } => S::Signal(match exception {
            Exception::Reserved(_) | Exception::Coprocessor(_) => Signal::SIGILL,
            Exception::Break(_) | Exception::Trap(_) => Signal::SIGTRAP,
            Exception::Overflow | Exception::Float(_) => Signal::SIGFPE,
            Exception::Syscall => Signal::SIGSYS,
            Exception::Unaligned { .. } | Exception::Forbidden { .. } => Signal::SIGBUS,
            _ => Signal::SIGSEGV,
        }),
        MachineEnd::Fault(_) => S::Signal(Signal::SIGABRT),
        MachineEnd::Limit | MachineEnd::Hang => S::Signal(Signal::SIGSTOP),
        MachineEnd::Outside | MachineEnd::Request => S::Signal(Signal::SIGTRAP),
    }
}

impl DebugGuest for BareGuest<'_> {
    fn core(&mut self) -> &mut Cpu {
        &mut self.processor.core
    }

    fn set_breakpoints(&mut self, breakpoints: BTreeSet<u64>) {
        self.processor.set_breakpoints(breakpoints);
    }

    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.processor.set_watchpoints(watchpoints);
    }

    /// Does one instruction, however long it waits for what is outside.
    fn step(&mut self) -> Option<StopReason> {
        if let Some(board) = Board::of_mut(self.processor) {
            board.breakpoints().continue_run();
        }
        let (before, cycle) = (self.processor.position(), self.processor.core.cycle());
        loop {
            let end = self.processor.step();
            let is_done = self.processor.position() != before;
            if end.is_some() || is_done || self.processor.core.cycle() > cycle + LONGEST_STEP {
                return end.as_ref().map(reason);
            }
        }
    }

    fn run(&mut self) -> Option<StopReason> {
        match self.processor.run(self.processor.core.cycle() + SLICE) {
            MachineEnd::Limit => None,
            end => Some(reason(&end)),
        }
    }

    fn answer(&mut self, command: &str) -> String {
        monitor::answer(command, self.processor, &mut self.code)
    }

    /// Removes breakpoints and watchpoints, and lets CP2 go on.
    fn end_debugging(&mut self) {
        self.processor.set_breakpoints(BTreeSet::new());
        self.processor.set_watchpoints(Vec::new());
        if let Some(board) = Board::of_mut(self.processor) {
            board.breakpoints().clear();
            board.breakpoints().continue_run();
        }
    }

    fn board(&self) -> Option<&Board> {
        Board::of(self.processor)
    }

    fn note_change(&mut self) {
        self.processor.note_change();
    }

    fn can_go_back(&self) -> bool {
        self.processor.has_history()
    }

    /// Goes back; breakpoints of CP2 are without effect on the way.
    fn go_back(&mut self, is_step: bool) -> StopReason {
        let turn_off = |processor: &mut Processor, is_off| {
            if let Some(board) = Board::of_mut(processor) {
                board.breakpoints().turn_off(is_off);
            }
        };
        turn_off(self.processor, true);
        let back = if is_step { self.processor.step_back() } else { self.processor.run_back() };
        turn_off(self.processor, false);
        match back {
            BackResult::Begin => StopReason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin },
            BackResult::Watchpoint(hit) => watched(hit),
            BackResult::Reached if is_step => StopReason::DoneStep,
            BackResult::Reached => StopReason::SwBreak(()),
        }
    }
}
