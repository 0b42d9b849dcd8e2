//! The transitive closure on a whole machine as a workload: a random matrix of bits. Shortest paths are in `paths`.

mod paths;

use crate::kernels::star::{CLOSURES, matrix, rows_on, rows_option};
use crate::procedures::common::{done_rows, machine_rows};
use crate::procedures::sparse::report::rates;
use crate::workload::options;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::star::{ClosureForm, PagedClosure, SliceLayout};
use cp2_procedures::star::{Report, close, close_paged};
use cp2_reference::star as reference;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, Platform, Reference, Request, Workload, WorkloadOption,
};
use std::sync::Arc;

/// The family of the closures and of shortest paths. Their cycles depend on the machine, so they are not counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let resident = CLOSURES.map(Closure::Resident);
        let closures = resident.into_iter().chain([Closure::Paged]).map(untyped);
        closures.chain(paths::all()).collect()
    },
    counted: Vec::new,
};

/// The closure of a matrix in system memory.
enum Closure {
    /// In a form that keeps the matrix in local memory.
    Resident(ClosureForm),
    /// By pages of columns.
    Paged,
}

impl Closure {
    /// Checks that a matrix of so many rows fits; where one that stays in local memory does not, the form by pages is named.
    fn check(&self, layout: SliceLayout, core: &Core) -> Result<(), KernelError> {
        match self {
            Self::Paged => PagedClosure::new(layout, core).map(drop),
            Self::Resident(form) => form.check(layout, core).map_err(|error| match error {
                KernelError::Parameter { what, value, limit } => {
                    let limit = format!("{limit}; star_closure_pages closes larger matrices");
                    KernelError::Parameter { what, value, limit }
                }
                other => other,
            }),
        }
    }

    /// Returns the rows where none are given.
    fn rows(&self, core: &Core) -> usize {
        let rows = rows_on(core);
        match self {
            Self::Resident(_) => rows,
            // Twice the matrix that fits.
            Self::Paged => 2 * rows,
        }
    }
}

/// Text for the counting of operations.
const COUNTING: &str = "at 2 bitwise operations for a pivot, a column and a row";

impl TypedWorkload for Closure {
    type Input = Vec<Vec<u64>>;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-closure-1";

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        match self {
            Self::Resident(_) => CLOSURES.map(|form| untyped(Self::Resident(form))).to_vec(),
            Self::Paged => Vec::new(),
        }
    }

    fn about(&self) -> About {
        About {
            name: match self {
                Self::Resident(form) => form.name(),
                Self::Paged => "star_closure_pages",
            }
            .to_owned(),
            summary: match self {
                Self::Resident(form) => crate::kernels::star::summary_of(*form),
                Self::Paged => "transitive closure, 32 pivots a pass, pages of columns",
            }
            .into(),
            family: "star",
            platform: Platform::Machine,
            input: "a square table of bits".to_owned(),
            output: "a square table of bits".to_owned(),
            order: "column by column, contiguous shares of the rows",
            permuted: None,
            reference: Reference {
                is: "paths from each vertex".into(),
                measure: "wrong columns",
                tolerance: 0.5,
                unit: "",
                reason: "bits are exact, so not one may be wrong",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        vec![rows_option(), options::seed()]
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let layout = SliceLayout::new(self.rows(core));
        let cycles = match self {
            Self::Resident(form) => form.bound(layout),
            Self::Paged => PagedClosure::new(layout, core)?.pivot_bound(),
        };
        Ok(Bound::new("column and pivot", cycles, "the fuller slot"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        let layout = SliceLayout::new(self.rows(core));
        self.check(layout, core)?;
        Ok(match self {
            Self::Resident(form) => form.source(layout),
            Self::Paged => PagedClosure::new(layout, core)?.source(),
        })
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let (values, core) = (&request.values, *request.machine()?.core());
        let rows = values.number("table-rows").map_or_else(|| self.rows(&core), |n| n as usize);
        self.check(SliceLayout::new(rows), &core)?;
        Ok(matrix(rows, values.number("seed").unwrap_or(1)))
    }

    fn run(
        &self,
        request: &Request,
        columns: &Self::Input,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        let (machine, execution) = (request.machine()?.clone(), request.execution());
        match self {
            Self::Resident(form) => close(machine, *form, columns, &execution, listener),
            Self::Paged => close_paged(machine, columns, &execution, listener),
        }
    }

    fn check(&self, _: &Request, columns: &Self::Input, report: &Report) -> Deviation {
        let expected = reference::closure(columns);
        let pairs = report.columns.iter().zip(&expected);
        let wrong = pairs.filter(|(found, expected)| found != expected).count();
        Deviation::new(wrong as f64, wrong == 0)
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("rows", ValueKind::Integer, "rows", "of the matrix", |f| {
                f.input.len().into()
            }),
            Field::new(
                "wrong",
                ValueKind::Number,
                "",
                "columns that are not the reference's",
                |f| f.check.distance.into(),
            ),
        ];
        fields.extend(done_rows(COUNTING));
        fields.extend(machine_rows());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let cost = &finished.outcome.cost;
        let n = finished.input.len();
        format!(
            "{} on {}: {n} rows and columns, {}\n{:.2} cycles for a column and a pivot, {} wrong\n{}",
            finished.name(),
            cost.config.name(),
            cost.done(),
            cost.cycles() as f64 / (n * n) as f64,
            finished.check.distance,
            rates(cost, COUNTING, None),
        )
    }
}
