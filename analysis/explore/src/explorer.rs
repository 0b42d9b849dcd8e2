//! The explorer: a text assembled, scheduled, run and explained for a page, one stage after the other.

use crate::arguments::{Given, given};
use crate::cases::{all_findings, cases_json, chosen, core_of};
use crate::findings::findings;
use crate::places::words;
use crate::running::{RecordedRun, RunLimits, record};
use crate::schedule::{ProgramLines, bundles, promises, regions};
use crate::wish::{ExploreWish, MachineWish};
use cp2_asm::cases::{TextCase, case_begins};
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_asm::sched::Interrupt;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_session::arrays::ArrayRequest;
use cp2_session::{Environment, Prepared, Program, ProgramError};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Most runs that are kept, so that any of their cycles can be asked for.
const KEPT: usize = 6;

/// Surroundings of an explorer: files and machines of whoever starts it.
pub trait ExplorerHost: Send + Sync {
    /// Returns the machine of a wish, if it names one, and its core.
    ///
    /// # Errors
    /// A sentence that says why there is no such machine.
    fn machine(&self, wish: &MachineWish) -> Result<(Option<MachineConfig>, Core), String>;

    /// Returns name and text of a file that the file `from` includes.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    fn include(&self, from: &str, name: &str) -> Result<(String, String), String>;

    /// Returns the text of the file that is explored; `None` if it is not there.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    fn read(&self) -> Result<Option<String>, String>;

    /// Writes the file that is explored, whole or not at all.
    ///
    /// # Errors
    /// A sentence that says why it cannot be written.
    fn write(&self, text: &str) -> Result<(), String>;
}

/// Begin of an explorer: what is explored, and how it runs.
#[derive(Clone, Debug)]
pub struct ExplorerStart {
    /// Name of the file; `None` for a text that is in no file, which cannot be saved.
    pub file: Option<String>,
    /// Text that a page begins with.
    pub text: String,
    /// Machine that a page begins with.
    pub on: MachineWish,
    /// Names of the machines that a page offers; CP2 alone is offered always.
    pub machines: Vec<String>,
    /// Arguments and arrays of the command line.
    pub arrays: ArrayRequest,
    /// State of registers and memory before a run, in the form of state files.
    pub state: Option<Value>,
    /// Place at which runs start; `None` for the first kernel.
    pub entry: Option<String>,
    /// Number of cycles after which a run is ended.
    pub max_cycles: u64,
}

/// The reason why an explorer does not start.
#[derive(Debug)]
pub enum ExploreError {
    /// The port cannot be had; a sentence says why, and what to do.
    Port(String),
    /// The system gives no threads or no random numbers.
    System(std::io::Error),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(sentence) => f.write_str(sentence),
            Self::System(error) => write!(f, "the explorer cannot start: {error}"),
        }
    }
}

impl std::error::Error for ExploreError {}

/// Findings of a program with the texts that they point into.
type Found = (Vec<Diagnostic>, Sources);

/// A run that is kept for questions about its cycles.
type KeptRun = Arc<Mutex<RecordedRun>>;

/// Explorer of texts: answers what pages ask, from several threads at once.
pub struct Explorer {
    start: ExplorerStart,
    host: Box<dyn ExplorerHost>,
    environment: Environment,
    /// Last runs, each with the wish that it answered, the newest first.
    kept: Mutex<VecDeque<(ExploreWish, KeptRun)>>,
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explorer").field("start", &self.start).finish_non_exhaustive()
    }
}

impl Explorer {
    /// Creates an explorer.
    pub fn new(
        start: ExplorerStart,
        host: Box<dyn ExplorerHost>,
        environment: Environment,
    ) -> Self {
        Self { start, host, environment, kept: Mutex::default() }
    }

    pub(crate) fn start(&self) -> &ExplorerStart {
        &self.start
    }

