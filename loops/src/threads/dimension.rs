//! Number of dimensions of the space of threads: how far the independent instances extend.

use super::NestAnalysis;
use crate::dependence::Dependence;
use crate::linear::{LinearSystem, wide};
use crate::sample::{MOST_INSTANCES, sample_parameters};
use crate::sets::{PointSet, SetError};

/// A convex part of the independent instances of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreePart {
    /// Number of the statement.
    pub statement: usize,
    /// Instances.
    pub instances: PointSet,
    /// Directions in which the part extends, in the statement's indices.
    pub directions: Vec<Vec<i64>>,
}

/// Independent instances of a nest, and the room that they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSpace {
    /// Parts of all statements.
    pub parts: Vec<FreePart>,
    /// Most directions of a part: the number of dimensions that threads could have.
    pub dimensions: usize,
}

/// Returns the directions in which a set extends for fixed parameters.
pub(crate) fn directions(set: &PointSet, hull: &[Vec<i64>]) -> Result<Vec<Vec<i64>>, SetError> {
    let mut system = LinearSystem::new(set.variables);
    for row in hull {
        let mut row = wide(&row[..set.variables]);
        row.push(0);
        if !system.add(&row) {
            return Err(SetError::too_large());
        }
    }
    system.directions().ok_or_else(SetError::too_large)
}

/// Returns the independent instances: those that are the sink of no dependence.
pub(super) fn thread_space(
    analysis: &NestAnalysis<'_>,
    honoured: &[&Dependence],
) -> Result<ThreadSpace, SetError> {
    let library = analysis.library;
    let mut parts: Vec<FreePart> = Vec::new();
    for (statement, domain) in analysis.sets.domains.iter().enumerate() {
        let mut free = domain.clone();
        for one in honoured.iter().filter(|one| one.sink == statement) {
            let sources = analysis.sets.domains[one.source].variables;
            let sinks = library.projected(&one.pairs, 0, sources)?;
            free = library.difference(&free, &sinks)?;
        }
        let large = analysis.sets.large.with_variables(0, domain.variables);
        for instances in free.convex_sets() {
            let judged = library.simplified(&instances.intersection(&large))?;
            if judged.parts.is_empty() {
                continue;
            }
            let hull = library.hull_equations(&judged)?;
            let directions = directions(&instances, &hull)?;
            parts.push(FreePart { statement, instances, directions });
        }
    }
    sort(analysis, &mut parts);
    let dimensions = parts.iter().map(|part| part.directions.len()).max().unwrap_or(0);
    Ok(ThreadSpace { parts, dimensions })
}

/// Sorts the parts of each statement: those with most instances first, since they make most threads, and among equal ones
/// those that extend along outer indices.
fn sort(analysis: &NestAnalysis<'_>, parts: &mut [FreePart]) {
    let nest = analysis.nest;
    let sample = sample_parameters(nest).pop().unwrap_or_default();
    let instances = nest.instances(&sample, MOST_INSTANCES).unwrap_or_default();
    let count = |part: &FreePart| {
        let own = instances.iter().filter(|instance| instance.statement == part.statement);
        own.filter(|instance| part.instances.has(&instance.indices, &sample)).count()
    };
    parts.sort_by_cached_key(|part| {
        let first = |direction: &Vec<i64>| direction.iter().position(|number| *number != 0);
        let along: Vec<_> = part.directions.iter().map(first).collect();
        (part.statement, std::cmp::Reverse(count(part)), along)
    });
}
