//! The language of STAR programs: text to tree, tree to text, and the checks that a program passes before it runs.

mod check;
mod format;
mod length;
mod parse;
mod token;
pub mod tree;
mod typed;

pub use check::check;
pub use format::format;
pub use length::LengthFormula;
pub use parse::parse;
pub use typed::{
    CheckedProgram, CheckedStatement, CheckedStatementForm, Elementary, InputSource,
    InsertionSlots, IntegerComparison, IntegerOperator, NodeForm, ProcedureBody, TypedNode,
    ValueType, Variable, VariableRole,
};
