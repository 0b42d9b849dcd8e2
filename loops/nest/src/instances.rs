//! Instances of statements for given values of the parameters, in the order in which the nest runs them.

use crate::affine::{AffineForm, AffineSymbol};
use crate::model::{ArrayAccess, Nest, NestNode};
use std::fmt;

/// A statement with values of the indices around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NestInstance {
    /// Number of the statement.
    pub statement: usize,
    /// Values of the indices, in the order of the statement's loops.
    pub indices: Vec<i64>,
}

/// Reason why a nest cannot run with the values that are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestFault {
    /// More instances than the limit.
    TooMany {
        /// Limit.
        limit: usize,
    },
    /// A number of an index, bound or condition does not fit 64 bits.
    Overflow,
    /// An element lies outside of its array.
    Outside {
        /// Instance that uses the element.
        instance: NestInstance,
        /// Number of the element among those of the statement.
        access: usize,
        /// Indices of the element.
        element: Vec<i64>,
    },
    /// An array has a size below 0, or more elements than memory.
    Size {
        /// Number of the array.
        array: usize,
        /// Sizes.
        sizes: Vec<i64>,
    },
}

impl fmt::Display for NestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { limit } => write!(f, "the nest has more than {limit} instances"),
            Self::Overflow => write!(f, "a number of an index, bound or condition overflows"),
            Self::Outside { element, .. } => {
                write!(f, "the element {element:?} lies outside of its array")
            }
            Self::Size { sizes, .. } => write!(f, "an array of sizes {sizes:?} is not possible"),
        }
    }
}

impl std::error::Error for NestFault {}

/// Values of indices by the number of their loops, and of parameters.
#[derive(Clone, Debug)]
pub(crate) struct IndexValues {
    pub(crate) loops: Vec<i64>,
    pub(crate) parameters: Vec<i64>,
}

impl IndexValues {
    pub(crate) fn new(nest: &Nest, parameters: &[i64]) -> Self {
        Self { loops: vec![0; nest.loops.len()], parameters: parameters.to_vec() }
    }

    pub(crate) fn of(&self, symbol: AffineSymbol) -> i64 {
        match symbol {
            AffineSymbol::Index(number) => self.loops[number],
            AffineSymbol::Parameter(number) => {
                self.parameters.get(number).copied().unwrap_or_default()
            }
        }
    }

    pub(crate) fn value(&self, form: &AffineForm) -> Result<i64, NestFault> {
        form.value(&|symbol| self.of(symbol)).ok_or(NestFault::Overflow)
    }

    fn all(&self, forms: &[AffineForm]) -> Result<Vec<i64>, NestFault> {
        forms.iter().map(|form| self.value(form)).collect()
    }
}

/// Calls a function for every instance of a nest, in the order in which it runs them. The function may end the walk by
/// a fault.
pub(crate) fn walk(
    nest: &Nest,
    values: &mut IndexValues,
    visit: &mut dyn FnMut(usize, &IndexValues) -> Result<(), NestFault>,
) -> Result<(), NestFault> {
    walk_nodes(nest, &nest.body, values, visit)
}

fn walk_nodes(
    nest: &Nest,
    nodes: &[NestNode],
    values: &mut IndexValues,
    visit: &mut dyn FnMut(usize, &IndexValues) -> Result<(), NestFault>,
) -> Result<(), NestFault> {
    for node in nodes {
        match node {
            NestNode::Loop(number, body) => {
                let (lower, upper) = (&nest.loops[*number].lower, &nest.loops[*number].upper);
                let first = values.all(lower)?.into_iter().max().unwrap_or(0);
                let last = values.all(upper)?.into_iter().min().unwrap_or(-1);
                for index in first..=last {
                    values.loops[*number] = index;
                    walk_nodes(nest, body, values, visit)?;
                }
            }
            NestNode::If(condition, then, otherwise) => {
                let holds = condition.holds(&|symbol| values.of(symbol));
                let nodes = if holds.ok_or(NestFault::Overflow)? { then } else { otherwise };
                walk_nodes(nest, nodes, values, visit)?;
            }
            NestNode::Assign(number) => visit(*number, values)?,
            NestNode::Declare(_) => {}
        }
    }
    Ok(())
}

impl Nest {
    /// Returns the instances for values of the parameters, in the order in which the nest runs them.
    ///
    /// # Errors
    /// There are more than `limit`, or a number overflows.
    pub fn instances(
        &self,
        parameters: &[i64],
        limit: usize,
    ) -> Result<Vec<NestInstance>, NestFault> {
        let mut all = Vec::new();
        let mut steps = 0_usize;
        walk(self, &mut IndexValues::new(self, parameters), &mut |statement, values| {
            steps += 1;
            if steps > limit {
                return Err(NestFault::TooMany { limit });
            }
            let loops = self.statements[statement].loops.iter();
            let indices = loops.map(|number| values.loops[*number]).collect();
            all.push(NestInstance { statement, indices });
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the value of a form at an instance.
    ///
    /// # Errors
    /// A number overflows.
    pub fn form_value(
        &self,
        form: &AffineForm,
        instance: &NestInstance,
        parameters: &[i64],
    ) -> Result<i64, NestFault> {
        let loops = &self.statements[instance.statement].loops;
        let of = |symbol: AffineSymbol| match symbol {
            AffineSymbol::Index(number) => loops
                .iter()
                .position(|known| *known == number)
                .map_or(0, |place| instance.indices[place]),
            AffineSymbol::Parameter(number) => parameters.get(number).copied().unwrap_or_default(),
        };
        form.value(&of).ok_or(NestFault::Overflow)
    }

    /// Returns the indices of an element with those of the loops around the declaration of its array in front, so that
    /// arrays of different iterations are told apart.
    pub fn full_subscripts(&self, access: &ArrayAccess) -> Vec<AffineForm> {
        let around = self.arrays[access.array].local.iter().flatten();
        let index = |number: &usize| AffineForm::symbol(AffineSymbol::Index(*number));
        around.map(index).chain(access.subscripts.iter().cloned()).collect()
    }

    /// Returns the sizes of an array for values of the parameters.
    ///
    /// # Errors
    /// A size is below 0, or the array has more than 2^31 elements.
    pub fn array_sizes(&self, array: usize, parameters: &[i64]) -> Result<Vec<usize>, NestFault> {
        let values = IndexValues::new(self, parameters);
        let sizes = values.all(&self.arrays[array].sizes)?;
        let count = sizes.iter().try_fold(1_i64, |count, size| count.checked_mul(*size));
        let is_possible = sizes.iter().all(|size| *size >= 0)
            && count.is_some_and(|count| count <= crate::affine::GREATEST_COEFFICIENT);
        if !is_possible {
            return Err(NestFault::Size { array, sizes });
        }
        Ok(sizes.into_iter().map(|size| size as usize).collect())
    }
}
