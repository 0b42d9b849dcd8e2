//! Traces as files: what is asked for, and a run that is traced while it happens. The forms are in `cp2-trace`.

use crate::args::{Cycles, Size, TraceChoice};
use crate::input::target::Target;
use crate::process::exit::{Outcome, bad_input, complain};
use crate::storage::files;
use cp2_asm::image::Image;
use cp2_asm::sites::{BundleNames, NamesByCycle};
use cp2_emu::machine::{Act, Action, Key};
use cp2_emu::trace::Observer;
use cp2_emu::{End, Machine, MachineConfig};
use cp2_isa::{Core, Cycle};
use cp2_recording::Follower as _;
use cp2_session::Run;
use cp2_trace::{Clock, Content, Selection, TraceError, TraceFormat, TraceSetup, Tracer, exporter};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Trace that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: PathBuf,
    pub(crate) format: TraceFormat,
    pub(crate) content: Content,
    pub(crate) values: bool,
    pub(crate) cycles: Cycles,
    pub(crate) limit: Size,
    /// Name of the option that sets the limit.
    pub(crate) limit_option: &'static str,
    pub(crate) selection: Selection,
}

/// Returns the form that the ending of a path asks for.
pub(crate) fn format_of(path: &Path) -> Option<TraceFormat> {
    TraceFormat::of_ending(path.extension()?.to_str()?)
}

impl Request {
    /// Returns the trace that `cp2 run --trace` asks for; text for every ending that is no other form.
    pub(crate) fn of_run(choice: &TraceChoice) -> Option<Self> {
        let path = choice.trace.clone()?;
        Some(Self {
            format: format_of(&path).unwrap_or(TraceFormat::Text),
            path,
            content: Content::Operations,
            values: choice.trace_values,
            cycles: choice.trace_cycles.unwrap_or(Cycles::ALL),
            limit: choice.trace_limit,
            limit_option: "--trace-limit",
            selection: Selection::default(),
        })
    }
}

impl Request {
    /// Refuses lines in which no bundle of one of the programs stands.
    pub(crate) fn check_lines<'a>(
        &self,
        images: impl Iterator<Item = &'a Image> + Clone,
        core: &Core,
    ) -> Outcome<()> {
        let takes = |image: &Image| {
            let names = BundleNames::new(image, core);
            let mut bundles = image.kernels.iter().flat_map(|kernel| kernel.bundles());
            bundles.any(|(address, _)| {
                names.sites_of(address).iter().any(|site| self.selection.takes_site(site))
            })
        };
        // A kernel of a recording may have come without its program.
        if !self.selection.has_lines() || images.clone().any(takes) {
            return Ok(());
        }
        if images.clone().all(|image| image.lines.is_empty()) {
            return Err(bad_input(
                "--lines: the program has no source lines; trace its source, or an object with source lines",
            ));
        }
        let mut files: Vec<&str> =
            images.flat_map(|image| &image.files).map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        files.retain(|file| seen.insert(*file));
        Err(bad_input(format!("--lines: no bundle comes from these lines of {}", files.join(", "))))
    }
}

/// Returns the clock of a machine.
pub(crate) fn clock(config: Option<&MachineConfig>) -> Clock {
    config.map_or(Clock::default(), |config| Clock::of_mhz(config.value(Key::CpuClock)))
}

/// Trace that is being written to a file.
pub(crate) struct TraceFile<'a> {
    request: Request,
    pub(crate) tracer: Tracer<'a, Target>,
}

impl<'a> TraceFile<'a> {
    /// Opens the file of a request.
    pub(crate) fn open(
        request: Request,
        names: NamesByCycle<'a>,
        core: &Core,
        clock: Clock,
    ) -> Outcome<Self> {
        let Request { path, format, content, values, limit, selection, .. } = &request;
        let setup = TraceSetup {
            format: *format,
            content: *content,
            values: *values,
            selection,
            clock,
            limit: limit.0,
        };
        let target = Target::open(path)?;
        let exporter = exporter(&setup, &names, core, target);
        let exporter = exporter.map_err(|e| files::cannot_write(path, e))?;
        let end = Cycle(request.cycles.end);
        let tracer = Tracer::new(exporter, names, selection.clone(), end);
        Ok(Self { request, tracer })
    }

