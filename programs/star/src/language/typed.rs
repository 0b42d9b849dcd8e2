//! A program that has passed the checks: names are numbers of variables, every expression has a type, and what has to be
//! looked up is looked up.

use super::length::LengthFormula;
use crate::library::LibraryProcedure;
use crate::machine::{BitVector, Logic};
use std::fmt;
use std::ops::Range;

/// The type of a variable or an expression. A length that only a run can tell is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A bit for each row.
    Slice,
    /// Some bits.
    Word(Option<LengthFormula>),
    /// A row of bits for each row, so many columns.
    Table(Option<LengthFormula>),
    /// A whole number of the control unit.
    Int,
    /// A truth value of the control unit.
    Bool,
}

impl ValueType {
    /// Returns how many bits a value has, in each row if it is a table; `None` for numbers and truth values, and for lengths
    /// that are none.
    pub fn length(&self, rows: usize, weight_bits: usize) -> Option<usize> {
        match self {
            Self::Slice => Some(rows),
            Self::Word(Some(formula)) | Self::Table(Some(formula)) => {
                usize::try_from(formula.value(rows, weight_bits)?).ok()
            }
            _ => None,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slice => f.write_str("slice"),
            Self::Word(Some(length)) => write!(f, "word[{length}]"),
            Self::Word(None) => f.write_str("word"),
            Self::Table(Some(width)) => write!(f, "table[{width}]"),
            Self::Table(None) => f.write_str("table"),
            Self::Int => f.write_str("int"),
            Self::Bool => f.write_str("bool"),
        }
    }
}

/// The source of the value of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// The arcs of the graph, row by row: a one in row i, column j for an arc from i to j.
    Arcs,
    /// The arcs of the graph, heads in rows: a one in row j, column i for an arc from i to j.
    Heads,
    /// The weights of the arcs: row j, band i for the arc from i to j; all ones where there is none.
    Weights,
    /// The vertex to start from.
    Source,
    /// A value that the user gives under the name of the variable.
    Given,
}

impl InputSource {
    /// The words behind `from`, with the type of the value.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Arcs, "arcs"),
        (Self::Heads, "heads"),
        (Self::Weights, "weights"),
        (Self::Source, "source"),
    ];
}

/// The part that a variable has in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableRole {
    /// A variable of the program with its input and whether it is an output.
    Global(Option<InputSource>, bool),
    /// A variable of a block.
    Local,
    /// A parameter, and whether the variable that is given may be changed.
    Parameter(bool),
    /// The number of a pass, or of an arc that is inserted.
    Counted,
}

/// A variable. The program has each once, since no procedure calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name in the text.
    pub name: String,
    /// Name of the procedure that has it; empty for variables of the program.
    pub procedure: String,
    /// Type.
    pub kind: ValueType,
    /// Part in the program.
    pub role: VariableRole,
    /// Bytes of the name where it is declared.
    pub at: Range<usize>,
}

impl Variable {
    /// Returns how many bits of memory a variable takes, in words of 64 bits; `None` if a number cannot tell. A table that is
    /// a parameter stands for another variable.
    pub fn memory_bits(&self, rows: usize, weight_bits: usize) -> Option<u64> {
        let words = |length: usize| (length as u64).checked_next_multiple_of(64);
        match (&self.kind, self.role, self.kind.length(rows, weight_bits)) {
            (ValueType::Table(_), VariableRole::Parameter(_), _) | (.., None) => Some(0),
            (ValueType::Table(_), _, Some(width)) => words(rows)?.checked_mul(width as u64),
            (.., Some(length)) => words(length),
        }
    }
}

/// Elementary operations that give a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they have the names of the operations, which the model explains")]
pub enum Elementary {
    Find,
    Number,
    Some,
    Zero,
    Convert,
    Trim,
    Column,
    Row,
    Add,
    Less,
}

impl Elementary {
    /// All of them with their names in programs, and how a call is written.
    pub const ALL: [(Self, &'static str, &'static str); 10] = [
        (Self::Find, "FND", "FND(Y)"),
        (Self::Number, "NUMB", "NUMB(Y)"),
        (Self::Some, "SOME", "SOME(Y)"),
        (Self::Zero, "ZERO", "ZERO(Y)"),
        (Self::Convert, "CONVERT", "CONVERT(Y)"),
        (Self::Trim, "TRIM", "TRIM(i, j, w)"),
        (Self::Column, "COL", "COL(i, T)"),
        (Self::Row, "ROW", "ROW(i, T)"),
        (Self::Add, "ADD", "ADD(v1, v2)"),
        (Self::Less, "LESS", "LESS(v1, v2)"),
    ];
}

/// Operators on whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they have the usual names")]
pub enum IntegerOperator {
    Add,
    Subtract,
    Multiply,
}

