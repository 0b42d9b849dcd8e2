//! A step as a list of operations, from which texts of programs for lanes are made.

use crate::task::{Frame, MOST_FIELDS, Next, Task};
use crate::words::{NativeWords, Words};
use std::collections::BTreeMap;

/// Number of an operation in its list; its result is a word, and that of a store means nothing.
pub type Place = usize;

/// Operation of a step. Operands are results of operations before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// A constant.
    Constant(u32),
    /// State of the frame.
    State,
    /// Value that the last inner call returned.
    Returned,
    /// A parameter or local of the frame.
    Field(usize),
    /// a and b.
    And(Place, Place),
    /// a or b.
    Or(Place, Place),
    /// a exclusive or b.
    Xor(Place, Place),
    /// Every bit turned.
    Not(Place),
    /// a + b modulo 2^32.
    Add(Place, Place),
    /// a - b modulo 2^32.
    Sub(Place, Place),
    /// Bits moved up by a count.
    ShiftLeft(Place, u32),
    /// Bits moved down by a count.
    ShiftRight(Place, u32),
    /// Whether a is zero.
    IsZero(Place),
    /// Whether a < b, both below 2^31.
    IsLess(Place, Place),
    /// Element of an array, at an index.
    Load {
        /// Number of the array.
        array: usize,
        /// Index of the element.
        index: Place,
        /// Stores to the array before.
        stores: usize,
    },
    /// Element of an array that is written.
    Store {
        /// Number of the array.
        array: usize,
        /// Index of the element.
        index: Place,
        /// Value that is written.
        value: Place,
        /// Truth value: it is written.
        is_stored: Place,
    },
}

impl Operation {
    /// Returns the operation with its operands replaced.
    #[must_use]
    pub fn with(self, of: impl Fn(Place) -> Place) -> Self {
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
            Self::IsZero(a) => Self::IsZero(of(a)),
            Self::IsLess(a, b) => Self::IsLess(of(a), of(b)),
            Self::Load { array, index, stores } => Self::Load { array, index: of(index), stores },
            Self::Store { array, index, value, is_stored } => {
                Self::Store { array, index: of(index), value: of(value), is_stored: of(is_stored) }
            }
        }
    }

    /// Calls a function with each operand.
    fn operands(self, mut each: impl FnMut(Place)) {
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
    pub operations: Vec<Operation>,
    /// Results that the step gives.
    pub next: Next<Place>,
}

/// Words that record what a step does with them.
#[derive(Default)]
struct Recorder {
    operations: Vec<Operation>,
    known: BTreeMap<Operation, Place>,
    /// Stores to each array so far.
    stores: BTreeMap<usize, usize>,
}

impl StepProgram {
    /// Records the step of a task.
    pub fn of<T: Task>(task: &T) -> Self {
        let mut recorder = Recorder::default();
        let frame = Frame {
            state: recorder.add(Operation::State),
            returned: recorder.add(Operation::Returned),
            fields: std::array::from_fn(|field| {
                if field < task.fields().count() {
                    recorder.add(Operation::Field(field))
                } else {
                    recorder.constant(0)
                }
            }),
        };
        let next = task.step(&mut recorder, frame);
        used(&recorder.operations, &next, task.fields().count())
    }

