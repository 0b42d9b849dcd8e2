//! What two bundles show that issue one directly after the other: C0523, C0524, C0527.

use super::FindingSet;
use crate::finding::Finding;
use crate::flow::{Graph, Node};
use crate::program::{Control, Decoded};
use crate::trace::Trace;
use cp2_isa::{BundleAddress, Core, Exch, MoveReg, RegFile, Resource, control};

/// Two bundles in the order of issue, with their addresses.
struct Pair<'a> {
    first: (BundleAddress, &'a Decoded),
    second: (BundleAddress, &'a Decoded),
    /// No hardware loop is known to be active at the second.
    outside: bool,
}

/// Adds the findings of an image.
pub(super) fn add(graph: &Graph<'_>, trace: &Trace, found: &mut FindingSet) {
    let program = graph.program;
    let bundle = |node: &Node| program.get(node.address).map(|decoded| (node.address, decoded));
    for node in graph.nodes.iter().filter(|node| !node.is_nullified()) {
        let followers = node.edges.iter().map(|edge| &graph.nodes[edge.to]);
        for next in followers.filter(|next| !next.is_nullified()) {
            let (Some(first), Some(second)) = (bundle(node), bundle(next)) else { continue };
            let pair = Pair { first, second, outside: next.loops.is_empty() };
            let all = [
                index_register(&pair),
                narrow_register(&program.core, &pair, trace),
                before_control(&pair),
            ];
            all.into_iter().flatten().for_each(|one| found.add(one));
        }
    }
}

impl Pair<'_> {
    /// Returns a register that the first writes and the second reads.
    fn handed_over(&self, is: impl Fn(Resource) -> bool) -> Option<Resource> {
        let written = self.first.1.uses.iter().filter_map(|access| access.changed());
        let reads = |what: Resource| self.second.1.uses.iter().any(|a| a.used() == Some(what));
        written.into_iter().find(|&what| is(what) && reads(what))
    }

    /// Returns the control register that the first reads by `move`.
    fn read(&self) -> Option<u8> {
        self.first.1.bundle.exch.control_read()
    }

    /// Returns the control register that the first writes by `move`.
    fn written(&self) -> Option<u8> {
        self.first.1.bundle.exch.control_written()
    }
}

/// Reports an index register in the bundle after its write.
fn index_register(pair: &Pair<'_>) -> Option<Finding> {
    let what = pair.handed_over(|what| matches!(what, Resource::Ireg(_)))?;
    let text = format!("{what} is read in the bundle after its write");
    let finding = Finding::new("C0523", pair.second.0, text)
        .label("the model library still reads the old value; here the new one")
        .related(pair.first.0, "written here")
        .help("put one bundle between the two");
    Some(finding)
}

/// Reports an address register in the bundle after a write of more than it holds.
fn narrow_register(core: &Core, pair: &Pair<'_>, trace: &Trace) -> Option<Finding> {
    let (at, first) = pair.first;
    let exch = &first.bundle.exch;
    if pair.second.1.bundle.exch.op != Exch::Move {
        return None;
    }
    let is = |what: Resource| matches!(what, Resource::A(_) | Resource::N(_) | Resource::M(_));
    let what = pair.handed_over(is)?;
    let too_wide = |value: u64| value > core.address_mask().into();
    let value = match (exch.set_immediate(), exch.moved()) {
        (Some((_, value)), _) => Some(u64::from(value)).filter(|&v| too_wide(v)).map(Some)?,
        (_, Some((_, from))) if is_narrow(from) => return None,
        (_, Some(_)) => trace.bad_value(at, too_wide)?,
        _ => return None,
    };
    let bits = core.address_bits();
    let text = match value {
        Some(value) => format!("{what} is read in the bundle after {value:#x} was written to it"),
        None => {
            format!("{what} is read in the bundle after a value that may exceed {bits} bits")
        }
    };
    let finding = Finding::new("C0524", pair.second.0, text)
        .label(format!("the model library shows 16 bits of the value there; here {bits}, as later"))
        .related(at, "written here")
        .help(format!("put one bundle between the two, or keep the value below {}", 1 << bits));
    Some(finding)
}

/// Whether the register is one of an address set.
fn is_narrow(reg: MoveReg) -> bool {
    matches!(reg.file, RegFile::A | RegFile::N | RegFile::M)
}

/// Reports an operation that the library lets act a cycle before what stands in front of it.
fn before_control(pair: &Pair<'_>) -> Option<Finding> {
    let (what, label) = match (pair.first.1.control, pair.second.1.control) {
        (Control::Do { .. }, Control::Enddo) => {
            let label =
                "the model library lets the `enddo` act before the `do`; here the loop ends";
            ("`enddo` directly after the `do`", label)
        }
        (_, Control::Enddo) if matches!(pair.read(), Some(control::LC | control::LA)) => {
            let label = "the `move` sees the loop stack after the `enddo` in the model library";
            ("`enddo` directly after a `move` from lc or la", label)
        }
        (_, Control::Enddo) if pair.outside && pair.written() == Some(control::STATUS) => {
            let label = "LUE is overwritten by the `move` in the model library; here it is set";
            ("`enddo`, perhaps of no loop, directly after a `move` to status", label)
        }
        (_, Control::Stop) if pair.read() == Some(control::STOPCODE) => {
            let label = "the `move` sees the new code in the model library; here the old one";
            ("a stop directly after a `move` from stopcode", label)
        }
        _ => return None,
    };
    let finding = Finding::new("C0527", pair.second.0, what)
        .label(label)
        .related(pair.first.0, "the operation in front")
        .help("put one bundle between the two");
    Some(finding)
}
