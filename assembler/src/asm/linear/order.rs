//! The end of a region: it is scheduled, and the checker holds the bundles against it. Schedules that
//! are known from an earlier run are checked again.

use super::draft::Draft;
use crate::asm::context::Context;
use crate::asm::line::Spot;
use crate::asm::promised::Promised;
use crate::check::{self, BrokenPromise};
use crate::linear::Region;
use crate::sched::{
    self, Interrupt, KnownSchedules, RegionReport, ScheduleError, ScheduledBundle, Store, stored,
};
use cp2_isa::Core;
use std::collections::HashMap;

/// A region with bundles that do what it says.
pub(crate) struct Ordered {
    pub(crate) region: Region,
    pub(crate) origins: Origins,
    pub(crate) bundles: Vec<ScheduledBundle>,
    pub(crate) report: RegionReport,
    pub(crate) promised: Promised,
}

/// The places in which the parts of a region were written.
pub(crate) struct Origins {
    /// Each operation.
    pub(crate) operations: Vec<Spot>,
    /// Each `.loop`, in the order of the text.
    pub(crate) loops: Vec<Spot>,
    /// `.linear`.
    pub(crate) head: Spot,
}

/// Schedules of this run, by the place of their region and what they depend on: a repetition gives the same region many
/// times. All have been checked.
type Schedules = HashMap<String, (Vec<ScheduledBundle>, RegionReport)>;

/// The schedules that a run has made, the certificates by which it makes them, and the flag that breaks it off.
pub(crate) struct Made<'a> {
    schedules: Schedules,
    known: &'a KnownSchedules,
    interrupt: Interrupt,
}

impl<'a> Made<'a> {
    pub(crate) fn new(known: &'a KnownSchedules, interrupt: Interrupt) -> Self {
        Self { schedules: Schedules::new(), known, interrupt }
    }
}

/// The store of schedules, and the name of this one.
struct ScheduleEntry<'a> {
    store: &'a mut dyn Store,
    key: String,
}

impl Draft {
    /// Returns the region's bundles; `None` after the error has been reported.
    pub(crate) fn order(
        mut self,
        cx: &mut Context,
        store: Option<&mut (dyn Store + '_)>,
        made: &mut Made<'_>,
    ) -> Option<Ordered> {
        self.close(cx)?;
        let key = stored::key(&cx.core, self.region()) + &made.known.key();
        let name = format!("{:?} {key}", self.region().span);
        let (bundles, report) = match made.schedules.get(&name) {
            Some(known) => known.clone(),
            None => {
                let new = self.schedule_or_find(cx, store, key, made)?;
                made.schedules.insert(name, new.clone());
                new
            }
        };
        let promised = Promised::of(self.region(), &self.disjoint, &self.even);
        let Self { virtuals, places: operations, loops, head, .. } = self;
        let origins = Origins { operations, loops, head };
        Some(Ordered { region: virtuals.region, origins, bundles, report, promised })
    }

    /// Returns the schedule of the region, from the store if it is there.
    fn schedule_or_find(
        &self,
        cx: &mut Context,
        store: Option<&mut (dyn Store + '_)>,
        key: String,
        made: &Made<'_>,
    ) -> Option<(Vec<ScheduledBundle>, RegionReport)> {
        let core = cx.core;
        let mut kept = store.map(|store| ScheduleEntry { key, store });
        if let Some(found) = kept.as_mut().and_then(|kept| kept.schedule(&core, self.region())) {
            return Some(found);
        }
        let (bundles, report) = self.schedule(cx, made)?;
        if let Some(kept) = &mut kept {
            kept.keep(&core, self.region(), &bundles, &report);
        }
        Some((bundles, report))
    }

    fn schedule(
        &self,
        cx: &mut Context,
        made: &Made<'_>,
    ) -> Option<(Vec<ScheduledBundle>, RegionReport)> {
        match sched::schedule_until(&cx.core, self.region(), made.known, &made.interrupt) {
            Ok((bundles, report)) => match check::check(&cx.core, self.region(), &bundles) {
                Ok(()) => return Some((bundles, report)),
                Err(faults) => self.refuted(cx, &faults),
            },
            Err(trouble) => self.unscheduled(cx, trouble),
        }
        cx.set_incomplete();
        None
    }

    /// Reports that the checker has found the schedule wrong: the scheduler has a bug, or a promise of the region contradicts
    /// its operations.
    fn refuted(&self, cx: &mut Context, faults: &[check::ScheduleFault]) {
        let cannot = |promise| format!("{promise} cannot hold: {}", faults[0].message);
        match faults[0].promise {
            Some(BrokenPromise::Disjoint(list)) if list < self.disjoint.len() => {
                let d = self.disjoint[list].error("C0610", cannot("this promise"));
                return cx.reporter.report(d.help("leave out the sets that reach words of others"));
            }
            Some(BrokenPromise::Counts) => {
                let promise = "what the loops of this region promise of their counts";
                let help =
                    "the region sets a count itself, to a value that breaks `min=` or `multiple=`";
                return cx.reporter.report(self.head.error("C0610", cannot(promise)).help(help));
            }
            _ => {}
        }
        let message = format!("the schedule of this region is wrong, {}", faults[0]);
        let mut d = self.head.error("C0609", message);
        d.notes.extend(faults.iter().skip(1).take(9).map(check::ScheduleFault::to_string));
        let help = "this is a bug of the scheduler; please report it with the source";
        cx.reporter.report(d.help(help));
    }

    fn unscheduled(&self, cx: &mut Context, trouble: ScheduleError) {
        let ops = &self.region().ops;
        let found = ops.iter().position(|op| op.span.is_some() && op.span == trouble.span);
        let spot = found.map_or(&self.head, |op| &self.places[op]);
        let mut d = spot.error(trouble.code, trouble.message);
        if let (None, Some(span)) = (found, trouble.span) {
            d.span = Some(span);
        }
        for (span, text) in trouble.related {
            d = match span {
                Some(span) => d.related(span, text),
                None => d.note(text),
            };
        }
        if !trouble.help.is_empty() {
            d = d.help(trouble.help);
        }
        cx.reporter.report(d);
    }
}

impl ScheduleEntry<'_> {
    /// Returns the schedule that was made of this region before, if it was kept and is right.
    fn schedule(
        &mut self,
        core: &Core,
        region: &Region,
    ) -> Option<(Vec<ScheduledBundle>, RegionReport)> {
        let entry = self.store.get(&self.key)?;
        let (bundles, report) = stored::read(core, region, &entry)?;
        check::check_again(core, region, &bundles).ok()?;
        Some((bundles, report))
    }

    fn keep(
        &mut self,
        core: &Core,
        region: &Region,
        bundles: &[ScheduledBundle],
        report: &RegionReport,
    ) {
        if let Some(entry) = stored::write(core, region, bundles, report) {
            self.store.put(&self.key, &entry);
        }
    }
}
