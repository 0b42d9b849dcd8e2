//! Convolutions of vectors with a filter of their length: two transforms of twice that ([D] 3.1.5).

use super::fft::{element, operations, with_kernel};
use super::size::power;
use crate::inputs::{Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Perf, Plan, PlanLoop, PlanPart};

/// Points of the longest vectors that are convolved whole.
const WHOLE: f64 = 4096.0;

struct Scheme<'a> {
    inputs: &'a Inputs,
    k: f64,
    bw: f64,
    vectors: f64,
}

impl Scheme<'_> {
    fn perf(&self, points: f64) -> Result<Perf, LabError> {
        with_kernel(points, |kernel| kernel.perf(self.inputs))
    }

    /// Returns the loop of a pass over vectors of `n` points: bytes of a point, transforms of `points` on all of them.
    fn loop_of_pass(
        &self,
        name: &str,
        n: f64,
        [load, store]: [f64; 2],
        (points, times): (f64, f64),
    ) -> Result<PlanLoop, LabError> {
        let Self { k, bw, vectors, .. } = *self;
        let perf = self.perf(points)?;
        let work = times * n / points * operations(points);
        let of = |bytes: f64| k * n * bytes;
        Ok(PlanLoop {
            name: name.to_owned(),
            iterations: vectors / k,
            parts: vec![
                PlanPart::overlapped(PartKind::Load, "vectors and factors", of(load), bw),
                PlanPart::overlapped(
                    PartKind::Kernel,
                    format!("transforms of {points}"),
                    k * work,
                    k * perf.mops,
                ),
                PlanPart::overlapped(PartKind::Store, "results", of(store), bw),
            ],
            perf,
            sides: None,
        })
    }
}

/// Makes the plan of convolutions.
pub(super) fn plan(inputs: &Inputs) -> Result<Plan, LabError> {
    let n = power("work.n", inputs.or(EstimateKey::N, 1024.0))?;
    let p = 2.0 * n;
    let (k, bw) = (inputs.require(EstimateKey::Coprocessors)?, inputs.bandwidth()?);
    let vectors = inputs.or(EstimateKey::Vectors, if n > 2048.0 { 256.0 } else { 4096.0 });
    let scheme = Scheme { inputs, k, bw, vectors };
    let e = element(inputs)?;
    let mut notes = Vec::new();
    let loops = if p <= WHOLE {
        let mut whole = scheme.loop_of_pass("vectors with their zeros", p, [e, e], (p, 2.0))?;
        if p == WHOLE {
            whole.parts.iter_mut().for_each(|part| part.overlaps = false);
            notes.push("vector and filter fill local memory, so nothing overlaps".to_owned());
        }
        vec![whole]
    } else {
        let rows = if p <= 16384.0 {
            64.0
        } else if p <= 32768.0 {
            128.0
        } else {
            256.0
        };
        // Pages of 8192 points have the same factors, which stay.
        let factors = if p <= 8192.0 { 0.0 } else { e };
        notes.push("in passes: factors come with the pages of the first and the third, the filter with those of the second (our reading of the theory of [D] table B.4)".to_owned());
        vec![
            scheme.loop_of_pass("columns forward", p, [e + factors, e], (rows, 1.0))?,
            scheme.loop_of_pass(
                "rows forward, times filter, back",
                p,
                [2.0 * e, e],
                (p / rows, 2.0),
            )?,
            scheme.loop_of_pass("columns back", p, [e + factors, e], (rows, 1.0))?,
        ]
    };
    Ok(Plan {
        procedure: "convolution".to_owned(),
        what: format!("{vectors} vectors of {n} points with a filter as long, transforms of {p}"),
        base: "butterfly: 10 operations (`cbutterfly` of CP2)".to_owned(),
        operations: vectors * 2.0 * operations(p),
        counting: "two transforms of a vector, 10 P log2 P".to_owned(),
        loops,
        quantities: Vec::new(),
        notes,
    })
}
