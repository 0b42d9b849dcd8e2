//! The answer of a study in words: the best machine, the next step on the front, what each further percent of silicon buys, what
//! extensions are worth and what that rests on.

use super::{FrontMachine, Study, StudyPoint};
use crate::costs::{EnergyPart, RunEnergy};
use cp2_document::width::ColumnSide::Right;
use cp2_document::width::{TextTable, wrapped, wrapped_command};
use std::fmt::Write as _;

/// Percents of silicon that are told one by one.
const PERCENTS: usize = 40;
/// Pairs that are told in words, and the least percent that is worth a word.
const PAIRS: usize = 5;
const LEAST: f64 = 0.05;
/// Difference of percents or speed-ups that rounding alone makes.
const TIE: f64 = 1e-9;

/// Percents of silicon, counted from the machine without changes, and what they buy: one percent that buys another machine, or several
/// in a row that buy nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct SiliconStep {
    /// First and last of the percents, whole numbers from 1.
    pub percents: [usize; 2],
    /// Sentence that says what the percents buy over what was there before.
    pub sentence: String,
    /// Greatest speed-up without these percents, and with them.
    pub speed_up: [f64; 2],
}

impl SiliconStep {
    /// Whether the percents buy nothing.
    fn is_nothing(&self) -> bool {
        self.speed_up[0] == self.speed_up[1]
    }

    /// Returns the percents as text: one number, or the first and the last.
    pub fn percents_text(&self) -> String {
        let [first, last] = self.percents;
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    }
}

/// Returns names of extensions that the second machine has and the first has not.
fn new_names(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split(", ").collect();
    let new: Vec<&str> = after.split(", ").filter(|name| !old.contains(name)).collect();
    new.join(" and ")
}

impl Study {
    /// Returns the workloads that a machine makes faster than another by a hundredth and more, as text.
    fn faster(&self, before: &[f64], after: &[f64]) -> String {
        let ratios = self.workloads.iter().zip(before.iter().zip(after));
        let faster = ratios.filter(|(_, (a, b))| **b > **a * 1.01);
        let names: Vec<String> =
            faster.map(|(work, (a, b))| format!("{} ({:.2} x)", work.name, b / a)).collect();
        match names.len() {
            0 => "no workload by a hundredth".to_owned(),
            n if n == self.workloads.len() && n > 1 => "all workloads".to_owned(),
            _ => format!("only {}", names.join(", ")),
        }
    }

    /// Returns what each percent of silicon buys, up to the largest machine that was compared, or to the limit of area if there is
    /// one; at most 40.
    pub fn silicon(&self) -> Vec<SiliconStep> {
        let within = |percent: usize| {
            self.front.iter().rev().find(|one| one.point.extra_area <= percent as f64)
        };
        let last = self.points.iter().map(|point| point.extra_area).fold(0.0, f64::max).ceil();
        // Machines beyond a limit are not on the front: what they would buy is not known.
        let last = self.most_extra_area.map_or(last, |most| last.min(most.floor()));
        let among = if self.limits.is_empty() { "" } else { " within the limits" };
        let mut steps: Vec<SiliconStep> = Vec::new();
        for percent in 1..=(last as usize).min(PERCENTS) {
            let Some((before, after)) = within(percent - 1).zip(within(percent)) else { continue };
            let (a, b) = (&before.point, &after.point);
            let is_same = a.machine == b.machine;
            if let Some(last) = steps.last_mut().filter(|last| is_same && last.is_nothing()) {
                last.percents[1] = percent;
                continue;
            }
            let sentence = match is_same {
                true => format!("nothing: {} stays the fastest{among}", a.name),
                false => format!(
                    "{} in place of {}: speed-up {:.3} in place of {:.3}; {} faster",
                    b.name,
                    a.name,
                    b.speed_up,
                    a.speed_up,
                    self.faster(&a.each, &b.each)
                ),
            };
            let speed_up = [a.speed_up, b.speed_up];
            steps.push(SiliconStep { percents: [percent; 2], sentence, speed_up });
        }
        steps
    }

