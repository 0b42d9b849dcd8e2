//! Layouts of arrays in the memories of sections, found by enumeration for some sizes: residues of the place, and whether
//! one address serves all sections.

use super::axes::{MOST_SECTIONS, ThreadAxes};
use super::classes::OccurrenceLocality;
use crate::sample::MOST_INSTANCES;
use cp2_nest::{Nest, NestFault};
use std::collections::{BTreeMap, BTreeSet};

/// Layout of an array that suits its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Values of the parameters for which it was found.
    pub parameters: Vec<i64>,
    /// Residues modulo four of the last index less the thread number, over all occurrences that are local: one means that
    /// an interleaved array serves them all.
    pub residues: Vec<i64>,
    /// Copies of the array that serve all residues, one for each.
    pub copies: usize,
    /// Whether one address for all sections is enough at each step.
    pub has_one_address: bool,
    /// Whether an occurrence writes the array.
    pub is_written: bool,
}

/// A step of a thread at one occurrence: statement, occurrence, and the indices that number the steps.
type Step = (usize, usize, Vec<i64>);

/// Elements that each thread uses at each step, of one array.
type StepElements = BTreeMap<Vec<i64>, BTreeMap<Step, Vec<i64>>>;

/// Returns the layouts of all arrays that occurrences name; none if the nest does not run with the parameters.
pub(super) fn layouts(
    nest: &Nest,
    axes: &ThreadAxes,
    occurrences: &[OccurrenceLocality],
    parameters: &[i64],
) -> BTreeMap<usize, ArrayLayout> {
    let arrays: BTreeSet<usize> = occurrences.iter().map(|one| one.array).collect();
    let of = |array: usize| {
        let own: Vec<_> = occurrences.iter().filter(|one| one.array == array).collect();
        layout(nest, axes, &own, parameters).ok().map(|layout| (array, layout))
    };
    arrays.into_iter().filter_map(of).collect()
}

fn layout(
    nest: &Nest,
    axes: &ThreadAxes,
    own: &[&OccurrenceLocality],
    parameters: &[i64],
) -> Result<ArrayLayout, NestFault> {
    let mut elements = StepElements::new();
    let mut residues = BTreeSet::new();
    for instance in nest.instances(parameters, MOST_INSTANCES)? {
        let Some(of) = &axes.statements[instance.statement] else { continue };
        let value = |form| nest.form_value(form, &instance, parameters);
        let thread: Vec<i64> = of.forms.iter().map(value).collect::<Result<_, _>>()?;
        let steps: Vec<i64> = of.steps.iter().map(|place| instance.indices[*place]).collect();
        for one in own.iter().filter(|one| one.statement == instance.statement) {
            let access = &nest.statements[one.statement].accesses[one.access];
            let element: Vec<i64> =
                access.subscripts.iter().map(value).collect::<Result<_, _>>()?;
            if let (true, Some(last)) = (one.class.is_local, element.last()) {
                residues.insert((last - thread[0]).rem_euclid(MOST_SECTIONS as i64));
            }
            let step = (one.statement, one.access, steps.clone());
            elements.entry(thread.clone()).or_default().insert(step, element);
        }
    }
    let is_written =
        own.iter().any(|one| nest.statements[one.statement].accesses[one.access].is_write);
    let has_one_address = if is_written {
        has_one_address(&elements, &|_| 0)
    } else {
        has_one_address(&elements, &|(statement, access, _)| statement * 1024 + access)
    };
    let copies = residues.len().max(1);
    let residues = residues.into_iter().collect();
    let parameters = parameters.to_vec();
    Ok(ArrayLayout { parameters, residues, copies, has_one_address, is_written })
}

/// Whether steps that name one element in a thread do so in every thread that has both. Steps of different groups are not
/// compared.
fn has_one_address(elements: &StepElements, group: &dyn Fn(&Step) -> usize) -> bool {
    for own in elements.values() {
        let mut first: BTreeMap<(usize, &Vec<i64>), &Step> = BTreeMap::new();
        for (step, element) in own {
            let before = *first.entry((group(step), element)).or_insert(step);
            let differs = elements.values().any(|other| {
                matches!((other.get(before), other.get(step)), (Some(a), Some(b)) if a != b)
            });
            if before != step && differs {
                return false;
            }
        }
    }
    true
}
