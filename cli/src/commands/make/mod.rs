//! Commands that make programs, and tell what is wrong with them.

pub(crate) mod asm;
pub(crate) mod fmt;
pub(crate) mod lint;
pub(crate) mod new;
pub(crate) mod sched;
