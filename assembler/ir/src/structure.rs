//! Rules of control flow that a program obeys or is refused for: delay slots and ends of hardware
//! loops (`[L]` cycle rules, Control). They need bundles and addresses only, so they hold for source,
//! objects and `.hex` alike.

use crate::image::Image;
use cp2_isa::{Bundle, Core, Effects, Exch, decode};
use std::collections::BTreeMap;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable code, `C0450` and up.
    pub code: &'static str,
    /// Address of the bundle that is at fault.
    pub address: u16,
    /// What is wrong.
    pub message: String,
    /// Other bundles involved, each with its part.
    pub related: Vec<(u16, String)>,
    /// What to do.
    pub help: &'static str,
}

/// A hardware loop: the addresses of its `do`, of its first bundle and of its `end`.
#[derive(Clone, Copy, Debug)]
struct Loop {
    at: u16,
    end: u16,
}

impl Loop {
    fn start(&self) -> u32 {
        u32::from(self.at) + 1
    }

    /// Whether an address is in the body, whose last bundle is the one after `end`.
    fn holds(&self, address: u16) -> bool {
        (self.start()..=u32::from(self.end) + 1).contains(&u32::from(address))
    }
}

/// Every broken rule of a program, in the order of the addresses. Words that are no bundles are
/// passed over.
pub fn violations(image: &Image) -> Vec<Violation> {
    let bundles = decoded(image);
    let loops: Vec<Loop> = bundles.iter().filter_map(|(&at, b)| a_loop(at, b)).collect();
    let mut found = Vec::new();
    for (&address, bundle) in &bundles {
        in_kernel(address, bundle, &mut found);
        delay_slot(address, bundle, &bundles, &mut found);
    }
    for a_loop in &loops {
        loop_ends(a_loop, &bundles, &mut found);
        let inside = |outer: &&Loop| outer.holds(a_loop.at) && a_loop.at < outer.end;
        for outer in loops.iter().filter(inside) {
            nesting(outer, a_loop, &mut found);
        }
    }
    found.sort_by(|a, b| (a.address, a.code).cmp(&(b.address, b.code)));
    found
}

fn decoded(image: &Image) -> BTreeMap<u16, Bundle> {
    let mut bundles = BTreeMap::new();
    for kernel in &image.kernels {
        for (i, &word) in kernel.words.iter().enumerate() {
            let address = usize::from(kernel.start) + i;
            if let (Ok(address), Ok(bundle)) = (u16::try_from(address), decode(word, &Core::WIDEST))
            {
                bundles.insert(address, bundle);
            }
        }
    }
    bundles
}

fn a_loop(at: u16, bundle: &Bundle) -> Option<Loop> {
    let is_loop = matches!(bundle.exch.op, Exch::Do | Exch::Doi);
    is_loop.then(|| Loop { at, end: bundle.exch.values[1] as u16 })
}

fn effects(bundle: &Bundle) -> Effects {
    bundle.exch.op.row().effects
}

fn name(bundle: &Bundle) -> &'static str {
    bundle.exch.op.row().name
}

fn in_kernel(address: u16, bundle: &Bundle, found: &mut Vec<Violation>) {
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
    address: u16,
    jump: &Bundle,
    bundles: &BTreeMap<u16, Bundle>,
    found: &mut Vec<Violation>,
) {
    if !effects(jump).contains(Effects::DELAY_SLOT) {
        return;
    }
    let Some((slot, bundle)) = address.checked_add(1).and_then(|a| Some((a, bundles.get(&a)?)))
    else {
        return;
    };
    if effects(bundle).contains(Effects::CONTROL) {
        found.push(Violation {
            code: "C0450",
            address: slot,
            message: format!("`{}` in the delay slot of `{}`", name(bundle), name(jump)),
            related: vec![(address, "this one has the delay slot".into())],
            help: "put another bundle between the two, a `nop` if nothing else is to be done",
        });
    }
}

fn loop_ends(a_loop: &Loop, bundles: &BTreeMap<u16, Bundle>, found: &mut Vec<Violation>) {
    let Loop { at, end } = *a_loop;
    let from = || vec![(at, format!("the loop begins here and ends at bundle {end}"))];
    if u32::from(end) < a_loop.start() {
        found.push(Violation {
            code: "C0454",
            address: at,
            message: format!(
                "the loop ends at bundle {end}, before its first bundle {}",
                a_loop.start()
            ),
            related: Vec::new(),
            help: "`end` is the last bundle but one of the body, which has at least two",
        });
        return;
    }
    for (address, place) in [(Some(end), "at"), (end.checked_add(1), "in the delay slot of")] {
        let Some((address, bundle)) = address.and_then(|a| Some((a, bundles.get(&a)?))) else {
            continue;
        };
        if effects(bundle).contains(Effects::CONTROL) {
            found.push(Violation {
                code: "C0451",
                address,
                message: format!("`{}` {place} the end of a loop", name(bundle)),
                related: from(),
                help: "the last two bundles of a body hold no control operation; move the end down",
            });
        }
    }
    if let Some((address, bundle)) = end.checked_sub(1).and_then(|a| Some((a, bundles.get(&a)?)))
        && effects(bundle).contains(Effects::DELAY_SLOT)
    {
        found.push(Violation {
            code: "C0452",
            address,
            message: format!("the delay slot of `{}` is the end of a loop", name(bundle)),
            related: from(),
            help: "move the jump up or the end down, so that another bundle lies between them",
        });
    }
}

fn nesting(outer: &Loop, inner: &Loop, found: &mut Vec<Violation>) {
    if outer.end <= inner.end && u32::from(inner.end) >= inner.start() {
        found.push(Violation {
            code: "C0453",
            address: inner.at,
            message: format!(
                "the inner loop ends at bundle {}, the outer one at {}, which is not behind it",
                inner.end, outer.end
            ),
            related: vec![(outer.at, "the outer loop begins here".into())],
            help: "the outer `end` is at least the inner `end` + 1 (+ 2 if the inner count can be 0)",
        });
    }
}
