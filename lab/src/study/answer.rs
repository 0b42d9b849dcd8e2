//! The answer of a study in words: the best machine, the next step on the front, what each further percent of silicon buys, what
//! extensions are worth and what that rests on.

use super::shares::SharedGain;
use super::{ExtensionWorth, FrontMachine, Study, StudyPoint};
use crate::costs::{EnergyPart, Estimated, RunEnergy};
use cp2_document::width::ColumnSide::Right;
use cp2_document::width::{TextTable, wrapped, wrapped_command};
use std::fmt::Write as _;

/// Percents of silicon that are told one by one.
const PERCENTS: usize = 40;
/// Notes below the tables of machines and of extensions.
const FRONT_NOTE: &str = "from, to: as the clock may be; fast, slow: memory and host at the ends of assumptions and fits\n";
const WORTH_NOTE: &str = "share, from, to: as assumptions and fits may be; clock, from, to: alone with its effect on the clock\n";
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
    /// Speed-up with these percents over that without them, with the interval that the effect on the clock leaves it.
    pub gain: Estimated,
}

/// Returns the interval of a speed-up as text, and that a gain is below it if it is, both in brackets; empty without an interval.
/// `from` is the speed-up of no gain.
pub(super) fn interval_text(speed_up: &Estimated, from: f64) -> String {
    let Estimated { low, high, .. } = speed_up;
    match () {
        () if speed_up.spread() == 0.0 => String::new(),
        () if speed_up.is_below_spread(from) => {
            format!(" ({low:.3} to {high:.3} by the clock: the gain is below this spread)")
        }
        () => format!(" ({low:.3} to {high:.3} by the clock)"),
    }
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
            let gain = b.ratio_to(a);
            let sentence = match is_same {
                true => format!("nothing: {} stays the fastest{among}", a.name),
                false => format!(
                    "{}{} in place of {}: speed-up {:.3} in place of {:.3}, {:.3} x{}; {} faster",
                    b.name,
                    if after.uncounted.is_empty() { "" } else { " (area at least)" },
                    a.name,
                    b.speed_up,
                    a.speed_up,
                    gain.value,
                    interval_text(&gain, 1.0),
                    self.faster(&a.each, &b.each)
                ),
            };
            let speed_up = [a.speed_up, b.speed_up];
            steps.push(SiliconStep { percents: [percent; 2], sentence, speed_up, gain });
        }
        steps
    }

    fn one(&self, machine: &FrontMachine) -> String {
        let area = machine.extra_area;
        let groups: Vec<String> =
            machine.groups.iter().map(|(name, speed)| format!("{name} {speed:.2}")).collect();
        format!(
            "{}: {:+.1} % area{} ({:+.1} to {:+.1} %), speed-up {:.3}{} in the geometric mean ({})",
            machine.point.name,
            area.value,
            if machine.uncounted.is_empty() { "" } else { " at least" },
            area.low,
            area.high,
            machine.point.speed_up,
            interval_text(&machine.point.ranged(machine.point.speed_up), 1.0),
            groups.join(", ")
        )
    }

    fn how_sure(&self) -> String {
        let reach = self.reach;
        if reach.known < reach.machines {
            let most = self
                .points
                .iter()
                .map(|point| point.speed_up * point.clock.value)
                .fold(1.0, f64::max);
            let costs_time = self
                .worth
                .iter()
                .find(|worth| worth.all.gain.alone.min(worth.all.gain.last) < -TIE);
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
        let speed = |point: &StudyPoint| point.speed_up * point.clock.value;
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
        let all = self.front.iter().chain([&self.best]);
        let mut left: Vec<&str> =
            all.flat_map(|one| one.uncounted.iter().map(String::as_str)).collect();
        left.sort_unstable();
        left.dedup();
        match &left[..] {
            [] => format!("{text}."),
            left => {
                format!("{text}. Areas with \"at least\" leave out more: {}.", left.join("; "))
            }
        }
    }

    /// Returns the paragraphs about gains that are below the spread of assumptions and fits, or of the effect on the clock.
    fn below_spreads(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut doubtful = Vec::new();
        for worth in &self.worth {
            for (work, gain) in
                self.workloads.iter().zip(&worth.each).filter(|(_, gain)| gain.is_below_spread())
            {
                let [low, high] = gain.spread.alone;
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
        let by_clock = self.worth.iter().filter(|worth| worth.with_clock.is_below_spread(0.0));
        let by_clock: Vec<String> = by_clock
            .map(|ExtensionWorth { name, with_clock: Estimated { value, low, high }, .. }| {
                format!("{name} ({value:.1} %, from {low:.1} to {high:.1} %)")
            })
            .collect();
        if !by_clock.is_empty() {
            all.push(format!(
                "Gains in the mean below the spread of the effect on the clock, an assumption that decides them: {}.",
                by_clock.join("; ")
            ));
        }
        all
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
                "The next {:.1} % of area buy {}: speed-up {:.3}, {:.3} x{}; {} faster.",
                b.extra_area - a.extra_area,
                new_names(&a.name, &b.name),
                b.speed_up,
                b.ratio_to(a).value,
                interval_text(&b.ratio_to(a), 1.0),
                self.faster(&a.each, &b.each)
            ));
        }
        let uses = self.worth.iter().filter(|worth| worth.all.gain.share.abs() < LEAST);
        let useless: Vec<&str> = uses.map(|worth| worth.name.as_str()).collect();
        if !useless.is_empty() {
            all.push(format!(
                "Worth less than {LEAST} % of the time in the mean: {}.",
                useless.join(", ")
            ));
        }
        all.extend(self.below_spreads());
        for pair in self.pairs.iter().filter(|pair| pair.percent.abs() >= LEAST).take(PAIRS) {
            let what = if pair.percent > 0.0 { "help each other" } else { "take from each other" };
            let spread = pair.spread.map_or(String::new(), |[low, high]| {
                let is_below = super::gains::is_below([low, high], pair.percent);
                let doubt = if is_below { ", below this spread" } else { "" };
                format!(" (from {low:+.2} to {high:+.2} % by assumptions and fits{doubt})")
            });
            all.push(format!(
                "{} and {} {what}: {:+.2} % of the time{spread}.",
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
            ("shared", Right),
            ("bundles", Right),
            ("DMA", Right),
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

    fn front_table(&self) -> String {
        let reach = self.reach;
        let mut table = TextTable::new(
            &[
                ("% area", Right),
                ("speed-up", Right),
                ("from", Right),
                ("to", Right),
                ("fast", Right),
                ("slow", Right),
            ],
            if reach.known < reach.machines {
                "machines that no other of those run beats"
            } else {
                "machines that no other beats"
            },
        );
        for one @ FrontMachine { point, uncounted, at_ends: [fast, slow], .. } in &self.front {
            let Estimated { value, low, high } = point.ranged(point.speed_up);
            let speeds = [value, low, high, *fast, *slow].map(|x| format!("{x:.3}"));
            let numbers = [&[format!("{:.2}", point.extra_area)][..], &speeds].concat();
            let mark = if one.is_below_spread() { " (gain below its spread)" } else { "" };
            let least = if uncounted.is_empty() { "" } else { " (area at least)" };
            table.row(numbers, format!("{}{least}{mark}", point.name));
        }
        table.text()
    }

    fn worth_table(&self) -> String {
        let reach = self.reach;
        let mut table = TextTable::new(
            &[
                ("alone", Right),
                ("last", Right),
                ("share", Right),
                ("from", Right),
                ("to", Right),
                ("clock", Right),
                ("from", Right),
                ("to", Right),
            ],
            "extension, percent of the time in the mean",
        );
        for worth in &self.worth {
            let percent = |gain: f64| format!("{gain:.1}");
            let mut name = worth.name.clone();
            if reach.orders > 0 {
                let _ = write!(
                    name,
                    " (share by {} orders, error {:.2})",
                    reach.orders, worth.all.gain.error
                );
            }
            let Estimated { value, low, high } = worth.with_clock;
            let SharedGain { alone, last, share, .. } = worth.all.gain;
            let spread = worth
                .all
                .spread
                .share
                .map_or(["-".to_owned(), "-".to_owned()], |spread| spread.map(percent));
            if worth.all.is_share_below_spread() {
                name += " (share below its spread)";
            }
            let (before, after) = ([alone, last, share], [value, low, high]);
            let cells = [&before.map(percent)[..], &spread, &after.map(percent)].concat();
            table.row(cells, name);
        }
        table.text()
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
        text += &format!("\n{}{}\n", self.front_table(), wrapped(FRONT_NOTE));
        text += &format!("{}{}\n{}", self.worth_table(), wrapped(WORTH_NOTE), self.energy_table());
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
