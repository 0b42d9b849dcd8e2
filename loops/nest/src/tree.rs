//! The tree of a text as it is written: more than the subset has, so that what lies outside can be named.

use std::ops::Range;

/// A type of C that the subset knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeTree {
    Integer,
    Float,
    Double,
    Complex,
}

/// An expression with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct ExpressionTree {
    pub(crate) kind: ExpressionKind,
    pub(crate) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Number(String),
    Name(String),
    /// Array and one index.
    Index(Box<ExpressionTree>, Box<ExpressionTree>),
    Call(String, Vec<ExpressionTree>),
    /// Operator that stands before its operand.
    Unary(String, Box<ExpressionTree>),
    /// `++` or `--` behind its operand.
    Postfix(String, Box<ExpressionTree>),
    /// Operator between two operands, assignments included.
    Binary(String, Box<ExpressionTree>, Box<ExpressionTree>),
    /// `?:`, or a member of a structure, which the subset does not have; what it is.
    Refused(&'static str),
    Cast,
}

/// The name and sizes of something declared.
#[derive(Clone, Debug)]
pub(crate) struct DeclaratorTree {
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    /// Place of the `*` or `&` of a pointer.
    pub(crate) pointer: Option<Range<usize>>,
    pub(crate) sizes: Vec<Option<ExpressionTree>>,
    pub(crate) value: Option<ExpressionTree>,
}

/// A parameter of the function.
#[derive(Clone, Debug)]
pub(crate) struct ParameterTree {
    pub(crate) kind: TypeTree,
    pub(crate) is_constant: bool,
    pub(crate) declarator: DeclaratorTree,
}

/// A loop as it is written.
#[derive(Clone, Debug)]
pub(crate) struct ForTree {
    /// Whether the head declares the index.
    pub(crate) declares: bool,
    pub(crate) name: String,
    pub(crate) name_at: Range<usize>,
    pub(crate) begin: ExpressionTree,
    pub(crate) condition: ExpressionTree,
    pub(crate) step: ExpressionTree,
    pub(crate) body: Box<StatementTree>,
    /// Place of the head, `for` to `)`.
    pub(crate) at: Range<usize>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum StatementTree {
    For(ForTree),
    If {
        condition: ExpressionTree,
        then: Box<StatementTree>,
        otherwise: Option<Box<StatementTree>>,
    },
    Block(Vec<StatementTree>),
    Expression(ExpressionTree),
    Declaration {
        kind: TypeTree,
        declarators: Vec<DeclaratorTree>,
    },
    Pragma(PragmaTree),
}

/// A pragma of the tool.
#[derive(Clone, Debug)]
pub(crate) enum PragmaTree {
    /// `map(e, ...)`.
    Map(Vec<ExpressionTree>, Range<usize>),
    /// `forbid(NAME, ...)`.
    Forbid(Vec<(String, Range<usize>)>),
    /// `assume(condition)`.
    Assume(ExpressionTree),
}

/// The function of a text.
#[derive(Clone, Debug)]
pub(crate) struct FunctionTree {
    pub(crate) name: String,
    pub(crate) parameters: Vec<ParameterTree>,
    /// Pragmas before the function.
    pub(crate) pragmas: Vec<PragmaTree>,
    pub(crate) body: Vec<StatementTree>,
}
