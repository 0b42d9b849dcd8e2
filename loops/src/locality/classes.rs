//! Classes of occurrences: broadcast, local, private, by the theorems on the columns of their matrices.

use super::axes::{StatementAxes, ThreadAxes};
use crate::dependence::{Dependence, DependenceKind};
use crate::domain::row;
use crate::linear::{LinearSystem, wide};
use crate::sets::{PointSet, SetError};
use crate::threads::NestAnalysis;

/// Statement by which an occurrence is a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharingTheorem {
    /// Theorem 1: all threads name the same element, and nothing in the block writes it before.
    SameElement,
    /// Theorem 2: all threads name the same element, which one instance wrote.
    SameOrigin,
}

/// The class of an occurrence: how neighbouring threads use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessClass {
    /// All threads read the same element at once.
    pub broadcast: Option<SharingTheorem>,
    /// Neighbouring threads name elements that follow each other (theorem 3).
    pub is_local: bool,
    /// No other thread uses the elements.
    pub is_private: bool,
}

impl AccessClass {
    /// Returns the class in letters: B for a broadcast, P for private, L for local, `-` for none of them.
    pub fn letters(&self) -> &'static str {
        match (self.broadcast.is_some(), self.is_private, self.is_local) {
            (true, ..) => "B",
            (_, true, true) => "PL",
            (_, true, false) => "P",
            (_, false, true) => "L",
            (_, false, false) => "-",
        }
    }
}

/// The instance that wrote what an occurrence reads, as an affine function of the instance that reads: the matrix times the
/// indices, plus a form in parameters and 1 for each of its indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFunction {
    /// Statement that wrote.
    pub statement: usize,
    /// A row for each index of that statement, a column for each index of the reader.
    pub matrix: Vec<Vec<i64>>,
    /// Coefficients of the parameters and 1 for each row.
    pub free: Vec<Vec<i64>>,
    /// Instances that read from there.
    pub readers: PointSet,
}

/// An occurrence of an array in a statement, and how threads use it.
#[derive(Clone, Debug)]
pub struct OccurrenceLocality {
    /// Number of the statement.
    pub statement: usize,
    /// Number of the occurrence among the elements of the statement.
    pub access: usize,
    /// Number of the array.
    pub array: usize,
    /// Matrix of the indices: a row for each index of the array, a column for each loop.
    pub matrix: Vec<Vec<i64>>,
    /// Instances that wrote what is read here, one function for each piece.
    pub sources: Vec<SourceFunction>,
    /// Class.
    pub class: AccessClass,
    /// Whether neighbouring threads read at once what different instances wrote into one element.
    pub mixes_origins: bool,
    /// Words that four threads fetch in a step; none if they keep the element over all steps of the innermost loop.
    pub words: usize,
}

/// Returns the classes of all occurrences in statements that have axes.
pub(super) fn occurrences(
    analysis: &NestAnalysis<'_>,
    axes: &ThreadAxes,
) -> Result<Vec<OccurrenceLocality>, SetError> {
    let mut all = Vec::new();
    for (statement, of) in analysis.nest.statements.iter().enumerate() {
        let Some(own) = &axes.statements[statement] else { continue };
        for access in 0..of.accesses.len() {
            all.push(occurrence(analysis, axes, own, (statement, access))?);
        }
    }
    Ok(all)
}

fn product(matrix: &[Vec<i64>], direction: &[i64]) -> Vec<i64> {
    let of = |row: &Vec<i64>| row.iter().zip(direction).map(|(a, b)| a * b).sum();
    matrix.iter().map(of).collect()
}

