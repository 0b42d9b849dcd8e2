//! The attribution of cycles to source lines. A cycle of a bundle is paid by the line of the operation in each slot, a
//! hold by the operation that holds, and an empty bundle by the operation behind it that waits for an operand, if there
//! is one.

use cp2_emu::Profile;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::image::{Image, Kernel, SourcePosition};
use cp2_isa::rules::flow::Body;
use cp2_isa::{Access, Arith, Bundle, BundleAddress, Core, Exch, Slot, decode};
use std::collections::BTreeMap;

/// A source line: the index of its file in [`Image::files`], and its number in the file, from 1.
pub type SourceLineId = (u32, u32);

/// The cost of a part of a program in a run, such as a line or a loop: cycles, and operations that issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttributedCost {
    /// Cycles by cause, and floating-point operations. A cycle in which operations of two lines issue counts for both
    /// lines.
    pub cost: BundleCost,
    /// Number of operations that issued, whatever their predicates.
    pub issues: u64,
}

impl AttributedCost {
    /// Creates the cost of bundles whose two operations both belong to the part. The number of operations follows from
    /// the cycles by cause: two for each cycle in which both slots had one, one for each with a single slot.
    pub fn of(cost: &BundleCost) -> Self {
        let n = |cause: Cause| cost.causes[cause as usize];
        let issues = 2 * n(Cause::Both) + n(Cause::Arithmetic) + n(Cause::Exchange);
        Self { cost: *cost, issues }
    }

    /// Adds the cycles and operations of another cost to this one.
    pub fn add(&mut self, other: &Self) {
        self.cost.add(&other.cost, 1);
        self.issues += other.issues;
    }

    fn add_cause(&mut self, cause: Cause, cycles: u64, issues: u64) {
        self.cost.causes[cause as usize] += cycles;
        self.issues += issues;
    }
}

/// The source lines that pay for the cycles of a bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    /// Lines of the arithmetic and of the exchange operation; the line of the bundle for an empty slot.
    slots: [Option<SourceLineId>; 2],
    /// Line that pays for the cycles of the bundle if it is empty.
    waiting: Option<SourceLineId>,
    is_empty: bool,
}

/// An index of an image that tells, for each bundle address, which source lines pay for the cycles of the bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution(BTreeMap<BundleAddress, Lines>);

impl Attribution {
    /// Creates the attribution for an image. `core` is the core that runs it, whose latencies tell which operation an
    /// empty bundle waits for.
    pub fn new(image: &Image, core: &Core) -> Self {
        let program = Decoded::new(image, core);
        let line = |place: &SourcePosition| (place.file, place.line);
        let lines = |(&address, bundle): (&BundleAddress, &Bundle)| {
            let own = image.lines.get(&address).map(line);
            let exchange = image.exchange_lines.get(&address).map(line).or(own);
            let waiting = program.waiting(address).and_then(|(at, slot)| match slot {
                Slot::Arithmetic => image.lines.get(&at).map(line),
                Slot::Exchange => {
                    image.exchange_lines.get(&at).or_else(|| image.lines.get(&at)).map(line)
                }
            });
            let waiting = waiting.or(own);
            (address, Lines { slots: [own, exchange], waiting, is_empty: is_empty(bundle) })
        };
        Self(program.bundles.iter().map(lines).collect())
    }

    fn at(&self, address: BundleAddress) -> Lines {
        self.0.get(&address).copied().unwrap_or_default()
    }

    /// Returns the lines of the two operations of a bundle, once if they are the same; for an empty bundle the line of
    /// the operation that waits. `None` stands for bundles without a line.
    pub fn lines(&self, address: BundleAddress) -> Vec<Option<SourceLineId>> {
        let Lines { slots: [arithmetic, exchange], waiting, is_empty } = self.at(address);
        match () {
            () if is_empty => vec![waiting],
            () if arithmetic == exchange => vec![arithmetic],
            () => vec![arithmetic, exchange],
        }
    }

    /// Returns the line that pays for the cycles of a bundle if only one does: that of its arithmetic operation, of the exchange
    /// operation if there is no other, or of the operation that waits. `None` for a bundle without a line.
    pub fn payer(&self, address: BundleAddress) -> Option<SourceLineId> {
        let Lines { slots: [arithmetic, exchange], waiting, is_empty } = self.at(address);
        if is_empty { waiting } else { arithmetic.or(exchange) }
    }