    pub(crate) fn host(&self) -> &dyn ExplorerHost {
        &*self.host
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the wish of a page that has just been opened.
    pub fn first_wish(&self) -> ExploreWish {
        let ExplorerStart { text, on, .. } = &self.start;
        ExploreWish { text: text.clone(), on: on.clone(), ..ExploreWish::default() }
    }

    /// Explores a text; each stage is told as it is known. Ends early where nobody wants to know any more.
    pub fn explore(&self, wish: &ExploreWish, interrupt: &Interrupt, tell: &mut dyn FnMut(Value)) {
        tell(json!({ "stage": "words", "words": words(&wish.text) }));
        let error = |message: String| json!({ "stage": "refused", "message": message });
        let machine = self.allowed(&wish.on).and_then(|()| self.host.machine(&wish.on));
        let (config, core) = match machine {
            Ok(machine) => machine,
            Err(message) => return tell(error(message)),
        };
        let cases = TextCase::of_test(&self.name(), &wish.text).unwrap_or_default();
        let case = chosen(&cases, wish);
        let core = self.core_of(wish, (core, case));
        let made = self.assembled_texts(&core, (&wish.text, case), interrupt);
        let elsewhere = self.findings_elsewhere(&core, (&wish.text, &cases), case, interrupt);
        // The schedules may have been broken off.
        if interrupt.is_raised() {
            return;
        }
        let elsewhere: Vec<Value> = elsewhere
            .iter()
            .flat_map(|(found, sources)| findings(found, sources, &wish.text))
            .collect();
        let with_cases = |mut stage: Value, mut found: Vec<Value>| {
            // Cases share lines.
            found.extend(
                elsewhere.into_iter().filter(|other| !found.contains(other)).collect::<Vec<_>>(),
            );
            stage["findings"] = found.into();
            if !cases.is_empty() {
                stage["cases"] = cases_json(&cases, case);
            }
            stage
        };
        let program = match made {
            Ok(program) => program,
            Err(ProgramError::Refused(refusal)) => {
                let found = findings(&refusal.diagnostics, &refusal.sources, &wish.text);
                let stage = json!({ "stage": "findings", "assembled": false });
                return tell(with_cases(stage, found));
            }
            Err(other) => return tell(error(other.to_string())),
        };
        let found = findings(&all_findings(&program, &core), program.sources(), &wish.text);
        tell(with_cases(told_of_program(&program, &core), found));
        if interrupt.is_raised() {
            return;
        }
        let limits = RunLimits { max_cycles: self.start.max_cycles, interrupt };
        tell(self.run(wish, &program, config.as_ref(), &limits));
        if interrupt.is_raised() {
            return;
        }
        self.compare(wish, &limits, tell);
        if !interrupt.is_raised() && !program.regions().is_empty() {
            let environment = self.environment.clone().with_interrupt(interrupt);
            let tried = promises(&environment, &core, program.regions());
            tell(json!({ "stage": "promises", "regions": tried }));
        }
    }

    /// Refuses a machine that the page was not offered: a name from outside names no file.
    fn allowed(&self, wish: &MachineWish) -> Result<(), String> {
        let is_known = wish.machine.is_empty() || self.start.machines.contains(&wish.machine);
        match is_known {
            true => Ok(()),
            false => Err(format!(
                "`{}` is none of the machines of this explorer, which are {}",
                wish.machine,
                self.start.machines.join(", ")
            )),
        }
    }

    /// Returns the findings of the cases of a text that are not shown.
    fn findings_elsewhere(
        &self,
        core: &Core,
        (text, cases): (&str, &[TextCase<'_>]),
        shown: Option<&TextCase<'_>>,
        interrupt: &Interrupt,
    ) -> Vec<Found> {
        let others = cases.iter().filter(|case| Some(*case) != shown);
        let others = others.take_while(|_| !interrupt.is_raised());
        others
            .map(|case| {
                let core = core_of(text, case).unwrap_or(*core);
                match self.assembled_texts(&core, (text, Some(case)), interrupt) {
                    Ok(program) => (all_findings(&program, &core), program.sources().clone()),
                    Err(ProgramError::Refused(refusal)) => (refusal.diagnostics, refusal.sources),
                    Err(_) => (Vec::new(), Sources::default()),
                }
            })
            .collect()
    }

    fn name(&self) -> String {
        self.start.file.clone().unwrap_or_else(|| "source".to_owned())
    }

    /// Returns the core for a case of a file test: that which it asks for, unless the page asks for another machine than it began with.
    fn core_of(&self, wish: &ExploreWish, (core, case): (Core, Option<&TextCase<'_>>)) -> Core {
        let is_first = wish.on == self.start.on;
        let own = case.filter(|_| is_first).and_then(|case| core_of(&wish.text, case));
        own.unwrap_or(core)
    }

    /// Assembles the text of a wish, or the case of it that the wish is about.
    pub(crate) fn assembled(
        &self,
        core: &Core,
        wish: &ExploreWish,
        interrupt: &Interrupt,
    ) -> Result<Program, ProgramError> {
        let cases = TextCase::of_test(&self.name(), &wish.text).unwrap_or_default();
        let case = chosen(&cases, wish);
        let core = self.core_of(wish, (*core, case));
        self.assembled_texts(&core, (&wish.text, case), interrupt)
    }

    /// Assembles a text, or a case of it.
    pub(crate) fn assembled_texts(
        &self,
        core: &Core,
        (text, case): (&str, Option<&TextCase<'_>>),
        interrupt: &Interrupt,
    ) -> Result<Program, ProgramError> {
        let environment = self.environment.clone().with_interrupt(interrupt);
        let name = self.name();
        let own = self.start.file.clone().unwrap_or_default();
        let loader = &mut |from: &str, included: &str| match case.and_then(|c| c.part(included)) {
            Some(part) => Ok(part.clone()),
            None => self.host.include(if from.is_empty() { &own } else { from }, included),
        };
        let texts = match case {
            Some(case) => case.roots(),
            None => vec![(name.clone(), text.to_owned())],
        };
        let program = Program::from_sources(&environment, core, texts, loader)?;
        program.with_bundles(&name)
    }

    /// Makes a program ready for a run; with it comes what is told of its arguments.
    pub(crate) fn prepared<'p>(
        &self,
        program: &'p Program,
        config: Option<&MachineConfig>,
        arguments: &[(String, String)],
    ) -> Result<(Prepared<'p>, Value), String> {
        let ExplorerStart { arrays, state, entry, .. } = &self.start;
        let entry = program.entry(entry.as_deref()).map_err(|e| e.to_string())?;
        let begun = || {
            let mut prepared = Prepared::new(program, config, entry, None);
            if let Some(state) = state {
                prepared.set_state(state).map_err(|e| e.to_string())?;
            }
            Ok::<_, String>(prepared)
        };
        let Given { request, mut told, is_free } = given(program.image(), entry, arrays, arguments);
        let mut prepared = begun()?;
        prepared.give(&request, true).map_err(|error| error.to_string())?;
        // `cp2 run` would not begin where something lacks; the page says so and runs all the same, for its cycles are worth seeing.
        if is_free && !arrays.is_set {
            let strict = ArrayRequest { is_set: false, ..request };
            told["refused"] = begun()?.give(&strict, false).err().map(|e| e.to_string()).into();
        }
        Ok((prepared, told))
    }

    fn run(
        &self,
        wish: &ExploreWish,
        program: &Program,
        config: Option<&MachineConfig>,
        limits: &RunLimits<'_>,
    ) -> Value {
        let prepared = self.prepared(program, config, &wish.arguments);
        let arguments = match prepared {
            Ok((_, told)) => told,
            Err(_) => {
                let entry = program.entry(self.start.entry.as_deref());
                let of = |entry| given(program.image(), entry, &self.start.arrays, &wish.arguments);
                entry.map_or(Value::Null, |entry| of(entry).told)
            }
        };
        let run = self.recorded(wish, program, config, limits).and_then(|run| {
            run.lock().unwrap_or_else(PoisonError::into_inner).summary(limits.max_cycles)
        });
        match run {
            Ok(run) => json!({ "stage": "run", "run": run, "arguments": arguments }),
            Err(error) => json!({ "stage": "run", "error": error, "arguments": arguments }),
        }
    }

    /// Runs a program and keeps the run, or returns the one that is kept.
    fn recorded(
        &self,
        wish: &ExploreWish,
        program: &Program,
        config: Option<&MachineConfig>,
        limits: &RunLimits<'_>,
    ) -> Result<KeptRun, String> {
        let key = run_key(wish);
        if let Some(run) = self.kept_run(&key) {
            return Ok(run);
        }
        let (prepared, _) = self.prepared(program, config, &wish.arguments)?;
        let run = record(&self.environment, program, (prepared, config), limits)?;
        if limits.interrupt.is_raised() {
            return Err("the page wants to know something else by now".to_owned());
        }
        let run = Arc::new(Mutex::new(run));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, Arc::clone(&run)));
        kept.truncate(KEPT);
        Ok(run)
    }

    fn kept_run(&self, key: &ExploreWish) -> Option<KeptRun> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == key).map(|(_, run)| Arc::clone(run))
    }