    fn one(&self, machine: &FrontMachine) -> String {
        let area = machine.extra_area;
        let groups: Vec<String> =
            machine.groups.iter().map(|(name, speed)| format!("{name} {speed:.2}")).collect();
        format!(
            "{}: {:+.1} % area ({:+.1} to {:+.1} %), speed-up {:.3} in the geometric mean ({})",
            machine.point.name,
            area.value,
            area.low,
            area.high,
            machine.point.speed_up,
            groups.join(", ")
        )
    }

    fn how_sure(&self) -> String {
        let reach = self.reach;
        if reach.known < reach.machines {
            let most =
                self.points.iter().map(|point| point.speed_up * point.clock).fold(1.0, f64::max);
            let costs_time =
                self.worth.iter().find(|worth| worth.all.alone.min(worth.all.last) < -TIE);
            let bound = match costs_time {
                Some(worth) => format!("no bound is known, since {} costs cycles", worth.name),
                None => {
                    format!("if no extension costs cycles, none has a speed-up above {most:.3}")
                }
            };
            return format!(
                "best found: {} of {} machines were run; {bound}",
                reach.known, reach.machines
            );
        }
        let left = reach.known - self.points.len();
        let left =
            if left > 0 { format!("; on {left} a workload does not run") } else { String::new() };
        format!("proved: all {} machines were compared{left}", reach.machines)
    }

    /// Returns a sentence about the machine that would be the fastest if sizes did not slow the clock, unless it is the fastest anyway
    /// or limits other than that of area could exclude it.
    fn same_clock(&self) -> Option<String> {
        if self.limits.len() > usize::from(self.most_extra_area.is_some()) {
            return None;
        }
        let most = self.most_extra_area.unwrap_or(f64::INFINITY);
        let within = self.points.iter().filter(|point| point.extra_area <= most);
        let speed = |point: &StudyPoint| point.speed_up * point.clock;
        let best = within.reduce(|a, b| if speed(b) > speed(a) + TIE { b } else { a })?;
        let fastest = &self.front.last()?.point;
        (speed(best) > speed(fastest) + TIE).then(|| {
            format!(
                "The effect of sizes on the clock is an assumption; without it the fastest would be {}: {:+.1} % area, speed-up {:.3}.",
                best.name,
                best.extra_area,
                speed(best)
            )
        })
    }

    /// Returns the sentences about what areas and energies leave out.
    fn left_out(&self) -> String {
        let text = "Areas and energies are of a model of CP2 by its parts (`cp2 costs`), since neither node nor area of VM7 and VM9 is published; pads, control processor, caches and memory chips are not in its area";
        let has = |one: &FrontMachine| one.point.name.contains("memory-controller");
        match self.front.iter().chain([&self.best]).any(has) {
            true => format!("{text}, so that memory-controller costs more than is told here."),
            false => format!("{text}."),
        }
    }

    /// Returns the paragraphs of the answer.
    pub fn words(&self) -> Vec<String> {
        let mut all = vec![format!("Best by {}: {}.", self.goal.name(), self.one(&self.best))];
        all.push(format!("This is {}.", self.how_sure()));
        if !self.limits.is_empty() {
            all.push(format!("Within: {}.", self.limits.join("; ")));
        }
        if let [only] = &self.front[..] {
            all.push(format!("The front has one machine: none within the limits is faster than {}, and none as fast is smaller.", only.point.name));
        }
        let next = self.front.iter().find(|one| one.point.extra_area > self.best.point.extra_area);
        if let Some(next) = next {
            let (a, b) = (&self.best.point, &next.point);
            all.push(format!(
                "The next {:.1} % of area buy {}: speed-up {:.3}; {} faster.",
                b.extra_area - a.extra_area,
                new_names(&a.name, &b.name),
                b.speed_up,
                self.faster(&a.each, &b.each)
            ));
        }
        let uses = self.worth.iter().filter(|worth| worth.all.share.abs() < LEAST);
        let useless: Vec<&str> = uses.map(|worth| worth.name.as_str()).collect();
        if !useless.is_empty() {
            all.push(format!(
                "Worth less than {LEAST} % of the time in the mean: {}.",
                useless.join(", ")
            ));
        }
        let mut doubtful = Vec::new();
        for worth in &self.worth {
            for (work, gain) in
                self.workloads.iter().zip(&worth.each).filter(|(_, gain)| gain.is_below_spread)
            {
                let [low, high] = gain.spread;
                doubtful.push(format!(
                    "{} for {} ({:.1} %, from {low:.1} to {high:.1} %)",
                    worth.name, work.name, gain.gain.alone
                ));
            }
        }
        if !doubtful.is_empty() {
            all.push(format!(
                "Gains below the spread of assumptions and fits, which decide them: {}.",
                doubtful.join("; ")
            ));
        }
        for pair in self.pairs.iter().filter(|pair| pair.percent.abs() >= LEAST).take(PAIRS) {
            let what = if pair.percent > 0.0 { "help each other" } else { "take from each other" };
            all.push(format!(
                "{} and {} {what}: {:+.2} % of the time.",
                pair.names[0], pair.names[1], pair.percent
            ));
        }
        all.extend(self.same_clock());
        all.push(self.left_out());
        all
    }