    /// Returns the line of the operation in a slot of a bundle; `None` for a bundle without a line.
    pub fn line_of(&self, address: BundleAddress, slot: Slot) -> Option<SourceLineId> {
        let [arithmetic, exchange] = self.at(address).slots;
        match slot {
            Slot::Arithmetic => arithmetic,
            Slot::Exchange => exchange,
        }
    }

    /// Divides the cost of the bundle at `address` among the lines that pay for it: cycles of issue among the lines of
    /// the operations, a hold to the line of the exchange operation, cycles of an empty bundle to the line of the
    /// operation that waits, floating-point operations to the arithmetic line. Each line occurs once; `None` stands for
    /// bundles without a line.
    pub fn cost_by_line(
        &self,
        address: BundleAddress,
        cost: &BundleCost,
    ) -> Vec<(Option<SourceLineId>, AttributedCost)> {
        let Lines { slots: [arithmetic, exchange], waiting, .. } = self.at(address);
        let n = |cause: Cause| cost.causes[cause as usize];
        let mut all = Paid::default();
        if arithmetic == exchange {
            all.of(arithmetic).add_cause(Cause::Both, n(Cause::Both), 2 * n(Cause::Both));
        } else {
            for line in [arithmetic, exchange] {
                all.of(line).add_cause(Cause::Both, n(Cause::Both), n(Cause::Both));
            }
        }
        for (cause, line, issues) in [
            (Cause::Arithmetic, arithmetic, 1),
            (Cause::Exchange, exchange, 1),
            (Cause::Empty, waiting, 0),
            (Cause::Nullified, arithmetic, 0),
            (Cause::SyncHold, exchange, 0),
        ] {
            all.of(line).add_cause(cause, n(cause), issues * n(cause));
        }
        all.of(arithmetic).cost.flops += cost.flops;
        all.0.into_iter().filter(|(_, cost)| *cost != AttributedCost::default()).collect()
    }

    /// Returns the number of cycles of a run, whose costs are in `profile`, in which operations of two different lines
    /// issued, which count for both.
    pub fn shared(&self, profile: &Profile) -> u64 {
        let all = (0..).map(BundleAddress).zip(profile.bundles());
        let shared = all.filter(|(address, _)| {
            let [arithmetic, exchange] = self.at(*address).slots;
            arithmetic != exchange
        });
        shared.map(|(_, cost)| cost.causes[Cause::Both as usize]).sum()
    }
}

/// Lines with the costs that they pay, three at most.
#[derive(Default)]
struct Paid(Vec<(Option<SourceLineId>, AttributedCost)>);

