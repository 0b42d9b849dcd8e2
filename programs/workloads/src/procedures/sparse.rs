//! The product of a sparse matrix and a vector in system memory as a workload.

use cp2_procedures::sparse::{Plan, Statistics};
use cp2_procedures::sparse::{Report, multiply};
use cp2_document::{Field, Kind};
use crate::procedures::common::{check_product, done_rows, known_rows, machine_rows, no_source, product_error_row};
use cp2_procedures::host::Cost;
use cp2_evidence::measured;
use cp2_evidence::measured::Known;
use cp2_kernels::sparse::{Csr, matrices};
use crate::kernels::sparse::form::REFERENCE;
use crate::workload::{About, Array, Bound, Check, Finished, Flag, Place, ReportField, Request, Workload, text};
use cp2_session::workload::Listener;
use cp2_isa::Core;
use cp2_session::error::KernelError;
use cp2_session::npy;
use cp2_session::random;
use serde_json::{Value, json};
use std::time::Instant;

/// The product.
pub(super) struct Product;

/// Words of `--form`.
const FORMS: [&str; 4] = ["best", "sliced", "sorted", "blocks"];
/// Rows of a random matrix if nothing is told, and the most of them.
const SIZE: usize = 512;
const MOST_SIZE: usize = 8192;

/// Operations as \[D\] counts them.
const COUNTING: &str = "at 2 operations for an entry of the matrix";

/// The matrix that is asked for, and which it is. Random ones have one entry in 16, as those of \[D\].
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

/// `--form`.
pub(crate) fn form_flag(forms: &'static [&'static str]) -> Flag {
    let help = "Form of a sparse matrix: best is the one that is predicted to take fewest cycles; sliced is Sliced CSR, \
                sorted the same with its rows sorted by length, blocks has blocks of 16 rows and more";
    Flag::choice("form", forms, help)
}

/// What is multiplied.
pub(super) struct Input {
    matrix: Csr,
    /// Under which name it was measured, if it is no file.
    name: Option<String>,
    x: Vec<f32>,
}

impl Workload for Product {
    type Input = Input;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-spmv-1";

    fn about(&self) -> About {
        About {
            name: "spmv".to_owned(),
            summary: "sparse matrix by vector, any Matrix Market file",
            family: "sparse",
            place: Place::Machine,
            input: "Matrix Market file".to_owned(),
            output: "float32 (rows)".to_owned(),
            order: "that of the rows of the matrix",
            permuted: None,
            reference: REFERENCE,
        }
    }

    fn flags(&self) -> Vec<Flag> {
        let rows = "Rows and columns of the random matrix, of which one element in 16 is not zero; 512 if absent";
        vec![
            Flag::matrix(),
            Flag::class(&["none", "S", "W", "A"]),
            Flag::number("rows", "rows", None, MOST_SIZE, rows).replaced_by(&["matrix"]),
            Flag::vector(Array::float32("x", &["columns"])),
            Flag::output(Array::float32("y", &["rows"])),
            form_flag(&FORMS),
            Flag::seed().replaced_by(&["matrix", "vector"]),
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
                return Err(KernelError::Shape { flag: "vector", shape, takes });
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
        let plan = Plan::best(request.machine()?, matrix, takes)?;
        listener.prepared("choosing the form of the matrix", since.elapsed());
        let config = request.machine()?.clone();
        multiply(config, matrix, x, &plan, request.execution(), listener)
    }

    fn check(&self, _: &Request, Input { matrix, x, .. }: &Input, report: &Report) -> Check {
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
                Kind::Object(Statistics::schema),
                "",
                "the matrix in its form",
                |f| cp2_document::object(Statistics::FIELDS, &f.outcome.statistics),
            ),
            Field::new("plan", Kind::Object(Plan::schema), "", "the form and why", |f| {
                cp2_document::object(Plan::FIELDS, &f.outcome.plan)
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
            report.statistics.text(),
            cost.done(),
            report.plan.text(&report.statistics),
            finished.check.distance,
            rates(cost, COUNTING, measured(finished)),
        )
    }
}

fn measured(finished: &Finished<Product>) -> Option<Known> {
    let name = finished.input.name.as_ref()?;
    let config = &finished.outcome.cost.config;
    let (table, mops) = measured::named(&measured::SPARSE, config, name)?;
    // [D] tells what its kernel takes, but not its pages, so there is no model of it.
    Some(Known { table, mops, model_mops: None })
}

/// The last lines of a report: the rate, its bounds, what was measured, what is assumed.
pub(crate) fn rates(cost: &Cost, counting: &str, measured: Option<Known>) -> String {
    let rate = cost.rate_mops();
    format!(
        "{rate:.1} MOPS {counting}; overlap {:.1} %\n{}\n{}{}",
        cost.timeline.overlap_percent(),
        cost.row_bound().text(rate),
        measured.map_or(String::new(), |known| known.text(rate)),
        text::assumptions(&cost.config)
    )
}

impl Plan {
    pub(crate) const FIELDS: &[Field<Self>] = &[
        Field::new("form", Kind::Text, "", "of the matrix", |p| p.form.name().into()),
        Field::new("description", Kind::Text, "", "the form with its sizes", |p| {
            p.form.to_string().into()
        }),
        Field::new("columns", Kind::Integer, "columns", "of a block at most", |p| p.width.into()),
        Field::new(
            "predicted_cycles",
            Kind::Integer,
            "cycles",
            "of CP2 for the product; the form is the one with the fewest",
            |p| p.cycles.into(),
        ),
    ];

    pub(crate) fn schema() -> Value {
        cp2_document::schema(Self::FIELDS, &[])
    }

    pub(crate) fn text(&self, statistics: &Statistics) -> String {
        let blocks = match statistics.blocks {
            1 => String::new(),
            n => format!(" in {n} blocks of {} columns", self.width),
        };
        format!(
            "{}{blocks}, predicted {} cycles; {} elements of which {:.1} % are entries, {:.1} bytes moved for an entry\n",
            self.form,
            self.cycles,
            statistics.elements,
            statistics.filled_percent(),
            statistics.bytes as f64 / statistics.nonzeros.max(1) as f64
        )
    }
}

impl Statistics {
    pub(crate) const FIELDS: &[Field<Self>] = &[
        Field::new("rows", Kind::Integer, "rows", "of the matrix", |s| s.shape[0].into()),
        Field::new("columns", Kind::Integer, "columns", "of the matrix", |s| s.shape[1].into()),
        Field::new("nonzeros", Kind::Integer, "entries", "of the matrix", |s| s.nonzeros.into()),
        Field::new(
            "zeros",
            Kind::Integer,
            "entries",
            "of the matrix that are 0: what a file gives is kept as its pattern and counted",
            |s| s.zeros.into(),
        ),
        Field::new(
            "elements",
            Kind::Integer,
            "elements",
            "entries and the zeros that they are padded with",
            |s| s.elements.into(),
        ),
        Field::new("bytes", Kind::Integer, "bytes", "of the matrix that a product moves", |s| {
            s.bytes.into()
        }),
        Field::new("blocks", Kind::Integer, "blocks", "of columns", |s| s.blocks.into()),
    ];

    pub(crate) fn schema() -> Value {
        cp2_document::schema(Self::FIELDS, &[])
    }

    pub(crate) fn text(&self) -> String {
        let [rows, columns] = self.shape;
        let zeros = match self.zeros {
            0 => String::new(),
            zeros => format!(" of which {zeros} are 0"),
        };
        format!("{rows} x {columns}, {} entries{zeros}", self.nonzeros)
    }
}
