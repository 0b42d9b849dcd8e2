//! `cp2 gpu run queens` and the other recursive searches.

use super::stored::StoredSearch;
use crate::args::gpu_search::{
    DealingChoice, GoalChoice, GpuCover, GpuFibonacci, GpuQueens, GpuSudoku, GpuTree, RuleChoice,
    SearchChoice, StackChoice,
};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::process::progress::Progress;
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use cp2_gpu::{Gpu, GpuChoice, GpuError};
use cp2_gpu_recursion::report::{SearchReport, SearchRow};
use cp2_gpu_recursion::{
    DeviceSearch, RunningSearch, SearchError, SearchPlan, SearchResult, SearchState, StackPlace,
    StopRule,
};
use cp2_recursion::tasks::{
    ComputedTree, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_recursion::{Dealing, PuzzleShape, Task, read_cover, read_puzzles, run};
use std::path::Path;
use std::time::{Duration, Instant};

/// Seconds that a launch takes about, so that a search soon tells how far it is, and stops.
const LAUNCH: f64 = 0.25;
/// Time after which a checkpoint is written again.
const WRITTEN: Duration = Duration::from_secs(5);
/// Contexts for each work-item of a search that may stop between launches.
const EACH: usize = 16;

/// Searches of a command: where they run, and how.
struct Job<'a> {
    gpu: Gpu,
    choice: &'a SearchChoice,
    deadline: Option<Instant>,
    report: SearchReport,
    exit: Exit,
}

/// A task for a device, with what its number means.
struct Subject<'a, T> {
    name: String,
    of: &'static str,
    task: &'a T,
    stop: Option<StopRule>,
}

pub(super) fn queens(arguments: &GpuQueens) -> Outcome {
    let GpuQueens { board, queens, search } = arguments;
    let queens = queens.unwrap_or(*board);
    let task = Queens::new(*board, queens).map_err(bad_input)?;
    let name = format!("queens {queens} on {board} x {board}");
    let mut job = Job::new(search)?;
    let found = job.solve(&Subject { name, of: "placements", task: &task, stop: None })?;
    job.add_compared(&task, found)?;
    job.end()
}

pub(super) fn tree(arguments: &GpuTree) -> Outcome {
    let GpuTree { width, levels, rounds, linked, wanted, search } = arguments;
    let shape = TreeShape::new(*width, *levels, *rounds).map_err(bad_input)?;
    let goal = wanted.map_or(TreeGoal::Sum, TreeGoal::Search);
    match *linked {
        true => walk(&LinkedTree { shape, goal }, arguments, search),
        false => walk(&ComputedTree { shape, goal }, arguments, search),
    }
}

/// Walks a tree.
fn walk<T: Task + Sync>(task: &T, arguments: &GpuTree, search: &SearchChoice) -> Outcome {
    let GpuTree { width, levels, rounds, linked, wanted, .. } = arguments;
    let form = if *linked { "linked tree" } else { "tree" };
    let name = format!("{form} of width {width}, {levels} levels");
    let mut job = Job::new(search)?;
    let goal = wanted.map_or(TreeGoal::Sum, TreeGoal::Search);
    let stop = wanted.map(|_| StopRule::InOrder { mask: goal.ends() });
    let (name, of) = match wanted {
        Some(node) => (format!("{name}, node {node}"), "nodes in preorder up to it"),
        None => (format!("{name}, {rounds} rounds"), "sum modulo 2^32"),
    };
    let mut found = job.solve(&Subject { name, of, task, stop })?;
    found.value = u64::from(found.value as u32);
    job.verify(task, &mut found)?;
    let (value, is_found) = goal.node_of(found.value as u32);
    (found.value, found.is_found) = (value.into(), is_found);
    job.add(found);
    job.end()
}

pub(super) fn cover(arguments: &GpuCover) -> Outcome {
    let text = read_text(&arguments.file)?;
    let name = arguments.file.display();
    let task = read_cover(&text).map_err(|e| bad_input(format!("{name}: {e}")))?;
    let mut job = Job::new(&arguments.search)?;
    let name = format!("exact cover {name}");
    let found = job.solve(&Subject { name, of: "covers", task: &task, stop: None })?;
    job.add_compared(&task, found)?;
    job.end()
}

pub(super) fn fibonacci(arguments: &GpuFibonacci) -> Outcome {
    let task = Fibonacci(arguments.number);
    let name = format!("number {} of Fibonacci", arguments.number);
    let mut job = Job::new(&arguments.search)?;
    let found = job.solve(&Subject { name, of: "its value", task: &task, stop: None })?;
    job.add_compared(&task, found)?;
    job.end()
}

