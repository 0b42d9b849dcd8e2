//! Places at which a run stops.

use crate::condition::ValueCondition;
use crate::operand::DebugOperand;
use cp2_isa::{BundleAddress, Cycle};
use std::collections::BTreeSet;
use std::fmt;

/// Place at which a run stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakPlace {
    /// The cycles in which one of these bundles issues, before it does. The text is what was asked for: a line or a label.
    Bundles(BTreeSet<BundleAddress>, String),
    /// A cycle, counted from reset.
    Cycle(Cycle),
    /// A write of a register, a word of local memory or an element of an array there: behind the cycle of the write going forwards, before it going back.
    Write(DebugOperand),
}

impl fmt::Display for BreakPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundles(_, text) => f.write_str(text),
            Self::Cycle(cycle) => write!(f, "cycle {cycle}"),
            Self::Write(operand) => write!(f, "a write of {operand}"),
        }
    }
}

/// Breakpoint: a place, and a condition under which the run stops there.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Number of the breakpoint, from 1; none is given twice.
    pub number: u32,
    /// Place at which the run stops.
    pub place: BreakPlace,
    /// Condition that holds in the state in which the run would stop; without one it stops always.
    pub condition: Option<ValueCondition>,
}

impl fmt::Display for Breakpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.place)?;
        match &self.condition {
            Some(condition) => write!(f, " if {condition}"),
            None => Ok(()),
        }
    }
}
