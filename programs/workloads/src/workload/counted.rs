//! Counts of workloads: the cycles of kernels, each at one size, as rows of a table. The table itself is in `bench`.

use super::{Bound, switches, with_extensions};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::{CheckVerdict, Request, Workload, WorkloadOutcome, best_variant};
use std::fmt;
use std::sync::Arc;

/// A row of the table of counts: the cycles of one kernel at one size, beside its lower bound and a published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct CountRow {
    /// Name of the kernel, with its size or matrix where it is counted on several.
    pub kernel: String,
    /// Sizes at which the kernel was counted, as text for people.
    pub parameters: String,
    /// Number of units of work that each section did.
    pub count: u64,
    /// Name of a unit of work, such as `word`.
    pub unit: &'static str,
    /// Number of cycles of the whole run.
    pub cycles: u64,
    /// Lower bound on the cycles of a unit of work; 0 if none is known before the run.
    pub bound: f64,
    /// Name of the resource or rule that sets the bound, in a few words.
    pub bound_is: &'static str,
    /// Cycles of a unit of work in the published hand-made kernel; `None` if none was published.
    pub published: Option<u64>,
    /// Place of the published figure in the literature, such as `[D] table B.2`, where `[D]` is the dissertation on
    /// CP2; `None` without a figure.
    pub source: Option<&'static str>,
    /// Words on how our kernel and the published one differ, for [`CountRow::ratio`]; `None` if they do the same.
    pub sides: Option<&'static str>,
    /// Words on the data that lie in another order in local memory than in the user's arrays; `None` if all lie in the
    /// same.
    pub permuted: Option<&'static str>,
    /// Names of the extensions, with commas between, with which the core was extended for the kernel; `None` if it
    /// needs none.
    pub needs: Option<&'static str>,
    /// Whether the results are right: those of the reference, or what a user's workload expects.
    pub verdict: CheckVerdict,
}

impl CountRow {
    /// Returns the number of cycles of a unit of work: those of the whole run divided by the units that each section
    /// did.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// Returns the bound in percent of the cycles of a unit of work: 100 if the bound is reached.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound / self.per_unit()
    }

    /// Returns the published cycles of a unit of work divided by ours, above 1 if our kernel is faster; `None` if none
    /// were published.
    pub fn ratio(&self) -> Option<f64> {
        self.published.map(|published| published as f64 / self.per_unit())
    }

    /// Creates the row of a kernel. `counted` has the number of units of work in each section, then the cycles of the
    /// whole run. The row counts as wrong until [`CountRow::checked`] is called.
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
            verdict: compared(false),
        }
    }

    /// Returns the row with its verdict: whether its results, which were compared with the reference, are right.
    pub fn checked(self, is_right: bool) -> Self {
        Self { verdict: compared(is_right), ..self }
    }

    /// Returns the row with these words on the data that lie in another order in local memory than in the user's
    /// arrays.
    pub fn permuted(self, permuted: Option<&'static str>) -> Self {
        Self { permuted, ..self }
    }
}

/// Returns the verdict on results that were compared with the reference.
fn compared(is_right: bool) -> CheckVerdict {
    let complaint = "the result is not that of the reference".to_owned();
    CheckVerdict { is_checked: true, complaint: (!is_right).then_some(complaint) }
}

/// Function that counts a kernel of this name.
type Count = Box<dyn Fn(&str, &Execution) -> Result<CountRow, KernelError> + Send + Sync>;

/// A kernel with the size at which it is counted, and the function that counts its cycles.
pub struct Counted {
    kernel: String,
    needs: Option<&'static str>,
    count: Count,
    /// Function that counts the kernel on CP2, for comparison; `None` for a kernel whose counts there are kept in the
    /// golden file.
    on_cp2: Option<Count>,
}

