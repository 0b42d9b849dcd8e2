//! Operations of the STAR machine on tables in local memory as workloads: random bits. Results are compared with every row asked by
//! itself.

mod operands;
mod shared;
mod wrong;

use crate::workload::options;
use crate::workload::{CountRow, Counted, Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::star::{
    ClosureForm, ColumnKernel, ColumnProcedure, ColumnRequest, CopyKernel, CopyProcedure, OverRows,
    RowKernel, SearchForm, SearchKernel, SectionExchange, SliceLayout, close, copy, go_through,
    over_rows, read_row, search, write_row,
};
use cp2_reference::star as reference;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, Platform, Reference, Request, Workload, WorkloadOption,
};
use operands::operands;
use shared::Shared;
use std::sync::Arc;
use wrong::{row_of, wrong_copies, wrong_rows};

/// The family of the STAR machine.
pub(crate) const FAMILY: Family = Family {
    workloads: || all().map(untyped).chain(shared::all().map(untyped)).collect(),
    counted: || all().map(counted).chain(shared::all().map(shared::counted)).collect(),
};

/// Rows and columns of a table where none are given.
const ROWS: usize = 1024;
const COLUMNS: usize = 32;
/// Most rows that a kernel takes; most take fewer, for which they have registers or local memory.
const MOST_ROWS: usize = 1 << 13;
/// Most columns: a row is a number of 64 bits in the reference.
const MOST_COLUMNS: usize = 63;

/// A kernel of the STAR machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StarKernel {
    Search(SearchForm, bool),
    /// A procedure, and whether an operand is a word.
    Columns(ColumnProcedure, bool),
    Copies(CopyProcedure),
    /// `ROW`, read or written.
    Row(bool),
    OverRows(OverRows, SectionExchange),
    Closure(ClosureForm),
}

/// Forms of the closure.
pub(crate) const CLOSURES: [ClosureForm; 3] =
    [ClosureForm::OnePivot, ClosureForm::Block(4), ClosureForm::Block(8)];

fn all() -> impl Iterator<Item = StarKernel> {
    let forms = [SearchForm::Plain, SearchForm::ByWords];
    let searches = forms.map(|form| [false, true].map(|is_max| StarKernel::Search(form, is_max)));
    let columns = ColumnProcedure::library().map(|(p, word)| StarKernel::Columns(p, word));
    let copies = CopyProcedure::ALL.map(StarKernel::Copies);
    let rows = [false, true].map(StarKernel::Row);
    let others =
        OverRows::ALL.map(|kernel| StarKernel::OverRows(kernel, SectionExchange::Registers));
    let closures = CLOSURES.map(StarKernel::Closure);
    searches
        .into_iter()
        .flatten()
        .chain(columns)
        .chain(copies)
        .chain(rows)
        .chain(others)
        .chain(closures)
}

/// Operands: a table and another one, a word, a control slice.
#[derive(Debug)]
struct Operands {
    layout: SliceLayout,
    request: ColumnRequest,
}

/// Results of a kernel, of which it gives some, and its cycles.
#[derive(Debug)]
struct Results {
    table: Vec<Vec<u64>>,
    slice: Vec<u64>,
    other: Vec<u64>,
    number: usize,
    cycles: u64,
}

impl Results {
    fn slice((slice, cycles): (Vec<u64>, u64)) -> Self {
        Self { table: Vec::new(), slice, other: Vec::new(), number: 0, cycles }
    }

    fn table((table, cycles): (Vec<Vec<u64>>, u64)) -> Self {
        Self { table, ..Self::slice((Vec::new(), cycles)) }
    }
}

