//! A sparse matrix times a vector, and conjugate gradients: sliced formats on CP2 ([D] 3.3) and on graphics
//! processors ([D] 2.3).

use super::kernel::{Kernel, OwnCount};
use crate::inputs::{CoprocessorKind, Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Perf, Plan, PlanLoop, PlanPart, Quantity, Sides};
use cp2_evidence::published::count;

/// Operations of the vectors in an iteration of conjugate gradients, for a row: two scalar products and three
/// sums of a vector and a multiple of another.
const VECTORS: f64 = 10.0;

struct Matrix {
    rows: f64,
    nonzeros: f64,
    slice: f64,
    k: f64,
    bw: f64,
    word: f64,
    perf: Perf,
}

/// Returns two numbers: the rows of the sparse matrix of an estimate, and its nonzeros. Where `inputs` does not give
/// them, they are those of the matrix of the benchmark NPB CG: of problem class S on CP2, of class C on graphics
/// processors.
pub fn matrix_of(inputs: &Inputs) -> (f64, f64) {
    let (rows, nonzeros) = match inputs.kind {
        CoprocessorKind::Cp2 => (1400.0, 78148.0),
        CoprocessorKind::Gpu => (150_000.0, 36_121_058.0),
    };
    (inputs.or(EstimateKey::Rows, rows), inputs.or(EstimateKey::Nonzeros, nonzeros))
}

impl Matrix {
    fn new(inputs: &Inputs) -> Result<Self, LabError> {
        let (rows, nonzeros) = matrix_of(inputs);
        let slice = match inputs.kind {
            CoprocessorKind::Cp2 => 64.0,
            CoprocessorKind::Gpu => 128.0,
        };
        let k = inputs.require(EstimateKey::Coprocessors)?;
        let tens = count("spmv_sliced");
        let perf = Kernel {
            name: "spmv_sliced_cg_s",
            operations: 4.0,
            published: tens
                .map(|tens| (tens.cycles as f64 / 10.0, "[D] table B.8: psmadd of large matrices")),
            peak: 4.0 / (2.0 * k + 1.0),
            gpu: Some((16_500.0, "[D] table B.1, class C, GeForce TITAN")),
            own: OwnCount::Bench,
        };
        // What is counted of ours is ten of them.
        let of_tens = Kernel { operations: 40.0, published: None, ..perf };
        let is_ours = inputs.perf == crate::inputs::PerfSource::Ours;
        Ok(Self {
            rows,
            nonzeros,
            slice: inputs.or(EstimateKey::SliceRows, slice),
            k,
            bw: inputs.bandwidth()?,
            word: inputs.require(EstimateKey::WordBytes)?,
            perf: if is_ours { of_tens.perf(inputs)? } else { perf.perf(inputs)? },
        })
    }

    fn operations(&self) -> f64 {
        2.0 * self.nonzeros
    }

    fn kernel(&self, share: f64) -> PlanPart {
        let Self { k, ref perf, .. } = *self;
        PlanPart::overlapped(PartKind::Kernel, "slices", share * self.operations(), k * perf.mops)
    }

    /// Returns the loop on CP2: slices with their values and columns, which come from memory each time.
    fn on_cp2(&self) -> PlanLoop {
        let Self { rows, nonzeros, slice, k, bw, word, .. } = *self;
        let share = (slice / rows).min(1.0);
        let entries = share * nonzeros * (word + 4.0);
        let sides = Sides {
            formula: "BW v 4 Perf (3.16)".to_owned(),
            left: bw,
            right: 4.0 * self.perf.mops,
        };
        PlanLoop {
            name: format!("slices of {slice} rows, dealt to {k} sections"),
            iterations: (rows / slice).max(1.0),
            parts: vec![
                PlanPart::overlapped(PartKind::Load, "values and columns", entries, bw),
                self.kernel(share),
            ],
            perf: self.perf.clone(),
            sides: Some(sides),
        }
    }

    /// Returns the loops on graphics processors: the vector goes to every coprocessor, which has its slices already;
    /// results leave beside the kernels.
    fn on_gpus(&self) -> [PlanLoop; 2] {
        let Self { rows, nonzeros, slice, k, bw, word, .. } = *self;
        let share = (k * slice / rows).min(1.0);
        let vector =
            PlanPart::overlapped(PartKind::Load, "x to every GPU", k * rows * word, bw).alone();
        let result =
            PlanPart::overlapped(PartKind::Store, "the part of y before", share * rows * word, bw);
        let sides = Sides {
            formula: "NZ BW v 4 K N Perf (2.20), (2.23)".to_owned(),
            left: nonzeros * bw,
            right: 4.0 * k * rows * self.perf.mops,
        };
        let one = |name: String, iterations, parts, sides| PlanLoop {
            name,
            iterations,
            parts,
            perf: self.perf.clone(),
            sides,
        };
        [
            one("the vector".to_owned(), 1.0, vec![vector], None),
            one(
                format!("slices of {slice} rows on {k} GPUs"),
                1.0 / share,
                vec![self.kernel(share), result],
                Some(sides),
            ),
        ]
    }
}

