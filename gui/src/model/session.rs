//! The session of a person at the viewer: a run, perhaps a second one that it is compared with, a cursor, a selection,
//! and what is to be changed before the next run.

use crate::model::heat::Heat;
use crate::model::number::Format;
use crate::model::run::{OpenRun, Stage};
use crate::model::settings::Preferences;
use crate::model::viewport::Viewport;
use crate::worker::{Answer, Comparing, Key, Origin, Settings};
use cp2_analysis::accounting::Account;
use cp2_isa::{BundleAddress, Cycle, Slot, StorageCell};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Number of cycles in view when single cycles are asked for.
const SINGLE: f64 = 40.0;
/// Reason why nothing can be done without a run.
const NOTHING_OPEN: &str = "no run is open; open a file first (Ctrl+O)";
/// Most places that can be gone back to.
const MOST_PLACES: usize = 100;

/// The thing that is selected in the window: a bundle, an operation, a register or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The bundle of the program at this address.
    Bundle(BundleAddress),
    /// The operation that issued in this cycle in this slot.
    Operation(Cycle, Slot),
    /// The register or the word of memory that this cell names.
    Place(StorageCell),
}

/// A span of the run whose cycles the views count, in place of the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedSpan {
    /// Name of the span, such as that of a kernel.
    pub name: String,
    /// Cycles of the span; the end is excluded.
    pub cycles: Range<Cycle>,
}

/// A place in the run to come back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Name of the bookmark.
    pub name: String,
    /// Cycle of the bookmark.
    pub cycle: u64,
}

/// Parts of a run that a person has marked.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    /// Span whose cycles the views of source, bundles and plots count; `None` for the whole run.
    pub counted: Option<CountedSpan>,
    /// Registers and words whose values are shown in the course of cycles.
    pub pins: Vec<StorageCell>,
    /// Bookmarks, in the order of time.
    pub bookmarks: Vec<Bookmark>,
}

/// The source of the program while a person changes it for the next run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Name of the source file that the text came from.
    pub name: String,
    /// Text of the draft; empty if nothing was opened to be changed.
    pub text: String,
    /// Whether the draft is shown in place of the source.
    pub is_open: bool,
    /// Whether the text differs from the source that was run.
    pub is_changed: bool,
}

/// The second run of a [`Session`], with which the present run is compared, and their comparison.
pub struct Compared {
    /// Run that the present one is compared with, usually the one before it; `None` if nothing is compared.
    pub base: Option<OpenRun>,
    /// Comparison of the two runs, under way or done; `None` until both are open.
    pub comparing: Option<Comparing>,
    /// Whether the present run has become open beside a run that it is compared with, and the window has not yet shown
    /// the comparison.
    pub has_new_comparison: bool,
}

/// The session of a person at the viewer: the run, the cycles in view, cursor and selection, and source and settings of
/// the next run. All views are drawn from it.
pub struct Session {
    /// Run that is looked at; `None` on the start page.
    pub run: Option<OpenRun>,
    /// Second run, with which `run` is compared, and their comparison.
    pub compared: Compared,
    /// Preferences of the person, which are kept from one start of the program to the next.
    pub preferences: Preferences,
    /// Cycles in view.
    pub view: Viewport,
    /// Cycle at the cursor, of which registers and memories are shown.
    pub cursor: Cycle,
    /// Parts of the run that the person has marked: a span that is counted, values that are shown, places to come back to.
    pub marked: Marked,
    /// Selected bundle, operation, register or word; `None` if nothing is selected.
    pub selection: Option<Selection>,
    /// Source of the program, while it is changed for the next run.
    pub draft: Draft,
    /// Settings of the next run: its machine, arrays and limits.
    pub machine: Settings,
    /// Line of text that is shown to the person until the next one; `None` for no line.
    pub notice: Option<String>,
    /// Whether views mark what is under the pointer; not while a picture of a view is written.
    pub is_pointer_shown: bool,
    pub(super) course: Course,
}

