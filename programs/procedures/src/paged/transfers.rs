//! Transfers of the channel that bring a stream of beats to local memory, or fetch it, with as few descriptors as the
//! walks of the channel allow.

use super::stream::{BeatStream, MemoryLoop, WORD};
use crate::host::walks::BURST_BEATS;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Get, GetWords, LocalStride, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, PutWords, Stride,
};
use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};

/// The distribution of the beats of a stream over the sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeatSpread {
    /// Every section gets all beats.
    All,
    /// All beats go to this section alone.
    Section(usize),
    /// Beats go to each section in turn, this many at once; with a quarter of all beats each gets a contiguous share.
    Dealt(u32),
}

/// Most beats of a burst that a descriptor has.
const MOST_BURST: u32 = 63;
/// Shortest burst for which a longer run is cut into equal ones; a run that allows only shorter ones is moved by two
/// descriptors.
const LEAST_BURST: u32 = 8;
/// Sections as a count of beats.
const ALL: u32 = SECTIONS as u32;
/// Most beats that a section gives in turn ([`Descriptor::put`]).
const MOST_FLOW: u32 = 4;
/// Bytes below which steps of a walk stay: 22 bits with a sign, in units of 4 bytes.
const MOST_STEP: i64 = 1 << 23;
/// Counts of a walk stay below this: 20 bits.
const MOST_COUNT: u32 = 1 << 20;

/// Returns the walk through memory over a stream, if one walk does it.
fn walk(stream: &BeatStream) -> Option<MemoryWalk> {
    let &BeatStream { unit, base, ref loops, run } = stream;
    let fits = |of: &MemoryLoop| of.step.abs() < MOST_STEP && of.count < MOST_COUNT;
    if !loops.iter().all(fits) {
        return None;
    }
    let stride = |of: Option<&MemoryLoop>| match of {
        Some(&MemoryLoop { count, step }) => Stride { step: step as i32, count },
        None => Stride { step: 0, count: 1 },
    };
    let whole = |burst: u32| {
        let mut inner = loops.iter().rev();
        let (x, y) = (stride(inner.next()), stride(inner.next()));
        Some(MemoryWalk { base, index: None, burst: burst as u8, x, y })
    };
    let in_bursts = |burst: u32| {
        let x = Stride { step: (i64::from(burst) * unit) as i32, count: run / burst };
        Some(MemoryWalk { base, index: None, burst: burst as u8, x, y: stride(loops.first()) })
    };
    let longest = (1..=run.min(BURST_BEATS as u32)).rev().find(|b| run.is_multiple_of(*b));
    let longest = longest.filter(|b| *b >= LEAST_BURST && run / b < MOST_COUNT);
    match (loops.len(), longest) {
        (..=2, _) if run <= BURST_BEATS as u32 => whole(run),
        (..=1, Some(burst)) => in_bursts(burst),
        (..=2, _) if run <= MOST_BURST => whole(run),
        _ => None,
    }
}

/// Returns the beats behind which a run is cut that is too long for one walk.
fn cut(run: u32) -> u32 {
    match run / BURST_BEATS as u32 * BURST_BEATS as u32 {
        most if most < run && most > 0 => most,
        _ => (run / 2).max(1),
    }
}

/// Returns a place in local memory, so many beats or words of a stream behind `base`. Transfers of words number the halves
/// of words of local memory.
fn place(unit: i64, base: WordAddress, behind: u32) -> WordAddress {
    let of_one = if unit == WORD { 1 } else { 2 };
    base.plus((of_one * behind) as u16)
}

/// Returns word `base` of local memory as transfers of a stream number it.
fn numbered(unit: i64, base: WordAddress) -> WordAddress {
    if unit == WORD { WordAddress::from_index(2 * base.index()) } else { base }
}

/// Returns the local walk over so many consecutive beats or words.
fn linear(unit: i64, base: WordAddress, count: u32) -> LocalWalk {
    let walk = LocalWalk::linear(base, count as u16);
    let x = LocalStride { step: 1, ..walk.x };
    if unit == WORD { LocalWalk { x, ..walk } } else { walk }
}

