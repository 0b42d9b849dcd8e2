//! A step as a list of operations, from which texts of programs for lanes are made.

use crate::task::{MOST_FIELDS, StepOutcome, Task, TaskFrame};
use crate::words::{NativeWords, StepWords};
use std::collections::BTreeMap;

/// Number of an operation in its list; its result is a word, and that of a store means nothing.
pub type StepPlace = usize;

/// Operation of a step. Operands are results of operations before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepOperation {
    /// A constant.
    Constant(u32),
    /// State of the frame.
    State,
    /// Value that the last inner call returned.
    Returned,
    /// A parameter or local of the frame.
    Field(usize),
    /// a and b.
    And(StepPlace, StepPlace),
    /// a or b.
    Or(StepPlace, StepPlace),
    /// a exclusive or b.
    Xor(StepPlace, StepPlace),
    /// Every bit turned.
    Not(StepPlace),
    /// a + b modulo 2^32.
    Add(StepPlace, StepPlace),
    /// a - b modulo 2^32.
    Sub(StepPlace, StepPlace),
    /// Bits moved up by a count.
    ShiftLeft(StepPlace, u32),
    /// Bits moved down by a count.
    ShiftRight(StepPlace, u32),
    /// a, which has no other bits than those of the mask.
    Within(StepPlace, u32),
    /// Whether a is zero.
    IsZero(StepPlace),
    /// Whether a < b, both below 2^31.
    IsLess(StepPlace, StepPlace),
    /// Element of an array, at an index.
    Load {
        /// Number of the array.
        array: usize,
        /// Index of the element.
        index: StepPlace,
        /// Stores to the array before.
        stores: usize,
    },
    /// Element of an array that is written.
    Store {
        /// Number of the array.
        array: usize,
        /// Index of the element.
        index: StepPlace,
        /// Value that is written.
        value: StepPlace,
        /// Truth value: it is written.
        is_stored: StepPlace,
    },
}

impl StepOperation {
    /// Returns the operation with its operands replaced.
    #[must_use]
    pub fn with(self, of: impl Fn(StepPlace) -> StepPlace) -> Self {
        match self {
            Self::Constant(_) | Self::State | Self::Returned | Self::Field(_) => self,
            Self::And(a, b) => Self::And(of(a), of(b)),
            Self::Or(a, b) => Self::Or(of(a), of(b)),
            Self::Xor(a, b) => Self::Xor(of(a), of(b)),
            Self::Not(a) => Self::Not(of(a)),
            Self::Add(a, b) => Self::Add(of(a), of(b)),
            Self::Sub(a, b) => Self::Sub(of(a), of(b)),
            Self::ShiftLeft(a, count) => Self::ShiftLeft(of(a), count),
            Self::ShiftRight(a, count) => Self::ShiftRight(of(a), count),
            Self::Within(a, mask) => Self::Within(of(a), mask),
            Self::IsZero(a) => Self::IsZero(of(a)),
            Self::IsLess(a, b) => Self::IsLess(of(a), of(b)),
            Self::Load { array, index, stores } => Self::Load { array, index: of(index), stores },
            Self::Store { array, index, value, is_stored } => {
                Self::Store { array, index: of(index), value: of(value), is_stored: of(is_stored) }
            }
        }
    }

    /// Calls a function with each operand.
    pub fn operands(self, mut each: impl FnMut(StepPlace)) {
        let seen = std::cell::RefCell::new(Vec::new());
        let _ = self.with(|place| {
            seen.borrow_mut().push(place);
            place
        });
        seen.into_inner().into_iter().for_each(&mut each);
    }
}

/// The step of a task as operations in their order; each is there once, and something needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepProgram {
    /// Operations.
    pub operations: Vec<StepOperation>,
    /// Results that the step gives.
    pub next: StepOutcome<StepPlace>,
}

/// Words that record what a step does with them.
#[derive(Default)]
struct Recorder {
    operations: Vec<StepOperation>,
    known: BTreeMap<StepOperation, StepPlace>,
    /// Stores to each array so far.
    stores: BTreeMap<usize, usize>,
}

impl StepProgram {
    /// Records the step of a task.
    pub fn of<T: Task>(task: &T) -> Self {
        Self::recorded(task, None, task.fields().count())
    }

    /// Records the first step of a call of a task: the state, the returned value and locals are 0.
    pub fn of_entry<T: Task>(task: &T) -> Self {
        Self::recorded(task, Some(0), task.fields().parameters.len())
    }

    /// Records the step of a task in a state.
    pub fn in_state<T: Task>(task: &T, state: u32) -> Self {
        Self::recorded(task, Some(state), task.fields().count())
    }

