//! Sets as rows of coefficients.

/// A convex part of a set: all of its equations and inequalities hold. A row has the coefficients of the variables, the
/// parameters, the extra variables and 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvexPart {
    /// Rows that are 0.
    pub equations: Vec<Vec<i64>>,
    /// Rows that are 0 or more.
    pub inequalities: Vec<Vec<i64>>,
    /// Number of extra variables, which have some whole values.
    pub extra: usize,
}

/// A set of integer points, which may depend on parameters: the union of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointSet {
    /// Number of variables.
    pub variables: usize,
    /// Number of parameters.
    pub parameters: usize,
    /// Parts; none of an empty set.
    pub parts: Vec<ConvexPart>,
}

impl PointSet {
    /// Creates the set of all points.
    pub fn universe(variables: usize, parameters: usize) -> Self {
        Self { variables, parameters, parts: vec![ConvexPart::default()] }
    }

    /// Creates the empty set.
    pub fn empty(variables: usize, parameters: usize) -> Self {
        Self { variables, parameters, parts: Vec::new() }
    }

    /// Returns the number of coefficients of a row without extra variables.
    pub fn columns(&self) -> usize {
        self.variables + self.parameters + 1
    }

    /// Returns the set with the parts of another one added.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.parts.extend(other.parts.iter().cloned());
        self
    }

    /// Returns the points that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut parts = Vec::new();
        for a in &self.parts {
            for b in &other.parts {
                parts.push(self.joined(a, b));
            }
        }
        Self { parts, ..*self }
    }

    /// Returns the part with the conditions of both.
    fn joined(&self, a: &ConvexPart, b: &ConvexPart) -> ConvexPart {
        let plain = self.columns() - 1;
        let spread = |row: &Vec<i64>, before: usize, own: usize, behind: usize| {
            let mut all = row[..plain].to_vec();
            all.extend(std::iter::repeat_n(0, before));
            all.extend(&row[plain..plain + own]);
            all.extend(std::iter::repeat_n(0, behind));
            all.extend(&row[plain + own..]);
            all
        };
        let rows = |from_a: &[Vec<i64>], from_b: &[Vec<i64>]| -> Vec<Vec<i64>> {
            let first = from_a.iter().map(|row| spread(row, 0, a.extra, b.extra));
            first.chain(from_b.iter().map(|row| spread(row, a.extra, b.extra, 0))).collect()
        };
        ConvexPart {
            equations: rows(&a.equations, &b.equations),
            inequalities: rows(&a.inequalities, &b.inequalities),
            extra: a.extra + b.extra,
        }
    }

    /// Adds a condition to all parts: the row is 0, or with `is_equation` false 0 or more.
    pub fn add_row(&mut self, row: &[i64], is_equation: bool) {
        let plain = self.columns() - 1;
        for part in &mut self.parts {
            let mut all = row[..plain].to_vec();
            all.extend(std::iter::repeat_n(0, part.extra));
            all.push(row[plain]);
            match is_equation {
                true => part.equations.push(all),
                false => part.inequalities.push(all),
            }
        }
    }

    /// Whether a point is in the set for values of the parameters; parts with extra variables are left out.
    pub fn has(&self, point: &[i64], parameters: &[i64]) -> bool {
        let value = |row: &Vec<i64>| -> i64 {
            let values = point.iter().chain(parameters).chain([&1]);
            row.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum()
        };
        self.parts.iter().filter(|part| part.extra == 0).any(|part| {
            part.equations.iter().all(|row| value(row) == 0)
                && part.inequalities.iter().all(|row| value(row) >= 0)
        })
    }

    /// Returns each part as a set of its own.
    pub fn convex_sets(&self) -> Vec<Self> {
        let alone = |part: &ConvexPart| Self { parts: vec![part.clone()], ..*self };
        self.parts.iter().map(alone).collect()
    }

    /// Returns the set with `count` more variables before that with number `first`; conditions say nothing of them.
    #[must_use]
    pub fn with_variables(&self, first: usize, count: usize) -> Self {
        let widen = |rows: &[Vec<i64>]| -> Vec<Vec<i64>> {
            rows.iter()
                .map(|row| {
                    let mut all = row[..first].to_vec();
                    all.extend(std::iter::repeat_n(0, count));
                    all.extend(&row[first..]);
                    all
                })
                .collect()
        };
        let part = |part: &ConvexPart| ConvexPart {
            equations: widen(&part.equations),
            inequalities: widen(&part.inequalities),
            extra: part.extra,
        };
        let parts = self.parts.iter().map(part).collect();
        Self { variables: self.variables + count, parameters: self.parameters, parts }
    }
}
