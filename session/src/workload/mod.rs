//! Workloads: kernels and procedures that can be run by name, whatever they compute. A workload describes itself, takes
//! options, runs from inputs to a report, and is compared with a reference. Crates above this one implement workloads
//! and list them.
//!
//! - `options`: the options that a workload takes, and the values that a user gave for them;
//! - `listener`: who is told of a run while it goes on;
//! - `variants`: which of several programs for the same work a machine runs fastest.

mod listener;
mod options;
mod variants;

pub use listener::{Listener, largest};
pub use options::{
    ArraySpec, NamedNumbers, OptionKind, OptionValue, OptionValues, WorkloadOption, names,
};

pub use variants::{BestVariant, TriedVariant, best_variant};

use crate::cost::Cost;
use crate::environment::Environment;
use crate::error::{KernelError, RequestError};
use crate::execution::Execution;
use crate::keeping::Keeper;
use crate::numbers::Flushed;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_isa::machine::Switch;
use cp2_recording::Recorder;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A text that comes with the program or that a user wrote, such as the summary of a workload.
pub type Text = Cow<'static, str>;

/// The platform on which a workload runs: CP2 alone, or a whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// CP2 alone: the workload is a kernel, and its operands lie in local memory.
    Cp2,
    /// A whole machine of CP2, DMA channel, system memory and host: the workload is a procedure, and its arrays lie in
    /// system memory.
    Machine,
}

/// The description of a workload, as lists and reports show it to people. The workload gives it by [`Workload::about`].
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Name of the workload, by which a user asks for it, such as `fft64`.
    pub name: String,
    /// Description of the workload, in one line.
    pub summary: Text,
    /// Name of the family that the workload belongs to, under which lists have it.
    pub family: &'static str,
    /// Platform on which the workload runs: CP2 alone or a whole machine.
    pub platform: Platform,
    /// Input that the workload takes, in a few words.
    pub input: String,
    /// Output that the workload gives, in a few words.
    pub output: String,
    /// Order in which the results lie, in a few words, such as `ascending`.
    pub order: &'static str,
    /// Description of the order of operands or results in local memory, if a kernel has them there in another order
    /// than the arrays of its user. The program around the kernel then reorders them. `None` if the orders are the
    /// same.
    pub permuted: Option<&'static str>,
    /// Reference with which the results are compared, and the tolerance.
    pub reference: Reference,
}

/// The reference with which results are compared, and the distance from it that is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Name of the reference, in a few words, such as `the definition in double precision`.
    pub is: Text,
    /// Name of the way in which the distance of results from the reference is measured, in a few words.
    pub measure: &'static str,
    /// Largest distance from the reference that passes the check, in `unit`; beyond, the check fails.
    pub tolerance: f64,
    /// Unit of the distance and the tolerance, in a few words; empty for a relative distance, which has none.
    pub unit: &'static str,
    /// The reason for the tolerance: why rounding explains no larger distance.
    pub reason: &'static str,
    /// Harmless cause that can make results differ by more, for the message of a failed check; empty if there is none.
    pub hint: &'static str,
}

/// The lower bound of a workload's cycles: the fewest cycles that a unit of its work can cost, the resource that sets
/// them, and the published figure that compares with it. Made by [`Workload::bound`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Name of the unit of work that the cycles are of, such as `word`. Every section does such a unit in these cycles.
    pub unit: &'static str,
    /// Fewest cycles of a unit of work; `None` where they depend on the input.
    pub cycles: Option<f64>,
    /// Name of the resource or rule that sets the bound, in a few words, such as `exchange slots`.
    pub rests_on: &'static str,
    /// Published number of cycles for a unit of work in a hand-made kernel; `None` if none was published.
    pub published: Option<u64>,
    /// Source of the published figures, of cycles or of others, a document and a place in it; `None` if none were published.
    pub source: Option<&'static str>,
    /// Words that say what is compared in the ratio of our cycles to the published ones, where the two kernels do not
    /// do quite the same, such as `any weights on both sides`.
    pub sides: Option<&'static str>,
}

