//! The operands of a value: the locations that the operation or the beat read that gave it.

use crate::history::{Issued, Reader, ValueSource};
use crate::location::Location;
use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_isa::{
    Arith, Cycle, Exch, Halves, MoveReg, Resource, Section, SectionMask, Slot, Unit, WordAddress,
    control,
};

/// A location and its reader.
type Read = (Location, Reader);

/// Returns the locations of which a value was made; with `addresses` the registers of its address too.
pub(super) fn of(source: &ValueSource, location: Location, addresses: bool) -> Vec<Read> {
    match source {
        ValueSource::Operation(issued) => {
            let reader = Reader { cycle: issued.cycle, unit: issued.unit() };
            let with_reader = |location| (location, reader);
            let mut all: Vec<Read> =
                of_operation(issued, location).into_iter().map(with_reader).collect();
            if addresses && !matches!(location, Location::Register(Resource::A(_), _)) {
                all.extend(of_address(issued).into_iter().map(with_reader));
            }
            all
        }
        ValueSource::Beat(beat, _) => of_beat(beat, location).into_iter().collect(),
        ValueSource::Act(_)
        | ValueSource::Host(_)
        | ValueSource::Begin
        | ValueSource::Unsearched(_) => Vec::new(),
    }
}

/// Returns the halves of a register, as one reader saw them.
pub(super) fn halves(location: Location, reader: Reader) -> Vec<Read> {
    let Location::Register(Resource::Fpr(n, _), section) = location else { return Vec::new() };
    let half = |halves| (Location::Register(Resource::Fpr(n, halves), section), reader);
    vec![half(Halves::HI), half(Halves::LO)]
}

fn shared(resource: Resource) -> Location {
    Location::Register(resource, Section::FIRST)
}

pub(super) fn of_operation(issued: &Issued, location: Location) -> Vec<Location> {
    match issued.slot {
        Slot::Arithmetic => of_arithmetic(issued, location),
        Slot::Exchange => of_exchange(issued, location),
    }
}

fn of_arithmetic(issued: &Issued, location: Location) -> Vec<Location> {
    let inst = &issued.bundle.arith;
    if let Location::Register(Resource::Control(control::RIND), _) = location {
        let registers = [control::RIND, control::RSTEP, control::RMASK];
        return registers.map(|n| shared(Resource::Control(n))).into();
    }
    let Some(section) = location.section() else { return Vec::new() };
    let in_section = |resource| Location::Register(resource, section);
    let is_read = |resource: &Resource| match resource {
        Resource::Fpr(..) => true,
        // The predicate decides whether the operation executes, not which value it gives.
        Resource::Fccr(_) | Resource::Fcsr => inst.op == Arith::Mfc,
        _ => false,
    };
    issued.uses().into_iter().filter(is_read).map(in_section).collect()
}

fn of_exchange(issued: &Issued, location: Location) -> Vec<Location> {
    let inst = &issued.bundle.exch;
    if let Location::Register(Resource::A(_) | Resource::N(_) | Resource::M(_), _) = location
        && !matches!(inst.op, Exch::Move | Exch::Mffpr)
    {
        return of_address(issued);
    }
    let section = location.section().unwrap_or_default();
    match inst.op.row().unit {
        Unit::Load => loaded(issued, location).into_iter().collect(),
        Unit::Store => match (location, issued.access, inst.memory_access()) {
            (Location::Word(word, _), Some(first), Some(access)) => {
                let n = access.register + i32::from(word.0.wrapping_sub(first.word_in(section).0));
                let half = access.half.map_or(Halves::BOTH, |half| half.register);
                let mut all = vec![Location::Register(Resource::Fpr(n as u8, half), section)];
                // The other half of the word stays.
                all.extend(access.half.map(|_| location));
                all
            }
            _ => Vec::new(),
        },
        Unit::Permute => permuted(issued, location),
        Unit::ToFpr => {
            inst.fpr_transfer().map(|t| shared(Resource::of_move(t.scalar))).into_iter().collect()
        }
        Unit::FromFpr => {
            let of = |t: cp2_isa::FprTransfer| {
                Location::fpr(t.register as u8, t.section.unwrap_or_default())
            };
            let largest = inst.largest().into_iter().flat_map(|(_, register, half)| {
                let register = Resource::Fpr(register as u8, half);
                Section::ALL.map(|section| Location::Register(register, section))
            });
            inst.fpr_transfer().map(of).into_iter().chain(largest).collect()
        }
        Unit::Scalar => {
            let from = |(_, from): (MoveReg, MoveReg)| shared(Resource::of_move(from));
            inst.moved().map(from).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the word that a load put into a register.
fn loaded(issued: &Issued, location: Location) -> Option<Location> {
    let Location::Register(Resource::Fpr(n, _), section) = location else { return None };
    let access = issued.bundle.exch.memory_access()?;
    let k = u16::from(n).checked_sub(access.register as u16)?;
    Some(Location::Word(issued.access?.word_in(section).plus(k), section))
}

/// Returns the halves that a permutation put into the halves of a register.
fn permuted(issued: &Issued, location: Location) -> Vec<Location> {
    let (Location::Register(Resource::Fpr(n, halves), section), Some(permutation)) =
        (location, issued.bundle.exch.permutation())
    else {
        return Vec::new();
    };
    let first = 2 * usize::from(i32::from(n) != permutation.to);
    let mut all = Vec::new();
    for (k, half) in [Halves::LO, Halves::HI].into_iter().enumerate() {
        let word = permutation.words[first + k];
        let register = permutation.from as u8 + word.register as u8;
        let from = Location::Register(Resource::Fpr(register, word.half), section);
        if halves.contains(half) && !all.contains(&from) {
            all.push(from);
        }
    }
    all
}

/// Returns the registers of the address set that an operation goes by, as it reads them.
fn of_address(issued: &Issued) -> Vec<Location> {
    if issued.slot == Slot::Arithmetic {
        return Vec::new();
    }
    let is_address = |r: &Resource| matches!(r, Resource::A(_) | Resource::N(_) | Resource::M(_));
    issued.uses().into_iter().filter(is_address).map(shared).collect()
}

/// Returns the other end of a beat, from which it read.
fn of_beat(beat: &Beat, location: Location) -> Option<Read> {
    let first = beat.address.down_to_multiple_of(8);
    match (beat.direction, location, beat.local) {
        (Direction::Get, Location::Word(word, _), Some(local)) => {
            let n = (word.0 - local.0).into();
            Some((Location::Memory(first.plus_words(n)), Reader::at(beat.cycle)))
        }
        (Direction::Put, Location::Memory(address), Some(local)) => {
            let n = ((address - first).index() / 8) as u16;
            let section = SectionMask::from_bits(beat.sections).iter().next()?;
            // CP2 comes first in a cycle.
            let reader = Reader::at(Cycle(beat.cycle.0 + 1));
            Some((Location::Word(WordAddress(local.0 + n), section), reader))
        }
        _ => None,
    }
}
