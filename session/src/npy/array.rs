//! Arrays of any shape and any type of numbers, from and to the bytes of `.npy` files. The module `arrays` puts their
//! elements into machines.

use super::error::NpyError;
use super::{check_header, cut, no_npy};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};
use num_complex::Complex32;
use std::fmt;

/// A type of the elements of an array in a `.npy` file, with NumPy's name. These are all types that [`Array`] can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberType {
    /// `bool`: a truth value of one byte, 0 or 1.
    Bool,
    /// `int8`: a signed whole number of 8 bits.
    Int8,
    /// `int16`: a signed whole number of 16 bits.
    Int16,
    /// `int32`: a signed whole number of 32 bits.
    Int32,
    /// `int64`: a signed whole number of 64 bits.
    Int64,
    /// `uint8`: an unsigned whole number of 8 bits.
    Uint8,
    /// `uint16`: an unsigned whole number of 16 bits.
    Uint16,
    /// `uint32`: an unsigned whole number of 32 bits.
    Uint32,
    /// `uint64`: an unsigned whole number of 64 bits.
    Uint64,
    /// `float32`: a single-precision float.
    Float32,
    /// `float64`: a double-precision float.
    Float64,
    /// `complex64`: a complex number of two single-precision floats.
    Complex64,
    /// `complex128`: a complex number of two double-precision floats.
    Complex128,
}

/// A row: the kind, NumPy's name, the letter and bytes in files.
const KINDS: [(NumberType, &str, char, usize); 13] = [
    (NumberType::Bool, "bool", 'b', 1),
    (NumberType::Int8, "int8", 'i', 1),
    (NumberType::Int16, "int16", 'i', 2),
    (NumberType::Int32, "int32", 'i', 4),
    (NumberType::Int64, "int64", 'i', 8),
    (NumberType::Uint8, "uint8", 'u', 1),
    (NumberType::Uint16, "uint16", 'u', 2),
    (NumberType::Uint32, "uint32", 'u', 4),
    (NumberType::Uint64, "uint64", 'u', 8),
    (NumberType::Float32, "float32", 'f', 4),
    (NumberType::Float64, "float64", 'f', 8),
    (NumberType::Complex64, "complex64", 'c', 8),
    (NumberType::Complex128, "complex128", 'c', 16),
];

impl NumberType {
    /// Returns all types of elements, in the order of their variants.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.into_iter().map(|row| row.0)
    }

    fn row(self) -> (Self, &'static str, char, usize) {
        KINDS.into_iter().find(|row| row.0 == self).unwrap_or(KINDS[0])
    }

    /// Returns NumPy's name of the type, such as `float32`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the type with this NumPy name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name() == name)
    }

    /// Returns the number of bytes of an element, 1 to 16.
    pub fn bytes(self) -> usize {
        self.row().3
    }

    /// Whether an element of the type has a real and an imaginary part.
    pub fn is_complex(self) -> bool {
        self.row().2 == 'c'
    }

    /// Whether an element of the type is a single real float, `float32` or `float64`; false for complex types.
    pub fn is_float(self) -> bool {
        self.row().2 == 'f'
    }

    /// Returns how many numbers make an element: two, if it is complex.
    fn parts(self) -> usize {
        if self.is_complex() { 2 } else { 1 }
    }

    fn of(dtype: &DType) -> Option<Self> {
        let DType::Plain(element) = dtype else { return None };
        let letter = match element.type_char() {
            TypeChar::Bool => 'b',
            TypeChar::Int => 'i',
            TypeChar::Uint => 'u',
            TypeChar::Float => 'f',
            TypeChar::Complex => 'c',
            _ => return None,
        };
        let row = |row: &&(Self, &str, char, usize)| {
            row.2 == letter && row.3 as u64 == element.size_field()
        };
        KINDS.iter().find(row).map(|row| row.0)
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of one element of an array, whatever its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// The value of a whole number or a truth value.
    Int(i128),
    /// The value of a real float.
    Float(f64),
    /// The real and the imaginary part of a complex number.
    Complex(f64, f64),
}

