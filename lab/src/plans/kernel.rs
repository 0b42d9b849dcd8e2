//! Rates of kernels: given by hand, from the published counts, from instruction counts, or from the kernels of
//! this project as they are counted here.

use crate::inputs::{CoprocessorKind, Inputs, LabError, PerfSource};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Perf, Plan, PlanLoop, PlanPart, Quantity};
use cp2_isa::Core;
use cp2_workloads::bench::counted;

/// Kernel of which rates are known.
pub(super) struct Kernel<'a> {
    /// Name of the kernel; of CP2 the one that `cp2 bench` knows.
    pub(super) name: &'a str,
    /// Operations of a unit of work, as [D] counts them.
    pub(super) operations: f64,
    /// Cycles of a unit in the published kernel of CP2, and where that stands.
    pub(super) published: Option<(f64, &'a str)>,
    /// Operations per cycle that the base operation allows.
    pub(super) peak: f64,
    /// Rate on a graphics processor, and where that stands; `None` if nobody knows it.
    pub(super) gpu: Option<(f64, &'a str)>,
    /// Origin of the cycles of a unit in our own kernel.
    pub(super) own: OwnCount<'a>,
}

/// Origin of the cycles of a unit of work in a kernel of this project, or of a user.
#[derive(Clone, Copy)]
pub(super) enum OwnCount<'a> {
    /// A count made now, as `cp2 bench` counts the kernel of this name.
    Bench,
    /// The count of an earlier run: cycles, and the machine on which it ran.
    Run(f64, &'a str),
}

impl Kernel<'_> {
    /// Returns the rate of the kernel on one coprocessor.
    pub(super) fn perf(&self, inputs: &Inputs) -> Result<Perf, LabError> {
        let known = |mops, origin: String| Ok(Perf { kernel: self.name.to_owned(), mops, origin });
        if let Some(given) = inputs.given(EstimateKey::Perf) {
            return known(given.value, format!("{}: {}", EstimateKey::Perf, given.origin));
        }
        if let (Some(operations), Some(cycles)) =
            (inputs.get(EstimateKey::Operations), inputs.get(EstimateKey::Cycles))
        {
            let mops = operations * inputs.require(EstimateKey::Clock)? / cycles;
            return known(mops, format!("{operations} operations in {cycles} cycles, as given"));
        }
        if inputs.kind == CoprocessorKind::Gpu {
            let Some((mops, source)) = self.gpu else {
                return LabError::of(format!(
                    "nobody knows the rate of {} on a graphics processor; give it with --set {}=VALUE",
                    self.name,
                    EstimateKey::Perf
                ));
            };
            if inputs.perf != PerfSource::Published {
                let name = inputs.perf.name();
                return LabError::of(format!(
                    "--perf {name} is for CP2; the rate on a graphics processor is a figure: {} or published",
                    EstimateKey::Perf
                ));
            }
            return known(mops, source.to_owned());
        }
        let clock = inputs.require(EstimateKey::Clock)?;
        let counted_in = |cycles: f64| self.operations * clock / cycles;
        match (inputs.perf, self.published) {
            (PerfSource::Peak, _) => known(
                self.peak * clock,
                format!("{} operations in every cycle, F = {clock} MHz", decimals(self.peak)),
            ),
            (PerfSource::Published, Some((cycles, source))) => known(
                counted_in(cycles),
                format!("{} operations in {cycles} cycles, {source}", self.operations),
            ),
            (PerfSource::Published, None) => LabError::of(format!(
                "{}: no count was published; give --perf peak, --perf ours or --set {}=...",
                self.name,
                EstimateKey::Perf
            )),
            (PerfSource::Ours, _) => {
                let operations = self.operations;
                let (cycles, origin) = match self.own {
                    OwnCount::Bench => {
                        let by = format!("counted by `cp2 bench {}`", self.name);
                        (ours(self.name)?, by)
                    }
                    OwnCount::Run(cycles, machine) => (cycles, format!("counted on {machine}")),
                };
                known(
                    counted_in(cycles),
                    format!("{operations} operations in {cycles:.1} cycles, {origin}"),
                )
            }
        }
    }
}

/// Returns a number with at most four decimals.
fn decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Counts the cycles of a unit of work of a kernel of this project.
fn ours(name: &str) -> Result<f64, LabError> {
    let failed = |e: &dyn std::fmt::Display| LabError::new(format!("{name}: {e}"));
    let kernels = counted(&[name.to_owned()])
        .map_err(|name| LabError::new(format!("no kernel `{name}` is counted by `cp2 bench`")))?;
    let Some(kernel) = kernels.first() else {
        return LabError::of(format!("no kernel `{name}` is counted"));
    };
    Ok(kernel.count(&Core::CP2).map_err(|e| failed(&e))?.per_unit())
}

/// Makes the plan of a kernel alone.
pub(super) fn plan(inputs: &Inputs) -> Result<Plan, LabError> {
    let operations = inputs.require(EstimateKey::Operations)?;
    inputs.require(EstimateKey::Cycles)?;
    let kernel = Kernel {
        name: "kernel",
        operations,
        published: None,
        peak: 10.0,
        gpu: Some((1.0, "")),
        own: OwnCount::Bench,
    };
    let perf = kernel.perf(inputs)?;
    let (mops, clock) = (perf.mops, inputs.require(EstimateKey::Clock)?);
    let percent = |peak: f64| 100.0 * mops / (peak * clock);
    let part = PlanPart::overlapped(PartKind::Kernel, "once", operations, mops);
    let one = PlanLoop {
        name: "kernel".to_owned(),
        iterations: 1.0,
        parts: vec![part],
        perf,
        sides: None,
    };
    let of = |name, peak: f64, unit: &str| {
        Quantity::new(name, percent(peak), "percent", format!("of {unit}, F = {clock} MHz"))
    };
    Ok(Plan {
        procedure: "kernel".to_owned(),
        what: "a kernel alone on one coprocessor".to_owned(),
        base: "whatever the kernel does".to_owned(),
        operations,
        counting: "as given".to_owned(),
        loops: vec![one],
        quantities: vec![
            of("of_10f_percent", 10.0, "10 F, a butterfly in every cycle (3.1)"),
            of("of_4f_percent", 4.0, "4 F, a psmadd in every cycle (3.3)"),
            of("of_4f_9_percent", 4.0 / 9.0, "4 F / (2 K + 1) with K = 4, [D] (3.13)"),
        ],
        notes: Vec::new(),
    })
}
