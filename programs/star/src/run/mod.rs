//! Programs that run: checked programs on a machine, statement by statement, with what an observer sees of it.

mod expression;
mod interpreter;
mod library;
mod request;
mod statement;

pub use interpreter::run;
pub use request::{Insertion, RunEvent, RunObserver, RunOutcome, RunRequest, StarValue};
