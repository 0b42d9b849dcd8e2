//! Trees: all nodes are walked, to sum their values or to look for a node.

use crate::task::{FrameFields, MOST_FIELDS, StepOutcome, Task, TaskArray, TaskFrame};
use crate::words::StepWords;
use std::fmt;

/// Form of a tree: node 0 is the root, the children of node v are width v + 1 to width v + width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    width: u32,
    depth: u32,
    rounds: u32,
}

/// A tree for which there is no task: its width, depth and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeError(u32, u32, u32);

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(width, depth, rounds) = self;
        write!(
            f,
            "a tree of width {width} and depth {depth} with {rounds} rounds; width is 1 or more, rounds are 64 at most, and the tree has less than 2^24 nodes"
        )
    }
}

impl std::error::Error for TreeError {}

impl TreeShape {
    /// Makes the form of a tree with levels 0 to `depth`, whose nodes take `rounds` rounds of xorshift32 to get their value.
    ///
    /// # Errors
    /// The width is 0, or there are more than 64 rounds or 2^24 nodes or more.
    pub fn new(width: u32, depth: u32, rounds: u32) -> Result<Self, TreeError> {
        let shape = Self { width, depth, rounds };
        let fits = width > 0 && rounds <= 64 && depth < 1 << 24 && shape.nodes() < 1 << 24;
        if fits { Ok(shape) } else { Err(TreeError(width, depth, rounds)) }
    }

    /// Returns the number of nodes, at most 2^24.
    pub fn nodes(&self) -> u64 {
        let (mut all, mut level) = (0_u64, 1_u64);
        for _ in 0..=self.depth {
            all += level;
            level *= u64::from(self.width);
            if all >= 1 << 24 {
                return 1 << 24;
            }
        }
        all
    }

    /// Returns the value of a node by the operations of a lane.
    fn value<W: StepWords>(&self, w: &mut W, node: W::Word) -> W::Word {
        let one = w.constant(1);
        let mut x = w.add(node, one);
        for _ in 0..self.rounds {
            for (count, is_left) in [(13, true), (17, false), (5, true)] {
                let moved = if is_left { w.shift_left(x, count) } else { w.shift_right(x, count) };
                x = w.xor(x, moved);
            }
        }
        x
    }
}

/// Aim of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeGoal {
    /// The sum of the values of all nodes, modulo 2^32.
    Sum,
    /// The number of nodes in preorder up to the one of this number, with the highest bit set; without it, of all nodes, if it is not
    /// there.
    Search(u32),
}

/// Highest bit of a value returned by a search: the node is found.
const FOUND: u32 = 1 << 31;

impl TreeGoal {
    /// Returns the value of a walk as a number, and, of a search, whether the node was found.
    pub fn node_of(self, value: u32) -> (u32, Option<bool>) {
        match self {
            Self::Sum => (value, None),
            Self::Search(_) => (value & !FOUND, Some(value & FOUND != 0)),
        }
    }

    /// Returns the bits of which a context with one ends a search; 0 of a sum, which takes all contexts.
    pub fn ends(self) -> u32 {
        match self {
            Self::Sum => 0,
            Self::Search(_) => FOUND,
        }
    }
}

/// A tree whose children are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputedTree {
    /// Form of the tree.
    pub shape: TreeShape,
    /// Aim of the walk.
    pub goal: TreeGoal,
}

/// A tree that is linked in memory: of each node its value, its first child and its next sibling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedTree {
    /// Form of the tree.
    pub shape: TreeShape,
    /// Aim of the walk.
    pub goal: TreeGoal,
}

/// Returns the nodes that a search has seen in a call, those before the last inner call and those that it returned, or at its begin
/// the node alone; and the truth value of whether it has found its node.
fn seen<W: StepWords>(
    w: &mut W,
    (wanted, node): (u32, W::Word),
    is_entered: W::Word,
    [before, returned]: [W::Word; 2],
) -> (W::Word, W::Word) {
    let sum = w.add(before, returned);
    let is_wanted = w.is(node, wanted);
    let (found, one) = (w.constant(FOUND), w.constant(1));
    let mark = w.and(is_wanted, found);
    let own = w.or(one, mark);
    let all = w.select(is_entered, own, sum);
    let mark = w.and(all, found);
    (all, w.is_set(mark))
}