/// Parts of a [`Session`] that no view shows.
pub(super) struct Course {
    /// Places that were gone from, the last one at the end.
    past: Vec<(Cycle, Viewport)>,
    /// Question whose answer is a cycle that is to be gone to.
    pub(super) asked: Option<Key>,
    /// Call that wakes the window.
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Session {
    /// Creates a session without a run. `wake` is called, on another thread, when a thread that owns a recording has
    /// something new that should be shown.
    pub fn new(preferences: Preferences, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            run: None,
            preferences,
            view: Viewport::new(Cycle::RESET..Cycle::RESET),
            cursor: Cycle::RESET,
            marked: Marked::default(),
            selection: None,
            draft: Draft::default(),
            machine: Settings::default(),
            notice: None,
            is_pointer_shown: true,
            course: Course { past: Vec::new(), asked: None, wake: Arc::new(wake) },
            compared: Compared { base: None, comparing: None, has_new_comparison: false },
        }
    }

    fn start(&self, origin: Origin) -> OpenRun {
        let wake = self.course.wake.clone();
        OpenRun::start(origin, move || wake())
    }

    /// Opens another run in place of the present one, and compares it with nothing.
    pub fn open(&mut self, origin: Origin) {
        if let Origin::File(path, _) = &origin {
            self.preferences.opened(&path.display().to_string());
        }
        self.machine = origin.settings().clone();
        (self.compared.base, self.compared.comparing) = (None, None);
        self.draft = Draft::default();
        self.run = Some(self.start(origin));
        (self.selection, self.notice, self.course.past) = (None, None, Vec::new());
        self.marked = Marked::default();
    }

    /// Closes the run and the one that it is compared with, so that the start page is shown.
    pub fn close(&mut self) {
        (self.run, self.selection) = (None, None);
        (self.compared.base, self.compared.comparing) = (None, None);
    }

    /// Starts a new run, and compares it with the present one if that is open, or else with the run that the present
    /// one was compared with.
    pub fn compare(&mut self, origin: Origin) {
        // What could not be run is no run to compare with.
        let is_open = self.run.as_ref().is_some_and(|run| run.info().is_some());
        if is_open {
            self.compared.base = self.run.take();
        }
        self.compared.comparing = None;
        self.run = Some(self.start(origin));
    }

