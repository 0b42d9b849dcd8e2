//! Comparison of arrays with expected ones, element by element, within tolerances.

use crate::npy::{Array, Value, shape_text};
use std::fmt;

/// Tolerance of the elements of an array compared with expected ones, by NumPy's rule of `allclose`: an element passes
/// if |found - expected| <= absolute + relative * |expected|. The default is 0 for both parts: elements have to be
/// equal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Absolute part, in the unit of the elements: NumPy's `atol`.
    pub absolute: f64,
    /// Relative part, as a share of the expected magnitude: NumPy's `rtol`.
    pub relative: f64,
}

/// The difference between a found array and the expected one, as [`compare`] returns it: in shape, or, between arrays
/// of one shape, in elements.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayDifference {
    /// The arrays have different shapes: that of the found array, then that of the expected one.
    Shape(Vec<usize>, Vec<usize>),
    /// The shapes are equal, and some elements differ by more than the tolerance.
    Elements {
        /// Number of elements that differ.
        count: usize,
        /// Number of elements that each array has.
        of: usize,
        /// Index along each axis, from 0, of the element that is farthest from the expected one.
        index: Vec<usize>,
        /// Value of that element in the found array.
        found: Value,
        /// Value of that element in the expected array.
        expected: Value,
        /// Distance |found - expected| of that element; infinite if one value is a NaN or an infinity and the other is
        /// not the same.
        distance: f64,
    },
}

impl fmt::Display for ArrayDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape(found, expected) => {
                write!(
                    f,
                    "it has shape {}; the expected shape is {}",
                    shape_text(found),
                    shape_text(expected)
                )
            }
            Self::Elements { count, of, index, found, expected, distance } => write!(
                f,
                "{count} of {of} elements differ, most at {index:?}: {found}, expected {expected}, \
                 {distance:.3e} apart"
            ),
        }
    }
}

/// Returns the parts of a value as floats; a whole number of 64 bits is compared by itself.
fn parts(value: Value) -> [f64; 2] {
    match value {
        Value::Int(n) => [n as f64, 0.0],
        Value::Float(x) => [x, 0.0],
        Value::Complex(re, im) => [re, im],
    }
}

/// Returns the distance of a value from the expected one, and whether that is more than the tolerance.
fn distance(found: Value, expected: Value, tolerance: Tolerance) -> (f64, bool) {
    if let (Value::Int(a), Value::Int(b)) = (found, expected)
        && a == b
    {
        return (0.0, false);
    }
    let (a, b) = (parts(found), parts(expected));
    let of = |a: f64, b: f64| match () {
        () if a == b || a.is_nan() && b.is_nan() => 0.0,
        () if a.is_finite() && b.is_finite() => (a - b).abs(),
        () => f64::INFINITY,
    };
    let distance = of(a[0], b[0]).hypot(of(a[1], b[1]));
    let limit = tolerance.absolute + tolerance.relative * b[0].hypot(b[1]);
    // Whole numbers that are not equal may be as floats.
    let is_int = matches!((found, expected), (Value::Int(_), Value::Int(_)));
    let is_wrong = distance > limit || distance.is_infinite() || is_int && limit < 1.0;
    (distance, is_wrong)
}

/// Compares an array with the expected one, and returns the difference; `None` if the shapes are equal and all elements
/// are within the tolerance. Two NaN are equal. Whole numbers that differ are within the tolerance only if it is at
/// least 1 for the expected number. Only values are compared, not types.
pub fn compare(found: &Array, expected: &Array, tolerance: Tolerance) -> Option<ArrayDifference> {
    if found.shape != expected.shape {
        return Some(ArrayDifference::Shape(found.shape.clone(), expected.shape.clone()));
    }
    let of = found.len();
    let mut count = 0;
    let mut worst: Option<(f64, usize)> = None;
    for element in 0..of {
        let (distance, is_wrong) =
            distance(found.value(element), expected.value(element), tolerance);
        if is_wrong {
            count += 1;
            if worst.is_none_or(|(most, _)| distance > most) {
                worst = Some((distance, element));
            }
        }
    }
    worst.map(|(distance, element)| ArrayDifference::Elements {
        count,
        of,
        index: found.index(element),
        found: found.value(element),
        expected: expected.value(element),
        distance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::NumberType;

    fn floats(values: &[f32]) -> Array {
        let bits = values.iter().map(|x| u128::from(x.to_bits()));
        Array::from_bits(NumberType::Float32, vec![values.len()], bits)
    }

    #[test]
    fn elements_within_the_tolerance_are_equal() {
        let found = floats(&[1.0, 2.0, f32::NAN, f32::INFINITY, -0.0]);
        assert_eq!(compare(&found, &found, Tolerance::default()), None);
        let near = floats(&[1.0, 2.001, f32::NAN, f32::INFINITY, 0.0]);
        let within =
            |absolute, relative| compare(&near, &found, Tolerance { absolute, relative }).is_none();
        assert!(!within(0.0, 0.0) && within(0.002, 0.0) && within(0.0, 0.001));
        assert!(!within(0.0009, 0.0));
        let nan = floats(&[f32::NAN, 2.0, 0.0, f32::INFINITY, 0.0]);
        let told = compare(&nan, &found, Tolerance { absolute: 1e9, relative: 0.0 });
        assert!(
            told.is_some_and(|d| d.to_string().starts_with("2 of 5 elements differ, most at [0]"))
        );
    }

    #[test]
    fn whole_numbers_are_compared_as_such() {
        let int = |n: u64| Array::from_bits(NumberType::Uint64, vec![1], std::iter::once(n.into()));
        let [a, b] = [u64::MAX, u64::MAX - 1].map(int);
        assert!(compare(&a, &b, Tolerance::default()).is_some());
        assert!(compare(&a, &a, Tolerance::default()).is_none());
    }
}