    /// Returns the energies of the best machine as a table; empty if no event was counted.
    fn energy_table(&self) -> String {
        let known = self.best.energy.iter().zip(&self.workloads);
        let known: Vec<_> =
            known.filter_map(|(energy, work)| Some((energy.as_ref()?, work))).collect();
        if known.is_empty() {
            return String::new();
        }
        let columns = [
            ("uJ", Right),
            ("from", Right),
            ("to", Right),
            ("float", Right),
            ("regs", Right),
            ("local", Right),
            ("DMA", Right),
            ("bundles", Right),
            ("memory", Right),
            ("leakage", Right),
        ];
        let mut table =
            TextTable::new(&columns, "energy of a run on the best machine, and percent by events");
        for (RunEnergy { nj, parts }, work) in known {
            let uj = [nj.value, nj.low, nj.high].map(|nj| format!("{:.1}", nj / 1000.0));
            let share = |part: &EnergyPart| format!("{:.1}", 100.0 * part.nj.value / nj.value);
            let cells = uj.into_iter().chain(parts.iter().map(share)).collect();
            table.row(cells, work.name.clone());
        }
        format!("{}\n", table.text())
    }

    /// Returns the study as text for people.
    pub fn text(&self) -> String {
        let reach = self.reach;
        let mut text = format!(
            "{} workload{} on {} machines from {}: {} times by {} runs, cp2 {}\n\n",
            self.workloads.len(),
            if self.workloads.len() == 1 { "" } else { "s" },
            reach.known,
            self.machine,
            reach.asked,
            reach.runs,
            env!("CARGO_PKG_VERSION")
        );
        self.words().iter().for_each(|words| text += &wrapped(&format!("{words}\n")));
        let mut table = TextTable::new(
            &[("% area", Right), ("speed-up", Right), ("clock", Right)],
            if reach.known < reach.machines {
                "machines that no other of those run beats"
            } else {
                "machines that no other beats"
            },
        );
        for FrontMachine { point, .. } in &self.front {
            let numbers = [
                format!("{:.2}", point.extra_area),
                format!("{:.3}", point.speed_up),
                format!("{:.3}", point.clock),
            ];
            table.row(numbers.to_vec(), point.name.clone());
        }
        text += &format!("\n{}\n", table.text());
        let mut table = TextTable::new(
            &[("alone", Right), ("last", Right), ("share", Right)],
            "extension, percent of the time in the mean",
        );
        for worth in &self.worth {
            let percent = |gain: f64| format!("{gain:.2}");
            let mut name = worth.name.clone();
            if reach.orders > 0 {
                let _ = write!(
                    name,
                    " (share by {} orders, error {:.2})",
                    reach.orders, worth.all.error
                );
            }
            table.row(
                vec![percent(worth.all.alone), percent(worth.all.last), percent(worth.all.share)],
                name,
            );
        }
        text += &format!("{}\n{}", table.text(), self.energy_table());
        for step in self.silicon() {
            text += &wrapped(&format!(
                "percent {} of silicon buys {}\n",
                step.percents_text(),
                step.sentence
            ));
        }
        text + "\n" + &wrapped_command("again: ", &self.command) + "\n"
    }
}
