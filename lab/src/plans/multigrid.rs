//! Multigrid: its operators on CP2 ([D] 3.2), the whole by the residual, on M processors ([D] 3.2.6), and on
//! graphics processors ([D] 2.2).

use super::kernel::{Kernel, OwnCount};
use super::size::power;
use crate::inputs::{CoprocessorKind, Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Perf, Plan, PlanLoop, PlanPart, Quantity, Sides};
use cp2_evidence::measured::OPERATOR_POINTS;
use cp2_evidence::published::count;
use cp2_kernels::multigrid;

/// Ratio of the real number of operations to the count of NPB, for class C.
const NPB: f64 = 0.52;
/// Operations of a point of the residual on CP2.
const RESID: f64 = 31.0;

/// Number of points along each axis of the finest grid with which the benchmark NPB MG is estimated, if `work.n` is not
/// given: that of its problem classes A and B.
pub const BENCHMARK_POINTS: f64 = 256.0;

/// Returns the number of points along each axis of the cubic grid on which the estimate applies the multigrid operator
/// `kernel`, if `work.n` is not given: of the coarse grid for interpolations, of the fine one for all others.
pub fn operator_points(kernel: multigrid::GridKernel) -> f64 {
    let finer = OPERATOR_POINTS as f64;
    match kernel.special() {
        multigrid::GridKernel::Interp | multigrid::GridKernel::Interp0 => finer / 2.0,
        _ => finer,
    }
}

/// Operator: operations and words moved of a point, of the coarse grid for interpolations.
struct Operator {
    kernel: multigrid::GridKernel,
    flops: f64,
    words: f64,
}

fn named(name: &str) -> Option<Operator> {
    use multigrid::GridKernel::{Interp, Interp0, Proj, Resid, Smooth, Smooth0};
    let of = |kernel, flops, words| Some(Operator { kernel, flops, words });
    match name {
        "resid" => of(Resid, RESID, 4.0),
        "proj" => of(Proj, 3.75, 2.125),
        "interp" => of(Interp, 35.0, 18.0),
        "interp0" => of(Interp0, 27.0, 10.0),
        "smooth" => of(Smooth, 31.0, 4.0),
        "smooth0" => of(Smooth0, 30.0, 3.0),
        _ => None,
    }
}

impl Operator {
    /// Returns the loop over blocks of a grid with `n` points along an axis.
    fn blocks(&self, inputs: &Inputs, n: f64) -> Result<PlanLoop, LabError> {
        let Self { kernel, flops, words } = self;
        let block = kernel.usual_block();
        let points = (block.n1 * block.n2 * block.n3) as f64;
        let (k, bw) = (inputs.require(EstimateKey::Coprocessors)?, inputs.bandwidth()?);
        let word = inputs.require(EstimateKey::WordBytes)?;
        let published = count(kernel.name()).map(|count| (count.cycles as f64, count.source));
        let operations = flops * points;
        let perf = Kernel {
            name: kernel.name(),
            operations,
            published,
            peak: 4.0,
            gpu: Some((128_420.0, "[D] 2.2.2: GeForce TITAN")),
            own: OwnCount::Bench,
        }
        .perf(inputs)?;
        let bytes = words * word;
        let store = match kernel.name() {
            "proj" => 0.125,
            "interp" | "interp0" => 8.0,
            _ => 1.0,
        };
        let moved = |words: f64| k * points * words * word;
        Ok(PlanLoop {
            name: format!("blocks of {}x{}x{} points", block.n1, block.n2, block.n3),
            iterations: n.powi(3) / (k * points),
            parts: vec![
                PlanPart::overlapped(
                    PartKind::Load,
                    "blocks with their faces",
                    moved(words - store),
                    bw,
                ),
                PlanPart::overlapped(
                    PartKind::Kernel,
                    kernel.name(),
                    k * operations,
                    k * perf.mops,
                ),
                PlanPart::overlapped(PartKind::Store, "blocks", moved(store), bw),
            ],
            sides: Some(Sides {
                formula: format!("{flops} BW v {bytes} K Perf ((3.6) for resid)"),
                left: flops * bw,
                right: bytes * k * perf.mops,
            }),
            perf,
        })
    }

