//! Runs of workloads: a workload with its options and machine, run as it is or recorded in memory, so that its cycles
//! can be accounted for and compared line by line.

use crate::inputs::LabError;
use crate::library;
use cp2_analysis::accounting::{Account, AccountError};
use cp2_analysis::events::EventsByLine;
use cp2_analysis::program::{NamedProgram, ProgramInCycles};
use cp2_asm::diagnostic::Sources;
use cp2_asm::image::Image;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::recorded::{self, RecordedPrograms};
use cp2_session::workload::{
    BestVariant, OptionValue, OptionValues, Platform, Request, Workload, WorkloadOutcome,
    best_variant,
};
use cp2_session::{Engine, Environment, ErrorKind, ProgramError};
use std::fmt::Display;
use std::hash::Hasher as _;
use std::io::Cursor;
use std::sync::Arc;

/// A workload that is ready to be run: a kernel or procedure with its options, on a machine or on CP2 alone, in an
/// environment, which assembles programs and builds engines.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Workload that is run, a kernel or a procedure.
    pub workload: Arc<dyn Workload>,
    /// Values of the options of the workload, defaults included.
    pub values: OptionValues,
    /// Machine on which a procedure runs; `None` for a kernel, which runs on CP2 alone.
    pub machine: Option<MachineConfig>,
    /// Description of the CP2 (sizes and latencies) on which the workload runs; with a machine the CP2 of that machine.
    pub core: Core,
    /// Whether the workload itself is run; if not, the best of its variants is where a study asks for it
    /// ([`Subject::best`]).
    pub is_alone: bool,
    /// Environment that assembles the programs of the workload and builds the engines that run them; if it has a store,
    /// schedules and assembled programs are kept there.
    pub environment: Environment,
}

impl Subject {
    /// Creates a subject with the defaults of all options. `machine` is the machine of a procedure, `None` for a kernel
    /// on CP2 alone, a CP2 with the sizes and latencies of `core`.
    pub fn new(workload: Arc<dyn Workload>, machine: Option<MachineConfig>, core: Core) -> Self {
        let mut values = OptionValues::default();
        values.add_defaults(&workload.option_list());
        let (is_alone, environment) = (false, Environment::new());
        Self { workload, values, machine, core, is_alone, environment }
    }

    /// Creates a subject with the defaults of all options from a workload of the catalogue: the procedure `name` if
    /// `machine` is given, else the kernel `name` on CP2 alone, a CP2 with the sizes and latencies of `core`.
    ///
    /// # Errors
    /// There is no procedure or kernel of this name; the message names the nearest.
    pub fn named(name: &str, machine: Option<MachineConfig>, core: Core) -> Result<Self, LabError> {
        let platform = if machine.is_some() { Platform::Machine } else { Platform::Cp2 };
        Ok(Self::new(library::find(platform, name, &mut |_, _| None)?, machine, core))
    }

