//! The debugger: a recorded run at a cycle, steps and searches from there in both directions, breakpoints.

mod ending;
mod search;
mod steps;

pub(crate) use ending::FAULT_WORD;

use crate::breakpoint::{BreakPlace, Breakpoint};
use crate::condition::ValueCondition;
use crate::error::DebugError;
use crate::place::{StopPlace, bundle_of_label, bundles_by_line, lines_of, operations_text};
use cp2_analysis::arrays::KernelWords;
use cp2_analysis::history::{History, SegmentCycle};
use cp2_asm::diagnostic::Sources;
use cp2_asm::image::Image;
use cp2_asm::sites::BundleNames;
use cp2_emu::state::State;
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Core, Cycle};
use cp2_recording::{RecordedEnd, Recording, Write};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Run that is debugged: its recording, and the programs that took turns in instruction memory.
pub struct DebuggedRun {
    /// The recording of the run.
    pub recording: Recording,
    /// Programs, each with the cycles in which it was in instruction memory.
    pub programs: Vec<(Image, Vec<Range<Cycle>>)>,
    /// Texts of the source files that are at hand.
    pub sources: Sources,
}

/// Direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeDirection {
    /// Towards the end of the run.
    Forward,
    /// Towards its begin.
    Back,
}

/// Unit of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUnit {
    /// A bundle that issues.
    Bundle,
    /// A bundle that issues with an operation other than `nop`.
    Operation,
    /// A turn of the innermost hardware loop: its first bundle issues again, or a bundle behind it.
    Iteration,
}

/// Reason for which a run stands where it does.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// A step has ended, or the cycle was gone to.
    Step,
    /// Breakpoints with these numbers.
    Breakpoints(Vec<u32>),
    /// A register or word that the breakpoint with this number watches was written; going back, it is about to be.
    Written(u32, Box<Write>),
    /// The run begins here.
    Begin,
    /// The run ends here: with a `stop`, or in the drain behind its last bundle.
    End,
    /// The bundle of the cycle has no meaning, and the run ends here; the sentence says why.
    Fault(String),
    /// The run was ended here before its `stop`; the sentence says by what.
    Cut(String),
}

/// Stop of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStop {
    /// Reason of the stop.
    pub reason: StopReason,
    /// Place of the stop.
    pub place: StopPlace,
    /// Numbers of all breakpoints that the run has come to, in the order in which they were set: one that watches a write and one of a
    /// bundle may be come to at once.
    pub hit: Vec<u32>,
}

/// A recorded run at a cycle, with breakpoints. The state that it shows is that before the cycle.
pub struct Debugger {
    run: DebuggedRun,
    core: Core,
    history: History,
    breakpoints: Vec<Breakpoint>,
    next_number: u32,
    /// End of the run, once it has been asked for.
    ending: Option<RecordedEnd>,
    /// Kernel whose arrays were asked for last.
    kernel_run: Option<KernelWords>,
}

/// Returns whether a bundle issues in a cycle.
fn issues(cycle: &SegmentCycle) -> bool {
    is_issue(cycle.cause) && cycle.address.is_some()
}

/// Returns whether a bundle issues in a cycle of this cause.
fn is_issue(cause: Option<Cause>) -> bool {
    has_operation(cause) || cause == Some(Cause::Empty)
}

/// Returns whether an operation other than `nop` issues in a cycle of this cause.
fn has_operation(cause: Option<Cause>) -> bool {
    matches!(cause, Some(Cause::Both | Cause::Arithmetic | Cause::Exchange))
}

/// Returns the program that is in instruction memory in a cycle, of programs with their cycles.
fn program_in(programs: &[(Image, Vec<Range<Cycle>>)], cycle: Cycle) -> Option<&Image> {
    let is_there = |(_, cycles): &&(Image, Vec<Range<Cycle>>)| {
        cycles.iter().any(|range| range.contains(&cycle))
    };
    programs.iter().find(is_there).or_else(|| programs.last()).map(|(image, _)| image)
}

