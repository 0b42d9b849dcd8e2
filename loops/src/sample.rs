//! Small values of the parameters for which a nest runs.

use cp2_nest::{AffineSymbol, Nest};

/// Most instances that are enumerated.
pub(crate) const MOST_INSTANCES: usize = 3000;
/// Greatest value of a parameter that is tried.
const GREATEST_PARAMETER: i64 = 7;
/// Combinations of parameters that are looked at.
const MOST_COMBINATIONS: usize = 100_000;
/// Combinations among them whose instances are counted.
const MOST_COUNTED: usize = 1000;
/// Combinations that are taken.
const SAMPLES: usize = 3;

/// Returns small values of the parameters for which a nest runs, those with most instances last; nothing if none is found.
pub fn sample_parameters(nest: &Nest) -> Vec<Vec<i64>> {
    let admitted = admitted(nest);
    let every = admitted.len().div_ceil(MOST_COUNTED).max(1);
    // From the end, so that the largest are counted whatever the distance is.
    let counted = admitted.into_iter().rev().step_by(every).filter_map(|values| {
        let instances = nest.instances(&values, MOST_INSTANCES).ok()?.len();
        (instances > 0).then_some((instances, values))
    });
    let mut counted: Vec<_> = counted.collect();
    counted.sort();
    let mut found = Vec::new();
    while let (true, Some((_, values))) = (found.len() < SAMPLES, counted.pop()) {
        if runs(nest, &values) {
            found.push(values);
        }
    }
    found.reverse();
    found
}

/// Returns small values of the parameters that the context admits.
fn admitted(nest: &Nest) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    let mut values = vec![0; nest.parameters.len()];
    for _ in 0..MOST_COMBINATIONS {
        let of = |symbol| match symbol {
            AffineSymbol::Parameter(number) => values[number],
            AffineSymbol::Index(_) => 0,
        };
        if nest.context.iter().all(|condition| condition.holds(&of) == Some(true)) {
            all.push(values.clone());
        }
        // The next combination.
        let Some(place) = values.iter().rposition(|value| *value < GREATEST_PARAMETER) else {
            break;
        };
        values[place] += 1;
        values[place + 1..].fill(0);
    }
    all
}

/// Whether a nest runs with values of the parameters.
pub(crate) fn runs(nest: &Nest, values: &[i64]) -> bool {
    let run = nest.zero_values(values);
    run.is_ok_and(|mut run| nest.execute(&mut run, MOST_INSTANCES).is_ok())
}
