//! The model of the viewer, which needs no window: the run and what of it is at hand, which cycles are seen and at
//! which resolution, what is selected, and which commands there are.

pub mod command;
pub mod flow;
pub mod heat;
mod look;
pub mod number;
pub mod palette;
pub mod program;
pub mod run;
pub mod session;
pub mod settings;
pub mod spans;
pub mod value;
pub mod viewport;
