//! The syntax tree: what the parsers make of a line. Ranges count bytes of the line; nothing is
//! evaluated.

use std::ops::Range;

/// A word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// An expression in postfix order: evaluating and dropping it needs no recursion, however long it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) nodes: Vec<Node>,
    pub(crate) at: Range<usize>,
}

/// A step of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) op: NodeOp,
    pub(crate) at: Range<usize>,
}

/// The operation of a step on the values so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NodeOp {
    /// Push an integer.
    Int(i128),
    /// Push a float, kept as text so that it is rounded once.
    Float(String),
    /// Push the value of a symbol.
    Symbol(String),
    /// Push the address of the statement.
    Dot,
    /// Replace the last value.
    Unary(Unary),
    /// Replace the last two values.
    Binary(Binary),
    /// Replace the last values by a function's result.
    Call(String, usize),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The letters before a register number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    F,
    G,
    I,
    R,
    A,
    N,
    M,
    Cc,
    S,
    /// `%`: a virtual register of linear code.
    Virtual,
}

/// The number of a register.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// Digits.
    Literal(u32),
    /// `{expression}`.
    Computed(Box<Expr>),
    /// The name of a virtual register, and the number after it.
    Named(Box<(String, Option<Expr>)>),
}

/// A register with a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Register {
    pub(crate) prefix: Prefix,
    pub(crate) number: Number,
    /// Bit of the half: 1 = hi.
    pub(crate) half: Option<u8>,
    pub(crate) at: Range<usize>,
}

/// The step of an address set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepSyntax {
    /// No step is written.
    None,
    /// `+nK` or, when true, `-nK`.
    Register(bool, Register),
    /// A signed offset.
    Offset(Expr),
}

/// `(rK)` and its step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Address {
    pub(crate) set: Register,
    pub(crate) step: StepSyntax,
    pub(crate) at: Range<usize>,
}

/// An operand; which one an operation wants is not known here. Operands of a whole program are kept from
/// one pass to the next, so rare and large forms are boxed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A register with a number.
    Register(Register),
    /// A register and the one after it, `%a:%b`.
    Pair(Box<(Register, Register)>),
    /// A control register, `fcsr`, `fccr` or `all`.
    Named(Word),
    /// `(rK)` and its step.
    Address(Box<Address>),
    /// A number.
    Expr(Expr),
}

impl Operand {
    /// Returns the bytes of the operand in the line.
    pub(crate) fn at(&self) -> Range<usize> {
        match self {
            Self::Register(r) => r.at.clone(),
            Self::Pair(pair) => pair.0.at.start..pair.1.at.end,
            Self::Named(w) => w.at.clone(),
            Self::Address(address) => address.at.clone(),
            Self::Expr(e) => e.at.clone(),
        }
    }
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operation {
    pub(crate) name: Word,
    pub(crate) operands: Vec<Operand>,
    pub(crate) at: Range<usize>,
}

/// A code that a source allows, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Allowed {
    pub(crate) code: Word,
    pub(crate) reason: Option<Word>,
}

/// The bundle of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BundleLine {
    pub(crate) predicate: Option<Register>,
    pub(crate) left: Option<Operation>,
    /// Bytes of the `|`.
    pub(crate) bar: Option<Range<usize>>,
    pub(crate) right: Option<Operation>,
    /// Codes that `@allow(...)` allows.
    pub(crate) allowed: Vec<Allowed>,
    pub(crate) at: Range<usize>,
}

/// A directive with its arguments, by the phase that obeys it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Directive {
    /// A directive that decides which lines there are.
    Expansion(Expansion),
    /// A directive that decides where things go, or says what is known of them.
    Placement(Placement),
    /// A directive of linear code.
    Linear(Linear),
}

/// Directives that are gone when a source has been expanded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expansion {
    Macro(Word, Vec<Parameter>),
    Rept(Expr, Option<Word>),
    If(Expr),
    /// A line that only ends or divides a block: `.endm`, `.endr`, `.else`, `.endif`.
    Divider,
    Include(Word),
}

/// Directives about places, symbols, and what the linter is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Placement {
    Equ(Word, Expr),
    Kernel(Word),
    Code,
    Lmem(Operand),
    Org(Expr),
    Align(Expr),
    Data(DataForm, Vec<Expr>),
    Zero(Expr),
    /// The lower word, the upper one if it is given.
    Bundle(Expr, Option<Expr>, Vec<Allowed>),
    Global(Vec<Word>),
    Live(Vec<(Register, Option<Register>)>),
    /// Name, register, type, promises.
    Argument(Word, Operand, Option<Word>, Vec<Setting>),
    Array(Box<ArrayLine>),
    Dmabank(Operand),
    Allow(Vec<Allowed>),
    Endallow,
    Requires(Vec<Word>),
    Linear(Option<Word>),
    Endlinear,
}

/// `KEY=VALUE` of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) key: Word,
    pub(crate) value: Operand,
}

/// A line of `.array`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrayLine {
    pub(crate) name: Word,
    pub(crate) direction: Word,
    pub(crate) element: Word,
    pub(crate) shape: Vec<Expr>,
    pub(crate) settings: Vec<Setting>,
}

/// Directives between `.linear` and `.endlinear`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Linear {
    /// The count, and what is said of it: `min=N`, `multiple=N`, `expected=N`.
    Loop(Operand, Vec<(Word, Expr)>),
    Endloop,
    /// Address sets, or `abs`.
    Disjoint(Vec<Operand>),
    Even(Vec<Operand>),
    Keep(Vec<(Register, Option<Register>)>),
    Scratch(Vec<Operand>),
    Assign(Operand, Operand),
}

/// The way in which the values of a line of data make words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataForm {
    /// `.quad`: each a word.
    Quad,
    /// `.complex`: two floats a word.
    Complex,
    /// `.pair`: two integers a word.
    Pair,
}

impl DataForm {
    /// Returns the number of values that one word takes.
    pub(crate) fn values_per_word(self) -> usize {
        match self {
            Self::Quad => 1,
            Self::Complex | Self::Pair => 2,
        }
    }
}

/// A macro parameter: its name, and the text that it has when the call gives none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: Word,
    pub(crate) default: Option<String>,
}