impl Counted {
    /// Creates the entry for a kernel. `kernel` is its name. `count`, called with the name and the settings of a run,
    /// runs the kernel, compares its results with the reference, and returns the row.
    pub fn new(
        kernel: String,
        count: impl Fn(&str, &Execution) -> Result<CountRow, KernelError> + Send + Sync + 'static,
    ) -> Self {
        Self { kernel, needs: None, count: Box::new(count), on_cp2: None }
    }

    /// Creates the entry for a workload such as that of a user's file, on CP2 alone or on a machine, with the default
    /// values of its options. Its unit of work is one run; of its variants the one with the fewest cycles is counted.
    /// `machines` are the machine of the counts, and the one with the core of CP2 with whose counts they are compared;
    /// `None` for CP2 alone.
    pub fn of(workload: Arc<dyn Workload>, machines: [Option<MachineConfig>; 2]) -> Self {
        let (name, [machine, usual]) = (workload.about().name, machines);
        let on_cp2 = of_workload(Arc::clone(&workload), usual);
        Self { on_cp2: Some(Box::new(on_cp2)), ..Self::new(name, of_workload(workload, machine)) }
    }

    /// Returns the entry for a kernel that needs extensions of CP2: their names with commas between.
    pub fn needing(self, extensions: &'static str) -> Self {
        Self { needs: Some(extensions), ..self }
    }

    /// Returns the names of the extensions that the kernel needs, with commas between; `None` if it needs none.
    pub fn needs(&self) -> Option<&'static str> {
        self.needs
    }

    /// Returns the name of the kernel, by which [`CountRow::kernel`] and a user name it.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Runs the kernel on a core, to which the extensions that it needs are added, compares its results with the
    /// reference, and returns its row.
    ///
    /// # Errors
    /// Returns an error if the core has too few resources for the kernel, or if the run does not come to its end.
    pub fn count(&self, core: &Core) -> Result<CountRow, KernelError> {
        self.row(&self.count, core)
    }

    /// Runs the kernel on CP2, and returns its row; `None` if the golden file has it.
    ///
    /// # Errors
    /// The same as of [`Counted::count`].
    pub fn count_on_cp2(&self) -> Option<Result<CountRow, KernelError>> {
        self.on_cp2.as_ref().map(|count| self.row(count, &Core::CP2))
    }

    fn row(&self, count: &Count, core: &Core) -> Result<CountRow, KernelError> {
        let core = with_extensions(core, &self.needs.map_or_else(Vec::new, switches));
        let environment = Environment::new().reusing(&Arc::default());
        let row = count(&self.kernel, &environment.execution(core))?;
        Ok(CountRow { needs: self.needs, ..row })
    }
}

/// Returns the function that counts a run of a workload's best variant on a machine, or on CP2 alone.
fn of_workload(
    workload: Arc<dyn Workload>,
    machine: Option<MachineConfig>,
) -> impl Fn(&str, &Execution) -> Result<CountRow, KernelError> + Send + Sync {
    move |name, on| {
        let (core, environment) = (on.core, on.environment.clone());
        let machine = machine.clone();
        let request = Request { core, environment, machine, ..Request::default() };
        let best = best_variant(&workload, &request)?;
        let variant = best.name().unwrap_or_default();
        let mut bound = best.workload.bound(&core)?;
        // A whole run checks the results by all that can check them.
        let outcome = best.workload.execute(request, &mut |_: usize, _: usize| {})?;
        let WorkloadOutcome { verdict, cost, json, .. } = outcome;
        if let CheckVerdict { is_checked: false, complaint: Some(complaint) } = &verdict {
            return Err(KernelError::Unchecked(complaint.clone()));
        }
        // The bound of a procedure follows from what it moved and computed.
        bound.cycles = bound.cycles.or_else(|| Some(cost.as_ref()?.bound_cycles()));
        let counted = || json["cycles"].as_u64();
        let cycles = cost.as_ref().map(Cost::cycles).or_else(counted);
        let cycles = cycles.ok_or(KernelError::Internal("a workload counts no cycles"))?;
        let row = CountRow::new(name.to_owned(), variant, (1, cycles), &bound);
        Ok(CountRow { verdict, ..row })
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}
