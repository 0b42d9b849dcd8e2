//! Bits that words of a task can have, so that tests of them take few operations.

use cp2_recursion::{MOST_FIELDS, StepOperation, StepPlace, StepProgram, Task, TaskArray};

/// Steps of a task as lanes do them: the first one of a call, and every other one; and the bits that words can have.
pub(super) struct Steps {
    /// First step: the state and all locals are 0.
    pub enter: StepProgram,
    /// Every other step.
    pub go_on: StepProgram,
    /// State of a frame that has been entered, if it is always the same; then frames need none.
    pub state: Option<u32>,
    /// Whether values are sums.
    pub is_sum: bool,
    /// Bits that the fields of a frame can have.
    pub fields: [u32; MOST_FIELDS],
    arrays: Vec<u32>,
}

/// Rounds after which bits that still grow count as all.
const ROUNDS: usize = 40;

impl Steps {
    /// Records the steps of a task.
    pub(super) fn of<T: Task>(task: &T) -> Self {
        let enter = StepProgram::of_entry(task);
        let state = match enter.operations[enter.next.state] {
            StepOperation::Constant(state) if state != 0 => Some(state),
            _ => None,
        };
        // Where values return, a called frame is entered in a pass of its own, in state 0.
        let state = state.filter(|&state| {
            task.is_sum() && {
                let program = StepProgram::in_state(task, state);
                program.operations[program.next.state] == StepOperation::Constant(state)
            }
        });
        let go_on = match state {
            Some(state) => StepProgram::in_state(task, state),
            None => StepProgram::of(task),
        };
        let arrays = task.arrays().iter().map(bits_of).collect();
        let mut fields = [0; MOST_FIELDS];
        let root = task.root();
        fields[..root.len()].copy_from_slice(&root);
        let mut steps = Self { enter, go_on, state, is_sum: task.is_sum(), fields, arrays };
        if let Some(idle) = task.idle() {
            steps.widen(&idle.fields);
        }
        steps.grow_bits(root.len());
        steps
    }

    /// Returns whether every step of an entered frame makes a call.
    pub(super) fn always_calls(&self) -> bool {
        self.go_on.operations[self.go_on.next.calls] == StepOperation::Constant(u32::MAX)
    }

    /// Lets the bits of a frame grow by those of another one, and returns whether they did.
    fn widen(&mut self, fields: &[u32; MOST_FIELDS]) -> bool {
        let before = self.fields;
        self.fields.iter_mut().zip(fields).for_each(|(all, more)| *all |= more);
        self.fields != before
    }

    /// Lets the bits of frames grow until every step leads to frames with no other ones.
    fn grow_bits(&mut self, parameters: usize) {
        for round in 0.. {
            let mut grows = false;
            for program in [self.enter.clone(), self.go_on.clone()] {
                let bits = self.bits(&program);
                let frame = program.next.fields.map(|place| bits[place]);
                let mut called = program.next.arguments.map(|place| bits[place]);
                called[parameters..].fill(0);
                grows |= self.widen(&frame);
                grows |= self.widen(&called);
            }
            if !grows {
                return;
            }
            if round == ROUNDS {
                self.fields = [u32::MAX; MOST_FIELDS];
                return;
            }
        }
    }

    /// Returns the bits that the results of a program can have.
    pub(super) fn bits(&self, program: &StepProgram) -> Vec<u32> {
        let mut bits: Vec<u32> = Vec::new();
        for operation in &program.operations {
            let of = |place: StepPlace| bits[place];
            let possible = match *operation {
                StepOperation::Constant(value) => value,
                StepOperation::State | StepOperation::Returned => u32::MAX,
                StepOperation::Field(field) => self.fields[field],
                StepOperation::And(a, b) => of(a) & of(b),
                StepOperation::Or(a, b) | StepOperation::Xor(a, b) => of(a) | of(b),
                StepOperation::Add(a, b) => up_to(u64::from(of(a)) + u64::from(of(b))),
                StepOperation::ShiftLeft(a, count) => of(a) << count,
                StepOperation::ShiftRight(a, count) => of(a) >> count,
                StepOperation::Within(a, mask) => of(a) & mask,
                StepOperation::Load { array, .. } => self.arrays[array],
                StepOperation::Not(_)
                | StepOperation::Sub(..)
                | StepOperation::IsZero(_)
                | StepOperation::IsLess(..)
                | StepOperation::Store { .. } => u32::MAX,
            };
            bits.push(possible);
        }
        bits
    }
}

/// Returns all bits of numbers up to a greatest one.
fn up_to(most: u64) -> u32 {
    let bits = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
    u32::try_from(bits).unwrap_or(u32::MAX)
}

/// Returns the bits that elements of an array can have.
fn bits_of(array: &TaskArray) -> u32 {
    if array.is_own { u32::MAX } else { array.words.iter().fold(0, |all, word| all | word) }
}
