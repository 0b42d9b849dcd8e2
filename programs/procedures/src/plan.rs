//! The choice among the plans by which a procedure can use a machine: the one with the fewest predicted cycles.
//!
//! Most procedures repeat a unit of work, a page or a vector, so that their cycles are those of a few units and so many
//! times what one unit more takes; a trial runs the few.

use crate::host::Host;
use cp2_isa::Core;
use cp2_session::cost::{ChosenPlan, OtherPlan};
use cp2_session::error::KernelError;

/// Units of work in the two trials of a plan: enough that the first and the last one, which overlap with nothing, are behind
/// each other, and six apart, since pages lie in two or three places in turn.
const TRIALS: [usize; 2] = [3, 9];

/// Predicts the cycles of `units` equal units of work by `run`, which returns the cycles of fewer of them.
///
/// # Errors
/// The errors are those of `run`.
pub(crate) fn predicted(
    units: usize,
    run: impl Fn(usize) -> Result<u64, KernelError>,
) -> Result<f64, KernelError> {
    let [few, more] = TRIALS;
    if units <= more {
        return Ok(run(units)? as f64);
    }
    let [cycles, with_more] = [run(few)? as f64, run(more)? as f64];
    Ok(with_more + (with_more - cycles) / (more - few) as f64 * (units - more) as f64)
}

/// Plan of a procedure for some work, such as a number of vectors of a length.
pub(crate) trait Plan: Copy {
    /// Work for which the plan is made.
    type Work: Copy;

    /// Returns the name of the plan in reports.
    fn name(self) -> String;

    /// Refuses work that is not cut in this way, and a core whose local memory does not hold the pages of the plan.
    fn check(self, core: &Core, work: Self::Work) -> Result<(), KernelError>;

    /// Predicts the cycles of the whole work on the machine of a host that passes [`Self::check`].
    fn predicted(self, host: &Host, work: Self::Work) -> Result<f64, KernelError>;
}

/// Predicts the cycles of a plan. `key` tells the work; the environment keeps the cycles from call to call.
fn predict_or_reuse<P: Plan>(
    plan: P,
    (host, key): (&Host, &str),
    work: P::Work,
) -> Result<f64, KernelError> {
    let key = format!("predicted cycles of {key}: {}\n{}", plan.name(), host.config().dump());
    let cycles = host
        .environment()
        .numbers_of(&key, 1, || plan.predicted(host, work).map(|cycles| vec![cycles]))?;
    Ok(cycles.iter().sum())
}

/// Plans with their predicted cycles, fewest first, and the plans that the machine does not allow, with what it lacks.
pub(crate) struct Compared<P> {
    pub(crate) possible: Vec<(P, f64)>,
    pub(crate) forbidden: Vec<(P, KernelError)>,
}

impl<P: Plan> Compared<P> {
    /// Predicts the cycles of each plan. `key` tells the work.
    ///
    /// # Errors
    /// An error of a prediction that is no lack of resources.
    pub(crate) fn new(
        (host, key): (&Host, &str),
        plans: &[P],
        work: P::Work,
    ) -> Result<Self, KernelError> {
        let (mut possible, mut forbidden) = (Vec::new(), Vec::new());
        for &plan in plans {
            let checked = plan.check(host.config().core(), work);
            match checked.and_then(|()| predict_or_reuse(plan, (host, key), work)) {
                Err(lack) if lack.is_lack_of_resources() => forbidden.push((plan, lack)),
                cycles => possible.push((plan, cycles?)),
            }
        }
        possible.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        Ok(Self { possible, forbidden })
    }

    /// Returns the plans without the first one, for a report.
    pub(crate) fn others(&self) -> Vec<OtherPlan> {
        let slower = self.possible.iter().skip(1);
        let slower = slower.map(|(plan, cycles)| (plan.name(), Ok(*cycles)));
        let forbidden = self.forbidden.iter().map(|(plan, lack)| {
            // The name of the plan stands before the sentence already.
            let (name, lack) = (plan.name(), lack.to_string());
            let rest = lack.strip_prefix(&format!("{name} ")).map(str::to_owned);
            (name, Err(rest.unwrap_or(lack)))
        });
        slower.chain(forbidden).map(|(name, outcome)| OtherPlan { name, outcome }).collect()
    }

    /// Returns what the machine lacks for the plan for which it lacks least.
    pub(crate) fn least_lack(self) -> KernelError {
        let lacks = self.forbidden.into_iter().map(|(_, lack)| lack);
        let least = lacks.min_by(|a, b| a.shortage().total_cmp(&b.shortage()));
        least.unwrap_or(KernelError::Internal("no plan"))
    }
}

/// Chooses the plan with the fewest cycles among those that the machine allows, of which the first one is taken where
/// several are alike. `key` tells the work. If there is one plan only, nothing is predicted.
///
/// # Errors
/// The machine allows no plan: what it lacks for the least demanding one. Another error of a prediction is returned as it is.
pub(crate) fn choose<P: Plan>(
    (host, key): (&Host, &str),
    plans: &[P],
    work: P::Work,
) -> Result<(P, ChosenPlan), KernelError> {
    if let &[plan] = plans {
        plan.check(host.config().core(), work)?;
        return Ok((plan, ChosenPlan::only(plan.name())));
    }
    let compared = Compared::new((host, key), plans, work)?;
    // Trials need less memory than the whole run, which tells how much.
    let is_memory = |lack: &KernelError| matches!(lack, KernelError::Memory { .. });
    if let Some((plan, _)) = compared.forbidden.iter().find(|(_, lack)| is_memory(lack)) {
        return Ok((*plan, ChosenPlan::only(plan.name())));
    }
    let Some(&(plan, cycles)) = compared.possible.first() else {
        return Err(compared.least_lack());
    };
    let (name, others) = (plan.name(), compared.others());
    Ok((plan, ChosenPlan { name, predicted_cycles: Some(cycles), others }))
}
