//! Values as texts of C and its relatives.

use super::dialect::CodeDialect;
use cp2_nest::{
    AffineForm, Nest, NestStatement, ScalarType, ValueFunction, ValueOperator, ValueTree,
};

/// A statement whose value is written, with the texts of its forms and elements.
pub(super) struct ValueText<'v> {
    pub(super) nest: &'v Nest,
    pub(super) statement: &'v NestStatement,
    pub(super) dialect: CodeDialect,
    pub(super) form: &'v dyn Fn(&AffineForm) -> String,
    pub(super) element: &'v dyn Fn(usize) -> String,
}

fn level(value: &ValueTree) -> u8 {
    match value {
        ValueTree::Binary(ValueOperator::Add | ValueOperator::Subtract, ..) => 1,
        ValueTree::Binary(..) => 2,
        ValueTree::Negated(_) => 3,
        _ => 4,
    }
}

fn number(value: f64, kind: ScalarType) -> String {
    match kind {
        ScalarType::Double => format!("{value:?}"),
        _ => format!("{:?}f", value as f32),
    }
}

impl ValueText<'_> {
    /// Returns the value as a text.
    pub(super) fn text(&self, value: &ValueTree) -> String {
        let below = |inner: &ValueTree, least: u8| {
            let text = self.text(inner);
            if level(inner) < least { format!("({text})") } else { text }
        };
        match value {
            ValueTree::Number(value, kind) => number(*value, *kind),
            ValueTree::Whole(form) => {
                let text = (self.form)(form);
                if text.contains(' ') || text.starts_with('-') { format!("({text})") } else { text }
            }
            ValueTree::Scalar(number) => self.nest.scalars[*number].name.name.clone(),
            ValueTree::Element(number) => (self.element)(*number),
            ValueTree::Negated(inner) => format!("-{}", below(inner, 4)),
            ValueTree::Binary(operator, left, right) => {
                let own = level(value);
                format!("{} {} {}", below(left, own), operator.sign(), below(right, own + 1))
            }
            ValueTree::Call(function, kind, values) => {
                let kind = kind.or(self.nest.value_type(value, &self.statement.accesses));
                let values: Vec<_> = values.iter().map(|value| self.text(value)).collect();
                format!("{}({})", self.function(*function, kind), values.join(", "))
            }
        }
    }

    fn function(&self, function: ValueFunction, kind: Option<ScalarType>) -> String {
        let name = match function {
            ValueFunction::Absolute => "fabs",
            ValueFunction::SquareRoot => "sqrt",
            ValueFunction::Minimum => "fmin",
            ValueFunction::Maximum => "fmax",
        };
        // Functions of OpenCL have one name for all types.
        let is_float = kind == Some(ScalarType::Float) && self.dialect != CodeDialect::OpenCl;
        if is_float { format!("{name}f") } else { name.to_owned() }
    }
}
