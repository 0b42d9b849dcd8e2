//! Dependences: which instance needs what another one did before, exact and direct.

use crate::domain::{NestSets, element_use};
use crate::sets::{InstancePairs, LastUses, PointSet, SetError, SetLibrary};
use cp2_nest::Nest;

/// Reason for which an instance has to come after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// The later instance reads what the earlier one wrote.
    Flow,
    /// The later instance writes where the earlier one read.
    Anti,
    /// The later instance writes where the earlier one wrote.
    Output,
}

impl DependenceKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Anti => "anti",
            Self::Output => "output",
        }
    }
}

/// A dependence between two statements.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// Reason.
    pub kind: DependenceKind,
    /// Statement that comes first.
    pub source: usize,
    /// Statement that comes later.
    pub sink: usize,
    /// Number of the array.
    pub array: usize,
    /// Number of the element in the sink that depends.
    pub access: usize,
    /// Pairs of instances: the indices of the source, then those of the sink.
    pub pairs: PointSet,
}

/// Returns the direct dependences of a nest: flow from the last write before a read, output from the last write before a
/// write, anti from the reads since the last write.
///
/// # Errors
/// The library gives no answer.
pub fn dependences(
    nest: &Nest,
    sets: &NestSets,
    library: &dyn SetLibrary,
) -> Result<Vec<Dependence>, SetError> {
    let all = |is_write: bool| {
        let of = |statement: usize| {
            let accesses = nest.statements[statement].accesses.iter().enumerate();
            let kept = accesses.filter(move |(_, access)| access.is_write == is_write);
            kept.map(move |(access, _)| (statement, access))
        };
        (0..nest.statements.len()).flat_map(of).collect::<Vec<_>>()
    };
    let (writes, reads) = (all(true), all(false));
    let uses = |all: &[(usize, usize)]| {
        all.iter().map(|(statement, access)| element_use(nest, sets, *statement, *access)).collect()
    };
    let mut found = Vec::new();
    let mut keep = |kind, (statement, access): (usize, usize), pairs: Vec<InstancePairs>| {
        let array = nest.statements[statement].accesses[access].array;
        for InstancePairs { source, sink, pairs } in pairs {
            found.push(Dependence { kind, source, sink, array, access, pairs });
        }
    };
    for sink in reads.iter().chain(&writes) {
        let sinks: Vec<_> = uses(&[*sink]);
        let order = sets.order.clone();
        let is_read = reads.contains(sink);
        let last = uses(&writes);
        let question = LastUses { sinks: sinks.clone(), last, order, ..LastUses::default() };
        let kind = if is_read { DependenceKind::Flow } else { DependenceKind::Output };
        keep(kind, *sink, library.last_uses(&question)?);
        if !is_read {
            let (all, hiding) = (uses(&reads), uses(&writes));
            let order = sets.order.clone();
            let question = LastUses { sinks, all, hiding, order, ..LastUses::default() };
            let pairs = apart(nest, library.last_uses(&question)?, library)?;
            keep(DependenceKind::Anti, *sink, pairs);
        }
    }
    Ok(found)
}

/// Leaves out the pairs of an instance with itself, which reads an element before it writes it.
fn apart(
    nest: &Nest,
    all: Vec<InstancePairs>,
    library: &dyn SetLibrary,
) -> Result<Vec<InstancePairs>, SetError> {
    let mut kept = Vec::new();
    for mut one in all {
        if one.source == one.sink {
            let loops = nest.statements[one.sink].loops.len();
            let mut same = PointSet::universe(2 * loops, one.pairs.parameters);
            for index in 0..loops {
                let mut row = vec![0; same.columns()];
                (row[index], row[loops + index]) = (1, -1);
                same.add_row(&row, true);
            }
            one.pairs = library.difference(&one.pairs, &same)?;
        }
        if !one.pairs.parts.is_empty() {
            kept.push(one);
        }
    }
    Ok(kept)
}
