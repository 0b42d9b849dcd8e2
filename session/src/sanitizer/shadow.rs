//! Shadow of a machine, which tells what of its registers and memories is undefined: a mask for each, and the origin of
//! the undefined value. Results under way land in the cycles in which the machine's do.

use super::mask::{self, Mask};
use cp2_isa::{BundleAddress, Core, Cycle, SECTIONS, Storage, WordAddress};

/// Origin of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A register that nothing has written.
    Register(Storage, u8),
    /// A word that nothing has written, and the bundle that loaded it.
    Word { section: u8, word: WordAddress, at: BundleAddress },
    /// A word of shared memory that nothing has written, and the bundle that loaded it.
    Shared { word: WordAddress, at: BundleAddress },
}

/// Scalar register: its four quarters that are undefined, a bit each, and their origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) undefined: u8,
    pub(super) origin: Origin,
}

impl Scalar {
    pub(super) fn never(storage: Storage, number: u8) -> Self {
        Self { undefined: 0xf, origin: Origin::Register(storage, number) }
    }

    /// Makes the register defined: its value counts from now on.
    pub(super) fn define(&mut self) {
        self.undefined = 0;
    }

    /// Returns the register as an address: the low quarter of the value.
    pub(super) fn narrow(self) -> Self {
        Self { undefined: if self.undefined & 1 == 0 { 0 } else { 0xf }, ..self }
    }

    /// Returns the undefined quarters as a mask, in every section.
    pub(super) fn spread(self) -> Mask {
        u16::from(self.undefined) * 0x1111
    }
}

/// Value in every section: its undefined quarters, and their origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shade {
    pub(super) undefined: Mask,
    pub(super) origin: Origin,
}

/// A result under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    Fpr {
        register: u8,
        written: Mask,
        shade: Shade,
        is_load: bool,
        /// Whether a condition code decides in which sections the result is written.
        is_predicated: bool,
    },
    /// Result for one condition code, in sections.
    Code { code: u8, written: u8, undefined: u8, origin: Origin, is_predicated: bool },
}

/// A condition code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    /// Sections in which nothing has written the code.
    pub(super) never: u8,
    /// Sections in which the code comes from an undefined value.
    pub(super) undefined: u8,
    pub(super) origin: Origin,
}

/// The scalar registers.
#[derive(Clone, Debug)]
pub(super) struct Scalars {
    pub(super) gpr: [Scalar; 16],
    pub(super) ireg: [Scalar; 16],
    pub(super) a: [Scalar; 16],
    pub(super) n: [Scalar; 16],
    pub(super) m: [Scalar; 16],
    /// Addresses of the sections, by address set.
    pub(super) sa: Vec<[Scalar; SECTIONS]>,
    /// Shared addresses.
    pub(super) qa: Vec<Scalar>,
    pub(super) rind: Scalar,
    pub(super) rstep: Scalar,
    pub(super) rmask: Scalar,
}

/// Undefined parts of the registers and memories of a machine.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    pub(super) fpr: Vec<Shade>,
    pub(super) codes: [Code; 8],
    pub(super) scalars: Scalars,
    /// Undefined quarters of each word of local memory.
    pub(super) memory: Vec<Mask>,
    /// Origin of the undefined value that was stored in each word of local memory, if one was.
    stored: Vec<Option<Origin>>,
    /// Undefined quarters of each word of shared memory.
    pub(super) shared: Vec<Scalar>,
    slots: Box<[Vec<Landing>]>,
    /// General registers before a write: cycle of the write, number of the register, its value before.
    old: Vec<(Cycle, u8, Scalar)>,
    /// Number of loads of undefined words.
    pub(super) undefined_loads: u64,
    /// Number of predicated results that have landed where something is or becomes undefined.
    pub(super) opaque: u64,
    /// Number of changes of memory.
    pub(super) changes: u64,
}

impl Shadow {
    /// Creates the shadow of a core in which nothing has been written but what a kernel may take for granted after
    /// reset: steps and modes of address sets, RMASK, CONTROL, STATUS, FCSR and COMM.
    pub(super) fn new(core: &Core) -> Self {
        let all = |storage| std::array::from_fn(|k| Scalar::never(storage, k as u8));
        let known = |storage| {
            let mut registers: [Scalar; 16] = all(storage);
            registers.iter_mut().for_each(Scalar::define);
            registers
        };
        let one = |storage| Scalar::never(storage, 0);
        let mut rmask = one(Storage::Rmask);
        rmask.define();
        let count = |storage: Storage| (storage.info().count)(core);
        let origin = Origin::Register(Storage::Fccr, 0);
        let code = Code { never: mask::EVERYWHERE, undefined: 0, origin };
        let fpr =
            |k| Shade { undefined: mask::ALL, origin: Origin::Register(Storage::Fpr, k as u8) };
        let longest = core.latencies().longest().max(core.latencies().condition) as usize;
        Self {
            fpr: (0..core.fprs()).map(fpr).collect(),
            codes: [code; 8],
            memory: vec![mask::ALL; core.lmem_words()],
            stored: vec![None; core.lmem_words()],
            shared: vec![one(Storage::Shared); count(Storage::Shared)],
            slots: vec![Vec::new(); (longest + 2).next_power_of_two()].into_boxed_slice(),
            undefined_loads: 0,
            old: Vec::new(),
            opaque: 0,
            changes: 0,
            scalars: Scalars {
                gpr: all(Storage::Gpr),
                ireg: all(Storage::Ireg),
                a: all(Storage::A),
                n: known(Storage::N),
                m: known(Storage::M),
                sa: (0..count(Storage::SectionA))
                    .map(|k| [Scalar::never(Storage::SectionA, k as u8); SECTIONS])
                    .collect(),
                qa: (0..count(Storage::SharedA))
                    .map(|k| Scalar::never(Storage::SharedA, k as u8))
                    .collect(),
                rind: one(Storage::Rind),
                rstep: one(Storage::Rstep),
                rmask,
            },
        }
    }

