//! Fibonacci's numbers, the example of two inner calls one behind the other.

use crate::task::{FrameFields, StepOutcome, Task, TaskFrame};
use crate::words::StepWords;

/// F(n) = F(n - 1) + F(n - 2), and 1 for n = 1 and n = 2; of n from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fibonacci(pub u32);

impl Task for Fibonacci {
    fn fields(&self) -> FrameFields {
        FrameFields { parameters: &["n"], locals: &["first"] }
    }

    fn root(&self) -> Vec<u32> {
        vec![self.0]
    }

    fn deepest(&self) -> usize {
        self.0.saturating_sub(1).max(1) as usize
    }

    /// Measured of the 15th number, as all numbers take about the same for a call.
    fn host_cycles(&self) -> Option<f64> {
        Some(9.1)
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [n, first, ..] = frame.fields;
        let (one, two, three) = (w.constant(1), w.constant(2), w.constant(3));
        let is_entered = w.is(frame.state, 0);
        let is_second = w.is(frame.state, 1);
        let is_small = w.is_less(n, three);
        let ends_at_once = w.and(is_entered, is_small);
        let both = w.is(frame.state, 2);
        let is_done = w.or(ends_at_once, both);
        let mut next = StepOutcome {
            calls: w.not(is_done),
            is_last: w.constant(0),
            is_done,
            state: w.add(frame.state, one),
            fields: frame.fields,
            arguments: frame.fields,
            value: w.add(first, frame.returned),
        };
        next.value = w.select(both, next.value, one);
        next.fields[1] = w.select(is_second, frame.returned, first);
        let by = w.select(is_entered, one, two);
        next.arguments[0] = w.sub(n, by);
        next.arguments[1] = w.constant(0);
        next
    }
}
