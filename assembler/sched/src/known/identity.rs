//! The loop that a certificate is for, told by its content: digests of what a schedule depends on. Names, displacements and
//! mnemonics do not count, so a loop in another size of block may be the same one.

use crate::Work;
use crate::deps::BlockProblem;
use std::fmt::{self, Write as _};
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// A number of things, and a digest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) count: usize,
    pub(crate) digest: u64,
}

impl Part {
    fn of(count: usize, text: &str) -> Self {
        Self { count, digest: digest(text) }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:016x}", self.count, self.digest)
    }
}

/// Returns the digest of a text, the same everywhere.
pub(crate) fn digest(text: &str) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Latencies of a core in bundles: of loads, arithmetic, `psprmsgn` and `mtfpr`.
pub(crate) type LatencyNumbers = [u32; 4];

/// The content of a loop that a schedule depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) latencies: LatencyNumbers,
    /// The operations as they were written: units, slots and predicates.
    pub(crate) operations: Part,
    /// The dependences: between which operations, over how many iterations, with which distance in time. Promises count by
    /// the dependences that they take away.
    pub(crate) dependences: Part,
    /// The values: who makes and who uses them, which share a register or are neighbours.
    pub(crate) values: Part,
}

impl Identity {
    /// Returns the identity of a loop that was written with `written` operations, for the latencies for which operations are
    /// placed. `block` is its problem with one iteration in a pass of the kernel.
    pub(crate) fn of(work: &Work<'_>, block: &BlockProblem, written: usize) -> Self {
        let mut operations = String::new();
        for &op in &block.ops {
            let (need, unit) = (work.need(op), work.ops[op].code.row().unit);
            let slot = if need.exchange { 'x' } else { 'a' };
            let _ = writeln!(operations, "{slot} {unit:?} {:?}", need.predicate);
        }
        let edges = block.placing().edges.iter();
        let mut edges: Vec<_> = edges.map(|e| (e.from, e.to, e.distance, e.latency)).collect();
        edges.sort_unstable();
        let mut values = String::new();
        for value in &block.webs.values {
            let _ = writeln!(values, "{} {:?} {:?}", value.def, value.readers, value.keepers);
        }
        block.webs.webs.iter().for_each(|web| _ = writeln!(values, "{:?}", web.values));
        block.webs.groups.iter().for_each(|group| _ = writeln!(values, "{:?}", group.webs));
        Self {
            latencies: latencies(work),
            operations: Part::of(written, &operations),
            dependences: Part::of(edges.len(), &format!("{edges:?}")),
            values: Part::of(block.webs.values.len(), &values),
        }
    }

    /// Returns in words how another loop differs from this one; nothing if it is the same.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let mut all = Vec::new();
        if self.latencies != other.latencies {
            let (here, there) = (self.latencies, other.latencies);
            all.push(format!(
                "the certificate is for latencies of {here:?} cycles (load, arithmetic, psprmsgn, mtfpr), and the core has {there:?}"
            ));
        }
        let parts = [
            ("operations", self.operations, other.operations),
            ("dependences", self.dependences, other.dependences),
            ("values", self.values, other.values),
        ];
        for (name, here, there) in parts {
            if here.count != there.count {
                all.push(format!(
                    "the certificate is for {} {name}, and the loop has {}",
                    here.count, there.count
                ));
            } else if here != there {
                all.push(format!("its {} {name} are not those of the certificate", here.count));
            }
        }
        all
    }
}

/// Returns the latencies for which operations are placed.
pub(crate) fn latencies(work: &Work<'_>) -> LatencyNumbers {
    let numbers = work.placed.numbers();
    [
        numbers.load_latency,
        numbers.arithmetic_latency,
        numbers.psprmsgn_latency,
        numbers.mtfpr_latency,
    ]
}
