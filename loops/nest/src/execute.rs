//! Execution of a nest in the order of its text.

use crate::instances::{IndexValues, NestFault, NestInstance, walk};
use crate::model::{Nest, ScalarType, ValueTree};
use crate::number::NestNumber;
use num_complex::Complex32;

/// Elements of an array in the order of memory: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub enum NestData {
    /// Numbers of `float`.
    Float(Vec<f32>),
    /// Numbers of `double`.
    Double(Vec<f64>),
    /// Numbers of `float complex`.
    Complex(Vec<Complex32>),
}

impl NestData {
    /// Creates zeros.
    pub fn zeros(kind: ScalarType, count: usize) -> Self {
        match kind {
            ScalarType::Float => Self::Float(vec![0.0; count]),
            ScalarType::Double => Self::Double(vec![0.0; count]),
            ScalarType::Complex => Self::Complex(vec![Complex32::default(); count]),
        }
    }

    /// Returns the type of the elements.
    pub fn kind(&self) -> ScalarType {
        match self {
            Self::Float(_) => ScalarType::Float,
            Self::Double(_) => ScalarType::Double,
            Self::Complex(_) => ScalarType::Complex,
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        match self {
            Self::Float(all) => all.len(),
            Self::Double(all) => all.len(),
            Self::Complex(all) => all.len(),
        }
    }

    /// Returns the element at a place; 0 if there is none.
    pub fn element(&self, place: usize) -> NestNumber {
        match self {
            Self::Float(all) => NestNumber::Float(all.get(place).copied().unwrap_or_default()),
            Self::Double(all) => NestNumber::Double(all.get(place).copied().unwrap_or_default()),
            Self::Complex(all) => NestNumber::Complex(all.get(place).copied().unwrap_or_default()),
        }
    }

    /// Whether all elements have the bits of those of another array; a NaN counts as any other one.
    pub fn has_bits_of(&self, other: &Self) -> bool {
        let float = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let double = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let complex = |a: Complex32, b: Complex32| float(a.re, b.re) && float(a.im, b.im);
        self.count() == other.count()
            && match (self, other) {
                (Self::Float(a), Self::Float(b)) => a.iter().zip(b).all(|(a, b)| float(*a, *b)),
                (Self::Double(a), Self::Double(b)) => a.iter().zip(b).all(|(a, b)| double(*a, *b)),
                (Self::Complex(a), Self::Complex(b)) => {
                    a.iter().zip(b).all(|(a, b)| complex(*a, *b))
                }
                _ => false,
            }
    }

    /// Changes the element at a place, if there is one; the number is rounded to the type.
    pub fn set_element(&mut self, place: usize, number: NestNumber) {
        match (self, number.to(ScalarType::Float), number.to(ScalarType::Complex)) {
            (Self::Float(all), NestNumber::Float(value), _) => {
                all.get_mut(place).into_iter().for_each(|element| *element = value);
            }
            (Self::Complex(all), _, NestNumber::Complex(value)) => {
                all.get_mut(place).into_iter().for_each(|element| *element = value);
            }
            (Self::Double(all), ..) => {
                all.get_mut(place).into_iter().for_each(|element| *element = number.double());
            }
            _ => {}
        }
    }
}

/// Values of a run: parameters, numbers and arrays, each in the order of the nest.
#[derive(Clone, Debug, PartialEq)]
pub struct NestValues {
    /// Values of [`Nest::parameters`].
    pub parameters: Vec<i64>,
    /// Values of [`Nest::scalars`].
    pub scalars: Vec<NestNumber>,
    /// Elements of [`Nest::arrays`].
    pub arrays: Vec<NestData>,
}

impl NestValues {
    /// Whether all arrays have the bits of those of another run; a NaN counts as any other one.
    pub fn has_bits_of(&self, other: &Self) -> bool {
        self.arrays.len() == other.arrays.len()
            && self.arrays.iter().zip(&other.arrays).all(|(a, b)| a.has_bits_of(b))
    }
}

impl Nest {
    /// Creates values of a run with all numbers 0.
    ///
    /// # Errors
    /// An array has an impossible size.
    pub fn zero_values(&self, parameters: &[i64]) -> Result<NestValues, NestFault> {
        let arrays = self.arrays.iter().enumerate().map(|(number, array)| {
            let sizes = self.array_sizes(number, parameters)?;
            Ok(NestData::zeros(array.kind, sizes.into_iter().product()))
        });
        Ok(NestValues {
            parameters: parameters.to_vec(),
            scalars: self
                .scalars
                .iter()
                .map(|scalar| NestNumber::Whole(0).to(scalar.kind))
                .collect(),
            arrays: arrays.collect::<Result<_, _>>()?,
        })
    }

