//! The plans of FFTs of many vectors, and the choice among them.

use super::long::{self, Scheme, Split};
use super::short;
use crate::host::Host;
use crate::plan::{Plan, choose, predicted};
use cp2_isa::{Core, SECTIONS};
use cp2_session::cost::ChosenPlan;
use cp2_session::error::KernelError;
use num_complex::Complex32;
use std::fmt;

/// Plan of a transform of many vectors: whether sections hold whole vectors, or the vectors go over system memory twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformPlan {
    /// Each section holds whole vectors; a page is those of all sections.
    Whole,
    /// Two passes over system memory: columns, then rows.
    Passes(Split, Scheme),
}

impl fmt::Display for TransformPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole vectors"),
            Self::Passes(Split { n1, n2 }, scheme) => {
                write!(f, "two passes, {n1} x {n2}, {}", scheme.name())
            }
        }
    }
}

impl TransformPlan {
    /// Returns the plans for vectors of `points` points; there are cores that do not allow them.
    fn all(points: usize) -> Vec<Self> {
        let whole = short::has_kernel(points).then_some(Self::Whole);
        let splits = Split::all(points).flat_map(|split| {
            let schemes = Scheme::CHOICE.into_iter().filter(move |scheme| scheme.takes(split));
            schemes.map(move |scheme| Self::Passes(split, scheme))
        });
        whole.into_iter().chain(splits).collect()
    }

    /// Transforms vectors; returns the address of the results and the number of pages.
    pub(super) fn run(
        self,
        host: &mut Host,
        (points, inverse): (usize, bool),
        input: &[Complex32],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(cp2_isa::MemoryAddress, usize), KernelError> {
        match self {
            Self::Whole => short::run(host, points, input, progress),
            Self::Passes(split, scheme) => {
                long::run(host, split, input, (scheme, inverse), progress)
            }
        }
    }

    /// Chooses the plan for `vectors` vectors of `points` points on the machine of a host.
    pub(super) fn choose(
        host: &Host,
        points: usize,
        vectors: usize,
    ) -> Result<(Self, ChosenPlan), KernelError> {
        let key = format!("{vectors} transforms of {points} points");
        choose((host, &key), &Self::all(points), Work { points, vectors })
    }
}

/// Vectors of a number of points that are transformed.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    points: usize,
    vectors: usize,
}

impl Plan for TransformPlan {
    type Work = Work;

    fn name(self) -> String {
        self.to_string()
    }

    fn check(self, core: &Core, Work { points, .. }: Work) -> Result<(), KernelError> {
        let needed = match self {
            Self::Whole => short::least_words(core, points),
            Self::Passes(_, scheme) => scheme.least_words(),
        };
        KernelError::require(&self.name(), "words of local memory", needed, core.lmem_words())
    }

    fn predicted(self, host: &Host, Work { points, vectors }: Work) -> Result<f64, KernelError> {
        // A page of whole vectors is one unit of work, and so is a vector that goes over memory twice.
        let in_unit = match self {
            Self::Whole => SECTIONS * short::vectors(points),
            Self::Passes(..) => 1,
        };
        predicted(vectors.div_ceil(in_unit), |units| {
            let mut trial = host.trial();
            let input = vec![Complex32::default(); units * in_unit * points];
            self.run(&mut trial, (points, false), &input, &mut |_, _| {})?;
            Ok(trial.machine().cycle().0)
        })
    }
}
