//! Workloads with their types: each makes or takes its inputs, runs, compares with a reference, and reports. What all workloads
//! have in common without their types is `cp2_session::workload`; which there are is in `catalogue`.

mod counted;
pub(crate) mod flags;
mod run;
pub(crate) mod text;
pub mod trial;

pub use counted::{Counted, Row};
pub use run::with_extensions;
pub(crate) use run::{boxed, switches};
pub use text::counts;

use cp2_document::Field;
use cp2_isa::Core;
use cp2_session::cost::Cost;
use cp2_session::cost::timeline::Timeline;
use cp2_session::error::KernelError;
use cp2_session::npy;
use cp2_session::workload::{About, Bound, Check, Flag, Listener, Request, Workload};

/// A workload that has run.
#[derive(Debug)]
pub struct Finished<W: TypedWorkload + ?Sized> {
    /// What it is.
    pub about: About,
    /// What was asked.
    pub request: Request,
    /// What it worked on.
    pub input: W::Input,
    /// What it made.
    pub outcome: W::Outcome,
    /// How right that is.
    pub check: Check,
}

impl<W: TypedWorkload + ?Sized> Finished<W> {
    /// The name of the workload.
    pub fn name(&self) -> &str {
        &self.about.name
    }
}

/// Workloads that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// All of them.
    pub workloads: fn() -> Vec<Box<dyn Workload>>,
    /// What is counted of them, at which sizes.
    pub counted: fn() -> Vec<Counted>,
}

/// A row of the JSON report of a workload.
pub type ReportField<W> = Field<Finished<W>>;

/// Something that can be run. `boxed` makes a [`Workload`] of it, which has no types of its own.
pub trait TypedWorkload: Send + Sync + 'static {
    /// What it works on.
    type Input: 'static;
    /// What it makes, and the counts.
    type Outcome: 'static;
    /// Tag of the JSON report.
    const SCHEMA: &'static str;
    /// The extensions of the architecture that it needs, by name, with commas.
    const NEEDS: Option<&'static str> = None;

    /// What it is.
    fn about(&self) -> About;

    /// What this one needs, where not all of a kind need the same.
    fn needs(&self) -> Option<&'static str> {
        Self::NEEDS
    }

    /// The options that it takes, but for those that all take.
    fn flags(&self) -> Vec<Flag>;

    /// The least that it can cost on a core.
    ///
    /// # Errors
    /// It could not be worked out.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Its assembly text for a core.
    ///
    /// # Errors
    /// There is none, and why.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Inputs that were given, or made. What does not fit is refused before it is made.
    ///
    /// # Errors
    /// What is wrong with them.
    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError>;

    /// Runs. `listener` is told how far it is; it may get results in parts, and then [`Self::output`] has
    /// none.
    ///
    /// # Errors
    /// What keeps it from its end.
    fn run(
        &self,
        request: &Request,
        input: &Self::Input,
        listener: &mut dyn Listener,
    ) -> Result<Self::Outcome, KernelError>;

    /// Compares with the reference.
    fn check(&self, request: &Request, input: &Self::Input, outcome: &Self::Outcome) -> Check;

    /// The rows of the JSON report.
    fn fields() -> Vec<ReportField<Self>>;

    /// The report for people.
    fn text(&self, finished: &Finished<Self>) -> String;

    /// The array of `--output`, if it was not given in parts.
    fn output(&self, _: &Finished<Self>) -> Option<npy::Array> {
        None
    }

    /// What it cost, for a procedure.
    fn cost<'a>(&self, _: &'a Finished<Self>) -> Option<&'a Cost> {
        None
    }

    /// Who was busy when, for a procedure.
    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        self.cost(finished).map(|cost| &cost.timeline)
    }
}
