//! A process under a debugger: it stops at breakpoints, watchpoints and after steps, and before every signal, which the
//! debugger lets it have or not.

use super::signals;
use super::{Process, ProcessEnd};
use crate::engine::{RunLimit, Stop};
use crate::exception::Exception;
use crate::exception::WatchHit;
use crate::memory::Watchpoint;
use std::collections::BTreeSet;

/// Reason why a process under a debugger stopped ([`Process::run_debugged`], [`Process::step_debugged`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessStop {
    /// The process ended; it cannot go on.
    End(ProcessEnd),
    /// The limit of instructions was reached.
    Limit,
    /// There is a breakpoint at the next instruction.
    Breakpoint,
    /// The next instruction makes an access that a watchpoint has. It is not done yet; a run that goes on does it first.
    Watchpoint(WatchHit),
    /// The signal with this number has come, and is not delivered yet: [`Process::have_signal`] lets the process have it.
    Signal(u8),
}

/// State of a process that a debugger needs.
#[derive(Default)]
pub(super) struct Debugging {
    /// Signal that the debugger was told of, or lets the process have.
    signal: Option<TakenSignal>,
    /// Number of completed instructions at the report of a watchpoint, if the access is not done since.
    passed: Option<u64>,
}

/// Signal between the debugger and the process.
struct TakenSignal {
    number: u8,
    /// Exception that raised it; `None` for one that was sent.
    exception: Option<Exception>,
    is_wanted: bool,
}

impl Process {
    /// Readies the process for a debugger: it runs without translations to instructions of the native machine, so that it
    /// can stop at every instruction.
    pub fn begin_debugging(&mut self) {
        self.engine.use_handlers();
    }

    /// Ends debugging: without breakpoints and watchpoints, and with the signal that was not delivered yet.
    pub fn end_debugging(&mut self) {
        self.set_debug_breakpoints(BTreeSet::new());
        self.set_watchpoints(Vec::new());
        if let Some(TakenSignal { number, exception: None, .. }) = self.debugging.signal.take() {
            self.signals.put_back(number);
        }
    }

    /// Replaces the breakpoints of the debugger by those at the given addresses.
    pub fn set_debug_breakpoints(&mut self, breakpoints: BTreeSet<u64>) {
        self.engine.set_breakpoints(breakpoints);
    }

    /// Replaces the watchpoints: the process stops before an access of an instruction that one of them has. What system
    /// calls read and write, no watchpoint sees.
    pub fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.core.memory.set_watchpoints(watchpoints);
    }

    /// Lets the process have a signal when it goes on: the one that was reported last, or another one.
    pub fn have_signal(&mut self, number: u8) {
        let exception = self.debugging.signal.take().filter(|taken| taken.number == number);
        let exception = exception.and_then(|taken| taken.exception);
        self.debugging.signal = Some(TakenSignal { number, exception, is_wanted: true });
    }

    /// Does one instruction or system call, whether or not there is a breakpoint, or has a handler of a signal called. The
    /// result is `None` if the process can go on, else the reason why it stopped.
    pub fn step_debugged(&mut self) -> Option<ProcessStop> {
        if let Some(stop) = self.take_signal() {
            return stop;
        }
        let is_passed = self.debugging.passed.take() == Some(self.core.n_instructions);
        let before = self.core.memory.pass_watchpoints(is_passed);
        let stop = self.engine.step(&mut self.core);
        self.core.memory.pass_watchpoints(before);
        match stop {
            Some(stop) => self.react(stop),
            None => self.look_for_signal(),
        }
    }

    /// Runs the process until something stops it, at the latest when it has completed `limit` instructions since its
    /// start.
    pub fn run_debugged(&mut self, limit: u64) -> ProcessStop {
        loop {
            if self.debugging.passed.is_some() || self.debugging.signal.is_some() {
                if let Some(stop) = self.step_debugged() {
                    return stop;
                }
                continue;
            }
            if self.core.n_instructions >= limit {
                return ProcessStop::Limit;
            }
            let until = RunLimit::instructions(limit.min(self.alarm_at()));
            let stop = self.engine.run(&mut self.core, until);
            if let Some(stop) = self.react(stop) {
                return stop;
            }
        }
    }

    /// Does what a stop of the engine asks for; returns the reason if the process stops too.
    fn react(&mut self, stop: Stop) -> Option<ProcessStop> {
        match stop {
            Stop::Limit => {}
            Stop::Breakpoint => return Some(ProcessStop::Breakpoint),
            Stop::Exception { exception: Exception::Watched(hit), .. } => {
                self.debugging.passed = Some(self.core.n_instructions);
                return Some(ProcessStop::Watchpoint(hit));
            }
            Stop::Exception { exception: Exception::Syscall, is_delayed: false } => {
                self.core.n_instructions += 1;
                self.core.pc = self.core.pc.wrapping_add(4);
                if let Some(end) = self.call() {
                    return Some(ProcessStop::End(self.end(end)));
                }
            }
            Stop::Exception { exception, is_delayed } => {
                let Some((number, ..)) = signals::of_exception(exception) else {
                    let end = ProcessEnd::Exception { exception, is_delayed };
                    return Some(ProcessStop::End(self.end(end)));
                };
                return Some(self.report(number, Some(exception)));
            }
        }
        self.look_for_signal()
    }

    /// Returns the stop for a signal that has come, if one has.
    fn look_for_signal(&mut self) -> Option<ProcessStop> {
        self.ring();
        let number = self.take_next_signal()?;
        Some(self.report(number, None))
    }

    fn report(&mut self, number: u8, exception: Option<Exception>) -> ProcessStop {
        self.debugging.signal = Some(TakenSignal { number, exception, is_wanted: false });
        ProcessStop::Signal(number)
    }

    /// Delivers the signal that the debugger lets the process have, and drops one that it does not. The result is `None`
    /// if an instruction is to follow; else the step is over, with the reason why the process stopped, if it did.
    fn take_signal(&mut self) -> Option<Option<ProcessStop>> {
        let taken = self.debugging.signal.take()?;
        if !taken.is_wanted {
            self.go_back_to_call();
            return None;
        }
        let end = match taken.exception {
            // Without a handler a fault ends the process.
            Some(exception) => (!self.fault(exception)).then_some(ProcessEnd::Signal(taken.number)),
            None => self.deliver_one(taken.number),
        };
        self.debugging.passed = None;
        Some(end.map(|end| ProcessStop::End(self.end(end))))
    }
}
