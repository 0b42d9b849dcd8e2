//! What a run takes and gives.

use crate::machine::{BitTable, BitVector, ElementaryCounts};
use std::collections::BTreeMap;
use std::ops::Range;

/// A value outside of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StarValue {
    /// A whole number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A slice or a word.
    Bits(BitVector),
    /// A table.
    Table(BitTable),
}

impl StarValue {
    /// Returns how many bits the value has; those of a number are 64.
    pub fn bits(&self) -> usize {
        match self {
            Self::Int(_) => 64,
            Self::Bool(_) => 1,
            Self::Bits(bits) => bits.len(),
            Self::Table(table) => table.rows() * table.width(),
        }
    }
}

/// An arc that is inserted while a program runs. Vertices count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// Vertex that the arc leaves.
    pub tail: usize,
    /// Vertex that the arc enters.
    pub head: usize,
    /// Weight.
    pub weight: u64,
}

/// The values from outside that a run takes, and its limit.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// Number of bits of a weight, `h`.
    pub weight_bits: usize,
    /// Values of the inputs, by name.
    pub inputs: BTreeMap<String, StarValue>,
    /// Arcs for the loops over insertions, in their order.
    pub insertions: Vec<Insertion>,
    /// Most statements; 0 stands for no limit.
    pub max_statements: u64,
}

/// The outputs and the cost of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// Values of the outputs with their names, in the order of the program.
    pub outputs: Vec<(String, StarValue)>,
    /// Elementary operations of the whole run.
    pub counts: ElementaryCounts,
    /// Statements that were carried out.
    pub statements: u64,
}

impl RunOutcome {
    /// Returns the value of an output; `None` if the program has no such output.
    pub fn output(&self, name: &str) -> Option<&StarValue> {
        self.outputs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// A statement that was carried out, as an observer sees it.
#[derive(Clone, Debug)]
pub struct RunEvent {
    /// Bytes of the statement in the text.
    pub at: Range<usize>,
    /// Variables that began anew since the statement before, by number, with their values.
    pub begun: Vec<(usize, StarValue)>,
    /// Variables that changed, by number, with their new values.
    pub changes: Vec<(usize, StarValue)>,
    /// Whether the condition of an `if` or a `while` held.
    pub condition: Option<bool>,
    /// Elementary operations of the run so far.
    pub counts: ElementaryCounts,
}

/// An observer of a run.
pub trait RunObserver {
    /// Whether the observer wants the next statement. Values are brought back from the machine only then.
    fn is_watching(&self) -> bool;
    /// Takes the values of all variables, by number, before the first statement.
    fn begin(&mut self, values: Vec<StarValue>);
    /// Takes a statement that was carried out.
    fn observe(&mut self, event: RunEvent);
}