/// Locals of a walk: a sum has nothing that returns.
fn locals(goal: TreeGoal) -> &'static [&'static str] {
    match goal {
        TreeGoal::Sum => &["child"],
        TreeGoal::Search(_) => &["child", "seen"],
    }
}

impl ComputedTree {
    /// Returns the first child of a node less 1, width node, by sums, since lanes do not multiply.
    fn before_children<W: StepWords>(&self, w: &mut W, node: W::Word) -> W::Word {
        let mut first = w.constant(0);
        for bit in (0..32).rev().filter(|bit| self.shape.width >> bit != 0) {
            first = w.add(first, first);
            if self.shape.width >> bit & 1 == 1 {
                first = w.add(first, node);
            }
        }
        first
    }

    /// The first step of a sum.
    fn enter<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let (zero, one) = (w.constant(0), w.constant(1));
        StepOutcome {
            calls: zero,
            is_last: zero,
            is_done: w.is(frame.fields[1], self.shape.depth),
            state: one,
            fields: frame.fields,
            arguments: [zero; MOST_FIELDS],
            value: self.shape.value(w, frame.fields[0]),
        }
    }

    /// Every other step of a sum.
    fn visit<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [node, level, child, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let before = self.before_children(w, node);
        let next = w.add(child, one);
        let mut fields = frame.fields;
        fields[2] = next;
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.add(before, next);
        arguments[1] = w.add(level, one);
        let calls = w.not(zero);
        let is_last = w.is(next, self.shape.width);
        StepOutcome { calls, is_last, is_done: zero, state: one, fields, arguments, value: zero }
    }

    /// The step of a search.
    fn search<W: StepWords>(
        &self,
        w: &mut W,
        frame: TaskFrame<W::Word>,
        wanted: u32,
    ) -> StepOutcome<W::Word> {
        let [node, level, child, before, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let is_entered = w.is_zero(frame.state);
        let (all, is_found) = seen(w, (wanted, node), is_entered, [before, frame.returned]);
        let first = self.before_children(w, node);
        let width = w.constant(self.shape.width);
        let has_more = w.is_less(child, width);
        let depth = w.constant(self.shape.depth);
        let is_inner = w.is_less(level, depth);
        let goes_on = w.not(is_found);
        let calls = w.and(has_more, is_inner);
        let calls = w.and(calls, goes_on);
        let next_child = w.add(child, one);
        let mut fields = frame.fields;
        (fields[2], fields[3]) = (next_child, all);
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.add(first, next_child);
        arguments[1] = w.add(level, one);
        let is_done = w.not(calls);
        StepOutcome { calls, is_last: zero, is_done, state: one, fields, arguments, value: all }
    }
}

impl Task for ComputedTree {
    fn fields(&self) -> FrameFields {
        FrameFields { parameters: &["node", "level"], locals: locals(self.goal) }
    }

    fn root(&self) -> Vec<u32> {
        vec![0, 0]
    }

    fn deepest(&self) -> usize {
        self.shape.depth as usize + 1
    }

    fn is_sum(&self) -> bool {
        self.goal == TreeGoal::Sum
    }

    /// Measured of width 4 and 5 levels. Without rounds the compiler sums the last levels without a call for each node, and one or two rounds it does not
    /// do in a loop; from there on they follow a line.
    fn host_cycles(&self) -> Option<f64> {
        Some(match (self.goal, self.shape.rounds) {
            (TreeGoal::Search(_), _) => 18.9,
            (TreeGoal::Sum, 0) => 1.3,
            (TreeGoal::Sum, 1) => 18.6,
            (TreeGoal::Sum, 2) => 24.6,
            (TreeGoal::Sum, rounds) => 16.4 + 6.0 * f64::from(rounds),
        })
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        match self.goal {
            TreeGoal::Search(wanted) => self.search(w, frame, wanted),
            TreeGoal::Sum => {
                let is_entered = w.is_zero(frame.state);
                let [enter, visit] = [Self::enter, Self::visit];
                StepOutcome::choose(
                    w,
                    is_entered,
                    |w| enter(self, w, frame),
                    |w| visit(self, w, frame),
                )
            }
        }
    }
}

