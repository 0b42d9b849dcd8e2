//! Search for maps: dependences inside of threads, and independent instances one to one.

use super::dimension::ThreadSpace;
use super::farkas::Multipliers;
use super::{DemandRefusal, NestAnalysis, ThreadFailure, ThreadPlan, ThreadStep};
use crate::dependence::Dependence;
use crate::domain::{form, row};
use crate::linear::{LinearSystem, narrow, wide};
use crate::sets::{ConvexPart, PointSet, SetError};

/// Most systems of inequalities that are solved for one number of dimensions.
const MOST_SYSTEMS: usize = 4096;

/// Multipliers for each dimension.
type Solution = Vec<Vec<i64>>;

struct Search<'s> {
    analysis: &'s NestAnalysis<'s>,
    multipliers: &'s Multipliers,
    /// Equations by which every dependence stays in a thread, the same for each dimension.
    inside: LinearSystem,
    systems: usize,
}

/// A condition that directions of a statement are mapped one to one.
struct OneToOne<'p> {
    statement: usize,
    directions: &'p [Vec<i64>],
}

/// Returns the equations of one dependence: the thread numbers of its instances are equal.
fn inside(
    analysis: &NestAnalysis<'_>,
    multipliers: &Multipliers,
    one: &Dependence,
    system: &mut LinearSystem,
) -> Result<(), SetError> {
    let (sets, parameters) = (&analysis.sets, analysis.nest.parameters.len());
    let (from, to) = (sets.domains[one.source].variables, sets.domains[one.sink].variables);
    for pairs in one.pairs.convex_sets() {
        let pairs = sets.in_context(&pairs);
        if analysis.library.simplified(&pairs)?.parts.is_empty() {
            continue;
        }
        let hull = analysis.library.hull_equations(&pairs)?;
        let columns = from + to + parameters + 1;
        let mut known = LinearSystem::new(columns - 1);
        for row in &hull {
            if !known.add(&wide(row)) {
                return Err(SetError::too_large());
            }
        }
        // Difference of the two thread numbers, column by column, in the multipliers.
        let mut difference: Vec<Vec<i128>> = Vec::new();
        for column in 0..columns {
            let source = (column < from)
                .then(|| multipliers.coefficient(one.source, column, from + parameters + 1));
            let sink = (from..from + to)
                .contains(&column)
                .then(|| multipliers.coefficient(one.sink, column - from, to + parameters + 1));
            let (source, sink) = if column < from + to {
                (source, sink)
            } else {
                let behind = column - from - to;
                (
                    Some(multipliers.coefficient(one.source, from + behind, from + parameters + 1)),
                    Some(multipliers.coefficient(one.sink, to + behind, to + parameters + 1)),
                )
            };
            let zero = || vec![0_i128; multipliers.count + 1];
            let (source, sink) = (source.unwrap_or_else(zero), sink.unwrap_or_else(zero));
            difference.push(sink.iter().zip(&source).map(|(a, b)| a - b).collect());
        }
        // A pivot is replaced by what its equation says of it.
        let pivots: Vec<_> = known.pivots().collect();
        for column in (0..columns).filter(|column| !pivots.iter().any(|(p, _)| p == column)) {
            let sum = replaced(&difference, &pivots, column).ok_or_else(SetError::too_large)?;
            // All constants are 0, so that a solution is there unless numbers are too large.
            if !system.add(&sum) {
                return Err(SetError::too_large());
            }
        }
    }
    Ok(())
}

/// Returns what a column of a difference is after pivots are replaced by what their equations say; `None` if a number overflows.
fn replaced(
    difference: &[Vec<i128>],
    pivots: &[(usize, &[i128])],
    column: usize,
) -> Option<Vec<i128>> {
    let scale = pivots.iter().try_fold(1_i128, |all, (pivot, row)| all.checked_mul(row[*pivot]))?;
    let mut sum: Vec<i128> =
        difference[column].iter().map(|number| number.checked_mul(scale)).collect::<Option<_>>()?;
    for (pivot, row) in pivots {
        let by = (scale / row[*pivot]).checked_mul(row[column])?;
        for (total, number) in sum.iter_mut().zip(&difference[*pivot]) {
            *total = total.checked_sub(by.checked_mul(*number)?)?;
        }
    }
    Some(sum)
}

