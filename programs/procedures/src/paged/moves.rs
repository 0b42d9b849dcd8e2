//! The transfers of the part of an array that a page has: from the layout that the kernel declares, and from where the
//! elements lie in system memory, to beats and descriptors.

use super::kernels::LocalUse;
use super::occupancy::Occupancy;
use super::stream::{BEAT, BeatStream, MemoryLoop, NoBeats, WORD};
use super::system::PlacedSystemArray;
use super::transfers::{BeatSpread, NoPut, cut_off, get_first_word, gets, put_shares, puts};
use super::{ArrayPart, wrong};
use cp2_asm::interface::Spread;
use cp2_emu::dma::Descriptor;
use cp2_isa::{SECTIONS, WordAddress};
use cp2_session::error::KernelError;
use cp2_session::npy::shape_text;
use std::ops::Range;

/// The transfers of a part.
pub(super) struct Moves<'a> {
    /// The array as kernels declare it.
    of_use: Option<&'a LocalUse>,
    placed: &'a PlacedSystemArray,
    /// The part, as boxes for the sections where it has their axis.
    part: ArrayPart,
    /// Words that tell the page and the array.
    place: &'a str,
}

impl<'a> Moves<'a> {
    pub(super) fn new(
        of_use: Option<&'a LocalUse>,
        placed: &'a PlacedSystemArray,
        stay: &Occupancy,
        place: &'a str,
    ) -> Self {
        let part = match of_use.map(|of| of.layout.spread) {
            Some(Spread::Blocks) => stay.part.by_sections(),
            _ => stay.part.clone(),
        };
        Self { of_use, placed, part, place }
    }

    /// Returns the beats of a box, which one section gets or which the layout deals to them. Where all of it is contiguous,
    /// the last beat may be one in part.
    fn share(&self, ranges: &[Range<i64>]) -> Result<Share, KernelError> {
        let base = self.placed.address(ranges.iter().map(|range| range.start));
        let steps = ranges.iter().zip(&self.placed.steps);
        let axes = steps.map(|(range, &step)| {
            let count = (range.end - range.start) as u32;
            MemoryLoop { count, step }
        });
        let loops: Vec<MemoryLoop> = axes.collect();
        let bytes = loops.iter().map(|of| i64::from(of.count)).product::<i64>() * self.placed.unit;
        let stream = |unit| BeatStream::new(unit, base, loops.iter().copied(), self.placed.unit);
        match stream(BEAT) {
            Ok(beats) if self.has_whole_beats(&beats) => Ok(Share { stream: beats, tail: 0 }),
            Err(NoBeats::Run(run))
                if run == bytes && base.0.is_multiple_of(BEAT as u64) && self.has_tails() =>
            {
                let run = (bytes / BEAT + 1) as u32;
                let stream = BeatStream { unit: BEAT, base, loops: Vec::new(), run };
                Ok(Share { stream, tail: bytes % BEAT })
            }
            beats if self.placed.by_words => {
                let words = stream(WORD).or(beats);
                Ok(Share { stream: words.map_err(|e| self.no_beats(e))?, tail: 0 })
            }
            beats => Ok(Share { stream: beats.map_err(|e| self.no_beats(e))?, tail: 0 }),
        }
    }

    /// Whether the last beat of a contiguous box may be one in part: no section begins behind it. Where the channel moves
    /// beats alone, what then cannot be moved is told later.
    fn has_tails(&self) -> bool {
        let is_dealt = self
            .of_use
            .is_some_and(|of| matches!(of.layout.spread, Spread::Blocks | Spread::Interleaved(_)));
        match self.part.is_by_section() {
            _ if !self.placed.by_words => true,
            true => self.behind().is_none_or(|step| step % BEAT == 0),
            false => !is_dealt,
        }
    }

    /// Whether a box moves to the sections by whole beats: those of the other sections begin at beats, or each section takes
    /// whole beats of it in turn.
    fn has_whole_beats(&self, stream: &BeatStream) -> bool {
        if self.part.is_by_section() {
            return self.behind().is_none_or(|step| step % BEAT == 0);
        }
        self.turn(stream).is_some()
    }

    /// Returns how many beats or words of a stream each section takes in turn, all of them where the layout does not deal
    /// them; `None` if the sections do not take equally many whole ones.
    fn turn(&self, stream: &BeatStream) -> Option<u32> {
        let (units, sections) = (stream.units(), SECTIONS as u32);
        let turn = match self.of_use.map_or(Spread::All, |of| of.layout.spread) {
            Spread::All | Spread::Section(_) => return Some(units),
            Spread::Blocks if units.is_multiple_of(sections) => units / sections,
            Spread::Interleaved(chunk) => {
                let bytes = chunk.get() as i64 * self.placed.unit;
                (bytes % stream.unit == 0).then_some((bytes / stream.unit) as u32)?
            }
            Spread::Blocks => return None,
        };
        (turn > 0 && units.is_multiple_of(turn * sections)).then_some(turn)
    }

    /// Whether the word behind an array of an odd number of words may be another one's, since the program fixes where
    /// arrays are.
    fn is_fixed(&self) -> bool {
        self.of_use.is_some_and(|of| of.fixed.is_some())
    }

