//! What everything that can be run has in common, whatever model of computation it belongs to: a workload describes itself,
//! takes options, runs from inputs to a report, and is compared with a reference. Which workloads there are is the business of
//! crates above.
//!
//! - `options`: the options that a workload takes, and the values that were given;
//! - `listener`: who is told of a run while it goes on.

mod listener;
mod options;

pub use listener::{Listener, largest};
pub use options::{Array, Flag, Form, Given, Numbers, Values, names};

use crate::cost::Cost;
use crate::environment::Environment;
use crate::error::{KernelError, RequestError};
use crate::execution::Execution;
use crate::keeping::Keeper;
use crate::numbers::Flushed;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_isa::machine::Switch;
use cp2_recording::Recorder;
use serde_json::Value;
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
        self.machine.as_ref().ok_or(KernelError::Request(RequestError::NoMachine))
    }
}

/// What a run gives its caller to print and to write.
#[derive(Clone, Debug)]
pub struct Done {
    /// The report for people.
    pub text: String,
    /// The report as JSON.
    pub json: Value,
    /// The document of `--timeline-json`.
    pub timeline: Option<Value>,
    /// What a procedure cost, with what it moved and computed.
    pub cost: Option<Cost>,
    /// Why the check failed, if it did.
    pub complaint: Option<String>,
}

/// What a run cost, without a report: what a run of many is kept of.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Cycles of the whole.
    pub cycles: u64,
    /// What a procedure cost.
    pub cost: Option<Cost>,
    /// Why the check failed, if it did.
    pub complaint: Option<String>,
}

/// A workload of any kind.
pub trait Workload: Send + Sync {
    /// What it is.
    fn about(&self) -> About;

    /// The extensions of the architecture that it needs.
    fn needs(&self) -> Vec<Switch>;

    /// All options that it takes.
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

    /// Runs it from inputs to report. `listener` is told how far it is, and gets the array of `--output` if
    /// that was asked for.
    ///
    /// # Errors
    /// What is wrong with the inputs, or keeps it from its end; a failed check is no error.
    fn execute(&self, request: Request, listener: &mut dyn Listener) -> Result<Done, KernelError>;

    /// The same for its counts only.
    ///
    /// # Errors
    /// See [`Workload::execute`].
    fn tally(&self, request: Request) -> Result<Tally, KernelError>;

    /// Tag of the schema of its JSON report.
    fn tag(&self) -> &'static str;

    /// The schema of its JSON report, shared with workloads of these names.
    fn schema(&self, names: &[String]) -> Value;
}
