//! The products by sparse matrices as workloads: a matrix that was read or a random one, and a vector
//! of random numbers. The matrices that are counted are in `bench`.

use super::form::{REFERENCE, SparseKernel, no_own_source, trial_of};
use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{Finished, ReportField, TypedWorkload};
use cp2_isa::Core;
use cp2_kernels::sparse::{
    BlockMatrix, Direct, Merging, RowLayout, RowOrder, SHAPES, Sliced, blocks_source, matrices,
    multiply_blocks, multiply_direct, multiply_sliced, sliced_source,
};
use cp2_session::error::KernelError;
use cp2_session::numbers::{Flushed, is_lost};
use cp2_session::sparse::Csr;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Request, Workload, WorkloadOption,
};
use cp2_session::{npy, random};
use std::sync::Arc;

/// Height of the slices in the Sliced CSR kernel that is shown and run.
const HEIGHT: usize = 32;

impl TypedWorkload for SparseKernel {
    type Input = (Csr, Vec<f32>);
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::products()
    }

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self {
                Self::Sliced => "sparse matrix by vector, Sliced CSR",
                Self::Sorted => "the same, rows sorted by their length",
                Self::Blocks => "sparse matrix by vector, in blocks",
                Self::Direct => "sparse matrix by vector, code made for the matrix",
                Self::Merged => "the same with blocks of a row group merged",
            }
            .into(),
            family: "sparse",
            platform: Platform::Cp2,
            input: "Matrix Market file".to_owned(),
            output: "float32 (rows)".to_owned(),
            order: "that of the rows of the matrix",
            permuted: self.permuted(),
            reference: REFERENCE,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let input = options::input(ArraySpec::float32("x", &["columns"]));
        let output = options::output(ArraySpec::float32("y", &["rows"]));
        let seed = options::seed().replaced_by(&["matrix"]);
        vec![options::matrix(), input, output, options::non_finite(), seed]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(self.least())
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Ok(match self {
            Self::Sliced | Self::Sorted => sliced_source(HEIGHT)?,
            Self::Blocks => blocks_source(core, SHAPES[0])?,
            Self::Direct | Self::Merged => return Err(no_own_source(self.name())),
        })
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let values = &request.values;
        let matrix = match values.matrix("matrix") {
            Some(matrix) => matrix.clone(),
            None => matrices::random(512, 512, 16384, values.number("seed").unwrap_or(1))?,
        };
        if let Some(x) = values.floats("input", "x") {
            if x.len() != matrix.columns() {
                let (shape, columns) = (npy::shape_text(&[x.len()]), matrix.columns());
                let takes = format!("the matrix has {columns} columns");
                return Err(KernelError::Shape { option: "input", shape, takes });
            }
            return Ok((matrix, x));
        }
        let numbers = random::complex(7, matrix.columns().div_ceil(2));
        let vector = numbers.iter().flat_map(|z| [z.re, z.im]).take(matrix.columns()).collect();
        Ok((matrix, vector))
    }

    fn run(
        &self,
        request: &Request,
        (matrix, x): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let on = request.execution();
        let sliced = |order| multiply_sliced(&Sliced::new(matrix, HEIGHT, order)?, x, &on);
        let direct = |merging| {
            let direct = Direct::merged(&on.core, matrix, RowLayout::Neighbours, merging)?;
            multiply_direct(&direct, x, &on)
        };
        let product = match self {
            Self::Sliced => sliced(RowOrder::Given)?,
            Self::Sorted => sliced(RowOrder::Sorted)?,
            Self::Blocks => {
                multiply_blocks(&BlockMatrix::best(matrix, RowLayout::Neighbours)?, x, &on)?
            }
            Self::Direct => direct(Merging::None)?,
            Self::Merged => direct(Merging::Permuted)?,
        };
        Ok(trial_of(product, matrix))
    }

    fn check(&self, _: &Request, (matrix, x): &Self::Input, trial: &Trial) -> Deviation {
        let distance = matrix.deviation(x, &trial.results);
        let results = matrix.product(x).iter().filter(|(sum, _)| is_lost(*sum)).count() as u64;
        let flushed = Flushed { results, ..Flushed::of_inputs(matrix.values()) };
        Deviation { flushed, ..Deviation::new(distance, distance <= 1.0) }
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let results = &finished.outcome.results;
        Some(npy::Array::from_floats(vec![results.len()], results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}
