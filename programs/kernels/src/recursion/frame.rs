//! Frames in local memory: words of one search, or of the two of a section.

use super::bits::Steps;
use cp2_recursion::{IdleFrame, MOST_FIELDS, StepOperation, Task};

/// Number of the state among the fields of a frame.
pub(super) const STATE: usize = MOST_FIELDS;

/// Word of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameWord {
    /// One field. The search of the low half has it in the low half of the word, that of the high half in the high one.
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
    /// Returns the words of frames, for one search in a section or for two. Two fields that no step changes share a word, if there are two
    /// searches: then it takes as few accesses to bring the halves to their places.
    pub(super) fn of<T: Task>(task: &T, steps: &Steps, halves: usize) -> Self {
        let mut fields: Vec<usize> = (0..task.fields().count()).collect();
        if steps.state.is_none() {
            fields.push(STATE);
        }
        // What steps change comes first, so that it is stored alone.
        let (changing, mut fixed): (Vec<usize>, Vec<usize>) =
            fields.into_iter().partition(|&field| changed(steps, field));
        let mut words: Vec<FrameWord> = changing.into_iter().map(FrameWord::One).collect();
        if halves == 1 {
            words.extend(fixed.drain(..).map(FrameWord::One));
        }
        let last = if fixed.len() % 2 == 1 { fixed.pop() } else { None };
        words.extend(last.map(FrameWord::One));
        words.extend(fixed.chunks(2).map(|pair| FrameWord::Two(pair[0], pair[1])));
        let stride = (words.len() + 1).next_power_of_two() - 1;
        Self { words, stride }
    }

    /// Returns the contents of the words of a frame. A field alone stands in both halves, so they are those of either search.
    pub(super) fn contents(&self, state: u32, fields: &[u32]) -> Vec<u64> {
        let of = |field: usize| u64::from(if field == STATE { state } else { fields[field] });
        let words = self.words.iter().map(|word| match *word {
            FrameWord::One(field) => of(field) << 32 | of(field),
            FrameWord::Two(high, low) => of(high) << 32 | of(low),
        });
        words.collect()
    }

    /// Returns the contents of an idle frame.
    pub(super) fn idle(&self, frame: IdleFrame) -> Vec<u64> {
        self.contents(frame.state, &frame.fields)
    }
}

/// Returns whether a step of an entered frame changes a field of it.
pub(super) fn changed(steps: &Steps, field: usize) -> bool {
    let next = &steps.go_on.next;
    if field == STATE {
        return steps.go_on.operations[next.state] != StepOperation::State;
    }
    steps.go_on.operations[next.fields[field]] != StepOperation::Field(field)
}