    /// Checks whether the run can be made again from its origin, its settings and its source, as far as that is known
    /// without its thread.
    ///
    /// # Errors
    /// The run cannot be made again; the text says why.
    pub fn can_run_again(&self) -> Result<(), &'static str> {
        let run = self.run.as_ref().ok_or(NOTHING_OPEN)?;
        let Some(info) = run.info() else {
            // The last attempt failed: the run before it tells what to run.
            let base = self.compared.base.as_ref().and_then(OpenRun::info);
            return base.map(|_| ()).ok_or(NOTHING_OPEN);
        };
        if !info.provenance.is_recording() {
            return Ok(());
        }
        if !info.program.has_source() {
            return Err("the source of this recording was not found; open the program file \
                        instead of the recording");
        }
        if !info.is_from_start {
            return Err(
                "a host sent the program during this run; repeat the run with the command line that \
                 `cp2 stats` prints",
            );
        }
        Ok(())
    }

    /// Checks whether the source of the program can be changed.
    ///
    /// # Errors
    /// The source cannot be changed; the text says why.
    pub fn can_edit(&self) -> Result<(), &'static str> {
        let info = self.run.as_ref().and_then(OpenRun::info).ok_or(NOTHING_OPEN)?;
        if matches!(info.provenance.origin, Origin::Kernel(..)) {
            return Err("the kernels of cp2 are generated. Write the source to a file with \
                        `cp2 kernels source`, and open this file");
        }
        if !info.program.has_source() {
            return Err(
                "the source of this program was not found. Put the file at its former path \
                        or beside the recording, and open the run again",
            );
        }
        if !info.is_from_start {
            return Err(
                "a host sent the program during this run, so it cannot be run with another \
                        source",
            );
        }
        Ok(())
    }

    /// Returns the origin of the next run, from which it is made: the draft in place of the source if it was changed,
    /// and the settings as they are now.
    ///
    /// # Errors
    /// There is nothing to run again, or not yet; the text says why.
    pub fn next_origin(&mut self) -> Result<Origin, String> {
        self.can_run_again()?;
        let run = self.run.as_mut().ok_or(NOTHING_OPEN)?;
        let Some(info) = run.info() else {
            let base = self.compared.base.as_ref().and_then(OpenRun::info);
            let origin = base.ok_or(NOTHING_OPEN)?.provenance.origin.clone();
            return Ok(self.changed(&origin, None));
        };
        let (origin, cycles) = (info.provenance.origin.clone(), info.cycles.clone());
        let is_recording = info.provenance.is_recording();
        // A recorded run began with what its first cycle holds.
        let state = match (is_recording, run.ask(Key::State(cycles.start))) {
            (true, Some(Answer::State(snapshot))) => Some(Arc::new(snapshot.state.clone())),
            (true, _) => {
                return Err("the state of the first cycle is not loaded yet; press Ctrl+Enter \
                            again in a few seconds"
                    .to_owned());
            }
            (false, _) => None,
        };
        if is_recording && self.draft.text.is_empty() {
            self.edit();
        }
        Ok(self.changed(&origin, state))
    }

    fn changed(&self, origin: &Origin, state: Option<Arc<cp2_emu::State>>) -> Origin {
        let settings = self.machine.clone();
        if !self.draft.is_changed && state.is_none() {
            return origin.with(settings);
        }
        let state = match origin {
            Origin::Text(_, _, before, _) => state.or_else(|| before.clone()),
            _ => state,
        };
        Origin::Text(self.draft.name.clone(), self.draft.text.clone(), state, settings)
    }

    /// Opens the source of the program to be changed, in the draft. If its text is not at hand, a notice says so.
    pub fn edit(&mut self) {
        if let Err(why) = self.can_edit() {
            self.notice = Some(format!("Cannot edit: {why}."));
            return;
        }
        let Some(info) = self.run.as_ref().and_then(OpenRun::info) else { return };
        let Some(file) = info.program.files.iter().find(|file| !file.lines.is_empty()) else {
            return;
        };
        if self.draft.text.is_empty() {
            self.draft.name.clone_from(&file.name);
            self.draft.text = file.lines.join("\n") + "\n";
            self.draft.is_changed = false;
        }
        self.draft.is_open = true;
    }

    /// Compares the draft with the source that was run, after it was edited.
    pub fn compare_draft(&mut self) {
        let info = self.run.as_ref().and_then(OpenRun::info);
        let mut files = info.into_iter().flat_map(|info| &info.program.files);
        let was = files.find(|file| file.name == self.draft.name);
        self.draft.is_changed =
            was.is_none_or(|file| file.lines.join("\n") + "\n" != self.draft.text);
    }

    /// Runs the changed program with the changed settings, and compares it with the present run. If that is not
    /// possible, a notice says why.
    pub fn run_again(&mut self) {
        match self.next_origin() {
            Ok(origin) => {
                self.draft.is_open = false;
                self.compare(origin);
            }
            Err(why) => self.notice = Some(format!("Cannot run again: {why}.")),
        }
    }

    /// Takes in the reports of the threads of both runs since the last frame. When the run has become open, all of it
    /// is shown, with the cursor at the first cycle in which a kernel runs.
    pub fn receive(&mut self) {
        if let Some(base) = &mut self.compared.base {
            base.receive();
        }
        self.compare_when_both_are_open();
        let Some(run) = &mut self.run else { return };
        if run.receive() {
            let Some(info) = run.info() else { return };
            let first = info.first_kernel;
            let is_second = self.compared.base.is_some();
            self.view = Viewport::new(info.cycles.clone());
            self.cursor = first;
            (self.selection, self.marked.counted) = (None, None);
            self.course.past.clear();
            self.compared.has_new_comparison = is_second;
            if self.machine.machine.is_none() {
                self.machine.machine = info.provenance.origin.settings().machine.clone();
            }
        }
        if let (Stage::Failed(_), true) = (&run.stage, self.draft.is_changed) {
            self.draft.is_open = true;
        }
        self.follow();
    }

    fn compare_when_both_are_open(&mut self) {
        let infos =
            [&self.compared.base, &self.run].map(|run| run.as_ref().and_then(OpenRun::info));
        if let ([Some(a), Some(b)], None) = (infos, &self.compared.comparing) {
            let wake = self.course.wake.clone();
            self.compared.comparing = Some(Comparing::start(a, b, move || wake()));
        }
    }

    /// Ends a frame: tells the threads of both runs which answers about the recordings the frame lacked.
    pub fn end_frame(&mut self) {
        [&mut self.run, &mut self.compared.base].into_iter().flatten().for_each(OpenRun::end_frame);
    }

    /// Returns the costs of the bundles that the views show, of the counted span or of the whole run, and whether they are
    /// still counted.
    pub fn costs(&mut self) -> (Arc<Heat>, bool) {
        let counted = self.marked.counted.as_ref().map(|span| span.cycles.clone());
        let Some(run) = &mut self.run else { return (Arc::default(), false) };
        match counted {
            Some(cycles) => match run.ask(Key::Costs(cycles.start, cycles.end)) {
                Some(Answer::Costs(costs)) => (costs.clone(), false),
                Some(_) => (Arc::default(), false),
                None => (Arc::default(), true),
            },
            None => {
                let end = run.info().map_or(Cycle::RESET, |info| info.cycles.end);
                (run.heat.clone(), run.heat.covered.end < end)
            }
        }
    }

    /// Returns the account of the counted span, or of the whole run. `None` while it is made.
    ///
    /// # Errors
    /// The account cannot be made; the text says why.
    pub fn account(&mut self) -> Result<Option<Arc<Account>>, Arc<str>> {
        let counted = self.marked.counted.as_ref().map(|span| span.cycles.clone());
        let Some(run) = &mut self.run else { return Ok(None) };
        let Some(cycles) = counted else { return Ok(run.account.clone()) };
        match run.ask(Key::Account(cycles.start, cycles.end)) {
            Some(Answer::Account(account)) => Ok(Some(account.clone())),
            Some(Answer::None(why)) => Err(why.clone()),
            _ => Ok(None),
        }
    }

    /// Returns the cycles that plots show: those of the counted span, or those in view.
    pub fn plotted(&self) -> Viewport {
        let mut view = self.view.clone();
        if let Some(CountedSpan { cycles, .. }) = &self.marked.counted {
            view.show(cycles.start.0 as f64, cycles.end.0 as f64);
        }
        view
    }

    /// Returns the run if it is open; `None` otherwise.
    pub fn opened(&mut self) -> Option<&mut OpenRun> {
        self.run.as_mut().filter(|run| run.info().is_some())
    }

    /// Moves the cursor to a cycle, clamped to those of the run, and brings it into view.
    pub fn seek(&mut self, cycle: Cycle) {
        let whole = self.view.whole();
        self.cursor = cycle.clamp(whole.start, whole.end.max(whole.start + 1) - 1);
        self.view.reveal(self.cursor);
    }

    /// Moves the cursor as [`Session::seek`] does, and remembers the cursor and the cycles in view, for
    /// [`Session::go_back`].
    pub fn jump(&mut self, cycle: Cycle) {
        self.course.past.push((self.cursor, self.view.clone()));
        if self.course.past.len() > MOST_PLACES {
            self.course.past.remove(0);
        }
        self.seek(cycle);
    }

    /// Restores the cursor and the cycles in view as they were before the last jump. Up to 100 jumps can be undone.
    pub fn go_back(&mut self) {
        if let Some((cursor, view)) = self.course.past.pop() {
            (self.cursor, self.view) = (cursor, view);
        }
    }

    /// Moves the cursor by this number of cycles, forward or, if negative, back, within the run.
    pub fn step(&mut self, cycles: i64) {
        self.seek(Cycle(self.cursor.0.saturating_add_signed(cycles)));
    }

    /// Shows 40 cycles with the cursor in the middle, so that single cycles are seen.
    pub fn zoom_to_cursor(&mut self) {
        self.view.center(self.cursor, SINGLE);
    }

    /// Returns the format in which the views write words.
    pub fn format(&self) -> Format {
        self.preferences.format
    }

    /// Returns the command line that prints the cycles in view, `cp2 trace run.cp2rec --cycles A..B`.
    pub fn trace_command(&self) -> String {
        let cycles = self.view.cycles();
        format!("cp2 trace run.cp2rec --cycles {}..{}", cycles.start, cycles.end)
    }
}