    /// Records the step in a state, or any, of a frame whose first `given` words are not 0. In state 0 nothing has returned yet, and
    /// where values are sums nothing ever does.
    fn recorded<T: Task>(task: &T, state: Option<u32>, given: usize) -> Self {
        let mut recorder = Recorder::default();
        let fields = std::array::from_fn(|field| match field < given {
            true => Recorder::add(&mut recorder, StepOperation::Field(field)),
            false => recorder.constant(0),
        });
        let returned = match state == Some(0) || task.is_sum() {
            true => recorder.constant(0),
            false => Recorder::add(&mut recorder, StepOperation::Returned),
        };
        let state = match state {
            Some(state) => recorder.constant(state),
            None => Recorder::add(&mut recorder, StepOperation::State),
        };
        let next = task.step(&mut recorder, TaskFrame { state, returned, fields });
        used(&recorder.operations, &next, task.fields().count())
    }

    /// Returns the number of operations, without constants and the words of the frame.
    pub fn work(&self) -> u64 {
        let is_operand = |operation: &&StepOperation| {
            matches!(
                operation,
                StepOperation::Constant(_)
                    | StepOperation::State
                    | StepOperation::Returned
                    | StepOperation::Field(_)
            )
        };
        (self.operations.len() - self.operations.iter().filter(is_operand).count()) as u64
    }

    /// Carries the step out on the arrays of a lane of the host.
    pub fn run(&self, words: &mut NativeWords, frame: TaskFrame<u32>) -> StepOutcome<u32> {
        let mut results: Vec<u32> = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let of = |place: StepPlace| results[place];
            let result = match *operation {
                StepOperation::Constant(value) => value,
                StepOperation::State => frame.state,
                StepOperation::Returned => frame.returned,
                StepOperation::Field(field) => frame.fields[field],
                StepOperation::And(a, b) => words.and(of(a), of(b)),
                StepOperation::Or(a, b) => words.or(of(a), of(b)),
                StepOperation::Xor(a, b) => words.xor(of(a), of(b)),
                StepOperation::Not(a) => words.not(of(a)),
                StepOperation::Add(a, b) => words.add(of(a), of(b)),
                StepOperation::Sub(a, b) => words.sub(of(a), of(b)),
                StepOperation::ShiftLeft(a, count) => words.shift_left(of(a), count),
                StepOperation::ShiftRight(a, count) => words.shift_right(of(a), count),
                StepOperation::Within(a, mask) => words.within(of(a), mask),
                StepOperation::IsZero(a) => words.is_zero(of(a)),
                StepOperation::IsLess(a, b) => words.is_less(of(a), of(b)),
                StepOperation::Load { array, index, .. } => words.load(array, of(index)),
                StepOperation::Store { array, index, value, is_stored } => {
                    words.store(array, of(index), of(value), of(is_stored));
                    0
                }
            };
            results.push(result);
        }
        self.next.with(|place| results[place])
    }
}

/// Returns the operations that the results of a step need, and stores with what they need.
fn used(all: &[StepOperation], next: &StepOutcome<StepPlace>, fields: usize) -> StepProgram {
    let mut is_needed = vec![false; all.len()];
    let mut next = *next;
    // StepWords that a frame does not have are nobody's.
    for field in fields..MOST_FIELDS {
        next.fields[field] = next.state;
        next.arguments[field] = next.state;
    }
    for place in next.places() {
        is_needed[place] = true;
    }
    for (place, operation) in all.iter().enumerate().rev() {
        is_needed[place] |= matches!(operation, StepOperation::Store { .. });
        if is_needed[place] {
            operation.operands(|operand| is_needed[operand] = true);
        }
    }
    let mut moved = vec![0; all.len()];
    let mut operations = Vec::new();
    for (place, operation) in all.iter().enumerate().filter(|(place, _)| is_needed[*place]) {
        moved[place] = operations.len();
        operations.push(operation.with(|operand| moved[operand]));
    }
    StepProgram { operations, next: next.with(|place| moved[place]) }
}

impl Recorder {
    /// Returns the result of an operation, which is added if it is not there and is not that of another one.
    fn add(&mut self, operation: StepOperation) -> StepPlace {
        let operation = match self.simplified(operation) {
            Simplified::Known(place) => return place,
            Simplified::Operation(operation) => operation,
        };
        if let Some(&place) = self.known.get(&operation) {
            return place;
        }
        let place = self.operations.len();
        self.operations.push(operation);
        if !matches!(operation, StepOperation::Store { .. }) {
            self.known.insert(operation, place);
        }
        place
    }