impl Debugger {
    /// Creates a debugger that stands at the begin of a run.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn new(mut run: DebuggedRun) -> Result<Self, DebugError> {
        let begin = *run.recording.cycles().start();
        run.recording.seek(begin)?;
        let core = *run.recording.core();
        let history = History::default();
        let (breakpoints, next_number) = (Vec::new(), 1);
        Ok(Self { run, core, history, breakpoints, next_number, ending: None, kernel_run: None })
    }

    /// Returns the run.
    pub fn run(&self) -> &DebuggedRun {
        &self.run
    }

    /// Returns the run, to set what is told of the progress of searches.
    pub fn run_mut(&mut self) -> &mut DebuggedRun {
        &mut self.run
    }

    /// Returns the core of the machine.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the cycle at which the run stands.
    pub fn cycle(&self) -> Cycle {
        self.run.recording.cycle()
    }

    /// Returns the state of CP2 before the cycle.
    pub fn state(&self) -> &State {
        self.run.recording.state()
    }

    /// Returns the recording with the history that was computed of it.
    pub fn parts(&mut self) -> (&mut Recording, &mut History) {
        (&mut self.run.recording, &mut self.history)
    }

    /// Returns the first and the last cycle of the run.
    pub fn ends(&self) -> [Cycle; 2] {
        let all = self.run.recording.cycles();
        [*all.start(), *all.end()]
    }

    /// Returns the run of a kernel whose arrays were asked for last.
    pub(crate) fn kernel_run(&self) -> Option<&KernelWords> {
        self.kernel_run.as_ref()
    }

    /// Keeps the run of a kernel for the next question about its arrays.
    pub(crate) fn keep_kernel_run(&mut self, run: Option<KernelWords>) {
        self.kernel_run = run;
    }

    /// Returns the program that is in instruction memory in a cycle.
    pub fn image_in(&self, cycle: Cycle) -> Option<&Image> {
        program_in(&self.run.programs, cycle)
    }

    /// Finds the run of a kernel that a cycle belongs to, or the one before it.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended.
    pub(crate) fn find_kernel_run(
        &mut self,
        here: Cycle,
    ) -> Result<Option<KernelWords>, DebugError> {
        let DebuggedRun { recording, programs, .. } = &mut self.run;
        let image_in = |cycle| program_in(programs, cycle);
        Ok(KernelWords::find(recording, &mut self.history, here, &image_in)?)
    }

    /// Returns where the run stands.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn place(&mut self) -> Result<StopPlace, DebugError> {
        let cycle = self.cycle();
        let here = self.history.cycle(&mut self.run.recording, cycle)?;
        let unissued = self.unissued()?;
        let address = here.as_ref().and_then(|here| here.address);
        let address = address.or(unissued.and_then(|(address, _)| address));
        let cause = match (unissued, here.as_ref().map(|here| here.cause)) {
            (Some((_, word)), _) => word,
            (None, Some(Some(Cause::SyncHold))) => "held by sync",
            (None, Some(Some(Cause::Nullified))) => "skipped",
            (None, Some(Some(_))) => "",
            (None, Some(None)) => "no kernel runs",
            (None, None) => "the end",
        };
        let mut place = StopPlace {
            cycle,
            address,
            label: String::new(),
            lines: Vec::new(),
            operations: String::new(),
            cause,
        };
        if let (Some(address), Some(image)) = (address, self.image_in(cycle)) {
            let names = BundleNames::new(image, &self.core);
            place.label = names.site(address).label_text();
            place.lines = lines_of(image, address);
            place.operations = operations_text(image, address, &self.core);
        }
        Ok(place)
    }

    /// Makes a cycle the one at which the run stands.
    ///
    /// # Errors
    /// The run does not have the cycle, or the recording is damaged.
    pub fn go_to(&mut self, cycle: Cycle) -> Result<RunStop, DebugError> {
        self.run.recording.seek(cycle)?;
        self.stop(StopReason::Step)
    }

    fn stop(&mut self, reason: StopReason) -> Result<RunStop, DebugError> {
        Ok(RunStop { reason, place: self.place()?, hit: Vec::new() })
    }

    /// Returns the breakpoints, in the order of their numbers.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Sets a breakpoint and returns it.
    ///
    /// # Errors
    /// The machine does not have a register or word of it, or the run does not have the cycle.
    pub fn set(
        &mut self,
        place: BreakPlace,
        condition: Option<ValueCondition>,
    ) -> Result<Breakpoint, DebugError> {
        let [begin, end] = self.ends();
        match &place {
            BreakPlace::Write(operand) if operand.location().cell().is_none() => {
                return Err(DebugError::refused(format!(
                    "{operand}: writes of registers and words of local memory are watched, not of system memory"
                )));
            }
            BreakPlace::Write(operand) if !operand.exists(&self.core) => {
                return Err(DebugError::refused(format!(
                    "{operand}: the machine has no such register or word"
                )));
            }
            BreakPlace::Cycle(cycle) if !(begin..=end).contains(cycle) => {
                return Err(DebugError::refused(format!(
                    "there is no cycle {cycle}; the run has cycles {begin} to {end}"
                )));
            }
            _ => {}
        }
        if let Some(condition) =
            condition.as_ref().filter(|condition| !condition.exists(&self.core))
        {
            return Err(DebugError::refused(format!(
                "`{condition}`: the machine has no such register or word"
            )));
        }
        let breakpoint = Breakpoint { number: self.next_number, place, condition };
        self.next_number += 1;
        self.breakpoints.push(breakpoint.clone());
        Ok(breakpoint)
    }

    /// Removes the breakpoint with a number; returns whether there was one.
    pub fn remove(&mut self, number: u32) -> bool {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|breakpoint| breakpoint.number != number);
        self.breakpoints.len() < before
    }

    /// Returns the place of a source line, in any of the programs: the bundles that have its operations. Without any, the next line of
    /// the file that has some is taken. With the place comes its line.
    ///
    /// # Errors
    /// No program has the file, or no line from there on has an operation.
    pub fn line(&self, file: Option<&str>, line: u32) -> Result<(BreakPlace, u32), DebugError> {
        let named = |line: u32| match file {
            Some(file) => format!("{file}:{line}"),
            None => format!("line {line}"),
        };
        let mut bundles: BTreeMap<u32, BTreeSet<BundleAddress>> = BTreeMap::new();
        for (image, _) in &self.run.programs {
            for (at, address) in bundles_by_line(image, file) {
                bundles.entry(at).or_default().insert(address);
            }
        }
        if let Some((at, found)) = bundles.split_off(&line).pop_first() {
            return Ok((BreakPlace::Bundles(found, named(at)), at));
        }
        Err(DebugError::refused(match (file, bundles.keys().next_back()) {
            (Some(file), None) => format!("{file}: no file of the program has this name"),
            (_, None) => "the program names no lines of source".to_owned(),
            (_, Some(last)) => format!(
                "{}: neither this line nor one behind it has an operation of the program; {} is the last that has",
                named(line),
                named(*last)
            ),
        }))
    }

    /// Returns the place of a label or a kernel.
    ///
    /// # Errors
    /// No program has it.
    pub fn label(&self, label: &str) -> Result<BreakPlace, DebugError> {
        let of_image = |(image, _): &(Image, _)| bundle_of_label(image, label);
        let bundles: BTreeSet<BundleAddress> =
            self.run.programs.iter().filter_map(of_image).collect();
        if bundles.is_empty() {
            return Err(DebugError::refused(format!("there is no label or kernel `{label}`")));
        }
        Ok(BreakPlace::Bundles(bundles, label.to_owned()))
    }
}
