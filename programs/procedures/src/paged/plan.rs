//! The pages of a procedure, made of its parts: places in local memory, transfers, calls.

use super::kernels::{Kernels, PreparedCall};
use super::moves::Moves;
use super::occupancy::{Occupancies, Occupancy, PageNumber};
use super::places::{PlacedRoom, Room, free, place};
use super::system::PlacedSystemArray;
use super::{PagedProcedure, order, wrong};
use crate::host::Call;
use crate::host::pages::{Command, Page};
use cp2_asm::image::Image;
use cp2_isa::{Core, WordAddress};
use cp2_session::error::KernelError;
use std::ops::Range;

/// Buffers of arrays whose parts change, unless the pass says how many.
const USUAL_BUFFERS: usize = 2;

/// Places and calls of all pages.
pub(super) struct Plan<'a> {
    procedure: &'a PagedProcedure,
    pub(super) stays: Occupancies,
    /// Buffers of each local array.
    buffers: Vec<usize>,
    pub(super) rooms: Vec<PlacedRoom>,
    /// Commands of each page.
    commands: Vec<Vec<Command>>,
}

impl<'a> Plan<'a> {
    /// Finds places and calls of all pages, and checks their order.
    ///
    /// # Errors
    /// A part does not fit its kernel or local memory, an argument is missing, or a page does not find what it reads.
    pub(super) fn new(
        procedure: &'a PagedProcedure,
        kernels: &mut Kernels<'_>,
        image: &Image,
        core: &Core,
    ) -> Result<Self, KernelError> {
        check_ranges(procedure)?;
        let stays = Occupancies::new(procedure, kernels)?;
        let words = words(procedure, kernels, &stays)?;
        let mut all = None;
        // Where nobody says how many buffers there are, one is better than none.
        for usual in [USUAL_BUFFERS, 1] {
            let buffers = buffers(procedure, kernels, &stays, usual)?;
            let rooms = rooms(kernels, &buffers, &words);
            let given = of_program(procedure, image);
            let placed = place(procedure, core, &kernels.uses, given, &rooms);
            let placed = placed.and_then(|placed| {
                let Some(room) = of_constants(procedure, kernels, core, &placed)? else {
                    return Ok(placed);
                };
                kernels.constants_at = Some(room.words.start);
                Ok(placed.into_iter().chain([room]).collect())
            });
            let is_last = usual == 1 || procedure.passes.iter().all(|p| p.buffers.is_some());
            match placed {
                Ok(placed) => {
                    all = Some((buffers, placed));
                    break;
                }
                Err(error) if is_last => return Err(error),
                Err(_) => {}
            }
        }
        let (buffers, rooms) = all.ok_or(KernelError::Internal("pages have no places"))?;
        let mut plan = Self { procedure, stays, buffers, rooms, commands: Vec::new() };
        order::check(procedure, &plan.stays, &|_, stay| plan.is_late(stay))?;
        plan.commands = plan.all_commands(kernels)?;
        Ok(plan)
    }

    /// Whether a part is loaded only when no kernel runs and all before is stored.
    fn is_late(&self, stay: &Occupancy) -> bool {
        let PageNumber { pass, page } = self.stays.pages[stay.first];
        let waits = self.procedure.passes[pass].pages[page].waits;
        waits || page == 0 || stay.turn > 0 && self.buffers[stay.local] == 1
    }

    /// Returns the buffer of a local array at a page.
    fn buffer(&self, local: usize, number: usize) -> usize {
        let turn = self.stays.at(local, number).map_or(number, |stay| stay.turn);
        turn % self.buffers[local]
    }

    /// Returns words that tell the page and the array of a stay.
    fn place_of(&self, stay: &Occupancy) -> String {
        let PageNumber { pass, page } = self.stays.pages[stay.first];
        self.procedure.place(pass, page, stay.local)
    }

    /// Returns the first word of a buffer of a local array.
    fn base(&self, local: usize, buffer: usize) -> Option<usize> {
        let is_it = |room: &&PlacedRoom| room.local == Some(local) && room.buffer == buffer;
        self.rooms.iter().find(is_it).map(|room| room.words.start)
    }

    fn all_commands(&self, kernels: &mut Kernels<'_>) -> Result<Vec<Vec<Command>>, KernelError> {
        let mut all = Vec::with_capacity(self.stays.pages.len());
        let mut is_inverse = false;
        for (number, &PageNumber { pass, page }) in self.stays.pages.iter().enumerate() {
            let shapes = shapes(self.procedure, kernels, &self.stays, number)?;
            let mut commands = Vec::new();
            for (k, call) in self.procedure.passes[pass].calls.iter().enumerate() {
                let base = |local| self.base(local, self.buffer(local, number));
                let shape = |local: usize| shapes[local].clone();
                let PreparedCall { arguments, setup, .. } =
                    kernels.prepare((pass, page), k, &shape, &base)?;
                let run = Call::new(call.entry, arguments.clone());
                let run = Call { setup: setup.clone(), ..run };
                if call.is_inverse != is_inverse {
                    is_inverse = call.is_inverse;
                    commands.push(Command::SetInverse(is_inverse));
                }
                commands.push(Command::Run(run));
            }
            all.push(commands);
        }
        Ok(all)
    }

