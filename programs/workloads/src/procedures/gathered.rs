//! The product of a sparse matrix and a vector by gathers of the channel as a workload.

use crate::procedures::common::{check_product, done_rows, machine_rows, product_error_row};
use crate::procedures::sparse::report::{STATISTICS, rates, statistics_schema, statistics_text};
use crate::workload::options;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_kernels::sparse::matrices;
use cp2_procedures::gathered::{Report, multiply};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, Workload,
    WorkloadOption,
};
use cp2_session::{npy, random};
use std::sync::Arc;

/// The family of the product by gathers. Its cycles depend on the machine, so it is not counted.
pub(crate) const FAMILY: Family =
    Family { workloads: || vec![untyped(Product)], counted: Vec::new };

/// The workload of the product by gathers.
struct Product;

/// Rows of a random matrix if no number is given.
const SIZE: usize = 512;
/// Most rows of a random matrix.
const MOST_SIZE: usize = 8192;

/// Text for the counting of operations, as \[D\] counts them.
const COUNTING: &str = "at 2 operations for an entry of the matrix";

/// Input of the workload: the matrix and the vector.
pub(super) struct Input {
    matrix: Csr,
    x: Vec<f32>,
}

/// Returns the matrix that the options ask for.
fn matrix(request: &Request) -> Result<Csr, KernelError> {
    let values = &request.values;
    if let Some(matrix) = values.matrix("matrix") {
        return Ok(matrix.clone());
    }
    if let Some(class) = matrices::CgClass::from_name(values.choice("class").unwrap_or_default()) {
        return Ok(matrices::npb_cg(class)?);
    }
    let rows = values.number("rows").map_or(SIZE, |n| n as usize);
    let seed = values.number("seed").unwrap_or(1);
    Ok(matrices::random(rows, rows, (rows * rows).div_ceil(16), seed)?)
}

impl TypedWorkload for Product {
    type Input = Input;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-spmv-gathered-1";
    const ASKS: Option<&'static [Key]> = Some(&[Key::SectionAddressing]);
    const NEEDS: Option<&'static str> = Some("dma-words");

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::products()
    }

    fn about(&self) -> About {
        About {
            name: "spmv_gathered".to_owned(),
            summary: "sparse matrix by vector as dot products of gathered elements; needs --enable dma-words".into(),
            family: "sparse",
            platform: Platform::Machine,
            input: "Matrix Market file".to_owned(),
            output: "float32 (rows)".to_owned(),
            order: "that of the rows of the matrix",
            permuted: None,
            reference: Reference {
                is: "the product in double precision".into(),
                measure: "deviation",
                tolerance: 1.0,
                unit: "the rounding of each row's sum",
                reason: "a row of k entries rounds at most k + 8 times, each time by at most 2^-24 of the sum of the magnitudes",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let rows = "Rows and columns of the random matrix, of which one element in 16 is not zero; 512 if absent";
        vec![
            options::matrix(),
            options::class(&["none", "S", "W", "A"]),
            WorkloadOption::number("rows", "rows", None, MOST_SIZE, rows).replaced_by(&["matrix"]),
            options::vector(ArraySpec::float32("x", &["columns"])),
            options::output(ArraySpec::float32("y", &["rows"])),
            options::seed().replaced_by(&["matrix", "vector"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound {
            unit: "product",
            cycles: None,
            rests_on: "the transactions of the gathered elements, each alone, as many under way as the memory allows",
            published: None,
            source: None,
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Ok(cp2_procedures::gathered::kernel::source())
    }

    fn inputs(&self, request: &Request) -> Result<Input, KernelError> {
        let matrix = matrix(request)?;
        let columns = matrix.columns();
        let x = match request.values.floats("vector", "x") {
            Some(x) if x.len() != columns => {
                let shape = npy::shape_text(&[x.len()]);
                let takes = format!("the matrix has {columns} columns");
                return Err(KernelError::Shape { option: "vector", shape, takes });
            }
            Some(x) => x,
            None => {
                let seed = request.values.number("seed").unwrap_or(1).wrapping_add(6);
                let numbers = random::complex(seed, columns.div_ceil(2));
                numbers.iter().flat_map(|z| [z.re, z.im]).take(columns).collect()
            }
        };
        Ok(Input { matrix, x })
    }

    fn run(
        &self,
        request: &Request,
        Input { matrix, x }: &Input,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        multiply(request.machine()?.clone(), matrix, x, &request.execution(), listener)
    }

    fn check(&self, _: &Request, Input { matrix, x }: &Input, report: &Report) -> Deviation {
        check_product(matrix, x, &report.y)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let y = &finished.outcome.y;
        Some(npy::Array::from_floats(vec![y.len()], y))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![Field::new(
            "matrix",
            ValueKind::Object(statistics_schema),
            "",
            "the matrix in its form",
            |f| cp2_document::object(STATISTICS, &f.outcome.statistics),
        )];
        fields.extend(done_rows(COUNTING));
        fields.extend(machine_rows());
        fields.push(product_error_row());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let report = &finished.outcome;
        let (cost, statistics) = (&report.cost, &report.statistics);
        format!(
            "spmv_gathered on {}: {}, {}\n\
             {} elements of which {:.1} % are entries, {:.1} cycles for an entry\n\
             largest deviation {:.2} of what rounding allows\n{}",
            cost.config.name(),
            statistics_text(statistics),
            cost.done(),
            statistics.elements,
            statistics.filled_percent(),
            cost.cycles() as f64 / statistics.nonzeros.max(1) as f64,
            finished.check.distance,
            rates(cost, COUNTING, None),
        )
    }
}
