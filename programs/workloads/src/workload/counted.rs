//! What is counted of workloads: kernels at one size, and the rows that counts make. Tables and the golden
//! file are in `bench`.

use super::{Bound, switches, with_extensions};
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use std::fmt;
use std::sync::Arc;

/// One kernel at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// Its parameters.
    pub parameters: String,
    /// Units of work in each section.
    pub count: u64,
    /// What a unit of work is.
    pub unit: &'static str,
    /// Cycles of the whole run, counted by the engine.
    pub cycles: u64,
    /// Fewest cycles that a unit can cost.
    pub bound: f64,
    /// What makes that bound.
    pub bound_is: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Where that figure stands.
    pub source: Option<&'static str>,
    /// Which kernels, ours and the published one, the ratio compares.
    pub sides: Option<&'static str>,
    /// What is permuted in local memory.
    pub permuted: Option<&'static str>,
    /// Extensions that the kernel needs: it was counted on a core that has them besides.
    pub needs: Option<&'static str>,
    /// Whether the results are those of the reference.
    pub is_right: bool,
}

impl Row {
    /// Cycles of one unit of work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// How much of the bound is reached, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound / self.per_unit()
    }

    /// How many times faster than the published kernel.
    pub fn ratio(&self) -> Option<f64> {
        self.published.map(|published| published as f64 / self.per_unit())
    }

    /// The row of a kernel: units of work in each section and the cycles that they took, beside the
    /// bound of a unit.
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

    /// The row of a run whose results were compared with the reference.
    pub fn checked(self, is_right: bool) -> Self {
        Self { is_right, ..self }
    }

    /// The row of a kernel of which this is permuted in local memory.
    pub fn permuted(self, permuted: Option<&'static str>) -> Self {
        Self { permuted, ..self }
    }
}

/// Counts a kernel that goes by this name.
type Count = Box<dyn Fn(&str, &Execution) -> Result<Row, KernelError> + Send + Sync>;

/// A kernel at the size that is counted.
pub struct Counted {
    kernel: String,
    needs: Option<&'static str>,
    count: Count,
}

impl Counted {
    /// A kernel, and how it is run, counted and compared with its reference.
    pub fn new(
        kernel: String,
        count: impl Fn(&str, &Execution) -> Result<Row, KernelError> + Send + Sync + 'static,
    ) -> Self {
        Self { kernel, needs: None, count: Box::new(count) }
    }

    /// The same for a kernel that needs extensions, names with commas.
    pub fn needing(self, extensions: &'static str) -> Self {
        Self { needs: Some(extensions), ..self }
    }

    /// The extensions that it needs.
    pub fn needs(&self) -> Option<&'static str> {
        self.needs
    }

    /// Its name.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Makes it for a core with the extensions that it needs besides, runs it, and compares with its reference. What is counted
    /// for many matrices is assembled once.
    ///
    /// # Errors
    /// What the core has too little of, or what kept the run from its end.
    pub fn count(&self, core: &Core) -> Result<Row, KernelError> {
        let core = with_extensions(core, &self.needs.map_or_else(Vec::new, switches));
        let environment = Environment::new().reusing(&Arc::default());
        let row = (self.count)(&self.kernel, &environment.execution(core))?;
        Ok(Row { needs: self.needs, ..row })
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}