/// Returns the ways to map `count` directions to different dimensions: the dimension of each direction, the first
/// direction to the first dimension first.
fn placements(count: usize, dimensions: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for before in placements(count - 1, dimensions) {
        for dimension in (0..dimensions).filter(|dimension| !before.contains(dimension)) {
            let mut placement = before.clone();
            placement.push(dimension);
            all.push(placement);
        }
    }
    all
}

/// Returns matrices that map directions one to one, as rows of dimensions with a number for each direction: signed
/// permutations, and those with one more number if `with_more`.
fn matrices(count: usize, dimensions: usize, with_more: bool) -> Vec<Vec<Vec<i64>>> {
    let mut all = Vec::new();
    for placement in placements(count, dimensions) {
        for signs in 0..1_usize << count {
            let mut matrix = vec![vec![0; count]; dimensions];
            for (direction, dimension) in placement.iter().enumerate() {
                matrix[*dimension][direction] = if signs >> direction & 1 == 0 { 1 } else { -1 };
            }
            if !with_more {
                all.push(matrix);
                continue;
            }
            for row in 0..dimensions {
                for column in (0..count).filter(|column| matrix[row][*column] == 0) {
                    for number in [1, -1] {
                        let mut more = matrix.clone();
                        more[row][column] = number;
                        all.push(more);
                    }
                }
            }
        }
    }
    all
}

impl<'s> Search<'s> {
    /// Returns the columns of a statement's rows.
    fn columns(&self, statement: usize) -> usize {
        let nest = self.analysis.nest;
        nest.statements[statement].loops.len() + nest.parameters.len() + 1
    }

