//! Places of registers and memories: each holds what it is given as far as the core has its bits, and nothing else changes;
//! what is no place holds nothing.

use crate::random::SplitMix64;
use cp2_emu::State;
use cp2_emu::trace::Destination;
use cp2_isa::{
    Core, CoreNumbers, Extensions, Halves, Resource, SECTIONS, Section, Storage, StorageCell,
    WordAddress,
};

/// Returns a core with all extensions and wide bundles, and its state with both stacks full.
fn widest() -> (Core, State) {
    let numbers = CoreNumbers { fprs: 128, extensions: Extensions::all(), ..*Core::CP2.numbers() };
    let core = Core::new(numbers).expect("a core");
    let mut state = State::new(&core);
    state.loops = vec![Default::default(); core.loop_depth()];
    state.calls = vec![Default::default(); core.call_depth()];
    (core, state)
}

/// Returns the first, the last and some other places of every kind.
fn places(state: &State) -> Vec<StorageCell> {
    let mut all = Vec::new();
    for storage in Storage::ALL {
        let count = state.count(storage);
        assert!(count > 0, "{storage:?}");
        let mut numbers = vec![0, count / 3, count / 2, count - 1];
        numbers.dedup();
        for number in numbers {
            let own = storage.info().layout.own_sections();
            all.extend(own.map(|section| StorageCell { storage, number, section }));
        }
    }
    all
}

#[test]
fn every_place_holds_what_it_was_given_last_and_no_other_changes() {
    let (core, mut state) = widest();
    let mut all = places(&state);
    let mut s = SplitMix64(1);
    for _ in 0..2 {
        let values: Vec<u64> = all.iter().map(|_| s.bits()).collect();
        for (place, value) in all.iter().zip(&values) {
            assert!(state.set(&core, *place, *value), "{place:?}");
        }
        for (place, value) in all.iter().zip(&values) {
            assert_eq!(state.get(*place), Some(place.storage.fitted(&core, *value)), "{place:?}");
        }
        all.reverse();
    }
}

#[test]
fn no_place_is_beyond_the_last_number_or_in_a_section_that_has_none_of_its_own() {
    let (core, mut state) = widest();
    let before = state.clone();
    for storage in Storage::ALL {
        let (last, own) = (state.count(storage) - 1, storage.info().layout.sections());
        for number in [0, last, last + 1, usize::MAX] {
            for section in Section::ALL {
                let place = StorageCell { storage, number, section };
                let exists = number <= last && section.index() < own;
                assert_eq!(state.has(place), exists, "{place:?}");
                assert_eq!(state.get(place).is_some(), exists, "{place:?}");
                assert!(exists || !state.set(&core, place, u64::MAX), "{place:?}");
            }
        }
    }
    assert!(state == before, "a place that is none was written");
}

#[test]
fn a_destination_is_the_places_that_it_names_and_no_others() {
    let words = [3, 3, 5, 8191].map(WordAddress);
    let named = [
        (Destination::Word(WordAddress(7)), Storage::Lmem, vec![7]),
        (Destination::Words(words), Storage::Lmem, vec![3, 5, 8191]),
        (Destination::Words([WordAddress(4); SECTIONS]), Storage::Lmem, vec![4]),
        (Destination::Register(Resource::Fpr(9, Halves::BOTH)), Storage::Fpr, vec![9]),
        (Destination::Register(Resource::Gpr(3)), Storage::Gpr, vec![3]),
        (Destination::Register(Resource::SectionA(2)), Storage::SectionA, vec![2]),
    ];
    let (_, state) = widest();
    for (destination, kind, numbers) in named {
        for storage in Storage::ALL {
            for number in 0..state.count(storage) {
                let is = storage == kind && numbers.contains(&number);
                assert_eq!(
                    destination.is(storage, number),
                    is,
                    "{destination} {storage:?} {number}"
                );
            }
        }
    }
    let flags = Destination::Register(Resource::Fcsr);
    assert!(Storage::ALL.into_iter().all(|s| flags.is(s, 0) == (s == Storage::Fcsr)));
}
