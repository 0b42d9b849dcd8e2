//! Addresses of memory operations and their steps, in the three modes of an address set.

use crate::abi::context::{A, M, N, REVERSED, pointer_at};
use crate::analysis::pointer::{Apart, Pointer, registers};
use crate::front_end::environment::KnownMode;
use crate::ir::builder::Builder;
use crate::ir::instruction::Base;
use crate::ir::scalar::{EAX, ECX, EDX, built};
use cp2_isa::rules::address::{self as rule, stepped};
use cp2_isa::{Core, Step, WordAddress};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Knowledge about an address while a block is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownAddress {
    /// Address in the context plus this offset, modulo the size of local memory: the nearer way there.
    Offset(i32),
    /// A word of local memory that is known when the block is made.
    Known(WordAddress),
}

/// Address sets of a block.
#[derive(Clone)]
pub(crate) struct Addresses {
    core: Core,
    places: [KnownAddress; 16],
    pub(crate) modes: [KnownMode; 16],
    /// Addresses when the block begins, if sets may become pointers.
    start: Option<[u32; 16]>,
    /// Sets that cannot be pointers any more, one bit each.
    plain: u16,
    /// Parts of the sets that have several pointers: the set, and how far ahead of it the part begins.
    parts: Vec<(usize, u32)>,
    notes: bool,
    pub(crate) pointers: Vec<Pointer>,
    /// Sets whose addresses code has read where they are kept, one bit each.
    read: u16,
}

/// Change of the address sets by a turn of a loop.
#[derive(Debug, Default)]
pub(crate) struct TurnSteps {
    /// Sets that have to stand where they are kept when a turn begins, one bit each.
    pub(crate) kept: u16,
    /// Number of words by which a turn steps each of the other sets.
    pub(crate) steps: [i32; 16],
}

/// Word address of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Known(WordAddress),
    InEax,
    /// Word at an offset from a pointer: the pointer's number, and the offset in words.
    Near(usize, i32),
}

/// Access through a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) base: Base,
    /// First word of the access, counted from the pointer.
    pub(crate) first: i32,
}

/// Address sets whose pointers would not stay in a bank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strays {
    /// Sets that cannot be pointers, one bit each.
    pub(crate) plain: u16,
    /// Parts of sets that may stay in a bank with pointers of their own: the set, and how far ahead of it the part begins.
    pub(crate) parts: Vec<(usize, u32)>,
}

impl Strays {
    pub(crate) fn is_empty(&self) -> bool {
        self.plain == 0 && self.parts.is_empty()
    }
}

fn at(base: i32, k: usize) -> i32 {
    base + 4 * k as i32
}

impl Addresses {
    /// Creates the address sets of a block. `start` tells the addresses at the beginning if sets may become pointers, but for
    /// those that were found to stray. With `notes` one register is needed for other things.
    pub(crate) fn new(
        core: &Core,
        modes: [KnownMode; 16],
        start: Option<[u32; 16]>,
        strays: &Strays,
        notes: bool,
    ) -> Self {
        let Strays { plain, parts } = strays.clone();
        let places = [KnownAddress::Offset(0); 16];
        let pointers = Vec::new();
        Self { core: *core, places, modes, start, plain, parts, notes, pointers, read: 0 }
    }

    fn mask(&self) -> u32 {
        self.core.address_mask().into()
    }

    /// Returns the same step modulo the size of local memory, at most half of it either way: an address that stays in its
    /// bank goes this way where there are several.
    pub(crate) fn nearer(&self, step: i32) -> i32 {
        let half = self.core.lmem_words() as i32 / 2;
        ((step + half) & (2 * half - 1)) - half
    }

    /// Returns the pairs of pointers that reach different words, as far as the addresses at the beginning tell, in a block that
    /// repeats or not; for `exact` also the others, with the distances that they have at the beginning.
    pub(crate) fn apart(&self, repeats: bool, exact: bool) -> Vec<Apart> {
        let Some(start) = self.start else { return Vec::new() };
        let pointers = || self.pointers.iter().enumerate();
        let pairs = pointers()
            .flat_map(|(k, a)| pointers().skip(k + 1).filter_map(move |other| a.pair(k, other)));
        let known = |pair: Apart| match pair.holds(&self.pointers, &start) {
            true => Some(pair),
            false if exact => pair.exactly(&self.pointers, &start, repeats),
            false => None,
        };
        pairs.filter_map(known).collect()
    }

    /// Settles the pointers, whose accesses are all known, with the steps by which a pass changes their sets. Returns the
    /// sets whose step is not known, one bit each; nobody asks for it if the block does not repeat.
    pub(crate) fn settle_pointers(&mut self) -> u16 {
        let mut unknown = 0;
        for pointer in &mut self.pointers {
            let set = usize::from(pointer.set);
            let step = match self.places[set] {
                KnownAddress::Offset(step) if self.plain >> set & 1 == 0 => Some(step),
                _ => None,
            };
            unknown |= u16::from(step.is_none()) << set;
            pointer.finish(step.unwrap_or(0));
        }
        unknown
    }

