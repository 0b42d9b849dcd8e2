//! The plans of FFTs of many vectors, and the choice among them.

use super::long::{self, Scheme, Split};
use super::short;
use crate::host::Host;
use crate::plan::{choose, predicted};
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
    /// Returns the plans for vectors of `points` points on a core; those that it does not allow may be among them.
    fn all(core: &Core, points: usize) -> Vec<Self> {
        let whole = short::is_possible(core, points).then_some(Self::Whole);
        let splits = Split::all(points).flat_map(|split| {
            let possible = Scheme::possible(core).iter();
            let possible = possible.filter(move |scheme| scheme.takes(split));
            possible.map(move |&scheme| Self::Passes(split, scheme))
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

    /// Predicts the cycles of the plan for `vectors` vectors of `points` points on the machine of a host.
    fn predicted(self, host: &Host, points: usize, vectors: usize) -> Result<f64, KernelError> {
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

    /// Chooses the plan for `vectors` vectors of `points` points on the machine of a host.
    pub(super) fn choose(
        host: &Host,
        points: usize,
        vectors: usize,
    ) -> Result<(Self, ChosenPlan), KernelError> {
        let plans: Vec<_> = Self::all(host.config().core(), points)
            .into_iter()
            .map(|plan| (plan, plan.to_string()))
            .collect();
        let key = format!("{vectors} transforms of {points} points");
        let on = (host.environment(), host.config());
        choose(on, &key, &plans, |plan| plan.predicted(host, points, vectors))
    }
}
