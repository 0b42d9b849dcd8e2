//! Small values of the parameters for which a nest runs.

use cp2_nest::{AffineSymbol, Nest};

/// Most instances that are enumerated.
pub(crate) const MOST_INSTANCES: usize = 3000;
/// Greatest value of a parameter that is tried.
const GREATEST_PARAMETER: i64 = 7;
/// Combinations of parameters that are looked at.
const MOST_COMBINATIONS: usize = 4000;
/// Combinations that are taken.
const SAMPLES: usize = 3;

/// Returns small values of the parameters for which a nest runs, the largest last; nothing if none is found.
pub fn sample_parameters(nest: &Nest) -> Vec<Vec<i64>> {
    let count = nest.parameters.len();
    let mut found: Vec<(usize, Vec<i64>)> = Vec::new();
    let mut looked = 0;
    for greatest in 1..=GREATEST_PARAMETER {
        let mut values = vec![0; count];
        loop {
            if values.iter().max().is_none_or(|max| *max == greatest) {
                looked += 1;
                found.extend(runs(nest, &values).map(|instances| (instances, values.clone())));
            }
            // The next combination.
            let Some(place) = values.iter().rposition(|value| *value < greatest) else { break };
            values[place] += 1;
            values[place + 1..].fill(0);
            if looked > MOST_COMBINATIONS {
                break;
            }
        }
        if count == 0 || looked > MOST_COMBINATIONS {
            break;
        }
    }
    found.sort();
    let skip = found.len().saturating_sub(SAMPLES);
    found.into_iter().skip(skip).map(|(_, values)| values).collect()
}

/// Returns the number of instances for values of the parameters, if the nest runs with them.
fn runs(nest: &Nest, values: &[i64]) -> Option<usize> {
    let of = |symbol| match symbol {
        AffineSymbol::Parameter(number) => values[number],
        AffineSymbol::Index(_) => 0,
    };
    let holds = nest.context.iter().all(|condition| condition.holds(&of) == Some(true));
    if !holds {
        return None;
    }
    let mut run = nest.zero_values(values).ok()?;
    nest.execute(&mut run, MOST_INSTANCES).ok()?;
    nest.instances(values, MOST_INSTANCES).ok().map(|all| all.len()).filter(|count| *count > 0)
}
