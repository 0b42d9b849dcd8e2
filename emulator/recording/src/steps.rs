//! Steps of a run as its host names them: iterations, stages, pages. Engines know nothing of them; a host tells a recorder
//! when one begins and ends, and a recording keeps them with their cycles.

use cp2_isa::Cycle;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Longest name of a step in bytes; longer ones are cut.
const LONGEST_NAME: usize = 200;

/// Level of a step in the nesting of steps: a step lies within those of lower levels that are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StepLevel {
    /// Outer iteration of a procedure, such as a V-cycle.
    Iteration,
    /// Iteration within another one, such as a step of conjugate gradients.
    Inner,
    /// Stage of an iteration: once through some arrays, such as an operator on a grid or a product.
    Stage,
    /// Page of a stage: the data that lie in one part of local memory at once.
    Page,
}

impl StepLevel {
    /// All levels, outer ones first.
    pub const ALL: [Self; 4] = [Self::Iteration, Self::Inner, Self::Stage, Self::Page];

    /// Returns the name of the level for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iteration => "iteration",
            Self::Inner => "inner iteration",
            Self::Stage => "stage",
            Self::Page => "page",
        }
    }
}

/// A step of a recorded run, as its host named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStep {
    /// Level of the step.
    pub level: StepLevel,
    /// Name of the step, such as `V-cycle 2`, `resid 32` or `page 7`.
    pub name: String,
    /// Cycles of the step, counted from reset; the end is excluded.
    pub cycles: Range<Cycle>,
}

/// Steps that a recorder was told, until they are written.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// Steps that are under way, outer ones first.
    open: Vec<RunStep>,
    /// Steps that are over and not written yet.
    over: Vec<RunStep>,
}

impl Steps {
    /// Begins a step, and ends those of its level and of deeper ones.
    pub(crate) fn begin(&mut self, level: StepLevel, name: String, now: Cycle) {
        self.end(level, now);
        self.open.push(RunStep { level, name: readable(name), cycles: now..now });
    }

    /// Ends the steps of a level and of deeper ones. Steps without a cycle are dropped.
    pub(crate) fn end(&mut self, level: StepLevel, now: Cycle) {
        while let Some(mut step) = self.open.pop_if(|step| step.level >= level) {
            step.cycles.end = now;
            if !step.cycles.is_empty() {
                self.over.push(step);
            }
        }
    }

    /// Whether a step of this level is under way.
    pub(crate) fn is_in(&self, level: StepLevel) -> bool {
        self.open.iter().any(|step| step.level == level)
    }

    /// Returns the steps that are over, once, and those under way as far as they have come in cycle `now`: a recording that is
    /// cut off has these too, and of one that goes on the whole step counts.
    pub(crate) fn take(&mut self, now: Cycle) -> Vec<RunStep> {
        let mut steps = std::mem::take(&mut self.over);
        let so_far = |step: &RunStep| RunStep { cycles: step.cycles.start..now, ..step.clone() };
        steps.extend(self.open.iter().map(so_far).filter(|step| !step.cycles.is_empty()));
        steps
    }
}

/// Returns a name as it is kept: not longer than [`LONGEST_NAME`], and on one line.
fn readable(mut name: String) -> String {
    if name.len() > LONGEST_NAME {
        let cut = (0..=LONGEST_NAME).rev().find(|&at| name.is_char_boundary(at));
        name.truncate(cut.unwrap_or_default());
    }
    if name.contains(char::is_control) {
        name = name.replace(char::is_control, " ");
    }
    name
}

