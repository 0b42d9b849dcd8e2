//! Elements outside of their arrays, for whatever parameters the nest admits.

use crate::dependence::{Dependence, DependenceKind};
use crate::domain::{NestSets, row};
use crate::sets::{PointSet, SetError, SetLibrary};
use crate::threads::NestAnalysis;
use cp2_nest::Nest;

/// Greatest size of a parameter in an example.
const GREATEST: i64 = 1000;

/// An element outside of its array, with the smallest parameters for which a statement uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideElement {
    /// Number of the statement.
    pub statement: usize,
    /// Number of the element in the statement.
    pub access: usize,
    /// Number of the index that is too large, or below 0.
    pub subscript: usize,
    /// Values of the statement's indices.
    pub indices: Vec<i64>,
    /// Values of the parameters.
    pub parameters: Vec<i64>,
}

/// Returns an element outside of its array for each place of the nest that has one.
///
/// # Errors
/// The library gives no answer.
pub fn outside_elements(
    nest: &Nest,
    sets: &NestSets,
    library: &dyn SetLibrary,
) -> Result<Vec<OutsideElement>, SetError> {
    let mut found = Vec::new();
    for (statement, of) in nest.statements.iter().enumerate() {
        let domain = sets.in_context(&sets.domains[statement]);
        for (access, used) in of.accesses.iter().enumerate() {
            let sizes = &nest.arrays[used.array].sizes;
            for (subscript, (form, size)) in used.subscripts.iter().zip(sizes).enumerate() {
                let below = form.times(-1).and_then(|form| form.plus_number(-1));
                let above = form.plus(size, -1);
                for outside in [below, above].into_iter().flatten() {
                    let mut set = domain.clone();
                    set.add_row(&row(nest, &of.loops, &outside), false);
                    if library.simplified(&set)?.parts.is_empty() {
                        continue;
                    }
                    if let Some(point) = example(&set, library)? {
                        let (parameters, indices) = point.split_at(nest.parameters.len());
                        let (indices, parameters) = (indices.to_vec(), parameters.to_vec());
                        found.push(OutsideElement {
                            statement,
                            access,
                            subscript,
                            indices,
                            parameters,
                        });
                        break;
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Returns for each place of the nest that reads what the nest declares itself, and where nothing has written it, an instance:
/// statement, element, indices and parameters.
///
/// # Errors
/// The library gives no answer.
pub(crate) fn unset_elements(analysis: &NestAnalysis<'_>) -> Result<Vec<OutsideElement>, SetError> {
    let (nest, sets, library) = (analysis.nest, &analysis.sets, analysis.library());
    let mut found = Vec::new();
    for (statement, of) in nest.statements.iter().enumerate() {
        let own = |used: &cp2_nest::ArrayAccess| {
            !used.is_write && nest.arrays[used.array].local.is_some()
        };
        for (access, _) in of.accesses.iter().enumerate().filter(|(_, used)| own(used)) {
            let mut unset = sets.in_context(&sets.domains[statement]);
            let is_source = |one: &&Dependence| {
                one.kind == DependenceKind::Flow && one.sink == statement && one.access == access
            };
            for one in analysis.dependences.iter().filter(is_source) {
                let sinks = library.projected(&one.pairs, 0, sets.domains[one.source].variables)?;
                unset = library.difference(&unset, &sinks)?;
            }
            if library.simplified(&unset)?.parts.is_empty() {
                continue;
            }
            let point = example(&unset, library)?.unwrap_or_default();
            let (parameters, indices) = point.split_at(nest.parameters.len().min(point.len()));
            let (indices, parameters) = (indices.to_vec(), parameters.to_vec());
            found.push(OutsideElement { statement, access, subscript: 0, indices, parameters });
        }
    }
    Ok(found)
}

/// Returns a point of a set with small parameters: the parameters, then the variables.
pub(crate) fn example(
    set: &PointSet,
    library: &dyn SetLibrary,
) -> Result<Option<Vec<i64>>, SetError> {
    let (variables, parameters) = (set.variables, set.parameters);
    // Parameters become the first variables.
    let turn = |row: &Vec<i64>| {
        let mut all = row[variables..variables + parameters].to_vec();
        all.extend(&row[..variables]);
        all.extend(&row[variables + parameters..]);
        all
    };
    let mut turned =
        PointSet { variables: variables + parameters, parameters: 0, parts: Vec::new() };
    for part in &set.parts {
        let mut part = part.clone();
        part.equations = part.equations.iter().map(turn).collect();
        part.inequalities = part.inequalities.iter().map(turn).collect();
        turned.parts.push(part);
    }
    for least in [0, -GREATEST] {
        let mut bounded = turned.clone();
        for parameter in 0..parameters {
            for (sign, limit) in [(1, -least), (-1, GREATEST)] {
                let mut row = vec![0; bounded.columns()];
                row[parameter] = sign;
                row[variables + parameters] = limit;
                bounded.add_row(&row, false);
            }
        }
        if let Some(point) = library.first_point(&bounded)? {
            return Ok(Some(point));
        }
    }
    Ok(None)
}
