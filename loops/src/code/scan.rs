//! Scan of the instances of a thread: the loops of the nest with bounds out of the thread numbers, conditions where the
//! bounds do not say all. Rows have a coefficient for each thread number, each open loop, each parameter, and 1.

use crate::domain::row;
use crate::sets::{PointSet, SetError, SetLibrary};
use crate::threads::{NestAnalysis, StatementMaps};
use cp2_nest::{AffineForm, AffineSymbol, Nest, NestNode};

/// A bound of a loop: a row, divided by a number and rounded into the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopBound {
    /// Row, without the index itself.
    pub row: Vec<i64>,
    /// Divisor, 1 or more.
    pub divisor: i64,
}

/// A part of the code of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanNode {
    /// Loop with this number, from the greatest lower to the least upper bound.
    Loop {
        /// Number of the loop.
        number: usize,
        /// Lower bounds.
        lower: Vec<LoopBound>,
        /// Upper bounds.
        upper: Vec<LoopBound>,
        /// Parts that are run for each index.
        body: Vec<ScanNode>,
    },
    /// Loop with this number that has one index alone.
    Only {
        /// Number of the loop.
        number: usize,
        /// Index.
        index: LoopBound,
        /// Parts that are run for it.
        body: Vec<ScanNode>,
    },
    /// Parts that are run where the conditions hold: one of the lists, of which all rows are 0 (`true`), or 0 or more.
    If(Vec<Vec<(Vec<i64>, bool)>>, Vec<ScanNode>),
    /// Assignment with this number.
    Assign(usize),
    /// Declaration of the array with this number.
    Declare(usize),
}

/// The code of all threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadScan {
    /// Number of thread numbers.
    pub dimensions: usize,
    /// Conditions on thread numbers, which are 0 or more, for a thread to have instances: rows that are 0 or more.
    pub guard: Vec<Vec<i64>>,
    /// For each thread number the greatest one: the greatest over the lists of the least of each list's bounds, which are rows in
    /// parameters.
    pub last: Vec<Vec<Vec<LoopBound>>>,
    /// Code of a thread.
    pub body: Vec<ScanNode>,
}

impl ScanNode {
    /// Whether a bound is divided by a number.
    pub(super) fn divides(&self) -> bool {
        let divided = |bound: &LoopBound| bound.divisor != 1;
        match self {
            Self::Loop { lower, upper, body, .. } => {
                lower.iter().chain(upper).any(divided) || body.iter().any(Self::divides)
            }
            Self::Only { index, body, .. } => divided(index) || body.iter().any(Self::divides),
            Self::If(_, body) => body.iter().any(Self::divides),
            Self::Assign(_) | Self::Declare(_) => false,
        }
    }
}

struct Scan<'s> {
    nest: &'s Nest,
    library: &'s dyn SetLibrary,
    /// Instances of each statement with their threads: thread numbers, then indices.
    instances: Vec<PointSet>,
    dimensions: usize,
}

/// Returns the instances of a statement with their thread numbers in front.
fn with_threads(analysis: &NestAnalysis<'_>, statement: usize, forms: &[AffineForm]) -> PointSet {
    let (nest, domain) = (analysis.nest, &analysis.sets.domains[statement]);
    let mut set = analysis.sets.in_context(&domain.with_variables(0, forms.len()));
    for (number, form) in forms.iter().enumerate() {
        let mut all = vec![0; forms.len()];
        all[number] = -1;
        all.extend(row(nest, &nest.statements[statement].loops, form));
        set.add_row(&all, true);
    }
    set
}

/// Returns the code of the threads that maps make.
///
/// # Errors
/// The library of sets gives no answer, or an answer that is not affine.
pub fn scan_threads(
    analysis: &NestAnalysis<'_>,
    maps: &StatementMaps,
) -> Result<ThreadScan, SetError> {
    let dimensions = maps.iter().map(Vec::len).max().unwrap_or(0);
    let library = analysis.library();
    let instances: Vec<PointSet> = maps
        .iter()
        .enumerate()
        .map(|(statement, forms)| with_threads(analysis, statement, forms))
        .collect();
    let scan = Scan { nest: analysis.nest, library, instances, dimensions };
    let statements: Vec<usize> = (0..maps.len()).collect();
    let threads = scan.hull(&statements, &[])?;
    let mut numbers = analysis.sets.context.with_variables(0, dimensions);
    for number in 0..dimensions {
        let mut row = vec![0; threads.columns()];
        row[number] = 1;
        numbers.add_row(&row, false);
    }
    let guard = scan.rows(&library.within(&threads, &numbers)?)?;
    let guard = guard.into_iter().flat_map(|(row, is_equation)| {
        let negated = row.iter().map(|number| -number).collect();
        if is_equation { vec![row, negated] } else { vec![row] }
    });
    let mut guard: Vec<Vec<i64>> = guard.collect();
    guard.sort_by_key(|row| row.iter().position(|number| *number != 0));
    let last = (0..dimensions).map(|axis| scan.last(&threads, axis)).collect::<Result<_, _>>()?;
    let known = threads.intersection(&numbers);
    let body = scan.nodes(&analysis.nest.body, &[], &known)?;
    Ok(ThreadScan { dimensions, guard, last, body })
}

