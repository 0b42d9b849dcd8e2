//! The tree of a program's text: everything that the text says, comments included, and nothing that follows from it.

use std::ops::Range;

/// Bytes of the text from which a part of the tree was read. Any two are equal, so that trees are compared by what they
/// say.
#[derive(Clone, Debug, Default)]
pub struct TextSpan(pub Range<usize>);

impl PartialEq for TextSpan {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedName {
    /// The name.
    pub text: String,
    /// Bytes of the name.
    pub at: TextSpan,
}

/// A part of a program with the comments at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Commented<T> {
    /// Whether an empty line stands before it.
    pub is_apart: bool,
    /// Comments in the lines before it, each with its `//`.
    pub leading: Vec<String>,
    /// The part itself.
    pub part: T,
    /// Comment behind it in its last line.
    pub trailing: Option<String>,
}

/// The tree of a whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramTree {
    /// Declarations and procedures, in their order.
    pub items: Vec<Commented<ItemTree>>,
    /// Comments behind the last item.
    pub tail: Vec<String>,
}

/// A declaration or a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemTree {
    /// A declaration of variables.
    Variables(DeclarationTree),
    /// A procedure.
    Procedure(ProcedureTree),
}

/// The word that a declaration begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationWord {
    /// `input`: a value from outside.
    Input,
    /// `output`: a value that the run gives.
    Output,
    /// `inout`: both.
    InOut,
    /// `var`: neither.
    Var,
}

impl DeclarationWord {
    /// All words with their spelling.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Input, "input"),
        (Self::Output, "output"),
        (Self::InOut, "inout"),
        (Self::Var, "var"),
    ];
}

/// A declaration of variables of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclarationTree {
    /// Word that the declaration begins with.
    pub word: DeclarationWord,
    /// Names of the variables.
    pub names: Vec<PlacedName>,
    /// Type of all of them.
    pub kind: TypeTree,
    /// Source of the value of an input, the word behind `from`.
    pub source: Option<PlacedName>,
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeTree {
    /// Word of the type: `slice`, `word`, `table`, `int`, `bool`.
    pub word: PlacedName,
    /// Length of a word, number of columns of a table.
    pub length: Option<ExpressionTree>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureTree {
    /// Name of the procedure.
    pub name: PlacedName,
    /// Parameters, in their order.
    pub parameters: Vec<ParameterTree>,
    /// Statements.
    pub body: BlockTree,
}

/// A parameter of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterTree {
    /// Whether the procedure may change the variable that is given: `var`.
    pub is_result: bool,
    /// Name of the parameter.
    pub name: PlacedName,
    /// Type of the parameter.
    pub kind: TypeTree,
}

/// Statements in braces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockTree {
    /// Comment behind the opening brace.
    pub opening: Option<String>,
    /// Statements, in their order.
    pub statements: Vec<Commented<StatementTree>>,
    /// Comments before the closing brace.
    pub tail: Vec<String>,
}

/// A statement with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementTree {
    /// Bytes of the statement, of a compound one up to its first block.
    pub at: TextSpan,
    /// Form of the statement with its parts.
    pub form: StatementForm,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementForm {
    /// Declaration of variables of the block.
    Variables(DeclarationTree),
    /// `TARGET := VALUE`; the target is a name or a call such as `COL(i, T)`.
    Assign(ExpressionTree, ExpressionTree),
    /// Call of a procedure.
    Call(PlacedName, Vec<ExpressionTree>),
    /// `if` with its conditions and blocks, and what stands behind `else`.
    If(Vec<(ExpressionTree, BlockTree)>, Option<BlockTree>),
    /// `while`.
    While(ExpressionTree, BlockTree),
    /// `for NAME := FROM to TO`, or `forall`, whose passes happen at once.
    For {
        /// Whether all passes happen at once.
        is_at_once: bool,
        /// Number of the pass.
        variable: PlacedName,
        /// First and last number.
        range: (ExpressionTree, ExpressionTree),
        /// Statements of a pass.
        body: BlockTree,
    },
    /// `for (TAIL, HEAD, WEIGHT) in insertions`.
    Insertions([PlacedName; 3], BlockTree),
    /// `require CONDITION, "MESSAGE"`.
    Require(ExpressionTree, String),
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionTree {
    /// Bytes of the expression.
    pub at: TextSpan,
    /// Form of the expression with its parts.
    pub form: ExpressionForm,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionForm {
    /// A whole number.
    Number(i64),
    /// Bits of a word: the digits behind `0b`.
    Bits(String),
    /// `true` or `false`.
    Truth(bool),
    /// A name.
    Name(String),
    /// A call, or a bit of a slice: `NAME(...)`.
    Apply(PlacedName, Vec<ExpressionTree>),
    /// An operator before its operand.
    Unary(UnaryWord, Box<ExpressionTree>),
    /// An operator between its operands.
    Binary(BinaryWord, Box<ExpressionTree>, Box<ExpressionTree>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryWord {
    /// `not`.
    Not,
    /// `-`.
    Minus,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the spelling of each stands in the table")]
pub enum BinaryWord {
    Or,
    Xor,
    And,
    Equal,
    Unequal,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
}

impl BinaryWord {
    /// All operators with their spelling and how strongly they bind.
    pub const ALL: [(Self, &'static str, u8); 12] = [
        (Self::Or, "or", 1),
        (Self::Xor, "xor", 2),
        (Self::And, "and", 3),
        (Self::Equal, "=", 5),
        (Self::Unequal, "/=", 5),
        (Self::LessEqual, "<=", 5),
        (Self::GreaterEqual, ">=", 5),
        (Self::Less, "<", 5),
        (Self::Greater, ">", 5),
        (Self::Add, "+", 6),
        (Self::Subtract, "-", 6),
        (Self::Multiply, "*", 7),
    ];

    /// Returns the spelling.
    pub fn text(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns how strongly the operator binds; more is stronger.
    pub fn strength(self) -> u8 {
        Self::ALL[self as usize].2
    }
}

/// Strength of `not`: below comparisons, above `and`.
pub const NOT_STRENGTH: u8 = 4;
/// Strength of a sign.
pub const SIGN_STRENGTH: u8 = 8;
