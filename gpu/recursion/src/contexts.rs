//! Contexts as one list of words, made level by level where nothing but parameters belongs to a call.

use crate::error::SearchError;
use cp2_recursion::{MOST_FIELDS, NativeWords, StackOverflow, Task, TaskFrame};
use rayon::prelude::*;

/// Calls whose inner calls one thread makes at a time; fewer are not worth a thread.
const SHARE: usize = 2048;
/// Most words of arrays that each thread copies.
const MOST_COPIED: usize = 1 << 12;
/// Calls whose inner calls are made before the room that they take is looked at.
const BLOCK: usize = 1 << 18;

/// Contexts of a depth, their words one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextList {
    /// Words of all contexts: parameters, then the arrays of the lane.
    pub words: Vec<i32>,
    /// Contexts.
    pub count: usize,
    /// Depth of the contexts.
    pub depth: usize,
    /// Calls that the host made.
    pub host_calls: u64,
    /// Value of the task if each context returned 0; where values are sums, what the calls of the host add.
    pub host_value: u64,
}

/// Arrays of a task, on which the host makes its calls.
pub(crate) struct HostArrays {
    /// Contents with which the task begins. Arrays that all lanes share stay so.
    pub words: NativeWords,
    /// Whether each array is the lane's own.
    is_own: Vec<bool>,
}

impl HostArrays {
    pub(crate) fn of<T: Task>(task: &T) -> Self {
        let (is_own, arrays) = task.arrays().into_iter().map(|a| (a.is_own, a.words)).unzip();
        Self { words: NativeWords { arrays }, is_own }
    }
}

/// Room for contexts: words of one, and bytes of all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextRoom {
    pub each: usize,
    pub bytes: u64,
}

impl ContextRoom {
    fn check(&self, depth: usize, contexts: usize) -> Result<(), SearchError> {
        let each = 4 * self.each;
        if (contexts * each) as u64 > self.bytes || contexts > i32::MAX as usize / 2 {
            return Err(SearchError::Contexts { depth, contexts, each, limit: self.bytes });
        }
        Ok(())
    }
}

impl ContextList {
    /// Makes the contexts of a depth on the arrays of the task, or of the least depth that has so many; if none has, of the depth that has most.
    pub(crate) fn of<T: Task + Sync>(
        task: &T,
        arrays: &mut HostArrays,
        depth: Option<usize>,
        (wanted, room): (usize, ContextRoom),
    ) -> Result<Self, SearchError> {
        // Then a context has the parameters alone.
        let is_flat = task.is_sum() && room.each == task.fields().parameters.len();
        let last = depth.unwrap_or(task.deepest().saturating_sub(1));
        let mut here =
            if is_flat { Self::root(task) } else { Self::walked(task, arrays, 0, room)? };
        if let (Some(depth), false) = (depth, is_flat) {
            return Self::walked(task, arrays, depth, room);
        }
        let mut best = None;
        while here.depth < last && (depth.is_some() || here.count < wanted) {
            // Depths that add calls of the host and no contexts are not worth a look.
            if depth.is_none() && (here.count == 0 || here.host_calls > 4 * wanted as u64) {
                break;
            }
            let next = match is_flat {
                true => here.next(task, &mut arrays.words, room)?,
                false => Self::walked(task, arrays, here.depth + 1, room)?,
            };
            let before = std::mem::replace(&mut here, next);
            if depth.is_none() && before.count >= best.as_ref().map_or(0, |b: &Self| b.count + 1) {
                best = Some(before);
            }
        }
        let is_best = depth.is_some() || best.as_ref().is_none_or(|best| here.count > best.count);
        Ok(if is_best { here } else { best.unwrap_or(here) })
    }

    /// Returns the first call as the only context.
    fn root<T: Task>(task: &T) -> Self {
        let words = task.root().into_iter().map(|word| word as i32).collect();
        Self { words, count: 1, depth: 0, host_calls: 0, host_value: 0 }
    }

    /// Makes the contexts one by one, with the arrays of the lane as they are then.
    fn walked<T: Task>(
        task: &T,
        arrays: &HostArrays,
        depth: usize,
        room: ContextRoom,
    ) -> Result<Self, SearchError> {
        let mut walk =
            Walk { words: arrays.words.clone(), is_own: &arrays.is_own, stack: Vec::new() };
        let mut list = Self { words: Vec::new(), count: 0, depth, host_calls: 0, host_value: 0 };
        let mut call = [0; MOST_FIELDS];
        call.iter_mut().zip(task.root()).for_each(|(field, word)| *field = word);
        let parameters = task.fields().parameters.len();
        let mut next = Some(call);
        loop {
            if let Some(arguments) = next {
                if walk.stack.len() == depth {
                    walk.hand_over(&arguments[..parameters], &mut list.words);
                    list.count += 1;
                    room.check(depth, list.count)?;
                } else if walk.stack.len() == task.deepest() {
                    return Err(StackOverflow { lane: 0, frames: task.deepest() }.into());
                } else {
                    let frame = TaskFrame { state: 0, returned: 0, fields: arguments };
                    walk.stack.push((frame, false));
                    list.host_calls += 1;
                }
            }
            if walk.stack.is_empty() {
                return Ok(list);
            }
            next = walk.step(task, &mut list.host_value);
        }
    }

