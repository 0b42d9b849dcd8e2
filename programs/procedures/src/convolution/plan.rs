//! The plans of convolutions, and the choice among them.

use super::{Job, Scheme};
use crate::host::Host;
use crate::host::pages::{BANK_WORDS, overlap};
use crate::plan::{choose, predicted};
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
    /// Returns the plans for results that need transforms of `points` points, a power of two. Transforms in passes have more
    /// points where no split has so few.
    fn all(core: &Core, points: usize) -> Vec<Self> {
        let mut plans = Vec::new();
        let mut add = |scheme, transform| plans.push(Self { scheme, transform });
        if points <= Scheme::Banks.words() {
            add(Scheme::Banks, points);
        }
        if points <= Scheme::Places.words() && overlap(core) {
            add(Scheme::Places, points);
        }
        if points == BANK_WORDS && overlap(core) {
            add(Scheme::InPlace, points);
        }
        if points >= BANK_WORDS || plans.is_empty() {
            plans.push(Self { scheme: Scheme::Passes, transform: points.max(BANK_WORDS) });
        }
        plans
    }

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

    /// Chooses the plan for results that need transforms of `least` points, on the machine of a host; the vectors of `points`
    /// points have `values` points together.
    pub(super) fn choose(
        host: &Host,
        least: usize,
        (points, taps): (usize, usize),
        values: usize,
    ) -> Result<(Self, ChosenPlan), KernelError> {
        let vectors = values / points;
        let plans: Vec<_> = Self::all(host.config().core(), least)
            .into_iter()
            .map(|plan| (plan, plan.to_string()))
            .collect();
        let key = format!("{vectors} convolutions of {points} points with {taps}");
        choose((host.environment(), host.config()), &key, &plans, |plan| {
            let unit = plan.unit();
            predicted(vectors.div_ceil(unit), |units| {
                let mut trial = host.trial();
                let zeros = vec![Complex32::default(); taps.max(units * unit * points)];
                let input = &zeros[..units * unit * points];
                Job::new(plan, &zeros[..taps], points, input).run(&mut trial, &mut |_, _| {})?;
                Ok(trial.machine().cycle().0)
            })
        })
    }
}
