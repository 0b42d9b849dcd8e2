//! The library isl (crate isl-rs) behind [`SetLibrary`]. Sets go to it as texts and come back as rows.

use super::rows::{ConvexPart, PointSet};
use super::{ElementUse, InstancePairs, LastUses, SetError, SetLibrary};
use isl_rs::{BasicSet, Context, DimType, LibISLError, Mat, Set, UnionAccessInfo, UnionMap};
use std::fmt::Write;

/// The library isl, with a context of its own.
pub struct IslLibrary {
    context: Context,
}

impl Default for IslLibrary {
    fn default() -> Self {
        Self { context: Context::alloc() }
    }
}

impl std::fmt::Debug for IslLibrary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IslLibrary")
    }
}

impl From<LibISLError> for SetError {
    fn from(error: LibISLError) -> Self {
        Self(error.to_string())
    }
}

/// Returns names with a letter in front of their numbers, as in `p0, p1`.
fn names(letter: &str, count: usize) -> String {
    let all: Vec<_> = (0..count).map(|number| format!("{letter}{number}")).collect();
    all.join(", ")
}

/// Returns the sum that a row is.
fn sum(row: &[i64], variables: usize, parameters: usize) -> String {
    let mut text = String::new();
    for (column, coefficient) in row.iter().enumerate().filter(|(_, number)| **number != 0) {
        let name = if column + 1 == row.len() {
            String::new()
        } else if column < variables {
            format!("*v{column}")
        } else if column < variables + parameters {
            format!("*p{}", column - variables)
        } else {
            format!("*e{}", column - variables - parameters)
        };
        // Writing to a text does not fail.
        let _ = write!(text, "{coefficient:+}{name}");
    }
    if text.is_empty() { "0".to_owned() } else { text.trim_start_matches('+').to_owned() }
}

/// Returns the conditions of a set, as a text of isl.
fn conditions(set: &PointSet) -> String {
    if set.parts.is_empty() {
        return "1 = 0".to_owned();
    }
    let part = |part: &ConvexPart| {
        let of = |row: &Vec<i64>, sign: &str| {
            format!("{} {sign} 0", sum(row, set.variables, set.parameters))
        };
        let equations = part.equations.iter().map(|row| of(row, "="));
        let all: Vec<_> =
            equations.chain(part.inequalities.iter().map(|row| of(row, ">="))).collect();
        let all = if all.is_empty() { "0 = 0".to_owned() } else { all.join(" and ") };
        match part.extra {
            0 => format!("({all})"),
            extra => format!("(exists {} : {all})", names("e", extra)),
        }
    };
    set.parts.iter().map(part).collect::<Vec<_>>().join(" or ")
}

fn rows(matrix: &Mat) -> Result<Vec<Vec<i64>>, SetError> {
    let (count, columns) = (matrix.rows()?, matrix.cols()?);
    let mut all = Vec::new();
    for row in 0..count {
        let mut numbers = Vec::new();
        for column in 0..columns {
            let value = matrix.get_element_val(row, column)?;
            let number = value.get_num_si()?;
            // A number beyond 64 bits comes back as one that is not equal to it.
            if !value.eq_si(number)? {
                return Err(SetError::too_large());
            }
            numbers.push(number);
        }
        all.push(numbers);
    }
    Ok(all)
}

fn part(set: &BasicSet) -> Result<ConvexPart, SetError> {
    let order = [DimType::Set, DimType::Param, DimType::Div, DimType::Cst];
    let [a, b, c, d] = order;
    let equations = rows(&set.equalities_matrix(a, b, c, d)?)?;
    let [a, b, c, d] = order;
    let inequalities = rows(&set.inequalities_matrix(a, b, c, d)?)?;
    let extra = set.dim(DimType::Div)?;
    Ok(ConvexPart { equations, inequalities, extra: usize::try_from(extra).unwrap_or(0) })
}

fn points(set: &Set, variables: usize, parameters: usize) -> Result<PointSet, SetError> {
    let list = set.get_basic_set_list()?;
    let mut parts = Vec::new();
    for number in 0..list.size()? {
        let one = list.get_at(number)?;
        if !one.is_empty()? {
            parts.push(part(&one)?);
        }
    }
    Ok(PointSet { variables, parameters, parts })
}

impl IslLibrary {
    fn set(&self, set: &PointSet) -> Result<Set, SetError> {
        let text = format!(
            "[{}] -> {{ [{}] : {} }}",
            names("p", set.parameters),
            names("v", set.variables),
            conditions(set)
        );
        Ok(Set::read_from_str(&self.context, &text)?)
    }

    /// Returns the elements that statements use, as a relation.
    fn uses(&self, uses: &[ElementUse], parameters: usize) -> Result<UnionMap, SetError> {
        let one = |one: &ElementUse| {
            let variables = one.domain.variables;
            let element: Vec<_> =
                one.element.iter().map(|row| sum(row, variables, parameters)).collect();
            format!(
                "{}{}[{}] -> A{}[{}] : {}",
                if one.is_write { 'W' } else { 'R' },
                one.statement,
                names("v", variables),
                one.array,
                element.join(", "),
                conditions(&one.domain)
            )
        };
        let all: Vec<_> = uses.iter().map(one).collect();
        let text = format!("[{}] -> {{ {} }}", names("p", parameters), all.join("; "));
        Ok(UnionMap::read_from_str(&self.context, &text)?)
    }

