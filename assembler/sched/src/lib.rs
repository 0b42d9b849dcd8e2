//! The scheduler: linear code to bundles. This file holds what its parts share. `region` walks the blocks, `search` finds
//! intervals, `deps`, `webs` and `address` say what must hold, `place` and `registers` choose, `emit` writes. No text is
//! parsed here, nothing runs. The scheduler is not trusted: the crate `cp2-check` validates what it makes.

mod address;
mod allowance;
mod bits;
mod count;
mod deps;
mod emit;
mod exact;
mod file;
mod fixed;
mod graph;
mod hints;
mod known;
mod loops;
mod pairing;
mod place;
mod region;
mod registers;
mod report;
mod run;
mod search;
mod shortage;
pub mod stored;
mod webs;

pub use allowance::Interrupt;
pub use cp2_ir::linear::{ScheduledBundle, SlotOrigin};
pub use exact::{Answer, LoopSchedule, Obstacle, answers};
pub use hints::{Hint, LoopHints, MissingPromise, TrialBudget, hints};
pub use known::{
    Certificate, CertificateError, Effort, KnownSchedules, ScheduleDifference, certificates,
    difference, mismatch, read_certificates, shipped_certificates,
};
pub use region::{schedule, schedule_as, schedule_knowing, schedule_until, takes_over};
pub use report::{
    BlockReport, CycleFormula, Lifetime, LowerBound, Pipeline, PipelineKernel, RegionReport,
};
pub use run::{reach, wait_before};
pub use stored::Store;

use allowance::Allowance;
use cp2_ir::diagnostic::Span;
use cp2_ir::linear::{Op, Reg, Region};
use cp2_isa::{Core, Effects, Slot};
use fixed::Fixed;
use place::Need;
use std::borrow::Cow;

/// The reason why [`schedule`] cannot schedule a region of linear code, as the parts of a diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleError {
    /// Code of the diagnostic, `C0601` and up; empty for a search that was broken off.
    pub code: &'static str,
    /// Place in the source that is at fault; `None` if it is not known.
    pub span: Option<Span>,
    /// Message for people: why there is no schedule.
    pub message: String,
    /// Advice on how to mend the source; empty if there is none.
    pub help: String,
    /// Further source lines that matter, each with a text about it; a text without a line is a note.
    pub related: Vec<(Option<Span>, String)>,
}

impl ScheduleError {
    fn new(code: &'static str, span: Option<Span>, message: String, help: &str) -> Self {
        Self { code, span, message, help: help.to_owned(), related: Vec::new() }
    }

    fn broken_off(region: &Region) -> Self {
        Self::region(region, "", "the search for a schedule was broken off".to_owned())
    }

    fn region(region: &Region, code: &'static str, message: String) -> Self {
        Self::new(code, region.span.clone(), message, "")
    }
}

/// A region being scheduled: its operations and those that the scheduler adds.
#[derive(Clone)]
struct Work<'a> {
    core: Core,
    /// Core for whose latencies operations are placed, no faster than `core`: a result is taken when it would be there on
    /// either, and a register is overwritten when no one reads it on either.
    placed: Core,
    /// Region as it was written, but for more neighbours if operations were exchanged.
    region: Cow<'a, Region>,
    ops: Vec<Op>,
    fixed: Fixed,
    /// Address sets that are even where the block at hand begins.
    even: u16,
    /// Schedules of loops that are known before anything is searched.
    known: &'a KnownSchedules,
    /// Work that is left to the search.
    allowance: Allowance,
}

impl Work<'_> {
    fn need(&self, op: usize) -> Need {
        let op = &self.ops[op];
        let row = op.code.row();
        let predicate = row.effects.contains(Effects::PREDICATED).then_some(op.cc);
        let accesses = self.region.fpr_accesses(op);
        let source =
            !accesses.is_empty() && accesses.iter().all(|a| a.write && !a.read && !a.keeps);
        Need { exchange: row.slot == Slot::Exchange, predicate, source }
    }

    fn not_neighbours(&self, op: usize, first: Reg, second: Reg) -> ScheduleError {
        let name = |reg| self.region.register_name(reg);
        let message = format!(
            "`{}` and `{}` cannot be neighbours here: other operations put them elsewhere",
            name(first),
            name(second)
        );
        let help = "copy one of them into a register that is used in one pair only";
        ScheduleError::new("C0604", self.ops[op].span.clone(), message, help)
    }
}
