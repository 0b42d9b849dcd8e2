//! The pages of a procedure, made of its parts: places in local memory, transfers, calls.

use super::kernels::{Kernels, PreparedCall};
use super::occupancy::{Occupancies, Occupancy, PageNumber};
use super::places::{PlacedRoom, Room, place};
use super::stream::{BEAT, BeatStream, MemoryLoop, NoBeats};
use super::system::PlacedSystemArray;
use super::transfers::{BeatSpread, NoPut, gets, put_shares, puts};
use super::{PagePart, PagedProcedure, order, wrong};
use crate::host::Call;
use crate::host::pages::{Command, Page};
use cp2_asm::image::Image;
use cp2_asm::interface::Spread;
use cp2_emu::dma::Descriptor;
use cp2_isa::{Core, SECTIONS, WordAddress};
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
            let placed = place(procedure, core, &kernels.uses, of_program(procedure, image), &rooms);
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
                let PreparedCall { arguments, .. } =
                    kernels.prepare((pass, page), k, &shape, &base)?;
                if call.is_inverse != is_inverse {
                    is_inverse = call.is_inverse;
                    commands.push(Command::SetInverse(is_inverse));
                }
                let (entry, arguments) = (call.entry, arguments.clone());
                commands.push(Command::Run(Call { entry, arguments, least_cycles: 0 }));
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
            let moves = Moves { plan: self, kernels, placed: &placed[array], stay };
            let base = WordAddress::from_index(base);
            if stay.is_loaded {
                let page = &mut all[stay.first];
                let place = if self.is_late(stay) && stay.first > 0 {
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
    let room = |words: Range<usize>| PlacedRoom { local: None, buffer: 0, words, passes: [0, last] };
    let chunks = image.data.iter().map(|c| c.start.index()..c.start.index() + c.words.len());
    chunks.map(room).collect()
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
                        let Some(problem) = problem(range, size, of.edge.is_some()) else { continue };
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
            (None, None) => None,
        };
    }
    // A kernel tells the sizes of what it writes to the kernels behind it.
    for k in 0..procedure.passes[pass].calls.len() {
        let shape = |local: usize| shapes[local].clone();
        let prepared = kernels.prepare((pass, page), k, &shape, &|_| None)?;
        let found: Vec<_> =
            prepared.arrays.iter().map(|(local, placed)| (*local, placed.shape.clone())).collect();
        for (local, shape) in found {
            shapes[local].get_or_insert(shape);
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
            let Some(of_shape) = shapes[local].as_ref().map(|_| layout.words(element, count)) else {
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

/// The transfers of a part.
struct Moves<'a> {
    plan: &'a Plan<'a>,
    kernels: &'a Kernels<'a>,
    placed: &'a PlacedSystemArray,
    stay: &'a Occupancy,
}

impl Moves<'_> {
    /// Returns the beats of a box; with `behind` there are as many boxes as sections, so many bytes from one to the next.
    fn stream(&self, ranges: &[Range<i64>], behind: Option<i64>) -> Result<BeatStream, KernelError> {
        let base = self.placed.address(ranges.iter().map(|range| range.start));
        let steps = ranges.iter().zip(&self.placed.steps);
        let axes = steps.map(|(range, &step)| {
            let count = (range.end - range.start) as u32;
            MemoryLoop { count, step }
        });
        let sections = behind.map(|step| MemoryLoop { count: SECTIONS as u32, step });
        let loops: Vec<MemoryLoop> = sections.into_iter().chain(axes).collect();
        let stream = BeatStream::new(base, loops.into_iter(), self.placed.unit);
        stream.or_else(|e| self.filled_up(ranges, e))
    }

    /// Returns the beats of a whole array in one section or in all, the last of which may be filled up.
    fn filled_up(&self, ranges: &[Range<i64>], e: NoBeats) -> Result<BeatStream, KernelError> {
        let PagedProcedure { locals, arrays, .. } = self.plan.procedure;
        let array = locals[self.stay.local].array.map(|array| &arrays[array]);
        let is_whole = array.is_some_and(|array| self.stay.part == PagePart::whole(&array.shape));
        let of_use = self.kernels.uses[self.stay.local].as_ref();
        let is_one = matches!(
            of_use.map(|of| of.layout.spread),
            Some(Spread::All | Spread::Section(_))
        );
        let base = self.placed.address(ranges.iter().map(|range| range.start));
        if let (NoBeats::Run(bytes), true, true) = (e, is_whole, is_one) {
            let bytes = (bytes + BEAT - 1) / BEAT * BEAT;
            if let Ok(stream) = BeatStream::new(base, std::iter::empty(), bytes) {
                return Ok(stream);
            }
        }
        Err(self.no_beats(e))
    }

    fn wrong(&self, message: String) -> KernelError {
        let PageNumber { pass, page } = self.plan.stays.pages[self.stay.first];
        wrong(self.plan.procedure.place(pass, page, self.stay.local), message)
    }

    fn no_beats(&self, e: NoBeats) -> KernelError {
        let multiple = BEAT / self.placed.unit;
        let why = match e {
            NoBeats::Run(bytes) => format!("contiguous elements take {bytes} bytes"),
            NoBeats::Begin(bytes) => {
                format!("some elements begin {bytes} bytes behind the begin of a beat")
            }
        };
        self.wrong(format!(
            "{why}, and the channel moves beats of {BEAT} bytes: what is contiguous has to begin at \
             a multiple of {multiple} elements and to have a multiple of {multiple}, in each section"
        ))
    }

    /// Returns the bytes from the box of a section to that of the next; `None` if they are not the same for all.
    fn behind(&self) -> Option<i64> {
        let boxes = self.stay.part.boxes.iter();
        let begins = boxes.map(|ranges| self.placed.address(ranges.iter().map(|r| r.start)));
        let begins: Vec<i64> = begins.map(|address| address.0 as i64).collect();
        let step = begins[1] - begins[0];
        begins.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
    }

    /// Returns how the beats of a stream are dealt to the sections by the layout that the kernel declares.
    fn spread(&self, beats: u32) -> Result<BeatSpread, KernelError> {
        let of_use = self.kernels.uses[self.stay.local].as_ref();
        let spread = of_use.map_or(Spread::All, |of| of.layout.spread);
        let per_beat = BEAT / self.placed.unit;
        let share = match spread {
            Spread::All => return Ok(BeatSpread::All),
            Spread::Section(section) => return Ok(BeatSpread::Section(section.into())),
            Spread::Blocks if beats.is_multiple_of(SECTIONS as u32) => beats / SECTIONS as u32,
            Spread::Interleaved(chunk) if (chunk.get() as i64) % per_beat == 0 => {
                (chunk.get() as i64 / per_beat) as u32
            }
            Spread::Blocks | Spread::Interleaved(_) => 0,
        };
        if share == 0 || !beats.is_multiple_of(share * SECTIONS as u32) {
            return Err(self.wrong(format!(
                "with the layout {spread} the {} elements do not give each section as many whole \
                 beats, which are {per_beat} elements",
                i64::from(beats) * per_beat
            )));
        }
        Ok(BeatSpread::Dealt(share))
    }

    /// Returns the transfers that load the part.
    fn gets(&self, base: WordAddress) -> Result<Vec<Descriptor>, KernelError> {
        let boxes = &self.stay.part.boxes;
        if !self.stay.part.is_by_section() {
            let stream = self.stream(&boxes[0], None)?;
            return Ok(gets(&stream, self.spread(stream.beats())?, base));
        }
        if let Some(behind) = self.behind() {
            let stream = self.stream(&boxes[0], Some(behind))?;
            let share = stream.beats() / SECTIONS as u32;
            return Ok(gets(&stream, BeatSpread::Dealt(share), base));
        }
        let mut all = Vec::new();
        for (section, ranges) in boxes.iter().enumerate() {
            let stream = self.stream(ranges, None)?;
            all.extend(gets(&stream, BeatSpread::Section(section), base));
        }
        Ok(all)
    }

    /// Returns the transfers that store the part.
    fn puts(&self, base: WordAddress) -> Result<Vec<Descriptor>, KernelError> {
        let boxes = &self.stay.part.boxes;
        let made = if self.stay.part.is_by_section() {
            let first = self.stream(&boxes[0], None)?;
            let mut all = Vec::new();
            let behind = self.behind().ok_or(NoPut::Parts);
            behind.and_then(|step| put_shares(&first, step, base, &mut all)).map(|()| all)
        } else {
            let stream = self.stream(&boxes[0], None)?;
            puts(&stream, self.spread(stream.beats())?, base)
        };
        made.map_err(|why| {
            let why = match why {
                NoPut::Section(section) => format!(
                    "it lies in section {section} alone, and the channel stores from section 0 on"
                ),
                NoPut::Parts => "the parts of the sections do not lie at equal distances in the \
                                 array, or do not begin at its rows"
                    .to_owned(),
                NoPut::Turns(beats) => format!(
                    "the sections take turns of {beats} beats, and the rows of the part are no \
                     whole rounds of them"
                ),
                NoPut::Far(bytes) => format!(
                    "the parts of the sections are {bytes} bytes apart, and the channel steps less \
                     than 8 MiB"
                ),
            };
            self.wrong(format!("the channel cannot store it: {why}"))
        })
    }
}