impl StarKernel {
    fn name(self) -> &'static str {
        let layout = SliceLayout::new(ROWS);
        match self {
            Self::Search(form, is_maximum) => {
                SearchKernel { form, is_maximum, layout, columns: 0 }.name()
            }
            Self::Columns(procedure, is_of_word) => {
                ColumnKernel { procedure, is_of_word, layout, columns: 0 }.name()
            }
            Self::Copies(procedure) => procedure.name(),
            Self::Row(is_write) => RowKernel { is_write, layout, columns: 0 }.name(),
            Self::OverRows(kernel, way) => kernel.name(way),
            Self::Closure(form) => form.name(),
        }
    }

    fn summary(self) -> &'static str {
        use ColumnProcedure as P;
        match self {
            Self::Search(SearchForm::Plain | SearchForm::Shared, false) => {
                "rows with the least number of a table"
            }
            Self::Search(SearchForm::Plain | SearchForm::Shared, true) => {
                "rows with the greatest number of a table"
            }
            Self::Search(_, false) => "rows with the least number, the minima of words first",
            Self::Search(_, true) => "rows with the greatest number, the maxima of words first",
            Self::Columns(P::Equal, false) => "rows equal in two tables",
            Self::Columns(P::Equal, true) => "rows equal to a word",
            Self::Columns(P::Less, false) => "rows less in one table than in another",
            Self::Columns(P::Less, true) => "rows less than a word",
            Self::Columns(P::Greater, false) => "rows greater in one table than in another",
            Self::Columns(P::Greater, true) => "rows greater than a word",
            Self::Columns(P::Add, false) => "sums of two tables",
            Self::Columns(P::Add, true) => "sums of a table and a word",
            Self::Columns(P::Subtract, false) => "differences of two tables",
            Self::Columns(P::Subtract, true) => "differences of a table and a word",
            Self::Columns(P::Merge, false) => "rows of one table into another",
            Self::Columns(P::Merge, true) => "a word into rows of a table",
            Self::Columns(P::Apart, _) => "rows greater than a word, and rows less",
            Self::Columns(P::AddInside, _) => "a word added to rows of a table",
            Self::Columns(P::SubtractInside, _) => "a word subtracted from rows of a table",
            Self::Copies(CopyProcedure::Clear) => "zeros in all columns",
            Self::Copies(CopyProcedure::Word) => "a word into rows of an empty table",
            Self::Copies(CopyProcedure::Table) => "a table, or a band of it, copied",
            Self::Row(false) => "a row of a table as a word",
            Self::Row(true) => "a word into a row of a table",
            Self::OverRows(OverRows::Find, _) => "position of the first one of a slice",
            Self::OverRows(OverRows::Number, _) => "number of ones of a slice",
            Self::OverRows(OverRows::Some, _) => "whether a slice has a one",
            Self::Closure(form) => summary_of(form),
        }
    }

    /// Number of columns of a table of a kernel.
    fn columns(self, given: Option<usize>, rows: usize) -> usize {
        match self {
            Self::Search(..) | Self::Columns(..) | Self::Copies(_) | Self::Row(_) => {
                given.unwrap_or(COLUMNS)
            }
            Self::OverRows(..) => 0,
            Self::Closure(_) => rows,
        }
    }

    /// Number of units of work.
    fn units(self, rows: usize, columns: usize) -> usize {
        match self {
            Self::Search(..) | Self::Columns(..) | Self::Copies(_) | Self::Row(_) => columns,
            Self::OverRows(..) => 1,
            Self::Closure(_) => rows * rows,
        }
    }

    fn bound_of(self, layout: SliceLayout, core: &Core) -> Bound {
        match self {
            Self::Search(form, is_maximum) => {
                let kernel = SearchKernel { form, is_maximum, layout, columns: COLUMNS };
                Bound::new("column", kernel.bound(core) as f64, "chain of dependences")
            }
            Self::Columns(procedure, is_of_word) => {
                let kernel = ColumnKernel { procedure, is_of_word, layout, columns: COLUMNS };
                Bound::new("column", kernel.bound(core) as f64, "the fuller slot, or the chain")
            }
            Self::Copies(procedure) => {
                let kernel = CopyKernel { procedure, layout, columns: COLUMNS };
                Bound::new("column", kernel.bound() as f64, "the fuller slot")
            }
            Self::Row(is_write) => {
                let kernel = RowKernel { is_write, layout, columns: COLUMNS };
                Bound::new("column", kernel.bound() as f64, "the fuller slot")
            }
            Self::OverRows(kernel, way) => {
                Bound::new("slice", kernel.bound(layout, way, core) as f64, "chain of dependences")
            }
            Self::Closure(form) => {
                Bound::new("column and pivot", form.bound(layout), "the fuller slot")
            }
        }
    }

    fn run_on(self, operands: &Operands, on: &Execution) -> Result<Results, KernelError> {
        let Operands { layout, request } = operands;
        let (layout, columns) = (*layout, request.table.len());
        Ok(match self {
            Self::Search(form, is_maximum) => {
                let kernel = SearchKernel { form, is_maximum, layout, columns };
                Results::slice(search(kernel, &request.table, &request.x, on)?)
            }
            Self::Columns(procedure, is_of_word) => {
                let kernel = ColumnKernel { procedure, is_of_word, layout, columns };
                let outcome = go_through(kernel, request, on)?;
                let slice = Results::slice((outcome.slice, outcome.cycles));
                Results { table: outcome.table, other: outcome.other, ..slice }
            }
            Self::Copies(procedure) => {
                Results::table(copy(CopyKernel { procedure, layout, columns }, request, on)?)
            }
            Self::Row(is_write) => {
                let (kernel, row) = (RowKernel { is_write, layout, columns }, row_of(layout));
                match is_write {
                    true => {
                        Results::table(write_row(kernel, (&request.table, &request.word), row, on)?)
                    }
                    false => Results::slice(read_row(kernel, &request.table, row, on)?),
                }
            }
            Self::OverRows(kernel, way) => {
                let (number, cycles) = over_rows((kernel, way), layout, &request.x, on)?;
                Results { number, ..Results::slice((Vec::new(), cycles)) }
            }
            Self::Closure(form) => Results::table(close(form, &request.table, on)?),
        })
    }

    /// Returns how many rows, or columns of a closure, are not those of the reference.
    fn wrong(self, operands: &Operands, results: &Results) -> usize {
        let Operands { layout, request } = operands;
        let rows = layout.rows();
        let differences = |a: &[u64], b: &[u64]| -> usize {
            a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
        };
        match self {
            Self::Search(_, is_maximum) => {
                let numbers = reference::numbers(&request.table, rows);
                differences(&results.slice, &reference::best(&numbers, &request.x, is_maximum))
            }
            Self::Columns(procedure, is_of_word) => {
                wrong_rows((procedure, is_of_word), (rows, request), results)
            }
            Self::Copies(_) | Self::Row(_) => wrong_copies(self, (rows, request), results),
            Self::OverRows(kernel, _) => {
                let ones = request.x.iter().map(|word| word.count_ones() as usize).sum();
                let expected = match kernel {
                    OverRows::Find => reference::first(&request.x, rows),
                    OverRows::Number => ones,
                    OverRows::Some => ones.min(1),
                };
                usize::from(results.number != expected)
            }
            Self::Closure(_) => {
                let expected = reference::closure(&request.table);
                let pairs = results.table.iter().zip(&expected);
                pairs.filter(|(found, expected)| found != expected).count()
            }
        }
    }
}

