//! The products with section addressing, with section counters, and with conditional memory, as workloads, on the inputs and
//! with the checks of the products without extensions.

use super::form::{SparseKernel, no_own_source, trial_of};
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload, untyped};
use cp2_isa::{Core, Extensions};
use cp2_kernels::sparse::{
    Direct, Gathering, Merging, Report, RowLayout, RowOrder, Sliced, counted_source,
    multiply_counted, multiply_direct, multiply_sections, sections_source,
};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::Execution;
use cp2_session::npy;
use cp2_session::sparse::Csr;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};
use std::sync::Arc;

/// A kernel of a product that needs extensions.
trait Kernel: Copy + Send + Sync + 'static {
    /// Extensions that the kernel needs.
    const EXTENSIONS: Extensions;
    /// Names of the extensions that the kernel needs, with commas between.
    const NEEDS: &'static str;

    fn name(self) -> &'static str;
    fn summary(self) -> &'static str;
    fn rests_on(self) -> &'static str;
    /// Returns the order in which rows are dealt to slices.
    fn order(self) -> RowOrder;
    fn source(self) -> Result<String, KernelError>;

    /// Computes the product on a core that has the extensions.
    fn counts(self, matrix: &Csr, x: &[f32], on: &Execution) -> Result<Counts, KernelError>;
}

/// A product, with its parameters and its bound in the table of counts.
struct Counts {
    product: Report,
    parameters: String,
    /// Fewest cycles of the product.
    bound: f64,
}

impl Counts {
    /// Creates the counts of a product in slices; `least` is the fewest cycles for a hundred `psmadd`.
    fn in_slices(product: Report, (height, order): (usize, RowOrder), least: usize) -> Self {
        let parameters = format!(
            "slices of {height} rows{}, {} psmadd, {} bytes",
            if order == RowOrder::Sorted { ", sorted" } else { "" },
            product.multiplications,
            product.bytes
        );
        let bound = least as f64 / 100.0 * product.multiplications as f64;
        Self { product, parameters, bound }
    }
}

impl Kernel for Gathering {
    const EXTENSIONS: Extensions = Extensions::SECTION_ADDRESSING;
    const NEEDS: &'static str = "section-addressing";

    fn name(self) -> &'static str {
        match self {
            Self::Exchange => "spmv_sections",
            Self::Arithmetic => "spmv_sections_arithmetic",
            Self::Register => "spmv_sections_register",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Exchange => {
                "sparse matrix by vector with addresses of each section; needs --enable section-addressing"
            }
            Self::Arithmetic => "the same with addresses written in the arithmetic slot",
            Self::Register => "the same with loads that take addresses from FPRs",
        }
    }

    fn rests_on(self) -> &'static str {
        match self {
            Self::Exchange => "5 exchange operations for two elements: loads and address writes",
            Self::Arithmetic => "7 operations for two elements in both slots",
            Self::Register => "2.75 loads for two elements",
        }
    }

    fn order(self) -> RowOrder {
        RowOrder::Sorted
    }

    fn source(self) -> Result<String, KernelError> {
        Ok(sections_source(self.height(), self)?)
    }

    fn counts(self, matrix: &Csr, x: &[f32], on: &Execution) -> Result<Counts, KernelError> {
        let slices = (self.height(), self.order());
        let sliced = Sliced::new(matrix, slices.0, slices.1)?;
        let product = multiply_sections(&sliced, x, self, on)?;
        Ok(Counts::in_slices(product, slices, self.bound()))
    }
}

/// Product whose rows have a count of their own, in the order of the matrix or sorted by their length.
#[derive(Clone, Copy, Debug)]
struct Counters(RowOrder);

impl Kernel for Counters {
    const EXTENSIONS: Extensions =
        Extensions::SECTION_ADDRESSING.union(Extensions::SECTION_COUNTERS);
    const NEEDS: &'static str = "section-addressing,section-counters";

    fn name(self) -> &'static str {
        match self.0 {
            RowOrder::Given => "spmv_counters",
            RowOrder::Sorted => "spmv_counters_sorted",
        }
    }

    fn summary(self) -> &'static str {
        match self.0 {
            RowOrder::Given => {
                "sparse matrix by vector without padding; needs --enable section-addressing,section-counters"
            }
            RowOrder::Sorted => "the same, rows sorted by their length",
        }
    }

    fn rests_on(self) -> &'static str {
        "3 loads for two elements of the rows that are as long as the longest of their slice"
    }

    fn order(self) -> RowOrder {
        self.0
    }

    fn source(self) -> Result<String, KernelError> {
        Ok(counted_source(self.height())?)
    }

    fn counts(self, matrix: &Csr, x: &[f32], on: &Execution) -> Result<Counts, KernelError> {
        let slices = (self.height(), self.0);
        let sliced = Sliced::new(matrix, slices.0, slices.1)?;
        let product = multiply_counted(matrix, &sliced, x, on)?;
        Ok(Counts::in_slices(product, slices, 300))
    }
}

impl Counters {
    /// Returns the rows of a slice. If rows have any length, a taller slice waits longer for its longest row.
    const fn height(self) -> usize {
        if matches!(self.0, RowOrder::Given) { 16 } else { 32 }
    }
}

/// Product with code made for the matrix, whose blocks are merged by conditional loads.
#[derive(Clone, Copy, Debug)]
struct Conditional(RowLayout);

