//! The plans of convolutions, and the choice among them.

use super::{Job, Scheme};
use crate::host::Host;
use crate::host::pages::BANK_WORDS;
use crate::plan::{Plan, choose, predicted};
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::fft;
use cp2_session::cost::ChosenPlan;
use cp2_session::error::KernelError;
use num_complex::Complex32;
use std::fmt;

/// Plan of a convolution: the use of local memory, and the points of its transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConvolutionPlan {
    pub(super) scheme: Scheme,
    /// Points of the transforms, P.
    pub(super) transform: usize,
}

impl fmt::Display for ConvolutionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, transforms of {} points", self.scheme.name(), self.transform)
    }
}

impl ConvolutionPlan {
    /// Returns the plans for results that need transforms of `points` points, a power of two; there are cores that do not allow
    /// them.
    fn all(points: usize) -> Vec<Self> {
        let mut plans = Vec::new();
        let mut add = |scheme| plans.push(Self { scheme, transform: points });
        if points <= Scheme::Banks.words() {
            add(Scheme::Banks);
        }
        if points <= Scheme::Places.words() {
            add(Scheme::Places);
        }
        if points == BANK_WORDS {
            add(Scheme::InPlace);
        }
        if points >= BANK_WORDS {
            add(Scheme::Passes);
        }
        plans
    }

    /// The plan for transforms of fewer points than any split has, where no other is possible: the shortest in passes, since
    /// these need the shortest kernels.
    const LAST: Self = Self { scheme: Scheme::Passes, transform: BANK_WORDS };

    /// Returns the fewest cycles for a vector: one butterfly or product per cycle and section.
    pub(super) fn least_compute_cycles(self) -> f64 {
        // Passes multiply by the factors of the four-step method, there and back.
        let products = if self.scheme == Scheme::Passes { 3 } else { 1 } * self.transform;
        (2 * fft::butterflies(self.transform) + products) as f64 / SECTIONS as f64
    }

    /// Returns the vectors of a page of all sections, or of a group in passes: the unit of work that is repeated.
    fn unit(self) -> usize {
        match self.scheme {
            Scheme::Banks | Scheme::Places => SECTIONS * self.scheme.words() / self.transform,
            Scheme::InPlace => SECTIONS,
            Scheme::Passes => 1,
        }
    }

    /// Chooses the plan for results that need transforms of `least` points, on the machine of a host.
    pub(super) fn choose(
        host: &Host,
        least: usize,
        work: Work,
    ) -> Result<(Self, ChosenPlan), KernelError> {
        let Work { vectors, points, taps } = work;
        let key = format!("{vectors} convolutions of {points} points with {taps}");
        let mut plans = Self::all(least);
        match choose((host, &key), &plans, work) {
            Err(lack) if lack.is_lack_of_resources() && least < BANK_WORDS => {
                plans.push(Self::LAST);
                choose((host, &key), &plans, work)
            }
            chosen => chosen,
        }
    }
}

/// Vectors of a number of points that are convolved with a filter of `taps` points.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(super) vectors: usize,
    pub(super) points: usize,
    pub(super) taps: usize,
}

impl Plan for ConvolutionPlan {
    type Work = Work;

    fn name(self) -> String {
        self.to_string()
    }

    fn check(self, core: &Core, _: Work) -> Result<(), KernelError> {
        let needed = match self.scheme {
            Scheme::Places | Scheme::InPlace => 2 * BANK_WORDS,
            Scheme::Banks | Scheme::Passes => BANK_WORDS,
        };
        KernelError::require(&self.name(), "words of local memory", needed, core.lmem_words())
    }

    fn predicted(self, host: &Host, work: Work) -> Result<f64, KernelError> {
        let (Work { vectors, points, taps }, unit) = (work, self.unit());
        predicted(vectors.div_ceil(unit), |units| {
            let mut trial = host.trial();
            let zeros = vec![Complex32::default(); taps.max(units * unit * points)];
            let input = &zeros[..units * unit * points];
            Job::new(self, &zeros[..taps], points, input).run(&mut trial, &mut |_, _| {})?;
            Ok(trial.machine().cycle().0)
        })
    }
}