    /// Adds to each dimension's system that a direction is mapped to these numbers; returns whether all stay solvable.
    fn map_to(
        &self,
        systems: &mut [LinearSystem],
        condition: &OneToOne<'_>,
        matrix: &[Vec<i64>],
    ) -> bool {
        let columns = self.columns(condition.statement);
        for (system, numbers) in systems.iter_mut().zip(matrix) {
            for (direction, number) in condition.directions.iter().zip(numbers) {
                let mut sum = vec![0_i128; self.multipliers.count + 1];
                for (column, by) in direction.iter().enumerate().filter(|(_, by)| **by != 0) {
                    let own = self.multipliers.coefficient(condition.statement, column, columns);
                    sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += i128::from(*by) * own);
                }
                sum[self.multipliers.count] = -i128::from(*number);
                if !system.add(&sum) {
                    return false;
                }
            }
        }
        true
    }

    /// Tries all matrices for all conditions from the first on; returns the first solution.
    fn choose(
        &mut self,
        systems: &[LinearSystem],
        conditions: &[OneToOne<'_>],
        with_more: bool,
    ) -> Result<Option<Solution>, SetError> {
        let Some((first, rest)) = conditions.split_first() else { return self.solve(systems) };
        let dimensions = systems.len();
        for matrix in matrices(first.directions.len(), dimensions, with_more) {
            let mut systems = systems.to_vec();
            if !self.map_to(&mut systems, first, &matrix) {
                continue;
            }
            if let Some(solution) = self.choose(&systems, rest, with_more)? {
                return Ok(Some(solution));
            }
            if self.systems > MOST_SYSTEMS {
                break;
            }
        }
        Ok(None)
    }

    /// Returns the smallest multipliers of each dimension, if all have some.
    fn solve(&mut self, systems: &[LinearSystem]) -> Result<Option<Solution>, SetError> {
        let mut all = Vec::new();
        for system in systems {
            match self.smallest(system)? {
                Some(multipliers) => all.push(multipliers),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Returns the smallest whole multipliers, 0 or more, that fulfil a system.
    fn smallest(&mut self, system: &LinearSystem) -> Result<Option<Vec<i64>>, SetError> {
        self.systems += 1;
        let (count, order) = (self.multipliers.count, self.multipliers.order());
        let mut part = ConvexPart::default();
        for row in system.rows() {
            let turned = order.iter().map(|number| row[*number]).chain([row[count]]);
            let turned: Vec<i128> = turned.collect();
            part.equations.push(narrow(&turned).ok_or_else(SetError::too_large)?);
        }
        for number in 0..count {
            let mut row = vec![0; count + 1];
            row[number] = 1;
            part.inequalities.push(row);
        }
        let set = PointSet { variables: count, parameters: 0, parts: vec![part] };
        let Some(point) = self.analysis.library.first_point(&set)? else { return Ok(None) };
        let mut multipliers = vec![0; count];
        for (place, number) in order.iter().enumerate() {
            multipliers[*number] = point[place];
        }
        Ok(Some(multipliers))
    }

    /// Tries to map the independent instances one to one.
    fn published(&mut self, space: &ThreadSpace) -> Result<Option<Solution>, SetError> {
        let mut conditions: Vec<OneToOne<'_>> = Vec::new();
        for part in space.parts.iter().filter(|part| !part.directions.is_empty()) {
            let (statement, directions) = (part.statement, part.directions.as_slice());
            let is_known = |known: &OneToOne<'_>| {
                known.statement == statement && known.directions == directions
            };
            if !conditions.iter().any(is_known) {
                conditions.push(OneToOne { statement, directions });
            }
        }
        let systems = vec![self.inside.clone(); space.dimensions];
        for with_more in [false, true] {
            if with_more && space.dimensions < 2 {
                break;
            }
            if let Some(solution) = self.choose(&systems, &conditions, with_more)? {
                return Ok(Some(solution));
            }
        }
        Ok(None)
    }

    /// Tries to map some indices of the deepest statement one to one, in as many dimensions as possible.
    fn fallback(&mut self, most: usize) -> Result<Option<Solution>, SetError> {
        let mut deepest: Option<(usize, usize)> = None;
        for (number, one) in self.analysis.nest.statements.iter().enumerate() {
            let depth = one.loops.len();
            let sets = &self.analysis.sets;
            let domain =
                self.analysis.library.simplified(&sets.in_context(&sets.domains[number]))?;
            if !domain.parts.is_empty() && deepest.is_none_or(|(most, _)| depth > most) {
                deepest = Some((depth, number));
            }
        }
        let Some((depth, deepest)) = deepest else { return Ok(None) };
        for dimensions in (1..=most.min(depth)).rev() {
            self.systems = 0;
            for chosen in combinations(depth, dimensions) {
                let unit = |index: &usize| {
                    let mut direction = vec![0; depth];
                    direction[*index] = 1;
                    direction
                };
                let directions: Vec<_> = chosen.iter().map(unit).collect();
                let conditions = [OneToOne { statement: deepest, directions: &directions }];
                let systems = vec![self.inside.clone(); dimensions];
                if let Some(solution) = self.choose(&systems, &conditions, false)? {
                    return Ok(Some(solution));
                }
            }
        }
        Ok(None)
    }
}

/// Returns the ways to choose `count` of the numbers below `of`, in order.
fn combinations(of: usize, count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for before in combinations(of, count - 1) {
        let first = before.last().map_or(0, |last| last + 1);
        for next in first..of {
            let mut chosen = before.clone();
            chosen.push(next);
            all.push(chosen);
        }
    }
    all.sort();
    all
}

/// Finds maps of a nest.
pub(super) fn plan(
    analysis: &NestAnalysis<'_>,
    honoured: &[&Dependence],
    space: ThreadSpace,
    multipliers: &Multipliers,
) -> Result<ThreadPlan, ThreadFailure> {
    let mut system = LinearSystem::new(multipliers.count);
    for one in honoured {
        inside(analysis, multipliers, one, &mut system)?;
    }
    let mut search = Search { analysis, multipliers, inside: system, systems: 0 };
    if analysis.nest.statements.iter().any(|statement| statement.demanded.is_some()) {
        let solution = demanded(&mut search)?;
        return Ok(made(&search, space, ThreadStep::Demanded, &solution)?);
    }
    if space.dimensions > 0 {
        if let Some(solution) = search.published(&space)? {
            return Ok(made(&search, space, ThreadStep::OneToOne, &solution)?);
        }
        if let Some(solution) = search.fallback(space.dimensions)? {
            return Ok(made(&search, space, ThreadStep::Fallback, &solution)?);
        }
    }
    Ok(made(&search, space, ThreadStep::Sequential, &Vec::new())?)
}

/// Returns multipliers that give statements the thread numbers which pragmas demand.
fn demanded(search: &mut Search<'_>) -> Result<Solution, ThreadFailure> {
    let nest = search.analysis.nest;
    let demands = nest.statements.iter().enumerate();
    let demands: Vec<_> =
        demands.filter_map(|(number, one)| Some((number, &one.demanded.as_ref()?.0))).collect();
    let dimensions = demands[0].1.len();
    let mut solution = Vec::new();
    for dimension in 0..dimensions {
        let mut system = search.inside.clone();
        for (statement, forms) in &demands {
            let refused = |reason: String| {
                ThreadFailure::Demand(DemandRefusal { statement: *statement, reason })
            };
            let Some(form) = forms.get(dimension).filter(|_| forms.len() == dimensions) else {
                return Err(refused(format!(
                    "this map has {} thread numbers, and that of another statement {dimensions}",
                    forms.len()
                )));
            };
            let columns = search.columns(*statement);
            let wanted = row(nest, &nest.statements[*statement].loops, form);
            for (column, number) in wanted.iter().enumerate() {
                let mut sum = search.multipliers.coefficient(*statement, column, columns);
                sum[search.multipliers.count] -= i128::from(*number);
                if !system.add(&sum) {
                    return Err(refused(format!(
                        "`{}` puts instances that depend on each other into different threads",
                        nest.form_text(form)
                    )));
                }
            }
        }
        match search.smallest(&system)? {
            Some(multipliers) => solution.push(multipliers),
            None => {
                let statement = demands[0].0;
                let reason =
                    "a thread number of this map is below 0, or that of a statement tied to it"
                        .to_owned();
                return Err(ThreadFailure::Demand(DemandRefusal { statement, reason }));
            }
        }
    }
    Ok(solution)
}

fn made(
    search: &Search<'_>,
    space: ThreadSpace,
    step: ThreadStep,
    solution: &Solution,
) -> Result<ThreadPlan, SetError> {
    let nest = search.analysis.nest;
    let maps = nest.statements.iter().enumerate().map(|(number, statement)| {
        let columns = search.columns(number);
        let rows = solution.iter().map(|own| search.multipliers.row(number, columns, own));
        rows.map(|row| form(&statement.loops, &row?)).collect::<Option<Vec<_>>>()
    });
    let maps = maps.collect::<Option<Vec<_>>>().ok_or_else(SetError::too_large)?;
    let own = |multipliers: &Vec<i64>| {
        let counts = search.multipliers.rows.iter().map(|rows| rows.len() + 1);
        let begins = search.multipliers.begins.iter();
        begins
            .zip(counts)
            .map(|(begin, count)| multipliers[*begin..begin + count].to_vec())
            .collect()
    };
    let dimensions = solution.len();
    let multipliers = solution.iter().map(own).collect();
    Ok(ThreadPlan { space, step, dimensions, maps, multipliers })
}
