//! The debugger of CP2 programs. A run is recorded first, so that any cycle of it can be gone to: steps and searches go forwards and
//! back, and nothing that is looked at changes the run. [`Debugger`] is the debugger itself, [`Console`] its form for a terminal, and
//! [`serve`] speaks the Debug Adapter Protocol with an editor.

mod arrays;
mod breakpoint;
mod condition;
mod console;
mod dap;
mod debugger;
mod error;
mod expressions;
mod kernels;
mod operand;
mod place;
mod values;

pub use breakpoint::{BreakPlace, Breakpoint};
pub use condition::ValueCondition;
pub use console::{Console, ConsoleAnswer};
pub use dap::{LaunchOpener, LaunchWishes, serve};
pub use debugger::{DebuggedRun, Debugger, RunStop, StepUnit, StopReason, TimeDirection};
pub use error::DebugError;
pub use operand::{DebugOperand, ShownType};
pub use place::StopPlace;
pub use values::NamedValue;
