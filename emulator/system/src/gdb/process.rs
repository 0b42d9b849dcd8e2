//! Linux programs under gdb: signals, and the end of a process, by gdb's numbers.

use super::guest::{DebugGuest, StopReason, watched};
use cp2_k64::core::Cpu;
use cp2_k64::memory::{Allowed, Watchpoint};
use cp2_k64::user::{Process, ProcessEnd, ProcessStop};
use gdbstub::common::Signal;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Instructions between two looks at whether gdb has sent something.
const SLICE: u64 = 1 << 22;

const HELP: &str = "\
time: instructions of the program
maps: mapped addresses, and the accesses that they allow";

/// Signals of Linux on MIPS by gdb's numbers: the first is signal 1.
const SIGNALS: [Signal; 31] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGILL,
    Signal::SIGTRAP,
    Signal::SIGABRT,
    Signal::SIGEMT,
    Signal::SIGFPE,
    Signal::SIGKILL,
    Signal::SIGBUS,
    Signal::SIGSEGV,
    Signal::SIGSYS,
    Signal::SIGPIPE,
    Signal::SIGALRM,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGCHLD,
    Signal::SIGPWR,
    Signal::SIGWINCH,
    Signal::SIGURG,
    Signal::SIGIO,
    Signal::SIGSTOP,
    Signal::SIGTSTP,
    Signal::SIGCONT,
    Signal::SIGTTIN,
    Signal::SIGTTOU,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// Returns gdb's signal for one of Linux; those for real time have three ranges of numbers.
fn to_gdb(number: u8) -> Signal {
    match number {
        0 => Signal::SIGZERO,
        1..=31 => SIGNALS[usize::from(number) - 1],
        32 => Signal::SIG32,
        33..=63 => Signal(Signal::SIG33.0 + (number - 33)),
        _ => Signal(Signal::SIG64.0 + (number - 64).min(63)),
    }
}

/// Returns the signal of Linux for one of gdb; `None` if Linux has none.
pub(super) fn of_gdb(signal: Signal) -> Option<u8> {
    (1..=127).find(|number| to_gdb(*number) == signal)
}

/// Linux program.
pub(super) struct ProcessGuest<'a> {
    pub(super) process: &'a mut Process,
}

impl ProcessGuest<'_> {
    fn reason(stop: &ProcessStop) -> Option<StopReason> {
        Some(match stop {
            ProcessStop::Limit => return None,
            ProcessStop::Breakpoint => StopReason::SwBreak(()),
            ProcessStop::Watchpoint(hit) => watched(*hit),
            ProcessStop::Signal(number) => StopReason::Signal(to_gdb(*number)),
            ProcessStop::End(ProcessEnd::Exit(code)) => StopReason::Exited(*code),
            ProcessStop::End(ProcessEnd::Signal(number)) => StopReason::Terminated(to_gdb(*number)),
            // Exceptions that have a signal were told before the end.
            ProcessStop::End(ProcessEnd::Exception { .. } | ProcessEnd::Limit) => {
                StopReason::Terminated(Signal::SIGILL)
            }
        })
    }
}

impl DebugGuest for ProcessGuest<'_> {
    fn core(&mut self) -> &mut Cpu {
        &mut self.process.core
    }

    fn set_breakpoints(&mut self, breakpoints: BTreeSet<u64>) {
        self.process.set_debug_breakpoints(breakpoints);
    }

    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.process.set_watchpoints(watchpoints);
    }

    fn step(&mut self) -> Option<StopReason> {
        self.process.step_debugged().as_ref().and_then(Self::reason)
    }

    fn run(&mut self) -> Option<StopReason> {
        let limit = self.process.core.n_instructions + SLICE;
        Self::reason(&self.process.run_debugged(limit))
    }

    fn answer(&mut self, command: &str) -> String {
        match command.trim() {
            "time" => format!("{} instructions", self.process.core.n_instructions),
            "maps" => self.maps().unwrap_or_default(),
            "help" => HELP.to_owned(),
            other => format!("`{other}` is not a command of this monitor:\n{HELP}"),
        }
    }

    fn end_debugging(&mut self) {
        self.process.end_debugging();
    }

    fn have_signal(&mut self, signal: Signal) {
        if let Some(number) = of_gdb(signal) {
            self.process.have_signal(number);
        }
    }

    fn maps(&self) -> Option<String> {
        let mut text = String::new();
        for (range, Allowed { read, write, execute }) in self.process.core.memory.mapped_ranges() {
            let right = |is_there: bool, letter| if is_there { letter } else { '-' };
            let _ = writeln!(
                text,
                "{:08x}-{:08x} {}{}{}p 00000000 00:00 0",
                range.start,
                range.end,
                right(read, 'r'),
                right(write, 'w'),
                right(execute, 'x')
            );
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_numbered_there_and_back() {
        assert_eq!(to_gdb(11), Signal::SIGSEGV);
        assert_eq!(to_gdb(16), Signal::SIGUSR1);
        for number in 1..=127 {
            assert_eq!(of_gdb(to_gdb(number)), Some(number), "{number}");
        }
        assert_eq!(of_gdb(Signal(150)), None);
    }
}