    fn constant_at(&self, place: StepPlace) -> Option<u32> {
        match self.operations[place] {
            StepOperation::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the operation that has the same result and is simplest: constants are computed, and operations with an operand that
    /// changes nothing are the other operand.
    fn simplified(&self, operation: StepOperation) -> Simplified {
        use StepOperation::{
            Add, And, Constant, IsLess, IsZero, Not, Or, ShiftLeft, ShiftRight, Sub, Xor,
        };
        let of = |place| self.constant_at(place);
        let all = u32::MAX;
        let value = match operation {
            And(a, b) => of(a).zip(of(b)).map(|(a, b)| a & b),
            Or(a, b) => of(a).zip(of(b)).map(|(a, b)| a | b),
            Xor(a, b) if a == b => Some(0),
            Xor(a, b) => of(a).zip(of(b)).map(|(a, b)| a ^ b),
            Not(a) => of(a).map(|a| !a),
            Add(a, b) => of(a).zip(of(b)).map(|(a, b)| a.wrapping_add(b)),
            Sub(a, b) => of(a).zip(of(b)).map(|(a, b)| a.wrapping_sub(b)),
            ShiftLeft(a, count) => of(a).map(|a| a << count),
            ShiftRight(a, count) => of(a).map(|a| a >> count),
            IsZero(a) => of(a).map(|a| if a == 0 { all } else { 0 }),
            IsLess(a, b) => of(a).zip(of(b)).map(|(a, b)| if a < b { all } else { 0 }),
            _ => None,
        };
        if let Some(value) = value {
            return Simplified::Operation(Constant(value));
        }
        // A constant is the second operand, and of others the later one.
        let operation = match operation {
            And(a, b) if self.is_behind(a, b) => And(b, a),
            Or(a, b) if self.is_behind(a, b) => Or(b, a),
            Xor(a, b) if self.is_behind(a, b) => Xor(b, a),
            Add(a, b) if self.is_behind(a, b) => Add(b, a),
            other => other,
        };
        match operation {
            And(a, b) | Or(a, b) if a == b => Simplified::Known(a),
            And(a, b) if of(b) == Some(all) => Simplified::Known(a),
            Or(a, b) | Xor(a, b) | Add(a, b) | Sub(a, b) if of(b) == Some(0) => {
                Simplified::Known(a)
            }
            And(_, b) if of(b) == Some(0) => Simplified::Known(b),
            Or(_, b) if of(b) == Some(all) => Simplified::Known(b),
            Xor(a, b) if of(b) == Some(all) => self.simplified(Not(a)),
            Not(a) => match self.operations[a] {
                Not(b) => Simplified::Known(b),
                _ => Simplified::Operation(operation),
            },
            // One of the operands may have the other one in it, as where a selection takes what there is.
            Xor(a, b) => match (self.operations[a], self.operations[b]) {
                (Xor(c, d), _) if d == b => Simplified::Known(c),
                (Xor(c, d), _) if c == b => Simplified::Known(d),
                (_, Xor(c, d)) if d == a => Simplified::Known(c),
                (_, Xor(c, d)) if c == a => Simplified::Known(d),
                _ => Simplified::Operation(operation),
            },
            _ => Simplified::Operation(operation),
        }
    }

    /// Returns whether the first of two operands belongs behind the second one.
    fn is_behind(&self, a: StepPlace, b: StepPlace) -> bool {
        (self.constant_at(a).is_some(), a) > (self.constant_at(b).is_some(), b)
    }
}

/// Simplest form of an operation.
enum Simplified {
    /// The result of an operation that is there.
    Known(StepPlace),
    /// An operation.
    Operation(StepOperation),
}

impl StepWords for Recorder {
    type Word = StepPlace;

    fn known(&self, truth: StepPlace) -> Option<bool> {
        self.constant_at(truth).map(|value| value != 0)
    }

    fn constant(&mut self, value: u32) -> StepPlace {
        Self::add(self, StepOperation::Constant(value))
    }

    fn and(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::And(a, b))
    }

    fn or(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::Or(a, b))
    }

    fn xor(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::Xor(a, b))
    }

    fn not(&mut self, a: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::Not(a))
    }

    fn add(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::Add(a, b))
    }

    fn sub(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::Sub(a, b))
    }

    fn shift_left(&mut self, a: StepPlace, count: u32) -> StepPlace {
        Self::add(self, StepOperation::ShiftLeft(a, count))
    }

    fn shift_right(&mut self, a: StepPlace, count: u32) -> StepPlace {
        Self::add(self, StepOperation::ShiftRight(a, count))
    }

    fn within(&mut self, a: StepPlace, mask: u32) -> StepPlace {
        match self.constant_at(a) {
            Some(_) => a,
            None => Self::add(self, StepOperation::Within(a, mask)),
        }
    }

    fn is_zero(&mut self, a: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::IsZero(a))
    }

    fn is_less(&mut self, a: StepPlace, b: StepPlace) -> StepPlace {
        Self::add(self, StepOperation::IsLess(a, b))
    }

    fn load(&mut self, array: usize, index: StepPlace) -> StepPlace {
        let stores = self.stores.get(&array).copied().unwrap_or(0);
        Self::add(self, StepOperation::Load { array, index, stores })
    }

    fn store(&mut self, array: usize, index: StepPlace, value: StepPlace, is_stored: StepPlace) {
        Self::add(self, StepOperation::Store { array, index, value, is_stored });
        *self.stores.entry(array).or_default() += 1;
    }
}
