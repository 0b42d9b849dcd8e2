//! Workloads with their types: each makes or takes its inputs, runs, compares with a reference, and reports. The interface of
//! all workloads without their types is `cp2_session::workload`; the list of them is in `catalogue`.

mod counted;
pub(crate) mod flags;
mod run;
pub(crate) mod text;
pub mod trial;

pub use counted::{CountRow, Counted};
pub use run::with_extensions;
pub(crate) use run::{boxed, switches};
pub use text::counts;

use cp2_document::Field;
use cp2_isa::Core;
use cp2_session::cost::Cost;
use cp2_session::cost::timeline::Timeline;
use cp2_session::error::KernelError;
use cp2_session::npy;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};

/// A workload that has run.
#[derive(Debug)]
pub struct Finished<W: TypedWorkload + ?Sized> {
    /// Description of the workload.
    pub about: About,
    /// Request that was executed.
    pub request: Request,
    /// Input of the run.
    pub input: W::Input,
    /// Outcome of the run.
    pub outcome: W::Outcome,
    /// Comparison of the outcome with the reference.
    pub check: Deviation,
}

impl<W: TypedWorkload + ?Sized> Finished<W> {
    /// Returns the name of the workload.
    pub fn name(&self) -> &str {
        &self.about.name
    }
}

/// Workloads that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Function that returns all workloads of the family.
    pub workloads: fn() -> Vec<Box<dyn Workload>>,
    /// Function that returns the kernels of the family that are counted, at their sizes.
    pub counted: fn() -> Vec<Counted>,
}

/// A row of the JSON report of a workload.
pub type ReportField<W> = Field<Finished<W>>;

/// A workload with types for its input and its outcome. `boxed` makes a [`Workload`] of it, which has no types of its own.
pub trait TypedWorkload: Send + Sync + 'static {
    /// Input of a run.
    type Input: 'static;
    /// Outcome of a run, with its counts.
    type Outcome: 'static;
    /// Tag of the JSON report.
    const SCHEMA: &'static str;
    /// Names of the extensions of the architecture that the workloads of this type need, with commas between.
    const NEEDS: Option<&'static str> = None;

    /// Returns the description of the workload.
    fn about(&self) -> About;

    /// Returns the names of the extensions that this workload needs, where not all of a type need the same.
    fn needs(&self) -> Option<&'static str> {
        Self::NEEDS
    }

    /// Returns the options that the workload takes, except for those that all workloads take.
    fn flags(&self) -> Vec<WorkloadOption>;

    /// Returns the least that the workload can cost on a core.
    ///
    /// # Errors
    /// A bound that cannot be computed.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Returns the assembly text of the workload for a core.
    ///
    /// # Errors
    /// A workload without a text, with the reason.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Returns the input that was given, or makes it. Input that does not fit is refused before it is made.
    ///
    /// # Errors
    /// Input that the workload does not take.
    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError>;

    /// Runs the workload. `listener` is told how far it is; it may get results in parts, and then [`Self::output`] has none.
    ///
    /// # Errors
    /// A fault or a limit that keeps the run from its end.
    fn run(
        &self,
        request: &Request,
        input: &Self::Input,
        listener: &mut dyn Listener,
    ) -> Result<Self::Outcome, KernelError>;

    /// Compares the outcome with the reference.
    fn check(&self, request: &Request, input: &Self::Input, outcome: &Self::Outcome) -> Deviation;

    /// Returns the rows of the JSON report.
    fn fields() -> Vec<ReportField<Self>>;

    /// Returns the report as text for people.
    fn text(&self, finished: &Finished<Self>) -> String;

    /// Returns the array of `--output`, if it was not given in parts.
    fn output(&self, _: &Finished<Self>) -> Option<npy::Array> {
        None
    }

    /// Returns the cost of a procedure; `None` for a kernel.
    fn cost<'a>(&self, _: &'a Finished<Self>) -> Option<&'a Cost> {
        None
    }

    /// Returns the timeline of a procedure, the activities in each cycle; `None` for a kernel.
    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        self.cost(finished).map(|cost| &cost.timeline)
    }
}
