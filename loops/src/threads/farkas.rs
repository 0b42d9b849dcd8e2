//! Thread numbers as sums of the inequalities of domains with factors of 0 or more, which is all forms that are 0 or more
//! on the domain (affine Farkas lemma).

use super::NestAnalysis;
use crate::sets::{PointSet, SetError};

/// Inequalities of all statements, and where the multipliers of each begin.
#[derive(Clone, Debug)]
pub(crate) struct Multipliers {
    /// For each statement its inequalities: coefficients of its indices, the parameters and 1.
    pub(crate) rows: Vec<Vec<Vec<i64>>>,
    /// For each statement the number of its free term; its factors follow.
    pub(crate) begins: Vec<usize>,
    /// Number of multipliers.
    pub(crate) count: usize,
}

/// Returns the inequalities of a convex set; an equation is two.
fn inequalities(set: &PointSet) -> Vec<Vec<i64>> {
    let Some(part) = set.parts.first().filter(|part| part.extra == 0) else { return Vec::new() };
    let negated = |row: &Vec<i64>| row.iter().map(|number| -number).collect::<Vec<_>>();
    let mut rows: Vec<Vec<i64>> = part.inequalities.clone();
    for row in &part.equations {
        rows.push(row.clone());
        rows.push(negated(row));
    }
    // Those of the outer loops first, and lower bounds before upper ones. Conditions on parameters alone give no form.
    let level =
        |row: &Vec<i64>| row[..set.variables].iter().rposition(|coefficient| *coefficient != 0);
    rows.retain(|row| level(row).is_some());
    rows.sort_by_key(|row| {
        let level = level(row);
        (level, level.map(|level| row[level] < 0), row.clone())
    });
    rows
}

impl Multipliers {
    pub(crate) fn new(analysis: &NestAnalysis<'_>) -> Result<Self, SetError> {
        let sets = &analysis.sets;
        let mut rows = Vec::new();
        for (domain, loops) in sets.domains.iter().zip(&sets.loops) {
            // A domain in parts lies within the convex one of its loops.
            let is_convex = domain.parts.len() == 1 && domain.parts[0].extra == 0;
            rows.push(inequalities(if is_convex { domain } else { loops }));
        }
        let mut begins = Vec::new();
        let mut count = 0;
        for rows in &rows {
            begins.push(count);
            count += rows.len() + 1;
        }
        Ok(Self { rows, begins, count })
    }

    /// Returns a coefficient of a statement's thread number as a sum of multipliers: a factor for each, and 0. Columns are
    /// the statement's indices, the parameters and 1.
    pub(crate) fn coefficient(&self, statement: usize, column: usize, columns: usize) -> Vec<i128> {
        let mut sum = vec![0; self.count + 1];
        let begin = self.begins[statement];
        if column + 1 == columns {
            sum[begin] = 1;
        }
        for (number, row) in self.rows[statement].iter().enumerate() {
            sum[begin + 1 + number] = i128::from(row[column]);
        }
        sum
    }

    /// Returns the form that multipliers give a statement, as a row; `None` if a number does not fit.
    pub(crate) fn row(
        &self,
        statement: usize,
        columns: usize,
        multipliers: &[i64],
    ) -> Option<Vec<i64>> {
        let begin = self.begins[statement];
        let mut sum = vec![0; columns];
        sum[columns - 1] = multipliers[begin];
        for (number, row) in self.rows[statement].iter().enumerate() {
            for (total, coefficient) in sum.iter_mut().zip(row) {
                *total =
                    total.checked_add(coefficient.checked_mul(multipliers[begin + 1 + number])?)?;
            }
        }
        Some(sum)
    }

    /// Returns the order in which multipliers are made small: free terms from the last statement to the first, then the
    /// factors from the last to the first.
    pub(crate) fn order(&self) -> Vec<usize> {
        let factors = (0..self.count).rev().filter(|number| !self.begins.contains(number));
        self.begins.iter().rev().copied().chain(factors).collect()
    }
}
