//! The choice among the plans by which a procedure can use a machine: the one with the fewest predicted cycles.
//!
//! Most procedures repeat a unit of work, a page or a vector, so that their cycles are those of a few units and so many
//! times what one unit more takes; a trial runs the few.

use cp2_emu::MachineConfig;
use cp2_session::Environment;
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

/// Chooses the plan with the fewest cycles among those that the machine allows, of which the first one is taken where
/// several are alike. `key` tells everything that the predictions depend on, besides machine and plans; the environment keeps
/// them from call to call.
///
/// # Errors
/// The machine allows no plan: what it lacks for the first one. Another error of a prediction is returned as it is.
pub(crate) fn choose<P: Copy>(
    (environment, config): (&Environment, &MachineConfig),
    key: &str,
    plans: &[(P, String)],
    predict: impl Fn(P) -> Result<f64, KernelError>,
) -> Result<(P, ChosenPlan), KernelError> {
    if let [(plan, name)] = plans {
        return Ok((*plan, ChosenPlan::only(name.as_str())));
    }
    let names: Vec<_> = plans.iter().map(|(_, name)| name.as_str()).collect();
    let key = format!("predicted cycles of {key}: {}\n{}", names.join(", "), config.dump());
    let mut lacks: Vec<Option<KernelError>> = Vec::new();
    let cycles = environment.numbers_of(&key, plans.len(), || {
        let mut cycles = Vec::new();
        for (plan, _) in plans {
            let (predicted, lack) = match predict(*plan) {
                Err(lack) if lack.is_lack_of_resources() => (f64::INFINITY, Some(lack)),
                outcome => (outcome?, None),
            };
            cycles.push(predicted);
            lacks.push(lack);
        }
        Ok::<_, KernelError>(cycles)
    })?;
    // The environment keeps numbers only, so what is lacking is found out again where they were kept.
    let mut lack_of = |plan: usize| match lacks.get_mut(plan).and_then(Option::take) {
        Some(lack) => Ok(lack),
        None => match predict(plans[plan].0) {
            Err(lack) if lack.is_lack_of_resources() => Ok(lack),
            outcome => Err(outcome.err().unwrap_or(KernelError::Internal("an allowed plan"))),
        },
    };
    let mut order: Vec<usize> = (0..plans.len()).collect();
    order.sort_by(|&a, &b| cycles[a].total_cmp(&cycles[b]));
    let Some(&best) = order.first() else { return Err(KernelError::Internal("no plan")) };
    if !cycles[best].is_finite() {
        return match lack_of(0)? {
            // The whole run tells how much memory it needs.
            KernelError::Memory { .. } => Ok((plans[0].0, ChosenPlan::only(&*plans[0].1))),
            lack => Err(lack),
        };
    }
    let mut others = Vec::new();
    for &other in &order[1..] {
        let outcome = match cycles[other].is_finite() {
            true => Ok(cycles[other]),
            false => Err(lack_of(other)?.to_string()),
        };
        others.push(OtherPlan { name: plans[other].1.clone(), outcome });
    }
    let (plan, name) = &plans[best];
    let predicted_cycles = Some(cycles[best]);
    Ok((*plan, ChosenPlan { name: name.clone(), predicted_cycles, others }))
}
