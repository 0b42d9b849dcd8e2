//! Workloads: all that can be run, whatever model of computation it belongs to. A workload describes itself, takes options,
//! runs from inputs to a report, and is compared with a reference. Which workloads there are is the business of crates above.
//!
//! - `options`: the options that a workload takes, and the values that were given;
//! - `listener`: who is told of a run while it goes on.

mod listener;
mod options;

pub use listener::{Listener, largest};
pub use options::{
    ArraySpec, NamedNumbers, OptionKind, OptionValue, OptionValues, WorkloadOption, names,
};

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

/// The surroundings in which a workload runs: CP2 alone or a whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// A kernel on CP2 alone, operands in local memory.
    Cp2,
    /// A procedure on a whole machine: arrays in system memory, DMA, a host.
    Machine,
}

/// The description of a workload as lists and reports show it to people.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Name of the workload, by which a user asks for it.
    pub name: String,
    /// Description of the workload, in one line.
    pub summary: &'static str,
    /// Name of the family that the workload belongs to, under which lists have it.
    pub family: &'static str,
    /// Surroundings in which the workload runs: CP2 alone or a whole machine.
    pub platform: Platform,
    /// Input that the workload takes, in a few words.
    pub input: String,
    /// Output that the workload gives, in a few words.
    pub output: String,
    /// Order in which the results lie, in a few words, such as `ascending`.
    pub order: &'static str,
    /// Permutation in local memory, if the kernel leaves its results, or wants its operands, in another order than that of
    /// the arrays; the host puts them right.
    pub permuted: Option<&'static str>,
    /// Reference with which the results are compared.
    pub reference: Reference,
}

/// The reference with which results are compared, and the distance from it that is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Name of the reference, in a few words, such as `the definition in double precision`.
    pub is: &'static str,
    /// The way in which the distance is measured.
    pub measure: &'static str,
    /// The largest distance; beyond, the check fails.
    pub tolerance: f64,
    /// Unit of the distance; empty for a relative one.
    pub unit: &'static str,
    /// The reason for the tolerance: why rounding explains no larger distance.
    pub reason: &'static str,
    /// A cause other than an error that makes results differ; empty if there is none.
    pub hint: &'static str,
}

/// The fewest cycles that a unit of work can cost, why, and what was published beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Name of a unit of work, such as `word`, which each section does.
    pub unit: &'static str,
    /// Fewest cycles of a unit; none where they depend on the input.
    pub cycles: Option<f64>,
    /// The limit from which the bound follows, in a few words, such as `exchange slots`.
    pub rests_on: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Source of the published figures, cycles or others.
    pub source: Option<&'static str>,
    /// The two sides of the ratio to the published figure: general or specialised, one or many.
    pub sides: Option<&'static str>,
}

impl Bound {
    /// Creates a bound that nothing published compares with.
    pub const fn new(unit: &'static str, cycles: f64, rests_on: &'static str) -> Self {
        Self { unit, cycles: Some(cycles), rests_on, published: None, source: None, sides: None }
    }

    /// Sets the published figure beside the bound, where there is one, and what the two sides are.
    pub const fn with_published(
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

/// The distance of results from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The distance, by the measure of the reference.
    pub distance: f64,
    /// Vectors that were compared, where there are vectors.
    pub vectors: usize,
    /// Whether the distance is within the tolerance.
    pub is_passed: bool,
    /// Numbers of denormals that became zero, in the input and among the results.
    pub flushed: Flushed,
}

impl Deviation {
    /// Creates the check of results that are no vectors.
    pub fn new(distance: f64, is_passed: bool) -> Self {
        Self { distance, vectors: 0, is_passed, flushed: Flushed::default() }
    }
}

/// A request to a workload: checked options, defaults added, and the machine.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Options and the values that they were given.
    pub values: OptionValues,
    /// The core of a kernel; a procedure has that of its machine.
    pub core: Core,
    /// The machine of a procedure.
    pub machine: Option<MachineConfig>,
    /// Environment that makes programs and builds engines.
    pub environment: Environment,
    /// Recorder of the run, if it is recorded.
    pub recorder: Option<Recorder>,
    /// Keeper that makes checkpoints of a procedure and may stop it, if there is one.
    pub keeper: Option<Arc<Keeper>>,
    /// Whether only counts are wanted: nothing is simulated to stand beside them.
    pub counts_only: bool,
}

impl Request {
    /// Returns the core that the request is for.
    pub fn core(&self) -> Core {
        self.machine.as_ref().map_or(self.core, |machine| *machine.core())
    }

    /// Returns the way in which the kernels of the workload run: environment, core, engine, limit of cycles, recorder and
    /// keeper.
    pub fn execution(&self) -> Execution {
        Execution {
            environment: self.environment.clone(),
            recorder: self.recorder.clone(),
            keeper: self.keeper.clone(),
            ..self.values.execution(self.core())
        }
    }

    /// Returns the machine of the procedure.
    ///
    /// # Errors
    /// The request has no machine.
    pub fn machine(&self) -> Result<&MachineConfig, KernelError> {
        self.machine.as_ref().ok_or(KernelError::Request(RequestError::NoMachine))
    }
}

/// The results of a run that its caller prints and writes.
#[derive(Clone, Debug)]
pub struct Done {
    /// The report for people, as text to be printed.
    pub text: String,
    /// The report for programs, as JSON.
    pub json: Value,
    /// The document of `--timeline-json`.
    pub timeline: Option<Value>,
    /// Cost of a procedure, with its transfers and operations.
    pub cost: Option<Cost>,
    /// The reason why the check failed, if it did.
    pub complaint: Option<String>,
}

/// The cost of a run without a report: the part that is kept of one run of many.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Number of cycles of the whole run.
    pub cycles: u64,
    /// Cost of a procedure in parts; none for a kernel.
    pub cost: Option<Cost>,
    /// The reason why the check failed, if it did.
    pub complaint: Option<String>,
}

/// A workload of any kind, kernel or procedure: what it is, what it takes, and how it is run and checked.
pub trait Workload: Send + Sync {
    /// Returns the description of the workload.
    fn about(&self) -> About;

    /// Returns the extensions of the architecture that the workload needs.
    fn needs(&self) -> Vec<Switch>;

    /// Returns all options that the workload takes.
    fn option_list(&self) -> Vec<WorkloadOption>;

    /// Returns the least that the workload can cost on a core.
    ///
    /// # Errors
    /// The bound could not be worked out.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Returns the assembly text of the workload for a core.
    ///
    /// # Errors
    /// The workload has no text, and why.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Runs the workload from inputs to report. `listener` is told how far the run is, and gets the array of `--output` if
    /// that was asked for.
    ///
    /// # Errors
    /// The inputs are wrong, or something keeps the run from its end; a failed check is no error.
    fn execute(&self, request: Request, listener: &mut dyn Listener) -> Result<Done, KernelError>;

    /// Runs the workload as [`Workload::execute`] does, for its counts only.
    ///
    /// # Errors
    /// See [`Workload::execute`].
    fn tally(&self, request: Request) -> Result<Tally, KernelError>;

    /// Returns the tag of the schema of the workload's JSON report.
    fn tag(&self) -> &'static str;

    /// Returns the schema of the workload's JSON report, shared with workloads of these names.
    fn schema(&self, names: &[String]) -> Value;
}
