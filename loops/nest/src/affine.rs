//! Affine forms: whole multiples of indices and parameters, and a constant.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A variable of an affine form: the index of a loop, or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AffineSymbol {
    /// Index of the loop with this number in [`Nest::loops`](crate::Nest::loops).
    Index(usize),
    /// Parameter with this number in [`Nest::parameters`](crate::Nest::parameters).
    Parameter(usize),
}

/// An affine form: coefficients of variables, none of them 0, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AffineForm {
    terms: BTreeMap<AffineSymbol, i64>,
    constant: i64,
}

/// Greatest coefficient or constant of a form, so that sums of a few of them are exact.
pub const GREATEST_COEFFICIENT: i64 = (1 << 31) - 1;

fn checked(number: Option<i64>) -> Option<i64> {
    number.filter(|number| number.abs() <= GREATEST_COEFFICIENT)
}

impl AffineForm {
    /// Creates the form that is a number.
    pub fn constant(constant: i64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// Creates the form that is a variable.
    pub fn symbol(symbol: AffineSymbol) -> Self {
        Self { terms: BTreeMap::from([(symbol, 1)]), constant: 0 }
    }

    /// Returns the variables with their coefficients, indices first.
    pub fn terms(&self) -> impl Iterator<Item = (AffineSymbol, i64)> {
        self.terms.iter().map(|(symbol, coefficient)| (*symbol, *coefficient))
    }

    /// Returns the coefficient of a variable, 0 if the form does not have it.
    pub fn coefficient(&self, symbol: AffineSymbol) -> i64 {
        self.terms.get(&symbol).copied().unwrap_or(0)
    }

    /// Returns the constant.
    pub fn free_term(&self) -> i64 {
        self.constant
    }

    /// Returns the number that the form is; `None` if it has a variable.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns `self + factor * other`; `None` if a coefficient is beyond [`GREATEST_COEFFICIENT`].
    pub fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        let scaled = |number: i64| checked(number.checked_mul(factor));
        let mut sum = self.clone();
        sum.constant = checked(sum.constant.checked_add(scaled(other.constant)?))?;
        for (symbol, coefficient) in other.terms() {
            let new = checked(sum.coefficient(symbol).checked_add(scaled(coefficient)?))?;
            match new {
                0 => sum.terms.remove(&symbol),
                _ => sum.terms.insert(symbol, new),
            };
        }
        Some(sum)
    }

    /// Returns `factor * self`; `None` if a coefficient is beyond [`GREATEST_COEFFICIENT`].
    pub fn times(&self, factor: i64) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    /// Returns `self + number`; `None` if the constant is beyond [`GREATEST_COEFFICIENT`].
    pub fn plus_number(&self, number: i64) -> Option<Self> {
        self.plus(&Self::constant(1), number)
    }

    /// Returns the value of the form for values of its variables; `None` if it does not fit 64 bits.
    pub fn value(&self, of: &impl Fn(AffineSymbol) -> i64) -> Option<i64> {
        self.terms().try_fold(self.constant, |sum, (symbol, coefficient)| {
            sum.checked_add(coefficient.checked_mul(of(symbol))?)
        })
    }

    /// Returns the form as a text of C, with the name that `name` gives to each variable.
    pub fn text(&self, name: &impl Fn(AffineSymbol) -> String) -> String {
        let mut text = String::new();
        // A text that begins with a term that is added reads better.
        let (added, subtracted): (Vec<_>, Vec<_>) =
            self.terms().partition(|(_, coefficient)| *coefficient > 0);
        let mut put = |coefficient: i64, name: String| {
            let sign = match (text.is_empty(), coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let size = coefficient.unsigned_abs();
            // Writing to a text does not fail.
            let _ = match (size, name.is_empty()) {
                (_, true) => write!(text, "{sign}{size}"),
                (1, false) => write!(text, "{sign}{name}"),
                _ => write!(text, "{sign}{size}*{name}"),
            };
        };
        for (symbol, coefficient) in added.into_iter().chain(subtracted) {
            put(coefficient, name(symbol));
        }
        if self.constant != 0 {
            put(self.constant, String::new());
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
