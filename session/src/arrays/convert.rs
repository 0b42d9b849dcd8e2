//! Conversion of the elements of an array to another type: exactly, rounded to nearest where both types are floats, or
//! refused with the index of the first element that does not fit.

use crate::npy::{Array, NumberType, Value};
use std::fmt;

/// Bits of the NaN that the machine gives for every NaN.
const NAN: u32 = 0x7fff_ffff;

/// An element of an array that cannot be converted to a type, because the type has no such value. The error of
/// [`convert`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionError {
    /// Index of the element along each axis, from 0.
    pub index: Vec<usize>,
    /// Value of the element before the conversion.
    pub value: Value,
    /// Type to which the element was to be converted.
    pub kind: NumberType,
    /// The reason why the element does not fit.
    pub why: &'static str,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, value, kind, why } = self;
        write!(f, "element {index:?} is {value}, which cannot be {kind}: {why}")
    }
}

/// Returns the array with its elements converted to the type `kind`. Whole numbers are converted only if exactly
/// possible, floats are rounded to nearest, and a complex number becomes a real one only if its imaginary part is 0. A
/// NaN is converted only if `takes_nan`; in single precision it becomes the NaN of CP2, 0x7fffffff. An array of this
/// type already is returned as it is.
///
/// # Errors
/// The first element that the type has no value for, in the order of the elements.
pub fn convert(array: &Array, kind: NumberType, takes_nan: bool) -> Result<Array, ConversionError> {
    if array.kind == kind {
        return Ok(array.clone());
    }
    let mut elements = Vec::with_capacity(array.len());
    for element in 0..array.len() {
        let value = array.value(element);
        let bits = encode(value, kind, takes_nan).map_err(|why| ConversionError {
            index: array.index(element),
            value,
            kind,
            why,
        })?;
        elements.push(bits);
    }
    Ok(Array::from_bits(kind, array.shape.clone(), elements.into_iter()))
}

/// Returns the bits of a value in a kind.
fn encode(value: Value, kind: NumberType, takes_nan: bool) -> Result<u128, &'static str> {
    if kind.is_complex() {
        let (re, im) = match value {
            Value::Complex(re, im) => (Value::Float(re), Value::Float(im)),
            real => (real, Value::Float(0.0)),
        };
        let (part, bits) = match kind {
            NumberType::Complex64 => (NumberType::Float32, 32),
            _ => (NumberType::Float64, 64),
        };
        return Ok(encode(re, part, takes_nan)? << bits | encode(im, part, takes_nan)?);
    }
    let value = match value {
        Value::Complex(re, 0.0) => Value::Float(re),
        Value::Complex(..) => return Err("it has an imaginary part"),
        real => real,
    };
    match kind {
        NumberType::Float32 => single(value, takes_nan).map(u128::from),
        NumberType::Float64 => double(value, takes_nan).map(u128::from),
        _ => integer(value, kind),
    }
}

fn single(value: Value, takes_nan: bool) -> Result<u32, &'static str> {
    let wide = match value {
        Value::Int(n) if (n as f32) as i128 == n => return Ok((n as f32).to_bits()),
        Value::Int(_) => return Err("it would be rounded"),
        Value::Float(x) | Value::Complex(x, _) => x,
    };
    if wide.is_nan() {
        return if takes_nan { Ok(NAN) } else { Err("a NaN is converted only with `:nan`") };
    }
    let x = wide as f32;
    if x.is_infinite() && wide.is_finite() {
        return Err("it is too large");
    }
    Ok(x.to_bits())
}

fn double(value: Value, takes_nan: bool) -> Result<u64, &'static str> {
    match value {
        Value::Int(n) if (n as f64) as i128 == n => Ok((n as f64).to_bits()),
        Value::Int(_) => Err("it would be rounded"),
        Value::Float(x) | Value::Complex(x, _) if x.is_nan() && !takes_nan => {
            Err("a NaN is converted only with `:nan`")
        }
        Value::Float(x) | Value::Complex(x, _) => Ok(x.to_bits()),
    }
}