pub(super) fn sudoku(arguments: &GpuSudoku) -> Outcome {
    let search = &arguments.search;
    let puzzles = puzzles(arguments)?;
    if puzzles.len() > 1 && (search.checkpoint.is_some() || search.resume.is_some()) {
        let option = if search.resume.is_some() { "--resume" } else { "--checkpoint" };
        let count = puzzles.len();
        return Err(usage(format!("{option}: {count} puzzles; a checkpoint is of one search")));
    }
    let is_first = arguments.goal == GoalChoice::First;
    let mut job = Job::new(search)?;
    for (at, Puzzle { name, place, task }) in puzzles.iter().enumerate() {
        if job.is_over() {
            job.report
                .notes
                .push(format!("the time is over; {at} of {} puzzles were begun", puzzles.len()));
            job.exit = Exit::Limit;
            break;
        }
        let stop = is_first.then_some(StopRule::Any { mask: u32::MAX });
        let name = name.clone();
        let mut found = job.solve(&Subject { name, of: "solutions", task, stop })?;
        if is_first {
            found.is_found = found.result.is_whole.then_some(found.value > 0);
            found.solution = solution(task, &found)?;
            if search.verify && found.result.is_whole {
                found.is_verified = Some(is_solved(task, found.solution.as_deref())?);
            }
        } else {
            job.verify(task, &mut found)?;
        }
        if found.value == 0 && found.result.is_whole {
            job.report.notes.push(format!("{place}: the puzzle has no solution"));
            job.exit = Exit::Check;
        }
        if found.value > 1 {
            let count = found.value;
            let at_least = if found.result.is_whole { "" } else { "at least " };
            job.report.notes.push(format!(
                "{place}: the puzzle has {at_least}{count} solutions; a proper one has one"
            ));
        }
        job.add(found);
    }
    job.end()
}

/// A puzzle of a command.
struct Puzzle {
    /// Line or seed, after the word puzzle.
    name: String,
    /// File and line, or seed, at the begin of a sentence.
    place: String,
    task: Sudoku,
}

/// Reads or makes puzzles. Those of which a cell has no number are refused.
fn puzzles(arguments: &GpuSudoku) -> Outcome<Vec<Puzzle>> {
    let GpuSudoku { file, generate, rows, clues, seed, write, .. } = arguments;
    let rule = match arguments.rule {
        RuleChoice::First => NextCell::First,
        RuleChoice::Fewest => NextCell::Fewest,
    };
    let goal = match arguments.goal {
        GoalChoice::First => SudokuGoal::First,
        GoalChoice::Count => SudokuGoal::Count,
    };
    let Some(path) = file else {
        let shape = PuzzleShape::new(*rows, *clues).map_err(bad_input)?;
        let seeds = (0..generate.unwrap_or(1)).map(|at| seed.wrapping_add(at.into()));
        let texts = seeds.clone().map(|seed| shape.generate(seed).map_err(bad_input));
        let texts = texts.collect::<Outcome<Vec<_>>>()?;
        if let Some(path) = write {
            files::write(path, format!("{}\n", texts.join("\n")).as_bytes())?;
        }
        let puzzle = |(seed, text): (u64, &String)| {
            let task = Sudoku::parse(text, rule, goal).map_err(bad_input)?;
            let name = format!("puzzle of seed {seed}");
            Ok(Puzzle { place: format!("seed {seed}"), name, task })
        };
        return seeds.zip(&texts).map(puzzle).collect();
    };
    let name = path.display();
    let all = read_puzzles(&read_text(path)?, rule, goal);
    let all = all.map_err(|e| bad_input(format!("{name}: {e}")))?;
    let checked = |(line, task): (usize, Sudoku)| match task.check_cells() {
        Ok(()) => {
            let place = format!("{name}: line {line}");
            Ok(Puzzle { name: format!("puzzle in line {line}"), place, task })
        }
        Err(e) => Err(bad_input(format!("{name}: line {line}: {e}"))),
    };
    all.into_iter().map(checked).collect()
}

/// Returns the solution that a search found; one above the depth of contexts is found again by the host.
fn solution(task: &Sudoku, found: &SearchRow) -> Outcome<Option<String>> {
    if found.value == 0 {
        return Ok(None);
    }
    if let Some(arrays) = &found.result.arrays {
        return Ok(Some(task.solution(arrays)));
    }
    task.first_solution().map(Some).map_err(bad_input)
}

