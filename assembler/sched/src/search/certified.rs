//! Schedules of loops by certificates: in place of a search where a certificate is for the very loop, and beside a search
//! where it is for the same operations in a worse case, which is a slower core, fewer promises, or another count.

use super::Scheduled;
use super::cases::PROMISES;
use crate::Work;
use crate::known::{Certificate, Given, Identity, count_of};
use cp2_ir::linear::Loop;
use cp2_isa::{Core, CoreNumbers, FprSet};

impl<'a> Work<'a> {
    /// Returns the best schedule of a loop by a certificate, and whether it is for this very loop, so that no search is needed.
    pub(super) fn certified(
        &self,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
    ) -> Option<(Scheduled<'a>, bool)> {
        let mut best: Option<(Scheduled<'a>, bool)> = None;
        for certificate in self.known.of_size(ops.len()) {
            let Some((case, is_same)) = self.case_of(certificate, ops) else { continue };
            let Some(found) = case.scheduled_as(certificate, ops, of, reserved) else { continue };
            let is_exact = is_same && certificate.count == count_of(&of.count);
            let adopted = if is_same { Ok(found) } else { self.adopted(found, ops, Some(of)) };
            let Ok(found) = adopted else { continue };
            let is_best =
                best.as_ref().is_none_or(|(best, _)| found.0.cost.rank < best.0.cost.rank);
            let was_exact = best.as_ref().is_some_and(|&(_, is_exact)| is_exact);
            best = if is_best { Some((found, is_exact || was_exact)) } else { best };
        }
        best
    }

    /// Returns the case in which a loop is that of a certificate, and whether it is the case at hand.
    fn case_of(&self, certificate: &Certificate, ops: &[usize]) -> Option<(Self, bool)> {
        let placed = self.slowed(certificate)?;
        PROMISES.into_iter().enumerate().find_map(|(k, promises)| {
            let work = self.on(placed, promises);
            let identity = Identity::of(&work, &work.block(ops, true, 1).ok()?, ops.len());
            (identity == certificate.identity).then_some((work, k == 0 && placed == self.placed))
        })
    }

    /// Returns the core with the latencies of a certificate, if none of them is less than that of this core.
    fn slowed(&self, certificate: &Certificate) -> Option<Core> {
        let numbers = *self.placed.numbers();
        let [load_latency, arithmetic_latency, psprmsgn_latency, mtfpr_latency] =
            certificate.identity.latencies;
        let slower = CoreNumbers {
            load_latency,
            arithmetic_latency,
            psprmsgn_latency,
            mtfpr_latency,
            ..numbers
        };
        let is_slower = load_latency >= numbers.load_latency
            && arithmetic_latency >= numbers.arithmetic_latency
            && psprmsgn_latency >= numbers.psprmsgn_latency
            && mtfpr_latency >= numbers.mtfpr_latency;
        if is_slower { Core::new(slower).ok() } else { None }
    }

    /// Returns the schedule of a certificate as one of this loop, in its registers or in others.
    fn scheduled_as(
        &self,
        certificate: &Certificate,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
    ) -> Option<Scheduled<'a>> {
        let balanced = if certificate.is_exchanged { Some(self.balanced(ops)?) } else { None };
        let work = balanced.as_ref().map_or(self, |b| &b.work);
        let given = certificate.given.clone();
        let elsewhere = Given { allocation: None, ..given.clone() };
        let found = work.given(ops, of, reserved, given);
        let found = found.or_else(|| work.given(ops, of, reserved, elsewhere))?;
        Some((found, balanced))
    }
}