/// Returns the patterns of sections for a number of beats or words in turn.
fn dealt(unit: i64, share: u32) -> [Pattern; SECTIONS] {
    if unit == WORD { Pattern::dealt_words(share as u16) } else { Pattern::dealt(share as u16) }
}

/// Returns the patterns with which a section alone takes all.
fn only(unit: i64, section: usize) -> [Pattern; SECTIONS] {
    if unit == WORD { Pattern::only_words(section) } else { Pattern::only(section) }
}

/// Returns the transfer to local memory by beats or words.
fn get_by(
    unit: i64,
    memory: MemoryWalk,
    local: LocalWalk,
    sections: [Pattern; SECTIONS],
) -> Descriptor {
    let next = NextDescriptor::By(1);
    match unit {
        WORD => {
            let get = GetWords { memory, local, sections, next };
            Descriptor::new(DescriptorAction::GetWords(get))
        }
        _ => Descriptor::get(memory, local, sections),
    }
}

/// Returns the transfer to memory by beats or words.
fn put_by(unit: i64, memory: MemoryWalk, local: LocalWalk, flow: u8) -> Descriptor {
    let next = NextDescriptor::By(1);
    match unit {
        WORD => Descriptor::new(DescriptorAction::PutWords(PutWords { memory, local, flow, next })),
        _ => Descriptor::put(memory, local, flow),
    }
}

/// Returns the transfers that bring a stream to the sections, from word `base` of local memory on, contiguously in each.
pub(super) fn gets(stream: &BeatStream, spread: BeatSpread, base: WordAddress) -> Vec<Descriptor> {
    let base = numbered(stream.unit, base);
    let mut all = Vec::new();
    match spread {
        BeatSpread::Dealt(share) if is_strided(stream, share) => {
            for section in 0..ALL {
                let of_section = share_of(stream, share, section);
                get(&of_section, BeatSpread::Section(section as usize), (base, 0), &mut all);
            }
        }
        _ => get(stream, spread, (base, 0), &mut all),
    }
    all
}

/// Returns the transfer that brings the first word of a beat to word `to` of local memory, and leaves the word behind it as it
/// is. The stream has one beat for each section, or one for those that `spread` names.
pub(super) fn get_first_word(
    stream: &BeatStream,
    spread: BeatSpread,
    to: WordAddress,
) -> Option<Descriptor> {
    // Numbers are those of words: a section takes the first of a beat.
    let first = |beat: u16| Pattern { base: 2 * beat, inner: 1, run: 1, outer: 2 * ALL as u16 };
    let sections = match spread {
        BeatSpread::All => [first(0); SECTIONS],
        BeatSpread::Section(section) => {
            std::array::from_fn(|s| if s == section { first(0) } else { NO_WORD })
        }
        BeatSpread::Dealt(_) => std::array::from_fn(|s| first(s as u16)),
    };
    let stride = |step, count| LocalStride { step, count, reversed: false };
    let local = LocalWalk { base: to, index: None, x: stride(1, 2), y: stride(0, 1) };
    let (memory, next) = (walk(stream)?, NextDescriptor::By(1));
    let get = Get { memory, local, single_words: true, sections, next };
    Some(Descriptor::new(DescriptorAction::Get(get)))
}

/// Pattern of a section that takes none of a few words.
const NO_WORD: Pattern = Pattern { base: 0xfff0, inner: 1, run: 1, outer: 0x8000 };

/// Returns transfers to memory that write only the first `bytes` bytes of each beat.
pub(super) fn cut_off(puts: Vec<Descriptor>, bytes: i64) -> Vec<Descriptor> {
    let mask = (0xf << (bytes / 4)) & 0xf;
    let cut = |mut descriptor: Descriptor| {
        if let DescriptorAction::Put(put) = &mut descriptor.action {
            (put.mask, put.row_end_mask) = (mask, mask);
        }
        descriptor
    };
    puts.into_iter().map(cut).collect()
}