/// Returns what a closure does.
pub(crate) fn summary_of(form: ClosureForm) -> &'static str {
    match form {
        ClosureForm::OnePivot => "transitive closure, a pivot a pass",
        ClosureForm::Block(4) => "transitive closure, 4 pivots a pass",
        ClosureForm::Block(_) => "transitive closure, 8 pivots a pass",
    }
}

/// Returns the option of the number of rows.
pub(crate) fn rows_option() -> WorkloadOption {
    let help =
        "Rows of the tables of bits; 1024 if absent, fewer where local memory has no room for them";
    WorkloadOption::number("table-rows", "rows", None, MOST_ROWS, help)
}

/// Returns a random matrix that is to be closed.
pub(crate) fn matrix(rows: usize, seed: u64) -> Vec<Vec<u64>> {
    operands(StarKernel::Closure(ClosureForm::OnePivot), (rows, rows), seed).request.table
}

/// Returns the fields of the reports of all kernels.
fn fields<W: TypedWorkload<Input = Operands, Outcome = Results>>() -> Vec<ReportField<W>> {
    vec![
        Field::new("kernel", ValueKind::Name, "", "the kernel", |f| f.name().into()),
        Field::new("rows", ValueKind::Integer, "rows", "of the table, or bits of the slice", |f| {
            f.input.layout.rows().into()
        }),
        Field::new("columns", ValueKind::Integer, "columns", "of the table", |f| {
            f.input.request.table.len().into()
        }),
        Field::new("cycles", ValueKind::Integer, "cycles", "of the run of the kernel", |f| {
            f.outcome.cycles.into()
        }),
        Field::new(
            "wrong",
            ValueKind::Number,
            "",
            "rows or columns that are not the reference's",
            |f| f.check.distance.into(),
        ),
    ]
}

