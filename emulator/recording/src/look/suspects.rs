//! Finds the bundles of a program that can do what a search is for, such as write a register or a word, so that stretches of a run
//! in which none of them has issued need not be gone through.

use crate::counts::Counts;
use cp2_emu::Profile;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::ChannelCause;
use cp2_emu::machine::{Act, Action};
use cp2_emu::trace::Destination;
use cp2_isa::{
    Access, Arith, Bank, Bundle, BundleAddress, BundleBits, Core, Exch, Resource, Slot, Storage,
    StorageCell as Cell, WordAddress, Words, WordsFrom, decode,
};
use std::collections::BTreeSet;

/// Whether an access of a bundle may write a place.
fn is_written(access: &Access, cell: Cell) -> bool {
    let Some(resource) = access.changed() else { return false };
    match resource {
        Resource::Memory(Words { from: WordsFrom::Set(_) | WordsFrom::Sections, .. }) => {
            cell.storage == Storage::Lmem
        }
        Resource::Memory(Words { from: WordsFrom::Word(first), count }) => {
            let words = first.index()..first.index() + usize::from(count);
            cell.storage == Storage::Lmem && words.contains(&cell.number)
        }
        register => Destination::Register(register).is(cell.storage, cell.number),
    }
}

/// Returns the halves of a bundle that may write a place.
fn writers(bundle: &Bundle, cell: Cell) -> BTreeSet<Slot> {
    let mut slots = BTreeSet::new();
    bundle.footprint(&mut |access| {
        if is_written(&access, cell) {
            slots.insert(access.slot);
        }
    });
    slots
}

/// Bundles and operations that can write a place, or that are searched themselves.
#[derive(Debug)]
pub(crate) struct Suspects {
    sought: Sought,
    core: Core,
    /// Bank of the place, if it is a word of local memory.
    bank: Option<Bank>,
    /// Addresses of the bundles that can write the place, and their operations.
    addresses: BTreeSet<usize>,
    arithmetic: BTreeSet<u16>,
    exchange: BTreeSet<u16>,
}

/// Subject of a search.
#[derive(Debug)]
enum Sought {
    /// Writes of a place.
    Writes(Cell),
    /// Issues of bundles at these addresses; whether one of them may have no operation, which is counted nowhere.
    Issues(BTreeSet<usize>, bool),
}

impl Suspects {
    /// Creates an empty set of suspects for a place; `None` for places that operations write without naming them, such as
    /// flags.
    pub(crate) fn of(cell: Cell, core: Core) -> Option<Self> {
        let bank = match cell.storage {
            Storage::Lmem => Some(core.bank_of(WordAddress(u16::try_from(cell.number).ok()?))),
            Storage::Fpr | Storage::Gpr | Storage::Ireg | Storage::A | Storage::N | Storage::M => {
                None
            }
            _ => return None,
        };
        let (addresses, arithmetic, exchange) = Default::default();
        let sought = Sought::Writes(cell);
        Some(Self { sought, core, bank, addresses, arithmetic, exchange })
    }

    /// Creates a set of the bundles at some addresses, whose operations are not known yet.
    pub(crate) fn of_bundles(bundles: &BTreeSet<BundleAddress>, core: Core) -> Self {
        let (addresses, (arithmetic, exchange)): (BTreeSet<usize>, _) =
            (bundles.iter().map(|address| address.index()).collect(), Default::default());
        let sought = Sought::Issues(addresses.clone(), false);
        Self { sought, core, bank: None, addresses, arithmetic, exchange }
    }

    /// Adds the word of instruction memory at an address, if it can do what is searched.
    pub(crate) fn add(&mut self, address: usize, word: BundleBits) {
        let Ok(bundle) = decode(word, &self.core) else { return };
        let slots = match &mut self.sought {
            Sought::Writes(cell) => writers(&bundle, *cell),
            Sought::Issues(wanted, _) if !wanted.contains(&address) => return,
            Sought::Issues(_, is_empty) => {
                let mut slots = BTreeSet::new();
                if bundle.arith.op != Arith::Nop {
                    slots.insert(Slot::Arithmetic);
                }
                if bundle.exch.op != Exch::Nop {
                    slots.insert(Slot::Exchange);
                }
                *is_empty |= slots.is_empty();
                slots
            }
        };
        for slot in slots {
            self.addresses.insert(address);
            match slot {
                Slot::Arithmetic => self.arithmetic.insert(bundle.arith.op as u16),
                Slot::Exchange => self.exchange.insert(bundle.exch.op as u16),
            };
        }
    }

    /// Whether the place may be written by others: by actions of the host in some cycles.
    pub(crate) fn may_act(&self, acts: &[Act]) -> bool {
        let Sought::Writes(cell) = self.sought else { return false };
        acts.iter().any(|act| match &act.action {
            Action::Send(FifoEntry::Execute(word)) => {
                decode(*word, &self.core).is_ok_and(|bundle| !writers(&bundle, cell).is_empty())
            }
            Action::Send(FifoEntry::Store(_)) | Action::WriteBundles(..) => true,
            Action::WriteWords(..) => cell.storage == Storage::Lmem,
            _ => false,
        })
    }

    /// Whether one of the suspects may be among what was counted, together or in cycles of the suspected bundles.
    pub(crate) fn may_be_in(&self, counts: &Counts, suspected: Option<u64>) -> bool {
        if let Some(bank) = self.bank {
            let beats = counts.dma.causes[ChannelCause::Beat as usize];
            let is_zero = |&accesses: &u64| accesses == 0;
            if beats > 0 || counts.banks.get(bank.index()).is_some_and(is_zero) {
                return beats > 0;
            }
        }
        let issued = |counted: &[(u16, u64)], ops: &BTreeSet<u16>| {
            counted.iter().any(|(op, _)| ops.contains(op))
        };
        let is_uncounted = matches!(self.sought, Sought::Issues(_, true));
        suspected != Some(0)
            && (is_uncounted
                || issued(&counts.arithmetic, &self.arithmetic)
                || issued(&counts.exchange, &self.exchange))
    }

    /// Returns the number of cycles of the suspected bundles in a profile.
    pub(crate) fn cycles(&self, profile: &Profile) -> u64 {
        let bundles = profile.bundles();
        let costs = self.addresses.iter().filter_map(|&address| bundles.get(address));
        costs.map(|cost| cost.cycles()).sum()
    }
}