fn integer(value: Value, kind: NumberType) -> Result<u128, &'static str> {
    let number = match value {
        Value::Int(n) => n,
        Value::Float(x) | Value::Complex(x, _) => {
            if !x.is_finite() || x.fract() != 0.0 {
                return Err("it is not a whole number");
            }
            x as i128
        }
    };
    let bits = 8 * kind.bytes() as u32;
    let (least, most) = match kind {
        NumberType::Bool => (0, 1),
        NumberType::Uint8 | NumberType::Uint16 | NumberType::Uint32 | NumberType::Uint64 => {
            (0, (1_i128 << bits) - 1)
        }
        _ => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
    };
    if !(least..=most).contains(&number) {
        return Err("it is out of range");
    }
    Ok(number as u128 & (u128::MAX >> (128 - bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(kind: NumberType, bits: u128) -> Array {
        Array::from_bits(kind, vec![1], std::iter::once(bits))
    }

    fn double(x: f64) -> Array {
        one(NumberType::Float64, x.to_bits().into())
    }

    fn into(array: &Array, kind: NumberType) -> Result<Value, &'static str> {
        convert(array, kind, false).map(|array| array.value(0)).map_err(|unfit| unfit.why)
    }

    #[test]
    fn floats_round_to_nearest_and_do_not_overflow() {
        assert_eq!(into(&double(0.1), NumberType::Float32), Ok(Value::Float(f64::from(0.1f32))));
        assert_eq!(into(&double(1e39), NumberType::Float32), Err("it is too large"));
        assert_eq!(
            into(&double(f64::INFINITY), NumberType::Float32),
            Ok(Value::Float(f64::INFINITY))
        );
        assert_eq!(into(&double(1.5), NumberType::Complex64), Ok(Value::Complex(1.5, 0.0)));
    }

    #[test]
    fn a_nan_passes_on_request_and_becomes_that_of_the_machine() {
        let nan = double(f64::NAN);
        assert_eq!(into(&nan, NumberType::Float32), Err("a NaN is converted only with `:nan`"));
        let passed = convert(&nan, NumberType::Float32, true).expect("on request");
        assert_eq!(passed.bits(0), NAN.into());
        assert_eq!(into(&nan, NumberType::Int32), Err("it is not a whole number"));
        // Of the same type all bits stay.
        let own = one(NumberType::Float32, 0xffc1_2345);
        assert_eq!(convert(&own, NumberType::Float32, false), Ok(own));
    }

    #[test]
    fn whole_numbers_are_exact_or_refused() {
        let int = |n: i64| one(NumberType::Int64, n as u64 as u128);
        assert_eq!(into(&int(-1), NumberType::Int32), Ok(Value::Int(-1)));
        assert_eq!(into(&int(-1), NumberType::Uint32), Err("it is out of range"));
        for (kind, least, most) in [
            (NumberType::Bool, 0, 1),
            (NumberType::Uint8, 0, 255),
            (NumberType::Int8, -128, 127),
            (NumberType::Uint16, 0, 65535),
            (NumberType::Int16, -32768, 32767),
            (NumberType::Uint32, 0, 4_294_967_295),
            (NumberType::Int32, -2_147_483_648, 2_147_483_647),
        ] {
            for n in [least, most] {
                assert_eq!(into(&int(n), kind), Ok(Value::Int(n.into())), "{kind}");
            }
            for n in [least - 1, most + 1] {
                assert_eq!(into(&int(n), kind), Err("it is out of range"), "{kind} {n}");
            }
        }
        assert_eq!(into(&int(1 << 31), NumberType::Int32), Err("it is out of range"));
        assert_eq!(into(&int(1 << 31), NumberType::Uint32), Ok(Value::Int(1 << 31)));
        assert_eq!(into(&int(1 << 24), NumberType::Float32), Ok(Value::Float(16_777_216.0)));
        assert_eq!(into(&int((1 << 24) + 1), NumberType::Float32), Err("it would be rounded"));
        assert_eq!(into(&double(2.5), NumberType::Int32), Err("it is not a whole number"));
        assert_eq!(into(&double(-3.0), NumberType::Int64), Ok(Value::Int(-3)));
    }

    #[test]
    fn the_index_of_what_does_not_fit_is_told() {
        let wide = [0.0, 1.0, 2.0, 3.0, 4.0, 1e300].map(|x: f64| u128::from(x.to_bits()));
        let array = Array::from_bits(NumberType::Float64, vec![2, 3], wide.into_iter());
        let unfit = convert(&array, NumberType::Float32, false).expect_err("one is too large");
        assert_eq!(
            unfit.to_string(),
            "element [1, 2] is 1e300, which cannot be float32: it is too large"
        );
        let imaginary = one(NumberType::Complex64, u128::from(1f32.to_bits()));
        assert_eq!(into(&imaginary, NumberType::Float32), Err("it has an imaginary part"));
    }
}