/// Returns the report on a run of a kernel as text for people.
fn text_of<W>(kernel: StarKernel, finished: &Finished<W>) -> String
where
    W: TypedWorkload<Input = Operands, Outcome = Results>,
{
    let (rows, columns) = (finished.input.layout.rows(), finished.input.request.table.len());
    let cycles = finished.outcome.cycles;
    let units = kernel.units(rows, columns);
    let unit = kernel.bound_of(finished.input.layout, &finished.request.core()).unit;
    format!(
        "{}: {rows} rows, {columns} columns\n{cycles} kernel cycles, {:.2} per {unit}\n{} wrong\n",
        kernel.name(),
        cycles as f64 / units.max(1) as f64,
        finished.check.distance
    )
}

impl TypedWorkload for StarKernel {
    type Input = Operands;
    type Outcome = Results;
    const SCHEMA: &'static str = "cp2-kernel-1";

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        match *self {
            Self::Search(_, is_maximum) => {
                let forms = [SearchForm::Plain, SearchForm::ByWords];
                let usual = forms.map(|form| untyped(Self::Search(form, is_maximum)));
                let shared = Self::Search(SearchForm::Shared, is_maximum);
                usual.into_iter().chain([untyped(Shared(shared))]).collect()
            }
            Self::OverRows(kernel, _) => {
                let shared = Shared(Self::OverRows(kernel, SectionExchange::Shared));
                vec![untyped(Self::OverRows(kernel, SectionExchange::Registers)), untyped(shared)]
            }
            Self::Closure(_) => CLOSURES.map(|form| untyped(Self::Closure(form))).to_vec(),
            _ => Vec::new(),
        }
    }

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: self.summary().into(),
            family: "star",
            platform: Platform::Cp2,
            input: match self {
                Self::OverRows(..) => "a slice of bits",
                Self::Closure(_) => "a square table of bits",
                _ => "tables of bits",
            }
            .to_owned(),
            output: match self {
                Self::Search(..) => "a slice of bits",
                Self::Columns(p, _) if p.gives_table() => "a table of bits",
                Self::Columns(ColumnProcedure::Apart, _) => "two slices of bits",
                Self::Columns(..) => "a slice of bits",
                Self::Row(false) => "a word of bits",
                Self::Copies(_) | Self::Row(true) => "a table of bits",
                Self::OverRows(..) => "a number",
                Self::Closure(_) => "a square table of bits",
            }
            .to_owned(),
            order: "column by column, contiguous shares of the rows",
            permuted: None,
            reference: Reference {
                is: "every row by itself".into(),
                measure: "wrong rows",
                tolerance: 0.5,
                unit: "",
                reason: "bits are exact, so not one may be wrong",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let rows = rows_option();
        let help = "Columns of the tables of bits";
        let columns = WorkloadOption::number(
            "table-columns",
            "columns",
            Some(COLUMNS as u64),
            MOST_COLUMNS,
            help,
        );
        match self {
            Self::Search(..) | Self::Columns(..) | Self::Copies(_) | Self::Row(_) => {
                vec![rows, columns, options::seed()]
            }
            Self::OverRows(..) | Self::Closure(_) => vec![rows, options::seed()],
        }
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        Ok(self.bound_of(SliceLayout::new(rows_on(core)), core))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        let layout = SliceLayout::new(rows_on(core));
        Ok(match *self {
            Self::Search(form, is_maximum) => {
                SearchKernel { form, is_maximum, layout, columns: COLUMNS }.source()
            }
            Self::Columns(procedure, is_of_word) => {
                ColumnKernel { procedure, is_of_word, layout, columns: COLUMNS }.source()
            }
            Self::Copies(procedure) => CopyKernel { procedure, layout, columns: COLUMNS }.source(),
            Self::Row(is_write) => RowKernel { is_write, layout, columns: COLUMNS }.source(),
            Self::OverRows(kernel, way) => kernel.source(layout, way),
            Self::Closure(form) => {
                form.check(layout, core)?;
                form.source(layout)
            }
        })
    }

    fn inputs(&self, request: &Request) -> Result<Operands, KernelError> {
        let values = &request.values;
        let given = values.number("table-rows").map(|rows| rows as usize);
        let rows = given.unwrap_or_else(|| rows_on(&request.core()));
        let columns = values.number("table-columns").map(|columns| columns as usize);
        if let Self::Closure(form) = self {
            form.check(SliceLayout::new(rows), &request.core())?;
        }
        let size = (rows, self.columns(columns, rows));
        Ok(operands(*self, size, values.number("seed").unwrap_or(1)))
    }

    fn run(
        &self,
        request: &Request,
        input: &Operands,
        _: &mut dyn Listener,
    ) -> Result<Results, KernelError> {
        self.run_on(input, &request.execution())
    }

    fn check(&self, _: &Request, input: &Operands, results: &Results) -> Deviation {
        let wrong = self.wrong(input, results);
        Deviation::new(wrong as f64, wrong == 0)
    }

    fn fields() -> Vec<ReportField<Self>> {
        fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        text_of(*self, finished)
    }
}

