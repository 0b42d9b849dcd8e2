//! A run as the window has it: what is known of the run, answers of its thread that are at hand, and questions whose
//! answers are wanted.

use crate::model::heat::Heat;
use crate::model::program::Loop;
use crate::model::spans::RunSpans;
use crate::model::viewport::{Detail, Grain, Viewport, WINDOW};
use crate::worker::{Answer, Failure, Info, Key, Origin, Progress, Report, Snapshot, Worker};
use cp2_analysis::accounting::Account;
use cp2_analysis::arrays::{KernelWords, WordNames};
use cp2_isa::Cycle;
use cp2_recording::{CycleRecord, Leaf, Window};
use std::collections::HashMap;
use std::sync::Arc;

/// Most answers that are kept.
const MOST_ANSWERS: usize = 192;

/// The stage of a run in the window: being made, open, or failed.
#[derive(Debug)]
pub enum Stage {
    /// The run is being made or opened; with how far that is.
    Making(Progress),
    /// The run is open and can be looked at; with what is known of it.
    Open(Box<Info>),
    /// The run could not be made or opened; with the reason.
    Failed(Failure),
}

/// Answer of the worker, and the frame in which it was used last.
#[derive(Debug)]
struct CachedAnswer {
    answer: Answer,
    used: u64,
}

/// A run as the window has it, with the thread that owns its recording, and the answers of this thread that are at
/// hand. A view asks in every frame for what it shows; answers come in later frames.
#[derive(Debug)]
pub struct OpenRun {
    /// Stage of the run: being made, open, or failed.
    pub stage: Stage,
    /// Costs in cycles of the bundles of the run, as far as they are counted.
    pub heat: Arc<Heat>,
    /// Account of the run, which tells where all its cycles went; `None` until all cycles are counted.
    pub account: Option<Arc<Account>>,
    /// Loops of the program that the scheduler pipelined; `None` until they are found.
    pub schedules: Option<Arc<Vec<Loop>>>,
    /// Whether the run has become open since the last frame.
    is_new: bool,
    worker: Worker,
    answers: HashMap<Key, CachedAnswer>,
    wanted: Vec<Key>,
    /// Questions that the worker was told to answer.
    asked: Vec<Key>,
    /// Number of frames so far.
    now: u64,
    /// Latest state that was at hand: better than none while the next one comes.
    latest: Option<Arc<Snapshot>>,
    /// Run of a kernel whose names of words were asked for last.
    words: Option<Arc<KernelWords>>,
}