fn occurrence(
    analysis: &NestAnalysis<'_>,
    axes: &ThreadAxes,
    own: &StatementAxes,
    (statement, access): (usize, usize),
) -> Result<OccurrenceLocality, SetError> {
    let of = &analysis.nest.statements[statement];
    let used = &of.accesses[access];
    let loops = of.loops.len();
    let matrix: Vec<Vec<i64>> = used
        .subscripts
        .iter()
        .map(|form| row(analysis.nest, &of.loops, form)[..loops].to_vec())
        .collect();
    let direction = &own.directions[0];
    let moved = product(&matrix, direction);
    let is_zero = |numbers: &[i64]| numbers.iter().all(|number| *number == 0);
    let sources = if used.is_write { Vec::new() } else { sources(analysis, statement, access)? };
    let is_shared = sources.iter().all(|source| is_zero(&product(&source.matrix, direction)));
    let broadcast = match (used.is_write || !is_zero(&moved), sources.is_empty()) {
        (true, _) => None,
        (false, true) => Some(SharingTheorem::SameElement),
        (false, false) => is_shared.then_some(SharingTheorem::SameOrigin),
    };
    let is_local = moved.split_last().is_some_and(|(last, rest)| *last == 1 && is_zero(rest));
    let is_private = broadcast.is_none() && is_private(analysis, axes, own, (statement, access))?;
    let mixes_origins = broadcast.is_some() && mixes(analysis, statement, &sources, direction)?;
    let step = inner_step(own, &of.loops);
    let is_kept = step.is_some_and(|step| is_zero(&product(&matrix, &step)));
    let words = match (is_kept, broadcast) {
        (true, _) => 0,
        (false, Some(_)) => 1,
        (false, None) => super::axes::MOST_SECTIONS,
    };
    let class = AccessClass { broadcast, is_local: broadcast.is_none() && is_local, is_private };
    let array = used.array;
    Ok(OccurrenceLocality {
        statement,
        access,
        array,
        matrix,
        sources,
        class,
        mixes_origins,
        words,
    })
}

/// Returns the change of the indices from one step of a thread to the next; `None` of a thread with one step.
fn inner_step(own: &StatementAxes, loops: &[usize]) -> Option<Vec<i64>> {
    let place = *own.steps.last()?;
    let mut step = vec![0; loops.len()];
    step[place] = 1;
    // What the index changes of the thread, the other indices take back.
    for (form, direction) in own.forms.iter().zip(&own.directions) {
        let change = form.coefficient(cp2_nest::AffineSymbol::Index(loops[place]));
        step.iter_mut().zip(direction).for_each(|(step, by)| *step -= change * by);
    }
    Some(step)
}

/// Returns the instances that wrote what an occurrence reads.
fn sources(
    analysis: &NestAnalysis<'_>,
    statement: usize,
    access: usize,
) -> Result<Vec<SourceFunction>, SetError> {
    let is_own = |one: &&Dependence| {
        one.kind == DependenceKind::Flow && one.sink == statement && one.access == access
    };
    let mut all: Vec<SourceFunction> = Vec::new();
    for one in analysis.dependences.iter().filter(is_own) {
        let from = analysis.sets.domains[one.source].variables;
        let to = analysis.sets.domains[statement].variables;
        for pairs in one.pairs.convex_sets() {
            let hull = analysis.library().hull_equations(&pairs)?;
            let readers = analysis.library().projected(&pairs, 0, from)?;
            if readers.parts.is_empty() {
                continue;
            }
            let mut system = LinearSystem::new(pairs.columns() - 1);
            for row in &hull {
                if !system.add(&wide(row)) {
                    return Err(SetError::too_large());
                }
            }
            let mut matrix = vec![vec![0; to]; from];
            let mut free = vec![vec![0; pairs.parameters + 1]; from];
            for (pivot, row) in system.pivots().filter(|(pivot, _)| *pivot < from) {
                let of = |column: usize| (-row[column] / row[pivot]) as i64;
                matrix[pivot] = (from..from + to).map(of).collect();
                free[pivot] = (from + to..pairs.columns()).map(of).collect();
            }
            let function = SourceFunction { statement: one.source, matrix, free, readers };
            let same = all.iter_mut().find(|known| {
                (known.statement, &known.matrix, &known.free)
                    == (function.statement, &function.matrix, &function.free)
            });
            match same {
                Some(known) => known.readers = known.readers.clone().union(&function.readers),
                None => all.push(function),
            }
        }
    }
    Ok(all)
}