    /// Completes the file and tells if it has no room for all. Returns false if nobody reads it.
    pub(crate) fn close(self) -> Outcome<bool> {
        let Request { path, limit, limit_option, .. } = &self.request;
        let mut full_at = None;
        let finished = self.tracer.finish().map(|(target, cycle)| {
            full_at = cycle;
            target
        });
        if !commit(path, finished)? {
            return Ok(false);
        }
        if let Some(cycle) = full_at {
            complain(format!(
                "cp2: {} is complete up to cycle {cycle}; later cycles are left out, for the trace would be \
                 longer than {limit} ({limit_option})",
                path.display(),
            ));
        }
        Ok(true)
    }
}

/// Gives a finished file its name. Returns false if the reader of standard output went away, which is no error.
pub(crate) fn commit(path: &Path, done: Result<Target, TraceError>) -> Outcome<bool> {
    let flushed = done.and_then(|mut target| Ok(target.flush().map(|()| target)?));
    match flushed {
        Ok(target) => target.commit(path).map(|()| true),
        Err(e) if files::is_standard(path) && e.is_unread() => Ok(false),
        Err(e) => Err(files::cannot_write(path, e)),
    }
}

/// Watcher of a run of a kernel that happens now, which traces a range of its cycles.
pub(crate) struct Watcher<'a> {
    trace: Option<TraceFile<'a>>,
    stage: Stage,
}

/// Stage of a run: before, within or behind the cycles that are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    Within,
    Over,
}

impl cp2_session::Watcher for Watcher<'_> {
    /// Returns the cycles from one look at a cancellation to the next: few before the trace is over, so that a trace that
    /// nobody reads any more ends the run soon.
    fn share(&self) -> u64 {
        if self.stage == Stage::Over { 1 << 20 } else { 1 << 12 }
    }

    fn advance(&mut self, run: &mut Run<'_>, goal: u64) -> Option<End> {
        loop {
            let now = run.cycles();
            if now >= goal || run.is_broken() || !self.is_wanted() {
                return None;
            }
            let until = goal.min(self.border(run.machine(), now));
            let trace: Option<&mut dyn Observer> = match &mut self.trace {
                Some(trace) if self.stage == Stage::Within => Some(trace.tracer.observer()),
                _ => None,
            };
            let end = run.advance(until, trace);
            if let (Some(trace), Stage::Within) = (&mut self.trace, self.stage) {
                // What it cannot take is seen with the next cycle.
                let _ = trace.tracer.cycle(run.machine());
            }
            if end.is_some() {
                return end;
            }
        }
    }

    /// Finishes the run; what moves until everything has landed is traced too.
    fn finish(&mut self, machine: &mut Machine, end: End) -> cp2_emu::RunResult {
        let (cycle, now) = (machine.cycle(), machine.cp2.stats().cycles);
        let is_within = self.stage == Stage::Within;
        let trace = self.trace.as_mut().filter(|_| is_within);
        let Some(TraceFile { request, tracer }) = trace else { return machine.finish_kernel(end) };
        if now < request.cycles.end {
            tracer.act(&Act { cycle, action: Action::Finish });
        }
        let run = machine.finish_kernel(end);
        tracer.end(machine);
        self.stage = Stage::Over;
        run
    }
}

impl<'a> Watcher<'a> {
    /// Creates a watcher with the trace that is asked for, if one is.
    pub(crate) fn new(trace: Option<TraceFile<'a>>) -> Self {
        Self { stage: if trace.is_some() { Stage::Before } else { Stage::Over }, trace }
    }

    /// Begins or ends the trace if that is due, and returns the cycle up to which a run goes on as it is now: a cycle at a
    /// time while it is traced.
    fn border(&mut self, machine: &mut Machine, now: u64) -> u64 {
        let Some(TraceFile { request, tracer }) = &mut self.trace else { return u64::MAX };
        let Cycles { start, end } = request.cycles;
        if self.stage == Stage::Before && now >= start {
            machine.dma.keep_log();
            tracer.begin(machine);
            self.stage = Stage::Within;
        }
        if self.stage == Stage::Within && (now >= end || tracer.is_over()) {
            tracer.end(machine);
            machine.dma.end_log();
            self.stage = Stage::Over;
        }
        match self.stage {
            Stage::Before => start,
            Stage::Within => now + 1,
            Stage::Over => u64::MAX,
        }
    }

    /// Whether the trace, if there is one, has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.stage != Stage::Before
    }

    /// Whether somebody reads the trace, if there is one, and it can be written. A trace that is full is wanted.
    fn is_wanted(&self) -> bool {
        self.trace.as_ref().is_none_or(|trace| !trace.tracer.has_failed())
    }

    /// Completes the trace. Returns false if nobody reads it.
    pub(crate) fn close(self) -> Outcome<bool> {
        self.trace.map_or(Ok(true), TraceFile::close)
    }
}
