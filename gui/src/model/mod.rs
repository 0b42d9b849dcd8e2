//! Model of the viewer, without a window: which cycles are seen and at which resolution, what is at hand
//! of a run, what is selected, what can be done.

pub mod command;
pub mod flow;
pub mod heat;
pub mod number;
pub mod palette;
pub mod program;
pub mod run;
pub mod session;
pub mod settings;
pub mod viewport;
