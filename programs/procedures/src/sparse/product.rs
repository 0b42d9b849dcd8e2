//! The product of a sparse matrix and a vector in system memory: kernels, the matrix, the pages.

use super::partition::Partition;
use super::plan::{ProductPlan, Statistics};
use super::stored::{Entries, LocalLayout, Renewal, Stored};
use crate::host::Host;
use crate::host::pages::{self, Chain};
use cp2_emu::MachineConfig;
use cp2_isa::{Bytes, MemoryAddress};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::Csr;
use cp2_session::workload::Listener;
use std::time::Instant;

/// Result and cost of a product of a sparse matrix and a vector by [`multiply`].
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The product, one number for each row of the matrix.
    pub y: Vec<f32>,
    /// Form in which the matrix was stored, and the predicted cycles of the product.
    pub plan: ProductPlan,
    /// Sizes of the matrix in the form in which it was stored.
    pub statistics: Statistics,
    /// Cost of the run: its cycles, transfers, operations and activities. The kernels are sent to instruction memory in
    /// it; the matrix and the vector are in system memory before.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// A matrix in memory with its kernels in instruction memory.
pub(crate) struct Operator {
    stored: Stored,
    entries: Entries,
    /// Sizes of the matrix in its form.
    pub(crate) statistics: Statistics,
    /// Fewest cycles of the kernels of a product.
    pub(crate) least_cycles: f64,
    is_permuted: bool,
}

impl Operator {
    /// Returns the texts of the kernels of a form, which are installed first.
    pub(crate) fn source(host: &Host, plan: &ProductPlan) -> Result<String, KernelError> {
        plan.form.source(host.config().core())
    }

    /// Writes a matrix to memory; `entries` are the addresses of the kernels of [`Self::source`].
    pub(crate) fn new(
        host: &mut Host,
        matrix: &Csr,
        plan: &ProductPlan,
        entries: &[cp2_isa::BundleAddress],
    ) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let form = plan.form;
        let order = form.order(matrix);
        let layout = LocalLayout::new(&core, form, plan.width.min(matrix.columns()));
        let is_permuted = form.is_permuted();
        let mut stored = Stored::new(host, (form, layout), is_permuted.then_some(&order[..]))?;
        let (mut least_cycles, mut elements, mut blocks) = (0, 0, 0);
        // The blocks are converted one after the other: all of them at once would take many times the room of the matrix.
        for (columns, part) in matrix.blocks_of_columns(plan.width, 1) {
            let partition = Partition::new(&core, form, &part, &order, columns.start == 0)?;
            let pages = partition.pages(&core, layout.reserved_words())?;
            let least = pages.iter().map(|page| partition.least_cycles(&core, page));
            least_cycles += least.sum::<usize>();
            elements += partition.elements();
            blocks += 1;
            stored.push(host, (columns, &part), &partition, pages)?;
        }
        let entry = |k: usize| entries.get(k).copied().unwrap_or_default();
        let last = entries.last().copied().unwrap_or_default();
        let statistics = Statistics {
            shape: [matrix.rows(), matrix.columns()],
            nonzeros: matrix.nonzeros(),
            zeros: matrix.zeros(),
            elements,
            bytes: stored.bytes(),
            blocks,
        };
        Ok(Self {
            stored,
            entries: Entries { product: entry(0), prepare: entry(1), back: last },
            statistics,
            least_cycles: least_cycles as f64,
            is_permuted,
        })
    }

    /// Returns the bytes of an array that holds a vector and takes results.
    pub(crate) fn array_bytes(&self) -> Bytes {
        let [_, columns] = self.statistics.shape;
        self.result_bytes().max(Stored::vector_bytes(columns))
    }

    /// Returns the bytes of the results.
    pub(crate) fn result_bytes(&self) -> Bytes {
        self.stored.result_bytes()
    }

    /// Whether the vector can be renewed on its way to local memory.
    pub(crate) fn can_renew(&self) -> bool {
        self.stored.can_renew()
    }

    /// Returns the pages of a product, as [`Stored::pages`] does.
    pub(crate) fn pages(
        &self,
        arrays: [MemoryAddress; 3],
        renewal: Option<Renewal>,
    ) -> Result<Vec<pages::Page>, KernelError> {
        self.stored.pages(self.entries, arrays, renewal)
    }
}

/// Multiplies a sparse matrix by the vector `x` on a simulated machine (CP2, its DMA channel and system memory) with
/// the configuration `config`, with the matrix in the form of `plan`. `listener` is told the number of predicted cycles
/// done so far and of all.
///
/// # Errors
/// `x` has not one finite element for each column, the memory of the machine does not hold the matrix, its core cannot
/// run the kernels, or a kernel or a transfer does not end.
pub fn multiply(
    config: MachineConfig,
    matrix: &Csr,
    x: &[f32],
    plan: &ProductPlan,
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    pages::check(config.core())?;
    matrix.check_vector(x)?;
    let mut host = Host::new(config, execution);
    let text = Operator::source(&host, plan)?;
    let name = format!("spmv {}", plan.form);
    let since = Instant::now();
    let entries = host.install_all(&name, || Ok(text))?;
    listener.prepared("scheduling the kernels", since.elapsed());
    let since = Instant::now();
    let operator = Operator::new(&mut host, matrix, plan, &entries)?;
    listener.prepared("converting the matrix", since.elapsed());
    let vector = host.allocate(Stored::vector_bytes(matrix.columns()))?;
    host.write_floats(vector, x)?;
    let bytes = operator.result_bytes();
    let (y, back) = (host.allocate(bytes)?, host.allocate(bytes)?);
    let pages = operator.pages([vector, y, back], None)?;
    let all = pages.len();
    let chain = Chain::of(&mut host, pages)?;
    chain.run(&mut host, &mut |done| listener.progress(done, chain.predicted_cycles))?;
    let y = host.read_floats(if operator.is_permuted { back } else { y }, matrix.rows())?;
    let operations = 2 * matrix.nonzeros() as u64;
    let cost = host.cost(operations, (1, all), operator.least_cycles);
    Ok(Report { y, plan: *plan, statistics: operator.statistics, cost })
}
