//! Reasons why a nest has one thread: a dependence that ties instances together, and a picture of it.

use crate::dependence::DependenceKind;
use crate::sample::MOST_INSTANCES;
use cp2_nest::{Nest, NestInstance};
use std::collections::HashMap;

/// Greatest number of indices of a loop that a picture shows.
const SHOWN: i64 = 8;

/// Two instances of which one has to come after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentPair {
    /// Reason.
    pub kind: DependenceKind,
    /// Instance that comes first.
    pub source: NestInstance,
    /// Instance that comes later.
    pub sink: NestInstance,
    /// Number of the array.
    pub array: usize,
    /// Indices of the element that both use.
    pub element: Vec<i64>,
    /// Values of the parameters.
    pub parameters: Vec<i64>,
}

/// Returns two instances that depend on each other, for values of the parameters: through a value that one reads and the
/// other wrote, if there is such a pair. `None` if all instances are independent.
pub fn dependent_pair(nest: &Nest, parameters: &[i64]) -> Option<DependentPair> {
    let instances = nest.instances(parameters, MOST_INSTANCES).ok()?;
    let mut written: HashMap<(usize, Vec<i64>), usize> = HashMap::new();
    let mut read: HashMap<(usize, Vec<i64>), usize> = HashMap::new();
    // Pairs of different iterations come first, since they are what forbids threads.
    let mut best: Option<RankedPair> = None;
    for (number, instance) in instances.iter().enumerate() {
        for access in nest.statements[instance.statement].accesses.iter().rev() {
            let value = |form| nest.form_value(form, instance, parameters);
            let forms = nest.full_subscripts(access);
            let element: Vec<i64> = forms.iter().map(value).collect::<Result<_, _>>().ok()?;
            let key = (access.array, element);
            let before = match access.is_write {
                false => written.get(&key).map(|other| (DependenceKind::Flow, *other)),
                true => {
                    let anti = read.get(&key).map(|other| (DependenceKind::Anti, *other));
                    anti.or(written.get(&key).map(|other| (DependenceKind::Output, *other)))
                }
            };
            let before = before.filter(|(_, other)| *other != number);
            if let Some((kind, other)) = before {
                let rank = (is_within_iteration(&instances[other], instance), kind);
                if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                    best = Some((rank, other, number, key.clone()));
                }
            }
            if access.is_write {
                written.insert(key.clone(), number);
                read.remove(&key);
            } else {
                read.insert(key, number);
            }
        }
    }
    let ((_, kind), source, sink, (array, element)) = best?;
    let around = nest.arrays[array].local.as_ref().map_or(0, Vec::len);
    Some(DependentPair {
        kind,
        source: instances[source].clone(),
        sink: instances[sink].clone(),
        array,
        element: element[around..].to_vec(),
        parameters: parameters.to_vec(),
    })
}

/// A pair of instances by their numbers, behind its rank, with the element that both use.
type RankedPair = ((bool, DependenceKind), usize, usize, (usize, Vec<i64>));

/// Whether two instances have the same indices in all loops around both, loops beside each other included.
fn is_within_iteration(source: &NestInstance, sink: &NestInstance) -> bool {
    let both = source.indices.len().min(sink.indices.len());
    source.indices[..both] == sink.indices[..both]
}

impl DependentPair {
    /// Returns values of indices as a text, as in `i = 1, j = 2`.
    pub fn indices_text(nest: &Nest, instance: &NestInstance) -> String {
        let loops = nest.statements[instance.statement].loops.iter().zip(&instance.indices);
        let all: Vec<_> = loops
            .map(|(number, value)| format!("{} = {value}", nest.loops[*number].name.name))
            .collect();
        all.join(", ")
    }

    /// Returns the element that both use, as in `a[1][2]`.
    pub fn element_text(&self, nest: &Nest) -> String {
        let indices: String = self.element.iter().map(|index| format!("[{index}]")).collect();
        format!("{}{indices}", nest.arrays[self.array].name.name)
    }

    /// Returns a picture of the iteration space in the last two loops in which the instances differ, if both are around both
    /// statements: `o` comes first, `x` needs it.
    pub fn picture(&self, nest: &Nest) -> Option<String> {
        let loops = |instance: &NestInstance| nest.statements[instance.statement].loops.clone();
        let (from, to) = (loops(&self.source), loops(&self.sink));
        let common: Vec<usize> =
            (0..from.len().min(to.len())).take_while(|place| from[*place] == to[*place]).collect();
        let differ = |place: &&usize| self.source.indices[**place] != self.sink.indices[**place];
        let mut axes: Vec<usize> = common.iter().filter(differ).copied().collect();
        for place in common.iter().rev() {
            if axes.len() < 2 && !axes.contains(place) {
                axes.push(*place);
            }
        }
        axes.sort_unstable();
        let axes: Vec<usize> = axes.into_iter().rev().take(2).rev().collect();
        let (row, column) = match axes[..] {
            [] => return None,
            [column] => (None, column),
            [row, column, ..] => (Some(row), column),
        };
        Some(self.drawn(nest, &to, (row, column)))
    }

    /// Draws the instances of the sink that differ from it along the axes alone.
    fn drawn(&self, nest: &Nest, loops: &[usize], (row, column): (Option<usize>, usize)) -> String {
        let instances = nest.instances(&self.parameters, MOST_INSTANCES).unwrap_or_default();
        let is_shown = |one: &&NestInstance| {
            one.statement == self.sink.statement
                && (0..loops.len()).all(|place| {
                    Some(place) == row
                        || place == column
                        || one.indices[place] == self.sink.indices[place]
                })
        };
        let at =
            |one: &NestInstance| (row.map_or(0, |place| one.indices[place]), one.indices[column]);
        let mut points: Vec<_> = instances.iter().filter(is_shown).map(at).collect();
        points.extend([at(&self.source), at(&self.sink)]);
        let range = |of: fn(&(i64, i64)) -> i64, low: i64| {
            let least = points.iter().map(of).min().unwrap_or(0).max(low);
            let most = points.iter().map(of).max().unwrap_or(0).min(least + SHOWN - 1);
            least..=most
        };
        let (first, second) = (at(&self.source), at(&self.sink));
        let rows = range(|point| point.0, first.0.min(second.0) - 2);
        let columns = range(|point| point.1, first.1.min(second.1) - 2);
        let name = |place: usize| nest.loops[loops[place]].name.name.clone();
        let head: String = columns.clone().map(|index| format!("{index:>4}")).collect();
        let mut text = format!("{:>12}{head}\n", name(column));
        for index in rows {
            let side = row.map_or(String::new(), |place| format!("{} {index}", name(place)));
            let marks: String = columns
                .clone()
                .map(|other| match (index, other) {
                    point if point == second => "   x",
                    point if point == first => "   o",
                    point if points.contains(&point) => "   .",
                    _ => "    ",
                })
                .collect();
            text += &format!("{side:>12}{marks}\n");
        }
        text
    }
}
