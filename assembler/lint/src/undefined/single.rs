//! What an operation and the value of its operand show: C0520, C0528 to C0532.

use super::FindingSet;
use crate::finding::Finding;
use crate::flow::Graph;
use crate::trace::Trace;
use crate::values::steps_back;
use cp2_isa::bits::moved_to_control;
use cp2_isa::rules::flow::{LA_MASK, loop_count};
use cp2_isa::{BundleAddress, Core, CountOperand, Exch, Inst, control};
use std::collections::BTreeSet;

/// The place of a bundle.
#[derive(Clone, Copy, PartialEq)]
enum LoopContext {
    Inside,
    Outside,
    Either,
}

/// Adds the findings of an image.
pub(super) fn add(graph: &Graph<'_>, trace: &Trace, found: &mut FindingSet) {
    // Of the steps of one set in one kernel whose mode is not known the first is reported.
    let mut told = BTreeSet::new();
    for (at, decoded) in graph.program.bundles().filter(|(at, _)| graph.may_execute(*at)) {
        let exch = &decoded.bundle.exch;
        let finding = match (exch.hardware_loop(), exch.control_written()) {
            (Some((CountOperand::Gpr(register), _)), _) => count(at, register, trace),
            (_, Some(number)) => to_control(graph, trace, at, number),
            _ => reversed_step(&graph.program.core, at, exch, trace).and_then(
                |(is_known, finding)| {
                    let kernel = graph.program.kernel(at).map(|kernel| kernel.start);
                    let is_first = is_known || told.insert((kernel, steps_back(exch)));
                    is_first.then_some(finding)
                },
            ),
        };
        finding.into_iter().for_each(|one| found.add(one));
    }
}

/// Reports a negative step of a set that is bit-reversed, and tells whether that is known.
fn reversed_step(
    core: &Core,
    at: BundleAddress,
    exch: &Inst<Exch>,
    trace: &Trace,
) -> Option<(bool, Finding)> {
    let set = steps_back(exch)?;
    let mode = trace.bad_value(at, |mode| mode == 0)?;
    let text = match mode {
        Some(_) => format!("a negative step of r{set}, which is bit-reversed"),
        None => {
            format!("a negative step of r{set}, which may be bit-reversed: m{set} is not known")
        }
    };
    let finding = Finding::new("C0520", at, text)
        .label(format!(
            "the model library adds the reversed offset modulo {}; here it is subtracted",
            core.lmem_words()
        ))
        .help("step by -Nn (`lwnm`, `updaddrnm`), or set the mode in the kernel if it is another");
    Some((mode.is_some(), finding))
}

/// Reports a count of which the low half is 0 and the rest is not.
fn count(at: BundleAddress, register: u8, trace: &Trace) -> Option<Finding> {
    let text = match trace.bad_value(at, |n| loop_count(n) == 0 && n != 0)? {
        Some(n) => format!("the count {n:#x} in g{register} is 0 in its low 32 bits alone"),
        None => format!("the count in g{register} may be 0 in its low 32 bits alone"),
    };
    let finding = Finding::new("C0528", at, text)
        .label("the model library then executes the next bundle; here it is nullified")
        .help("keep bits 63:32 of a count 0");
    Some(finding)
}

fn to_control(graph: &Graph<'_>, trace: &Trace, at: BundleAddress, number: u8) -> Option<Finding> {
    match number {
        control::CONTROL => {
            let text = match trace
                .bad_value(at, |value| value & !moved_to_control(&graph.program.core) != 0)?
            {
                Some(value) => {
                    format!("`move` of {value:#x} to control: bits other than RM are set")
                }
                None => "`move` to control may set bits other than RM".to_owned(),
            };
            let finding = Finding::new("C0529", at, text)
                .label("the model library writes 32 bits; here the rounding mode changes alone")
                .help("move 0 to 3, and leave I, ST and RS to the control processor");
            Some(finding)
        }
        control::STATUS => Some(
            Finding::new("C0530", at, "`move` to status writes more bits in the model library")
                .label("here FPE, POE, PUE, LOE and LUE are written, there RUN and the others too")
                .help(
                    "clear flags with `mtc` to fcsr, and leave the rest to the control processor",
                ),
        ),
        control::LC | control::LA => loop_register(graph, trace, at, number),
        _ => None,
    }
}

fn loop_register(
    graph: &Graph<'_>,
    trace: &Trace,
    at: BundleAddress,
    number: u8,
) -> Option<Finding> {
    let name = cp2_isa::control_name(number);
    let outside = match place(graph, at) {
        LoopContext::Outside => Some("outside every hardware loop"),
        LoopContext::Either => Some("where no hardware loop may be active"),
        LoopContext::Inside => None,
    };
    if let Some(place) = outside {
        let finding = Finding::new("C0531", at, format!("`move` to {name} {place}"))
            .label("the model library keeps the value; here nothing is written and 0 is read")
            .help("write it within the loop");
        return Some(finding);
    }
    if number == control::LA {
        let value = trace.bad_value(at, |value| value & !LA_MASK != 0)??;
        let text = format!("`move` of {value:#x} to la: bits that la does not have are set");
        let finding = Finding::new("C0531", at, text)
            .label("the model library keeps all bits; here end and start")
            .help("keep bits 15:13 and those from 29 on 0");
        return Some(finding);
    }
    let text = match trace.bad_value(at, |value| loop_count(value) == 0)? {
        Some(_) => "`move` of 0 to lc",
        None => "`move` to lc, perhaps of 0",
    };
    let finding = Finding::new("C0532", at, text)
        .label("0 makes 2^32 iterations in the model library; here it acts as 1")
        .help("write 1 for the last iteration");
    Some(finding)
}

/// Whether a loop is active at a bundle. A procedure may be called from one.
fn place(graph: &Graph<'_>, at: BundleAddress) -> LoopContext {
    let nodes = graph.at(at).iter().filter(|&&id| !graph.nodes[id].is_nullified());
    let mut places = nodes.map(|&id| match (graph.nodes[id].loops.is_empty(), graph.called[id]) {
        (false, _) => LoopContext::Inside,
        (true, true) => LoopContext::Either,
        (true, false) if graph.unknown_calls => LoopContext::Either,
        (true, false) => LoopContext::Outside,
    });
    let Some(first) = places.next() else { return LoopContext::Either };
    if places.all(|other| other == first) { first } else { LoopContext::Either }
}