    /// Returns the sets whose pointers would not stay in a bank.
    pub(crate) fn strays(&self) -> Strays {
        let mut strays = Strays::default();
        let Some(start) = self.start else { return strays };
        for pointer in self.pointers.iter().filter(|p| !p.allows(p.address(&start))) {
            let set = usize::from(pointer.set);
            let parts = pointer.parts();
            if parts.len() > 1 && self.parts.iter().all(|&(k, _)| k != set) {
                strays.parts.extend(parts.into_iter().map(|ahead| (set, ahead)));
            } else {
                strays.plain |= 1 << set;
            }
        }
        strays
    }

    /// Sets the address of set `k` to an immediate.
    pub(crate) fn set(&mut self, k: usize, address: WordAddress) {
        self.places[k] = KnownAddress::Known(WordAddress(address.0 & self.core.address_mask()));
    }

    /// Sets the address of set `k` to EAX.
    pub(crate) fn set_from_eax(&mut self, b: &mut Builder, k: usize) {
        b.and32(EAX, self.mask());
        b.store32(at(A, k), EAX);
        self.places[k] = KnownAddress::Offset(0);
        self.plain |= 1 << k;
    }

    /// Returns the address of set `k`, if it is known at translation, or brings it into EAX.
    pub(crate) fn read(&mut self, b: &mut Builder, k: usize) -> Word {
        self.read |= 1 << k;
        match self.places[k] {
            KnownAddress::Known(address) => Word::Known(address),
            KnownAddress::Offset(offset) => {
                b.load32(EAX, at(A, k));
                if offset != 0 {
                    b.add32(EAX, offset);
                    b.and32(EAX, self.mask());
                }
                Word::InEax
            }
        }
    }

    /// Writes the address of set `k` to the context.
    fn write_back(&mut self, b: &mut Builder, k: usize) {
        match self.places[k] {
            KnownAddress::Offset(0) => return,
            KnownAddress::Offset(_) => {
                self.read(b, k);
            }
            KnownAddress::Known(address) => b.set32(EAX, address.0.into()),
        }
        b.store32(at(A, k), EAX);
        self.places[k] = KnownAddress::Offset(0);
        self.plain |= 1 << k;
    }

    /// Writes the addresses of some sets, one bit each, to the context. Such a set is no pointer any more.
    pub(crate) fn settle(&mut self, b: &mut Builder, sets: u16) {
        for k in (0..16).filter(|k| sets >> k & 1 == 1) {
            self.write_back(b, k);
            self.plain |= 1 << k;
        }
    }

    /// Begins a turn of a loop: forgets which sets code has read.
    pub(crate) fn begin_turn(&mut self) {
        self.read = 0;
    }

    /// Returns what a turn of a loop has changed that began with the sets as in `start`, and by how much it steps the others.
    pub(crate) fn turn_since(&self, start: &Self) -> TurnSteps {
        let mut turn = TurnSteps::default();
        for (k, step) in turn.steps.iter_mut().enumerate() {
            let was_plain = start.plain >> k & 1;
            let is_steady = self.plain >> k & 1 == was_plain;
            let is_kept = match (start.places[k], self.places[k]) {
                (KnownAddress::Offset(then), KnownAddress::Offset(now)) => {
                    *step = self.nearer(now - then);
                    *step != 0 && (was_plain == 1 || self.read >> k & 1 == 1)
                }
                (then, now) => then != now,
            };
            turn.kept |= u16::from(is_kept || !is_steady) << k;
        }
        turn
    }

    /// Steps sets as further turns of a loop do that are like the one before.
    pub(crate) fn take_turns(&mut self, steps: &[i32; 16], further: u32) {
        let half = self.core.lmem_words() as i64 / 2;
        for (place, &step) in self.places.iter_mut().zip(steps) {
            if let KnownAddress::Offset(offset) = place {
                let sum = i64::from(*offset) + i64::from(step) * i64::from(further);
                *offset = ((sum + half).rem_euclid(2 * half) - half) as i32;
            }
        }
    }

    pub(crate) fn settle_all(&mut self, b: &mut Builder) {
        (0..16).for_each(|k| self.write_back(b, k));
    }

    /// Returns the address of an access through set `k`, which then steps by an offset in linear mode.
    pub(crate) fn access_linear(&mut self, b: &mut Builder, k: usize, offset: i32) -> Word {
        let word = match (self.places[k], self.start) {
            (KnownAddress::Offset(now), Some(_)) if self.plain >> k & 1 == 0 => {
                let ahead = self.ahead(k, now);
                Word::Near(self.pointer(k, ahead), self.nearer(now - ahead as i32))
            }
            _ => self.read(b, k),
        };
        self.step_linear(k, offset);
        word
    }