impl Kernel for Conditional {
    const EXTENSIONS: Extensions = Extensions::CONDITIONAL_MEMORY;
    const NEEDS: &'static str = "conditional-memory";

    fn name(self) -> &'static str {
        "spmv_conditional"
    }

    fn summary(self) -> &'static str {
        "sparse matrix by vector, code made for the matrix with conditional loads; needs --enable conditional-memory"
    }

    fn rests_on(self) -> &'static str {
        "the fuller slot: products, or loads of values and of the vector"
    }

    fn order(self) -> RowOrder {
        RowOrder::Given
    }

    fn source(self) -> Result<String, KernelError> {
        Err(no_own_source(self.name()))
    }

    fn counts(self, matrix: &Csr, x: &[f32], on: &Execution) -> Result<Counts, KernelError> {
        let direct = Direct::merged(&on.core, matrix, self.0, Merging::Loaded)?;
        let product = multiply_direct(&direct, x, on)?;
        let parameters =
            format!("{:?}, {} bundles, {} bytes", self.0, direct.bundles(), product.bytes);
        Ok(Counts { product, parameters, bound: direct.bound() as f64 })
    }
}

/// A kernel that needs extensions, as a workload.
struct Extended<K>(K);

impl<K: Kernel> Extended<K> {
    /// Returns the order of the results that the host has to undo, if it is not that of the rows.
    fn permuted(&self) -> Option<&'static str> {
        match self.0.order() {
            RowOrder::Given => SparseKernel::Sliced.permuted(),
            RowOrder::Sorted => SparseKernel::Sorted.permuted(),
        }
    }

    /// Returns the bound, whose unit is an entry; its cycles depend on the matrix.
    fn least(&self) -> Bound {
        let (unit, rests_on) = ("nonzero", self.0.rests_on());
        Bound { unit, cycles: None, rests_on, published: None, source: None, sides: None }
    }

    fn counts(&self, matrix: &Csr, x: &[f32], on: &Execution) -> Result<Counts, KernelError> {
        if !on.core.extensions().contains(K::EXTENSIONS) {
            return Err(RequestError::lacking(self.0.name(), K::NEEDS).into());
        }
        self.0.counts(matrix, x, on)
    }

    /// Returns a row of the table of counts.
    fn row(
        &self,
        name: &str,
        (matrix, x): &(Csr, Vec<f32>),
        on: &Execution,
    ) -> Result<CountRow, KernelError> {
        let Counts { product, parameters, bound } = self.counts(matrix, x, on)?;
        let parameters = format!(
            "{} x {}, {} entries, {parameters}",
            matrix.rows(),
            matrix.columns(),
            matrix.nonzeros(),
        );
        let bound = Bound { cycles: Some(bound / product.nonzeros as f64), ..self.least() };
        let counted = (product.nonzeros as u64, product.cycles());
        let row =
            CountRow::new(name.to_owned(), parameters, counted, &bound).permuted(self.permuted());
        Ok(row.checked(matrix.deviation(x, &product.y) <= 1.0))
    }
}

/// Returns all products with extensions, as workloads.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Workload>> {
    let sections = Gathering::ALL.into_iter().map(|way| untyped(Extended(way)));
    let orders = [RowOrder::Given, RowOrder::Sorted];
    let counters = orders.into_iter().map(|order| untyped(Extended(Counters(order))));
    sections.chain(counters).chain([untyped(Extended(Conditional(RowLayout::Neighbours)))])
}

/// Returns all products with extensions, to be counted on a matrix and a vector.
pub(super) fn counted<M>(name: impl Fn(&str) -> String, layout: RowLayout, made: M) -> Vec<Counted>
where
    M: Fn() -> Result<(Csr, Vec<f32>), KernelError> + Copy + Send + Sync + 'static,
{
    fn one<K: Kernel>(
        kernel: K,
        name: &dyn Fn(&str) -> String,
        made: impl Fn() -> Result<(Csr, Vec<f32>), KernelError> + Send + Sync + 'static,
    ) -> Counted {
        let count = move |name: &str, on: &Execution| Extended(kernel).row(name, &made()?, on);
        Counted::new(name(kernel.name()), count).needing(K::NEEDS)
    }
    let sections = Gathering::ALL.map(|way| one(way, &name, made));
    let orders = [RowOrder::Given, RowOrder::Sorted];
    let counters = orders.map(|order| one(Counters(order), &name, made));
    let conditional = one(Conditional(layout), &name, made);
    sections.into_iter().chain(counters).chain([conditional]).collect()
}

impl<K: Kernel> TypedWorkload for Extended<K> {
    type Input = (Csr, Vec<f32>);
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = Some(K::NEEDS);

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::products()
    }

    fn about(&self) -> About {
        About {
            name: self.0.name().to_owned(),
            summary: self.0.summary().into(),
            permuted: self.permuted(),
            ..TypedWorkload::about(&SparseKernel::Sorted)
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        TypedWorkload::options(&SparseKernel::Sorted)
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(self.least())
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        self.0.source()
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        SparseKernel::Sorted.inputs(request)
    }

    fn run(
        &self,
        request: &Request,
        (matrix, x): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        Ok(trial_of(self.counts(matrix, x, &request.execution())?.product, matrix))
    }

    fn check(&self, request: &Request, input: &Self::Input, trial: &Trial) -> Deviation {
        SparseKernel::Sorted.check(request, input, trial)
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