/// Makes the plan of a product.
pub(super) fn spmv(inputs: &Inputs) -> Result<Plan, LabError> {
    let matrix = Matrix::new(inputs)?;
    let Matrix { rows, nonzeros, k, ref perf, .. } = matrix;
    let mut quantities = vec![Quantity::new("kperf_mops", k * perf.mops, "MOPS", "K Perf (2.22)")];
    let mut notes = Vec::new();
    let loops = match inputs.kind {
        CoprocessorKind::Cp2 => {
            let clock = inputs.require(EstimateKey::Clock)?;
            let peak = 4.0 * clock / (2.0 * k + 1.0);
            let of = |name, value, formula: &str| {
                let unit = if name == "peak_mops" { "MOPS" } else { "MB/s" };
                Quantity::new(name, value, unit, formula)
            };
            quantities.extend([
                of("peak_mops", peak, "4 F / (2 K + 1) (3.13)"),
                of("peak_balanced_bw_mb_s", 4.0 * peak, "16 F / (2 K + 1) (4.3)"),
                of(
                    "own_addresses_peak_mops_x",
                    4.0 * clock / 3.0,
                    "MOPS: 4 F / 3 with addresses of each section (4.4)",
                ),
                of("own_addresses_bw_mb_s", 16.0 * clock / 3.0, "16 F / 3 (4.5)"),
            ]);
            notes.push("(3.16) and (4.3) compare with the rate of one section; the bytes of all K sections, 8 for a nonzero, balance at K times that".to_owned());
            notes.push("padding, the vector and the result are left out, as in [D]".to_owned());
            vec![matrix.on_cp2()]
        }
        CoprocessorKind::Gpu => {
            notes.push(
                "(2.24) leaves the load of x out and gives K Perf; the rate here is all of (2.21)"
                    .to_owned(),
            );
            matrix.on_gpus().into()
        }
    };
    Ok(Plan {
        procedure: "spmv".to_owned(),
        what: format!("a matrix of {rows} rows with {nonzeros} nonzeros, in slices"),
        base: "multiplication and addition of a nonzero: 2 operations, half a `psmadd`".to_owned(),
        operations: matrix.operations(),
        counting: "2 NZ".to_owned(),
        loops,
        quantities,
        notes,
    })
}

/// Makes the plan of an iteration of conjugate gradients.
pub(super) fn cg(inputs: &Inputs) -> Result<Plan, LabError> {
    let mut plan = spmv(inputs)?;
    plan.procedure = "cg".to_owned();
    let matrix = Matrix::new(inputs)?;
    let Matrix { rows, k, bw, word, ref perf, .. } = matrix;
    plan.what = format!("an iteration on {}", plan.what);
    match inputs.kind {
        CoprocessorKind::Gpu => {
            let rated = k * perf.mops;
            plan.quantities.push(Quantity::new(
                "rated_mops",
                rated,
                "MOPS",
                "K Perf, the theory of [D] table 2.4",
            ));
            plan.notes.push("vectors are left out, as in [D]: on one GPU they stay there, with several the host has them".to_owned());
        }
        CoprocessorKind::Cp2 => {
            let clock = inputs.require(EstimateKey::Clock)?;
            // Two products load 3 vectors, three sums load 2 and store 1 each.
            let [load, store] = [9.0, 3.0].map(|vectors| vectors * rows * word);
            let operations = VECTORS * rows;
            let perf = Perf {
                kernel: "vectors".to_owned(),
                mops: 4.0 * clock,
                origin: "4 operations in every cycle".to_owned(),
            };
            plan.loops.push(PlanLoop {
                name: "vectors".to_owned(),
                iterations: 1.0,
                parts: vec![
                    PlanPart::overlapped(PartKind::Load, "9 vectors", load, bw),
                    PlanPart::overlapped(
                        PartKind::Kernel,
                        "2 scalar products, 3 sums",
                        operations,
                        k * perf.mops,
                    ),
                    PlanPart::overlapped(PartKind::Store, "3 vectors", store, bw),
                ],
                perf,
                sides: None,
            });
            plan.operations += operations;
            plan.counting = "2 NZ + 10 N".to_owned();
            plan.notes.push("[D] gives no estimate of conjugate gradients on CP2; the loop of the vectors is our completion".to_owned());
        }
    }
    Ok(plan)
}