    /// Steps set `k` by an offset in linear mode.
    pub(crate) fn step_linear(&mut self, k: usize, offset: i32) {
        self.places[k] = match self.places[k] {
            KnownAddress::Offset(old) => KnownAddress::Offset(self.nearer(old + offset)),
            KnownAddress::Known(old) => {
                KnownAddress::Known(stepped(&self.core, old, offset, self.core.address_mask()))
            }
        };
    }

    /// Returns how far ahead of set `k` the pointer is that reaches a word at this offset: it points to the beginning of the
    /// word's part.
    fn ahead(&self, k: usize, offset: i32) -> u32 {
        let parts = self.parts.iter().filter(|&&(set, _)| set == k).map(|&(_, ahead)| ahead);
        parts.min_by_key(|&ahead| (offset as u32).wrapping_sub(ahead) & self.mask()).unwrap_or(0)
    }

    fn pointer(&mut self, k: usize, ahead: u32) -> usize {
        let is_it = |p: &Pointer| usize::from(p.set) == k && p.ahead == ahead;
        self.pointers.iter().position(is_it).unwrap_or_else(|| {
            let n = self.pointers.len();
            let register = registers(self.notes).get(n).copied();
            self.pointers.push(Pointer::new(&self.core, k as u8, ahead, register));
            n
        })
    }

    /// Adds an access of so many words in a cycle through a pointer, and returns the place that it reaches.
    pub(crate) fn reach(
        &mut self,
        b: &mut Builder,
        number: usize,
        (offset, words): (i32, u16),
        cycle: usize,
    ) -> Reached {
        let pointer = &mut self.pointers[number];
        let address = self.start.map_or(0, |start| pointer.address(&start));
        let first = pointer.access(cycle, (offset, words.into()), address);
        let base = pointer.register.unwrap_or_else(|| {
            b.load64(Register::RAX, pointer_at(number));
            Register::RAX
        });
        Reached { base: Base::At(base), first }
    }

    /// Returns the address of an access through set `k`, which then steps.
    pub(crate) fn access(&mut self, b: &mut Builder, k: usize, step: Step) -> Word {
        if let (KnownMode::Linear, Step::Offset(offset)) = (self.modes[k], step) {
            return self.access_linear(b, k, offset);
        }
        self.write_back(b, k);
        self.read |= 1 << k;
        b.load32(EAX, at(A, k));
        match self.modes[k] {
            KnownMode::Reversed => self.step_reversed(b, k, step),
            mode => {
                Self::step_plain(b, k, step);
                if mode == KnownMode::Circular {
                    // ecx := ecx & m | eax & ~m
                    b.load32(EDX, at(M, k));
                    b.op32(Code::And_r32_rm32, ECX, EDX);
                    b.raw(built(Instruction::with3(Code::VEX_Andn_r32_r32_rm32, EDX, EDX, EAX)));
                    b.op32(Code::Or_r32_rm32, ECX, EDX);
                } else {
                    b.and32(ECX, self.mask());
                }
            }
        }
        b.store32(at(A, k), ECX);
        self.plain |= 1 << k;
        Word::InEax
    }

    /// Sets ECX to EAX + step, not reduced.
    fn step_plain(b: &mut Builder, k: usize, step: Step) {
        b.copy32(ECX, EAX);
        match step {
            Step::Offset(offset) => b.add32(ECX, offset),
            Step::PlusN => b.op32_with(Code::Add_r32_rm32, ECX, at(N, k)),
            Step::MinusN => b.op32_with(Code::Sub_r32_rm32, ECX, at(N, k)),
        }
    }

    /// Sets ECX to rev(rev(EAX) + rev(|step|)), minus for a negative step.
    fn step_reversed(&self, b: &mut Builder, k: usize, step: Step) {
        b.load64(Register::RDX, REVERSED);
        let table = |index| MemoryOperand::with_base_index_scale(Register::RDX, index, 2);
        let lookup = |b: &mut Builder, to, index| {
            b.raw(built(Instruction::with2(Code::Movzx_r32_rm16, to, table(index))));
        };
        // RAX keeps the address of the access; its reversal waits in EDX last.
        if let Step::Offset(offset) = step {
            let magnitude = offset.unsigned_abs() as u16 & self.core.address_mask();
            b.set32(ECX, rule::reversed(&self.core, magnitude).into());
        } else {
            b.load32(ECX, at(N, k));
            lookup(b, ECX, Register::RCX);
        }
        if step == Step::MinusN || matches!(step, Step::Offset(offset) if offset < 0) {
            b.raw(built(Instruction::with1(Code::Neg_rm32, ECX)));
        }
        // ecx += rev(eax), through a 32-bit load of two table entries of which only the low counts.
        b.op32_indexed(Code::Add_r32_rm32, ECX, table(Register::RAX));
        b.and32(ECX, self.mask());
        lookup(b, ECX, Register::RCX);
    }
}

impl Builder {
    fn op32_indexed(&mut self, code: Code, to: Register, from: MemoryOperand) {
        self.raw(built(Instruction::with2(code, to, from)));
    }
}
