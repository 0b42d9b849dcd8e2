//! Workloads with types for their input and outcome: each makes or takes its inputs, runs, compares with a reference,
//! and reports. The interface of all workloads without such types is `cp2_session::workload`; the list of them is in
//! `catalogue`.

mod counted;
pub(crate) mod options;
mod run;
pub(crate) mod text;
pub mod trial;

pub use counted::{CountRow, Counted};
pub use run::with_extensions;
pub(crate) use run::{switches, untyped};
pub use text::counts;

use cp2_document::Field;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_session::cost::Cost;
use cp2_session::cost::timeline::Timeline;
use cp2_session::error::KernelError;
use cp2_session::npy;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};
use std::sync::Arc;

/// A run of a workload that has ended, with all that its report needs: request, input, outcome, and the comparison with
/// the reference.
#[derive(Debug)]
pub struct Finished<W: TypedWorkload + ?Sized> {
    /// Description of the workload: name, platform, input, output and reference.
    pub about: About,
    /// Request for the run: options, core and machine.
    pub request: Request,
    /// Input on which the workload ran.
    pub input: W::Input,
    /// Results and counts of the run.
    pub outcome: W::Outcome,
    /// Distance of the results from the reference, and whether it is tolerated.
    pub check: Deviation,
}

impl<W: TypedWorkload + ?Sized> Finished<W> {
    /// Returns the name of the workload that ran, such as `fft64`.
    pub fn name(&self) -> &str {
        &self.about.name
    }
}

/// A family: workloads that belong together, such as the FFT kernels. The catalogue is made of families.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Function that returns all workloads of the family.
    pub workloads: fn() -> Vec<Arc<dyn Workload>>,
    /// Function that returns the kernels of the family that have rows in the table of counts, each at its size.
    pub counted: fn() -> Vec<Counted>,
}

/// A field of the JSON report of a workload of type `W`: its name, unit and meaning, and how it is taken from a
/// finished run.
pub type ReportField<W> = Field<Finished<W>>;

/// A workload, a kernel or a procedure with options, check and report, that has types of its own for its input and its
/// outcome. The catalogue wraps it as a [`Workload`], which hides these types.
pub trait TypedWorkload: Send + Sync + 'static {
    /// Input of a run, such as vectors or a matrix.
    type Input: 'static;
    /// Results and counts of a run.
    type Outcome: 'static;
    /// Tag of the JSON report, which names its schema, such as `cp2-kernel-1`.
    const SCHEMA: &'static str;
    /// Names of the extensions of CP2 that all workloads of this type need, with commas between; `None` if they need
    /// none.
    const NEEDS: Option<&'static str> = None;

    /// Keys of the flags of extensions about which all workloads of this type ask, beyond what they need; `None` if nobody has
    /// worked them out ([`Workload::asks`]).
    const ASKS: Option<&'static [Key]> = None;

    /// Returns the description of the workload: name, platform, input, output and reference.
    fn about(&self) -> About;

    /// Returns the names of the extensions of CP2 that this workload needs, with commas between; `None` if it needs
    /// none. Usually [`Self::NEEDS`].
    fn needs(&self) -> Option<&'static str> {
        Self::NEEDS
    }

    /// Returns the workloads that compute the same from the same options, this one among them; empty if there is no
    /// other.
    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        Vec::new()
    }

    /// Returns the options that the workload takes, without those that every workload takes.
    fn options(&self) -> Vec<WorkloadOption>;

    /// Returns the lower bound on the cycles of a unit of the workload's work on a core.
    ///
    /// # Errors
    /// Returns an error if the bound cannot be computed for the core.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Returns the assembly text of the workload's kernel for a core.
    ///
    /// # Errors
    /// Returns the reason if the workload has no single text, for example because it is made for its input.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Returns the input of a run: the arrays of the request, or generated data.
    ///
    /// # Errors
    /// Returns an error if the workload does not take the arrays or options; nothing is generated then.
    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError>;

    /// Runs the workload on an input. `listener` is told the progress; it may get the results in parts, and then
    /// [`Self::output`] returns `None`.
    ///
    /// # Errors
    /// Returns an error if a fault or a limit keeps the run from its end.
    fn run(
        &self,
        request: &Request,
        input: &Self::Input,
        listener: &mut dyn Listener,
    ) -> Result<Self::Outcome, KernelError>;

    /// Compares the outcome with the reference. Returns the distance of the results from it, and whether that is
    /// tolerated.
    fn check(&self, request: &Request, input: &Self::Input, outcome: &Self::Outcome) -> Deviation;

    /// Returns the fields of the JSON report, in their order.
    fn fields() -> Vec<ReportField<Self>>;

    /// Returns the report on a finished run as text for people.
    fn text(&self, finished: &Finished<Self>) -> String;

    /// Returns the result array that `--output` writes; `None` if the workload has none or gave it to the listener in
    /// parts.
    fn output(&self, _: &Finished<Self>) -> Option<npy::Array> {
        None
    }

    /// Returns the cost of a procedure: cycles, transfers, operations, activities; `None` for a kernel.
    fn cost<'a>(&self, _: &'a Finished<Self>) -> Option<&'a Cost> {
        None
    }

    /// Returns the timeline of a procedure: the activities of CP2, channel and host in each cycle; `None` for a kernel.
    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        self.cost(finished).map(|cost| &cost.timeline)
    }
}