    /// Returns the run of a wish, made anew if it is not kept any more.
    fn run_of(&self, wish: &ExploreWish, interrupt: &Interrupt) -> Result<KeptRun, String> {
        if let Some(run) = self.kept_run(&run_key(wish)) {
            return Ok(run);
        }
        self.allowed(&wish.on)?;
        let (config, core) = self.host.machine(&wish.on)?;
        let program = self.assembled(&core, wish, interrupt).map_err(|error| error.to_string())?;
        let limits = RunLimits { max_cycles: self.start.max_cycles, interrupt };
        self.recorded(wish, &program, config.as_ref(), &limits)
    }

    /// Returns what a page shows of a cycle of the run of a wish: why it is as it is, registers, operations under way.
    ///
    /// # Errors
    /// A sentence that says why it cannot be told.
    pub fn cycle(
        &self,
        wish: &ExploreWish,
        cycle: u64,
        interrupt: &Interrupt,
    ) -> Result<Value, String> {
        let run = self.run_of(wish, interrupt)?;
        run.lock().unwrap_or_else(PoisonError::into_inner).moment(cycle)
    }

    /// Returns cycles of the run of a wish one by one, from a cycle on.
    ///
    /// # Errors
    /// A sentence that says why they cannot be told.
    pub fn window(
        &self,
        wish: &ExploreWish,
        begin: u64,
        interrupt: &Interrupt,
    ) -> Result<Value, String> {
        let run = self.run_of(wish, interrupt)?;
        run.lock().unwrap_or_else(PoisonError::into_inner).window(begin)
    }
}

/// Returns the part of a wish on which its run depends.
fn run_key(wish: &ExploreWish) -> ExploreWish {
    let ExploreWish { text, on, arguments, line, .. } = wish.clone();
    let cases = case_begins(&text);
    // Of all lines of a case one stands for it; of a text that is no file test none matters.
    let line = cases.iter().rev().find(|begin| **begin < line as usize);
    let line = line.or(cases.first()).map_or(0, |begin| *begin as u32 + 1);
    ExploreWish { text, on, arguments, line, ..ExploreWish::default() }
}

/// Returns bundles and schedules of a program.
fn told_of_program(program: &Program, core: &Core) -> Value {
    let (image, sources) = (program.image(), program.sources());
    let lines = ProgramLines::new(image, core, sources);
    let changes = if *core == Core::CP2 { Vec::new() } else { core.changes() };
    json!({
        "stage": "findings",
        "assembled": true,
        "core": changes,
        "program": bundles(&lines, core),
        "regions": regions(program.regions(), sources),
        "included": included(sources),
    })
}

/// Returns the names of the files that the text includes.
fn included(sources: &Sources) -> Vec<&str> {
    sources.names().skip(1).collect()
}