/// Returns steps of a recording in the order of time, outer ones before those in them, as far as they lie in the cycles of
/// the recording. Of a step that was written while it was under way the longest part counts. `None` if steps of one level
/// overlap, which no host can tell a recorder.
pub(crate) fn sorted(mut steps: Vec<RunStep>, within: Range<Cycle>) -> Option<Vec<RunStep>> {
    for RunStep { name, cycles, .. } in &mut steps {
        *cycles = cycles.start.max(within.start)..cycles.end.min(within.end);
        *name = readable(std::mem::take(name));
    }
    steps.retain(|step| !step.cycles.is_empty());
    steps.sort_by_key(|step| (step.cycles.start, step.level, std::cmp::Reverse(step.cycles.end)));
    steps.dedup_by(|later, kept| {
        (later.cycles.start, later.level, &later.name)
            == (kept.cycles.start, kept.level, &kept.name)
    });
    let mut ends = [Cycle::RESET; StepLevel::ALL.len()];
    for RunStep { level, cycles, .. } in &steps {
        let end = &mut ends[*level as usize];
        if cycles.start < *end {
            return None;
        }
        *end = cycles.end;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(level: StepLevel, name: &str, cycles: Range<u64>) -> RunStep {
        RunStep { level, name: name.to_owned(), cycles: Cycle(cycles.start)..Cycle(cycles.end) }
    }

    #[test]
    fn a_step_ends_with_the_next_of_its_level_and_with_those_around_it() {
        let mut steps = Steps::default();
        let mut begin = |level, name: &str, at| steps.begin(level, name.to_owned(), Cycle(at));
        begin(StepLevel::Iteration, "1", 0);
        begin(StepLevel::Stage, "a", 0);
        begin(StepLevel::Page, "p", 2);
        begin(StepLevel::Stage, "b", 5);
        begin(StepLevel::Page, "of no cycle", 5);
        begin(StepLevel::Page, "q", 5);
        begin(StepLevel::Iteration, "2", 9);
        assert!(steps.is_in(StepLevel::Iteration) && !steps.is_in(StepLevel::Stage));
        steps.end(StepLevel::Iteration, Cycle(12));
        let found = sorted(steps.take(Cycle(12)), Cycle(0)..Cycle(11));
        let expected = [
            step(StepLevel::Iteration, "1", 0..9),
            step(StepLevel::Stage, "a", 0..5),
            step(StepLevel::Page, "p", 2..5),
            step(StepLevel::Stage, "b", 5..9),
            step(StepLevel::Page, "q", 5..9),
            step(StepLevel::Iteration, "2", 9..11),
        ];
        assert_eq!(found.as_deref(), Some(&expected[..]));
        assert_eq!(steps.take(Cycle(20)), []);
    }

    #[test]
    fn steps_under_way_are_kept_as_far_as_they_have_come_and_counted_once() {
        let mut steps = Steps::default();
        steps.begin(StepLevel::Iteration, "1".to_owned(), Cycle(0));
        steps.begin(StepLevel::Stage, "a".to_owned(), Cycle(4));
        let mut written = steps.take(Cycle(6));
        let cut = [step(StepLevel::Iteration, "1", 0..6), step(StepLevel::Stage, "a", 4..6)];
        assert_eq!(written, cut);
        steps.begin(StepLevel::Stage, "b".to_owned(), Cycle(7));
        written.append(&mut steps.take(Cycle(7)));
        steps.end(StepLevel::Iteration, Cycle(9));
        written.append(&mut steps.take(Cycle(9)));
        let whole = [
            step(StepLevel::Iteration, "1", 0..9),
            step(StepLevel::Stage, "a", 4..7),
            step(StepLevel::Stage, "b", 7..9),
        ];
        assert_eq!(sorted(written, Cycle(0)..Cycle(9)).as_deref(), Some(&whole[..]));
    }

    #[test]
    fn steps_that_no_host_can_name_are_refused_or_made_readable() {
        let read = |steps: &[RunStep]| sorted(steps.to_vec(), Cycle(3)..Cycle(20));
        let stage = |name: &str, cycles| step(StepLevel::Stage, name, cycles);
        let backwards = RunStep { cycles: Cycle(9)..Cycle(5), ..stage("backwards", 0..0) };
        assert_eq!(read(&[stage("a", 4..9), stage("b", 8..12)]), None);
        assert_eq!(read(&[stage("a", 4..9), stage("b", 4..7)]), None);
        assert_eq!(read(&[stage("a", 0..9), stage("b", 9..90)]).map(|steps| steps.len()), Some(2));
        assert_eq!(
            read(&[backwards, stage("before", 0..3), stage("behind", 20..30)]),
            Some(vec![])
        );
        let found = read(&[stage(&"\u{1b}[2J\n".repeat(100), 0..5)]).unwrap_or_default();
        assert_eq!(found.first().map(|step| step.name.len()), Some(LONGEST_NAME));
        assert!(found.iter().all(|step| !step.name.contains(char::is_control)));
        assert_eq!(found.first().map(|step| step.cycles.clone()), Some(Cycle(3)..Cycle(5)));
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        let mut steps = Steps::default();
        steps.begin(StepLevel::Page, "ä".repeat(LONGEST_NAME), Cycle(0));
        steps.end(StepLevel::Page, Cycle(1));
        assert_eq!(steps.take(Cycle(1)).first().map(|step| step.name.len()), Some(LONGEST_NAME));
    }
}