/// Whether shares of several beats go around the sections more than once, for which the channel has no local walk, and
/// the stream is contiguous, so that a walk with gaps brings the shares of each section.
fn is_strided(stream: &BeatStream, share: u32) -> bool {
    share > 1 && stream.loops.is_empty() && stream.run > ALL * share
}

/// Returns the part of a contiguous stream that a section gets if it is dealt out in shares.
fn share_of(stream: &BeatStream, share: u32, section: u32) -> BeatStream {
    let unit = stream.unit;
    let base = MemoryAddress(stream.base.0 + (i64::from(section * share) * unit) as u64);
    let first = BeatStream { unit, base, loops: Vec::new(), run: share };
    let step = i64::from(ALL * share) * unit;
    // Such a step is always one of whole beats or words.
    first.repeated(stream.run / (ALL * share), step).unwrap_or(first)
}

/// Adds the transfers of a stream that lies `offset` beats behind the begin of the whole.
fn get(
    stream: &BeatStream,
    spread: BeatSpread,
    (base, offset): (WordAddress, u32),
    all: &mut Vec<Descriptor>,
) {
    let one = walk(stream).zip(pattern(stream, spread, (base, offset)));
    if let Some((memory, (sections, local))) = one {
        all.push(get_by(stream.unit, memory, local, sections));
        return;
    }
    let behind = match spread {
        // A run goes on to the next section behind a share.
        BeatSpread::Dealt(share) if offset % share + stream.run > share => share - offset % share,
        _ => cut(stream.run),
    };
    let mut offset = offset;
    for piece in stream.pieces(behind) {
        get(&piece, spread, (base, offset), all);
        offset += piece.units();
    }
}

/// Returns the patterns and the local walk that take a stream which lies `offset` beats or words behind the begin of the
/// whole, if one walk does it.
fn pattern(
    stream: &BeatStream,
    spread: BeatSpread,
    (base, offset): (WordAddress, u32),
) -> Option<([Pattern; SECTIONS], LocalWalk)> {
    let (unit, beats) = (stream.unit, stream.units());
    let linear = |behind: u32, count: u32| linear(unit, place(unit, base, behind), count);
    let share = match spread {
        BeatSpread::All => {
            let every = if unit == WORD { Pattern::ALL_WORDS } else { Pattern::ALL };
            return Some(([every; SECTIONS], linear(offset, beats)));
        }
        BeatSpread::Section(s) => return Some((only(unit, s), linear(offset, beats))),
        BeatSpread::Dealt(share) => share,
    };
    let round = ALL * share;
    let (rounds, within) = (offset / round, offset % round);
    let (section, of_share) = ((within / share) as usize, within % share);
    if of_share + beats <= share {
        return Some((only(unit, section), linear(rounds * share + of_share, beats)));
    }
    if within == 0 && beats == round {
        return Some((dealt(unit, share), linear(rounds * share, share)));
    }
    if within == 0 && beats.is_multiple_of(round) && share == 1 {
        let local = LocalWalk::interleaved(place(unit, base, rounds), (beats / round) as u16);
        let y = LocalStride { step: if unit == WORD { 1 } else { 2 }, ..local.y };
        return Some((dealt(unit, 1), LocalWalk { y, ..local }));
    }
    if of_share == 0 && beats.is_multiple_of(share) && within + beats <= round {
        // Some sections, each with a whole share.
        let dealt = dealt(unit, share);
        let last = section + (beats / share) as usize;
        let sections = std::array::from_fn(|s| match s.checked_sub(section) {
            Some(turn) if s < last => dealt[turn],
            _ => Pattern::NONE,
        });
        return Some((sections, linear(rounds * share, share)));
    }
    None
}

/// The reason why the channel cannot store a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPut {
    /// The stream comes from this section alone; a transfer begins with section 0.
    Section(usize),
    /// The parts of the sections do not begin at equal distances within the array.
    Parts,
    /// Sections take turns with so many beats, more than a transfer can.
    Turns(u32),
    /// The parts of the sections are so many bytes apart.
    Far(i64),
}

