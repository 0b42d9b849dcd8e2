//! Run as the window has it: what is known of the run, answers that are at hand, and those that are wanted.

use crate::model::heat::Heat;
use crate::model::viewport::{Detail, Viewport, WINDOW};
use crate::worker::{Answer, Failure, Info, Key, Origin, Progress, Report, Snapshot, Worker};
use cp2_analysis::accounting::Account;
use cp2_isa::Cycle;
use cp2_recording::{CycleRecord, Leaf, Window};
use std::collections::HashMap;
use std::sync::Arc;

/// Most answers that are kept.
const MOST_ANSWERS: usize = 192;

/// Stage of a run: being made, open, or failed.
#[derive(Debug)]
pub enum Stage {
    /// The run is being made or opened.
    Making(Progress),
    /// The run is open and can be looked at.
    Open(Box<Info>),
    /// There is no run, because it failed.
    Failed(Failure),
}

/// Answer of the worker, and the frame in which it was used last.
#[derive(Debug)]
struct CachedAnswer {
    answer: Answer,
    used: u64,
}

/// Run as the window has it.
#[derive(Debug)]
pub struct OpenRun {
    /// Stage of the run.
    pub stage: Stage,
    /// Costs of the bundles of the run, as far as they are counted.
    pub heat: Arc<Heat>,
    /// Account of every cycle of the run, when all is counted.
    pub account: Option<Arc<Account>>,
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
}

impl OpenRun {
    /// Begins to make or open a run; `wake` is called when there is something new.
    pub fn start(origin: Origin, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            stage: Stage::Making(Progress::of("Starting")),
            heat: Arc::default(),
            account: None,
            is_new: false,
            worker: Worker::start(origin, wake),
            answers: HashMap::new(),
            wanted: Vec::new(),
            asked: Vec::new(),
            now: 0,
            latest: None,
        }
    }

    /// Returns what is known of the run, if it is open.
    pub fn info(&self) -> Option<&Info> {
        match &self.stage {
            Stage::Open(info) => Some(info),
            _ => None,
        }
    }

    /// Ends the making of the run; what there is by then is opened.
    pub fn cancel(&self) {
        self.worker.cancel();
    }

    /// Takes what has come since the last frame; returns whether the run has just become open.
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
            Report::Open(info) => {
                self.stage = Stage::Open(info);
                self.is_new = true;
            }
            Report::Answer(key, answer) => {
                self.answers.insert(key, CachedAnswer { answer, used: self.now });
            }
        }
    }

    /// Returns the answer to a question; if it is not at hand, it will be asked for.
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

    /// Tells the worker what this frame could not show, and forgets what nobody has used for long.
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

    /// Waits until the run is open and everything that was asked for is there; for tests and measurements.
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

    /// Waits until the cost of every bundle is counted; for tests.
    pub fn wait_for_heat(&mut self) {
        let end = self.info().map_or(Cycle::RESET, |info| info.cycles.end);
        while self.heat.covered.end < end {
            let Some(report) = self.worker.wait() else { return };
            self.take(report);
        }
    }

    /// Returns registers and memory in a cycle; those that were at hand last if they are not there yet.
    pub fn state(&mut self, cycle: Cycle) -> Option<Arc<Snapshot>> {
        if let Some(Answer::State(state)) = self.ask(Key::State(cycle)) {
            let state = state.clone();
            self.latest = Some(state);
        }
        self.latest.clone()
    }

    /// Returns the events of a block of single cycles.
    pub fn window(&mut self, block: u64) -> Option<Arc<Window>> {
        match self.ask(Key::Window(block)) {
            Some(Answer::Window(window)) => Some(window.clone()),
            _ => None,
        }
    }

    /// Returns the short stretches of a block.
    pub fn stretches(&mut self, block: u64) -> Option<Arc<Vec<Leaf>>> {
        match self.ask(Key::Stretches(block)) {
            Some(Answer::Stretches(leaves)) => Some(leaves.clone()),
            _ => None,
        }
    }

    /// Returns the record of a cycle: what it was for and what issued in it.
    pub fn cycle(&mut self, cycle: Cycle) -> Option<CycleRecord> {
        let window = self.window(cycle.0 / WINDOW)?;
        let at = window.cycles.binary_search_by_key(&cycle, |record| record.number).ok()?;
        window.cycles.get(at).cloned()
    }

    /// Returns the cycles around one, with their events: as much as is at hand.
    pub fn around(&mut self, cycle: Cycle, distance: u64) -> Vec<Arc<Window>> {
        let first = cycle.saturating_sub(distance).0 / WINDOW;
        let last = (cycle + distance).0 / WINDOW;
        let end = self.info().map_or(Cycle::RESET, |info| info.cycles.end);
        let blocks = (first..=last).filter(|block| Cycle(block * WINDOW) < end.max(Cycle(1)));
        blocks.filter_map(|block| self.window(block)).collect()
    }

    /// Asks for what a view of these cycles needs.
    pub fn prefetch(&mut self, view: &Viewport) {
        let (length, key): (_, fn(u64) -> Key) = match view.detail() {
            Detail::Summary => return,
            Detail::Stretches => (crate::model::viewport::BLOCK, Key::Stretches),
            Detail::Cycles => (WINDOW, Key::Window),
        };
        for block in view.blocks(length) {
            self.ask(key(block));
        }
    }
}