    /// Returns the pages of each pass, with the transfers between these arrays in system memory and their places.
    ///
    /// # Errors
    /// The channel cannot move a part as it lies in memory.
    pub(super) fn pages(
        &self,
        kernels: &Kernels<'_>,
        placed: &[PlacedSystemArray],
    ) -> Result<Vec<Vec<Page>>, KernelError> {
        let page = |commands: &Vec<Command>| Page {
            prepare: Vec::new(),
            load: Vec::new(),
            commands: commands.clone(),
            unload: Vec::new(),
        };
        let mut all: Vec<Page> = self.commands.iter().map(page).collect();
        for stay in &self.stays.all {
            let Some(array) = self.procedure.locals[stay.local].array else { continue };
            let base = self.base(stay.local, stay.turn % self.buffers[stay.local]);
            let base = base.ok_or(KernelError::Internal("an array has no place"))?;
            let place = self.place_of(stay);
            let moves = Moves::new(kernels.uses[stay.local].as_ref(), &placed[array], stay, &place);
            let base = WordAddress::from_index(base);
            if stay.is_loaded {
                // Nothing runs beside the loads of the first page of a pass.
                let is_first = self.stays.pages[stay.first].page == 0;
                let page = &mut all[stay.first];
                let place = if self.is_late(stay) && !is_first {
                    &mut page.prepare
                } else {
                    &mut page.load
                };
                place.extend(moves.gets(base)?);
            }
            if stay.is_stored {
                all[stay.last].unload.extend(moves.puts(base)?);
            }
        }
        let mut of_passes: Vec<Vec<Page>> = vec![Vec::new(); self.procedure.passes.len()];
        for (page, number) in all.into_iter().zip(&self.stays.pages) {
            of_passes[number.pass].push(page);
        }
        Ok(of_passes)
    }
}

/// Returns the words that the program's own data take, for all passes.
fn of_program(procedure: &PagedProcedure, image: &Image) -> Vec<PlacedRoom> {
    let last = procedure.passes.len().saturating_sub(1);
    let room =
        |words: Range<usize>| PlacedRoom { local: None, buffer: 0, words, passes: [0, last] };
    let chunks = image.data.iter().map(|c| c.start.index()..c.start.index() + c.words.len());
    chunks.map(room).collect()
}

/// Returns the place of the constants that calls need in local memory, if there are any.
fn of_constants(
    procedure: &PagedProcedure,
    kernels: &Kernels<'_>,
    core: &Core,
    placed: &[PlacedRoom],
) -> Result<Option<PlacedRoom>, KernelError> {
    let words = kernels.constants.len().next_multiple_of(2);
    if words == 0 {
        return Ok(None);
    }
    let passes = [0, procedure.passes.len().saturating_sub(1)];
    let room = Room { local: 0, buffer: 0, words, passes };
    let begin = free(placed, &room, 0..core.lmem_words()).ok_or_else(|| {
        let message =
            format!("local memory has no {words} words left for arguments in registers f");
        wrong("the arguments of the kernels", message)
    })?;
    let words = begin..begin + words;
    Ok(Some(PlacedRoom { local: None, buffer: 0, words, passes }))
}

