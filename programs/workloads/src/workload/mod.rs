//! What everything that can be run has in common: a workload describes itself, makes or takes its
//! inputs, runs, compares with a reference, and reports. Text, JSON, its schema, the list, refusals and
//! rows of counts derive from that. Which workloads there are is in `catalogue`.

mod counted;
mod flags;
mod run;
pub(crate) mod text;
pub mod trial;

pub use counted::{Counted, Row};
pub use flags::{Array, Flag, Form, Given, Numbers, Values, names};
pub use run::{Done, Runnable, Tally, with_extensions};
pub(crate) use run::{boxed, switches};
pub use text::counts;

use cp2_document::Field;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_recording::Recorder;
use cp2_session::Environment;
use cp2_session::cost::Cost;
use cp2_session::cost::timeline::Timeline;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::keeping::Keeper;
use cp2_session::npy;
use cp2_session::numbers::Flushed;
use cp2_session::workload::Listener;
use std::sync::Arc;

/// Where a workload runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A kernel on CP2 alone, operands in local memory.
    Cp2,
    /// A procedure on a whole machine: arrays in system memory, DMA, a host.
    Machine,
}

/// What a workload is.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// One line.
    pub summary: &'static str,
    /// The family that it belongs to.
    pub family: &'static str,
    /// Where it runs.
    pub place: Place,
    /// What it takes, in short.
    pub input: String,
    /// What it gives, in short.
    pub output: String,
    /// In which order the results lie.
    pub order: &'static str,
    /// What is permuted in local memory, if the kernel leaves its results, or wants its operands, in
    /// another order than that of the arrays; the host puts them right.
    pub permuted: Option<&'static str>,
    /// What results are compared with.
    pub reference: Reference,
}

/// What results are compared with, and how far they may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// What it is.
    pub is: &'static str,
    /// How the distance is measured.
    pub measure: &'static str,
    /// The largest distance; beyond, the check fails.
    pub tolerance: f64,
    /// What the distance is counted in; empty for a relative one.
    pub unit: &'static str,
    /// Why so much.
    pub reason: &'static str,
    /// What else than an error makes results differ; empty if nothing does.
    pub hint: &'static str,
}

/// The least that a unit of work can cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// A unit of work, done in each section.
    pub unit: &'static str,
    /// Fewest cycles of a unit; none where they depend on the input.
    pub cycles: Option<f64>,
    /// What makes the bound.
    pub rests_on: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Where published figures stand, cycles or others.
    pub source: Option<&'static str>,
    /// What the two sides of the ratio to the published figure are: general or specialised, one or many.
    pub sides: Option<&'static str>,
}

impl Bound {
    /// A bound that nothing published compares with.
    pub const fn new(unit: &'static str, cycles: f64, rests_on: &'static str) -> Self {
        Self { unit, cycles: Some(cycles), rests_on, published: None, source: None, sides: None }
    }

    /// The bound beside a published figure, where there is one, and what the two sides are.
    pub const fn beside(
        self,
        published: Option<u64>,
        source: &'static str,
        sides: &'static str,
    ) -> Self {
        match published {
            Some(_) => Self { published, source: Some(source), sides: Some(sides), ..self },
            None => self,
        }
    }
}

/// How far results are from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// The distance, by the measure of the reference.
    pub distance: f64,
    /// Vectors that were compared, where there are vectors.
    pub vectors: usize,
    /// Whether it is within the tolerance.
    pub is_passed: bool,
    /// Numbers that became zero.
    pub flushed: Flushed,
}

impl Check {
    /// The distance of results that are no vectors.
    pub fn new(distance: f64, is_passed: bool) -> Self {
        Self { distance, vectors: 0, is_passed, flushed: Flushed::default() }
    }
}

/// What is asked of a workload: checked options, defaults added, and the machine.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Options and what they were given.
    pub values: Values,
    /// The core of a kernel; a procedure has that of its machine.
    pub core: Core,
    /// The machine of a procedure.
    pub machine: Option<MachineConfig>,
    /// Where programs are made and engines are built.
    pub environment: Environment,
    /// What records the run, if something does.
    pub recorder: Option<Recorder>,
    /// What keeps a procedure and may stop it.
    pub keeper: Option<Arc<Keeper>>,
    /// Only counts are wanted: nothing is simulated to stand beside them.
    pub counts_only: bool,
}

impl Request {
    /// The core that it is for.
    pub fn core(&self) -> Core {
        self.machine.as_ref().map_or(self.core, |machine| *machine.core())
    }

    /// Where and how its kernels run: environment, core, engine, limit of cycles, what records and keeps them.
    pub fn execution(&self) -> Execution {
        Execution {
            environment: self.environment.clone(),
            recorder: self.recorder.clone(),
            keeper: self.keeper.clone(),
            ..self.values.execution(self.core())
        }
    }

    /// The machine.
    ///
    /// # Errors
    /// There is none.
    pub fn machine(&self) -> Result<&MachineConfig, KernelError> {
        let missing = || KernelError::Array("a procedure needs a machine".to_owned());
        self.machine.as_ref().ok_or_else(missing)
    }
}

/// A workload that has run.
#[derive(Debug)]
pub struct Finished<W: Workload + ?Sized> {
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

impl<W: Workload + ?Sized> Finished<W> {
    /// The name of the workload.
    pub fn name(&self) -> &str {
        &self.about.name
    }
}

/// Workloads that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// All of them.
    pub workloads: fn() -> Vec<Box<dyn Runnable>>,
    /// What is counted of them, at which sizes.
    pub counted: fn() -> Vec<Counted>,
}

/// A row of the JSON report of a workload.
pub type ReportField<W> = Field<Finished<W>>;

/// Something that can be run. [`Runnable`] is the same without its types.
pub trait Workload: Send + Sync + 'static {
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