impl LinkedTree {
    /// The first step of a sum.
    fn enter<W: StepWords>(w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let (zero, one) = (w.constant(0), w.constant(1));
        let first = w.load(0, frame.fields[0]);
        let mut fields = frame.fields;
        fields[1] = first;
        StepOutcome {
            calls: zero,
            is_last: zero,
            is_done: w.is_zero(first),
            state: one,
            fields,
            arguments: [zero; MOST_FIELDS],
            value: w.load(2, frame.fields[0]),
        }
    }

    /// Every other step of a sum.
    fn visit<W: StepWords>(w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [_, child, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let next = w.load(1, child);
        let mut fields = frame.fields;
        fields[1] = next;
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = child;
        let calls = w.not(zero);
        let is_last = w.is_zero(next);
        StepOutcome { calls, is_last, is_done: zero, state: one, fields, arguments, value: zero }
    }

    /// The step of a search.
    fn search<W: StepWords>(
        w: &mut W,
        frame: TaskFrame<W::Word>,
        wanted: u32,
    ) -> StepOutcome<W::Word> {
        let [node, child, before, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let is_entered = w.is_zero(frame.state);
        let (all, is_found) = seen(w, (wanted, node), is_entered, [before, frame.returned]);
        let first = w.load(0, node);
        let next = w.load(1, child);
        let child = w.select(is_entered, first, next);
        let has_one = w.is_set(child);
        let goes_on = w.not(is_found);
        let calls = w.and(has_one, goes_on);
        let mut fields = frame.fields;
        (fields[1], fields[2]) = (child, all);
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = child;
        let is_done = w.not(calls);
        StepOutcome { calls, is_last: zero, is_done, state: one, fields, arguments, value: all }
    }
}

impl Task for LinkedTree {
    fn fields(&self) -> FrameFields {
        FrameFields { parameters: &["node"], locals: locals(self.goal) }
    }

    fn root(&self) -> Vec<u32> {
        vec![0]
    }

    fn arrays(&self) -> Vec<TaskArray> {
        let (nodes, width) = (self.shape.nodes() as u32, self.shape.width);
        // No node has number 0 as a child, so 0 says that there is none.
        let or_none = |node: u32| if node < nodes { node } else { 0 };
        let first = (0..nodes).map(|node| or_none(width * node + 1));
        let next = (0..nodes).map(|node| if node % width == 0 { 0 } else { or_none(node + 1) });
        let mut native = crate::words::NativeWords { arrays: Vec::new() };
        let values = (0..nodes).map(|node| self.shape.value(&mut native, node)).collect();
        let array = |name, words| TaskArray { name, words, is_own: false };
        vec![
            array("first child", first.collect()),
            array("next sibling", next.collect()),
            array("value", values),
        ]
    }

    fn deepest(&self) -> usize {
        self.shape.depth as usize + 1
    }

    fn is_sum(&self) -> bool {
        self.goal == TreeGoal::Sum
    }

    /// Measured of the sum of width 4 and 5 levels; a search is taken to cost as much.
    fn host_cycles(&self) -> Option<f64> {
        Some(12.1)
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        match self.goal {
            TreeGoal::Search(wanted) => Self::search(w, frame, wanted),
            TreeGoal::Sum => {
                let is_entered = w.is_zero(frame.state);
                StepOutcome::choose(
                    w,
                    is_entered,
                    |w| Self::enter(w, frame),
                    |w| Self::visit(w, frame),
                )
            }
        }
    }
}
