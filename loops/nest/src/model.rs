//! Loop nests as analysis and code generation take them: affine bounds, conditions and indices, values as trees.

use crate::affine::{AffineForm, AffineSymbol};
use std::ops::Range;

/// A nest: a function of C with its loops and statements.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Name of the function.
    pub name: String,
    /// Parameters of its type int: sizes and bounds.
    pub parameters: Vec<NestName>,
    /// Parameters of a type of numbers, which nothing changes.
    pub scalars: Vec<NestScalar>,
    /// Arrays: parameters of the function, then what it declares itself; a variable is an array without sizes.
    pub arrays: Vec<NestArray>,
    /// Loops in the order of the text.
    pub loops: Vec<NestLoop>,
    /// Assignments in the order of the text.
    pub statements: Vec<NestStatement>,
    /// Loops, conditions and assignments as they stand in each other.
    pub body: Vec<NestNode>,
    /// Conditions on parameters under which the nest is run, by `assume`.
    pub context: Vec<NestCondition>,
    /// Transformations that a pragma forbids.
    pub forbidden: Vec<NestTransformation>,
}

/// A name with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestName {
    /// The name.
    pub name: String,
    /// Place of its declaration, in bytes.
    pub at: Range<usize>,
}

/// A parameter that is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestScalar {
    /// Name and place.
    pub name: NestName,
    /// Type of the number.
    pub kind: ScalarType,
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarType {
    /// `float`, 32 bits.
    Float,
    /// `double`, 64 bits.
    Double,
    /// `float complex`, two numbers of 32 bits.
    Complex,
}

impl ScalarType {
    /// Returns the words of the type in C.
    pub fn words(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Double => "double",
            Self::Complex => "float complex",
        }
    }

    /// Returns the number of bytes of a number of the type.
    pub fn bytes(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Double | Self::Complex => 8,
        }
    }
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestArray {
    /// Name and place.
    pub name: NestName,
    /// Type of the elements.
    pub kind: ScalarType,
    /// Sizes, the first index first; none for a variable.
    pub sizes: Vec<AffineForm>,
    /// Whether it is declared `const`.
    pub is_constant: bool,
    /// Loops around the declaration of an array that the function declares itself: each iteration has one of its own.
    /// `None` for a parameter of the function.
    pub local: Option<Vec<usize>>,
}

/// A loop of step 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// Name of the index, with the place of the head of the loop.
    pub name: NestName,
    /// Lower bounds; the loop begins at their maximum.
    pub lower: Vec<AffineForm>,
    /// Upper bounds, which belong to the loop; it ends with their minimum.
    pub upper: Vec<AffineForm>,
    /// Loops around it, the outermost first.
    pub around: Vec<usize>,
}

/// A condition on indices and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestCondition {
    /// The form is 0 or more.
    AtLeastZero(AffineForm),
    /// The form is 0.
    Zero(AffineForm),
    /// All of them hold.
    All(Vec<NestCondition>),
    /// At least one of them holds.
    Any(Vec<NestCondition>),
}

impl NestCondition {
    /// Returns the condition that holds where this one does not; `None` if a number overflows.
    pub fn negated(&self) -> Option<Self> {
        let below = |form: &AffineForm| form.times(-1)?.plus_number(-1).map(Self::AtLeastZero);
        Some(match self {
            Self::AtLeastZero(form) => below(form)?,
            Self::Zero(form) => {
                let above = form.plus_number(-1).map(Self::AtLeastZero)?;
                Self::Any(vec![above, below(form)?])
            }
            Self::All(all) => Self::Any(all.iter().map(Self::negated).collect::<Option<_>>()?),
            Self::Any(all) => Self::All(all.iter().map(Self::negated).collect::<Option<_>>()?),
        })
    }

