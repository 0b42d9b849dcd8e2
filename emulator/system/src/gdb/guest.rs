//! What gdb debugs: a program of the control processor, on the bare machine (`bare`) or of Linux (`process`).

use crate::Board;
use cp2_k64::core::Cpu;
use cp2_k64::exception::{WatchHit, WatchedAccess};
use cp2_k64::memory::Watchpoint;
use gdbstub::common::Signal;
use gdbstub::stub::SingleThreadStopReason;
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind;
use std::collections::BTreeSet;

/// Reason that gdb is told for a stop.
pub(super) type StopReason = SingleThreadStopReason<u64>;

/// Program that is debugged. Of what only one kind of program has, the other does nothing.
pub(super) trait DebugGuest {
    fn core(&mut self) -> &mut Cpu;
    fn set_breakpoints(&mut self, breakpoints: BTreeSet<u64>);
    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>);
    /// Does one instruction, whether or not there is a breakpoint; returns the reason if that stopped the program.
    fn step(&mut self) -> Option<StopReason>;
    /// Runs for a while; returns the reason if something stopped the program.
    fn run(&mut self) -> Option<StopReason>;
    /// Answers a command of gdb's `monitor`.
    fn answer(&mut self, command: &str) -> String;
    /// Ends debugging, for the program to go on by itself.
    fn end_debugging(&mut self);

    /// Returns CP2 and what is around it.
    fn board(&self) -> Option<&Board> {
        None
    }
    /// Lets the program have a signal when it goes on.
    fn have_signal(&mut self, _signal: Signal) {}
    /// Keeps a state that a debugger has changed.
    fn note_change(&mut self) {}
    fn can_go_back(&self) -> bool {
        false
    }
    /// Goes back by an instruction, or as far as something stops the program.
    fn go_back(&mut self, _is_step: bool) -> StopReason {
        StopReason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin }
    }
    /// Returns the addresses that are mapped, in the form of the file `maps` of Linux.
    fn maps(&self) -> Option<String> {
        None
    }
}

/// Returns the reason that gdb is told for an access that a watchpoint has.
pub(super) fn watched(hit: WatchHit) -> StopReason {
    let kind = match hit.accesses {
        WatchedAccess::Store => WatchKind::Write,
        WatchedAccess::Load => WatchKind::Read,
        WatchedAccess::Any => WatchKind::ReadWrite,
    };
    StopReason::Watch { tid: (), kind, addr: hit.address }
}
