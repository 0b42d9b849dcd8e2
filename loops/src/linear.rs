//! Exact linear algebra over whole numbers: equations are kept as rows with coprime coefficients.

/// Greatest coefficient that is kept; beyond it an equation is given up.
const GREATEST: i128 = 1 << 100;

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Divides a row by what its coefficients have in common; its first coefficient that is not 0 becomes positive.
fn reduce(row: &mut [i128]) {
    let common = row.iter().fold(0, |common, number| gcd(common, *number));
    let is_negative = row.iter().find(|number| **number != 0).is_some_and(|number| *number < 0);
    if common > 0 {
        let by = if is_negative { -common } else { common };
        row.iter_mut().for_each(|number| *number /= by);
    }
}

/// Equations in some unknowns: each row has their coefficients and a constant, and is 0. No pivot stands in two rows.
#[derive(Clone, Debug)]
pub(crate) struct LinearSystem {
    unknowns: usize,
    rows: Vec<(usize, Vec<i128>)>,
}

impl LinearSystem {
    pub(crate) fn new(unknowns: usize) -> Self {
        Self { unknowns, rows: Vec::new() }
    }

    /// Clears the pivots of the system from a row; `None` if a number is beyond the greatest.
    fn cleared(&self, row: &[i128]) -> Option<Vec<i128>> {
        let mut row = row.to_vec();
        for (pivot, known) in &self.rows {
            if row[*pivot] == 0 {
                continue;
            }
            let (own, other) = (row[*pivot], known[*pivot]);
            for (number, by) in row.iter_mut().zip(known) {
                *number = number.checked_mul(other)?.checked_sub(by.checked_mul(own)?)?;
            }
            reduce(&mut row);
        }
        row.iter().all(|number| number.abs() <= GREATEST).then_some(row)
    }

    /// Adds an equation; returns whether the system still has a solution over the fractions that could be computed.
    pub(crate) fn add(&mut self, row: &[i128]) -> bool {
        let Some(row) = self.cleared(row) else { return false };
        let Some(pivot) = row[..self.unknowns].iter().position(|number| *number != 0) else {
            return row[self.unknowns] == 0;
        };
        let mut row = row;
        reduce(&mut row);
        let this = Self { unknowns: self.unknowns, rows: vec![(pivot, row.clone())] };
        let cleared: Option<Vec<_>> =
            self.rows.iter().map(|(pivot, known)| Some((*pivot, this.cleared(known)?))).collect();
        let Some(cleared) = cleared else { return false };
        self.rows = cleared;
        self.rows.push((pivot, row));
        true
    }

    /// Returns the rows of the system.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[i128]> {
        self.rows.iter().map(|(_, row)| row.as_slice())
    }

    /// Returns the rows with their pivots.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = (usize, &[i128])> {
        self.rows.iter().map(|(pivot, row)| (*pivot, row.as_slice()))
    }

    /// Returns directions, with coprime coefficients, that span the solutions of the system without constants; `None` if a
    /// number does not fit.
    pub(crate) fn directions(&self) -> Option<Vec<Vec<i64>>> {
        let is_pivot = |column: &usize| self.rows.iter().any(|(pivot, _)| pivot == column);
        let mut all = Vec::new();
        for free in (0..self.unknowns).filter(|column| !is_pivot(column)) {
            // Each pivot times its coefficient is what the free column leaves.
            let scale = self.rows.iter().try_fold(1_i128, |scale, (pivot, row)| {
                (scale / gcd(scale, row[*pivot])).checked_mul(row[*pivot].abs())
            })?;
            let mut direction = vec![0_i128; self.unknowns];
            direction[free] = scale;
            for (pivot, row) in &self.rows {
                direction[*pivot] = (-row[free]).checked_mul(scale / row[*pivot])?;
            }
            reduce(&mut direction);
            all.push(narrow(&direction)?);
        }
        Some(all)
    }
}

/// Returns rows as wider numbers.
pub(crate) fn wide(row: &[i64]) -> Vec<i128> {
    row.iter().map(|number| i128::from(*number)).collect()
}

/// Returns a row as numbers of 64 bits, if all fit.
pub(crate) fn narrow(row: &[i128]) -> Option<Vec<i64>> {
    row.iter().map(|number| i64::try_from(*number).ok()).collect()
}

/// Returns the equations that follow from rows for the columns other than `count` from `first` on; `None` if a number is too
/// large.
pub(crate) fn without_columns(
    rows: &[Vec<i64>],
    first: usize,
    count: usize,
) -> Option<Vec<Vec<i64>>> {
    // Columns that go are put in front, so that pivots stand there first.
    let turned = |row: &[i64]| -> Vec<i64> {
        let mut all = row[first..first + count].to_vec();
        all.extend(&row[..first]);
        all.extend(&row[first + count..]);
        all
    };
    let Some(width) = rows.first().map(Vec::len) else { return Some(Vec::new()) };
    let mut system = LinearSystem::new(width - 1);
    for row in rows {
        if !system.add(&wide(&turned(row))) {
            return None;
        }
    }
    let left = system.pivots().filter(|(pivot, _)| *pivot >= count);
    left.map(|(_, row)| narrow(&row[count..])).collect()
}
