//! Tasks: a frame, and a step that goes on from it.

use crate::words::StepWords;

/// Most words of a frame beside its state and the returned value.
pub const MOST_FIELDS: usize = 8;

/// Names of the words of a frame beside its state and the returned value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameFields {
    /// Parameters, which a call gives.
    pub parameters: &'static [&'static str],
    /// Locals, which live across inner calls; they begin as 0.
    pub locals: &'static [&'static str],
}

impl FrameFields {
    /// Returns how many words there are.
    pub fn count(&self) -> usize {
        self.parameters.len() + self.locals.len()
    }
}

/// Frame of the stack: where the function is, what the last inner call returned, and parameters and locals behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskFrame<V> {
    /// 0 where the function has just been called; after that the number that the step gave.
    pub state: V,
    /// Value that the last inner call returned; 0 before.
    pub returned: V,
    /// Parameters, then locals; those that the task does not have are 0.
    pub fields: [V; MOST_FIELDS],
}

/// Outcome of a step: an inner call, the end of this one, or, if it is neither, another step with the same frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome<V> {
    /// Truth value: an inner call is made.
    pub calls: V,
    /// Truth value: the inner call is the last one, and nothing is left to do behind it, so its frame may take the place of this one.
    /// Only together with `calls`, and only of a task whose values are sums.
    pub is_last: V,
    /// Truth value: the call has ended; never together with `calls`.
    pub is_done: V,
    /// State of the frame with which the function goes on.
    pub state: V,
    /// Parameters and locals with which it goes on.
    pub fields: [V; MOST_FIELDS],
    /// Parameters of the inner call.
    pub arguments: [V; MOST_FIELDS],
    /// Value that the call returns, if it has ended. If values are sums: what the step adds.
    pub value: V,
}

impl<V: Copy> StepOutcome<V> {
    /// Returns the results with each word replaced.
    pub fn with<U>(&self, mut of: impl FnMut(V) -> U) -> StepOutcome<U> {
        StepOutcome {
            calls: of(self.calls),
            is_last: of(self.is_last),
            is_done: of(self.is_done),
            state: of(self.state),
            fields: self.fields.map(&mut of),
            arguments: self.arguments.map(&mut of),
            value: of(self.value),
        }
    }

    pub(crate) fn places(&self) -> Vec<V> {
        let mut all = Vec::new();
        let _ = self.with(|place| all.push(place));
        all
    }

    /// Returns the results of one of two ways to go on, by a truth value: both are computed unless it is known which one is taken. A way that
    /// stores has to ask the truth value itself.
    pub fn choose<W: StepWords<Word = V>>(
        w: &mut W,
        truth: V,
        one: impl FnOnce(&mut W) -> Self,
        other: impl FnOnce(&mut W) -> Self,
    ) -> Self {
        match w.known(truth) {
            Some(true) => one(w),
            Some(false) => other(w),
            None => {
                let (one, other) = (one(w), other(w));
                let others = other.places();
                let mut at = others.into_iter();
                one.with(|a| at.next().map_or(a, |b| w.select(truth, a, b)))
            }
        }
    }
}

/// An array of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskArray {
    /// Name of the array.
    pub name: &'static str,
    /// Contents with which a task begins.
    pub words: Vec<u32>,
    /// Whether each lane has and changes its own; other arrays are the same for all and stay.
    pub is_own: bool,
}

/// Call that the host did not make, with all that a lane needs to go on from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchContext {
    /// Parameters of the call.
    pub parameters: Vec<u32>,
    /// Arrays of the task as they were at the call.
    pub arrays: Vec<Vec<u32>>,
}

/// A frame that keeps a lane busy which has nothing to do, so that a driver need not ask in each pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleFrame {
    /// State of the frame.
    pub state: u32,
    /// Parameters and locals.
    pub fields: [u32; MOST_FIELDS],
    /// Steps in which it makes a call that ends with its first step, all adding 0; only the last of them says that it is the last.
    pub steps: u32,
}

/// A function that calls itself, as frame and step. Everything else, stacks, lanes and dealing out, is the driver's.
pub trait Task {
    /// Returns the names of the words of a frame.
    fn fields(&self) -> FrameFields;

    /// Returns the parameters of the first call.
    fn root(&self) -> Vec<u32>;

    /// Returns the arrays of the task.
    fn arrays(&self) -> Vec<TaskArray> {
        Vec::new()
    }

    /// Returns how many frames a stack has at most.
    fn deepest(&self) -> usize;

    /// Returns whether the value of a call is the sum of what its steps give and of the values of inner calls. Then nothing is returned
    /// from frame to frame, and a lane has one sum.
    fn is_sum(&self) -> bool {
        false
    }

    /// Returns the frame of an idle lane, if the task has one.
    fn idle(&self) -> Option<IdleFrame> {
        None
    }

    /// Returns the cycles that the control processor of VM9 takes for a call, if they were measured; else they are estimated, a cycle for each
    /// operation of a step.
    fn host_cycles(&self) -> Option<f64> {
        None
    }

    /// Goes on from a frame up to the next call or the end.
    fn step<W: StepWords>(&self, words: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word>;
}
