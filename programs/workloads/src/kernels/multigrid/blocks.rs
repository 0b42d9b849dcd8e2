//! The operators of multigrid as workloads: one block of random points in each section.

use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Finished, ReportField, TypedWorkload};
use cp2_evidence::published;
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::multigrid::{
    BlockOperands, Check as Distance, GridBlock, GridKernel, Operator, Report, error_of, generated,
    operations, run, source,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, Text, Workload,
    WorkloadOption,
};
use std::sync::Arc;

/// Reference of the operators.
pub(super) const REFERENCE: Reference = Reference {
    is: Text::Borrowed("the definition in double precision"),
    measure: "deviation",
    tolerance: 1.0,
    unit: "1e-6 of the sum of the weights",
    reason: "a value is rounded at most 16 times on its way, the weights once, each time by at most 2^-24 of the scale",
    hint: "",
};

/// Returns the result of a kernel on four blocks of this size as the outcome of a workload.
pub(super) fn trial_of(report: Report, block: GridBlock) -> Trial {
    Trial {
        work: format!("one block of {block} in each section"),
        cycles: report.stats.cycles,
        units: (block.points() as u64, "point"),
        results: report.output,
    }
}

/// Returns the sides of the ratio to the published kernels, which take any four weights (\[D\] counts 31 flops for a point).
const fn sides(kernel: GridKernel) -> &'static str {
    match kernel {
        GridKernel::Resid => "weight 0 for faces, against a published kernel for any weights",
        GridKernel::Smooth | GridKernel::Smooth0 => {
            "weight 0 for corners, against a published kernel for any weights"
        }
        GridKernel::Proj => "weights of P alone, against a published kernel for any weights",
        _ => "any weights on both sides",
    }
}

/// Returns the arrays that a kernel takes: blocks of the four sections, x fastest.
fn arrays(kernel: GridKernel) -> Vec<ArraySpec> {
    let [faced, plain] = kernel.operand_names();
    let is_other = kernel.outer(GridBlock::new(2, 2, 2)) != GridBlock::new(2, 2, 2);
    let of_plain = if is_other { ["4", "2*n3", "2*n2", "2*n1"] } else { ["4", "n3", "n2", "n1"] };
    let with_faces = ArraySpec::float32(faced, &["4", "n3+2", "n2+2", "n1+2"]);
    let without = ArraySpec::float32(plain, &of_plain);
    let both = [(kernel.takes_faced(), with_faces), (kernel.takes_plain(), without)];
    both.into_iter().filter(|(takes, _)| *takes).map(|(_, array)| array).collect()
}

/// Returns the operator whose weights were given, or the kernel's own.
fn operator_of(kernel: GridKernel, request: &Request) -> Operator {
    let given = request.values.floats("weights", "weights");
    let weights = given.and_then(|weights| <[f32; 4]>::try_from(weights).ok());
    weights.map_or_else(|| kernel.operator(), |weights| Operator(weights.map(f64::from)))
}

/// Returns the size of a block and both operands, if they were given.
fn given(kernel: GridKernel, request: &Request) -> Option<(GridBlock, BlockOperands)> {
    let [faced, plain] = kernel.operand_names();
    let array = |name, takes: bool| request.values.named("input", name).filter(|_| takes);
    let faced = array(faced, kernel.takes_faced());
    let plain = array(plain, kernel.takes_plain());
    let faces = if faced.is_some() { 2 } else { 0 };
    let size = |k: usize| faced.or(plain)?.shape.get(k)?.checked_sub(faces);
    let block = GridBlock::new(size(3)?, size(2)?, size(1)?);
    let floats = |of: Option<&npy::Array>| of.map(npy::Array::to_floats).unwrap_or_default();
    Some((block, [floats(faced), floats(plain)]))
}

impl TypedWorkload for GridKernel {
    type Input = (GridBlock, BlockOperands);
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        if *self == Self::Resid { super::residuals() } else { Vec::new() }
    }

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: self.description().into(),
            family: "multigrid",
            platform: Platform::Cp2,
            input: format!("blocks of {}", self.usual_block()),
            output: match self {
                Self::Norm => "two numbers in each section".to_owned(),
                _ => format!("blocks of {}", self.outer(self.usual_block())),
            },
            order: "x fastest, then y, then z",
            permuted: None,
            reference: REFERENCE,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let output = match self {
            Self::Norm => ArraySpec::float32("norm", &["4", "2"]),
            _ => ArraySpec::float32("r", &["4", "n3", "n2", "n1"]),
        };
        let seed = options::seed().replaced_by(&["input"]);
        let mut options = vec![options::inputs(arrays(*self)), options::output(output), seed];
        options.extend(self.takes_weights().then(options::weights));
        options
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let fuller = operations(core, *self, self.usual_block())?.into_iter().max().unwrap_or(0);
        let bound = Bound::new("block", fuller as f64, "operations of the fuller slot");
        Ok(published::bound_with_published(bound, published::count(self.name()), sides(*self)))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        source(core, *self, self.usual_block())
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        if let Some(given) = given(*self, request) {
            return Ok(given);
        }
        let seed = request.values.number("seed").unwrap_or(1);
        let block = self.usual_block();
        Ok((block, generated(*self, block, seed)))
    }

    fn run(
        &self,
        request: &Request,
        (block, [faced, plain]): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let (block, on) = (*block, request.execution());
        let report = run(*self, block, &operator_of(*self, request), faced, plain, &on)?;
        Ok(trial_of(report, block))
    }

    fn check(
        &self,
        request: &Request,
        (block, operands): &Self::Input,
        trial: &Trial,
    ) -> Deviation {
        let operator = operator_of(*self, request);
        let error = error_of(*self, *block, &operator, operands, &trial.results);
        let distance = error / Distance::LIMIT;
        Deviation::new(distance, distance <= 1.0)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let results = &finished.outcome.results;
        let shape = match self {
            Self::Norm => vec![SECTIONS, 2],
            _ => {
                let GridBlock { n1, n2, n3 } = self.outer(finished.input.0);
                vec![SECTIONS, n3, n2, n1]
            }
        };
        Some(npy::Array::from_floats(shape, results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}

/// Counts a kernel at the size of the published counts, one block in each section.
pub(super) fn row(name: &str, kernel: GridKernel, on: &Execution) -> Result<CountRow, KernelError> {
    let (block, operator) = (kernel.usual_block(), kernel.operator());
    let operands = generated(kernel, block, 1);
    let report = run(kernel, block, &operator, &operands[0], &operands[1], on)?;
    let error = error_of(kernel, block, &operator, &operands, &report.output);
    let counted = (1, report.stats.cycles);
    let row = CountRow::new(
        name.to_owned(),
        block.to_string(),
        counted,
        &TypedWorkload::bound(&kernel, &on.core)?,
    );
    Ok(row.checked(error < Distance::LIMIT))
}
