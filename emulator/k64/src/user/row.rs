//! Rows of the table of system calls: number, name, what the call does here, and what is missing of it.

use super::errno::{Answer, Errno};
use super::{Process, ProcessEnd};

/// Arguments of a system call, registers 4 to 9.
pub(super) type Arguments = [u64; 6];

/// Deed of a system call.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    /// Answers with a value or an error.
    Answers(fn(&mut Process, Arguments) -> Answer),
    /// Ends the process, or sets all registers itself.
    Leaves(fn(&mut Process, Arguments) -> Option<ProcessEnd>),
    /// Answers with an error, whatever the arguments are.
    Refuses(Errno),
}

/// A system call: its number in the n64 ABI and its name in Linux.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) number: u64,
    pub(super) name: &'static str,
    pub(super) deed: Deed,
    /// Reason for a refusal, or what is missing of a call; empty where nothing is.
    pub(super) missing: &'static str,
    /// Whether the call may see or change what a file and memory share, so that it fails where that cannot be made the same.
    pub(super) is_of_files: bool,
}

impl Row {
    /// A call that does all that a process of its own can see of it.
    pub(super) const fn whole(
        number: u64,
        name: &'static str,
        answer: fn(&mut Process, Arguments) -> Answer,
    ) -> Self {
        Self { number, name, deed: Deed::Answers(answer), missing: "", is_of_files: false }
    }

    /// A call of which something is missing.
    pub(super) const fn part(
        number: u64,
        name: &'static str,
        missing: &'static str,
        answer: fn(&mut Process, Arguments) -> Answer,
    ) -> Self {
        Self { number, name, deed: Deed::Answers(answer), missing, is_of_files: false }
    }

    /// A call after which the process is elsewhere.
    pub(super) const fn leaves(
        number: u64,
        name: &'static str,
        leave: fn(&mut Process, Arguments) -> Option<ProcessEnd>,
    ) -> Self {
        Self { number, name, deed: Deed::Leaves(leave), missing: "", is_of_files: false }
    }
}

/// Calls that answer with the same error for the same reason.
pub(super) struct Refusals {
    pub(super) why: &'static str,
    pub(super) error: Errno,
    pub(super) calls: &'static [(u64, &'static str)],
}

impl Refusals {
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        let (missing, deed) = (self.why, Deed::Refuses(self.error));
        self.calls.iter().map(move |(number, name)| Row {
            number: *number,
            name,
            deed,
            missing,
            is_of_files: false,
        })
    }
}
