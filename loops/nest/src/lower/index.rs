//! Affine forms and conditions out of expressions. What is neither is refused with the part that makes it so.

use super::Lowering;
use super::scope::Meaning;
use crate::affine::{AffineForm, AffineSymbol};
use crate::model::NestCondition;
use crate::problems::Wrong;
use crate::tree::{ExpressionKind, ExpressionTree};
use cp2_asm::diagnostic::Diagnostic;

/// Use of a form, as messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormUse {
    Index,
    Bound,
    Condition,
    Size,
    Value,
    Map,
}

impl FormUse {
    fn words(self) -> &'static str {
        match self {
            Self::Index => "an index of an array",
            Self::Bound => "a bound of a loop",
            Self::Condition => "a condition",
            Self::Size => "a size of an array",
            Self::Value => "a whole number",
            Self::Map => "a thread number",
        }
    }
}

/// Returns the number that digits of C are.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['l', 'L']);
    if let Some(digits) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return i64::from_str_radix(digits, 16).ok();
    }
    // A number that begins with 0 is octal in C; nobody means that here.
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    digits.parse().ok()
}

impl Lowering<'_> {
    /// Returns the affine form that an expression is.
    pub(super) fn form(&self, tree: &ExpressionTree, of: FormUse) -> Result<AffineForm, Wrong> {
        match &tree.kind {
            ExpressionKind::Number(text) => match whole_number(text) {
                Some(number) => {
                    AffineForm::default().plus_number(number).ok_or_else(|| self.too_large(tree))
                }
                None if text.trim_end_matches(['u', 'U', 'l', 'L']).parse::<i64>().is_ok()
                    && text.contains(['u', 'U']) =>
                {
                    let message = format!(
                        "`{text}` is unsigned, so that numbers below 0 beside it would become large"
                    );
                    Err(Box::new(self.error("C1102", tree, message).help("leave the `u` away")))
                }
                None => {
                    let message = format!("{} is a whole number, and `{text}` is none", of.words());
                    Err(Box::new(self.error("C1102", tree, message)))
                }
            },
            ExpressionKind::Name(name) => self.variable(tree, name, of),
            ExpressionKind::Unary(sign, inner) if sign == "-" || sign == "+" => {
                let factor = if sign == "-" { -1 } else { 1 };
                self.form(inner, of)?.times(factor).ok_or_else(|| self.too_large(tree))
            }
            ExpressionKind::Binary(sign, left, right) if sign == "+" || sign == "-" => {
                let factor = if sign == "-" { -1 } else { 1 };
                let (left, right) = (self.form(left, of)?, self.form(right, of)?);
                left.plus(&right, factor).ok_or_else(|| self.too_large(tree))
            }
            ExpressionKind::Binary(sign, left, right) if sign == "*" => {
                let (a, b) = (self.form(left, of)?, self.form(right, of)?);
                let product = match (a.as_number(), b.as_number()) {
                    (Some(number), _) => b.times(number),
                    (_, Some(number)) => a.times(number),
                    _ => return Err(Box::new(self.product(tree, (&a, &b), of))),
                };
                product.ok_or_else(|| self.too_large(tree))
            }
            _ => Err(Box::new(self.not_affine(tree, of))),
        }
    }

    fn variable(
        &self,
        tree: &ExpressionTree,
        name: &str,
        of: FormUse,
    ) -> Result<AffineForm, Wrong> {
        let symbol = match self.meaning(name, tree)? {
            Meaning::Parameter(number) => AffineSymbol::Parameter(number),
            Meaning::Index(number) => AffineSymbol::Index(number),
            Meaning::Integer => {
                let message = format!("`{name}` is the index of no loop that is open here");
                let error = self.error("C1104", tree, message);
                let is_hidden =
                    self.loops.iter().any(|one| self.nest.loops[*one].name.name == name);
                return Err(Box::new(match is_hidden {
                    true => error.help("the loop around has an index of this name, which this loop hides; give one of them another name"),
                    false => error,
                }));
            }
            Meaning::Scalar(_) | Meaning::Array(_) => {
                return Err(Box::new(self.not_affine(tree, of)));
            }
        };
        Ok(AffineForm::symbol(symbol))
    }

    fn too_large(&self, tree: &ExpressionTree) -> Wrong {
        let limit = crate::affine::GREATEST_COEFFICIENT;
        let message = format!("`{}` has a number beyond {limit}, the limit", self.text(tree));
        Box::new(self.error("C1113", tree, message))
    }

    /// Creates the mistake of a product of two variables.
    fn product(
        &self,
        tree: &ExpressionTree,
        (left, right): (&AffineForm, &AffineForm),
        of: FormUse,
    ) -> Diagnostic {
        let message =
            format!("{} is affine, and `{}` multiplies two variables", of.words(), self.text(tree));
        let has_index = |form: &AffineForm| {
            form.terms().any(|(symbol, _)| matches!(symbol, AffineSymbol::Index(_)))
        };
        let help = match of {
            FormUse::Index if has_index(left) != has_index(right) => {
                let (row, width) = if has_index(left) { (left, right) } else { (right, left) };
                let (row, width) = (self.nest.form_text(row), self.nest.form_text(width));
                format!(
                    "give the array rows of {width} elements, `[..][{width}]`, and index it by `[{row}][..]`"
                )
            }
            FormUse::Size => "give the array two sizes in place of their product".to_owned(),
            FormUse::Value => "multiply numbers: begin the product with `1.0f *`".to_owned(),
            FormUse::Bound | FormUse::Condition if !has_index(left) && !has_index(right) => {
                "give the product as a parameter of its own".to_owned()
            }
            _ => "one of the two has to be a number; write it as one in the text".to_owned(),
        };
        self.error("C1106", tree, message).help(help)
    }

    /// Creates the mistake of an expression that is no affine form, at the part that makes it none.
    fn not_affine(&self, tree: &ExpressionTree, of: FormUse) -> Diagnostic {
        let (is, help) = match &tree.kind {
            ExpressionKind::Index(..) => (
                "is an element of an array, which only the run knows",
                match of {
                    FormUse::Index => {
                        "pass an array that has the elements in the order in which they are used"
                    }
                    FormUse::Condition => {
                        "choose by values: fmin, fmax, or a sum with a factor of 0 or 1"
                    }
                    _ => "run to the greatest bound, and pad the arrays with zeros",
                },
            ),
            ExpressionKind::Name(_) => (
                "is no whole number that is known before the run",
                "indices, bounds and conditions have indices of loops and parameters of type int",
            ),
            ExpressionKind::Binary(sign, ..) if sign == "/" || sign == "%" => (
                "divides",
                "let two loops run, over quotient q and remainder r, and write 2*q + r in place of the index",
            ),
            ExpressionKind::Binary(sign, ..) if sign == "<<" || sign == ">>" => (
                "is a power or shift",
                "write the number of this step in the text; a nest for each step",
            ),
            ExpressionKind::Call(name, _) if name == "min" || name == "max" => (
                "is a minimum or maximum",
                "a lower bound may be a maximum and an upper bound a minimum; elsewhere write `if`",
            ),
            ExpressionKind::Call(..) => ("is a call", "write the affine form itself"),
            _ => ("is no sum of multiples of indices and parameters", "write an affine form"),
        };
        let message = format!("{} is affine, and `{}` {is}", of.words(), self.text(tree));
        self.error("C1106", tree, message).help(help)
    }

    /// Returns the forms of which a bound is the maximum (`max`) or the minimum (`min`).
    pub(super) fn bounds(
        &self,
        tree: &ExpressionTree,
        function: &str,
    ) -> Result<Vec<AffineForm>, Wrong> {
        match &tree.kind {
            ExpressionKind::Call(name, arguments) if name.eq_ignore_ascii_case(function) => {
                let mut all = Vec::new();
                for argument in arguments {
                    all.extend(self.bounds(argument, function)?);
                }
                if all.is_empty() {
                    let message = format!("`{name}` has no argument");
                    return Err(Box::new(self.error("C1110", tree, message)));
                }
                Ok(all)
            }
            // A shift by a form on either side of the call is the same for all of its arguments.
            ExpressionKind::Binary(sign, left, right) if sign == "+" || sign == "-" => {
                let is_call = |tree: &ExpressionTree| matches!(&tree.kind, ExpressionKind::Call(name, _) if name.eq_ignore_ascii_case(function));
                if !is_call(left) {
                    return Ok(vec![self.form(tree, FormUse::Bound)?]);
                }
                let shift = self.form(right, FormUse::Bound)?;
                let factor = if sign == "-" { -1 } else { 1 };
                let all = self.bounds(left, function)?.into_iter();
                all.map(|form| form.plus(&shift, factor).ok_or_else(|| self.too_large(tree)))
                    .collect()
            }
            _ => Ok(vec![self.form(tree, FormUse::Bound)?]),
        }
    }

    /// Returns the condition that an expression is.
    pub(super) fn condition(&self, tree: &ExpressionTree) -> Result<NestCondition, Wrong> {
        match &tree.kind {
            ExpressionKind::Binary(sign, left, right) if sign == "&&" || sign == "||" => {
                let both = vec![self.condition(left)?, self.condition(right)?];
                Ok(if sign == "&&" { NestCondition::All(both) } else { NestCondition::Any(both) })
            }
            ExpressionKind::Unary(sign, inner) if sign == "!" => {
                self.condition(inner)?.negated().ok_or_else(|| self.too_large(tree))
            }
            ExpressionKind::Binary(sign, left, right)
                if ["<", "<=", ">", ">=", "==", "!="].contains(&sign.as_str()) =>
            {
                let left = self.form(left, FormUse::Condition)?;
                let right = self.form(right, FormUse::Condition)?;
                self.comparison(&left, sign, &right).ok_or_else(|| self.too_large(tree))
            }
            _ => {
                let message = format!("`{}` is no comparison of affine forms", self.text(tree));
                let help = "conditions are comparisons, joined by `&&`, `||` and `!`";
                Err(Box::new(self.error("C1106", tree, message).help(help)))
            }
        }
    }

    fn comparison(
        &self,
        left: &AffineForm,
        sign: &str,
        right: &AffineForm,
    ) -> Option<NestCondition> {
        let above = |a: &AffineForm, b: &AffineForm, by: i64| {
            Some(NestCondition::AtLeastZero(a.plus(b, -1)?.plus_number(-by)?))
        };
        match sign {
            "<" => above(right, left, 1),
            "<=" => above(right, left, 0),
            ">" => above(left, right, 1),
            ">=" => above(left, right, 0),
            "==" => Some(NestCondition::Zero(left.plus(right, -1)?)),
            _ => NestCondition::Zero(left.plus(right, -1)?).negated(),
        }
    }
}
