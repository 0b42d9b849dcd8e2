//! Values out of expressions, and the elements of arrays in them.

use super::Lowering;
use super::index::{FormUse, whole_number};
use super::scope::Meaning;
use crate::affine::AffineForm;
use crate::model::{ArrayAccess, ScalarType, ValueFunction, ValueOperator, ValueTree};
use crate::parse::ASSIGNMENTS;
use crate::problems::Wrong;
use crate::tree::{ExpressionKind, ExpressionTree};
use cp2_asm::nearest;

/// Functions by name: what they compute, in which type, and of how many values.
const FUNCTIONS: [(&str, ValueFunction, Option<ScalarType>, usize); 12] = [
    ("fabs", ValueFunction::Absolute, Some(ScalarType::Double), 1),
    ("fabsf", ValueFunction::Absolute, Some(ScalarType::Float), 1),
    ("sqrt", ValueFunction::SquareRoot, Some(ScalarType::Double), 1),
    ("sqrtf", ValueFunction::SquareRoot, Some(ScalarType::Float), 1),
    ("fmin", ValueFunction::Minimum, Some(ScalarType::Double), 2),
    ("fminf", ValueFunction::Minimum, Some(ScalarType::Float), 2),
    ("fmax", ValueFunction::Maximum, Some(ScalarType::Double), 2),
    ("fmaxf", ValueFunction::Maximum, Some(ScalarType::Float), 2),
    ("min", ValueFunction::Minimum, None, 2),
    ("max", ValueFunction::Maximum, None, 2),
    ("MIN", ValueFunction::Minimum, None, 2),
    ("MAX", ValueFunction::Maximum, None, 2),
];

/// A value with the elements that it reads, in the order of the text.
pub(super) type ReadValue = (ValueTree, Vec<ArrayAccess>);

/// Returns the number of C that a text is, with its type.
fn number(text: &str) -> Option<(f64, ScalarType)> {
    let (digits, kind) = match text.strip_suffix(['f', 'F']) {
        Some(digits) => (digits, ScalarType::Float),
        None => (text, ScalarType::Double),
    };
    let value: f64 = digits.parse().ok()?;
    let value =
        if kind == ScalarType::Float { f64::from(digits.parse::<f32>().ok()?) } else { value };
    value.is_finite().then_some((value, kind))
}

