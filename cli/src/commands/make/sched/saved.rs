//! Schedules of loops written to a file as certificates, and compared with those of a file. With a solver only those that it
//! found are written.

use super::{Told, line};
use crate::args::Sched;
use crate::input::{certificates as files_of, program};
use crate::process::exit::{Outcome, bad_input};
use crate::storage::files;
use cp2_asm::Scheduled;
use cp2_asm::diagnostic::Sources;
use cp2_asm::sched::{Certificate, Effort, ScheduleDifference, certificates, difference};
use cp2_isa::Core;
use std::fmt::Write as _;
use std::path::Path;

/// Operations that are told as moved.
const MOVED: usize = 24;

impl Told<'_> {
    /// Returns the region with the best schedules that are known.
    fn best(&self) -> &Scheduled {
        self.better.as_ref().map_or(self.scheduled, |better| &better.scheduled)
    }

    /// Returns certificates of the best schedules that are known, one for each pipelined loop.
    fn certificates(&self, core: &Core) -> Outcome<Vec<Certificate>> {
        let Scheduled { region, report, .. } = self.best();
        let efforts: Vec<Effort> = self.answers.iter().map(|answer| answer.effort).collect();
        let made = certificates(core, region, report, &efforts);
        made.map_err(|trouble| bad_input(trouble.message))
    }
}

/// Writes the best schedules of all loops to a file.
pub(super) fn save(arguments: &Sched, path: &Path, core: &Core, told: &[Told<'_>]) -> Outcome<()> {
    let source = program::name_of(&arguments.source);
    let source = source.rsplit('/').next().unwrap_or(&source);
    let mut text = format!("; Schedules of loops of {source}.\n; Made by: cp2 sched {source}");
    if arguments.exact || arguments.why {
        let _ = write!(text, " --exact --conflicts {}", arguments.conflicts);
    }
    text.push_str(if arguments.known.anew { " --anew" } else { "" });
    text.push_str(if arguments.known.certificate.is_empty() { "" } else { " --certificate FILE" });
    text.push_str(" --save FILE\n");
    for region in told {
        let report = &region.best().report;
        let bounds = report.blocks.iter().filter(|b| b.ii.is_some());
        let bounds = bounds.map(|b| b.resource_bound.max(b.recurrence_bound.cycles).to_string());
        let bounds: Vec<String> = bounds.collect();
        // A schedule that the search finds as well needs no certificate.
        let is_wanted = |loop_of: usize| region.answers.get(loop_of).is_none_or(|a| a.is_solved);
        let certificates = region.certificates(core)?.into_iter().enumerate();
        for (_, certificate) in certificates.filter(|&(loop_of, _)| is_wanted(loop_of)) {
            let _ = write!(
                text,
                "\n; Region {}: {} cycles, lower bounds of the intervals {}.\n{}",
                report.name,
                report.cost,
                bounds.join(", "),
                certificate.text()
            );
        }
    }
    files::write(path, text.as_bytes())
}

/// Writes how the schedules of a region differ from those of a file.
pub(super) fn compare(
    text: &mut String,
    path: &Path,
    core: &Core,
    (told, sources): (&Told<'_>, &Sources),
) -> Outcome<()> {
    let before = files_of::read(path)?;
    let loops = told.best().report.blocks.iter().filter(|block| block.pipeline.is_some());
    for (after, block) in told.certificates(core)?.iter().zip(loops) {
        let place = line(block.span.as_ref(), sources);
        let found = before.iter().find_map(|before| difference(before, after));
        let Some(found) = found else {
            let _ = writeln!(text, "  against {}: no schedule of loop {place}", path.display());
            continue;
        };
        let ScheduleDifference { ii, length, moved, renamed } = found;
        let _ = writeln!(
            text,
            "  against {}, loop {place}: ii {} -> {}, iteration {} -> {}, {} operations moved, {} of {} values in other registers",
            path.display(),
            ii[0],
            ii[1],
            length[0],
            length[1],
            moved.len(),
            renamed[0],
            renamed[1]
        );
        let times = block.pipeline.iter().flat_map(|p| &p.times).collect::<Vec<_>>();
        for &(at, [old, new]) in moved.iter().take(MOVED) {
            let op = times.get(at).and_then(|&&(op, _)| told.best().region.ops.get(op));
            let place = line(op.and_then(|op| op.span.as_ref()), sources);
            let _ =
                writeln!(text, "    {place:>12}  cycle {old:>5} -> {new:>5}  ({:+})", new - old);
        }
        if moved.len() > MOVED {
            let _ = writeln!(text, "    and {} more", moved.len() - MOVED);
        }
    }
    Ok(())
}