impl OpenRun {
    /// Starts a thread that makes or opens the recording of a run. `wake` is called, on that thread, whenever there is
    /// a report for [`OpenRun::receive`].
    pub fn start(origin: Origin, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            stage: Stage::Making(Progress::of("Starting")),
            heat: Arc::default(),
            account: None,
            schedules: None,
            is_new: false,
            worker: Worker::start(origin, wake),
            answers: HashMap::new(),
            wanted: Vec::new(),
            asked: Vec::new(),
            now: 0,
            latest: None,
            words: None,
        }
    }

    /// Returns the facts about the run, such as its cycles, machine and program; `None` unless it is open.
    pub fn info(&self) -> Option<&Info> {
        match &self.stage {
            Stage::Open(info) => Some(info),
            _ => None,
        }
    }

    /// Asks the thread to end the making of the run; the part that was made by then is opened. Only the run of a
    /// program can be ended so ([`Progress::can_end`]).
    pub fn cancel(&self) {
        self.worker.cancel();
    }

    /// Takes in the reports of the thread since the last call, and begins a new frame. Returns whether the run has
    /// become open since then.
    pub fn receive(&mut self) -> bool {
        self.now += 1;
        let reports: Vec<Report> = self.worker.reports().collect();
        reports.into_iter().for_each(|report| self.take(report));
        std::mem::take(&mut self.is_new)
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Progress(progress) => self.stage = Stage::Making(progress),
            Report::Failed(failure) => self.stage = Stage::Failed(failure),
            Report::Heat(heat) => self.heat = heat,
            Report::Account(account) => self.account = Some(account),
            Report::Schedules(schedules) => self.schedules = Some(schedules),
            Report::Open(info) => {
                self.stage = Stage::Open(info);
                self.is_new = true;
            }
            Report::Answer(key, answer) => {
                self.answers.insert(key, CachedAnswer { answer, used: self.now });
            }
        }
    }

    /// Returns the answer to a question about the recording if it is at hand. If not, returns `None` and notes that the
    /// answer is wanted, which comes in a later frame.
    pub fn ask(&mut self, key: Key) -> Option<&Answer> {
        match self.answers.get_mut(&key) {
            Some(kept) => {
                kept.used = self.now;
                Some(&kept.answer)
            }
            None => {
                if !self.wanted.contains(&key) {
                    self.wanted.push(key);
                }
                None
            }
        }
    }

    /// Ends a frame: tells the thread which answers this frame lacked, and forgets answers that were not used for long
    /// if more than 192 are at hand.
    pub fn end_frame(&mut self) {
        self.asked = std::mem::take(&mut self.wanted);
        self.worker.want(self.asked.clone());
        if self.answers.len() > MOST_ANSWERS {
            let mut ages: Vec<u64> = self.answers.values().map(|kept| kept.used).collect();
            ages.sort_unstable();
            let oldest = ages[self.answers.len() - MOST_ANSWERS * 3 / 4];
            self.answers.retain(|_, kept| kept.used >= oldest);
        }
    }

    /// Returns whether all answers that the last frame lacked are at hand by now.
    pub fn is_sharp(&self) -> bool {
        self.asked.iter().all(|key| self.answers.contains_key(key))
    }

    /// Waits until the run is open or has failed, and all answers that the last frame lacked are at hand; for tests and
    /// measurements.
    pub fn wait(&mut self) {
        let is_missing = |run: &Self| {
            let has_not = |key: &Key| !run.answers.contains_key(key);
            matches!(run.stage, Stage::Making(_)) || run.asked.iter().any(has_not)
        };
        while is_missing(self) {
            let Some(report) = self.worker.wait() else { return };
            self.take(report);
        }
    }

    /// Waits until the costs of the bundles in all cycles are counted; for tests.
    pub fn wait_for_heat(&mut self) {
        let end = self.info().map_or(Cycle::RESET, |info| info.cycles.end);
        while self.heat.covered.end < end {
            let Some(report) = self.worker.wait() else { return };
            self.take(report);
        }
    }

    /// Returns registers and memories in a cycle. If they are not at hand yet, they are wanted, and those that were
    /// returned last, of another cycle, are returned; `None` if there are none.
    pub fn state(&mut self, cycle: Cycle) -> Option<Arc<Snapshot>> {
        if let Some(Answer::State(state)) = self.ask(Key::State(cycle)) {
            let state = state.clone();
            self.latest = Some(state);
        }
        self.latest.clone()
    }

    /// Returns the names of words of local memory in a cycle: those of the program alone, until the arrays of the kernel that runs
    /// or ran last are at hand.
    pub fn word_names(&mut self, cycle: Cycle) -> Arc<WordNames> {
        if self.words.as_ref().is_none_or(|run| !run.has(cycle))
            && let Some(Answer::Words(Some(found))) = self.ask(Key::Words(cycle))
        {
            self.words = Some(found.clone());
        }
        let known = self.words.as_ref().filter(|run| run.has(cycle));
        let own = || self.info().map(|info| info.program.words.clone()).unwrap_or_default();
        known.map_or_else(own, |run| run.names.clone())
    }

    /// Returns every event of a block of [`WINDOW`] cycles; `block` is the number of the block, from 0 at cycle 0.
    /// `None` if it is not at hand yet.
    pub fn window(&mut self, block: u64) -> Option<Arc<Window>> {
        match self.ask(Key::Window(block)) {
            Some(Answer::Window(window)) => Some(window.clone()),
            _ => None,
        }
    }

    /// Returns the counts of kernels and channel, such as cycles by cause, in the stretches of a block of this grain;
    /// `block` is the number of the block, from 0 at cycle 0. `None` if they are not at hand yet.
    pub fn stretches(&mut self, grain: Grain, block: u64) -> Option<Arc<Vec<Leaf>>> {
        match self.ask(Key::Stretches(grain, block)) {
            Some(Answer::Stretches(leaves)) => Some(leaves.clone()),
            _ => None,
        }
    }

    /// Returns the names of the run in the course of its cycles; `None` if they are not at hand yet.
    pub fn spans(&mut self) -> Option<Arc<RunSpans>> {
        match self.ask(Key::Spans) {
            Some(Answer::Spans(spans)) => Some(spans.clone()),
            _ => None,
        }
    }

    /// Returns the record of a cycle: its cause, and the operations that issued in it. `None` if it is not at hand yet,
    /// or the recording has no record of it.
    pub fn cycle(&mut self, cycle: Cycle) -> Option<CycleRecord> {
        let window = self.window(cycle.0 / WINDOW)?;
        let at = window.cycles.binary_search_by_key(&cycle, |record| record.number).ok()?;
        window.cycles.get(at).cloned()
    }

    /// Returns the blocks of [`WINDOW`] cycles, each with its events, that reach from `distance` cycles before a cycle
    /// to `distance` cycles behind it. Blocks that are not at hand yet are left out and wanted.
    pub fn around(&mut self, cycle: Cycle, distance: u64) -> Vec<Arc<Window>> {
        let first = cycle.saturating_sub(distance).0 / WINDOW;
        let last = (cycle + distance).0 / WINDOW;
        let end = self.info().map_or(Cycle::RESET, |info| info.cycles.end);
        let blocks = (first..=last).filter(|block| Cycle(block * WINDOW) < end.max(Cycle(1)));
        blocks.filter_map(|block| self.window(block)).collect()
    }

    /// Visits the stretches with a cycle in view, in the order of time: those of the summary if there are at least half of
    /// `most` of them, else those of the grain of the view, and those of the summary where they are not at hand yet.
    pub fn for_each_stretch(&mut self, view: &Viewport, most: usize, mut visit: impl FnMut(&Leaf)) {
        let Some(pyramid) = self.info().map(|info| info.pyramid.clone()) else { return };
        let range = view.cycles();
        let summary = pyramid.within(&range, most);
        let grain = match view.detail() {
            Detail::Summary => return summary.iter().for_each(visit),
            Detail::Stretches(grain) => grain,
            Detail::Cycles => Grain::Fine,
        };
        if summary.len() >= most / 2 {
            return summary.iter().for_each(visit);
        }
        self.prefetch(view);
        let mut until = Cycle::RESET;
        for block in range.start.0 / grain.block()..=(range.end.0 - 1) / grain.block() {
            let end = Cycle((block + 1) * grain.block()).min(range.end);
            match self.stretches(grain, block) {
                Some(leaves) => {
                    let is_in = |leaf: &&Leaf| leaf.end > range.start && leaf.begin < range.end;
                    leaves.iter().filter(is_in).for_each(&mut visit);
                    until = end;
                }
                None => {
                    let begin = Cycle(block * grain.block()).max(range.start);
                    for leaf in pyramid.within(&(begin..end), most) {
                        if leaf.begin >= until {
                            visit(leaf);
                            until = leaf.end;
                        }
                    }
                }
            }
        }
    }

    /// Asks for the answers that a view of these cycles needs at its resolution, so that they come in a later frame.
    pub fn prefetch(&mut self, view: &Viewport) {
        match view.detail() {
            Detail::Summary => {}
            Detail::Stretches(grain) => {
                let blocks = view.blocks(grain.block()).into_iter();
                blocks.for_each(|block| {
                    self.ask(Key::Stretches(grain, block));
                });
            }
            Detail::Cycles => {
                let blocks = view.blocks(WINDOW).into_iter();
                blocks.for_each(|block| {
                    self.ask(Key::Window(block));
                });
            }
        }
    }
}
