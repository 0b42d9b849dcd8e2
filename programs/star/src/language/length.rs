//! Lengths of words and widths of tables as formulas in the number of rows and the bits of a weight, so that they are
//! compared before a program runs, and whatever the graph.

use std::collections::BTreeMap;
use std::fmt;

/// A length as a polynomial in `n`, the number of rows, and `h`, the bits of a weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthFormula {
    /// Coefficient by the powers of `n` and `h`; none is 0.
    terms: BTreeMap<(u32, u32), i64>,
}

/// Most that a power may be, so that formulas stay small.
const POWER: u32 = 8;

impl LengthFormula {
    /// Returns the formula of a number.
    pub fn number(number: i64) -> Self {
        Self::of_terms([((0, 0), number)])
    }

    /// Returns `n`.
    pub fn rows() -> Self {
        Self::of_terms([((1, 0), 1)])
    }

    /// Returns `h`.
    pub fn weight() -> Self {
        Self::of_terms([((0, 1), 1)])
    }

    fn of_terms(terms: impl IntoIterator<Item = ((u32, u32), i64)>) -> Self {
        Self { terms: terms.into_iter().filter(|(_, factor)| *factor != 0).collect() }
    }

    /// Returns the sum with `factor` times another formula; `None` if a coefficient is too large.
    pub fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (power, term) in &other.terms {
            let sum = terms.entry(*power).or_default();
            *sum = sum.checked_add(term.checked_mul(factor)?)?;
        }
        Some(Self::of_terms(terms))
    }

    /// Returns the product; `None` if a coefficient or a power is too large.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut terms: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for ((n, h), a) in &self.terms {
            for ((m, k), b) in &other.terms {
                let power = (n + m, h + k);
                if power.0 > POWER || power.1 > POWER {
                    return None;
                }
                let sum = terms.entry(power).or_default();
                *sum = sum.checked_add(a.checked_mul(*b)?)?;
            }
        }
        Some(Self::of_terms(terms))
    }

    /// Whether two lengths differ for every graph that matters: both are numbers, or both depend on the graph. A number and a
    /// length that depends on the graph may be the same in a run.
    pub fn is_surely_not(&self, other: &Self) -> bool {
        let is_number = |formula: &Self| formula.terms.keys().all(|power| *power == (0, 0));
        self != other && is_number(self) == is_number(other)
    }

    /// Returns the length for a number of rows and bits of a weight; `None` if it is negative or fits no 64 bits.
    pub fn value(&self, rows: usize, weight: usize) -> Option<u64> {
        let power = |base: usize, exponent: u32| i128::try_from(base).ok()?.checked_pow(exponent);
        let sum = self.terms.iter().try_fold(0_i128, |sum, ((n, h), factor)| {
            let term = power(rows, *n)?.checked_mul(power(weight, *h)?)?;
            sum.checked_add(term.checked_mul(i128::from(*factor))?)
        });
        u64::try_from(sum?).ok()
    }
}

impl fmt::Display for LengthFormula {
    /// Writes the formula as programs do: `n*h + 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (place, ((n, h), factor)) in self.terms.iter().rev().enumerate() {
            let sign = match (place, *factor < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            let factor = factor.unsigned_abs();
            let mut parts: Vec<String> = Vec::new();
            if factor != 1 || (*n, *h) == (0, 0) {
                parts.push(factor.to_string());
            }
            parts.extend((0..*n).map(|_| "n".to_owned()));
            parts.extend((0..*h).map(|_| "h".to_owned()));
            write!(f, "{sign}{}", parts.join("*"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_compared_by_what_they_are() {
        let (n, h, one) =
            (LengthFormula::rows(), LengthFormula::weight(), LengthFormula::number(1));
        let sum = n.times(&h).unwrap().plus(&one, -1).unwrap();
        assert_eq!(sum.to_string(), "n*h - 1");
        assert_eq!(sum, h.times(&n).unwrap().plus(&one, -1).unwrap());
        assert_eq!((sum.value(8, 4), sum.value(0, 4)), (Some(31), None));
        assert_eq!(n.plus(&n, -1).unwrap(), LengthFormula::number(0));
        let most = LengthFormula::number(i64::MAX);
        assert_eq!((most.plus(&one, 1), most.times(&most)), (None, None));
    }
}