/// Returns the transfers that store a stream whose beats lie in the sections from word `base` of local memory on.
///
/// # Errors
/// The channel has no transfers for it.
pub(super) fn puts(
    stream: &BeatStream,
    spread: BeatSpread,
    base: WordAddress,
) -> Result<Vec<Descriptor>, NoPut> {
    let base = numbered(stream.unit, base);
    let mut all = Vec::new();
    match spread {
        BeatSpread::All | BeatSpread::Section(0) => put_first(stream, base, &mut all),
        BeatSpread::Section(section) => return Err(NoPut::Section(section)),
        BeatSpread::Dealt(share) if share * ALL == stream.units() => {
            let (first, sections) = stream.quarters().ok_or(NoPut::Parts)?;
            put_numbered(&first, &sections, base, &mut all)?;
        }
        BeatSpread::Dealt(share) => put_turns(stream, share, base, &mut all)?,
    }
    Ok(all)
}

/// Adds the transfers that store a stream of which section 0 has all beats.
fn put_first(stream: &BeatStream, base: WordAddress, all: &mut Vec<Descriptor>) {
    if let Some(memory) = walk(stream) {
        let local = linear(stream.unit, base, stream.units());
        all.push(put_by(stream.unit, memory, local, 0));
        return;
    }
    let mut base = base;
    for piece in stream.pieces(cut(stream.run)) {
        put_first(&piece, base, all);
        base = place(piece.unit, base, piece.units());
    }
}

/// Adds the transfers that store the shares of all sections: `first` is that of section 0, and the loops `sections` come to
/// the begins of all four. The shares begin at word `base` of local memory.
pub(super) fn put_shares(
    first: &BeatStream,
    sections: &[MemoryLoop],
    base: WordAddress,
    all: &mut Vec<Descriptor>,
) -> Result<(), NoPut> {
    put_numbered(first, sections, numbered(first.unit, base), all)
}

/// Adds the transfers of [`put_shares`]; `base` is numbered as they number it.
fn put_numbered(
    first: &BeatStream,
    sections: &[MemoryLoop],
    base: WordAddress,
    all: &mut Vec<Descriptor>,
) -> Result<(), NoPut> {
    let mut whole = first.clone();
    for of in sections.iter().rev() {
        if of.step.abs() >= MOST_STEP {
            return Err(NoPut::Far(of.step));
        }
        whole = whole.repeated(of.count, of.step).map_err(|_| NoPut::Parts)?;
    }
    if let Some(memory) = walk(&whole) {
        let local = linear(first.unit, base, first.units());
        all.push(put_by(first.unit, memory, local, 0));
        return Ok(());
    }
    let mut base = base;
    for piece in first.pieces(cut(first.run)) {
        put_numbered(&piece, sections, base, all)?;
        base = place(piece.unit, base, piece.units());
    }
    Ok(())
}

/// Adds the transfers that store a stream for which the sections take turns of `share` beats.
fn put_turns(
    stream: &BeatStream,
    share: u32,
    base: WordAddress,
    all: &mut Vec<Descriptor>,
) -> Result<(), NoPut> {
    let (beats, round) = (stream.units(), ALL * share);
    if !beats.is_multiple_of(round) {
        return Err(NoPut::Turns(share));
    }
    if beats == round {
        let (first, sections) = stream.quarters().ok_or(NoPut::Parts)?;
        return put_numbered(&first, &sections, base, all);
    }
    if share <= MOST_FLOW
        && let Some(memory) = walk(stream)
    {
        let local = linear(stream.unit, base, beats / ALL);
        all.push(put_by(stream.unit, memory, local, share as u8));
        return Ok(());
    }
    let behind = match cut(stream.run) / round * round {
        0 => round.min(stream.run),
        whole => whole,
    };
    if stream.loops.is_empty() && behind == stream.run {
        return Err(NoPut::Turns(share));
    }
    let mut base = base;
    for piece in stream.pieces(behind) {
        put_turns(&piece, share, base, all)?;
        base = place(piece.unit, base, piece.units() / ALL);
    }
    Ok(())
}
