//! The bundles from which an operation has its values. Floating-point registers, condition codes and flags are seen by
//! operations that issue in the cycle of the write or later, everything else at once.

use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_emu::trace::{Destination, Event};
use cp2_isa::{Cycle, Resource, Storage, WordAddress};
use std::collections::HashMap;

/// A register, or a word of local memory in all sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Register(Storage, u8),
    Word(WordAddress),
}

/// The writes of a place that may be seen from now on: from which cycle, and of which bundle.
type Writes = Vec<(Cycle, u64)>;

/// The writes of every place, with the bundles that made them.
#[derive(Debug, Default)]
pub(crate) struct Producers(HashMap<Key, Writes>);

fn key(resource: Resource) -> Option<Key> {
    let number = match resource {
        Resource::Fpr(n, _)
        | Resource::Fccr(n)
        | Resource::Gpr(n)
        | Resource::Ireg(n)
        | Resource::A(n)
        | Resource::N(n)
        | Resource::M(n)
        | Resource::SectionA(n)
        | Resource::SharedA(n)
        | Resource::Control(n) => n,
        // The last store of all counts, whichever word it was to.
        Resource::Fcsr | Resource::Shared => 0,
        Resource::Fpe | Resource::Mailbox | Resource::Memory(_) => return None,
    };
    Some(Key::Register(resource.storage(), number))
}

/// Returns the words of local memory that an operation accesses.
fn words(event: &Event<Cycle>) -> impl Iterator<Item = WordAddress> {
    let access = event.access;
    access.into_iter().flat_map(|a| {
        let first = a.own.map_or(vec![a.word], |own| own.to_vec());
        let all =
            first.into_iter().flat_map(move |w| (0..u16::from(a.words)).map(move |k| w.plus(k)));
        all.collect::<Vec<_>>()
    })
}

impl Producers {
    /// Returns the bundles from which a bundle has its values that has these operations and issues in cycle `now`.
    pub(crate) fn of(&mut self, events: &[&Event<Cycle>], now: Cycle) -> Vec<u64> {
        let mut found = Vec::new();
        if let Some(event) = events.first() {
            event.bundle.footprint(&mut |access| {
                found.extend(access.used().and_then(key).and_then(|key| self.seen(key, now)));
            });
        }
        for event in events.iter().filter(|event| !stores(event)) {
            found.extend(words(event).filter_map(|word| self.seen(Key::Word(word), now)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the bundle whose value is there in a cycle; what it has replaced is forgotten.
    fn seen(&mut self, key: Key, now: Cycle) -> Option<u64> {
        let writes = self.0.get_mut(&key)?;
        let there = |&(_, &(from, _)): &(usize, &(Cycle, u64))| from <= now;
        // Of the writes that land in one cycle the later one stays.
        let (at, _) =
            writes.iter().enumerate().filter(there).max_by_key(|&(k, &(from, _))| (from, k))?;
        let (from, id) = writes[at];
        writes.retain(|&(other, writer)| other > from || writer == id);
        Some(id)
    }

    /// Adds the writes of a bundle: those of these operations, and the steps of its addresses.
    pub(crate) fn add(&mut self, id: u64, events: &[&Event<Cycle>]) {
        if let Some(event) = events.first() {
            let mut steps = |resource: Resource| {
                if let (Resource::A(_), Some(key)) = (resource, key(resource)) {
                    self.0.insert(key, vec![(event.cycle + 1, id)]);
                }
            };
            event.bundle.footprint(&mut |access| access.changed().into_iter().for_each(&mut steps));
        }
        for event in events {
            for written in event.written.iter().flatten() {
                let (keys, lands) = match written.destination {
                    Destination::Word(word) => (vec![Key::Word(word)], false),
                    Destination::Words(words) => (words.map(Key::Word).to_vec(), false),
                    Destination::Register(resource) => {
                        let storage = resource.storage();
                        (
                            key(resource).into_iter().collect(),
                            matches!(storage, Storage::Fpr | Storage::Fccr | Storage::Fcsr),
                        )
                    }
                };
                let from = event.write_cycle.filter(|_| lands).unwrap_or(event.cycle + 1);
                for key in keys {
                    let writes = self.0.entry(key).or_default();
                    if !lands {
                        writes.clear();
                    }
                    writes.push((from, id));
                }
            }
        }
    }

    /// Forgets the writes of words that a beat of the channel replaces.
    pub(crate) fn forget(&mut self, beat: &Beat) {
        if let (Direction::Get, Some(word)) = (beat.direction, beat.local) {
            for k in beat.places() {
                self.0.remove(&Key::Word(word.plus(k as u16)));
            }
        }
    }
}

fn stores(event: &Event<Cycle>) -> bool {
    event.written.iter().flatten().any(|w| !matches!(w.destination, Destination::Register(_)))
}
