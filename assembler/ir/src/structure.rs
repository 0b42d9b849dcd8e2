//! The rules of control flow that a program obeys (`cp2_isa::rules::flow`), checked without running it: delay slots,
//! ends and nesting of hardware loops, operations that only the host may issue. Only the bundles and their addresses
//! are looked at, so the check holds for source, objects and `.hex` alike.

use crate::image::{Image, Kernel};
use cp2_isa::rules::flow::{Body, FlowPosition, MisplacedControl, misplaced};
use cp2_isa::{Bundle, BundleAddress, Core, Effects, decode};
use std::collections::BTreeMap;

/// A breach of a rule of control flow by a bundle of a program, as [`violations`] finds it: about delay slots, ends and
/// nesting of hardware loops, or operations that only the host may issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Code of the diagnostic, `C0450` to `C0455`.
    pub code: &'static str,
    /// Address of the bundle that is at fault.
    pub address: BundleAddress,
    /// Message for people: which rule the bundle breaks, and how.
    pub message: String,
    /// Other bundles that are involved: the address of each, and a text on its part.
    pub related: Vec<(BundleAddress, String)>,
    /// Advice on how to mend the program so that it obeys the rule.
    pub help: &'static str,
}

/// A hardware loop: the address of its `do`, and its bundles.
#[derive(Clone, Copy, Debug)]
struct Loop {
    at: BundleAddress,
    body: Body,
}

/// Returns all breaches of the rules of control flow (delay slots, ends and nesting of hardware loops, operations that
/// only the host may issue) in a program, in the order of the bundle addresses. Words that are no bundle of the core
/// are passed over.
pub fn violations(image: &Image, core: &Core) -> Vec<Violation> {
    let bundles = decoded(image, core);
    let loops: Vec<Loop> = bundles.iter().filter_map(|(&at, b)| a_loop(at, b)).collect();
    let mut found = Vec::new();
    for (&address, bundle) in &bundles {
        in_kernel(address, bundle, &mut found);
        delay_slot(address, bundle, &bundles, &mut found);
    }
    for a_loop in &loops {
        loop_ends(a_loop, &bundles, &mut found);
        for outer in &loops {
            nesting(outer, a_loop, &mut found);
        }
    }
    found.sort_by(|a, b| (a.address, a.code).cmp(&(b.address, b.code)));
    found
}

fn decoded(image: &Image, core: &Core) -> BTreeMap<BundleAddress, Bundle> {
    let mut bundles = BTreeMap::new();
    for (address, word) in image.kernels.iter().flat_map(Kernel::bundles) {
        if let Ok(bundle) = decode(word, core) {
            bundles.insert(address, bundle);
        }
    }
    bundles
}

fn a_loop(at: BundleAddress, bundle: &Bundle) -> Option<Loop> {
    let (_, end) = bundle.exch.hardware_loop()?;
    Some(Loop { at, body: Body::behind(at, end) })
}

fn effects(bundle: &Bundle) -> Effects {
    bundle.exch.op.row().effects
}

fn name(bundle: &Bundle) -> &'static str {
    bundle.exch.op.row().name
}

fn in_kernel(address: BundleAddress, bundle: &Bundle, found: &mut Vec<Violation>) {
    if effects(bundle).contains(Effects::HOST_ONLY) {
        found.push(Violation {
            code: "C0455",
            address,
            message: format!("`{}` in a kernel; only the host FIFO starts a kernel", name(bundle)),
            related: Vec::new(),
            help: "within a kernel `jumpi` and `calli` go to an address",
        });
    }
}

fn delay_slot(
    address: BundleAddress,
    jump: &Bundle,
    bundles: &BTreeMap<BundleAddress, Bundle>,
    found: &mut Vec<Violation>,
) {
    if !effects(jump).contains(Effects::DELAY_SLOT) {
        return;
    }
    let slot = address.plus(1);
    let Some(bundle) = bundles.get(&slot) else { return };
    // Where the jump goes does not matter.
    let position = FlowPosition::JumpSlot(slot);
    if misplaced(bundle.exch.op.row(), slot, position, None) == Some(MisplacedControl::InDelaySlot)
    {
        found.push(Violation {
            code: "C0450",
            address: slot,
            message: format!("`{}` in the delay slot of `{}`", name(bundle), name(jump)),
            related: vec![(address, "this one has the delay slot".into())],
            help: "put another bundle between the two, a `nop` if nothing else is to be done",
        });
    }
}

fn loop_ends(a_loop: &Loop, bundles: &BTreeMap<BundleAddress, Bundle>, found: &mut Vec<Violation>) {
    let Loop { at, body } = *a_loop;
    if !body.is_possible() {
        found.push(Violation {
            code: "C0454",
            address: at,
            message: format!(
                "the loop ends at bundle {}, before its first bundle {}",
                body.end, body.start
            ),
            related: Vec::new(),
            help: "`end` is the last bundle but one of the body, which has at least two",
        });
        return;
    }
    let around_end = body.end.before()..=body.last();
    found.extend(bundles.range(around_end).filter_map(|(&address, bundle)| {
        let (row, name) = (bundle.exch.op.row(), name(bundle));
        let place = if address == body.end { "at" } else { "in the delay slot of" };
        let (code, message, help) = match misplaced(row, address, FlowPosition::Plain, Some(body))?
        {
            MisplacedControl::BeforeLoopEnd => (
                "C0452",
                format!("the delay slot of `{name}` is the end of a loop"),
                "move the jump up or the end down, so that another bundle lies between them",
            ),
            MisplacedControl::InDelaySlot | MisplacedControl::AtLoopEnd => (
                "C0451",
                format!("`{name}` {place} the end of a loop"),
                "the last two bundles of a body hold no control operation; move the end down",
            ),
        };
        let related = vec![(at, format!("the loop begins here and ends at bundle {}", body.end))];
        Some(Violation { code, address, message, related, help })
    }));
}

fn nesting(outer: &Loop, inner: &Loop, found: &mut Vec<Violation>) {
    // A `do` at the end of a loop is refused for that.
    let at_end = inner.at >= outer.body.end;
    if !at_end && inner.body.is_possible() && !outer.body.nests(inner.at, inner.body) {
        found.push(Violation {
            code: "C0453",
            address: inner.at,
            message: format!(
                "the inner loop ends at bundle {}, the outer one at {}, which is not behind it",
                inner.body.end, outer.body.end
            ),
            related: vec![(outer.at, "the outer loop begins here".into())],
            help: "the outer `end` is at least the inner `end` + 1 (+ 2 if the inner count can be 0)",
        });
    }
}