    /// Makes the inner calls of all contexts; these are the contexts of the next depth.
    fn next<T: Task + Sync>(
        &self,
        task: &T,
        words: &mut NativeWords,
        room: ContextRoom,
    ) -> Result<Self, SearchError> {
        let depth = self.depth + 1;
        let mut next = Self {
            words: Vec::new(),
            count: 0,
            depth,
            host_calls: self.host_calls + self.count as u64,
            host_value: self.host_value,
        };
        let array_words: usize = words.arrays.iter().map(Vec::len).sum();
        for block in self.words.chunks(BLOCK * room.each) {
            // Each thread has the arrays of the task for itself; large ones are not worth a copy.
            let is_small = block.len() <= SHARE * room.each || array_words > MOST_COPIED;
            let parts = match is_small {
                true => vec![inner(task, words, room.each, block)],
                false => (block.par_chunks(SHARE * room.each))
                    .map_init(|| words.clone(), |words, part| inner(task, words, room.each, part))
                    .collect(),
            };
            next.words.reserve(parts.iter().map(|(calls, _)| calls.len()).sum());
            for (calls, sum) in parts {
                next.words.extend(calls);
                next.host_value += sum;
            }
            next.count = next.words.len() / room.each;
            room.check(depth, next.count)?;
        }
        Ok(next)
    }
}

/// Walk of the host through the calls above a depth.
struct Walk<'a> {
    words: NativeWords,
    /// Whether each array is the lane's own.
    is_own: &'a [bool],
    /// Frames, and whether the last inner call of each was made.
    stack: Vec<(TaskFrame<u32>, bool)>,
}

impl Walk<'_> {
    /// Does a step of the frame on top, and returns the parameters of the inner call if it makes one. What it adds, or the value of the first
    /// call, goes into `value`.
    fn step<T: Task>(&mut self, task: &T, value: &mut u64) -> Option<[u32; MOST_FIELDS]> {
        let (frame, is_over) = self.stack.last_mut()?;
        if *is_over {
            self.stack.pop();
            return None;
        }
        let next = task.step(&mut self.words, *frame);
        let is_sum = task.is_sum();
        if is_sum {
            *value += u64::from(next.value);
        }
        if next.is_done != 0 {
            self.stack.pop();
            match self.stack.last_mut() {
                _ if is_sum => {}
                Some((below, _)) => below.returned = next.value,
                None => *value = next.value.into(),
            }
            return None;
        }
        *frame = TaskFrame { state: next.state, returned: frame.returned, fields: next.fields };
        *is_over = next.is_last != 0;
        (next.calls != 0).then_some(next.arguments)
    }

    /// Writes a context, whose value counts as 0.
    fn hand_over(&mut self, parameters: &[u32], list: &mut Vec<i32>) {
        list.extend(parameters.iter().map(|&word| word as i32));
        for (array, _) in self.words.arrays.iter().zip(self.is_own).filter(|(_, is_own)| **is_own) {
            list.extend(array.iter().map(|&word| word as i32));
        }
        self.stack.last_mut().into_iter().for_each(|(frame, _)| frame.returned = 0);
    }
}

/// Makes the steps of some calls up to their last inner call, and returns the parameters of the inner calls and the sum of what the
/// steps give.
fn inner<T: Task>(
    task: &T,
    words: &mut NativeWords,
    each: usize,
    calls: &[i32],
) -> (Vec<i32>, u64) {
    let mut found = Vec::with_capacity(8 * calls.len());
    let mut sum = 0_u64;
    for parameters in calls.chunks_exact(each) {
        let mut fields = [0; MOST_FIELDS];
        fields.iter_mut().zip(parameters).for_each(|(field, &word)| *field = word as u32);
        let mut frame = TaskFrame { state: 0, returned: 0, fields };
        loop {
            let next = task.step(words, frame);
            sum += u64::from(next.value);
            if next.calls != 0 {
                found.extend(next.arguments[..each].iter().map(|&word| word as i32));
            }
            if next.is_done != 0 || next.is_last != 0 {
                break;
            }
            frame = TaskFrame { state: next.state, returned: 0, fields: next.fields };
        }
    }
    (found, sum)
}
