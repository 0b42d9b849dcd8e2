//! The writes of the channel and of the host: the places to which a beat or an act gives a value, and the values.

use super::Key;
use crate::location::Location;
use cp2_emu::dma::Beat;
use cp2_emu::machine::Action;
use cp2_emu::memory::Direction;
use cp2_emu::state::status;
use cp2_isa::{Bytes, Resource, SectionMask};

fn words_of(beat: &Beat) -> u16 {
    u16::from(beat.bytes / 8)
}

pub(super) fn beat_writes(beat: &Beat, put: &mut dyn FnMut(Key)) {
    match (beat.direction, beat.local) {
        (Direction::Get, Some(local)) => {
            (0..words_of(beat)).for_each(|n| put(Key::Word(local.plus(n).index())));
        }
        (Direction::Get, None) => {}
        (Direction::Put, _) => {
            let first = beat.address.down_to_multiple_of(8);
            (0..words_of(beat).into()).for_each(|n| put(Key::Memory(first.plus_words(n))));
        }
    }
}

pub(super) fn is_of_beat(beat: &Beat, location: Location) -> bool {
    match location {
        Location::Word(_, section) => SectionMask::from_bits(beat.sections).contains(section),
        Location::Memory(_) => true,
        Location::Register(..) => false,
    }
}

/// Returns the value that a beat gave a location.
pub(super) fn beat_value(beat: &Beat, location: Location) -> u64 {
    let n = match (location, beat.local) {
        (Location::Word(word, _), Some(local)) => word.index() - local.index(),
        (Location::Memory(address), _) => {
            (address - beat.address.down_to_multiple_of(8)).index() / 8
        }
        _ => 0,
    };
    beat.words[n.min(1)]
}

pub(super) fn act_writes(action: &Action, put: &mut dyn FnMut(Key)) {
    match action {
        Action::WriteWords(first, _, words) => {
            (0..words.len()).for_each(|n| put(Key::Word(first.index() + n)));
        }
        Action::WriteMemory(address, bytes) => {
            let (first, end) =
                (address.down_to_multiple_of(8), *address + Bytes::from(bytes.len()));
            let words = (end - first).index().div_ceil(8);
            (0..words).for_each(|n| put(Key::Memory(first.plus_words(n))));
        }
        Action::WriteControl(_) => {
            put(Key::Register(Resource::Control(cp2_isa::control::CONTROL)));
        }
        Action::WriteComm(_) => {
            put(Key::Register(Resource::Control(cp2_isa::control::COMM)));
            put(Key::Register(Resource::Mailbox));
        }
        Action::ReadComm => put(Key::Register(Resource::Mailbox)),
        _ => {}
    }
}

/// Returns the value that the host gave a location directly, if it did.
pub(super) fn act_value(action: &Action, location: Location) -> Option<u64> {
    match (action, location) {
        (Action::WriteWords(first, section, words), Location::Word(word, of)) => {
            let own = section.is_none_or(|s| usize::from(s) == of.index());
            let n = word.index().checked_sub(first.index())?;
            words.get(n).copied().filter(|_| own)
        }
        (Action::WriteMemory(first, bytes), Location::Memory(address)) => {
            let byte = |k: u64| {
                let at = (address + Bytes(k)).0.checked_sub(first.0)?;
                bytes.get(at as usize).copied()
            };
            // The lowest address holds the highest byte.
            Some((0..8).fold(0, |all, k| all << 8 | u64::from(byte(k).unwrap_or(0))))
        }
        (
            Action::WriteControl(value) | Action::WriteComm(value),
            Location::Register(Resource::Control(_), _),
        ) => Some(*value),
        (Action::WriteComm(_), Location::Register(Resource::Mailbox, _)) => Some(status::COMM_K64),
        (Action::ReadComm, Location::Register(Resource::Mailbox, _)) => Some(0),
        _ => None,
    }
}