/// Comparisons of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they have the usual names")]
pub enum IntegerComparison {
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An expression with its type and its place.
#[derive(Clone, Debug)]
pub struct TypedNode {
    /// Bytes of the expression.
    pub at: Range<usize>,
    /// Type of the value.
    pub kind: ValueType,
    /// Computation that gives the value.
    pub form: NodeForm,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum NodeForm {
    /// A whole number.
    Int(i64),
    /// A truth value.
    Truth(bool),
    /// Bits of a word.
    Bits(BitVector),
    /// `n`: how many rows there are.
    Rows,
    /// `h`: how many bits a weight has.
    Weight,
    /// The value of a variable.
    Load(usize),
    /// A bit of a slice or word.
    Bit(usize, Box<TypedNode>),
    /// An elementary operation.
    Elementary(Elementary, Vec<TypedNode>),
    /// Arithmetic of the control unit.
    Integer(IntegerOperator, Box<(TypedNode, TypedNode)>),
    /// Comparison of the control unit.
    Compare(IntegerComparison, Box<(TypedNode, TypedNode)>),
    /// Logic on slices or words.
    Logic(Logic, Box<(TypedNode, TypedNode)>),
    /// `not` of a slice or word.
    NotBits(Box<TypedNode>),
    /// Logic on truth values; the second is computed only if it matters.
    LogicTruth(Logic, Box<(TypedNode, TypedNode)>),
    /// `not` of a truth value.
    NotTruth(Box<TypedNode>),
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct CheckedStatement {
    /// Bytes of the statement, of a compound one up to its first block.
    pub at: Range<usize>,
    /// Effect of the statement.
    pub form: CheckedStatementForm,
}

/// Variables that a loop over insertions sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertionSlots {
    /// Number of the variable of the tail.
    pub tail: usize,
    /// Number of the variable of the head.
    pub head: usize,
    /// Number of the variable of the weight.
    pub weight: usize,
}

/// The forms of statements. Variables are given by number.
#[derive(Clone, Debug)]
pub enum CheckedStatementForm {
    /// Variables begin anew, as zeros.
    Declare(Vec<usize>),
    /// A variable gets a value.
    Assign(usize, TypedNode),
    /// A bit of a slice or word gets a value, 0 or 1.
    AssignBit(usize, TypedNode, TypedNode),
    /// A column of a table gets a value.
    AssignColumn(usize, TypedNode, TypedNode),
    /// A row of a table gets a value.
    AssignRow(usize, TypedNode, TypedNode),
    /// `STEP`: a number, and the slice from which it is taken.
    Step(usize, usize),
    /// `SET` or `CLR`.
    Fill(usize, bool),
    /// `FRST`.
    KeepFirst(usize),
    /// `MASK`.
    Mask(usize, TypedNode),
    /// `REP`: the word that changes, its part, and what takes the place.
    Replace(usize, Box<(TypedNode, TypedNode, TypedNode)>),
    /// A procedure of the library.
    Library(LibraryProcedure, Vec<TypedNode>),
    /// A procedure of the program, by number.
    Call(usize, Vec<TypedNode>),
    /// Conditions with their statements, and the statements if none holds.
    If(Vec<(TypedNode, Vec<CheckedStatement>)>, Vec<CheckedStatement>),
    /// `while`.
    While(TypedNode, Vec<CheckedStatement>),
    /// `for`: number of the pass, first, last, statements.
    For(usize, Box<(TypedNode, TypedNode)>, Vec<CheckedStatement>),
    /// `forall`: as `for`; the tables whose columns are written, which are read as they were before.
    ForAll(usize, Box<(TypedNode, TypedNode)>, Vec<CheckedStatement>, Vec<usize>),
    /// A pass for each insertion.
    Insertions(InsertionSlots, Vec<CheckedStatement>),
    /// `require`: the condition that has to hold, and the message if it does not.
    Require(TypedNode, String),
}

/// A procedure that has passed the checks.
#[derive(Clone, Debug)]
pub struct ProcedureBody {
    /// Name in the text.
    pub name: String,
    /// Numbers of the variables that are parameters.
    pub parameters: Vec<usize>,
    /// Statements.
    pub body: Vec<CheckedStatement>,
}

/// A program that has passed the checks.
#[derive(Clone, Debug)]
pub struct CheckedProgram {
    /// Number of the text in the sources.
    pub file: u32,
    /// All variables; those of the program first.
    pub variables: Vec<Variable>,
    /// All procedures.
    pub procedures: Vec<ProcedureBody>,
    /// Number of the procedure with which a run begins.
    pub main: usize,
}

impl CheckedProgram {
    /// Returns the variables of the program that are inputs, with their numbers and sources.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, &Variable, InputSource)> {
        self.variables.iter().enumerate().filter_map(|(slot, variable)| match variable.role {
            VariableRole::Global(Some(source), _) => Some((slot, variable, source)),
            _ => None,
        })
    }

    /// Returns the variables of the program that are outputs, with their numbers.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, &Variable)> {
        let all = self.variables.iter().enumerate();
        all.filter(|(_, variable)| matches!(variable.role, VariableRole::Global(_, true)))
    }

    /// Returns how many bits of memory all variables take; `None` if a number cannot tell.
    pub fn memory_bits(&self, rows: usize, weight_bits: usize) -> Option<u64> {
        let all = self.variables.iter().map(|variable| variable.memory_bits(rows, weight_bits));
        all.into_iter().try_fold(0_u64, |sum, bits| sum.checked_add(bits?))
    }

    /// Whether a procedure has a loop over insertions.
    pub fn takes_insertions(&self) -> bool {
        fn has(body: &[CheckedStatement]) -> bool {
            body.iter().any(|operation| match &operation.form {
                CheckedStatementForm::Insertions(..) => true,
                CheckedStatementForm::If(branches, otherwise) => {
                    branches.iter().any(|(_, body)| has(body)) || has(otherwise)
                }
                CheckedStatementForm::While(_, body)
                | CheckedStatementForm::For(_, _, body)
                | CheckedStatementForm::ForAll(_, _, body, _) => has(body),
                _ => false,
            })
        }
        self.procedures.iter().any(|procedure| has(&procedure.body))
    }
}
