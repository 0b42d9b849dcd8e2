//! A cycle in which `sync` or `stop` held the issue: the operation that holds, the results under way, and how much of
//! the hold the next bundle needs.

use super::Look;
use super::constraint::{Constraint, constraints};
use crate::history::{Issued, SegmentCycle};
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::RecordingError;

/// The explanation of a hold: consecutive cycles in which nothing issues, because `sync` or `stop` waits for results to
/// land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Address of the bundle with the `sync` or `stop`.
    pub address: BundleAddress,
    /// The operation `sync` or `stop`; `None` if it is not known.
    pub by: Option<Issued>,
    /// First cycle of the hold and first cycle behind it, counted from reset.
    pub cycles: (Cycle, Cycle),
    /// Results for FPRs that had not landed in the explained cycle, the one that lands last first.
    pub under_way: Vec<AwaitedResult>,
    /// Operations of the bundle behind the hold that had to wait for a reason of their own, each with the latest such
    /// reason; the operation that could issue last comes first. Cycles of the hold from the `ready` of that reason on
    /// were not needed ([`Hold::unneeded_cycles`]).
    pub needed: Vec<(Issued, Constraint)>,
}

/// A result for an FPR that had not landed (been written) in an explained cycle in which the issue was held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedResult {
    /// Operation that computes the result.
    pub issued: Issued,
    /// First cycle, counted from reset, in which an operation of the same unit that issues in it reads the result.
    pub visible: Cycle,
}

impl Hold {
    /// Returns the number of cycles, at the end of the hold, in which every operation of the next bundle could have
    /// issued but for the `sync` or `stop`: those from the [`Constraint::ready`] of the first entry of [`Hold::needed`]
    /// on, all cycles of the hold if there is no entry.
    pub fn unneeded_cycles(&self) -> u64 {
        let (first, behind) = self.cycles;
        let ready =
            self.needed.first().map_or(first, |(_, constraint)| constraint.ready.max(first));
        behind.saturating_since(ready)
    }
}

/// Returns the hold that a cycle belongs to; `None` if the address of its bundle is not known.
pub(super) fn hold(
    look: &mut Look<'_>,
    past: &SegmentCycle,
) -> Result<Option<Hold>, RecordingError> {
    let Some(address) = past.address else { return Ok(None) };
    let is_held = |look: &mut Look<'_>, cycle| -> Result<bool, RecordingError> {
        let past = look.history.cycle(look.recording, cycle)?;
        Ok(past.is_some_and(|past| past.cause == Some(Cause::SyncHold)))
    };
    let (mut first, mut behind) = (past.number, past.number + 1);
    while first > Cycle::RESET && is_held(look, first - 1)? {
        first = first - 1;
    }
    while is_held(look, behind)? {
        behind += 1;
    }
    let issue = Cycle(first.0.saturating_sub(1));
    let by = look.history.issued(look.recording, issue..first)?.pop();
    let latencies = *look.program.core.latencies();
    let from = Cycle(past.number.0.saturating_sub(latencies.longest().into()));
    let mut under_way = Vec::new();
    for issued in look.history.issued(look.recording, from..first)? {
        let mut visible = None;
        issued.footprint(&mut |access| {
            if let Some(resource @ cp2_isa::Resource::Fpr(..)) = access.changed() {
                let distance = latencies.distance(issued.unit(), resource, issued.unit());
                visible = visible.max(Some(issued.cycle + u64::from(distance)));
            }
        });
        if let Some(visible) = visible.filter(|visible| *visible > past.number) {
            under_way.push(AwaitedResult { issued, visible });
        }
    }
    under_way.sort_by_key(|result| std::cmp::Reverse(result.visible));
    let mut needed = Vec::new();
    for issued in look.history.issued(look.recording, behind..behind + 1)? {
        let latest = constraints(look, &issued)?.into_iter().next();
        needed.extend(latest.map(|constraint| (issued, constraint)));
    }
    needed.sort_by_key(|(_, constraint)| std::cmp::Reverse(constraint.ready));
    Ok(Some(Hold { address, by, cycles: (first, behind), under_way, needed }))
}
