//! Names in time: which kernel ran when, neighbours with the same name as a stage, and what was between them.

use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Cycle};
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
    /// Stages: neighbouring kernels of one name together, with the pauses between them.
    pub stages: Vec<NamedSpan>,
    /// Pauses between the kernels, in the order of time.
    pub pauses: Vec<PauseSpan>,
    /// Hardware loops of each program with their names, outer ones first.
    pub loops: Vec<Vec<(Body, String)>>,
}

impl RunSpans {
    /// Adds a kernel behind those that are there.
    pub(crate) fn kernel(&mut self, cycles: Range<Cycle>, name: &str, program: usize) {
        let known = self.names.iter().position(|known| known == name);
        let name = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
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
}