    /// Whether the condition holds for values of its variables; `None` if a number does not fit 64 bits.
    pub fn holds(&self, of: &impl Fn(AffineSymbol) -> i64) -> Option<bool> {
        Some(match self {
            Self::AtLeastZero(form) => form.value(of)? >= 0,
            Self::Zero(form) => form.value(of)? == 0,
            Self::All(all) => {
                for one in all {
                    if !one.holds(of)? {
                        return Some(false);
                    }
                }
                true
            }
            Self::Any(all) => {
                for one in all {
                    if one.holds(of)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}

/// An element of an array at one place of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayAccess {
    /// Number of the array.
    pub array: usize,
    /// Indices, the first one first.
    pub subscripts: Vec<AffineForm>,
    /// Whether the element is written.
    pub is_write: bool,
    /// Place in the text.
    pub at: Range<usize>,
}

/// A function that values may be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFunction {
    /// Absolute value, `fabs`.
    Absolute,
    /// Square root, `sqrt`.
    SquareRoot,
    /// The smaller of two numbers, `fmin`.
    Minimum,
    /// The greater of two numbers, `fmax`.
    Maximum,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOperator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient.
    Divide,
}

impl ValueOperator {
    /// Returns the sign of the operation.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }
}

/// A value that a statement computes.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTree {
    /// Number with its type.
    Number(f64, ScalarType),
    /// Whole number that comes from indices and parameters.
    Whole(AffineForm),
    /// Parameter with this number in [`Nest::scalars`].
    Scalar(usize),
    /// Element with this number in [`NestStatement::accesses`].
    Element(usize),
    /// Value with the other sign.
    Negated(Box<ValueTree>),
    /// Operation on two values.
    Binary(ValueOperator, Box<ValueTree>, Box<ValueTree>),
    /// Function of values, computed in the type; in that of the values if there is none.
    Call(ValueFunction, Option<ScalarType>, Vec<ValueTree>),
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct NestStatement {
    /// Loops around it, the outermost first.
    pub loops: Vec<usize>,
    /// Conditions around it.
    pub guards: Vec<NestCondition>,
    /// Elements in the order of the text: the one that is written, then those that are read.
    pub accesses: Vec<ArrayAccess>,
    /// Value that is assigned; with `+=` and the like, the first element that is read is the one that is written.
    pub value: ValueTree,
    /// Operation of an assignment such as `+=`.
    pub update: Option<ValueOperator>,
    /// Places among what stands beside it: one before each loop, and one within the last.
    pub position: Vec<usize>,
    /// Thread numbers that a pragma demands, with the place of the pragma.
    pub demanded: Option<(Vec<AffineForm>, Range<usize>)>,
    /// Place in the text.
    pub at: Range<usize>,
}

/// A part of the body.
#[derive(Clone, Debug)]
pub enum NestNode {
    /// Loop with this number, and its body.
    Loop(usize, Vec<NestNode>),
    /// Condition, what is done where it holds, and what where it does not.
    If(NestCondition, Vec<NestNode>, Vec<NestNode>),
    /// Assignment with this number.
    Assign(usize),
    /// Declaration of the array with this number.
    Declare(usize),
}

/// A transformation that a pragma can forbid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestTransformation {
    /// A copy of storage for each iteration.
    Expand,
    /// Partial sums, minima or maxima that are joined at the end.
    Reduce,
    /// Tiles with wavefronts.
    Tile,
}

impl NestTransformation {
    /// All transformations with their words in pragmas.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Expand, "expand"), (Self::Reduce, "reduce"), (Self::Tile, "tile")];
}

impl Nest {
    /// Returns the name of a variable of affine forms.
    pub fn symbol_name(&self, symbol: AffineSymbol) -> String {
        match symbol {
            AffineSymbol::Index(number) => self.loops[number].name.name.clone(),
            AffineSymbol::Parameter(number) => self.parameters[number].name.clone(),
        }
    }

    /// Returns the type of a value of a statement with these elements; `None` of a whole number.
    pub fn value_type(&self, value: &ValueTree, accesses: &[ArrayAccess]) -> Option<ScalarType> {
        match value {
            ValueTree::Number(_, kind) => Some(*kind),
            ValueTree::Whole(_) => None,
            ValueTree::Scalar(number) => Some(self.scalars[*number].kind),
            ValueTree::Element(number) => Some(self.arrays[accesses[*number].array].kind),
            ValueTree::Negated(inner) => self.value_type(inner, accesses),
            ValueTree::Binary(_, left, right) => {
                self.value_type(left, accesses).max(self.value_type(right, accesses))
            }
            ValueTree::Call(_, Some(kind), _) => Some(*kind),
            ValueTree::Call(_, None, values) => {
                values.iter().filter_map(|value| self.value_type(value, accesses)).max()
            }
        }
    }

    /// Returns an affine form as a text of C.
    pub fn form_text(&self, form: &AffineForm) -> String {
        form.text(&|symbol| self.symbol_name(symbol))
    }

    /// Returns an element as a text of C, as in `A[i][k + 1]`.
    pub fn access_text(&self, access: &ArrayAccess) -> String {
        let mut text = self.arrays[access.array].name.name.clone();
        for form in &access.subscripts {
            text += &format!("[{}]", self.form_text(form));
        }
        text
    }
}
