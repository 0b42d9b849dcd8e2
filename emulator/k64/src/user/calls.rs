//! System calls of Linux, by the numbers of the n64 ABI: the table of them, which is what a call is looked up in and what
//! the page of the book prints.

mod descriptors;
mod memory;
mod names;
mod process;
mod properties;
mod refused;
mod time;
mod transfers;
mod waiting;

use super::errno::{Answer, Errno};
use super::row::{Arguments, Deed, Row};
use super::{Process, ProcessEnd};
use crate::exception::Exception;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Number of the first call of the ABI.
const FIRST: u64 = 5000;

/// The calls, by their numbers.
static CALLS: LazyLock<Vec<Option<Row>>> = LazyLock::new(|| {
    let mut calls = Vec::new();
    for row in rows() {
        let index = (row.number - FIRST) as usize;
        if calls.len() <= index {
            calls.resize(index + 1, None);
        }
        calls[index] = Some(row);
    }
    calls
});

/// Returns the rows of the table, by what the calls are about.
fn rows() -> impl Iterator<Item = Row> {
    let of_files =
        [transfers::ROWS, descriptors::ROWS, names::ROWS, properties::ROWS, memory::ROWS];
    let of_files = of_files.into_iter().flatten().map(|row| Row { is_of_files: true, ..*row });
    let others = [waiting::ROWS, time::ROWS, process::ROWS].into_iter().flatten().copied();
    let refused = refused::REFUSED.iter().flat_map(super::row::Refusals::rows);
    of_files.chain(others).chain(refused)
}

/// Returns the tables of system calls for the page of the book.
pub(crate) fn page() -> String {
    let mut text = "| number | call | done | missing |\n| --- | --- | --- | --- |\n".to_owned();
    for row in CALLS.iter().flatten() {
        let extent = match row.deed {
            Deed::Refuses(_) => continue,
            _ if row.missing.is_empty() => "whole",
            _ => "part",
        };
        let _ = writeln!(text, "| {} | `{}` | {extent} | {} |", row.number, row.name, row.missing);
    }
    text.push_str("\n| refused calls | answer | reason |\n| --- | --- | --- |\n");
    for group in refused::REFUSED {
        let names = group.calls.iter().map(|(number, name)| format!("{number} `{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {names} | {:?} | {} |", group.error, group.why);
    }
    text
}

impl From<Exception> for Errno {
    fn from(_: Exception) -> Self {
        Self::EFAULT
    }
}

impl Process {
    /// Does the system call that the registers tell, and returns the outcome if the process ends.
    pub(super) fn call(&mut self) -> Option<ProcessEnd> {
        let registers = &self.core.registers;
        let arguments: Arguments = [4, 5, 6, 7, 8, 9].map(|r| registers[r]);
        let index = usize::try_from(registers[2].wrapping_sub(FIRST)).ok();
        let row = index.and_then(|index| CALLS.get(index)).and_then(Option::as_ref);
        self.signals.interrupted = None;
        self.is_interrupted = false;
        let answer = match row.map_or(Deed::Refuses(Errno::ENOSYS), |row| row.deed) {
            Deed::Answers(answer) if self.has_shared() => {
                let is_of_files = row.is_some_and(|row| row.is_of_files);
                self.answer_in_common(answer, arguments, is_of_files)
            }
            Deed::Answers(answer) => answer(self, arguments),
            Deed::Leaves(leave) => return leave(self, arguments),
            Deed::Refuses(error) => Err(error),
        };
        if self.is_interrupted {
            // The registers of the call are as before it.
            self.core.n_instructions -= 1;
            self.core.pc = self.core.pc.wrapping_sub(4);
            return None;
        }
        if answer != Err(Errno::EINTR) {
            self.signals.interrupted = None;
        }
        let (value, failed) = match answer {
            Ok(value) => (value, 0),
            Err(error) => (error as u64, 1),
        };
        self.core.registers[2] = value;
        self.core.registers[7] = failed;
        None
    }

    /// Answers a call while memory shares files: what they share is the same before and after the call. Where that fails,
    /// a call that is about files does too.
    fn answer_in_common(
        &mut self,
        answer: fn(&mut Self, Arguments) -> Answer,
        arguments: Arguments,
        is_of_files: bool,
    ) -> Answer {
        let stored = self.store_shared();
        if is_of_files {
            stored?;
        }
        let answer = answer(self, arguments);
        let loaded = self.load_shared();
        if is_of_files {
            loaded?;
        }
        answer
    }

    /// Writes doublewords.
    pub(super) fn put(&mut self, address: u64, words: &[u64]) -> Answer {
        if address != 0 {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            self.core.memory.write(address, &bytes)?;
        }
        Ok(0)
    }

    /// Reads two doublewords.
    pub(super) fn pair(&self, address: u64) -> Result<[u64; 2], Errno> {
        let bytes = self.core.memory.read(address, 16)?;
        let (words, _) = bytes.as_chunks();
        match words {
            [first, second] => Ok([first, second].map(|word| u64::from_be_bytes(*word))),
            _ => Err(Errno::EFAULT),
        }
    }
}

#[cfg(test)]
mod tests;
