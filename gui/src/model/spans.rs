//! Names in time: steps that the host named, which kernel ran when, neighbours with the same name as a stage where the host
//! named none, and what was between them.

use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::{RunStep, StepLevel};
use std::collections::HashMap;
use std::ops::Range;

/// A part of a run that has a name: a stage, a kernel, a loop or a pass of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSpan {
    /// Cycles of the span; the end is excluded.
    pub cycles: Range<Cycle>,
    /// Number of the name in [`RunSpans::names`].
    pub name: usize,
    /// Number of the program in [`RunSpans::loops`] that was in instruction memory.
    pub program: usize,
}

/// Cycles between two kernels, and how many of them are the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseSpan {
    /// Cycles in which no kernel ran; the end is excluded.
    pub cycles: Range<Cycle>,
    /// Number of these cycles in which the DMA channel was idle as well, so that all waited for the host.
    pub host: u64,
}

/// The names of a run in the course of its cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSpans {
    /// Names, each once.
    pub names: Vec<String>,
    /// Kernels that ran, in the order of time.
    pub kernels: Vec<NamedSpan>,
    /// Neighbouring kernels of one name together, with the pauses between them.
    pub stages: Vec<NamedSpan>,
    /// Steps that the host named, by level, outer ones first; levels without steps are left out.
    pub steps: Vec<(StepLevel, Vec<NamedSpan>)>,
    /// Pauses between the kernels, in the order of time.
    pub pauses: Vec<PauseSpan>,
    /// Hardware loops of each program with their names, outer ones first.
    pub loops: Vec<Vec<(Body, String)>>,
    numbers: HashMap<String, usize>,
}

impl RunSpans {
    /// Returns the number of a name, which is new if nothing had it before.
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds the steps that the host named, which are in the order of time.
    pub(crate) fn add_steps(&mut self, steps: &[RunStep]) {
        for level in StepLevel::ALL {
            let of_level = steps.iter().filter(|step| step.level == level);
            let spans: Vec<NamedSpan> = of_level
                .map(|step| NamedSpan {
                    cycles: step.cycles.clone(),
                    name: self.number(&step.name),
                    program: 0,
                })
                .collect();
            if !spans.is_empty() {
                self.steps.push((level, spans));
            }
        }
    }

    /// Returns the rows of steps with their names: those that the host named, or kernels of one name together where it named no
    /// stages.
    pub fn rows(&self) -> Vec<(&'static str, &[NamedSpan])> {
        let has_stages = self.steps.iter().any(|(level, _)| *level == StepLevel::Stage);
        let mut rows: Vec<(StepLevel, &[NamedSpan])> =
            self.steps.iter().map(|(level, spans)| (*level, &spans[..])).collect();
        if !has_stages {
            rows.push((StepLevel::Stage, &self.stages));
            rows.sort_by_key(|(level, _)| *level);
        }
        rows.into_iter().map(|(level, spans)| (row_name(level), spans)).collect()
    }

    /// Adds a kernel behind those that are there.
    pub(crate) fn kernel(&mut self, cycles: Range<Cycle>, name: &str, program: usize) {
        let name = self.number(name);
        match self.stages.last_mut() {
            Some(stage) if stage.name == name => stage.cycles.end = cycles.end,
            _ => self.stages.push(NamedSpan { cycles: cycles.clone(), name, program }),
        }
        self.kernels.push(NamedSpan { cycles, name, program });
    }

    /// Makes the last kernel longer, which went on.
    pub(crate) fn extend_last(&mut self, end: Cycle) {
        let spans = [self.kernels.last_mut(), self.stages.last_mut()];
        spans.into_iter().flatten().for_each(|span| span.cycles.end = end);
    }

    /// Returns the name of a span.
    pub fn name(&self, span: &NamedSpan) -> &str {
        self.names.get(span.name).map_or("", String::as_str)
    }

    /// Returns the kernel that runs in a cycle.
    pub fn kernel_in(&self, cycle: Cycle) -> Option<&NamedSpan> {
        within(&self.kernels, &(cycle..cycle + 1)).first()
    }

    /// Returns the innermost loop of a program whose body has the bundle at an address.
    pub fn innermost(&self, program: usize, address: BundleAddress) -> Option<&(Body, String)> {
        self.loops.get(program)?.iter().rfind(|(body, _)| body.contains(address))
    }
}

const fn row_name(level: StepLevel) -> &'static str {
    match level {
        StepLevel::Iteration => "Iteration",
        StepLevel::Inner => "Inner",
        StepLevel::Stage => "Stage",
        StepLevel::Page => "Page",
    }
}

/// Returns those of some spans, in the order of time, that have a cycle in a range.
pub fn within<'a>(spans: &'a [NamedSpan], range: &Range<Cycle>) -> &'a [NamedSpan] {
    let from = spans.partition_point(|span| span.cycles.end <= range.start);
    let to = spans.partition_point(|span| span.cycles.start < range.end);
    &spans[from..to.max(from)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_name_are_a_stage() {
        let mut spans = RunSpans::default();
        spans.kernel(Cycle(10)..Cycle(20), "resid", 0);
        spans.kernel(Cycle(30)..Cycle(40), "resid", 0);
        spans.extend_last(Cycle(45));
        spans.kernel(Cycle(50)..Cycle(60), "psinv", 1);
        let stages: Vec<_> =
            spans.stages.iter().map(|s| (spans.name(s), s.cycles.clone())).collect();
        assert_eq!(stages, [("resid", Cycle(10)..Cycle(45)), ("psinv", Cycle(50)..Cycle(60))]);
        assert_eq!(spans.kernel_in(Cycle(42)).map(|s| s.cycles.start), Some(Cycle(30)));
        assert_eq!(spans.kernel_in(Cycle(47)), None);
        assert_eq!(within(&spans.kernels, &(Cycle(19)..Cycle(31))).len(), 2);
    }

    #[test]
    fn stages_that_the_host_named_take_the_place_of_those_by_kernels() {
        let mut spans = RunSpans::default();
        spans.kernel(Cycle(10)..Cycle(20), "resid", 0);
        let names = |spans: &RunSpans| {
            let rows = spans.rows().into_iter();
            rows.map(|(row, of)| format!("{row}: {}", spans.name(&of[0]))).collect::<Vec<_>>()
        };
        assert_eq!(names(&spans), ["Stage: resid"]);
        let step = |level, name: &str| RunStep {
            level,
            name: name.to_owned(),
            cycles: Cycle(5)..Cycle(30),
        };
        spans.add_steps(&[
            step(StepLevel::Iteration, "V-cycle 1"),
            step(StepLevel::Stage, "resid 32"),
            step(StepLevel::Page, "resid"),
        ]);
        assert_eq!(names(&spans), ["Iteration: V-cycle 1", "Stage: resid 32", "Page: resid"]);
        assert_eq!(spans.names, ["resid", "V-cycle 1", "resid 32"]);
    }
}
