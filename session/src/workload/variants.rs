//! Variants of a workload: several programs for the same work, of which a machine allows some and runs one fastest.

use super::{Request, Tally, Workload};
use crate::error::KernelError;
use cp2_isa::machine::Switch;
use std::sync::Arc;

/// A variant of a workload that was considered for a run, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedVariant {
    /// Name of the variant, as [`About::name`](super::About::name) has it.
    pub name: String,
    /// Extensions that the variant needs.
    pub needs: Vec<Switch>,
    /// Whether the core or machine of the request has these extensions.
    pub is_allowed: bool,
    /// Number of cycles of a run of the variant; `None` if it was not run, because it is not allowed or is the only one
    /// that is, or because its run failed.
    pub cycles: Option<u64>,
    /// Message that says why the variant cannot be taken although it is allowed: its run failed, or its results are
    /// wrong. `None` if it can be taken.
    pub problem: Option<String>,
}

impl TriedVariant {
    /// Whether nothing speaks against the variant so far.
    fn can_be_taken(&self) -> bool {
        self.is_allowed && self.problem.is_none()
    }
}

/// The variant of a workload that takes the fewest cycles among those that a core or machine allows. Made by
/// [`best_variant`].
#[derive(Clone, Debug)]
pub struct BestVariant {
    /// The variant: a workload by itself.
    pub workload: Arc<dyn Workload>,
    /// Counts of the run by which the variant was chosen, and the digest of the programs that it used
    /// ([`Environment::programs_used`](crate::Environment::programs_used)); `None` if there was nothing to choose.
    pub tally: Option<(Tally, Option<u64>)>,
    /// All variants that there are, in their order; empty for a workload without variants.
    pub tried: Vec<TriedVariant>,
}

impl BestVariant {
    /// Returns the name of the variant; `None` for a workload without variants.
    pub fn name(&self) -> Option<String> {
        (!self.tried.is_empty()).then(|| self.workload.about().name)
    }

    /// Returns a sentence about each variant that is allowed and cannot be taken, because its run failed, its results are
    /// wrong, or it does not take the options.
    pub fn left_out(&self) -> Vec<String> {
        let allowed = self.tried.iter().filter(|tried| tried.is_allowed);
        let sentence = |tried: &TriedVariant| {
            let problem = tried.problem.as_ref()?;
            Some(format!("variant {} cannot be taken: {problem}", tried.name))
        };
        allowed.filter_map(sentence).collect()
    }
}

/// Returns the variant of a workload that takes the fewest cycles for a request. A variant is considered if the core, or
/// the machine of a procedure, has the extensions that the variant needs. Of several such variants each is run once,
/// without recorder and keeper, and only to be counted; the first of those with the fewest cycles and right results is
/// taken. The only one is taken without a run. A workload without variants is its own.
///
/// # Errors
/// No variant is allowed: the error of a run of the first one, which says what it needs. All that are allowed fail: the
/// error of the first. The run was asked to stop.
pub fn best_variant(
    workload: &Arc<dyn Workload>,
    request: &Request,
) -> Result<BestVariant, KernelError> {
    let variants = workload.variants();
    if variants.is_empty() {
        return Ok(BestVariant { workload: Arc::clone(workload), tally: None, tried: Vec::new() });
    }
    let mut tried: Vec<_> = variants.iter().map(|variant| untried(&**variant, request)).collect();
    let (mut tallies, mut failures) = (vec![None; variants.len()], Vec::new());
    if tried.iter().filter(|variant| variant.can_be_taken()).count() > 1 {
        let able = |(_, tried): &(usize, &mut TriedVariant)| tried.can_be_taken();
        for (k, tried) in tried.iter_mut().enumerate().filter(able) {
            let alone = Request { recorder: None, keeper: None, ..request.clone() };
            request.environment.programs_used();
            match variants[k].tally(alone) {
                Ok(tally) => {
                    (tried.cycles, tried.problem) =
                        (Some(tally.cycles), tally.verdict.complaint.clone());
                    tallies[k] = Some((tally, request.environment.programs_used()));
                }
                Err(stopped @ KernelError::Stopped { .. }) => return Err(stopped),
                Err(error) => {
                    tried.problem = Some(error.to_string());
                    failures.push(error);
                }
            }
        }
    }
    let able = |(_, tried): &(usize, &TriedVariant)| tried.can_be_taken();
    let best = tried.iter().enumerate().filter(able).min_by_key(|(_, tried)| tried.cycles);
    let best = best.map(|(k, _)| k);
    if best.is_none() && !failures.is_empty() {
        return Err(failures.swap_remove(0));
    }
    // A wrong result, or a missing extension, is told by the run itself.
    let k = best.or_else(|| tried.iter().position(|tried| tried.is_allowed)).unwrap_or(0);
    Ok(BestVariant { workload: Arc::clone(&variants[k]), tally: tallies.swap_remove(k), tried })
}

/// Returns a variant before any run.
fn untried(variant: &dyn Workload, request: &Request) -> TriedVariant {
    let needs = variant.needs();
    let is_allowed = match &request.machine {
        Some(machine) => needs.iter().all(|switch| machine.has(switch)),
        None => needs.iter().all(|switch| switch.is_on_core(&request.core)),
    };
    let name = variant.about().name;
    let problem = request.values.check(&name, &variant.option_list()).err();
    TriedVariant { name, needs, is_allowed, cycles: None, problem }
}
