//! Numbers of a run, with the conversions of C between their types.

use crate::model::{ScalarType, ValueFunction, ValueOperator};
use num_complex::Complex32;

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NestNumber {
    /// Whole number, of indices and parameters.
    Whole(i64),
    /// Number of `float`.
    Float(f32),
    /// Number of `double`.
    Double(f64),
    /// Number of `float complex`.
    Complex(Complex32),
}

impl NestNumber {
    /// Returns the number in a type, rounded to it; of a complex number in a real type, the real part.
    #[must_use]
    pub fn to(self, kind: ScalarType) -> Self {
        match kind {
            ScalarType::Float => Self::Float(match self {
                Self::Whole(value) => value as f32,
                Self::Float(value) => value,
                Self::Double(value) => value as f32,
                Self::Complex(value) => value.re,
            }),
            ScalarType::Double => Self::Double(self.double()),
            ScalarType::Complex => Self::Complex(match self {
                Self::Complex(value) => value,
                _ => match self.to(ScalarType::Float) {
                    Self::Float(value) => Complex32::new(value, 0.0),
                    other => Complex32::new(other.double() as f32, 0.0),
                },
            }),
        }
    }

    /// Returns the real part as a number of 64 bits.
    pub fn double(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Float(value) => f64::from(value),
            Self::Double(value) => value,
            Self::Complex(value) => f64::from(value.re),
        }
    }

    /// Returns the type in which C computes with both numbers; `None` if both are whole.
    fn common(self, other: Self) -> Option<ScalarType> {
        let rank = |number: Self| match number {
            Self::Whole(_) => None,
            Self::Float(_) => Some(ScalarType::Float),
            Self::Double(_) => Some(ScalarType::Double),
            Self::Complex(_) => Some(ScalarType::Complex),
        };
        rank(self).max(rank(other))
    }

    /// Returns the number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Whole(value) => Self::Whole(value.wrapping_neg()),
            Self::Float(value) => Self::Float(-value),
            Self::Double(value) => Self::Double(-value),
            Self::Complex(value) => Self::Complex(-value),
        }
    }

    /// Returns the result of an operation, in the type in which C computes it; a whole number counts as `double` beside
    /// another one.
    #[must_use]
    pub fn computed(operator: ValueOperator, left: Self, right: Self) -> Self {
        fn of<T>(operator: ValueOperator, a: T, b: T) -> T
        where
            T: std::ops::Add<Output = T>
                + std::ops::Sub<Output = T>
                + std::ops::Mul<Output = T>
                + std::ops::Div<Output = T>,
        {
            match operator {
                ValueOperator::Add => a + b,
                ValueOperator::Subtract => a - b,
                ValueOperator::Multiply => a * b,
                ValueOperator::Divide => a / b,
            }
        }
        // C multiplies and divides the parts of a complex number by a real one.
        if let (Self::Complex(a), false) = (left, matches!(right, Self::Complex(_)))
            && let Self::Float(b) = right.to(ScalarType::Float)
            && matches!(operator, ValueOperator::Multiply | ValueOperator::Divide)
        {
            return Self::Complex(Complex32::new(of(operator, a.re, b), of(operator, a.im, b)));
        }
        if let (false, Self::Complex(b)) = (matches!(left, Self::Complex(_)), right)
            && let Self::Float(a) = left.to(ScalarType::Float)
            && operator == ValueOperator::Multiply
        {
            return Self::Complex(Complex32::new(a * b.re, a * b.im));
        }
        let kind = left.common(right).unwrap_or(ScalarType::Double);
        match (left.to(kind), right.to(kind)) {
            (Self::Float(a), Self::Float(b)) => Self::Float(of(operator, a, b)),
            (Self::Complex(a), Self::Complex(b)) => Self::Complex(of(operator, a, b)),
            (a, b) => Self::Double(of(operator, a.double(), b.double())),
        }
    }

    /// Returns the value of a function, computed in a type; in that of the numbers if there is none.
    #[must_use]
    pub fn applied(function: ValueFunction, kind: Option<ScalarType>, numbers: &[Self]) -> Self {
        let first = numbers.first().copied().unwrap_or(Self::Whole(0));
        let second = numbers.get(1).copied().unwrap_or(first);
        let kind = kind.or(first.common(second)).unwrap_or(ScalarType::Double);
        match (first.to(kind), second.to(kind)) {
            (Self::Float(a), Self::Float(b)) => Self::Float(match function {
                ValueFunction::Absolute => a.abs(),
                ValueFunction::SquareRoot => a.sqrt(),
                ValueFunction::Minimum => a.min(b),
                ValueFunction::Maximum => a.max(b),
            }),
            (a, b) => {
                let (a, b) = (a.double(), b.double());
                Self::Double(match function {
                    ValueFunction::Absolute => a.abs(),
                    ValueFunction::SquareRoot => a.sqrt(),
                    ValueFunction::Minimum => a.min(b),
                    ValueFunction::Maximum => a.max(b),
                })
            }
        }
    }
}
