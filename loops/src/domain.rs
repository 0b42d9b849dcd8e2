//! Domains, elements and the order of a nest, as sets of points.

use crate::sets::{ElementUse, PointSet, SetError, SetLibrary};
use cp2_nest::{AffineForm, AffineSymbol, Nest, NestCondition};

/// Value of parameters from which on the number of thread dimensions is judged: parts of the iteration space that exist
/// below it alone do not count.
const LARGE: i64 = 8;

/// The sets of a nest.
#[derive(Clone, Debug)]
pub struct NestSets {
    /// Instances of each statement: those of its loops for which its conditions hold.
    pub domains: Vec<PointSet>,
    /// Instances of each statement's loops, whatever its conditions are.
    pub loops: Vec<PointSet>,
    /// Values of the parameters, without variables, that `assume` leaves.
    pub context: PointSet,
    /// Values of the parameters from which dimensions are judged.
    pub large: PointSet,
    /// Place of each statement's instances in the order of the run.
    pub order: Vec<Vec<Vec<i64>>>,
}

/// Returns the row of a form: coefficients of the indices of `loops`, of the parameters, and 1.
pub(crate) fn row(nest: &Nest, loops: &[usize], form: &AffineForm) -> Vec<i64> {
    let index = loops.iter().map(|number| form.coefficient(AffineSymbol::Index(*number)));
    let parameters = 0..nest.parameters.len();
    index
        .chain(parameters.map(|number| form.coefficient(AffineSymbol::Parameter(number))))
        .chain([form.free_term()])
        .collect()
}

/// Returns the form of a row; `None` if a number is beyond the limit of forms.
pub(crate) fn form(loops: &[usize], row: &[i64]) -> Option<AffineForm> {
    let mut form = AffineForm::default().plus_number(row[row.len() - 1])?;
    for (column, coefficient) in row[..row.len() - 1].iter().enumerate() {
        let symbol = match loops.get(column) {
            Some(number) => AffineSymbol::Index(*number),
            None => AffineSymbol::Parameter(column - loops.len()),
        };
        let term = AffineForm::symbol(symbol);
        form = form.plus(&term, *coefficient)?;
    }
    Some(form)
}

/// Returns the points for which a condition holds.
pub(crate) fn condition(nest: &Nest, loops: &[usize], condition: &NestCondition) -> PointSet {
    let universe = PointSet::universe(loops.len(), nest.parameters.len());
    let simple = |form: &AffineForm, is_equation| {
        let mut set = universe.clone();
        set.add_row(&row(nest, loops, form), is_equation);
        set
    };
    match condition {
        NestCondition::AtLeastZero(form) => simple(form, false),
        NestCondition::Zero(form) => simple(form, true),
        NestCondition::All(all) => {
            let sets = all.iter().map(|one| self::condition(nest, loops, one));
            sets.fold(universe.clone(), |both, one| both.intersection(&one))
        }
        NestCondition::Any(all) => {
            let empty = PointSet::empty(loops.len(), nest.parameters.len());
            let sets = all.iter().map(|one| self::condition(nest, loops, one));
            sets.fold(empty, |either, one| either.union(&one))
        }
    }
}

/// Returns the points of the loops around a statement.
fn loop_set(nest: &Nest, loops: &[usize]) -> PointSet {
    let mut set = PointSet::universe(loops.len(), nest.parameters.len());
    for number in loops {
        let index = AffineForm::symbol(AffineSymbol::Index(*number));
        let bounds = &nest.loops[*number];
        let above = bounds.lower.iter().filter_map(|lower| index.plus(lower, -1));
        let below = bounds.upper.iter().filter_map(|upper| upper.plus(&index, -1));
        for form in above.chain(below).collect::<Vec<_>>() {
            set.add_row(&row(nest, loops, &form), false);
        }
    }
    set
}

impl NestSets {
    /// Returns the sets of a nest.
    ///
    /// # Errors
    /// The library gives no answer.
    pub fn new(nest: &Nest, library: &dyn SetLibrary) -> Result<Self, SetError> {
        let parameters = nest.parameters.len();
        let mut context = PointSet::universe(0, parameters);
        for one in &nest.context {
            context = context.intersection(&condition(nest, &[], one));
        }
        let mut large = context.clone();
        for parameter in 0..parameters {
            let mut row = vec![0; parameters + 1];
            row[parameter] = 1;
            row[parameters] = -LARGE;
            large.add_row(&row, false);
        }
        if library.simplified(&large)?.parts.is_empty() {
            large = context.clone();
        }
        let (mut domains, mut loops) = (Vec::new(), Vec::new());
        for statement in &nest.statements {
            let around = library.simplified(&loop_set(nest, &statement.loops))?;
            let mut domain = around.clone();
            for guard in &statement.guards {
                domain = domain.intersection(&condition(nest, &statement.loops, guard));
            }
            domains.push(library.simplified(&domain)?);
            loops.push(around);
        }
        Ok(Self { domains, loops, context, large, order: order(nest) })
    }

    /// Returns a set with the context of the parameters added.
    pub(crate) fn in_context(&self, set: &PointSet) -> PointSet {
        set.intersection(&self.context.with_variables(0, set.variables))
    }
}

/// Returns the place of each statement's instances in the order of the run: what stands before, the index, what stands
/// before within it, and so on.
fn order(nest: &Nest) -> Vec<Vec<Vec<i64>>> {
    let depth = nest.statements.iter().map(|statement| statement.loops.len()).max().unwrap_or(0);
    let of = |statement: &cp2_nest::NestStatement| {
        let columns = statement.loops.len() + nest.parameters.len() + 1;
        let mut rows = vec![vec![0; columns]; 2 * depth + 1];
        for (place, position) in statement.position.iter().enumerate() {
            rows[2 * place][columns - 1] = *position as i64;
        }
        for column in 0..statement.loops.len() {
            rows[2 * column + 1][column] = 1;
        }
        rows
    };
    nest.statements.iter().map(of).collect()
}

/// Returns the use of an element by a statement.
pub(crate) fn element_use(
    nest: &Nest,
    sets: &NestSets,
    statement: usize,
    access: usize,
) -> ElementUse {
    let of = &nest.statements[statement];
    let element = nest.full_subscripts(&of.accesses[access]);
    ElementUse {
        statement,
        domain: sets.in_context(&sets.domains[statement]),
        is_write: of.accesses[access].is_write,
        array: of.accesses[access].array,
        element: element.iter().map(|form| row(nest, &of.loops, form)).collect(),
    }
}
