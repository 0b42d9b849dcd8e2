//! A certificate: the schedule of one loop with what tells for which loop it is, how one is made, and its text.

use super::identity::digest;
use super::{Given, Identity, SEARCHED};
use crate::address;
use crate::loops::innermost_loops;
use crate::registers::Allocation;
use crate::report::BlockReport;
use crate::webs::Webs;
use crate::{RegionReport, ScheduleError, Work};
use cp2_ir::linear::{Region, TripCount};
use cp2_isa::{Core, FprSet};
use std::fmt::Write as _;
use std::iter::repeat;

/// The first line of a certificate.
pub(super) const HEAD: &str = "cp2-schedule 1";

/// Numbers in a line.
const ROW: usize = 24;

/// The search that led to a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Conflicts to which the solver came.
    pub conflicts: u64,
    /// Trials since the schedule was found, none of which found a better one. A search that goes on begins with the next.
    pub trials: u32,
}

/// A schedule of a loop, and the content of the loop that it is for. It is data from outside, which may be wrong: the
/// scheduler uses it only where it is a schedule of the loop, and the bundles are checked as always.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Name of the region for which it was made, for people.
    pub name: String,
    pub(crate) identity: Identity,
    /// Trip count of the loop, as the text has it.
    pub(crate) count: String,
    /// Whether operations were exchanged before the loop was scheduled.
    pub(crate) is_exchanged: bool,
    pub(crate) given: Given,
    /// The search that led to it.
    pub effort: Effort,
}

impl Certificate {
    /// Returns the initiation interval in cycles.
    pub const fn ii(&self) -> i64 {
        self.given.ii
    }

    /// Returns the text of the certificate, which ends with a digest of its lines.
    pub fn text(&self) -> String {
        let Identity {
            latencies: [load, arithmetic, psprmsgn, mtfpr],
            operations,
            dependences,
            values,
        } = self.identity;
        let Effort { conflicts, trials } = self.effort;
        let exchanged = if self.is_exchanged { "yes" } else { "no" };
        let mut text = format!(
            "{HEAD}\nname {}\ncore load {load} arithmetic {arithmetic} psprmsgn {psprmsgn} mtfpr {mtfpr}\n\
             operations {operations}\ndependences {dependences}\nvalues {values}\ncount {}\nexchanged {exchanged}\n\
             conflicts {conflicts} trials {trials}\ninterval {}\n",
            self.name, self.count, self.given.ii
        );
        numbers(&mut text, "times", self.given.times.iter().copied());
        if let Some(allocation) = &self.given.allocation {
            let _ = writeln!(text, "unroll {}", allocation.unroll);
            let all = allocation.registers.iter().flatten();
            numbers(&mut text, "registers", all.map(|&register| i64::from(register)));
        }
        let end = digest(&text);
        text + &format!("end {end:016x}\n")
    }
}

/// Writes numbers in rows.
fn numbers(text: &mut String, name: &str, all: impl Iterator<Item = i64>) {
    let all: Vec<String> = all.map(|number| number.to_string()).collect();
    let _ = writeln!(text, "{name} {}", all.len());
    all.chunks(ROW).for_each(|row| _ = writeln!(text, "{}", row.join(" ")));
}

/// Returns the trip count of a loop as a certificate has it.
pub(crate) fn count_of(count: &TripCount) -> String {
    match count {
        TripCount::Fixed(n) => n.to_string(),
        TripCount::Register { min, multiple, .. } => format!("min {min} multiple {multiple}"),
    }
}

/// Returns certificates of the schedules that the innermost loops of a region have by its report, in program order; `efforts`
/// are the searches that led to them, none for a loop beyond the list. A loop whose report has no pipeline has none.
///
/// # Errors
/// Returns an error if the region cannot be scheduled, as [`crate::schedule`] does.
pub fn certificates(
    core: &Core,
    region: &Region,
    report: &RegionReport,
    efforts: &[Effort],
) -> Result<Vec<Certificate>, ScheduleError> {
    let mut work = Work::of(core, region, &SEARCHED)?;
    let evens = work.evens(region);
    let found = report.blocks.iter().filter(|block| block.ii.is_some());
    let efforts = efforts.iter().copied().chain(repeat(Effort::default()));
    let mut made = Vec::new();
    for ((inner, block), effort) in innermost_loops(region).iter().zip(found).zip(efforts) {
        work.even = evens[inner.leaf] & address::parity_kept(&work, &inner.ops, None);
        let is_exchanged = block.exchanged != [0; 2];
        let balanced = is_exchanged.then(|| work.balanced(&inner.ops)).flatten();
        let scheduled = balanced.as_ref().map_or(&work, |b| &b.work);
        let Some(given) = reported(&scheduled.block(&inner.ops, true, 1)?.webs, block) else {
            continue;
        };
        let identity = Identity::of(&work, &work.block(&inner.ops, true, 1)?, inner.ops.len());
        let (name, count) = (region.name.clone(), count_of(&inner.of.count));
        made.push(Certificate { name, identity, count, is_exchanged, given, effort });
    }
    Ok(made)
}

/// Returns the schedule of a loop that its report tells, for the values that the loop has; `None` if the two do not belong
/// together.
pub(crate) fn reported(webs: &Webs, block: &BlockReport) -> Option<Given> {
    let (ii, pipeline) = (block.ii?, block.pipeline.as_ref()?);
    let times = pipeline.times.iter().map(|&(_, time)| time).collect();
    let mut values = pipeline.values.iter();
    let mut registers: Vec<Vec<u8>> = Vec::new();
    for web in &webs.webs {
        let mut own = values.by_ref().take(web.values.len());
        registers.push(own.next()?.registers.clone());
        own.for_each(drop);
    }
    let used = registers.iter().flatten().fold(FprSet::EMPTY, |used, &r| used | FprSet::one(r));
    let allocation = Some(Allocation { unroll: block.unroll, registers, used });
    Some(Given { ii, times, allocation })
}

/// Returns how the loops of a region differ from the one that a certificate is for, in words; `None` if one of them is that
/// loop on this core. The loop that differs least is told of.
///
/// # Errors
/// Returns an error if the region cannot be scheduled, as [`crate::schedule`] does.
pub fn mismatch(
    core: &Core,
    region: &Region,
    certificate: &Certificate,
) -> Result<Option<String>, ScheduleError> {
    let mut work = Work::of(core, region, &SEARCHED)?;
    let evens = work.evens(region);
    let mut least: Option<Vec<String>> = None;
    for inner in innermost_loops(region) {
        work.even = evens[inner.leaf] & address::parity_kept(&work, &inner.ops, None);
        let identity = Identity::of(&work, &work.block(&inner.ops, true, 1)?, inner.ops.len());
        let found = certificate.identity.differences(&identity);
        if least.as_ref().is_none_or(|least| found.len() < least.len()) {
            least = Some(found);
        }
    }
    Ok(match least {
        None => Some("the region has no innermost loop".to_owned()),
        Some(found) if found.is_empty() => None,
        Some(found) => Some(found.join("; ")),
    })
}