/// Returns the bound that a row gives the variable in a column: from below for the sign 1, from above for -1.
fn bound(row: &[i64], column: usize, is_equation: bool, sign: i64) -> Option<LoopBound> {
    let coefficient = row[column];
    let is_one = coefficient * sign > 0 || is_equation && coefficient != 0;
    if !is_one {
        return None;
    }
    // c*x + rest >= 0: x is rest/(-c) or more for c > 0, rest/(-c) or less for c < 0.
    let turn = if coefficient > 0 { -1 } else { 1 };
    let mut rest: Vec<i64> = row.iter().map(|number| number * turn).collect();
    rest.remove(column);
    Some(LoopBound { row: rest, divisor: coefficient.abs() })
}

/// Returns the rows of a convex set that have no extra variable, each with whether it is an equation.
fn plain_rows(set: &PointSet) -> Vec<(Vec<i64>, bool)> {
    let plain = set.columns() - 1;
    let mut all = Vec::new();
    for part in &set.parts {
        let equations = part.equations.iter().map(|row| (row, true));
        for (row, is_equation) in equations.chain(part.inequalities.iter().map(|row| (row, false)))
        {
            let (front, behind) = row.split_at(plain);
            if let Some((last, extra)) = behind.split_last()
                && extra.iter().all(|number| *number == 0)
            {
                all.push(([front, &[*last]].concat(), is_equation));
            }
        }
    }
    all
}

/// Returns the statements in parts of the body.
fn statements(nodes: &[NestNode]) -> Vec<usize> {
    let of = |node: &NestNode| match node {
        NestNode::Loop(_, body) => statements(body),
        NestNode::If(_, then, otherwise) => [statements(then), statements(otherwise)].concat(),
        NestNode::Assign(number) => vec![*number],
        NestNode::Declare(_) => Vec::new(),
    };
    nodes.iter().flat_map(of).collect()
}

