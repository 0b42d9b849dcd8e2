//! Searches on a device by all plans, and the same tasks on one core and on all cores of the host beside them in the same call, a line of JSON
//! for each plan.
//!
//! `recursion-figures [--device N] [--runs N] [--date DATE] [--call N] [--stacks NAMES] [--items N,..] [--groups N,..] [--depths N,..] WHAT..`, where
//! WHAT is `queens:ROWS:QUEENS`, `tree:WIDTH:LEVELS:ROUNDS`, `linked:WIDTH:LEVELS:ROUNDS`, or `first:ROWS:CLUES:SEED` and `fewest:ROWS:CLUES:SEED`, all
//! solutions of a puzzle that is made from a seed, by one of the two rules. Groups are those for each unit of the device; without
//! depths the plan chooses one. Seconds are the median of the runs behind one that does not count, and include the calls of the host,
//! transfers both ways and combining, but not the build of the kernel.

mod plain;

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_recursion::{DeviceSearch, SearchError, SearchPlan, SearchResult, StackPlace};
use cp2_recursion::tasks::{
    ComputedTree, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_recursion::{Dealing, PuzzleShape, Task};
use plain::{Found, Plain, PlainQueens, PlainSudoku, PlainTree, on_all_cores, on_one_core};
use serde_json::{Value, json};

/// Choices that the words of the command make.
struct Asked {
    device: usize,
    runs: usize,
    /// Places of stacks.
    stacks: Vec<(&'static str, StackPlace)>,
    items: Vec<usize>,
    /// Groups for each unit.
    groups: Vec<usize>,
    depths: Vec<Option<usize>>,
    subjects: Vec<String>,
    /// Date, number of the call and command, which every line has.
    origin: [(&'static str, Value); 3],
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked {
        device: 0,
        runs: 5,
        stacks: StackPlace::ALL.to_vec(),
        items: vec![32, 64, 128],
        groups: vec![16],
        depths: vec![None],
        subjects: Vec::new(),
        origin: [("date", Value::Null), ("call", Value::Null), ("command", Value::Null)],
    };
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut words = given.clone().into_iter();
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            asked.subjects.push(word);
            continue;
        }
        let value = words.next().ok_or(format!("{word} takes a value"))?;
        let numbers: Vec<usize> = value.split(',').filter_map(|n| n.parse().ok()).collect();
        let number = numbers.first().copied().ok_or(format!("{word} takes a number"));
        match &*word {
            "--device" => asked.device = number?,
            "--runs" => asked.runs = number?,
            "--items" => asked.items = numbers,
            "--groups" => asked.groups = numbers,
            "--depths" => asked.depths = numbers.into_iter().map(Some).collect(),
            "--stacks" => asked.stacks.retain(|(name, _)| value.split(',').any(|n| n == *name)),
            "--date" => asked.origin[0].1 = value.into(),
            "--call" => asked.origin[1].1 = number?.into(),
            _ => return Err(format!("{word} is no option")),
        }
    }
    asked.origin[2].1 = format!("recursion-figures {}", given.join(" ")).into();
    Ok(asked)
}

/// A subject on the host: value and nodes, and the median of the seconds on one core and on all.
struct OnHost {
    found: Found,
    one: f64,
    all: f64,
}

impl OnHost {
    fn of<P: Plain>(task: &P, runs: usize) -> Self {
        let (found, one) = on_one_core(task);
        // A run that takes long is not made again.
        let runs = if one > 2.0 { 1 } else { runs };
        let one = median((1..runs).map(|_| on_one_core(task).1).chain([one]).collect());
        let all: Vec<(Found, f64)> = (0..=runs).map(|_| on_all_cores(task)).collect();
        let is_right = all.iter().all(|(other, _)| *other == found);
        let all = median(all.iter().skip(1).map(|(_, seconds)| *seconds).collect());
        Self { found, one, all: if is_right { all } else { f64::NAN } }
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

impl Asked {
    fn plans(&self, gpu: &Gpu) -> Vec<(&'static str, SearchPlan)> {
        let mut all = Vec::new();
        for &depth in &self.depths {
            for &(name, stack) in &self.stacks {
                for dealing in [Dealing::Queue, Dealing::Cyclic] {
                    for &items in &self.items {
                        for groups in self.groups.iter().map(|each| each * gpu.info().units) {
                            let (room, stop, wanted) = (None, None, None);
                            let plan = SearchPlan {
                                depth,
                                wanted,
                                stack,
                                dealing,
                                items,
                                groups,
                                room,
                                stop,
                            };
                            all.push((name, plan));
                        }
                    }
                }
            }
        }
        all
    }

    /// Measures a task by all plans and prints a line for each.
    fn measure<T: Task + Sync>(&self, gpu: &Gpu, subject: &str, task: &T, host: &OnHost) {
        eprintln!("{subject}: {:?}, one core {:.4} s, all {:.4} s", host.found, host.one, host.all);
        for (stack, plan) in self.plans(gpu) {
            let (found, seconds) = match timed(gpu, task, plan, self.runs) {
                Ok(found) => found,
                Err(error) => {
                    eprintln!("{subject}, {plan:?}: {error}");
                    continue;
                }
            };
            // Values are compared as the task gives them, modulo 2^32.
            let is_right =
                found.value as u32 == host.found[0] as u32 && found.nodes() == host.found[1];
            let [on_host, on_device, combining] = found.seconds;
            let mut line = json!({
                "subject": subject, "stack": stack, "dealing": plan.dealing.name(),
                "items": plan.items, "groups": plan.groups, "depth": found.depth, "contexts": found.contexts,
                "verified": is_right, "value": host.found[0], "nodes": host.found[1], "seconds": seconds,
                "host": on_host, "device": on_device, "combining": combining, "efficiency": found.efficiency(),
                "one_core": host.one, "all_cores": host.all, "cores": rayon::current_num_threads(),
                "by_one": host.one / seconds, "by_all": host.all / seconds,
                "name": gpu.info().name, "driver": gpu.info().driver,
            });
            for (name, value) in &self.origin {
                line[*name] = value.clone();
            }
            println!("{line}");
        }
    }

    /// Measures a subject.
    fn subject(&self, gpu: &Gpu, subject: &str) -> Result<(), String> {
        let (kind, rest) = subject.split_once(':').unwrap_or((subject, ""));
        let numbers: Vec<u32> = rest.split(':').filter_map(|n| n.parse().ok()).collect();
        match (kind, &numbers[..]) {
            ("queens", &[board, queens]) => {
                let task = Queens::new(board, queens).map_err(|e| e.to_string())?;
                let host = OnHost::of(&PlainQueens { board, queens }, self.runs);
                self.measure(gpu, subject, &task, &host);
            }
            ("tree" | "linked", &[width, depth, rounds]) => {
                let shape = TreeShape::new(width, depth, rounds).map_err(|e| e.to_string())?;
                let goal = TreeGoal::Sum;
                let host = OnHost::of(&PlainTree { width, depth, rounds }, self.runs);
                match kind {
                    "tree" => self.measure(gpu, subject, &ComputedTree { shape, goal }, &host),
                    _ => self.measure(gpu, subject, &LinkedTree { shape, goal }, &host),
                }
            }
            ("first" | "fewest", &[rows, clues, seed]) => {
                let shape = PuzzleShape::new(rows as usize, clues as usize);
                let text = shape.and_then(|shape| shape.generate(seed.into()));
                let text = text.map_err(|e| e.to_string())?;
                let takes_fewest = kind == "fewest";
                let rule = if takes_fewest { NextCell::Fewest } else { NextCell::First };
                let task =
                    Sudoku::parse(&text, rule, SudokuGoal::Count).map_err(|e| e.to_string())?;
                let host = OnHost::of(&PlainSudoku::new(&text, takes_fewest), self.runs);
                self.measure(gpu, subject, &task, &host);
            }
            _ => return Err(format!("{subject} is no subject")),
        }
        Ok(())
    }
}

/// Returns the result of the last of some runs of a plan, and the median of their seconds.
fn timed<T: Task + Sync>(
    gpu: &Gpu,
    task: &T,
    plan: SearchPlan,
    runs: usize,
) -> Result<(SearchResult, f64), SearchError> {
    let search = DeviceSearch::new(gpu, task, plan)?;
    let mut last = search.run()?;
    let mut seconds = Vec::new();
    for _ in 0..runs.max(1) {
        last = search.run()?;
        seconds.push(last.seconds.iter().sum());
    }
    Ok((last, median(seconds)))
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    let choice = GpuChoice { numbers: vec![asked.device], parts: 1 };
    let gpu = Gpu::open(&choice).map_err(|e| e.to_string())?.remove(0);
    asked.subjects.iter().try_for_each(|subject| asked.subject(&gpu, subject))
}