impl Bound {
    /// Creates a bound of `cycles` cycles for a `unit` of work, set by the limit `rests_on`, beside which nothing was
    /// published.
    pub const fn new(unit: &'static str, cycles: f64, rests_on: &'static str) -> Self {
        Self { unit, cycles: Some(cycles), rests_on, published: None, source: None, sides: None }
    }

    /// Sets the published cycles for a unit, their source, and the words `sides` on what the two compared kernels do.
    /// Without published cycles the bound stays as it is.
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

/// The distance of a run's results from the reference, and whether it is tolerated: the outcome of the check of a
/// workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Distance of the results from the reference, measured and in the unit as [`Reference`] says.
    pub distance: f64,
    /// Number of vectors that were compared; 0 for results that are no vectors.
    pub vectors: usize,
    /// Whether the distance is within the tolerance, so that the check has passed.
    pub is_passed: bool,
    /// Numbers of denormals that CP2 took as zeros: in the input, and among the results.
    pub flushed: Flushed,
}

impl Deviation {
    /// Creates the deviation of results that are no vectors and have no flushed denormals. `distance` is measured as
    /// [`Reference`] says.
    pub fn new(distance: f64, is_passed: bool) -> Self {
        Self { distance, vectors: 0, is_passed, flushed: Flushed::default() }
    }
}

/// A request to a workload to run, which the caller of [`Workload::execute`] makes: values of its options, checked and
/// with defaults added, core or machine, and environment, recorder and keeper of the run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Values of the workload's options: those that the user gave, and defaults of the others.
    pub values: OptionValues,
    /// Core on which a kernel runs. Ignored if there is a machine, which has a core of its own.
    pub core: Core,
    /// Machine on which a procedure runs; `None` for a kernel on CP2 alone.
    pub machine: Option<MachineConfig>,
    /// Environment that assembles the programs and builds the engines of the run.
    pub environment: Environment,
    /// Recorder that writes a recording of the run; `None` if the run is not recorded.
    pub recorder: Option<Recorder>,
    /// Keeper that makes checkpoints of a procedure and may stop it; `None` if there are to be no checkpoints.
    pub keeper: Option<Arc<Keeper>>,
    /// Whether only the counts of the run are wanted, so that the workload simulates nothing else beside them for
    /// comparison.
    pub counts_only: bool,
}

impl Request {
    /// Returns the core on which the request is to run: that of the machine, or the request's own without a machine.
    pub fn core(&self) -> Core {
        self.machine.as_ref().map_or(self.core, |machine| *machine.core())
    }

    /// Returns the way in which the kernels of the workload run: environment, core, engine, limit of cycles, recorder
    /// and keeper.
    pub fn execution(&self) -> Execution {
        Execution {
            environment: self.environment.clone(),
            recorder: self.recorder.clone(),
            keeper: self.keeper.clone(),
            ..self.values.execution(self.core())
        }
    }

    /// Returns the machine on which a procedure is to run.
    ///
    /// # Errors
    /// [`RequestError::NoMachine`] if the request has no machine.
    pub fn machine(&self) -> Result<&MachineConfig, KernelError> {
        self.machine.as_ref().ok_or(KernelError::Request(RequestError::NoMachine))
    }
}

/// The results of a run of a workload, for its caller to print and to write to files. Made by [`Workload::execute`].
#[derive(Clone, Debug)]
pub struct WorkloadOutcome {
    /// The report for people, as text to be printed.
    pub text: String,
    /// The report for programs, as JSON.
    pub json: Value,
    /// Timeline of a procedure as a JSON document, if the request has the option `timeline-json`; `None` otherwise.
    pub timeline: Option<Value>,
    /// Cost of a procedure: timeline, transfers, operations; `None` for a kernel.
    pub cost: Option<Cost>,
    /// Whether the results are right.
    pub verdict: CheckVerdict,
}

