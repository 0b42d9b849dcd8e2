//! FFTs: vectors on CP2, whole or in two passes ([D] 3.1), and a box of three dimensions on graphics processors
//! ([D] 2.1).

use super::kernel::{Kernel, OwnCount};
use super::size::power;
use crate::inputs::{CoprocessorKind, Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Plan, PlanLoop, PlanPart, Quantity, Sides};
use cp2_evidence::published::transform_count;

/// Returns the number of operations of a transform.
pub(super) fn operations(points: f64) -> f64 {
    5.0 * points * points.log2()
}

/// Calls `use_it` with the kernel of a transform.
pub(super) fn with_kernel<T>(points: f64, use_it: impl FnOnce(&Kernel<'_>) -> T) -> T {
    let n = points as usize;
    use_it(&Kernel {
        name: &format!("fft{n}"),
        operations: operations(points),
        published: transform_count(n).map(|count| (count.cycles as f64, count.source)),
        peak: 10.0,
        gpu: Some((200_000.0, "[D] 2.1.3: cuFFT, double precision")),
        own: OwnCount::Bench,
    })
}

/// Returns the bytes of a complex number in transfers.
pub(super) fn element(inputs: &Inputs) -> Result<f64, LabError> {
    Ok(inputs.or(EstimateKey::ElementBytes, 2.0 * inputs.require(EstimateKey::WordBytes)?))
}

/// Returns the loop of a stage: `vectors` transforms of `points`, one on each coprocessor at a time.
fn stage(inputs: &Inputs, name: String, points: f64, vectors: f64) -> Result<PlanLoop, LabError> {
    let (k, bw) = (inputs.require(EstimateKey::Coprocessors)?, inputs.bandwidth()?);
    let perf = with_kernel(points, |kernel| kernel.perf(inputs))?;
    let bytes = element(inputs)?;
    let (left, factor) = (5.0 * bw * points.log2(), 2.0 * bytes);
    Ok(PlanLoop {
        name,
        iterations: vectors / k,
        parts: vec![
            PlanPart::overlapped(
                PartKind::Load,
                format!("{k} vectors of {points}"),
                k * points * bytes,
                bw,
            ),
            PlanPart::overlapped(
                PartKind::Kernel,
                format!("{k} transforms"),
                k * operations(points),
                k * perf.mops,
            ),
            PlanPart::overlapped(
                PartKind::Store,
                format!("{k} vectors of {points}"),
                k * points * bytes,
                bw,
            ),
        ],
        sides: Some(Sides {
            formula: format!("5 BW log2 {points} v {factor} K Perf ((3.2), (2.3))"),
            left,
            right: factor * k * perf.mops,
        }),
        perf,
    })
}

/// Returns the number of rows of a long transform, [D] 3.1.
fn rows(points: f64) -> f64 {
    match points as u64 {
        0..=8192 | 16384 => 64.0,
        32768 => 128.0,
        _ => 256.0,
    }
}

/// Makes the plan of transforms.
pub(super) fn plan(inputs: &Inputs) -> Result<Plan, LabError> {
    match inputs.kind {
        CoprocessorKind::Cp2 => vectors(inputs),
        CoprocessorKind::Gpu => cube(inputs),
    }
}

/// Makes the plan of these stages, the last of which has transforms of `points`.
fn finished(
    inputs: &Inputs,
    (what, all): (String, f64),
    points: f64,
    loops: Vec<PlanLoop>,
) -> Result<Plan, LabError> {
    let k = inputs.require(EstimateKey::Coprocessors)?;
    let mut quantities = Vec::new();
    if let Some(clock) =
        inputs.get(EstimateKey::Clock).filter(|_| inputs.kind == CoprocessorKind::Cp2)
    {
        let balanced = 32.0 * k * clock / points.log2();
        let formula = "BW = 32 K F / log2 N for the last stage (4.1)";
        quantities.push(Quantity::new("peak_mops", 10.0 * clock, "MOPS", "10 F (3.1)"));
        quantities.push(Quantity::new("peak_balanced_bw_mb_s", balanced, "MB/s", formula));
    }
    Ok(Plan {
        procedure: "fft".to_owned(),
        what,
        base: "butterfly: 10 operations (`cbutterfly` of CP2)".to_owned(),
        operations: all,
        counting: "5 N log2 N".to_owned(),
        loops,
        quantities,
        notes: Vec::new(),
    })
}

fn vectors(inputs: &Inputs) -> Result<Plan, LabError> {
    let n = power("work.n", inputs.or(EstimateKey::N, 8192.0))?;
    let vectors = inputs.or(EstimateKey::Vectors, 256.0);
    let half = inputs.require(EstimateKey::LocalBytes)? / 2.0;
    let all = vectors * operations(n);
    if n * element(inputs)? <= half && inputs.get(EstimateKey::N1).is_none() {
        let one = stage(inputs, "vectors".to_owned(), n, vectors)?;
        let what = format!("{vectors} vectors of {n} points, whole");
        return finished(inputs, (what, all), n, vec![one]);
    }
    let n1 = power("work.n1", inputs.or(EstimateKey::N1, rows(n)))?;
    let n2 = power("work.n / work.n1", n / n1)?;
    let loops = vec![
        stage(inputs, format!("stage 1, columns of {n1}"), n1, vectors * n2)?,
        stage(inputs, format!("stage 2, rows of {n2}"), n2, vectors * n1)?,
    ];
    let what = format!("{vectors} vectors of {n} = {n1} x {n2} points in two passes");
    let mut plan = finished(inputs, (what, all), n2, loops)?;
    plan.notes.push(
        "the factors that come with the pages of stage 1 are left out, as in [D] 3.1".to_owned(),
    );
    Ok(plan)
}

fn cube(inputs: &Inputs) -> Result<Plan, LabError> {
    let size = |key: EstimateKey| power(&key.to_string(), inputs.or(key, 512.0));
    let (n1, n2, n3) = (size(EstimateKey::N1)?, size(EstimateKey::N2)?, size(EstimateKey::N3)?);
    let (planes, all) = (n1 * n2, n1 * n2 * n3);
    let loops = vec![
        stage(inputs, format!("stage 1, planes {n1} x {n2}"), planes, n3)?,
        stage(inputs, format!("stage 2, vectors of {n3}"), n3, planes)?,
    ];
    let what = format!("a box of {n1} x {n2} x {n3} points in two passes over memory");
    let bw = inputs.bandwidth()? / element(inputs)?;
    let mut plan = finished(inputs, (what, operations(all)), n3, loops)?;
    let sides = |k: usize, name| {
        let of = &plan.loops[0].sides;
        let value = of.as_ref().map_or(0.0, |s| if k == 0 { s.left } else { s.right });
        Quantity::new(name, value, "", "5 BW log2 (N1 N2) v 32 K Perf, stage 1 (2.5), (2.8)")
    };
    let (left, right) = (sides(0, "stage1_left"), sides(1, "stage1_right"));
    plan.quantities.extend([left, right]);
    let formula = "1.25 BW log2 (N1 N2 N3), BW in elements (2.7)";
    plan.quantities.push(Quantity::new("channel_mops", 1.25 * bw * all.log2(), "MOPS", formula));
    plan.notes.push(format!(
        "a complex double has 16 bytes; [D] (2.9) takes 8, which doubles its result: --set {}=8",
        EstimateKey::ElementBytes
    ));
    Ok(plan)
}
