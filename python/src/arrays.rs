//! Arrays of NumPy and arrays of the libraries. An array goes into local memory word by word, in another order than its own, so
//! CP2 has its bytes in the other order than NumPy here, so an array is converted in one pass over its elements in each
//! direction. Complex matrices, which workloads take as they are, are copied once on their way in, for other threads may write to
//! them while the lock is released, and handed over on their way out. What comes back is owned by NumPy.

use crate::errors::{Failure, input};
use cp2_session::npy::{Array, NumberType};
use num_complex::{Complex32, Complex64};
use numpy::{
    Element, PyArray1, PyArrayDescrMethods as _, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// Function that reads an array whose elements have one certain type; `None` if they have another.
type Reader = fn(&Bound<'_, PyAny>) -> Option<Array>;

/// Returns the array of an object: an array of NumPy, or what NumPy makes one of.
pub(crate) fn from_python(given: &Bound<'_, PyAny>, name: &str) -> Result<Array, Failure> {
    let (made, native);
    let array = match given.cast::<PyUntypedArray>() {
        Ok(array) => array,
        Err(_) => {
            made = given.py().import("numpy")?.call_method1("asarray", (given,))?;
            made.cast::<PyUntypedArray>().map_err(PyErr::from)?
        }
    };
    refuse_masked(array, name)?;
    let array = match array.dtype().is_native_byteorder() {
        Some(false) => {
            let kind = array.dtype().call_method1("newbyteorder", ("=",))?;
            native = array.call_method1("astype", (kind,))?;
            native.cast::<PyUntypedArray>().map_err(PyErr::from)?
        }
        _ => array,
    };
    let readers: [Reader; 13] = [
        |a| bytes::<f32, 4>(a, NumberType::Float32, f32::to_be_bytes),
        |a| bytes::<Complex32, 8>(a, NumberType::Complex64, of_complex),
        |a| bytes::<f64, 8>(a, NumberType::Float64, f64::to_be_bytes),
        |a| bytes::<i32, 4>(a, NumberType::Int32, i32::to_be_bytes),
        |a| bytes::<i64, 8>(a, NumberType::Int64, i64::to_be_bytes),
        |a| bytes::<u32, 4>(a, NumberType::Uint32, u32::to_be_bytes),
        |a| bytes::<u64, 8>(a, NumberType::Uint64, u64::to_be_bytes),
        |a| bytes::<Complex64, 16>(a, NumberType::Complex128, of_double_complex),
        |a| bytes::<i16, 2>(a, NumberType::Int16, i16::to_be_bytes),
        |a| bytes::<u16, 2>(a, NumberType::Uint16, u16::to_be_bytes),
        |a| bytes::<i8, 1>(a, NumberType::Int8, i8::to_be_bytes),
        |a| bytes::<u8, 1>(a, NumberType::Uint8, u8::to_be_bytes),
        |a| bytes::<bool, 1>(a, NumberType::Bool, |flag| [u8::from(flag)]),
    ];
    let wrong = || {
        let kinds: Vec<&str> = NumberType::all().map(NumberType::name).collect();
        let shown = array.dtype().to_string();
        input(format!("{name}: the array has the type {shown}; it can have {}", kinds.join(", ")))
    };
    readers.iter().find_map(|read| read(array.as_any())).ok_or_else(wrong)
}

/// Refuses an array of which some elements do not count: CP2 would take what lies there.
fn refuse_masked(array: &Bound<'_, PyUntypedArray>, name: &str) -> Result<(), Failure> {
    if array.is_exact_instance_of::<PyUntypedArray>() {
        return Ok(());
    }
    let masked = array.py().import("numpy")?.getattr("ma")?.call_method1("is_masked", (array,))?;
    match masked.extract()? {
        true => Err(input(format!(
            "{name}: elements of the array are masked; `.filled(value)` gives an array without a mask"
        ))),
        false => Ok(()),
    }
}

/// Shape and elements in C order of an array of complex64.
pub(crate) type ComplexArray = (Vec<usize>, Vec<Complex32>);

/// Returns shape and elements of an array of complex64 in C order; `None` if it has another type.
pub(crate) fn complex_of(
    given: &Bound<'_, PyAny>,
    name: &str,
) -> Result<Option<ComplexArray>, Failure> {
    let Ok(array) = given.cast::<PyArrayDyn<Complex32>>() else { return Ok(None) };
    refuse_masked(array.as_untyped(), name)?;
    let Ok(array) = array.try_readonly() else { return Ok(None) };
    let elements = match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => values.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    };
    Ok(Some((array.shape().to_vec(), elements)))
}

/// Returns an array of NumPy that takes over some elements in C order.
pub(crate) fn of_elements<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    elements: Vec<T>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_vec(py, elements).reshape(shape)?.into_any())
}

