//! Schedules of loops found, or proven impossible, by a solver. `problem` says what a schedule has to keep; `encode` and `theory`
//! say it to the solver; `solve` asks it; `improve` goes from a schedule to better ones, `answer` tells what is known of
//! the best. What the heuristics find is in `search`.

mod answer;
mod budget;
mod encode;
mod improve;
mod problem;
mod solve;
mod theory;

pub use answer::{Answer, LoopSchedule, Obstacle, answers};
