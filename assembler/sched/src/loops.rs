//! The innermost loops of a region, in program order.

use cp2_ir::linear::{Block, Loop, Region};

/// A loop without loops inside.
pub(super) struct Innermost<'a> {
    pub(super) leaf: usize,
    pub(super) of: &'a Loop,
    pub(super) ops: Vec<usize>,
}

/// Returns the loops without loops inside, in program order.
pub(super) fn innermost_loops(region: &Region) -> Vec<Innermost<'_>> {
    let mut found = Vec::new();
    collect_loops(&region.blocks, &mut 0, &mut found);
    found
}

fn collect_loops<'a>(blocks: &'a [Block], leaf: &mut usize, found: &mut Vec<Innermost<'a>>) {
    for block in blocks {
        match block {
            Block::Straight(_) => *leaf += 1,
            Block::Loop(of) => {
                if let [Block::Straight(range)] = of.body.as_slice() {
                    found.push(Innermost { leaf: *leaf, of, ops: range.clone().collect() });
                }
                collect_loops(&of.body, leaf, found);
            }
        }
    }
}
