//! Contexts as one list of words, made level by level where nothing but parameters belongs to a call.

use crate::error::SearchError;
use cp2_recursion::{HandedOver, MOST_FIELDS, NativeWords, Task, TaskFrame, hand_over};
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
        words: &mut NativeWords,
        depth: Option<usize>,
        (wanted, room): (usize, ContextRoom),
    ) -> Result<Self, SearchError> {
        // Then a context has the parameters alone.
        let is_flat = task.is_sum() && room.each == task.fields().parameters.len();
        let last = depth.unwrap_or(task.deepest().saturating_sub(1));
        let mut here = if is_flat { Self::root(task) } else { Self::walked(task, 0, room)? };
        if let (Some(depth), false) = (depth, is_flat) {
            return Self::walked(task, depth, room);
        }
        let mut best = None;
        while here.depth < last && (depth.is_some() || here.count < wanted) {
            // Depths that add calls of the host and no contexts are not worth a look.
            if depth.is_none() && (here.count == 0 || here.host_calls > 4 * wanted as u64) {
                break;
            }
            let next = match is_flat {
                true => here.next(task, words, room)?,
                false => Self::walked(task, here.depth + 1, room)?,
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

    /// Makes the contexts one by one, with the arrays of the lane.
    fn walked<T: Task>(task: &T, depth: usize, room: ContextRoom) -> Result<Self, SearchError> {
        let HandedOver { contexts, host_calls, sum } = hand_over(task, depth)?;
        room.check(depth, contexts.len())?;
        let arrays = task.arrays();
        let mut words = Vec::with_capacity(contexts.len() * room.each);
        for context in &contexts {
            let own = arrays.iter().zip(&context.arrays).filter(|(array, _)| array.is_own);
            let all = context.parameters.iter().chain(own.flat_map(|(_, words)| words));
            words.extend(all.map(|&word| word as i32));
        }
        Ok(Self { words, count: contexts.len(), depth, host_calls, host_value: sum.into() })
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
