//! Frames in local memory: words of one search, or of the two of a section.

use super::bits::Steps;
use super::stacks::{LanePlan, Stacks};
use cp2_recursion::{MOST_FIELDS, StepOperation, Task};

/// Number of the state among the words that a frame can have, which are its fields and those behind them.
pub(super) const STATE: usize = MOST_FIELDS;
/// Number of the value that the last inner call returned.
pub(super) const RETURNED: usize = MOST_FIELDS + 1;
/// Number of the truth value of a lane that is in the frame, where lanes share their depth.
pub(super) const ACTIVE: usize = MOST_FIELDS + 2;
/// Words that a frame can have.
pub(super) const ALL: usize = MOST_FIELDS + 3;

/// Word of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameWord {
    /// A field alone: the search of the low half has it in the low half of the word, that of the high half in the high one.
    One(usize),
    /// Two fields of one search, in the high and the low half.
    Two(usize, usize),
}

/// Words of the frames of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameWords {
    /// Words, one behind the other.
    pub words: Vec<FrameWord>,
    /// Words from one frame to the next: one less than a power of two, so that tests make it by a shift.
    pub stride: usize,
}

impl FrameWords {
    /// Returns the words of frames. Two fields that no step changes share a word, if two searches have addresses of their own: then it
    /// takes as few accesses to bring the halves to their places.
    pub(super) fn of<T: Task>(task: &T, steps: &Steps, plan: LanePlan) -> Self {
        let (stacks, halves) = (plan.stacks, plan.halves);
        let mut changing = Vec::new();
        if !task.is_sum() {
            changing.push(RETURNED);
        }
        if stacks != Stacks::Own {
            changing.push(ACTIVE);
        }
        if steps.state.is_none() {
            changing.push(STATE);
        }
        // What steps change comes first, so that it is stored alone.
        let fields = 0..task.fields().count();
        let (changed, mut fixed): (Vec<usize>, Vec<usize>) =
            fields.partition(|&field| changed(steps, field));
        changing.extend(changed);
        let mut words: Vec<FrameWord> = changing.into_iter().map(FrameWord::One).collect();
        if halves == 1 || stacks != Stacks::Own {
            words.extend(fixed.drain(..).map(FrameWord::One));
        }
        let last = if fixed.len() % 2 == 1 { fixed.pop() } else { None };
        words.extend(last.map(FrameWord::One));
        words.extend(fixed.chunks(2).map(|pair| FrameWord::Two(pair[0], pair[1])));
        let stride = (words.len() + 1).next_power_of_two() - 1;
        Self { words, stride }
    }

    /// Returns the contents of the words of a frame. A field alone stands in both halves, so they are those of either search.
    pub(super) fn contents(&self, frame: &[u32; ALL]) -> Vec<u64> {
        let of = |field: usize| u64::from(frame[field]);
        let words = self.words.iter().map(|word| match *word {
            FrameWord::One(field) => of(field) << 32 | of(field),
            FrameWord::Two(high, low) => of(high) << 32 | of(low),
        });
        words.collect()
    }
}

/// Returns all words of a frame with this state and these fields, which has a lane in it.
pub(super) fn frame_of(state: u32, fields: &[u32]) -> [u32; ALL] {
    let mut frame = [0; ALL];
    frame[..fields.len()].copy_from_slice(fields);
    (frame[STATE], frame[ACTIVE]) = (state, u32::MAX);
    frame
}

/// Returns whether a step of an entered frame changes a field of it.
fn changed(steps: &Steps, field: usize) -> bool {
    let next = steps.go_on.next.fields[field];
    steps.go_on.operations[next] != StepOperation::Field(field)
}

/// Returns whether a step of an entered frame changes a word of it: the state and who is in it always, what returned never.
pub(super) fn is_changed(steps: &Steps, word: usize) -> bool {
    match word {
        STATE | ACTIVE => true,
        RETURNED => false,
        field => changed(steps, field),
    }
}