    fn wrong(&self, message: String) -> KernelError {
        wrong(self.place, message)
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
             a multiple of {multiple} elements and to have a multiple of {multiple}, in each section, \
             but for a machine with --enable dma-words"
        ))
    }

    /// Returns the bytes from the box of a section to that of the next; `None` if they are not the same for all.
    fn behind(&self) -> Option<i64> {
        let boxes = self.part.boxes.iter();
        let begins = boxes.map(|ranges| self.placed.address(ranges.iter().map(|r| r.start)));
        let begins: Vec<i64> = begins.map(|address| address.0 as i64).collect();
        let step = begins[1] - begins[0];
        begins.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
    }

    /// Returns how the beats of a stream are dealt to the sections by the layout that the kernel declares.
    fn spread(&self, share: &Share) -> Result<BeatSpread, KernelError> {
        let spread = self.of_use.map_or(Spread::All, |of| of.layout.spread);
        let per_beat = BEAT / self.placed.unit;
        if self.part.is_by_section() {
            return Ok(BeatSpread::Dealt(share.stream.units()));
        }
        match spread {
            Spread::All => return Ok(BeatSpread::All),
            Spread::Section(section) => return Ok(BeatSpread::Section(section.into())),
            Spread::Blocks | Spread::Interleaved(_) => {}
        }
        let turn = self.turn(&share.stream).filter(|_| share.tail == 0);
        turn.map(BeatSpread::Dealt).ok_or_else(|| {
            self.wrong(format!(
                "the layout {spread} does not give each section equally many whole beats, which are \
                 {per_beat} elements, of shape {}",
                shape_text(&self.part.sizes().collect::<Vec<_>>())
            ))
        })
    }

    /// Returns the transfers that load the part.
    pub(super) fn gets(&self, base: WordAddress) -> Result<Vec<Descriptor>, KernelError> {
        let boxes = &self.part.boxes;
        if !self.part.is_by_section() {
            let share = self.share(&boxes[0])?;
            let spread = self.spread(&share)?;
            return self.loaded(&share, None, spread, base);
        }
        if let Some(behind) = self.behind() {
            let share = self.share(&boxes[0])?;
            let spread = BeatSpread::Dealt(share.stream.units());
            return self.loaded(&share, Some(behind), spread, base);
        }
        let mut all = Vec::new();
        for (section, ranges) in boxes.iter().enumerate() {
            let share = self.share(ranges)?;
            all.extend(self.loaded(&share, None, BeatSpread::Section(section), base)?);
        }
        Ok(all)
    }

    /// Returns the transfers that load a share, or with `behind` one for each section, so many bytes from one to the next.
    fn loaded(
        &self,
        share: &Share,
        behind: Option<i64>,
        spread: BeatSpread,
        base: WordAddress,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let of_all = |stream: &BeatStream| match behind {
            Some(step) => stream.repeated(SECTIONS as u32, step).map_err(|e| self.no_beats(e)),
            None => Ok(stream.clone()),
        };
        let dealt = |stream: &BeatStream| match spread {
            BeatSpread::Dealt(_) if behind.is_some() => BeatSpread::Dealt(stream.units()),
            other => other,
        };
        let is_one_word = share.tail > 0 && share.tail <= BEAT / 2;
        if !is_one_word || !self.is_fixed() {
            return Ok(gets(&of_all(&share.stream)?, spread, base));
        }
        let (main, last) = share.stream.split_last();
        let mut all = Vec::new();
        if let Some(main) = main {
            all = gets(&of_all(&main)?, dealt(&main), base);
        }
        let to = base.plus(2 * (share.stream.run as u16 - 1));
        let word = get_first_word(&of_all(&last)?, dealt(&last), to);
        all.push(word.ok_or(KernelError::Internal("a beat has no walk"))?);
        Ok(all)
    }

    /// Returns the transfers that store the part.
    pub(super) fn puts(&self, base: WordAddress) -> Result<Vec<Descriptor>, KernelError> {
        let share = self.share(&self.part.boxes[0])?;
        let behind = match self.part.is_by_section() {
            true => Some(self.behind().ok_or_else(|| self.no_put(NoPut::Parts))?),
            false => None,
        };
        let spread = self.spread(&share)?;
        let put = |stream: &BeatStream, at: WordAddress| match behind {
            Some(step) => {
                let mut all = Vec::new();
                let sections = [MemoryLoop { count: SECTIONS as u32, step }];
                put_shares(stream, &sections, at, &mut all).map(|()| all)
            }
            None => puts(stream, spread, at),
        };
        if share.tail == 0 {
            return put(&share.stream, base).map_err(|why| self.no_put(why));
        }
        let (main, last) = share.stream.split_last();
        let mut all = Vec::new();
        if let Some(main) = main {
            all = put(&main, base).map_err(|why| self.no_put(why))?;
        }
        let at = base.plus(2 * (share.stream.run as u16 - 1));
        let last = put(&last, at).map_err(|why| self.no_put(why))?;
        all.extend(cut_off(last, share.tail));
        Ok(all)
    }

    /// Returns the error of a part that the channel cannot store.
    fn no_put(&self, why: NoPut) -> KernelError {
        let why = match why {
            NoPut::Section(section) => format!(
                "it lies in section {section} alone, and the channel stores from section 0 on"
            ),
            NoPut::Parts => {
                "the parts of the sections do not lie at equal distances of whole beats \
                             in the array, or do not begin at its rows"
                    .to_owned()
            }
            NoPut::Turns(beats) => format!(
                "the sections take turns of {beats} beats, and the rows of the part are no whole \
                 rounds of them"
            ),
            NoPut::Far(bytes) => format!(
                "the parts of the sections are {bytes} bytes apart, and the channel steps less than \
                 8 MiB"
            ),
        };
        self.wrong(format!("the channel cannot store it: {why}"))
    }
}

/// The beats of a box.
struct Share {
    stream: BeatStream,
    /// Bytes of the last beat that are of the box; 0 if all are. Otherwise the stream has no loops.
    tail: i64,
}