/// The counts of a run of a workload without a report, which a sweep keeps of each of its runs: cycles, cost of a
/// procedure, and whether the check passed. Made by [`Workload::tally`].
#[derive(Clone, Debug)]
pub struct Tally {
    /// Number of cycles of CP2 that the whole run took.
    pub cycles: u64,
    /// Cost of a procedure: timeline, transfers, operations; `None` for a kernel.
    pub cost: Option<Cost>,
    /// Whether the results are right.
    pub verdict: CheckVerdict,
}

/// Verdict of the check of the results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckVerdict {
    /// Whether something compared the results: a reference, arrays that are expected, or a program that checks them.
    pub is_checked: bool,
    /// Message that says why the check of the results failed; `None` if it passed, or there was none.
    pub complaint: Option<String>,
}

impl CheckVerdict {
    /// Returns whether the results are right; `None` if nothing compared them.
    pub fn is_right(&self) -> Option<bool> {
        self.is_checked.then_some(self.complaint.is_none())
    }
}

impl fmt::Debug for dyn Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workload").field("name", &self.about().name).finish_non_exhaustive()
    }
}

/// A workload of any kind, kernel or procedure: what it is, what it takes, and how it is run and checked.
pub trait Workload: Send + Sync {
    /// Returns the description of the workload.
    fn about(&self) -> About;

    /// Returns the extensions of the architecture that the workload needs; empty if it runs without any.
    fn needs(&self) -> Vec<Switch>;

    /// Returns the extensions about which the workload asks the machine, beyond those that it needs: the keys of their flags in
    /// machine files. On two machines that differ in other flags alone it makes the same programs and takes the same cycles, so
    /// one run tells both. `None` if nobody has worked them out: the workload may ask about any.
    fn asks(&self) -> Option<&'static [Key]> {
        None
    }

    /// Returns the variants of the workload: workloads that compute the same from the same options by other programs, this
    /// one among them, each with extensions that it needs. Empty if there is no other than this one.
    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        Vec::new()
    }

    /// Returns the paths of the user's files from which the workload was read, so that nothing is written in their
    /// place; empty for a workload that comes with the program.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns an XXH64 digest of the texts and arrays that the workload itself holds, beside the values of its options,
    /// because it was read from a user's files; 0 for a workload that comes with the program.
    fn digest(&self) -> u64 {
        0
    }

    /// Returns all options that the workload takes, those that every workload takes included.
    fn option_list(&self) -> Vec<WorkloadOption>;

    /// Returns the fewest cycles that a unit of the workload's work can cost on a core.
    ///
    /// # Errors
    /// The bound cannot be computed for this core, for instance because a kernel does not assemble for it.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Returns the assembly text of the workload's kernel for a core.
    ///
    /// # Errors
    /// The workload is a procedure or makes its code for each input, so that it has no text ([`RequestError`]), or the
    /// text cannot be made for this core.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Runs the workload from its inputs to a report. `listener` is told how far the run is, and gets the array of
    /// results if the request asks for it (`--output`).
    ///
    /// # Errors
    /// The inputs do not fit the workload, or a fault, a limit or a stop keeps the run from its end. A failed check is
    /// no error: the [`WorkloadOutcome`] tells it.
    fn execute(
        &self,
        request: Request,
        listener: &mut dyn Listener,
    ) -> Result<WorkloadOutcome, KernelError>;

    /// Runs the workload as [`Workload::execute`] does, and returns only its counts, without a report.
    ///
    /// # Errors
    /// The same errors as of [`Workload::execute`].
    fn tally(&self, request: Request) -> Result<Tally, KernelError>;

    /// Returns the tag that the workload's JSON report has in its field `schema`. Workloads with the same tag have the
    /// same schema.
    fn tag(&self) -> &'static str;

    /// Returns the JSON schema of the workload's JSON report. `names` are the names of all workloads whose reports have
    /// this schema.
    fn schema(&self, names: &[String]) -> Value;
}
