//! The alignment of two programs: their operations, in the order of the addresses, compared as `diff` compares two
//! texts.

use crate::program::NamedProgram;
use cp2_ir::image::Kernel;
use cp2_isa::{Arith, BundleAddress, BundleBits, Exch, Inst, OperandKind};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;

/// An alignment of two programs A and B: pairs of bundles with the same predicate and operations, in the same order, as
/// `diff` finds them. Targets of jumps and loops may differ.
#[derive(Clone, Debug)]
pub struct Alignment {
    /// Partner in B of each bundle of A that has one.
    to_b: BTreeMap<BundleAddress, BundleAddress>,
    from_b: BTreeMap<BundleAddress, BundleAddress>,
    bundles: [usize; 2],
    /// Whether the words of both programs are the same, address by address.
    is_same: bool,
}

/// The content of a bundle by which it is aligned: its operations without the addresses that they go to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Line {
    cc: u8,
    arith: (Arith, Vec<i32>),
    exch: (Exch, Vec<i32>),
}

/// Returns the operand values of an operation, with 0 for the address of a bundle.
fn values<O>(inst: &Inst<O>, kinds: &[cp2_isa::Operand]) -> Vec<i32> {
    let pairs = kinds.iter().zip(inst.values);
    pairs
        .map(|(operand, value)| if operand.kind == OperandKind::Target { 0 } else { value })
        .collect()
}

fn lines(program: &NamedProgram<'_>) -> Vec<(BundleAddress, Line)> {
    let bundles = program.image.kernels.iter().flat_map(Kernel::bundles);
    let line = |(address, _): (BundleAddress, BundleBits)| {
        let bundle = program.bundle(address)?;
        let line = Line {
            cc: bundle.cc,
            arith: (bundle.arith.op, values(&bundle.arith, bundle.arith.op.row().operands)),
            exch: (bundle.exch.op, values(&bundle.exch, bundle.exch.op.row().operands)),
        };
        Some((address, line))
    };
    bundles.filter_map(line).collect()
}

impl Alignment {
    /// Creates the alignment of programs A (`a`) and B (`b`), by comparing their bundles in the order of the addresses.
    pub fn of(a: &NamedProgram<'_>, b: &NamedProgram<'_>) -> Self {
        let [lines_a, lines_b] = [lines(a), lines(b)];
        let text = |lines: &[(BundleAddress, Line)]| -> Vec<Line> {
            lines.iter().map(|(_, line)| line.clone()).collect()
        };
        let (mut to_b, mut from_b) = (BTreeMap::new(), BTreeMap::new());
        for op in capture_diff_slices(Algorithm::Myers, &text(&lines_a), &text(&lines_b)) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                for k in 0..len {
                    let (a, b) = (lines_a[old_index + k].0, lines_b[new_index + k].0);
                    to_b.insert(a, b);
                    from_b.insert(b, a);
                }
            }
        }
        let words = |program: &NamedProgram<'_>| -> Vec<(BundleAddress, BundleBits)> {
            program.image.kernels.iter().flat_map(Kernel::bundles).collect()
        };
        let bundles = [lines_a.len(), lines_b.len()];
        Self { to_b, from_b, bundles, is_same: words(a) == words(b) }
    }

    /// Returns the bundle of B that is paired with a bundle of A; `None` if there is none.
    pub fn to_b(&self, address: BundleAddress) -> Option<BundleAddress> {
        self.to_b.get(&address).copied()
    }

    /// Returns the bundle of A that is paired with a bundle of B; `None` if there is none.
    pub fn to_a(&self, address: BundleAddress) -> Option<BundleAddress> {
        self.from_b.get(&address).copied()
    }

    /// Returns true if both programs have the same bits at the same bundle addresses.
    pub fn is_whole(&self) -> bool {
        self.is_same
    }

    /// Returns the number of pairs of bundles.
    pub fn matched(&self) -> usize {
        self.to_b.len()
    }

    /// Returns the number of bundles of A that are in no pair, then that of B.
    pub fn unmatched(&self) -> [usize; 2] {
        self.bundles.map(|n| n - self.to_b.len())
    }
}