/// Refuses parts that reach beyond an array without values there, or that have no elements.
fn check_ranges(procedure: &PagedProcedure) -> Result<(), KernelError> {
    for (pass, of_pass) in procedure.passes.iter().enumerate() {
        for (page, of_page) in of_pass.pages.iter().enumerate() {
            for (local, part) in &of_page.parts {
                let Some(array) = procedure.locals[*local].array else { continue };
                let of = &procedure.arrays[array];
                for (section, ranges) in part.boxes.iter().enumerate() {
                    let axes = ranges.iter().zip(&of.shape).enumerate();
                    for (axis, (range, &size)) in axes {
                        let Some(problem) = problem(range, size, of.edge.is_some()) else {
                            continue;
                        };
                        let of_section = match part.is_by_section() {
                            true => format!(", section {section}"),
                            false => String::new(),
                        };
                        let place = procedure.place(pass, page, *local);
                        let message = format!("axis {axis}{of_section}: {problem}");
                        return Err(wrong(place, message));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns what is wrong with the range of an axis of this size.
fn problem(range: &Range<i64>, size: usize, has_edge: bool) -> Option<String> {
    let Range { start, end } = range;
    if end <= start {
        return Some(format!("the range {start} : {end} has no element"));
    }
    if (*start < 0 || *end > size as i64) && !has_edge {
        return Some(format!(
            "the range {start} : {end} reaches beyond the array, which has 0 : {size}; `edge` of \
             the array gives values there"
        ));
    }
    let far = size as i64;
    if has_edge && (*start < -far || *end > 2 * far) {
        return Some(format!(
            "the range {start} : {end} reaches further beyond the array than the array is long, \
             which has 0 : {size}"
        ));
    }
    None
}

/// Returns the shapes of the local arrays at a page, as far as they are known before a kernel is asked.
fn shapes(
    procedure: &PagedProcedure,
    kernels: &mut Kernels<'_>,
    stays: &Occupancies,
    number: usize,
) -> Result<Vec<Option<Vec<usize>>>, KernelError> {
    let PageNumber { pass, page } = stays.pages[number];
    let mut shapes: Vec<Option<Vec<usize>>> = vec![None; procedure.locals.len()];
    for of_use in &stays.uses[pass] {
        let local = of_use.local;
        let of_page = &procedure.passes[pass].pages[page];
        let given = of_page.parts.iter().find(|(of, _)| *of == local);
        shapes[local] = match (given, procedure.locals[local].array) {
            (Some((_, part)), _) => Some(kernels.shape((pass, page), local, part)?),
            (None, Some(array)) => Some(procedure.arrays[array].shape.clone()),
            (None, None) if of_use.is_read_first => kernels.written[local].clone(),
            (None, None) => None,
        };
    }
    // A kernel tells the sizes of what it writes to the kernels behind it.
    for k in 0..procedure.passes[pass].calls.len() {
        let shape = |local: usize| shapes[local].clone();
        let prepared = kernels.prepare((pass, page), k, &shape, &|_| None)?;
        let found: Vec<_> =
            prepared.arrays.iter().map(|(of, placed)| (*of, placed.shape.clone())).collect();
        for (of, shape) in found {
            let (_, local) = procedure.passes[pass].calls[k].arrays[of];
            shapes[local].get_or_insert(shape);
        }
    }
    for (written, shape) in kernels.written.iter_mut().zip(&shapes) {
        if shape.is_some() {
            written.clone_from(shape);
        }
    }
    Ok(shapes)
}

/// Returns the most words that each local array takes in some page.
fn words(
    procedure: &PagedProcedure,
    kernels: &mut Kernels<'_>,
    stays: &Occupancies,
) -> Result<Vec<usize>, KernelError> {
    let mut words = vec![0; procedure.locals.len()];
    for (number, of) in stays.pages.iter().enumerate() {
        let shapes = shapes(procedure, kernels, stays, number)?;
        for of_use in &stays.uses[of.pass] {
            let local = of_use.local;
            let Some((element, layout)) = kernels.layout(local) else { continue };
            let count = shapes[local].iter().flatten().product();
            let Some(of_shape) = shapes[local].as_ref().map(|_| layout.words(element, count))
            else {
                let message = "its size is not known: no array that a kernel reads tells it; give the \
                               argument on which it depends";
                return Err(wrong(procedure.place(of.pass, of.page, local), message));
            };
            words[local] = words[local].max(of_shape.next_multiple_of(2));
        }
    }
    Ok(words)
}

/// Returns the number of buffers of each local array; `usual` is that of arrays of which nobody says it.
fn buffers(
    procedure: &PagedProcedure,
    kernels: &Kernels<'_>,
    stays: &Occupancies,
    usual: usize,
) -> Result<Vec<usize>, KernelError> {
    let one = |local: usize| {
        let Some(of_use) = &kernels.uses[local] else { return Ok(1) };
        let [pass, _] = of_use.passes;
        let pages = procedure.passes[pass].pages.len();
        let changes = stays.count(local) > 1 || stays.is_fresh[local] && pages > 1;
        let wanted = procedure.passes[pass].buffers;
        match of_use.fixed {
            Some(word) if !word.is_multiple_of(2) && procedure.locals[local].array.is_some() => {
                let message = format!(
                    "the kernel has it at word {word}, and the channel moves pairs of words that \
                     begin at even ones"
                );
                Err(wrong(procedure.place(pass, 0, local), message))
            }
            Some(word) => match wanted.filter(|n| *n > 1 && stays.count(local) > 1) {
                Some(wanted) => {
                    let message = format!(
                        "the kernel has it at word {word}, so it cannot have {wanted} buffers; \
                         declare it with `at=` a register, or give `buffers = 1`"
                    );
                    Err(wrong(procedure.place(pass, 0, local), message))
                }
                None => Ok(1),
            },
            None if changes => Ok(wanted.unwrap_or(usual)),
            None => Ok(1),
        }
    };
    (0..procedure.locals.len()).map(one).collect()
}

/// Returns the rooms of all buffers.
fn rooms(kernels: &Kernels<'_>, buffers: &[usize], words: &[usize]) -> Vec<Room> {
    let mut rooms = Vec::new();
    for (local, of_use) in kernels.uses.iter().enumerate() {
        let Some(of_use) = of_use else { continue };
        let (words, passes) = (words[local], of_use.passes);
        rooms.extend((0..buffers[local]).map(|buffer| Room { local, buffer, words, passes }));
    }
    rooms
}