    /// Returns the places of instances in the order of the run, as a relation.
    fn order(&self, question: &LastUses, parameters: usize) -> Result<UnionMap, SetError> {
        let mut all = Vec::new();
        for (statement, rows) in question.order.iter().enumerate() {
            let columns = rows.first().map_or(parameters + 1, Vec::len);
            let variables = columns - parameters - 1;
            let place: Vec<_> = rows.iter().map(|row| sum(row, variables, parameters)).collect();
            let (variables, place) = (names("v", variables), place.join(", "));
            for (letter, part) in [('R', 0), ('W', 1)] {
                all.push(format!("{letter}{statement}[{variables}] -> [{place}, {part}]"));
            }
        }
        let text = format!("[{}] -> {{ {} }}", names("p", parameters), all.join("; "));
        Ok(UnionMap::read_from_str(&self.context, &text)?)
    }
}

/// Returns the number of the statement that a name of isl has.
fn statement(name: &str) -> Result<usize, SetError> {
    let number = name.strip_prefix(['R', 'W']).and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| SetError(format!("there is no statement {name}")))
}

impl SetLibrary for IslLibrary {
    fn simplified(&self, set: &PointSet) -> Result<PointSet, SetError> {
        let made = self.set(set)?.coalesce()?.detect_equalities()?.remove_redundancies()?;
        points(&made, set.variables, set.parameters)
    }

    fn difference(&self, set: &PointSet, minus: &PointSet) -> Result<PointSet, SetError> {
        let made = self.set(set)?.subtract(self.set(minus)?)?.coalesce()?;
        points(&made.remove_redundancies()?, set.variables, set.parameters)
    }

    fn projected(&self, set: &PointSet, first: usize, count: usize) -> Result<PointSet, SetError> {
        let made = self.set(set)?.project_out(DimType::Set, first as u32, count as u32)?;
        points(&made.coalesce()?, set.variables - count, set.parameters)
    }

    fn hull_equations(&self, set: &PointSet) -> Result<Vec<Vec<i64>>, SetError> {
        let hull = self.set(set)?.affine_hull()?;
        let part = part(&hull)?;
        crate::linear::without_columns(&part.equations, set.columns() - 1, part.extra)
            .ok_or_else(SetError::too_large)
    }

    fn within(&self, set: &PointSet, known: &PointSet) -> Result<PointSet, SetError> {
        let made = self.set(set)?.gist(self.set(known)?)?.coalesce()?;
        points(&made, set.variables, set.parameters)
    }

    fn simple_hull(&self, set: &PointSet) -> Result<PointSet, SetError> {
        let hull = self.set(set)?.simple_hull()?.remove_redundancies()?;
        let parts = if hull.is_empty()? { Vec::new() } else { vec![part(&hull)?] };
        Ok(PointSet { parts, ..*set })
    }

    fn first_point(&self, set: &PointSet) -> Result<Option<Vec<i64>>, SetError> {
        let first = self.set(set)?.lexmin()?;
        if first.is_empty()? {
            return Ok(None);
        }
        let point = first.sample_point()?;
        let coordinate = |number: usize| -> Result<i64, SetError> {
            Ok(point.get_coordinate_val(DimType::Set, number as i32)?.get_num_si()?)
        };
        (0..set.variables).map(coordinate).collect::<Result<_, _>>().map(Some)
    }

    fn last_uses(&self, question: &LastUses) -> Result<Vec<InstancePairs>, SetError> {
        let Some(first) = question.sinks.first() else { return Ok(Vec::new()) };
        let parameters = first.domain.parameters;
        let access = UnionAccessInfo::from_sink(self.uses(&question.sinks, parameters)?)?
            .set_must_source(self.uses(&question.last, parameters)?)?
            .set_may_source(self.uses(&question.all, parameters)?)?
            .set_kill(self.uses(&question.hiding, parameters)?)?
            .set_schedule_map(self.order(question, parameters)?)?;
        let list = access.compute_flow()?.get_may_dependence()?.get_map_list()?;
        let mut all = Vec::new();
        for number in 0..list.size()? {
            let map = list.get_at(number)?;
            let source = statement(map.get_tuple_name(DimType::In)?)?;
            let sink = statement(map.get_tuple_name(DimType::Out)?)?;
            let count = |kind| -> Result<usize, SetError> {
                Ok(usize::try_from(map.dim(kind)?).unwrap_or(0))
            };
            let variables = count(DimType::In)? + count(DimType::Out)?;
            let pairs = map.copy()?.wrap()?.flatten()?.coalesce()?;
            let pairs = points(&pairs, variables, parameters)?;
            if !pairs.parts.is_empty() {
                all.push(InstancePairs { source, sink, pairs });
            }
        }
        all.sort_by_key(|pairs| (pairs.sink, pairs.source));
        Ok(all)
    }
}
