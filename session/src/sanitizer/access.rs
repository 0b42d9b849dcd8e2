//! Loads and stores on the shadow: which words, whether they belong to something, and what of them is undefined.

use super::mask::{self, EVERYWHERE, Mask};
use super::shadow::{Origin, Shade};
use super::step::{FindingKind, Hit, IssuedBundle};
use cp2_emu::cp2::seam;
use cp2_isa::rules::address::first_word;
use cp2_isa::{
    Address, Effects, Exch, Halves, Inst, MemoryAccess, SECTIONS, Section, SharedAddress, Storage,
    WordAddress,
};

/// Returns the undefined quarters of half `from` of a word or register, as those of half `to`.
fn moved(undefined: Mask, from: Halves, to: Halves) -> Mask {
    let part = undefined & mask::of_halves(from);
    if from == to { part } else { mask::swapped(part) }
}

impl IssuedBundle<'_> {
    /// Does a load or a store of local memory in these sections.
    pub(super) fn memory(&mut self, inst: &Inst<Exch>, enabled: u8) {
        let Some(access) = inst.memory_access() else { return };
        self.is_opaque |= self.is_predicated;
        let zeroes = inst.op.row().effects.contains(Effects::ZEROES);
        match access.address {
            Address::Word(word) => self.common(&access, word, enabled),
            Address::Set { set, step } => {
                let register = usize::from(set);
                let address = self.shadow.scalars.a[register];
                self.count(FindingKind::Address, (Storage::A, set), address, 1);
                self.shadow.scalars.a[register].define();
                self.common(&access, self.before.a[register], enabled);
                self.step_set(set, step);
            }
            Address::Sections { set, .. } => {
                let register = usize::from(set);
                let at = self.before.sa[register];
                self.own_address(set, enabled);
                self.own(&access, at, (enabled, zeroes));
            }
            Address::Fpr { register, half } => {
                let addresses = self.addresses(register, half);
                let undefined = addresses.iter().zip(0..).filter(|(a, _)| a.undefined != 0);
                let sections = undefined.fold(0, |all, (_, s)| all | 1 << s);
                if sections != 0 {
                    let origin = Some(addresses[0].origin);
                    self.hit(
                        FindingKind::Address,
                        (Storage::Fpr, register as u8),
                        sections,
                        origin,
                    );
                }
                let at = seam::own_addresses(self.core, &self.state.fpr[register as usize], half);
                self.own(&access, at, (enabled, zeroes));
            }
        }
    }

    /// Counts the addresses of the sections of a set: notes a fault if an enabled section has an undefined one, which
    /// is defined from then on.
    fn own_address(&mut self, set: u8, enabled: u8) {
        let addresses = &mut self.shadow.scalars.sa[usize::from(set)];
        let mut sections = 0;
        let mut origin = None;
        for (s, address) in addresses.iter_mut().enumerate() {
            if enabled >> s & 1 == 1 && address.undefined != 0 {
                sections |= 1 << s;
                origin = Some(address.origin);
                address.define();
            }
        }
        if sections != 0 {
            self.hit(FindingKind::Address, (Storage::SectionA, set), sections, origin);
        }
    }

    /// Does an access at one address in all sections.
    fn common(&mut self, access: &MemoryAccess, at: WordAddress, enabled: u8) {
        self.parity(access, at, EVERYWHERE);
        let first = access.first_word(self.core, at);
        let memory = access.memory_halves(at, |n| self.before.gpr[usize::from(n)]);
        self.half_selector(access);
        let halves = (access.half.map_or(Halves::BOTH, |half| half.register), memory);
        for k in 0..u16::from(access.words) {
            let (word, register) = (first.plus(k), access.register as u8 + k as u8);
            if access.is_store {
                self.store(register, word, (enabled, EVERYWHERE), halves);
            } else {
                let loaded = self.shadow.word(word, self.before.pc);
                let undefined = moved(loaded.undefined, halves.1, halves.0);
                let shade = Shade { undefined, ..loaded };
                self.load(register, enabled, mask::of_halves(halves.0), shade);
            }
        }
    }

    /// Counts the general register that names a half, as an address.
    fn half_selector(&mut self, access: &MemoryAccess) {
        if let Some(half) = access.half
            && let cp2_isa::MemoryHalf::Gpr(number) = half.memory
        {
            let scalar = self.shadow.scalars.gpr[usize::from(number)];
            self.count(FindingKind::Address, (Storage::Gpr, number), scalar, 1);
        }
    }

    /// Does an access at an address of each section.
    fn own(
        &mut self,
        access: &MemoryAccess,
        at: [WordAddress; SECTIONS],
        (enabled, zeroes): (u8, bool),
    ) {
        let words = u16::from(access.words);
        for k in 0..words {
            let register = access.register as u8 + k as u8;
            let mut shade =
                Shade { undefined: 0, origin: Origin::Register(Storage::Fpr, register) };
            for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
                if k == 0 {
                    self.parity(access, at[s], 1 << s);
                }
                let word = first_word(at[s], words).plus(k);
                if access.is_store {
                    let section = 1 << s;
                    self.store(register, word, (section, section), (Halves::BOTH, Halves::BOTH));
                } else {
                    let loaded = self.shadow.word(word, self.before.pc);
                    let own = loaded.undefined & mask::of_sections(1 << s);
                    shade.undefined |= own;
                    if own != 0 {
                        shade.origin = of_section(loaded.origin, s);
                    }
                }
            }
            if !access.is_store {
                let written = if zeroes { EVERYWHERE } else { enabled };
                self.load(register, written, mask::ALL, shade);
            }
        }
    }

    /// Notes a fault if two words are accessed at an odd address: they begin at an even one, or the first of them is
    /// another one than the address says.
    fn parity(&mut self, access: &MemoryAccess, at: WordAddress, sections: u8) {
        if access.words == 2 && at.0 % 2 == 1 {
            let register = match access.address {
                Address::Set { set, .. } => (Storage::A, set),
                Address::Sections { set, .. } => (Storage::SectionA, set),
                Address::Fpr { register, .. } => (Storage::Fpr, register as u8),
                Address::Word(_) => (Storage::Lmem, 0),
            };
            let hit =
                Hit { kind: FindingKind::Odd, register, sections, origin: None, word: Some(at) };
            self.hits.push(hit);
        }
    }

    fn load(&mut self, register: u8, enabled: u8, halves: Mask, shade: Shade) {
        let written = mask::of_sections(enabled) & halves;
        self.shadow.undefined_loads += u64::from(shade.undefined & written != 0);
        self.plan(self.core.latencies().load, register, written, shade, true);
    }

    /// Does a store of a register: where it is enabled, of sections that have the word.
    fn store(
        &mut self,
        register: u8,
        word: WordAddress,
        (enabled, sections): (u8, u8),
        (from, to): (Halves, Halves),
    ) {
        let shade = self.shade(usize::from(register));
        let written = mask::of_sections(enabled) & mask::of_halves(to);
        let mut undefined = moved(shade.undefined, from, to) & written;
        let of = (Storage::Fpr, register);
        if undefined != 0 {
            let (sections, origin) = (mask::sections(undefined), Some(shade.origin));
            let kind = FindingKind::Store;
            self.hits.push(Hit { kind, register: of, sections, origin, word: Some(word) });
            if !self.allowed.iter().any(|code| code == kind.code()) {
                // The value has been told; who reads it is no other mistake.
                undefined = 0;
            }
        }
        if !self.declared.has(word, sections) {
            let kind = FindingKind::Outside;
            self.hits.push(Hit { kind, register: of, sections, origin: None, word: Some(word) });
        }
        self.shadow.store(word, written, Shade { undefined, ..shade });
    }

    /// Does a load from shared memory, or a store to it.
    pub(super) fn shared(&mut self, inst: &Inst<Exch>) {
        let Some(access) = inst.shared_access() else { return };
        let first = match access.address {
            SharedAddress::Word(word) => word,
            SharedAddress::Set { set, .. } => {
                let address = self.shadow.scalars.qa[usize::from(set)];
                self.count(FindingKind::Address, (Storage::SharedA, set), address, 1);
                self.shadow.scalars.qa[usize::from(set)].define();
                self.before.qa[usize::from(set)]
            }
        };
        let register = access.register as u8;
        let held = self.shade(usize::from(register));
        let mut shade = Shade { undefined: 0, ..held };
        for section in access.sections().iter().map(Section::index) {
            let word = access.places(first)[section];
            let quarters = mask::of_sections(1 << section);
            if access.is_store {
                let mut undefined = held.undefined & quarters;
                if undefined != 0 {
                    let (of, sections) = ((Storage::Fpr, register), 1 << section);
                    self.hit(FindingKind::Store, of, sections, Some(held.origin));
                    if !self.allowed.iter().any(|code| code == FindingKind::Store.code()) {
                        undefined = 0;
                    }
                }
                let place = &mut self.shadow.shared[word.index()];
                place.undefined = (undefined >> (4 * section)) as u8 & 0xf;
                place.origin = held.origin;
            } else {
                let place = self.shadow.shared[word.index()];
                shade.undefined |= place.spread() & quarters;
                if place.undefined != 0 {
                    let never = matches!(place.origin, Origin::Register(Storage::Shared, _));
                    let loaded = Origin::Shared { word, at: self.before.pc };
                    shade.origin = if never { loaded } else { place.origin };
                }
            }
        }
        if !access.is_store {
            self.load(register, EVERYWHERE, mask::ALL, shade);
        }
    }
}

/// Returns the origin of a word, in one section of those that load it.
fn of_section(origin: Origin, s: usize) -> Origin {
    match origin {
        Origin::Word { word, at, .. } => Origin::Word { section: s as u8, word, at },
        other => other,
    }
}