    fn quantities(&self, inputs: &Inputs) -> Result<Vec<Quantity>, LabError> {
        let (k, clock) =
            (inputs.require(EstimateKey::Coprocessors)?, inputs.require(EstimateKey::Clock)?);
        let (flops, bytes) = (self.flops, self.words * inputs.require(EstimateKey::WordBytes)?);
        let balanced = bytes * k * 4.0 * clock / flops;
        Ok(vec![
            Quantity::new("peak_mops", 4.0 * clock, "MOPS", "4 F (3.3)"),
            Quantity::new(
                "peak_balanced_bw_mb_s",
                balanced,
                "MB/s",
                "bytes of a point x K x 4 F / operations of a point ((4.2) for resid)",
            ),
        ])
    }
}

/// Makes the plan of an operator.
pub(super) fn operator(name: &str, inputs: &Inputs) -> Result<Plan, LabError> {
    let Some(operator) = named(name) else {
        return LabError::of(format!("there is no operator `{name}`"));
    };
    if inputs.kind == CoprocessorKind::Gpu {
        return LabError::of(format!(
            "{name} is estimated on CP2 only; on graphics processors `mg` is"
        ));
    }
    let n = inputs.or(EstimateKey::N, operator_points(operator.kernel));
    Ok(Plan {
        procedure: name.to_owned(),
        what: format!(
            "on a periodic grid of {n}x{n}x{n} points, of the coarse one for interpolations"
        ),
        base: "`psmadd`: a multiplication and an addition on both halves, 4 operations".to_owned(),
        operations: operator.flops * n.powi(3),
        counting: format!("{} for a point, as [D] counts", operator.flops),
        loops: vec![operator.blocks(inputs, n)?],
        quantities: operator.quantities(inputs)?,
        notes: Vec::new(),
    })
}

/// Makes the plan of the whole of multigrid.
pub(super) fn plan(inputs: &Inputs) -> Result<Plan, LabError> {
    match inputs.kind {
        CoprocessorKind::Gpu => on_gpus(inputs),
        CoprocessorKind::Cp2 => on_processors(inputs),
    }
}

/// Makes the plan of the whole from its loops, with its rate in NPB's count.
fn whole(loops: Vec<PlanLoop>, what: String, operations: f64, counting: &str) -> Plan {
    let us: f64 = loops.iter().map(PlanLoop::us).sum();
    let npb = NPB * operations / us;
    let formula = "0.52 x the rate of the residual: in NPB's count, 58 N^3 per iteration";
    Plan {
        procedure: "mg".to_owned(),
        what,
        base: "residual; all operators are assumed to run at its rate".to_owned(),
        operations,
        counting: counting.to_owned(),
        loops,
        quantities: vec![
            Quantity::new("npb_mops", npb, "MOPS", formula),
            Quantity::new("rated_mops", npb, "MOPS", "the count in which rates are measured"),
        ],
        notes: Vec::new(),
    }
}

/// Returns the three edges of the block of each of M processors; the grid is halved axis by axis.
fn block(n: f64, processors: f64) -> Result<[f64; 3], LabError> {
    let halvings = processors.log2();
    if halvings.fract() != 0.0 || processors > n.powi(3) {
        return LabError::of(format!(
            "{} is {processors}; it has to be a power of two: the grid is halved axis by axis",
            EstimateKey::Processors
        ));
    }
    let mut axes = [n; 3];
    for k in 0..halvings as usize {
        axes[2 - k % 3] /= 2.0;
    }
    Ok(axes)
}

/// Returns the rate of the residual on one processor with its transfers: given, or estimated.
fn resid_rate(inputs: &Inputs, of: &PlanLoop) -> Perf {
    let kernel = "resid with its transfers".to_owned();
    match inputs.given(EstimateKey::Resid) {
        Some(given) => Perf { kernel, mops: given.value, origin: given.origin.clone() },
        None => {
            let operations = of.parts.iter().filter(|p| p.is_kernel()).map(|p| p.amount);
            let mops = operations.sum::<f64>() / of.iteration_us();
            let origin = "estimated: the smaller of K Perf and 31/16 BW (3.7)".to_owned();
            Perf { kernel, mops, origin }
        }
    }
}