/// Returns whether a solution is one of a puzzle; or, if there is none, whether the host finds none.
fn is_solved(task: &Sudoku, solution: Option<&str>) -> Outcome<bool> {
    let Some(solution) = solution else {
        return Ok(run(task, task.deepest()).map_err(bad_input)?.value == 0);
    };
    let clues = task.text();
    let keeps = clues.chars().zip(solution.chars()).all(|(clue, cell)| clue == '.' || clue == cell);
    let is_full = !solution.contains('.');
    let is_right = Sudoku::parse(solution, NextCell::First, SudokuGoal::First).is_ok();
    Ok(keeps && is_full && is_right)
}

fn read_text(path: &Path) -> Outcome<String> {
    let name = path.display();
    String::from_utf8(files::read(path)?).map_err(|e| {
        bad_input(format!("{name}: byte {} is not UTF-8", e.utf8_error().valid_up_to()))
    })
}

impl<'a> Job<'a> {
    /// Opens the device.
    fn new(choice: &'a SearchChoice) -> Outcome<Self> {
        let opened = Gpu::open(&GpuChoice { numbers: vec![choice.device], parts: 1 })?;
        let gpu = opened.into_iter().next().ok_or(GpuError::NoDevice)?;
        let limit = choice.time_limit.map(Duration::from_secs);
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let report = SearchReport::new(&gpu);
        Ok(Self { gpu, choice, deadline, report, exit: Exit::Success })
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Builds the kernel of a task by the plan that the options give.
    fn search<'t, T: Task + Sync>(
        &self,
        subject: &Subject<'t, T>,
        depth: Option<usize>,
    ) -> Outcome<(DeviceSearch<'t, T>, SearchPlan)> {
        let (choice, shape) = (self.choice, &self.choice.shape);
        let task = subject.task;
        let can_share = task.is_sum() && !task.arrays().iter().any(|array| array.is_own);
        let (stack, may_change) = match shape.stack {
            Some(StackChoice::Private) => (StackPlace::Private, false),
            Some(StackChoice::Local) => (StackPlace::Local, false),
            Some(StackChoice::Shared) => (StackPlace::Shared, false),
            None if can_share => (StackPlace::Shared, true),
            None => (StackPlace::Local, true),
        };
        let groups = shape.groups.unwrap_or(16 * self.gpu.info().units);
        let may_stop = choice.time_limit.is_some() || choice.checkpoint.is_some();
        let mut plan = SearchPlan {
            depth,
            wanted: may_stop.then(|| EACH.saturating_mul(shape.items).saturating_mul(groups)),
            stack,
            dealing: match shape.dealing {
                DealingChoice::Block => Dealing::Block,
                DealingChoice::Cyclic => Dealing::Cyclic,
                DealingChoice::Queue => Dealing::Queue,
            },
            items: shape.items,
            groups,
            room: shape.frames.map(|frames| frames as usize),
            stop: subject.stop,
        };
        match DeviceSearch::new(&self.gpu, task, plan) {
            Err(SearchError::Stack { .. }) if may_change => {
                plan.stack = StackPlace::Private;
                Ok((DeviceSearch::new(&self.gpu, task, plan)?, plan))
            }
            search => Ok((search?, plan)),
        }
    }

    /// Solves a task on the device, launch by launch.
    fn solve<T: Task + Sync>(&mut self, subject: &Subject<'_, T>) -> Outcome<SearchRow> {
        let stored = self.choice.resume.as_deref().map(StoredSearch::read).transpose()?;
        let depth = self.choice.shape.depth.or(stored.as_ref().map(|stored| stored.depth));
        let (search, plan) = self.search(subject, depth)?;
        let foreign = |name: &str| {
            let path = self.choice.resume.as_deref().unwrap_or(Path::new("")).display();
            bad_input(format!(
                "{path}: a checkpoint of another search, {name}; this one is {}, at depth {}",
                subject.name,
                search.depth()
            ))
        };
        if let Some(stored) = stored.as_ref().filter(|stored| stored.subject != subject.name) {
            return Err(foreign(&stored.subject));
        }
        let known = stored.as_ref().map(|stored| stored.fingerprint);
        let mut running = search.begin(stored.map(|stored| stored.state).unwrap_or_default())?;
        if known.is_some_and(|fingerprint| fingerprint != running.fingerprint()) {
            return Err(foreign(&subject.name));
        }
        let signal = self.launches(subject, &mut running, &search, plan.lanes())?;
        let result = running.finish()?;
        match signal {
            Some(signal) => self.exit = signals::exit(signal),
            None if !result.is_whole => {
                self.report.notes.push(self.stopped(&result));
                self.exit = Exit::Limit;
            }
            None => {}
        }
        Ok(SearchRow {
            subject: subject.name.clone(),
            value: result.value,
            of: subject.of,
            is_found: None,
            solution: None,
            is_verified: None,
            plan,
            result,
        })
    }