impl Value {
    /// Whether the value has neither a NaN nor an infinity.
    pub fn is_finite(self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::Float(x) => x.is_finite(),
            Self::Complex(re, im) => re.is_finite() && im.is_finite(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Complex(re, im) => write!(f, "{re:?}{im:+?}j"),
        }
    }
}

/// An array of numbers as a `.npy` file has it: type, shape, and the elements in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of all elements of the array.
    pub kind: NumberType,
    /// Number of elements along each axis; the last index varies fastest.
    pub shape: Vec<usize>,
    /// The elements, big-endian, a real part before its imaginary part.
    bytes: Vec<u8>,
}

/// Most axes, as NumPy has it.
const MOST_AXES: usize = 64;

impl Array {
    /// Creates an array from the bits of its elements in C order. Each element is in the low bits of its number; a real
    /// part stands above its imaginary part. There have to be as many elements as the shape says, which
    /// [`Self::check_shape`] tells; an array with more or fewer is not loaded.
    pub fn from_bits(
        kind: NumberType,
        shape: Vec<usize>,
        elements: impl Iterator<Item = u128>,
    ) -> Self {
        let from = size_of::<u128>() - kind.bytes();
        let mut bytes = Vec::with_capacity(elements.size_hint().0.saturating_mul(kind.bytes()));
        elements.for_each(|bits| bytes.extend_from_slice(&bits.to_be_bytes()[from..]));
        Self { kind, shape, bytes }
    }

    /// Creates an array from the bytes of its elements in C order, each number big-endian, a real part before its
    /// imaginary part. There have to be as many bytes as type and shape say, which [`Self::check_shape`] tells; an array
    /// with more or fewer is not loaded.
    pub fn from_bytes(kind: NumberType, shape: Vec<usize>, bytes: Vec<u8>) -> Self {
        Self { kind, shape, bytes }
    }

    /// Reads an array from the bytes of a `.npy` file, in C or Fortran order and either order of bytes.
    ///
    /// # Errors
    /// The bytes are no `.npy` file or are cut short, the array has more than 64 axes, or the elements have a type that
    /// [`NumberType`] does not have.
    pub fn read(mut file: &[u8]) -> Result<Self, NpyError> {
        check_header(file)?;
        let header = NpyHeader::from_reader(&mut file).map_err(|e| no_npy(&e))?;
        let dtype = header.dtype();
        let Some(kind) = NumberType::of(&dtype) else {
            return Err(NpyError::Type { dtype: cut(&dtype.descr()) });
        };
        let axes = header.shape();
        let shape: Option<Vec<usize>> = axes.iter().map(|&n| usize::try_from(n).ok()).collect();
        let Some(shape) = shape.filter(|shape| shape.len() <= MOST_AXES) else {
            return Err(NpyError::TooManyAxes { axes: axes.len() });
        };
        let size = shape.iter().try_fold(kind.bytes(), |size, n| size.checked_mul(*n));
        let bytes = match size {
            Some(size) if size <= file.len() => file[..size].to_vec(),
            wanted => return Err(NpyError::Cut { there: file.len(), wanted }),
        };
        let mut array = Self { kind, shape, bytes };
        let DType::Plain(element) = &dtype else { return Ok(array) };
        if element.endianness() == Endianness::Little {
            let part = kind.bytes() / kind.parts();
            array.bytes.chunks_exact_mut(part).for_each(<[u8]>::reverse);
        }
        if header.order() == Order::Fortran {
            array.bytes = array.in_c_order();
        }
        Ok(array)
    }

    /// Returns the bytes of an array whose first axis is the contiguous one, in the order in which the last one is
    /// contiguous.
    fn in_c_order(&self) -> Vec<u8> {
        let size = self.kind.bytes();
        let mut strides = vec![size; self.shape.len()];
        for axis in 1..strides.len() {
            strides[axis] = strides[axis - 1] * self.shape[axis - 1];
        }
        let place = |index: usize| -> usize {
            self.index(index).iter().zip(&strides).map(|(n, stride)| n * stride).sum()
        };
        (0..self.len()).map(place).flat_map(|at| self.bytes[at..at + size].to_vec()).collect()
    }