impl Paid {
    fn of(&mut self, line: Option<SourceLineId>) -> &mut AttributedCost {
        let at = self.0.iter().position(|(other, _)| *other == line).unwrap_or_else(|| {
            self.0.push((line, AttributedCost::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

fn is_empty(bundle: &Bundle) -> bool {
    bundle.arith.op == Arith::Nop && bundle.exch.op == Exch::Nop
}

/// The bundles of a program with its hardware loops.
struct Decoded<'a> {
    core: &'a Core,
    bundles: BTreeMap<BundleAddress, Bundle>,
    /// Bodies of loops, the innermost last.
    loops: Vec<Body>,
}

impl<'a> Decoded<'a> {
    fn new(image: &Image, core: &'a Core) -> Self {
        let words = image.kernels.iter().flat_map(Kernel::bundles);
        let bundles: BTreeMap<_, _> =
            words.filter_map(|(at, word)| Some((at, decode(word, core).ok()?))).collect();
        let bodies = bundles.iter().filter_map(|(&at, bundle)| {
            let (_, end) = bundle.exch.hardware_loop()?;
            Some(Body::behind(at, end))
        });
        Self { core, loops: bodies.collect(), bundles }
    }

    /// Returns the operation that an empty bundle waits for: the first one behind it, in its innermost loop if it is in one,
    /// whose operand would not be there in time; `None` if nothing keeps it.
    fn waiting(&self, empty: BundleAddress) -> Option<(BundleAddress, Slot)> {
        self.bundles.get(&empty).filter(|bundle| is_empty(bundle))?;
        let (next, later) = self.next(empty)?;
        let mut reads = Vec::new();
        self.bundles.get(&next)?.footprint(&mut |access| reads.push(access));
        reads.retain(|access| access.used().is_some());
        let longest = self.core.latencies().longest() as usize;
        let mut at = empty;
        for before in 1..=longest {
            at = self.previous(at)?;
            let mut writes = Vec::new();
            self.bundles.get(&at)?.footprint(&mut |access| writes.push(access));
            writes.retain(|access| access.changed().is_some());
            let keeps = |read: &Access| {
                writes.iter().any(|write| {
                    let distance = self.distance(write, read);
                    // The operand is too early in the empty bundle, and soon enough where its reader is.
                    (before + 1..=before + later).contains(&distance)
                })
            };
            if let Some(read) = reads.iter().find(|read| keeps(read)) {
                return Some((next, read.slot));
            }
        }
        None
    }

    /// Returns the number of bundles after which a read sees a write; 0 if it never does.
    fn distance(&self, write: &Access, read: &Access) -> usize {
        match write.resource.overlaps(read.resource) {
            true => self.core.latencies().distance(write.unit, read.resource, read.unit) as usize,
            false => 0,
        }
    }

    fn body(&self, address: BundleAddress) -> Option<Body> {
        self.loops.iter().rev().find(|body| body.contains(address)).copied()
    }

    /// Returns the next bundle with an operation, and how many bundles later it is.
    fn next(&self, empty: BundleAddress) -> Option<(BundleAddress, usize)> {
        let body = self.body(empty);
        let (mut at, mut later) = (empty, 0);
        loop {
            let is_last = body.is_some_and(|body| at == body.last());
            at = if is_last { body?.start } else { at.plus(1) };
            later += 1;
            let bundle = self.bundles.get(&at)?;
            if !is_empty(bundle) {
                return Some((at, later));
            }
            // A loop of empty bundles.
            if at == empty {
                return None;
            }
        }
    }

    /// Returns the bundle before one; that of the pass before where a body begins.
    fn previous(&self, address: BundleAddress) -> Option<BundleAddress> {
        match self.body(address).filter(|body| body.start == address) {
            Some(body) => Some(body.last()),
            None => (address.0 > 0).then(|| address.before()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        .kernel k
        psadd f2, f1, f1
        .rept 9
        nop
        .endr
        psadd f3, f2, f2 | seti a0, 5
        | doi 2, last
        psadd f4, f4, f4
        .rept 6
        nop
        .endr
last:   nop
        nop
        | stopi 0
";

    /// Latency 8: seven of the nine empty bundles keep the second sum, two are there for nothing.
    #[test]
    fn empty_bundles_are_paid_by_what_waits() {
        let image = cp2_asm::assemble_str("k.s", TEXT).expect("it assembles");
        let attribution = Attribution::new(&image, &Core::CP2);
        let paid: Vec<u32> = (1..10)
            .map(|at| attribution.at(BundleAddress(at)).waiting.expect("a line").1)
            .collect();
        assert_eq!(paid, [6, 6, 6, 6, 6, 6, 6, 4, 4]);
        // In the loop the sum waits for that of the pass before.
        let paid: Vec<u32> = (13..21)
            .map(|at| attribution.at(BundleAddress(at)).waiting.expect("a line").1)
            .collect();
        assert_eq!(paid, [8, 8, 8, 8, 8, 8, 8, 13]);
    }

    #[test]
    fn the_lines_of_a_shared_bundle_pay_by_slot() {
        let mut attribution = Attribution::default();
        let slots = [Some((0, 3)), Some((0, 5))];
        let lines = Lines { slots, waiting: Some((0, 9)), is_empty: false };
        attribution.0.insert(BundleAddress(4), lines);
        let cost = BundleCost { causes: [10, 1, 2, 4, 8, 16], flops: 40 };
        let paid = attribution.cost_by_line(BundleAddress(4), &cost);
        let share =
            |causes, flops, issues| AttributedCost { cost: BundleCost { causes, flops }, issues };
        assert_eq!(
            paid,
            [
                (Some((0, 3)), share([10, 1, 0, 0, 8, 0], 40, 11)),
                (Some((0, 5)), share([10, 0, 2, 0, 0, 16], 0, 12)),
                (Some((0, 9)), share([0, 0, 0, 4, 0, 0], 0, 0)),
            ]
        );
    }
}