/// Whether instances that differ in the direction alone read what different functions give.
fn mixes(
    analysis: &NestAnalysis<'_>,
    statement: usize,
    sources: &[SourceFunction],
    direction: &[i64],
) -> Result<bool, SetError> {
    let mut origins: Vec<PointSet> = sources.iter().map(|source| source.readers.clone()).collect();
    // What an element has before the nest is an origin too.
    let mut rest = analysis.sets.in_context(&analysis.sets.domains[statement]);
    for readers in &origins {
        rest = analysis.library().difference(&rest, readers)?;
    }
    if !origins.is_empty() {
        origins.push(rest);
    }
    for (number, first) in origins.iter().enumerate() {
        for second in &origins[number + 1..] {
            // Points with a number of steps along the direction as the last variable.
            let indices = first.variables;
            let mut both = first.with_variables(indices, 1);
            let mut moved = second.with_variables(indices, 1);
            for part in &mut moved.parts {
                for row in part.equations.iter_mut().chain(&mut part.inequalities) {
                    row[indices] = row.iter().zip(direction).map(|(a, b)| a * b).sum();
                }
            }
            both = both.intersection(&moved);
            if !analysis.library().simplified(&both)?.parts.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether no thread but its own uses an element of an occurrence, through whatever occurrence.
fn is_private(
    analysis: &NestAnalysis<'_>,
    axes: &ThreadAxes,
    own: &StatementAxes,
    (statement, access): (usize, usize),
) -> Result<bool, SetError> {
    let nest = analysis.nest;
    let array = nest.statements[statement].accesses[access].array;
    for (number, other) in nest.statements.iter().enumerate() {
        let uses = other.accesses.iter().filter(|used| used.array == array);
        let mut uses = uses.peekable();
        if uses.peek().is_none() {
            continue;
        }
        // What no thread owns may be any thread's.
        let Some(their) = &axes.statements[number] else { return Ok(false) };
        for used in uses {
            let pairs = same_element(analysis, (statement, access), number, used);
            for axis in 0..own.forms.len() {
                for sign in [1, -1] {
                    let mut apart = pairs.clone();
                    let difference = difference(
                        analysis,
                        (statement, &own.forms[axis]),
                        (number, &their.forms[axis]),
                    );
                    let mut row: Vec<i64> = difference.iter().map(|number| number * sign).collect();
                    if let Some(last) = row.last_mut() {
                        *last -= 1;
                    }
                    apart.add_row(&row, false);
                    if !analysis.library().simplified(&apart)?.parts.is_empty() {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// Returns the difference of two forms as a row in the indices of both statements.
fn difference(
    analysis: &NestAnalysis<'_>,
    (first, form): (usize, &cp2_nest::AffineForm),
    (second, other): (usize, &cp2_nest::AffineForm),
) -> Vec<i64> {
    let nest = analysis.nest;
    let (a, b) = (&nest.statements[first].loops, &nest.statements[second].loops);
    let (form, other) = (row(nest, a, form), row(nest, b, other));
    let mut all = form[..a.len()].to_vec();
    all.extend(other[..b.len()].iter().map(|number| -number));
    all.extend(form[a.len()..].iter().zip(&other[b.len()..]).map(|(a, b)| a - b));
    all
}

/// Returns the pairs of instances of two statements that use one element.
fn same_element(
    analysis: &NestAnalysis<'_>,
    (statement, access): (usize, usize),
    other: usize,
    used: &cp2_nest::ArrayAccess,
) -> PointSet {
    let (nest, sets) = (analysis.nest, &analysis.sets);
    let (first, second) = (&sets.domains[statement], &sets.domains[other]);
    let wide_first = first.with_variables(first.variables, second.variables);
    let wide_second = second.with_variables(0, first.variables);
    let mut pairs = sets.in_context(&wide_first.intersection(&wide_second));
    let own = nest.full_subscripts(&nest.statements[statement].accesses[access]);
    for (a, b) in own.iter().zip(nest.full_subscripts(used)) {
        pairs.add_row(&difference(analysis, (statement, a), (other, &b)), true);
    }
    pairs
}