    /// Creates an array of float32 from its elements in C order. There have to be as many as the shape says, which
    /// [`Self::check_shape`] tells; an array with more or fewer is not loaded.
    pub fn from_floats(shape: Vec<usize>, values: &[f32]) -> Self {
        let bits = values.iter().map(|x| u128::from(x.to_bits()));
        Self::from_bits(NumberType::Float32, shape, bits)
    }

    /// Returns the elements of an array of float32. For another type, the low 32 bits of each element are taken as a
    /// float, without conversion.
    pub fn to_floats(&self) -> Vec<f32> {
        (0..self.len()).map(|at| f32::from_bits(self.bits(at) as u32)).collect()
    }

    /// Creates an array of complex64 from its elements in C order. There have to be as many as the shape says, which
    /// [`Self::check_shape`] tells; an array with more or fewer is not loaded.
    pub fn from_complex(shape: Vec<usize>, values: &[Complex32]) -> Self {
        let bits = |z: &Complex32| u128::from(z.re.to_bits()) << 32 | u128::from(z.im.to_bits());
        Self::from_bits(NumberType::Complex64, shape, values.iter().map(bits))
    }

    /// Returns the elements of an array of complex64. For another type, the low 64 bits of each element are taken as a
    /// complex number, without conversion.
    pub fn to_complex(&self) -> Vec<Complex32> {
        let number = |bits: u128| {
            Complex32::new(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
        };
        (0..self.len()).map(|at| number(self.bits(at))).collect()
    }

    /// Checks that there are as many elements as the shape says.
    ///
    /// # Errors
    /// A sentence with the shape and both numbers.
    pub fn check_shape(&self) -> Result<(), String> {
        let size = self.shape.iter().try_fold(self.kind.bytes(), |size, n| size.checked_mul(*n));
        if size == Some(self.bytes.len()) {
            return Ok(());
        }
        let wanted: u128 = self.shape.iter().fold(1, |all, n| all.saturating_mul(*n as u128));
        Err(format!(
            "the array has {} elements, and its shape {} has {wanted}; give as many as the shape has",
            self.len(),
            shape_text(&self.shape)
        ))
    }

    /// Returns the array as the bytes of a `.npy` file, little-endian and in C order.
    pub fn write(&self) -> Vec<u8> {
        let (_, _, letter, size) = self.kind.row();
        let order = if size == 1 { '|' } else { '<' };
        let axes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if axes.len() == 1 { "," } else { "" };
        let header = format!(
            "{{'descr': '{order}{letter}{size}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            axes.join(", ")
        );
        // Magic, version and length before the header, whose end is a multiple of 64 bytes.
        let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let mut file = b"\x93NUMPY\x01\0".to_vec();
        file.extend((length as u16).to_le_bytes());
        file.extend(format!("{header:<width$}\n", width = length - 1).bytes());
        let start = file.len();
        file.extend(&self.bytes);
        file[start..].chunks_exact_mut(size / self.kind.parts()).for_each(<[u8]>::reverse);
        file
    }

    /// Returns the number of elements of the array.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.kind.bytes()
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes of all elements in C order, each number big-endian, a real part before its imaginary part.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the index along each axis, from 0, of the element with this number in C order, from 0. Numbers beyond
    /// the last element begin again with the first one.
    pub fn index(&self, element: usize) -> Vec<usize> {
        let mut rest = element;
        let mut index: Vec<usize> = self
            .shape
            .iter()
            .rev()
            .map(|&n| {
                let at = rest % n.max(1);
                rest /= n.max(1);
                at
            })
            .collect();
        index.reverse();
        index
    }

    /// Returns the bits of the element with this number in C order, from 0, in the low bits of the result; a real part
    /// stands above its imaginary part. Panics if there is no such element.
    pub fn bits(&self, element: usize) -> u128 {
        let size = self.kind.bytes();
        let bytes = &self.bytes[element * size..][..size];
        bytes.iter().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
    }

    /// Returns the value of the element with this number in C order, from 0. Panics if there is no such element.
    pub fn value(&self, element: usize) -> Value {
        let bits = self.bits(element);
        let single = |bits: u128| f64::from(f32::from_bits(bits as u32));
        let double = |bits: u128| f64::from_bits(bits as u64);
        match self.kind {
            NumberType::Bool
            | NumberType::Uint8
            | NumberType::Uint16
            | NumberType::Uint32
            | NumberType::Uint64 => Value::Int(bits as i128),
            NumberType::Int8 => Value::Int((bits as i8).into()),
            NumberType::Int16 => Value::Int((bits as i16).into()),
            NumberType::Int32 => Value::Int((bits as i32).into()),
            NumberType::Int64 => Value::Int((bits as i64).into()),
            NumberType::Float32 => Value::Float(single(bits)),
            NumberType::Float64 => Value::Float(double(bits)),
            NumberType::Complex64 => Value::Complex(single(bits >> 32), single(bits)),
            NumberType::Complex128 => Value::Complex(double(bits >> 64), double(bits)),
        }
    }

    /// Returns the shape of the array, the sizes of its axes, as NumPy writes it: `(3, 5)`, `(3,)`, `()`.
    pub fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }
}

