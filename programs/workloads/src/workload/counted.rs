//! Counts of workloads: kernels at one size, and the rows of the table of counts. Tables and the golden file are in `bench`.

use super::{Bound, switches, with_extensions};
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use std::fmt;
use std::sync::Arc;

/// The count of one kernel at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct CountRow {
    /// Name of the kernel.
    pub kernel: String,
    /// Parameters of the kernel, as text.
    pub parameters: String,
    /// Number of units of work in each section.
    pub count: u64,
    /// Name of a unit of work.
    pub unit: &'static str,
    /// Cycles of the whole run, counted by the engine.
    pub cycles: u64,
    /// Fewest cycles of a unit.
    pub bound: f64,
    /// Operations on which the bound rests.
    pub bound_is: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Source of the published figure.
    pub source: Option<&'static str>,
    /// Kernels, ours and the published one, that the ratio compares.
    pub sides: Option<&'static str>,
    /// Data that are permuted in local memory, if there are any.
    pub permuted: Option<&'static str>,
    /// Extensions that the kernel needs: it was counted on a core that has them besides.
    pub needs: Option<&'static str>,
    /// Whether the results are those of the reference.
    pub is_right: bool,
}

impl CountRow {
    /// Returns the cycles of one unit of work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// Returns the share of the bound that is reached, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound / self.per_unit()
    }

    /// Returns the speed relative to the published kernel, if there is one.
    pub fn ratio(&self) -> Option<f64> {
        self.published.map(|published| published as f64 / self.per_unit())
    }

    /// Creates the row of a kernel; `counted` has the units of work in each section, and the cycles that they took, in this
    /// order. The cycles of a unit stand beside the bound. The row counts as wrong until [`CountRow::checked`].
    pub fn new(kernel: String, parameters: String, counted: (u64, u64), bound: &Bound) -> Self {
        let (count, cycles) = counted;
        Self {
            kernel,
            parameters,
            count,
            unit: bound.unit,
            cycles,
            bound: bound.cycles.unwrap_or_default(),
            bound_is: bound.rests_on,
            published: bound.published,
            source: bound.source,
            sides: bound.sides,
            permuted: None,
            needs: None,
            is_right: false,
        }
    }

    /// Sets whether the results are those of the reference.
    pub fn checked(self, is_right: bool) -> Self {
        Self { is_right, ..self }
    }

    /// Sets the data that are permuted in local memory.
    pub fn permuted(self, permuted: Option<&'static str>) -> Self {
        Self { permuted, ..self }
    }
}

/// Function that counts a kernel of this name.
type Count = Box<dyn Fn(&str, &Execution) -> Result<CountRow, KernelError> + Send + Sync>;

/// A kernel at the size at which it is counted.
pub struct Counted {
    kernel: String,
    needs: Option<&'static str>,
    count: Count,
}

impl Counted {
    /// Creates the count of a kernel from its name and the function that runs it, counts it and compares it with its
    /// reference.
    pub fn new(
        kernel: String,
        count: impl Fn(&str, &Execution) -> Result<CountRow, KernelError> + Send + Sync + 'static,
    ) -> Self {
        Self { kernel, needs: None, count: Box::new(count) }
    }

    /// Sets the extensions that the kernel needs, names with commas between.
    pub fn needing(self, extensions: &'static str) -> Self {
        Self { needs: Some(extensions), ..self }
    }

    /// Returns the extensions that the kernel needs.
    pub fn needs(&self) -> Option<&'static str> {
        self.needs
    }

    /// Returns the name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Makes the kernel for a core with the extensions that it needs besides, runs it, and compares it with its reference. A
    /// kernel that is counted for many matrices is assembled once.
    ///
    /// # Errors
    /// A core with too few resources for the kernel, or a run that does not come to its end.
    pub fn count(&self, core: &Core) -> Result<CountRow, KernelError> {
        let core = with_extensions(core, &self.needs.map_or_else(Vec::new, switches));
        let environment = Environment::new().reusing(&Arc::default());
        let row = (self.count)(&self.kernel, &environment.execution(core))?;
        Ok(CountRow { needs: self.needs, ..row })
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}
