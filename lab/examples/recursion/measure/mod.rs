//! Runs on the emulator, by the part of the page.

pub(crate) mod depths;
pub(crate) mod extensions;
pub(crate) mod forms;
pub(crate) mod puzzles;
pub(crate) mod steps;