/// Returns a shape, the sizes of the axes, as NumPy writes it: `(3, 5)`, `(3,)`, `()`.
pub fn shape_text(shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for kind in NumberType::all() {
            for shape in [vec![], vec![0], vec![5], vec![2, 3], vec![3, 1, 2]] {
                let count = shape.iter().product::<usize>() as u128;
                let mask = u128::MAX >> (128 - 8 * kind.bytes());
                let bits = (0..count).map(|n| (n * 0x0123_4567_89ab_cdef_0011_2233) & mask);
                let array = Array::from_bits(kind, shape, bits);
                assert_eq!(array.len() as u128, count);
                let file = array.write();
                assert!(file.len().is_multiple_of(64) || count > 0, "{kind}");
                assert_eq!(Array::read(&file).expect("it was written"), array);
            }
        }
    }

    #[test]
    fn orders_of_bytes_and_axes_are_put_right() {
        let file = |descr: &str, fortran: &str, bytes: &[u8]| {
            let header =
                format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (2, 3), }}\n");
            let mut file = b"\x93NUMPY\x01\0".to_vec();
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header.bytes());
            file.extend(bytes);
            Array::read(&file).expect("an array")
        };
        let values = |array: &Array| (0..array.len()).map(|i| array.bits(i)).collect::<Vec<_>>();
        let little: Vec<u8> = (0..6u16).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = (0..6u16).flat_map(u16::to_be_bytes).collect();
        assert_eq!(values(&file("<i2", "False", &little)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(values(&file(">u2", "False", &big)), [0, 1, 2, 3, 4, 5]);
        // Column by column: element (r, c) is number 2c + r of the file.
        assert_eq!(values(&file("<i2", "True", &little)), [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn elements_have_values_and_places() {
        let bits = [1.5f32, -2.0].map(|x| u128::from(x.to_bits()));
        let array = Array::from_bits(
            NumberType::Complex64,
            vec![1, 1],
            std::iter::once(bits[0] << 32 | bits[1]),
        );
        assert_eq!(array.value(0), Value::Complex(1.5, -2.0));
        assert_eq!(array.value(0).to_string(), "1.5-2.0j");
        let array = Array::from_bits(NumberType::Int8, vec![2, 3], (250..256).map(|n| n & 0xff));
        assert_eq!(array.value(5), Value::Int(-1));
        assert_eq!(array.index(5), [1, 2]);
        assert_eq!(shape_text(&[4]), "(4,)");
    }
}