impl Scan<'_> {
    /// Returns a convex set around the instances of statements, as far as thread numbers and the open loops tell.
    fn hull(&self, statements: &[usize], open: &[usize]) -> Result<PointSet, SetError> {
        let kept = self.dimensions + open.len();
        let mut all = PointSet::empty(kept, self.nest.parameters.len());
        for statement in statements {
            let set = &self.instances[*statement];
            all = all.union(&self.library.projected(set, kept, set.variables - kept)?);
        }
        let mut hull = self.library.simple_hull(&all)?;
        // The bounds of the nest hold for all instances.
        for (place, number) in open.iter().enumerate() {
            let index = AffineForm::symbol(AffineSymbol::Index(*number));
            let bounds = &self.nest.loops[*number];
            let above = bounds.lower.iter().filter_map(|lower| index.plus(lower, -1));
            let below = bounds.upper.iter().filter_map(|upper| upper.plus(&index, -1));
            for form in above.chain(below).collect::<Vec<_>>() {
                let own = row(self.nest, &open[..=place], &form);
                let mut all = vec![0; self.dimensions];
                all.extend(&own[..=place]);
                all.extend(std::iter::repeat_n(0, open.len() - place - 1));
                all.extend(&own[place + 1..]);
                hull.add_row(&all, false);
            }
        }
        self.library.simplified(&hull)
    }

    /// Returns the greatest number of an axis. Parts of the nest with bounds of their own have none in common, so that each
    /// gives a list.
    fn last(&self, threads: &PointSet, axis: usize) -> Result<Vec<Vec<LoopBound>>, SetError> {
        let common = self.upper(threads, axis)?;
        if let [bounds] = &common[..]
            && !bounds.is_empty()
        {
            return Ok(common);
        }
        let mut lists = Vec::new();
        for set in &self.instances {
            for list in self.upper(set, axis)? {
                if !lists.contains(&list) {
                    lists.push(list);
                }
            }
        }
        if lists.is_empty() || lists.iter().any(Vec::is_empty) {
            let message = "a thread number has no greatest value that parameters tell";
            return Err(SetError(message.to_owned()));
        }
        Ok(lists)
    }

    /// Returns the upper bounds of a thread number in each convex part of a set.
    fn upper(&self, set: &PointSet, axis: usize) -> Result<Vec<Vec<LoopBound>>, SetError> {
        let behind = self.library.projected(set, axis + 1, set.variables - axis - 1)?;
        let alone = self.library.simplified(&self.library.projected(&behind, 0, axis)?)?;
        let mut lists = Vec::new();
        for part in alone.convex_sets() {
            let rows = plain_rows(&part);
            let upper = rows.iter().filter_map(|(row, is_equal)| bound(row, 0, *is_equal, -1));
            lists.push(upper.collect());
        }
        Ok(lists)
    }

    /// Returns the rows of a set of one part, each with whether it is an equation.
    fn rows(&self, set: &PointSet) -> Result<Vec<(Vec<i64>, bool)>, SetError> {
        match &set.parts[..] {
            [] => {
                let mut row = vec![0; set.columns()];
                row[set.columns() - 1] = -1;
                Ok(vec![(row, false)])
            }
            [part] if part.extra == 0 => {
                let equations = part.equations.iter().map(|row| (row.clone(), true));
                Ok(equations
                    .chain(part.inequalities.iter().map(|row| (row.clone(), false)))
                    .collect())
            }
            _ => Err(SetError("a condition of the code is not affine".to_owned())),
        }
    }

    fn nodes(
        &self,
        nodes: &[NestNode],
        open: &[usize],
        known: &PointSet,
    ) -> Result<Vec<ScanNode>, SetError> {
        let mut all: Vec<ScanNode> = Vec::new();
        for node in nodes {
            let made = match node {
                NestNode::Loop(number, body) => self.loop_of(*number, body, open, known)?,
                NestNode::If(_, then, otherwise) => {
                    [self.nodes(then, open, known)?, self.nodes(otherwise, open, known)?].concat()
                }
                NestNode::Assign(number) => {
                    self.guarded(&self.instances[*number], known, ScanNode::Assign(*number))?
                }
                NestNode::Declare(number) => vec![ScanNode::Declare(*number)],
            };
            for next in made {
                match (all.last_mut(), next) {
                    // Parts with one condition stand below it together.
                    (Some(ScanNode::If(before, body)), ScanNode::If(after, more))
                        if *before == after =>
                    {
                        body.extend(more);
                    }
                    (_, next) => all.push(next),
                }
            }
        }
        Ok(all)
    }

    /// Returns a part with the conditions of a set that are not known.
    fn guarded(
        &self,
        set: &PointSet,
        known: &PointSet,
        node: ScanNode,
    ) -> Result<Vec<ScanNode>, SetError> {
        let left = self.library.within(set, known)?;
        if left.parts.is_empty() {
            return Ok(Vec::new());
        }
        let mut lists = Vec::new();
        for part in left.convex_sets() {
            let rows = self.rows(&part)?;
            if rows.is_empty() {
                return Ok(vec![node]);
            }
            lists.push(rows);
        }
        Ok(vec![ScanNode::If(lists, vec![node])])
    }

    fn loop_of(
        &self,
        number: usize,
        body: &[NestNode],
        open: &[usize],
        known: &PointSet,
    ) -> Result<Vec<ScanNode>, SetError> {
        let inside = statements(body);
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let mut within = open.to_vec();
        within.push(number);
        let column = self.dimensions + open.len();
        let hull = self.hull(&inside, &within)?;
        if hull.parts.is_empty() {
            return Ok(Vec::new());
        }
        let known = known.with_variables(column, 1);
        let rows = self.rows(&self.library.within(&hull, &known)?)?;
        let body = self.nodes(body, &within, &known.intersection(&hull))?;
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let only = rows
            .iter()
            .find(|(row, is_equation)| *is_equation && row[column].abs() == 1)
            .and_then(|(row, _)| bound(row, column, true, 1));
        let node = match only {
            Some(index) => ScanNode::Only { number, index, body },
            None => {
                let bounds = |sign| {
                    rows.iter().filter_map(move |(row, is_equation)| {
                        bound(row, column, *is_equation, sign)
                    })
                };
                let (lower, upper): (Vec<_>, Vec<_>) = (bounds(1).collect(), bounds(-1).collect());
                if lower.is_empty() || upper.is_empty() {
                    let index = &self.nest.loops[number].name.name;
                    return Err(SetError(format!("the loop over `{index}` has no affine bounds")));
                }
                ScanNode::Loop { number, lower, upper, body }
            }
        };
        let is_only = matches!(node, ScanNode::Only { .. });
        let rest: Vec<(Vec<i64>, bool)> = rows
            .into_iter()
            .filter(|(row, _)| row[column] == 0)
            .map(|(mut row, is_equation)| {
                row.remove(column);
                (row, is_equation)
            })
            .collect();
        // A loop without indices needs no condition around it.
        Ok(match rest.is_empty() || !is_only && rest.iter().all(|(_, is_equation)| !is_equation) {
            true if rest.is_empty() => vec![node],
            _ => vec![ScanNode::If(vec![rest], vec![node])],
        })
    }
}
