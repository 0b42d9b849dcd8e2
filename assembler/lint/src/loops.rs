//! C0505: hardware loops that are entered, left or nested in a way that the loop stack does not
//! follow, the delay slot at the end of a body above all.

use super::finding::Finding;
use super::flow::{Graph, Node, Then};
use super::program::{Control, Program};
use cp2_isa::BundleAddress;
use cp2_isa::rules::flow::{Body, entries_after_push};
use std::collections::BTreeMap;

const CODE: &str = "C0505";

/// Findings by place and text, so that the ways to reach a place do not repeat one.
type LoopFindings = BTreeMap<(BundleAddress, String), Finding>;

fn add(found: &mut LoopFindings, finding: Finding) {
    found.entry((finding.address, finding.message.clone())).or_insert(finding);
}

/// Returns the findings of an image.
pub(super) fn findings(graph: &Graph<'_>) -> Vec<Finding> {
    let mut found = LoopFindings::new();
    for (address, decoded) in graph.program.bundles() {
        if let Control::Do { end, .. } = decoded.control {
            bounds(graph.program, address, end).into_iter().for_each(|one| add(&mut found, one));
        }
    }
    let loops: Vec<BundleAddress> = graph
        .program
        .bundles()
        .filter(|(_, decoded)| matches!(decoded.control, Control::Do { .. }))
        .map(|(at, _)| at)
        .collect();
    for node in graph.nodes.iter().filter(|node| !node.is_nullified()) {
        match node.then {
            Then::Jump(Some(to)) => jump(graph.program, &loops, node, to, &mut found),
            Then::Call(Some(to)) => call(graph.program, &loops, node, to, &mut found),
            Then::Return => leaves_by_return(node, &mut found),
            Then::Free => nesting(graph, node, &mut found),
            _ => {}
        }
    }
    stray_enddo(graph, &mut found);
    found.into_values().collect()
}

/// Reports a body that goes on behind the kernel. Other wrong bounds are in `control`.
fn bounds(program: &Program<'_>, address: BundleAddress, end: BundleAddress) -> Option<Finding> {
    let kernel = program.kernel(address)?;
    let body = Body::behind(address, end);
    let behind = kernel.start.index() + kernel.words.len();
    (body.is_possible() && body.last().index() >= behind).then(|| {
        let text = format!(
            "the last bundle of the loop's body, {}, lies outside kernel `{}`",
            body.last(),
            kernel.name
        );
        Finding::new(CODE, address, text)
            .label("the bundle after `end` belongs to the body and always issues")
            .help("put one more bundle (a `nop`) after `end`, or move `end` one up")
    })
}

fn bundle_before(node: &Node) -> BundleAddress {
    node.address.before()
}

fn jump(
    program: &Program<'_>,
    loops: &[BundleAddress],
    node: &Node,
    to: BundleAddress,
    found: &mut LoopFindings,
) {
    let at = bundle_before(node);
    for &inner in loops {
        let Some(body) = program.body(inner) else { continue };
        let is_active = node.loops.contains(&inner);
        let is_inside = body.contains(to);
        if to == body.last() {
            add(found, into_delay_slot(at, to, inner));
        } else if is_inside && !is_active {
            let text = "a jump into the body of a hardware loop that is not active";
            let finding = Finding::new(CODE, at, text)
                .label("the body runs once and does not repeat")
                .related(inner, "the loop begins here")
                .help("jump to the `do`");
            add(found, finding);
        } else if is_active && !is_inside {
            let finding = Finding::new(CODE, at, "a jump leaves a hardware loop without `enddo`")
                .label("the loop stays on the loop stack")
                .related(inner, "the loop begins here")
                .help("put an `enddo` before the jump");
            add(found, finding);
        }
    }
}

fn into_delay_slot(at: BundleAddress, to: BundleAddress, inner: BundleAddress) -> Finding {
    Finding::new(CODE, at, "the target is the delay slot at the end of a hardware loop")
        .label("the decision to repeat is made one bundle earlier and is passed over")
        .related(inner, "the loop begins here")
        .related(to, "the bundle after `end` belongs to the body")
        .help(format!("enter at bundle {} (the loop's `end`) or before", to.before()))
}

fn call(
    program: &Program<'_>,
    loops: &[BundleAddress],
    node: &Node,
    to: BundleAddress,
    found: &mut LoopFindings,
) {
    for &inner in loops {
        if program.body(inner).is_some_and(|body| body.last() == to) {
            add(found, into_delay_slot(bundle_before(node), to, inner));
        }
    }
}

fn leaves_by_return(node: &Node, found: &mut LoopFindings) {
    if let Some(&inner) = node.loops.last() {
        let finding = Finding::new(
            CODE,
            bundle_before(node),
            "a return leaves a hardware loop without `enddo`",
        )
        .label("the loop stays on the loop stack")
        .related(inner, "the loop begins here")
        .help("put an `enddo` before the return");
        add(found, finding);
    }
}

/// Reports a loop in a loop: whether a count of 0 passes over the outer end, and how many there are.
fn nesting(graph: &Graph<'_>, node: &Node, found: &mut LoopFindings) {
    let program = graph.program;
    let Some(inner) = program.body(node.address) else { return };
    let Some(&outer) = node.loops.last() else { return };
    let Some(around) = program.body(outer) else { return };
    let depth = program.core.loop_depth();
    if entries_after_push(node.loops.len(), depth) < node.loops.len() {
        let text = format!("{} loops are nested; the stack holds {depth}", depth + 1);
        let finding = Finding::new(CODE, node.address, text)
            .label("replaces the innermost loop and sets LOE")
            .help("unroll a loop, or make one of two");
        return add(found, finding);
    }
    let may_skip = graph.counts.of(program, node.address).min == 0;
    if may_skip && around.is_missed_behind(inner) {
        let text = "with a count of 0 the inner loop passes over the outer loop's `end`";
        let finding = Finding::new(CODE, node.address, text)
            .label(format!("a count of 0 goes on at bundle {}", inner.after()))
            .related(outer, format!("the outer loop ends at bundle {}", around.end))
            .help("put one more bundle after the inner body, if the count can be 0");
        add(found, finding);
    }
}

/// Reports an `enddo` where no loop can be active.
fn stray_enddo(graph: &Graph<'_>, found: &mut LoopFindings) {
    for (address, decoded) in graph.program.bundles() {
        let nodes = graph.at(address);
        let is_stray = decoded.control == Control::Enddo
            && !nodes.is_empty()
            && !graph.unknown_calls
            && nodes.iter().all(|&id| graph.nodes[id].loops.is_empty() && !graph.called[id]);
        if is_stray {
            let finding = Finding::new(CODE, address, "`enddo` outside every hardware loop")
                .label("sets LUE and does nothing else")
                .help("remove it");
            add(found, finding);
        }
    }
}
