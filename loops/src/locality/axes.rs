//! Axes of threads: for each statement the direction in which its indices go from one thread to the next.

use crate::linear::LinearSystem;
use crate::threads::{StatementMaps, ThreadPlan};
use cp2_nest::{AffineForm, AffineSymbol, Nest};

/// Number of sections, which neighbouring threads are dealt out to.
pub const MOST_SECTIONS: usize = 4;

/// Threads of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementAxes {
    /// Thread numbers, one for each axis.
    pub forms: Vec<AffineForm>,
    /// For each axis the change of the statement's indices from one thread to the next; those that number the steps of a
    /// thread stay.
    pub directions: Vec<Vec<i64>>,
    /// Places among the statement's indices that number the steps of a thread.
    pub steps: Vec<usize>,
}

/// Threads of a nest: axes of each statement that is divided among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadAxes {
    /// Axes of each statement; `None` if its indices do not tell the thread.
    pub statements: Vec<Option<StatementAxes>>,
    /// Names of the axes, for reports.
    pub names: Vec<String>,
    /// Place of each axis among those that were given.
    pub order: Vec<usize>,
}

/// Returns the coefficients of a form in a statement's indices.
fn coefficients(loops: &[usize], form: &AffineForm) -> Vec<i64> {
    loops.iter().map(|number| form.coefficient(AffineSymbol::Index(*number))).collect()
}

/// Returns for each axis the numbers for the chosen places that change that axis by 1 and no other; `None` if there are no
/// such whole numbers.
fn inverse(rows: &[Vec<i64>], places: &[usize]) -> Option<Vec<Vec<i64>>> {
    let count = places.len();
    (0..rows.len())
        .map(|axis| {
            let mut system = LinearSystem::new(count);
            for (number, row) in rows.iter().enumerate() {
                let mut equation: Vec<i128> =
                    places.iter().map(|place| i128::from(row[*place])).collect();
                equation.push(-i128::from(u8::from(number == axis)));
                if !system.add(&equation) {
                    return None;
                }
            }
            let mut values = vec![0; count];
            let mut pivots = 0;
            for (pivot, row) in system.pivots() {
                pivots += 1;
                if row[count] % row[pivot] != 0 {
                    return None;
                }
                values[pivot] = i64::try_from(-row[count] / row[pivot]).ok()?;
            }
            (pivots == count).then_some(values)
        })
        .collect()
}

/// Returns the ways to choose `count` of `of` places, later places first.
fn choices(of: usize, count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in (count - 1..of).rev() {
        for mut before in choices(last, count - 1) {
            before.push(last);
            all.push(before);
        }
    }
    all
}

/// Returns the axes of a statement with these thread numbers.
fn axes(loops: &[usize], forms: &[AffineForm]) -> Option<StatementAxes> {
    if forms.is_empty() || forms.len() > loops.len() {
        return None;
    }
    let rows: Vec<_> = forms.iter().map(|form| coefficients(loops, form)).collect();
    choices(loops.len(), forms.len()).into_iter().find_map(|places| {
        let directions = inverse(&rows, &places)?.into_iter().map(|values| {
            let mut direction = vec![0; loops.len()];
            places.iter().zip(values).for_each(|(place, value)| direction[*place] = value);
            direction
        });
        let directions = directions.collect();
        let steps = (0..loops.len()).filter(|place| !places.contains(place)).collect();
        Some(StatementAxes { forms: forms.to_vec(), directions, steps })
    })
}

impl ThreadAxes {
    fn of_maps(nest: &Nest, maps: &StatementMaps, names: Vec<String>) -> Self {
        let statements = nest.statements.iter().zip(maps);
        let statements = statements.map(|(statement, forms)| axes(&statement.loops, forms));
        let order = (0..names.len()).collect();
        Self { statements: statements.collect(), names, order }
    }

    /// Returns the axes of the threads that were found.
    pub fn of_plan(nest: &Nest, plan: &ThreadPlan) -> Self {
        // A statement may have the same numbers in all of its instances, which name no axis.
        let deepest = nest.statements.iter().zip(&plan.maps).max_by_key(|(one, forms)| {
            let has_index = |form: &&AffineForm| {
                form.terms().any(|(symbol, _)| matches!(symbol, AffineSymbol::Index(_)))
            };
            (forms.iter().filter(has_index).count(), one.loops.len())
        });
        let names =
            deepest.map(|(_, forms)| forms.iter().map(|form| nest.form_text(form)).collect());
        Self::of_maps(nest, &plan.maps, names.unwrap_or_default())
    }

    /// Returns the axes of threads along loops of these names, the first one along which neighbours differ; `None` if a
    /// name is that of no loop.
    pub fn of_loops(nest: &Nest, names: &[&str]) -> Option<Self> {
        let is_loop = |name: &&str| nest.loops.iter().any(|one| one.name.name == *name);
        if !names.iter().all(is_loop) {
            return None;
        }
        let map = |statement: &cp2_nest::NestStatement| -> Vec<AffineForm> {
            let find = |name: &&str| {
                let mut loops = statement.loops.iter();
                let number = loops.find(|number| nest.loops[**number].name.name == *name)?;
                Some(AffineForm::symbol(AffineSymbol::Index(*number)))
            };
            names.iter().map(find).collect::<Option<_>>().unwrap_or_default()
        };
        let maps = nest.statements.iter().map(map).collect();
        Some(Self::of_maps(nest, &maps, names.iter().map(|name| (*name).to_owned()).collect()))
    }

    /// Returns the axes with each of them in front, the others as they are: neighbours differ in the first one, and no class
    /// depends on the order of the others.
    pub fn orders(&self) -> Vec<Self> {
        let count = self.names.len();
        let order = |first: usize| -> Vec<usize> {
            std::iter::once(first).chain((0..count).filter(|axis| *axis != first)).collect()
        };
        (0..count).map(|first| self.in_order(&order(first))).collect()
    }

    fn in_order(&self, order: &[usize]) -> Self {
        let statement = |axes: &StatementAxes| StatementAxes {
            forms: order.iter().map(|axis| axes.forms[*axis].clone()).collect(),
            directions: order.iter().map(|axis| axes.directions[*axis].clone()).collect(),
            steps: axes.steps.clone(),
        };
        Self {
            statements: self.statements.iter().map(|axes| axes.as_ref().map(statement)).collect(),
            names: order.iter().map(|axis| self.names[*axis].clone()).collect(),
            order: order.iter().map(|axis| self.order[*axis]).collect(),
        }
    }
}