    /// Carries the step out on the arrays of a lane of the host.
    pub fn run(&self, words: &mut NativeWords, frame: Frame<u32>) -> Next<u32> {
        let mut results: Vec<u32> = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let of = |place: Place| results[place];
            let result = match *operation {
                Operation::Constant(value) => value,
                Operation::State => frame.state,
                Operation::Returned => frame.returned,
                Operation::Field(field) => frame.fields[field],
                Operation::And(a, b) => words.and(of(a), of(b)),
                Operation::Or(a, b) => words.or(of(a), of(b)),
                Operation::Xor(a, b) => words.xor(of(a), of(b)),
                Operation::Not(a) => words.not(of(a)),
                Operation::Add(a, b) => words.add(of(a), of(b)),
                Operation::Sub(a, b) => words.sub(of(a), of(b)),
                Operation::ShiftLeft(a, count) => words.shift_left(of(a), count),
                Operation::ShiftRight(a, count) => words.shift_right(of(a), count),
                Operation::IsZero(a) => words.is_zero(of(a)),
                Operation::IsLess(a, b) => words.is_less(of(a), of(b)),
                Operation::Load { array, index, .. } => words.load(array, of(index)),
                Operation::Store { array, index, value, is_stored } => {
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
fn used(all: &[Operation], next: &Next<Place>, fields: usize) -> StepProgram {
    let mut is_needed = vec![false; all.len()];
    let mut next = *next;
    // Words that a frame does not have are nobody's.
    for field in fields..MOST_FIELDS {
        next.fields[field] = next.state;
        next.arguments[field] = next.state;
    }
    for place in next.places() {
        is_needed[place] = true;
    }
    for (place, operation) in all.iter().enumerate().rev() {
        is_needed[place] |= matches!(operation, Operation::Store { .. });
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

impl<V: Copy> Next<V> {
    /// Returns the results with each word replaced.
    pub fn with<U>(&self, of: impl Fn(V) -> U) -> Next<U> {
        Next {
            calls: of(self.calls),
            is_done: of(self.is_done),
            state: of(self.state),
            fields: self.fields.map(&of),
            arguments: self.arguments.map(&of),
            value: of(self.value),
        }
    }

    fn places(&self) -> Vec<V> {
        let all = std::cell::RefCell::new(Vec::new());
        let _ = self.with(|place| all.borrow_mut().push(place));
        all.into_inner()
    }
}

impl Recorder {
    /// Returns the result of an operation, which is added if it is not there.
    fn add(&mut self, operation: Operation) -> Place {
        let operation = self.computed(operation);
        if let Some(&place) = self.known.get(&operation) {
            return place;
        }
        let place = self.operations.len();
        self.operations.push(operation);
        if !matches!(operation, Operation::Store { .. }) {
            self.known.insert(operation, place);
        }
        place
    }

    /// Returns the constant that an operation on constants is, and other operations as they are.
    fn computed(&self, operation: Operation) -> Operation {
        let constant = |place: Place| match self.operations[place] {
            Operation::Constant(value) => Some(value),
            _ => None,
        };
        let pair = |a, b| Some((constant(a)?, constant(b)?));
        let value = match operation {
            Operation::And(a, b) => pair(a, b).map(|(a, b)| a & b),
            Operation::Or(a, b) => pair(a, b).map(|(a, b)| a | b),
            Operation::Xor(a, b) => pair(a, b).map(|(a, b)| a ^ b),
            Operation::Not(a) => constant(a).map(|a| !a),
            Operation::Add(a, b) => pair(a, b).map(|(a, b)| a.wrapping_add(b)),
            Operation::Sub(a, b) => pair(a, b).map(|(a, b)| a.wrapping_sub(b)),
            Operation::ShiftLeft(a, count) => constant(a).map(|a| a << count),
            Operation::ShiftRight(a, count) => constant(a).map(|a| a >> count),
            _ => None,
        };
        value.map_or(operation, Operation::Constant)
    }
}

impl Words for Recorder {
    type Word = Place;

    fn constant(&mut self, value: u32) -> Place {
        Self::add(self, Operation::Constant(value))
    }

    fn and(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::And(a, b))
    }

    fn or(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::Or(a, b))
    }

    fn xor(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::Xor(a, b))
    }

    fn not(&mut self, a: Place) -> Place {
        Self::add(self, Operation::Not(a))
    }

    fn add(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::Add(a, b))
    }

    fn sub(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::Sub(a, b))
    }

    fn shift_left(&mut self, a: Place, count: u32) -> Place {
        Self::add(self, Operation::ShiftLeft(a, count))
    }

    fn shift_right(&mut self, a: Place, count: u32) -> Place {
        Self::add(self, Operation::ShiftRight(a, count))
    }

    fn is_zero(&mut self, a: Place) -> Place {
        Self::add(self, Operation::IsZero(a))
    }

    fn is_less(&mut self, a: Place, b: Place) -> Place {
        Self::add(self, Operation::IsLess(a, b))
    }

    fn load(&mut self, array: usize, index: Place) -> Place {
        let stores = self.stores.get(&array).copied().unwrap_or(0);
        Self::add(self, Operation::Load { array, index, stores })
    }

    fn store(&mut self, array: usize, index: Place, value: Place, is_stored: Place) {
        Self::add(self, Operation::Store { array, index, value, is_stored });
        *self.stores.entry(array).or_default() += 1;
    }
}