    /// Creates a subject from a procedure of the catalogue on the machine `config`. `options` are pairs of the name and
    /// the value of an option; all others have their defaults.
    ///
    /// # Errors
    /// There is no procedure of this name; the message names the nearest.
    pub fn procedure(
        name: &str,
        config: MachineConfig,
        options: &[(&'static str, OptionValue)],
    ) -> Result<Self, LabError> {
        let core = *config.core();
        let mut subject = Self::named(name, Some(config), core)?;
        options.iter().for_each(|(name, value)| subject.values.set(name, value.clone()));
        Ok(subject)
    }

    /// Returns the subject with the same workload and options on another machine and core; `machine` is `None` for a
    /// kernel on CP2 alone.
    pub fn with_machine(&self, machine: Option<MachineConfig>, core: Core) -> Self {
        Self { machine, core, ..self.clone() }
    }

    /// Returns the subject with the variant of its workload that takes the fewest cycles on its machine, and how it was
    /// chosen ([`best_variant`]). A subject that is alone stays as it is.
    ///
    /// # Errors
    /// No variant can be run on the machine.
    pub fn best(&self) -> Result<(Self, BestVariant), LabError> {
        let best = match self.is_alone {
            true => BestVariant { workload: self.workload.clone(), tally: None, tried: Vec::new() },
            false => best_variant(&self.workload, &self.request()).map_err(|e| self.ended(&e))?,
        };
        Ok((Self { workload: best.workload.clone(), ..self.clone() }, best))
    }

    /// Returns the name of the workload.
    pub fn name(&self) -> String {
        self.workload.about().name
    }

    /// Returns the request that asks for one unrecorded run of the workload: options, machine, core and environment.
    pub fn request(&self) -> Request {
        let Self { values, machine, core, environment, .. } = self.clone();
        Request { values, core, machine, environment, ..Request::default() }
    }

    fn failed(&self, e: &dyn Display) -> LabError {
        LabError::new(format!("{}: {e}", self.name()))
    }

    /// Returns the error that a run did not come to its end, of the kind of its cause.
    fn ended(&self, error: &KernelError) -> LabError {
        if let KernelError::Program(refused) = error
            && matches!(**refused, ProgramError::Refused(_))
        {
            return LabError::of_diagnostics(error.to_string());
        }
        self.failed(error).with_kind(error.kind())
    }

    /// Runs the workload, and returns its results and cost whether or not the check of the results against their
    /// reference failed.
    ///
    /// # Errors
    /// The run does not come to its end.
    pub fn run(&self) -> Result<WorkloadOutcome, LabError> {
        self.execute(None)
    }

    /// Runs the workload, and returns its results and cost. The results have to be right: the time of a wrong result is
    /// worth nothing.
    ///
    /// # Errors
    /// The run does not come to its end, or the check of its results against their reference failed.
    pub fn run_verified(&self) -> Result<WorkloadOutcome, LabError> {
        let outcome = self.run()?;
        self.is_right(&outcome)?;
        Ok(outcome)
    }

    /// Runs a procedure, whose results have to be right, and returns its cost: cycles, transfers, operations,
    /// activities.
    ///
    /// # Errors
    /// See [`Subject::run_verified`]; or the subject is a kernel on CP2 alone.
    pub fn cost(&self) -> Result<Cost, LabError> {
        let cost = self.run_verified()?.cost;
        cost.ok_or_else(|| LabError::new(format!("{} runs on CP2 alone", self.name())))
    }

    fn is_right(&self, outcome: &WorkloadOutcome) -> Result<(), LabError> {
        match &outcome.verdict.complaint {
            Some(complaint) => Err(self.failed(complaint).with_kind(ErrorKind::Check)),
            None => Ok(()),
        }
    }

    fn execute(&self, recorder: Option<Recorder>) -> Result<WorkloadOutcome, LabError> {
        let request = Request { recorder, ..self.request() };
        let outcome = self.workload.execute(request, &mut |_: usize, _: usize| {});
        let outcome = outcome.map_err(|e| self.ended(&e))?;
        match &outcome.verdict.complaint {
            // The check itself could not be made.
            Some(complaint) if !outcome.verdict.is_checked => {
                Err(self.failed(complaint).with_kind(ErrorKind::Check))
            }
            _ => Ok(outcome),
        }
    }

    /// Runs the workload, records every cycle of the run in memory, and returns recording, program and results; the
    /// results have to be right.
    ///
    /// # Errors
    /// See [`Subject::run_verified`]; or the recording cannot be made.
    pub fn record_right(&self) -> Result<RecordedWorkload, LabError> {
        let recorded = self.record()?;
        self.is_right(&recorded.outcome)?;
        Ok(recorded)
    }

    /// Runs the workload, records every cycle of the run in memory, and returns recording, program and results, whether
    /// or not the check of these failed.
    ///
    /// # Errors
    /// The run does not come to its end, the recording cannot be made, or a check cannot be made.
    pub fn record(&self) -> Result<RecordedWorkload, LabError> {
        let tape = RecordingInMemory::default();
        let header = Header {
            cp2: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.name(),
            machine: self.machine.as_ref().map(MachineConfig::dump),
            core: *self.core.numbers(),
            inputs: Vec::new(),
        };
        let recorder = Recorder::new(Box::new(tape.clone()), &header);
        let recorder = recorder.map_err(|e| self.failed(&e))?;
        let outcome = self.execute(Some(recorder.clone()))?;
        recorder.finish().map_err(|e| self.failed(&e))?;
        let bytes = tape.take();
        let opened =
            Recording::open(Cursor::new(bytes), self.environment.engine(Engine::default()));
        let mut recording = opened.map_err(|e| self.failed(&e))?;
        let known = recorded::of(&mut recording).map_err(|e| self.failed(&e))?;
        let RecordedPrograms { image, sources } = known;
        Ok(RecordedWorkload { recording, image, sources, core: self.core, outcome })
    }
}

/// A run of a workload that [`Subject::record`] recorded: its recording, program and results.
#[derive(Debug)]
pub struct RecordedWorkload {
    /// Recording of the run, from which every cycle can be made again.
    pub recording: Recording,
    /// Assembled program of the run: the bundles of all its kernels.
    pub image: Image,
    /// Texts of the source files of the program.
    pub sources: Sources,
    /// Description of the CP2 (sizes and latencies) on which the program ran.
    pub core: Core,
    /// Results of the run: reports, cost, and the reason why the check failed, if it did.
    pub outcome: WorkloadOutcome,
}

impl RecordedWorkload {
    /// Returns the account of the recorded run: the number of its cycles for each cause, such as issue or a hold, and
    /// of those of the channel.
    ///
    /// # Errors
    /// The recording cannot be read, or the sums of the account do not agree.
    pub fn account(&mut self) -> Result<Account, LabError> {
        self.with_programs(Account::of_programs)
    }

    /// Returns the events of the recorded run by source line, from which energies are computed.
    ///
    /// # Errors
    /// The recording cannot be read, or the events of the lines are not those of the run.
    pub fn events(&mut self) -> Result<EventsByLine, LabError> {
        self.with_programs(EventsByLine::of)
    }

    /// Calls a function with the recording and the programs that took turns in instruction memory.
    fn with_programs<T>(
        &mut self,
        of: impl FnOnce(&mut Recording, &[ProgramInCycles<'_>]) -> Result<T, AccountError>,
    ) -> Result<T, LabError> {
        let names =
            recorded::by_code(&mut self.recording).map_err(|e| LabError::new(e.to_string()))?;
        let images = names.iter().map(|names| &names.programs.image);
        let programs: Vec<_> = images.map(|image| NamedProgram::new(image, &self.core)).collect();
        let cycles = names.iter().map(|names| names.cycles.clone());
        let programs: Vec<_> = programs.iter().zip(cycles).collect();
        of(&mut self.recording, &programs).map_err(|e| LabError::new(e.to_string()))
    }

    /// Returns the hash XXH64 (seed 0) of the bundles of the program's kernels, as 16 hexadecimal digits: runs of the
    /// same program have the same.
    pub fn program_hash(&self) -> String {
        let mut hash = twox_hash::XxHash64::with_seed(0);
        let words = self.image.kernels.iter().flat_map(|kernel| &kernel.words);
        words.for_each(|word| hash.write(&word.to_be_bytes()));
        format!("{:016x}", hash.finish())
    }
}