/// Returns the rows of tables on a core where none are given: so many that a closure fits.
pub(crate) fn rows_on(core: &Core) -> usize {
    let mut rows = ROWS;
    while rows > 64 && CLOSURES.iter().any(|form| form.check(SliceLayout::new(rows), core).is_err())
    {
        rows /= 2;
    }
    rows
}

/// Returns a kernel to be counted.
fn counted(kernel: StarKernel) -> Counted {
    Counted::new(kernel.name().to_owned(), move |name, on| row(name, kernel, on))
}

fn row(name: &str, kernel: StarKernel, on: &Execution) -> Result<CountRow, KernelError> {
    let rows = rows_on(&on.core);
    let columns = kernel.columns(None, rows);
    let operands = operands(kernel, (rows, columns), 1);
    let results = kernel.run_on(&operands, on)?;
    let bound = kernel.bound_of(operands.layout, &on.core);
    let parameters = match kernel {
        StarKernel::OverRows(..) => format!("{rows} rows"),
        _ => format!("{rows} rows, {columns} columns"),
    };
    let counted = (kernel.units(rows, columns) as u64, results.cycles);
    let row = CountRow::new(name.to_owned(), parameters, counted, &bound);
    Ok(row.checked(kernel.wrong(&operands, &results) == 0))
}
