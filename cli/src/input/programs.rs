//! Programs of a recording by cycle: a host may load one kernel over another.

use crate::process::exit::{Outcome, bad_input};
use cp2_analysis::program::{NamedProgram, of_memory};
use cp2_asm::diagnostic::Sources;
use cp2_asm::image::Image;
use cp2_asm::sites::NamesByCycle;
use cp2_isa::{Core, Cycle};
use cp2_recording::Recording;
use cp2_session::recorded::{self, CodeNames, RecordedProgramError, RecordedPrograms};
use std::ops::Range;

/// Programs that took turns in instruction memory, each with the cycles in which it was there; and the kernels whose names
/// are right in all cycles, as one program; and the texts of their files.
pub(crate) struct Programs(Vec<(Image, Vec<Range<Cycle>>)>, Image, Sources);

impl Programs {
    /// Returns the programs of a recording and the texts of their files. Where it keeps none, the bundles are a program
    /// without names.
    pub(crate) fn of(recording: &mut Recording, name: &str) -> Outcome<(Self, Sources)> {
        let failed = |e: RecordedProgramError| bad_input(format!("{name}: {e}"));
        let names = recorded::by_code(recording).map_err(failed)?;
        let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
        let mut whole = recorded::throughout(recording, begin..end).map_err(failed)?.image;
        let mut sources = Sources::default();
        let mut programs = Vec::new();
        for CodeNames { cycles, programs: RecordedPrograms { image, sources: own }, bundles } in
            names
        {
            for (k, file) in (0..).zip(own.names()) {
                if sources.text_of(file).is_none() {
                    sources.add(file, own.text(k));
                }
            }
            let image = if image.kernels.is_empty() { of_memory(&bundles) } else { image };
            programs.push((image, cycles));
        }
        if whole.kernels.is_empty() {
            let here = recording.cycle();
            recording.seek(end).map_err(|e| bad_input(format!("{name}: {e}")))?;
            whole = of_memory(&recording.state().iram);
            recording.seek(here).map_err(|e| bad_input(format!("{name}: {e}")))?;
        }
        Ok((Self(programs, whole, sources.clone()), sources))
    }

    /// Returns the one program that was there in all cycles of a recording.
    pub(crate) fn of_one(image: &Image, sources: &Sources, recording: &Recording) -> Self {
        let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
        Self(vec![(image.clone(), vec![begin..end])], image.clone(), sources.clone())
    }

    /// Returns the programs with indices of their names.
    pub(crate) fn named(&self, core: &Core) -> Vec<NamedProgram<'_>> {
        let all = self.0.iter();
        all.map(|(image, _)| NamedProgram::new(image, core).with_sources(&self.2)).collect()
    }

    /// Returns the names of operations in all cycles.
    pub(crate) fn names(&self, core: &Core) -> NamesByCycle<'_> {
        let programs = self.0.iter().map(|(image, cycles)| (image, cycles.clone()));
        NamesByCycle::new(programs, core)
    }

    /// Returns the programs, each with the cycles in which it was there.
    pub(crate) fn into_turns(self) -> Vec<(Image, Vec<Range<Cycle>>)> {
        self.0
    }

    /// Returns the kernels whose names are right in all cycles.
    pub(crate) fn whole(&self) -> &Image {
        &self.1
    }

    /// Returns the program that was there in a cycle.
    pub(crate) fn image_in(&self, cycle: Cycle) -> &Image {
        let is_there = |(_, cycles): &&(Image, Vec<Range<Cycle>>)| {
            cycles.iter().any(|range| range.contains(&cycle))
        };
        let found = self.0.iter().find(is_there).or_else(|| self.0.last());
        found.map_or(&self.1, |(image, _)| image)
    }

    /// Returns programs that [`Programs::named`] gave with the cycles in which they were there.
    pub(crate) fn in_cycles<'a>(
        &self,
        named: &'a [NamedProgram<'a>],
    ) -> Vec<(&'a NamedProgram<'a>, Vec<Range<Cycle>>)> {
        named.iter().zip(self.0.iter().map(|(_, cycles)| cycles.clone())).collect()
    }
}