    /// Launches until the search ends, the time is over or a signal has come, which is returned.
    fn launches<T: Task + Sync>(
        &self,
        subject: &Subject<'_, T>,
        running: &mut RunningSearch<'_, '_, T>,
        search: &DeviceSearch<'_, T>,
        lanes: usize,
    ) -> Outcome<Option<i32>> {
        let checkpoint = self.choice.checkpoint.as_deref();
        let finishing = checkpoint.map(|_| Finishing::begin());
        let store = |state: &SearchState, fingerprint| match checkpoint {
            Some(path) => {
                let (subject, depth) = (subject.name.clone(), search.depth());
                StoredSearch { subject, depth, fingerprint, state: state.clone() }.write(path)
            }
            None => Ok(()),
        };
        let may_stop = self.deadline.is_some() || checkpoint.is_some();
        let mut batch = if may_stop { lanes } else { EACH * lanes };
        let (progress, begin) =
            (Progress::new("contexts", search.contexts() as u64), Instant::now());
        let (mut written, before) = (Instant::now(), running.state().calls);
        loop {
            let launch = Instant::now();
            let is_over = running.advance(batch)?;
            let (state, passed) = (running.state(), begin.elapsed().as_secs_f64());
            let made = state.calls - before;
            let rate = made as f64 / passed.max(1e-9);
            // A search that had ended when it was resumed makes no nodes.
            let rate = if made > 0 { format!(", {rate:.2e} nodes/s") } else { String::new() };
            progress.beside(format!(", {} nodes{rate}", state.calls));
            progress.at(state.done as u64);
            let signal = finishing.as_ref().and_then(Finishing::came);
            if is_over || self.is_over() || signal.is_some() {
                store(running.state(), running.fingerprint())?;
                return Ok(signal);
            }
            if written.elapsed() > WRITTEN {
                store(running.state(), running.fingerprint())?;
                written = Instant::now();
            }
            let factor = LAUNCH / launch.elapsed().as_secs_f64().max(1e-4);
            batch = (batch as f64 * factor.clamp(0.1, 8.0)).max(1.0) as usize;
        }
    }

    /// Returns the sentence that a search was stopped.
    fn stopped(&self, result: &SearchResult) -> String {
        let advice = match &self.choice.checkpoint {
            Some(path) => format!("--resume {} goes on", path.display()),
            None => "with --checkpoint FILE it could go on".to_owned(),
        };
        format!(
            "the time is over: {} of {} contexts are solved, and value and nodes are of these; {advice}",
            result.state.done, result.contexts
        )
    }

    /// Compares value and nodes of a search that has ended with those of the host, if that is asked for.
    fn verify<T: Task>(&mut self, task: &T, found: &mut SearchRow) -> Outcome<()> {
        if !self.choice.verify || !found.result.is_whole {
            return Ok(());
        }
        let host = run(task, task.deepest()).map_err(bad_input)?;
        // A search that stops early has made other calls than the host.
        let has_nodes = found.plan.stop.is_some() || host.counts.calls == found.result.nodes();
        found.is_verified = Some(host.value == found.value as u32 && has_nodes);
        Ok(())
    }

    /// Adds a search to the report.
    fn add(&mut self, found: SearchRow) {
        if found.is_verified == Some(false) {
            self.exit = Exit::Check;
        }
        self.report.searches.push(found);
    }

    fn add_compared<T: Task>(&mut self, task: &T, mut found: SearchRow) -> Outcome<()> {
        self.verify(task, &mut found)?;
        self.add(found);
        Ok(())
    }

    /// Prints the report.
    fn end(self) -> Outcome {
        match self.choice.json {
            true => files::print_json(&self.report.to_json())?,
            false => files::print(self.report.text().as_bytes())?,
        }
        Ok(self.exit)
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        bad_input(error)
    }
}