fn on_processors(inputs: &Inputs) -> Result<Plan, LabError> {
    let n = power("work.n", inputs.or(EstimateKey::N, BENCHMARK_POINTS))?;
    let processors = inputs.or(EstimateKey::Processors, 1.0);
    let [n1, n2, n3] = block(n, processors)?;
    let operator = named("resid").ok_or_else(|| LabError::new("no residual".to_owned()))?;
    let blocks = operator.blocks(inputs, n)?;
    let (all, counting) = (RESID * n.powi(3), "31 for a point of the residual");
    if processors == 1.0 && inputs.get(EstimateKey::Resid).is_none() {
        return Ok(whole(vec![blocks], format!("a grid of {n}^3 points"), all, counting));
    }
    let perf = resid_rate(inputs, &blocks);
    let of_block = RESID * n1 * n2 * n3;
    // A processor has its block; all of them work at once.
    let kernel =
        PlanPart::overlapped(PartKind::Kernel, "the block of each processor", of_block, perf.mops);
    let mut parts = vec![kernel.alone()];
    let mut notes = Vec::new();
    if processors > 1.0 {
        let faces = inputs.require(EstimateKey::WordBytes)? * (n2 * n3 + n1 * n3 + n1 * n2);
        let link = inputs.require(EstimateKey::Link)?;
        let exchange =
            PlanPart::overlapped(PartKind::Exchange, "faces, axis after axis", faces, link);
        parts.push(exchange.alone());
        notes.push("a dedicated link for every pair of neighbours, both directions at once; edges, packing, latency and coarse grids are left out, as in (3.9)".to_owned());
    }
    let name = format!("residual on blocks of {n1}x{n2}x{n3}");
    let one = PlanLoop { name, iterations: 1.0, parts, perf, sides: None };
    let what = format!("a grid of {n}^3 points on {processors} processors");
    Ok(Plan { notes, ..whole(vec![one], what, all, counting) })
}

fn on_gpus(inputs: &Inputs) -> Result<Plan, LabError> {
    let (n1, n2, n3) = (
        inputs.or(EstimateKey::N1, 256.0),
        inputs.or(EstimateKey::N2, 128.0),
        inputs.or(EstimateKey::N3, 128.0),
    );
    let (k, bw) = (inputs.require(EstimateKey::Coprocessors)?, inputs.bandwidth()?);
    let word = inputs.require(EstimateKey::WordBytes)?;
    let points = n1 * n2 * n3;
    let perf = Kernel {
        name: "resid",
        operations: 30.0 * points,
        published: None,
        peak: 4.0,
        gpu: Some((128_420.0, "[D] 2.2.2: residual on 256^3, GeForce TITAN")),
        own: OwnCount::Bench,
    }
    .perf(inputs)?;
    let faces = n1 * n2 + n2 * n3 + n1 * n3;
    let one =
        |what| PlanPart::overlapped(what, "six faces of every block", 2.0 * k * faces * word, bw);
    let kernel =
        PlanPart::overlapped(PartKind::Kernel, "inner points", 30.0 * k * points, k * perf.mops);
    let parts = vec![one(PartKind::Store), kernel, one(PartKind::Load)];
    let name = format!("residual on blocks of {n1}x{n2}x{n3}");
    let of = PlanLoop { name, iterations: 1.0, parts, perf, sides: None };
    let mut plan = whole(
        vec![of],
        format!("blocks of {n1}x{n2}x{n3} points, one on each of {k} GPUs"),
        30.0 * k * points,
        "30 for a point of the residual",
    );
    plan.notes.push("boundary points are assumed to cost nothing (T_CB = 0); faces of uncut axes are counted, as in (2.11)".to_owned());
    Ok(plan)
}
