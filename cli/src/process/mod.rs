//! The process: exit codes and messages, signals, progress, colour.

pub(crate) mod colour;
pub(crate) mod exit;
pub(crate) mod progress;
pub(crate) mod signals;