fn of_complex(z: Complex32) -> [u8; 8] {
    let bits = u64::from(z.re.to_bits()) << 32 | u64::from(z.im.to_bits());
    bits.to_be_bytes()
}

fn of_double_complex(z: Complex64) -> [u8; 16] {
    let bits = u128::from(z.re.to_bits()) << 64 | u128::from(z.im.to_bits());
    bits.to_be_bytes()
}

/// Returns the array if its elements are of this type, in the order in which the last axis is contiguous.
fn bytes<T: Element + Copy, const N: usize>(
    array: &Bound<'_, PyAny>,
    kind: NumberType,
    convert: fn(T) -> [u8; N],
) -> Option<Array> {
    let array = array.cast::<PyArrayDyn<T>>().ok()?.try_readonly().ok()?;
    let shape = array.shape().to_vec();
    let mut bytes = vec![0; array.len() * N];
    let (elements, _) = bytes.as_chunks_mut::<N>();
    // A slice of an array in Fortran order would have its elements in that order.
    match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => fill(elements, values.iter(), convert),
        _ => fill(elements, array.as_array().iter(), convert),
    }
    Some(Array::from_bytes(kind, shape, bytes))
}

fn fill<'a, T: Copy + 'a, const N: usize>(
    elements: &mut [[u8; N]],
    values: impl Iterator<Item = &'a T>,
    convert: fn(T) -> [u8; N],
) {
    for (element, value) in elements.iter_mut().zip(values) {
        *element = convert(*value);
    }
}

/// Returns an array as one of NumPy, which owns its elements.
pub(crate) fn to_python<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    match array.kind {
        NumberType::Bool => made(py, array, |[byte]: [u8; 1]| byte != 0),
        NumberType::Int8 => made(py, array, i8::from_be_bytes),
        NumberType::Int16 => made(py, array, i16::from_be_bytes),
        NumberType::Int32 => made(py, array, i32::from_be_bytes),
        NumberType::Int64 => made(py, array, i64::from_be_bytes),
        NumberType::Uint8 => made(py, array, u8::from_be_bytes),
        NumberType::Uint16 => made(py, array, u16::from_be_bytes),
        NumberType::Uint32 => made(py, array, u32::from_be_bytes),
        NumberType::Uint64 => made(py, array, u64::from_be_bytes),
        NumberType::Float32 => made(py, array, f32::from_be_bytes),
        NumberType::Float64 => made(py, array, f64::from_be_bytes),
        NumberType::Complex64 => made(py, array, |bytes: [u8; 8]| {
            let bits = u64::from_be_bytes(bytes);
            Complex32::new(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
        }),
        NumberType::Complex128 => made(py, array, |bytes: [u8; 16]| {
            let bits = u128::from_be_bytes(bytes);
            Complex64::new(f64::from_bits((bits >> 64) as u64), f64::from_bits(bits as u64))
        }),
    }
}

fn made<'py, T: Element, const N: usize>(
    py: Python<'py>,
    array: &Array,
    convert: fn([u8; N]) -> T,
) -> PyResult<Bound<'py, PyAny>> {
    let (elements, _) = array.bytes().as_chunks::<N>();
    let values: Vec<T> = elements.iter().map(|bytes| convert(*bytes)).collect();
    of_elements(py, &array.shape, values)
}