impl Lowering<'_> {
    /// Returns the value that an expression is, with the elements that it reads.
    pub(super) fn value_of(&self, tree: &ExpressionTree) -> Result<ReadValue, Wrong> {
        let mut accesses = Vec::new();
        let value = self.value(tree, &mut accesses)?;
        Ok((value, accesses))
    }

    /// Whether an expression has whole numbers alone, as far as its names are known.
    fn is_whole(&self, tree: &ExpressionTree) -> bool {
        match &tree.kind {
            ExpressionKind::Number(text) => whole_number(text).is_some(),
            ExpressionKind::Name(name) => {
                let meaning = self.scope.find(name).map(|known| known.meaning);
                matches!(
                    meaning,
                    Some(Meaning::Parameter(_) | Meaning::Index(_) | Meaning::Integer)
                )
            }
            ExpressionKind::Unary(sign, inner) => {
                ["-", "+"].contains(&sign.as_str()) && self.is_whole(inner)
            }
            ExpressionKind::Binary(sign, left, right) => {
                ["+", "-", "*", "/", "%", "<<", ">>"].contains(&sign.as_str())
                    && self.is_whole(left)
                    && self.is_whole(right)
            }
            _ => false,
        }
    }

    /// Returns the value that an expression is; the elements that it reads follow those of `accesses`.
    pub(super) fn value(
        &self,
        tree: &ExpressionTree,
        accesses: &mut Vec<ArrayAccess>,
    ) -> Result<ValueTree, Wrong> {
        if self.is_whole(tree) {
            return self.form(tree, FormUse::Value).map(ValueTree::Whole);
        }
        match &tree.kind {
            ExpressionKind::Number(text) => match number(text) {
                Some((value, kind)) => Ok(ValueTree::Number(value, kind)),
                None => {
                    let message = format!("`{text}` is no number of the type float or double");
                    Err(Box::new(self.error("C1102", tree, message)))
                }
            },
            ExpressionKind::Name(_) | ExpressionKind::Index(..) => self.operand(tree, accesses),
            ExpressionKind::Unary(sign, inner) if sign == "-" || sign == "+" => {
                let inner = self.value(inner, accesses)?;
                Ok(if sign == "-" { ValueTree::Negated(Box::new(inner)) } else { inner })
            }
            ExpressionKind::Binary(sign, left, right) => {
                let Some(operator) = value_operator(sign) else {
                    return Err(self.no_value(tree));
                };
                let left = self.value(left, accesses)?;
                let right = self.value(right, accesses)?;
                self.check_types(tree, &[&left, &right], accesses)?;
                Ok(ValueTree::Binary(operator, Box::new(left), Box::new(right)))
            }
            ExpressionKind::Call(name, arguments) => self.call(tree, name, arguments, accesses),
            _ => Err(self.no_value(tree)),
        }
    }

    fn no_value(&self, tree: &ExpressionTree) -> Wrong {
        let (is, help) = match &tree.kind {
            ExpressionKind::Refused(what) if what.contains('?') => {
                (*what, "write fmin or fmax, or a sum with a factor of 0 or 1")
            }
            ExpressionKind::Refused(what) => (*what, "give each member an array of its own"),
            ExpressionKind::Binary(sign, ..) if ASSIGNMENTS.contains(&sign.as_str()) => {
                ("an assignment within an expression", "assign in a statement of its own")
            }
            ExpressionKind::Postfix(..) => {
                ("an assignment within an expression", "assign in a statement of its own")
            }
            ExpressionKind::Unary(sign, _) if sign == "*" || sign == "&" => {
                ("a use of a pointer", "name the array with its indices")
            }
            ExpressionKind::Unary(sign, _) if sign == "++" || sign == "--" => {
                ("an assignment within an expression", "assign in a statement of its own")
            }
            ExpressionKind::Cast => ("a cast", "a value takes the type of what it is assigned to"),
            ExpressionKind::Binary(..) | ExpressionKind::Unary(..) => (
                "no sum, difference, product or quotient of numbers",
                "values have + - * /, fmin, fmax, fabs and sqrt",
            ),
            _ => ("no value", "values have + - * /, fmin, fmax, fabs and sqrt"),
        };
        let message = format!("`{}` is {is}", self.text(tree));
        Box::new(self.error("C1108", tree, message).help(help))
    }

    fn call(
        &self,
        tree: &ExpressionTree,
        name: &str,
        arguments: &[ExpressionTree],
        accesses: &mut Vec<ArrayAccess>,
    ) -> Result<ValueTree, Wrong> {
        let found = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let Some((_, function, kind, takes)) = found else {
            let message = format!("there is no function `{name}`; a call may change anything");
            let error = self.error("C1110", tree, message);
            let near = nearest(name, FUNCTIONS.iter().map(|(known, ..)| *known));
            return Err(Box::new(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("the functions are fabs, sqrt, fmin and fmax, and those with f"),
            }));
        };
        if arguments.len() != *takes {
            let message = format!("`{name}` takes {takes}, found {}", arguments.len());
            return Err(Box::new(self.error("C1110", tree, message)));
        }
        let values = arguments.iter().map(|argument| self.value(argument, accesses));
        let values: Vec<ValueTree> = values.collect::<Result<_, _>>()?;
        if values
            .iter()
            .any(|value| self.nest.value_type(value, accesses) == Some(ScalarType::Complex))
        {
            let message = format!("`{name}` takes real numbers, and this one is complex");
            return Err(Box::new(self.error("C1105", tree, message)));
        }
        Ok(ValueTree::Call(*function, *kind, values))
    }

    /// Refuses an operation on a double and a complex number, whose result would be of a type that the subset lacks.
    fn check_types(
        &self,
        tree: &ExpressionTree,
        values: &[&ValueTree],
        accesses: &[ArrayAccess],
    ) -> Result<(), Wrong> {
        let types: Vec<_> =
            values.iter().map(|value| self.nest.value_type(value, accesses)).collect();
        let has = |kind| types.contains(&Some(kind));
        if !(has(ScalarType::Double) && has(ScalarType::Complex)) {
            return Ok(());
        }
        let message = format!(
            "`{}` computes with a double and a float complex, and the subset has no double complex",
            self.text(tree)
        );
        let error = self.error("C1105", tree, message);
        Err(Box::new(error.help("give the number as a float, as in `0.5f`")))
    }

    /// Returns the element or number that a name is, with indices if it has some.
    fn operand(
        &self,
        tree: &ExpressionTree,
        accesses: &mut Vec<ArrayAccess>,
    ) -> Result<ValueTree, Wrong> {
        if let ExpressionKind::Name(name) = &tree.kind
            && let Meaning::Scalar(number) = self.meaning(name, tree)?
        {
            return Ok(ValueTree::Scalar(number));
        }
        let access = self.access(tree, false)?;
        accesses.push(access);
        Ok(ValueTree::Element(accesses.len() - 1))
    }

    /// Returns the element that an expression names.
    pub(super) fn access(
        &self,
        tree: &ExpressionTree,
        is_write: bool,
    ) -> Result<ArrayAccess, Wrong> {
        let mut indices = Vec::new();
        let mut inner = tree;
        while let ExpressionKind::Index(array, index) = &inner.kind {
            indices.push(index.as_ref());
            inner = array;
        }
        indices.reverse();
        let ExpressionKind::Name(name) = &inner.kind else {
            return Err(self.no_value(tree));
        };
        let Meaning::Array(array) = self.meaning(name, inner)? else {
            let meaning = self.meaning(name, inner)?;
            let message = format!("`{name}` is {}, and no array", meaning.words());
            return Err(Box::new(self.error("C1105", tree, message)));
        };
        let sizes = self.nest.arrays[array].sizes.len();
        if indices.len() != sizes {
            let message = format!("`{name}` takes {sizes} indices, found {}", indices.len());
            let error = self.error("C1105", tree, message);
            let declared = self.problems.span(&self.nest.arrays[array].name.at);
            return Err(Box::new(error.related(declared, "declared here")));
        }
        let forms = indices.into_iter().map(|index| self.form(index, FormUse::Index));
        let subscripts = forms.collect::<Result<Vec<AffineForm>, _>>()?;
        Ok(ArrayAccess { array, subscripts, is_write, at: tree.at.clone() })
    }
}

/// Returns the operation of a sign between two values.
pub(super) fn value_operator(sign: &str) -> Option<ValueOperator> {
    match sign {
        "+" => Some(ValueOperator::Add),
        "-" => Some(ValueOperator::Subtract),
        "*" => Some(ValueOperator::Multiply),
        "/" => Some(ValueOperator::Divide),
        _ => None,
    }
}