    /// Runs the nest in the order of its text. `limit` is the greatest number of instances.
    ///
    /// # Errors
    /// An element lies outside of its array, a number overflows, or there are more instances than `limit`.
    pub fn execute(&self, values: &mut NestValues, limit: usize) -> Result<(), NestFault> {
        let numbers = 0..self.arrays.len();
        let sizes: Vec<_> = numbers
            .map(|array| self.array_sizes(array, &values.parameters))
            .collect::<Result<_, _>>()?;
        let mut indices = IndexValues::new(self, &values.parameters);
        let mut steps = 0_usize;
        walk(self, &mut indices, &mut |statement, indices| {
            steps += 1;
            if steps > limit {
                return Err(NestFault::TooMany { limit });
            }
            let run = StatementRun { nest: self, sizes: &sizes, indices, statement };
            let places = run.places()?;
            let of = &self.statements[statement];
            let number = run.value(&of.value, &places, values)?;
            values.arrays[of.accesses[0].array].set_element(places[0], number);
            Ok(())
        })
    }
}

struct StatementRun<'r> {
    nest: &'r Nest,
    sizes: &'r [Vec<usize>],
    indices: &'r IndexValues,
    statement: usize,
}

impl StatementRun<'_> {
    /// Returns the places of the elements in their arrays.
    fn places(&self) -> Result<Vec<usize>, NestFault> {
        let accesses = self.nest.statements[self.statement].accesses.iter().enumerate();
        accesses
            .map(|(access, of)| {
                let mut place = 0_usize;
                for (form, size) in of.subscripts.iter().zip(&self.sizes[of.array]) {
                    let index = self.indices.value(form)?;
                    let within = usize::try_from(index).ok().filter(|index| index < size);
                    let Some(index) = within else { return Err(self.outside(access)) };
                    place = place * size + index;
                }
                Ok(place)
            })
            .collect()
    }

    fn outside(&self, access: usize) -> NestFault {
        let of = &self.nest.statements[self.statement];
        let forms = of.accesses[access].subscripts.iter();
        let element = forms.map(|form| self.indices.value(form).unwrap_or_default()).collect();
        let indices = of.loops.iter().map(|number| self.indices.loops[*number]).collect();
        let instance = NestInstance { statement: self.statement, indices };
        NestFault::Outside { instance, access, element }
    }

    fn value(
        &self,
        tree: &ValueTree,
        places: &[usize],
        values: &NestValues,
    ) -> Result<NestNumber, NestFault> {
        Ok(match tree {
            ValueTree::Number(value, kind) => NestNumber::Double(*value).to(*kind),
            ValueTree::Whole(form) => NestNumber::Whole(self.indices.value(form)?),
            ValueTree::Scalar(number) => {
                values.scalars.get(*number).copied().unwrap_or(NestNumber::Whole(0))
            }
            ValueTree::Element(number) => {
                let array = self.nest.statements[self.statement].accesses[*number].array;
                values.arrays[array].element(places[*number])
            }
            ValueTree::Negated(inner) => self.value(inner, places, values)?.negated(),
            ValueTree::Binary(operator, left, right) => {
                let left = self.value(left, places, values)?;
                NestNumber::computed(*operator, left, self.value(right, places, values)?)
            }
            ValueTree::Call(function, kind, all) => {
                let numbers = all.iter().map(|value| self.value(value, places, values));
                NestNumber::applied(*function, *kind, &numbers.collect::<Result<Vec<_>, _>>()?)
            }
        })
    }
}
