//! Places of arrays in local memory: the buffers of an array in turn in the halves (banks) of it, so that the channel
//! works in one while a kernel works in another.

use super::kernels::LocalUse;
use super::{PagedProcedure, wrong};
use cp2_isa::Core;
use cp2_session::error::KernelError;
use std::ops::Range;

/// An array that needs room in local memory: one of the buffers of a local array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) local: usize,
    /// Number of the buffer.
    pub(super) buffer: usize,
    /// Words that it takes in each section.
    pub(super) words: usize,
    /// First and last pass in which it is there.
    pub(super) passes: [usize; 2],
}

/// A buffer of a local array, or the program's own data, at its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedRoom {
    /// Local array; `None` for data of the program.
    pub(super) local: Option<usize>,
    pub(super) buffer: usize,
    pub(super) words: Range<usize>,
    pub(super) passes: [usize; 2],
}

impl PlacedRoom {
    fn meets(&self, words: &Range<usize>, passes: [usize; 2]) -> bool {
        let in_time = self.passes[0] <= passes[1] && passes[0] <= self.passes[1];
        in_time && self.words.start < words.end && words.start < self.words.end
    }
}

/// Returns the first even word within `within` from which `room` is free of what is placed.
pub(super) fn free(placed: &[PlacedRoom], room: &Room, within: Range<usize>) -> Option<usize> {
    let ends = placed.iter().map(|other| other.words.end.next_multiple_of(2));
    let mut begins: Vec<usize> = ends.chain([within.start]).collect();
    begins.sort_unstable();
    begins.into_iter().filter(|begin| *begin >= within.start).find(|&begin| {
        let words = begin..begin + room.words;
        words.end <= within.end && !placed.iter().any(|other| other.meets(&words, room.passes))
    })
}

/// Places rooms in local memory, beside what is `placed` already. Buffers go to the banks in turn as long as these have room,
/// the single places of other arrays wherever there is some.
///
/// # Errors
/// Local memory has no room for one of them.
pub(super) fn place(
    procedure: &PagedProcedure,
    core: &Core,
    uses: &[Option<LocalUse>],
    mut placed: Vec<PlacedRoom>,
    rooms: &[Room],
) -> Result<Vec<PlacedRoom>, KernelError> {
    let (words, banks) = (core.lmem_words(), core.banks().max(1));
    let bank = words / banks;
    let has_several = |room: &Room| rooms.iter().any(|r| r.local == room.local && r.buffer > 0);
    let (buffers, single): (Vec<&Room>, Vec<&Room>) =
        rooms.iter().partition(|room| has_several(room));
    let fixed = |room: &Room| uses[room.local].as_ref().and_then(|of| of.fixed);
    let (at_words, anywhere): (Vec<&Room>, Vec<&Room>) =
        buffers.into_iter().chain(single).partition(|room| fixed(room).is_some());
    for room in at_words.into_iter().chain(anywhere) {
        let first = bank * (room.buffer % banks);
        let begin = match fixed(room) {
            Some(word) => Some(usize::from(word)),
            None => {
                free(&placed, room, first..first + bank).or_else(|| free(&placed, room, 0..words))
            }
        };
        let Some(begin) = begin else { return Err(no_room(procedure, words, &placed, room)) };
        let (local, buffer, passes) = (Some(room.local), room.buffer, room.passes);
        placed.push(PlacedRoom { local, buffer, words: begin..begin + room.words, passes });
    }
    Ok(placed)
}

/// Returns the error for an array for which there is no room.
fn no_room(
    procedure: &PagedProcedure,
    words: usize,
    placed: &[PlacedRoom],
    room: &Room,
) -> KernelError {
    let beside = placed.iter().filter(|other| other.meets(&(0..words), room.passes));
    let name = |local: Option<usize>| local.map_or("the program", |k| &procedure.locals[k].name);
    let taken: Vec<String> = beside
        .map(|other| {
            let Range { start, end } = other.words;
            format!("{} at {start} to {}", name(other.local), end.saturating_sub(1))
        })
        .collect();
    let message = format!(
        "buffer {} needs {} words of each section, and local memory has {words}: {}; make the parts \
         of pages smaller, or take fewer buffers",
        room.buffer,
        room.words,
        if taken.is_empty() { "nothing is in it".to_owned() } else { taken.join(", ") },
    );
    let pass = &procedure.passes[room.passes[0]].name;
    wrong(format!("{pass}, array {}", procedure.locals[room.local].name), message)
}
