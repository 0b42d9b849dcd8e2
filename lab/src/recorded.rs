//! Runs of workloads, recorded in memory so that they can be accounted for and compared line by line.

use crate::inputs::LabError;
use cp2_analysis::accounting::Account;
use cp2_analysis::program::NamedProgram;
use cp2_asm::image::Image;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_recording::{Header, Recorder, Recording};
use cp2_session::cost::Cost;
use cp2_session::workload::{Done, OptionValue, OptionValues, Platform, Request, Workload};
use cp2_session::{Engine, Environment, recorded};
use cp2_workloads::catalogue;
use std::fmt::Display;
use std::hash::Hasher as _;
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Workload with its options and the machine that it is to run on; CP2 alone if there is none.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of the workload in the catalogue.
    pub name: String,
    /// Options of the workload, defaults added.
    pub values: OptionValues,
    /// Machine of a procedure; none for a kernel on CP2 alone.
    pub machine: Option<MachineConfig>,
    /// Core of a kernel, or that of the machine.
    pub core: Core,
    /// Environment in which programs are made and run; what was found of a machine is known to the next run.
    pub environment: Environment,
}

impl Subject {
    /// Creates a workload with the defaults of its options.
    ///
    /// # Errors
    /// There is no workload of this name on this platform.
    pub fn usual(name: &str, machine: Option<MachineConfig>, core: Core) -> Result<Self, LabError> {
        let (values, environment) = (OptionValues::default(), Environment::new());
        let subject = Self { name: name.to_owned(), values, machine, core, environment };
        let mut values = OptionValues::default();
        values.add_defaults(&subject.workload()?.option_list());
        Ok(Self { values, ..subject })
    }

    /// Creates a procedure with some of its options, on a machine.
    ///
    /// # Errors
    /// There is no procedure of this name.
    pub fn procedure(
        name: &str,
        config: MachineConfig,
        options: &[(&'static str, OptionValue)],
    ) -> Result<Self, LabError> {
        let core = *config.core();
        let mut subject = Self::usual(name, Some(config), core)?;
        options.iter().for_each(|(name, value)| subject.values.set(name, value.clone()));
        Ok(subject)
    }

    /// Returns the workload with its options on another machine.
    pub fn with_machine(&self, machine: Option<MachineConfig>, core: Core) -> Self {
        Self { machine, core, ..self.clone() }
    }

    fn workload(&self) -> Result<Box<dyn Workload>, LabError> {
        let platform = if self.machine.is_some() { Platform::Machine } else { Platform::Cp2 };
        catalogue::find(platform, &self.name).ok_or_else(|| {
            let names: Vec<String> =
                catalogue::workloads(platform).into_iter().map(|w| w.about().name).collect();
            let near = crate::key::nearest(&self.name, names.iter().map(String::as_str));
            let what = if self.machine.is_some() { "procedure" } else { "kernel" };
            LabError(format!("there is no {what} `{}`; the nearest is {near}", self.name))
        })
    }

    /// Returns the request that runs the workload.
    pub fn request(&self) -> Request {
        let Self { values, machine, core, environment, .. } = self.clone();
        Request { values, core, machine, environment, ..Request::default() }
    }

    fn failed(&self, e: &dyn Display) -> LabError {
        LabError(format!("{}: {e}", self.name))
    }

    /// Runs the workload, unrecorded.
    ///
    /// # Errors
    /// The run does not come to its end.
    pub fn run(&self) -> Result<Done, LabError> {
        self.execute(None)
    }

    /// Runs the workload, unrecorded, and refuses a wrong result: that has no time worth telling.
    ///
    /// # Errors
    /// The run does not come to its end, or the check of its result failed.
    pub fn run_right(&self) -> Result<Done, LabError> {
        let done = self.run()?;
        self.is_right(&done)?;
        Ok(done)
    }

    /// Runs a procedure whose result has to be right, and returns its cost.
    ///
    /// # Errors
    /// See [`Subject::run_right`]; a kernel on CP2 alone.
    pub fn cost(&self) -> Result<Cost, LabError> {
        let cost = self.run_right()?.cost;
        cost.ok_or_else(|| LabError(format!("{} runs on CP2 alone", self.name)))
    }

    fn is_right(&self, done: &Done) -> Result<(), LabError> {
        done.complaint.as_ref().map_or(Ok(()), |complaint| Err(self.failed(complaint)))
    }

    fn execute(&self, recorder: Option<Recorder>) -> Result<Done, LabError> {
        let request = Request { recorder, ..self.request() };
        let done = self.workload()?.execute(request, &mut |_: usize, _: usize| {});
        done.map_err(|e| self.failed(&e))
    }

    /// Runs and records the workload; its result has to be right.
    ///
    /// # Errors
    /// See [`Subject::run_right`].
    pub fn record_right(&self) -> Result<RecordedWorkload, LabError> {
        let recorded = self.record()?;
        self.is_right(&recorded.done)?;
        Ok(recorded)
    }

    /// Runs and records the workload.
    ///
    /// # Errors
    /// The run does not come to its end.
    pub fn record(&self) -> Result<RecordedWorkload, LabError> {
        let tape = Tape::default();
        let header = Header {
            cp2: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.name.clone(),
            machine: self.machine.as_ref().map(MachineConfig::dump),
            core: *self.core.numbers(),
            inputs: Vec::new(),
        };
        let recorder = Recorder::new(Box::new(tape.clone()), &header);
        let recorder = recorder.map_err(|e| self.failed(&e))?;
        let done = self.execute(Some(recorder.clone()))?;
        recorder.finish().map_err(|e| self.failed(&e))?;
        let bytes = tape.take();
        let opened =
            Recording::open(Cursor::new(bytes), self.environment.engine(Engine::default()));
        let mut recording = opened.map_err(|e| self.failed(&e))?;
        let known = recorded::of(&mut recording).map_err(|e| self.failed(&e))?;
        let image = known.image;
        Ok(RecordedWorkload { recording, image, core: self.core, done })
    }
}

/// Run of a workload that was recorded.
#[derive(Debug)]
pub struct RecordedWorkload {
    /// Recording of the run.
    pub recording: Recording,
    /// Program of the run.
    pub image: Image,
    /// Core that the program ran on.
    pub core: Core,
    /// Report of the workload.
    pub done: Done,
}

impl RecordedWorkload {
    /// Accounts for every cycle of the run.
    ///
    /// # Errors
    /// The sums of the account do not come out.
    pub fn account(&mut self) -> Result<Account, LabError> {
        let program = NamedProgram::new(&self.image, &self.core);
        Account::of(&mut self.recording, &program).map_err(|e| LabError(e.to_string()))
    }

    /// Returns the XXH64 of what instruction memory holds at the end, 16 hexadecimal digits.
    pub fn program_hash(&self) -> String {
        let mut hash = twox_hash::XxHash64::with_seed(0);
        let words = self.image.kernels.iter().flat_map(|kernel| &kernel.words);
        words.for_each(|word| hash.write(&word.to_be_bytes()));
        format!("{:016x}", hash.finish())
    }
}

/// Bytes in memory that a recorder writes.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<Vec<u8>>>);

impl Tape {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
