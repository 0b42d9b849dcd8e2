//! The product of a sparse matrix and a vector in system memory as a workload.

pub(crate) mod report;

use crate::kernels::sparse::form::REFERENCE;
use crate::procedures::common::{
    check_product, done_rows, known_rows, machine_rows, no_source, product_error_row,
};
use crate::workload::options;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_evidence::measured::{self, NamedRate};
use cp2_isa::Core;
use cp2_kernels::sparse::matrices;
use cp2_procedures::sparse::{ProductPlan, Report, multiply};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Request, Workload, WorkloadOption,
};
use cp2_session::{npy, random};
use report::{
    PLAN, STATISTICS, form_option, plan_schema, plan_text, rates, statistics_schema,
    statistics_text,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// The family of the product by a sparse matrix. Its cycles depend on the machine, so it is not counted.
pub(crate) const FAMILY: Family =
    Family { workloads: || vec![untyped(Product)], counted: Vec::new };

/// The workload of the product by a sparse matrix.
struct Product;

/// Words of `--form`.
const FORMS: [&str; 4] = ["best", "sliced", "sorted", "blocks"];
/// Rows of a random matrix if no number is given.
const SIZE: usize = 512;
/// Most rows of a random matrix.
const MOST_SIZE: usize = 8192;

/// Text for the counting of operations, as \[D\] counts them.
const COUNTING: &str = "at 2 operations for an entry of the matrix";

/// Returns the matrix that the options ask for, and the name under which it was measured, if it is no file. Random matrices
/// have one entry in 16, as those of \[D\].
fn matrix(request: &Request) -> Result<(Csr, Option<String>), KernelError> {
    let values = &request.values;
    if let Some(matrix) = values.matrix("matrix") {
        return Ok((matrix.clone(), None));
    }
    if let Some(class) = matrices::CgClass::from_name(values.choice("class").unwrap_or_default()) {
        return Ok((matrices::npb_cg(class)?, Some(class.name().to_owned())));
    }
    let rows = values.number("rows").map_or(SIZE, |n| n as usize);
    let (nonzeros, seed) = ((rows * rows).div_ceil(16), values.number("seed").unwrap_or(1));
    Ok((matrices::random(rows, rows, nonzeros, seed)?, Some(rows.to_string())))
}

/// Input of the workload: the matrix and the vector.
pub(super) struct Input {
    matrix: Csr,
    /// Name under which the matrix was measured, if it is no file.
    name: Option<String>,
    x: Vec<f32>,
}

impl TypedWorkload for Product {
    type Input = Input;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-spmv-1";
    const ASKS: Option<&'static [Key]> = Some(&[Key::SectionAddressing]);

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::products()
    }

    fn about(&self) -> About {
        About {
            name: "spmv".to_owned(),
            summary: "sparse matrix by vector, any Matrix Market file".into(),
            family: "sparse",
            platform: Platform::Machine,
            input: "Matrix Market file".to_owned(),
            output: "float32 (rows)".to_owned(),
            order: "that of the rows of the matrix",
            permuted: None,
            reference: REFERENCE,
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
            form_option(&FORMS),
            options::seed().replaced_by(&["matrix", "vector"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound {
            unit: "product",
            cycles: None,
            rests_on: "the larger of what the fuller slot issues for the elements with their padding, and the bytes that were moved at the rates of the rows that moved",
            published: None,
            source: Some("[D] tables 3.6 and 3.7, rates"),
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source("spmv"))
    }

    fn inputs(&self, request: &Request) -> Result<Input, KernelError> {
        let (matrix, name) = matrix(request)?;
        let columns = matrix.columns();
        let x = match request.values.floats("vector", "x") {
            Some(x) if x.len() != columns => {
                let (shape, takes) =
                    (npy::shape_text(&[x.len()]), format!("the matrix has {columns} columns"));
                return Err(KernelError::Shape { option: "vector", shape, takes });
            }
            Some(x) => x,
            None => {
                let seed = request.values.number("seed").unwrap_or(1).wrapping_add(6);
                let numbers = random::complex(seed, columns.div_ceil(2));
                numbers.iter().flat_map(|z| [z.re, z.im]).take(columns).collect()
            }
        };
        Ok(Input { matrix, name, x })
    }

    fn run(
        &self,
        request: &Request,
        Input { matrix, x, .. }: &Input,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        let since = Instant::now();
        let form = request.values.choice("form").filter(|form| *form != FORMS[0]);
        let takes = |name: &str| form.is_none_or(|form| form == name);
        let plan = ProductPlan::best(request.machine()?, matrix, takes)?;
        listener.prepared("choosing the form of the matrix", since.elapsed());
        let config = request.machine()?.clone();
        multiply(config, matrix, x, &plan, &request.execution(), listener)
    }

    fn check(&self, _: &Request, Input { matrix, x, .. }: &Input, report: &Report) -> Deviation {
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
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new(
                "matrix",
                ValueKind::Object(statistics_schema),
                "",
                "the matrix in its form",
                |f| cp2_document::object(STATISTICS, &f.outcome.statistics),
            ),
            Field::new("plan", ValueKind::Object(plan_schema), "", "the form and why", |f| {
                cp2_document::object(PLAN, &f.outcome.plan)
            }),
        ];
        fields.extend(done_rows(COUNTING));
        fields.extend(known_rows(
            "measured, [D] tables 3.6 and 3.7, of the published kernel; null for other matrices and on a machine that was changed",
            [
                |f: &Finished<Self>| json!(measured(f).map(|known| known.mops)),
                |f| json!(measured(f).and_then(|known| known.model_error_percent())),
            ],
        ));
        fields.extend(machine_rows());
        fields.push(product_error_row());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let report = &finished.outcome;
        let cost = &report.cost;
        format!(
            "spmv on {}: {}, {}\n{}\
             largest deviation {:.2} of what rounding allows\n{}",
            cost.config.name(),
            statistics_text(&report.statistics),
            cost.done(),
            plan_text(&report.plan, &report.statistics),
            finished.check.distance,
            rates(cost, COUNTING, measured(finished)),
        )
    }
}

fn measured(finished: &Finished<Product>) -> Option<NamedRate> {
    let name = finished.input.name.as_ref()?;
    let config = &finished.outcome.cost.config;
    let (table, mops) = measured::named(&measured::SPARSE, config, name)?;
    // \[D\] tells the cycles of its kernel, but not its pages, so there is no model of it.
    Some(NamedRate { table, mops, model_mops: None })
}
