//! The circular convolution of vectors in local memory in one call of a kernel, as a workload: the kernel that
//! `round_trip` makes, with the direction of the transform changed on the way.

use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload, untyped};
use cp2_isa::{Core, Extensions, SECTIONS};
use cp2_kernels::fft;
use cp2_procedures::convolution::reference::wide;
use cp2_procedures::convolution::round_trip;
use cp2_reference::fft::by_halves;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::{self, complex, word};
use cp2_session::workload::{
    About, Bound, Deviation, Listener, Platform, Reference, Request, Workload, WorkloadOption,
};
use cp2_session::{npy, random};
use num_complex::{Complex32, Complex64};
use std::sync::Arc;

/// The extension that all circular convolutions need.
const NEEDED: &str = "fft-direction";

/// Points of the vectors, for each workload.
const LENGTHS: [usize; 3] = [64, 256, 1024];

/// Words of vectors in each section.
const WORDS: usize = 1024;

/// Circular convolutions of vectors of a given number of points.
#[derive(Clone, Copy, Debug)]
struct Circular {
    points: usize,
}

/// Returns all circular convolutions, as workloads.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Workload>> {
    LENGTHS.into_iter().map(|points| untyped(Circular { points }))
}

/// Returns all circular convolutions, to be counted.
pub(super) fn counted() -> Vec<Counted> {
    let one = |points| {
        let circular = Circular { points };
        Counted::new(circular.name(), move |name, on| circular.row(name, on)).needing(NEEDED)
    };
    LENGTHS.map(one).into()
}

impl Circular {
    fn name(self) -> String {
        format!("convolve{}", self.points)
    }

    /// Returns the number of vectors in each section.
    const fn vectors(self) -> usize {
        WORDS / self.points
    }

    /// Returns random vectors, section after section, and a random filter, divided by the number of points.
    fn numbers(self, seed: u64) -> (Vec<Complex32>, Vec<Complex32>) {
        let mut numbers = random::complex(seed, SECTIONS * WORDS + self.points);
        let filter = numbers.split_off(SECTIONS * WORDS);
        (numbers, filter.into_iter().map(|h| h / self.points as f32).collect())
    }

    /// Transforms the filter, then convolves the vectors; returns the results, and the cycles of the second call.
    fn run_on(
        self,
        (x, filter): &(Vec<Complex32>, Vec<Complex32>),
        on: &Execution,
    ) -> Result<(Vec<Complex32>, u64), KernelError> {
        if !on.core.extensions().contains(Extensions::FFT_DIRECTION) {
            return Err(RequestError::lacking(&self.name(), NEEDED).into());
        }
        let text = round_trip::source(&on.core, self.points, WORDS)?;
        let image = on.environment.assemble(&on.core, &self.name(), &text)?;
        let [transform, convolve] = &image.kernels[..] else {
            return Err(KernelError::Internal("the text does not have two kernels"));
        };
        let mut cp2 = KernelRunner::new(load::cp2(&on.core), on);
        cp2.load(&image);
        let (middle, of_filter, given) = (WORDS, 2 * WORDS, 3 * WORDS);
        let lmem = &mut cp2.state().lmem;
        for (i, vector) in x.chunks(WORDS).enumerate() {
            vector.iter().zip(lmem.iter_mut()).for_each(|(&x, quad)| quad[i] = word(x));
        }
        for (&h, quad) in filter.iter().zip(&mut lmem[given..]) {
            *quad = [word(h); SECTIONS];
        }
        cp2.call(transform.start, &[given, of_filter, 0])?;
        let arguments = [0, middle, self.vectors() - 1, of_filter];
        let cycles = cp2.call(convolve.start, &arguments)?.cycles;
        let lmem = &cp2.state().lmem[..WORDS];
        let of = |s: usize| lmem.iter().map(move |quad| complex(quad[s]));
        Ok(((0..SECTIONS).flat_map(of).collect(), cycles))
    }

    /// Returns the root of the sum of the squares of the differences, relative to that of the exact results.
    fn distance(
        self,
        (x, filter): &(Vec<Complex32>, Vec<Complex32>),
        results: &[Complex32],
    ) -> f64 {
        let spectrum = |values: &[Complex32]| by_halves(values.iter().map(wide).collect(), -1.0);
        let factors = spectrum(filter);
        let exact: Vec<Complex64> = x
            .chunks(self.points)
            .flat_map(|vector| {
                let products = spectrum(vector).iter().zip(&factors).map(|(x, h)| x * h).collect();
                by_halves(products, 1.0)
            })
            .collect();
        fft::relative_rms_error(results, &exact)
    }

    fn row(self, name: &str, on: &Execution) -> Result<CountRow, KernelError> {
        let numbers = self.numbers(1);
        let (results, cycles) = self.run_on(&numbers, on)?;
        let parameters = format!("{} points, {} vectors", self.points, self.vectors());
        let bound = TypedWorkload::bound(&self, &on.core)?;
        let row =
            CountRow::new(name.to_owned(), parameters, (self.vectors() as u64, cycles), &bound);
        Ok(row
            .checked(self.distance(&numbers, &results) < cp2_procedures::convolution::Check::LIMIT))
    }
}

impl TypedWorkload for Circular {
    /// The vectors and the filter.
    type Input = (Vec<Complex32>, Vec<Complex32>);
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = Some(NEEDED);

    fn about(&self) -> About {
        About {
            name: self.name(),
            summary: "circular convolution of vectors in one call; needs --enable fft-direction"
                .into(),
            family: "convolution",
            platform: Platform::Cp2,
            input: format!("random complex64 (vectors, {})", self.points),
            output: format!("complex64 (vectors, {})", self.points),
            order: "ascending",
            permuted: None,
            reference: Reference {
                is: "the circular convolution in double precision".into(),
                measure: "relative error",
                tolerance: cp2_procedures::convolution::Check::LIMIT,
                unit: "",
                reason: "three transforms of at most 3e-7 each, by the root of the sum of their squares",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        vec![options::seed()]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let least = 2 * fft::butterflies(self.points) + self.points;
        Ok(Bound::new("vector", least as f64, "butterflies of two transforms, and products"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        round_trip::source(core, self.points, WORDS)
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        Ok(self.numbers(request.values.number("seed").unwrap_or(1)))
    }

    fn run(
        &self,
        request: &Request,
        input: &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let (results, cycles) = self.run_on(input, &request.execution())?;
        Ok(Trial {
            work: format!("{} vectors of {} points in each section", self.vectors(), self.points),
            cycles,
            units: (self.vectors() as u64, "vector"),
            results: results.iter().flat_map(|z| [z.re, z.im]).collect(),
        })
    }

    fn check(&self, _: &Request, input: &Self::Input, trial: &Trial) -> Deviation {
        let results: Vec<Complex32> =
            trial.results.chunks_exact(2).map(|z| Complex32::new(z[0], z[1])).collect();
        let distance = self.distance(input, &results);
        Deviation::new(distance, distance < cp2_procedures::convolution::Check::LIMIT)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let results = &finished.outcome.results;
        Some(npy::Array::from_floats(vec![results.len() / 2, 2], results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}