    fn slot(&self, cycle: Cycle) -> usize {
        cycle.0 as usize & (self.slots.len() - 1)
    }

    /// Plans a result to be seen from a cycle on.
    pub(super) fn plan(&mut self, visible: Cycle, landing: Landing) {
        let slot = self.slot(visible);
        self.slots[slot].push(landing);
    }

    /// Writes the results that are first seen in this cycle, loads first.
    pub(super) fn land(&mut self, cycle: Cycle) {
        let slot = self.slot(cycle);
        if self.slots[slot].is_empty() {
            return;
        }
        let mut landings = std::mem::take(&mut self.slots[slot]);
        for pass in [true, false] {
            for landing in landings.iter().filter(|l| l.is_load() == pass) {
                self.write(landing);
            }
        }
        landings.clear();
        self.slots[slot] = landings;
    }

    /// Returns the results that are under way in a cycle, with the cycles until each is seen.
    pub(super) fn under_way(&self, cycle: Cycle) -> Vec<(u64, Landing)> {
        let ahead = 0..self.slots.len() as u64;
        let of = |k: u64| self.slots[self.slot(cycle + k)].iter().map(move |l| (k, *l));
        ahead.flat_map(of).collect()
    }

    /// Takes out all results that are under way.
    pub(super) fn take_under_way(&mut self, cycle: Cycle) -> Vec<(u64, Landing)> {
        let all = self.under_way(cycle);
        self.slots.iter_mut().for_each(Vec::clear);
        all
    }

    /// Puts results under way back in another cycle.
    pub(super) fn put_under_way(&mut self, cycle: Cycle, all: Vec<(u64, Landing)>) {
        all.into_iter().for_each(|(ahead, landing)| self.plan(cycle + ahead, landing));
    }

    fn write(&mut self, landing: &Landing) {
        match *landing {
            Landing::Fpr { register, written, shade, is_predicated, .. } => {
                let target = &mut self.fpr[usize::from(register)];
                self.opaque += u64::from(is_predicated && target.undefined | shade.undefined != 0);
                merge(target, written, shade);
            }
            Landing::Code { code, written, undefined, origin, is_predicated } => {
                let code = &mut self.codes[usize::from(code & 7)];
                let is_mixed = code.never | code.undefined | undefined != 0;
                self.opaque += u64::from(is_predicated && is_mixed);
                code.never &= !written;
                code.undefined = code.undefined & !written | undefined & written;
                if undefined & written != 0 {
                    code.origin = origin;
                }
            }
        }
    }

    /// Returns a register as `psprmsgn` sees it in a cycle: with loads that land at its end.
    pub(super) fn bypassed(&self, cycle: Cycle, register: usize) -> Shade {
        let mut found = self.fpr[register];
        for landing in &self.slots[self.slot(cycle + 1)] {
            if let Landing::Fpr { register: r, written, shade, is_load: true, .. } = *landing
                && usize::from(r) == register
            {
                merge(&mut found, written, shade);
            }
        }
        found
    }

    /// Sets a general register to a value in a cycle.
    pub(super) fn set_gpr(&mut self, cycle: Cycle, number: u8, to: Scalar) {
        let register = &mut self.scalars.gpr[usize::from(number)];
        self.old.retain(|&(c, ..)| c + 64 > cycle);
        self.old.push((cycle, number, *register));
        *register = to;
    }

    /// Returns a general register as an operation sees it that reads `distance` cycles behind the latest write.
    pub(super) fn gpr_behind(&self, cycle: Cycle, number: u8, distance: u32) -> Scalar {
        let is_hidden = |c: Cycle| c + u64::from(distance) > cycle;
        let hidden = self.old.iter().find(|&&(c, r, _)| r == number && is_hidden(c));
        hidden.map_or(self.scalars.gpr[usize::from(number)], |&(.., old)| old)
    }

    /// Returns the value that a load of a word gets; `at` is the bundle of the load.
    pub(super) fn word(&self, word: WordAddress, at: BundleAddress) -> Shade {
        let undefined = self.memory[word.index()];
        let section = mask::sections(undefined).trailing_zeros() as u8 % SECTIONS as u8;
        let never = Origin::Word { section, word, at };
        Shade { undefined, origin: self.stored[word.index()].unwrap_or(never) }
    }

    /// Stores into quarters of a word.
    pub(super) fn store(&mut self, word: WordAddress, written: Mask, shade: Shade) {
        let place = &mut self.memory[word.index()];
        let new = *place & !written | shade.undefined & written;
        if new != *place {
            *place = new;
            self.changes += 1;
        }
        if shade.undefined & written != 0 {
            self.stored[word.index()] = Some(shade.origin);
        }
    }

    /// Marks quarters of a word as if nothing had written them.
    pub(super) fn unwrite(&mut self, word: usize, quarters: Mask) {
        self.memory[word] |= quarters;
        self.stored[word] = None;
        self.changes += 1;
    }

    /// Marks quarters of a word as written.
    pub(super) fn define_word(&mut self, word: usize, quarters: Mask) {
        let place = &mut self.memory[word];
        if *place & quarters != 0 {
            *place &= !quarters;
            self.changes += 1;
        }
    }
}

impl Landing {
    fn is_load(&self) -> bool {
        matches!(self, Self::Fpr { is_load: true, .. })
    }
}

fn merge(target: &mut Shade, written: Mask, shade: Shade) {
    target.undefined = target.undefined & !written | shade.undefined & written;
    if shade.undefined & written != 0 {
        target.origin = shade.origin;
    }
}
