//! The exchange operations as steps: loads, stores, permutations, moves of scalars. The flow of control is left to the
//! engine.

use super::address::Word;
use super::block::BlockTranslator;
use crate::abi::context::{ANSWER, GPR, IREG, LANES, M, N, RMASK};
use crate::abi::undo_entry;
use crate::analysis::speculation::Scalar;
use crate::front_end::environment::KnownMode;
use crate::front_end::shape::ResultTarget;
use crate::ir::builder::{HIGH, LOW, SIGN_HIGH, SIGN_LOW};
use crate::ir::instruction::{Base, Ins, Value};
use crate::ir::scalar::{EAX, ECX, NOTES, built, context_indexed};
use cp2_isa::rules::address::{first_word, word_of_half};
use cp2_isa::{
    Address, Bundle, BundleAddress, Exch, FprTransfer, Halves, MemoryAccess, MemoryHalf, MoveReg,
    Permutation, RegFile, Step, WordAddress, control,
};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

fn short(base: i32, k: u8) -> i32 {
    base + 4 * i32::from(k)
}

pub(super) fn long(base: i32, k: i32) -> i32 {
    base + 8 * k
}

/// Half of a word in memory that an access takes.
#[derive(Clone, Copy, Debug)]
enum HalfInMemory {
    Both,
    Fixed(Halves),
    /// High half where the sign of this value is set, low half elsewhere.
    HighWhere(Value),
}

impl BlockTranslator {
    /// Makes the steps of an exchange operation; `None` if it has to be left to the portable engine.
    pub(crate) fn exchange(&mut self, next: Option<BundleAddress>, bundle: &Bundle) -> Option<()> {
        let inst = &bundle.exch;
        let obeys = inst.op.row().obeys(bundle.cc);
        if let Some(access) = inst.shared_access() {
            return self.access_shared(&access);
        }
        if let Some(access) = inst.memory_access() {
            let mask = obeys.then(|| self.predicate(bundle.cc)).flatten();
            if let Some(own) = self.own(access.address, mask) {
                return self.own_memory(access, own, mask);
            }
            return if access.is_store {
                self.store(access, mask)
            } else {
                self.load(access, mask)
            };
        }
        match inst.op {
            Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => self.update(inst.address()?),
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => {
                let mask = obeys.then(|| self.predicate(bundle.cc)).flatten();
                self.permute(inst.permutation()?, mask)?;
            }
            Exch::Mtfpr => self.move_to_fpr(inst.fpr_transfer()?)?,
            Exch::Mffpr => self.move_from_fpr(inst.fpr_transfer()?),
            Exch::Mxfpr => self.largest(inst.largest()?),
            Exch::Seti => self.set_immediate(inst.set_immediate()?),
            Exch::Clr => self.clear(inst.cleared_set()?.into()),
            Exch::Move => self.move_scalar(inst.moved()?, next)?,
            Exch::Setsa => self.set_own(inst)?,
            Exch::Mtsa => {
                let (set, register, half) = inst.section_addresses()?;
                self.now.own[usize::from(set)] = self.addresses_in(register, half);
            }
            Exch::Setq => self.set_shared(inst)?,
            Exch::CheckDma => {
                self.b.load64(Register::RAX, ANSWER);
                self.write_gpr(inst.gpr()?);
            }
            _ => {}
        }
        Some(())
    }

    /// Returns the word that an operation accesses; its address set steps.
    fn access(&mut self, address: Address) -> Word {
        match address {
            Address::Word(word) => Word::Known(word),
            Address::Set { set, step } => {
                let k = usize::from(set);
                match self.linear_step(k, step) {
                    Some(offset) => self.addresses.access_linear(&mut self.b, k, offset),
                    None => self.addresses.access(&mut self.b, k, step),
                }
            }
            // Addresses that each section has for itself do not come here: `own` takes them.
            Address::Sections { .. } | Address::Fpr { .. } => Word::Known(WordAddress::default()),
        }
    }

    /// Steps an address set without an access.
    fn update(&mut self, address: Address) {
        let Address::Set { set, step } = address else { return };
        let k = usize::from(set);
        match self.linear_step(k, step) {
            Some(offset) => self.addresses.step_linear(k, offset),
            None => {
                self.addresses.access(&mut self.b, k, step);
            }
        }
    }

    /// Returns by how much an access steps set `k`, if that is known and the set is linear.
    fn linear_step(&mut self, k: usize, step: Step) -> Option<i32> {
        if self.addresses.modes[k] != KnownMode::Linear {
            return None;
        }
        if let Step::Offset(offset) = step {
            return Some(offset);
        }
        let n = self.scalars.granted(Scalar::N(k as u8))? as i32;
        let n = self.addresses.nearer(n);
        Some(if step == Step::PlusN { n } else { -n })
    }

    /// Returns base and displacement of an access, which is counted and noted, its pointer, and the half of the word that it
    /// takes.
    fn place(
        &mut self,
        access: &MemoryAccess,
        is_overwritten: bool,
    ) -> (Base, i32, Option<usize>, HalfInMemory) {
        let words = access.words.into();
        if let Some(MemoryHalf::Address { upper }) = access.half.map(|half| half.memory)
            && let Address::Set { set, step } = access.address
        {
            let half = self.half_at(set.into(), step, upper);
            let (base, displacement) = self.word_in_eax(words);
            return (base, displacement, None, half);
        }
        let half = self.half_in_memory(access);
        match self.access(access.address) {
            Word::Known(address) => {
                let address = WordAddress(address.0 & self.core.address_mask());
                let address = first_word(address, words);
                self.count_access(self.core.bank_of(address));
                self.counted.footprint.word(self.time, address);
                (Base::At(Register::RSI), i32::from(address.0) * 32, None, half)
            }
            Word::Near(pointer, offset) => {
                let run = (offset, words);
                self.addresses.pointers[pointer].reads |= !is_overwritten;
                let reached = self.addresses.reach(&mut self.b, pointer, run, self.time);
                (reached.base, 32 * reached.first, Some(pointer), half)
            }
            Word::InEax => {
                let (base, displacement) = self.word_in_eax(words);
                (base, displacement, None, half)
            }
        }
    }

    /// Returns base and displacement of an access of the words at EAX, which is counted and noted.
    fn word_in_eax(&mut self, words: u16) -> (Base, i32) {
        if words == 2 {
            self.b.raw(built(Instruction::with2(Code::And_rm32_imm8, EAX, -2)));
        }
        self.b.copy32(ECX, EAX);
        self.b.shift_right(ECX, self.core.bank_words().trailing_zeros() as i32);
        let counter = context_indexed(self.bank_counters(), Register::RCX, 8);
        self.b.raw(built(Instruction::with1(Code::Inc_rm64, counter)));
        self.b.shift_left(EAX, 5);
        self.note();
        (Base::Word, 0)
    }

    /// Returns the half of a word that the address of set `k` names, which counts halves; EAX becomes the word, and the set
    /// steps.
    fn half_at(&mut self, k: usize, step: Step, upper: bool) -> HalfInMemory {
        if let Word::Known(address) = self.addresses.access(&mut self.b, k, step) {
            self.b.set32(EAX, address.0.into());
        }
        self.b.store64(LANES, Register::RAX);
        let address = self.b.broadcast(Base::Context, LANES);
        self.b.shift_right(EAX, 1);
        self.b.add32(EAX, word_of_half(&self.core, WordAddress::default(), upper).0.into());
        HalfInMemory::HighWhere(self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, address, 63))
    }

    /// Notes that there is an access at a place that only the run knows, and the place in EAX, if the block does that.
    pub(super) fn note(&mut self) {
        self.counted.footprint.anywhere();
        if self.environment.notes {
            let place = 4 * self.counted.footprint.noted.len() as i64;
            let place = MemoryOperand::with_base_displ(NOTES, place);
            self.counted.footprint.noted.push(self.time as u32);
            self.b.raw(built(Instruction::with2(Code::Mov_rm32_r32, place, EAX)));
        }
    }

    fn load(&mut self, access: MemoryAccess, mask: Option<Value>) -> Option<()> {
        let (base, displacement, _, half) = self.place(&access, false);
        for k in 0..i32::from(access.words) {
            let value = self.b.load(base, displacement + 32 * k);
            let value = self.half_of(value, half);
            let reg = (access.register + k) as u8;
            let halves = access.half.map_or(Halves::BOTH, |half| half.register);
            let goal = ResultTarget::Fpr { reg, halves, from_load: true };
            self.plan(self.latencies().load, goal, value, mask)?;
        }
        Some(())
    }

    /// Returns the half of a word that an access takes, where its address does not tell it.
    fn half_in_memory(&mut self, access: &MemoryAccess) -> HalfInMemory {
        match access.half.map(|half| half.memory) {
            None | Some(MemoryHalf::Address { .. }) => HalfInMemory::Both,
            Some(MemoryHalf::Fixed(half)) => HalfInMemory::Fixed(half),
            Some(MemoryHalf::Gpr(number)) => match self.scalars.known(Scalar::Gpr(number)) {
                Some(value) => HalfInMemory::Fixed(Halves::named((value & 1) as i32)),
                None => {
                    let value = self.gpr_to_all(number);
                    let high = self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, value, 63);
                    HalfInMemory::HighWhere(high)
                }
            },
        }
    }

    /// Returns a half of a word in both halves; the word itself if both are wanted.
    fn half_of(&mut self, word: Value, half: HalfInMemory) -> Value {
        match half {
            HalfInMemory::Fixed(Halves::LO) => self.b.low(word),
            HalfInMemory::Fixed(Halves::HI) => self.b.high(word),
            HalfInMemory::HighWhere(high) => {
                let halves = [self.b.low(word), self.b.high(word)];
                self.b.select(halves[0], halves[1], high)
            }
            _ => word,
        }
    }

    /// Returns a word in memory with `new` in one of its halves, or `new` itself for both.
    fn half_replaced(&mut self, old: Value, new: Value, half: HalfInMemory) -> Value {
        match half {
            HalfInMemory::Fixed(Halves::LO) => self.b.blend(old, new, LOW),
            HalfInMemory::Fixed(Halves::HI) => self.b.blend(old, new, HIGH),
            HalfInMemory::HighWhere(high) => {
                let moved = self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, high, 32);
                let sign = self.b.constant(SIGN_LOW);
                let low = self.b.xor(moved, sign);
                let halves = self.b.or(high, low);
                self.b.select_halves(old, new, halves)
            }
            _ => new,
        }
    }

    fn store(&mut self, access: MemoryAccess, mask: Option<Value>) -> Option<()> {
        let is_whole = access.half.is_none() && mask.is_none();
        let (base, displacement, pointer, half) = self.place(&access, is_whole);
        match pointer {
            Some(p) => self.addresses.pointers[p].store(displacement / 32, access.words.into()),
            None => self.keep(base, displacement, access.words.into()),
        }
        for k in 0..i32::from(access.words) {
            let mut value = self.fpr(access.register + k);
            if !is_whole {
                let old = self.b.load(base, displacement + 32 * k);
                let register = access.half.map_or(Halves::BOTH, |half| half.register);
                value = self.half_of(value, HalfInMemory::Fixed(register));
                value = self.half_replaced(old, value, half);
                value = mask.map_or(value, |mask| self.b.select(old, value, mask));
            }
            self.b.store(value, base, displacement + 32 * k);
        }
        Some(())
    }

    /// Keeps what a store is about to overwrite in the undo log.
    pub(super) fn keep(&mut self, base: Base, displacement: i32, words: u16) {
        let entry = self.needs.undos * undo_entry::ENTRY as i32;
        self.needs.undos += 1;
        for k in 0..i32::from(words) {
            let (from, to) = ((base, displacement + 32 * k), (Base::Undo, entry + 32 * k));
            self.b.ins.push(Ins::Keep { from, to });
        }
        // The place is a multiple of eight, so that its last bit can tell of a single word.
        let place = i64::from(displacement) + i64::from(words == 1);
        let place = match base {
            Base::At(register) => MemoryOperand::with_base_displ(register, place),
            _ => MemoryOperand::with_base_index_scale_displ_size(
                Register::RSI,
                Register::RAX,
                1,
                place,
                1,
            ),
        };
        self.b.raw(built(Instruction::with2(Code::Lea_r64_m, Register::RCX, place)));
        let kept = MemoryOperand::with_base_displ(
            Register::R10,
            i64::from(entry) + undo_entry::PLACE as i64,
        );
        self.b.raw(built(Instruction::with2(Code::Mov_rm64_r64, kept, Register::RCX)));
    }

    fn permute(&mut self, permutation: Permutation, mask: Option<Value>) -> Option<()> {
        let Permutation { to, from, words } = permutation;
        let sources = [self.bypassed(from), self.bypassed(from + 1)];
        for (k, pair) in words.as_chunks::<2>().0.iter().enumerate() {
            let [low, high] = pair.map(|word| {
                let source = sources[word.register];
                if word.half == Halves::HI { self.b.high(source) } else { self.b.low(source) }
            });
            let mut value = self.b.blend(low, high, HIGH);
            let [low, high] = pair.map(|word| word.is_flipped);
            let signs = if low { SIGN_LOW } else { 0 } | if high { SIGN_HIGH } else { 0 };
            if signs != 0 {
                let signs = self.b.constant(signs);
                value = self.b.xor(value, signs);
            }
            self.plan_fpr(self.latencies().permute, to + k as i32, value, mask, false)?;
        }
        Some(())
    }

    fn move_to_fpr(&mut self, transfer: FprTransfer) -> Option<()> {
        let FprTransfer { register, scalar: MoveReg { file, number }, section } = transfer;
        let value = match file {
            RegFile::Ireg => self.b.broadcast(Base::Context, long(IREG, number.into())),
            _ => self.gpr_to_all(number),
        };
        let mask = section.map(|section| {
            let is_it = |s: usize| s == section.index();
            let sections = std::array::from_fn(|s| if is_it(s) { u64::MAX } else { 0 });
            self.b.constant_quad(sections)
        });
        self.plan_fpr(self.latencies().to_fpr, register, value, mask, false)
    }

    fn move_from_fpr(&mut self, transfer: FprTransfer) {
        let FprTransfer { register, scalar: MoveReg { file, number }, section } = transfer;
        let value = self.fpr(register);
        self.b.store(value, Base::Context, LANES);
        self.b.load_rax(long(LANES, section.unwrap_or_default().index() as i32));
        if file == RegFile::Ireg {
            self.b.store64(long(IREG, number.into()), Register::RAX);
            self.scalars.lose(Scalar::Ireg(number));
        } else {
            self.write_gpr(number);
        }
    }

    fn set_immediate(&mut self, (MoveReg { file, number }, value): (MoveReg, u16)) {
        match file {
            RegFile::A => self.addresses.set(usize::from(number), WordAddress(value)),
            RegFile::N => self.set_n(number, value),
            RegFile::M => {
                let value = value & self.core.address_mask();
                self.b.set32(EAX, value.into());
                self.b.store32(short(M, number), EAX);
                self.addresses.modes[usize::from(number)] = KnownMode::of(&self.core, value);
            }
            _ => self.set_gpr(number, value.into()),
        }
    }

    fn set_ireg(&mut self, number: u8, value: u64) {
        self.b.set64(Register::RAX, value);
        self.b.store64(long(IREG, number.into()), Register::RAX);
        self.scalars.set(Scalar::Ireg(number), value);
    }

    fn set_n(&mut self, number: u8, value: u16) {
        let value = value & self.core.address_mask();
        self.b.set32(EAX, value.into());
        self.b.store32(short(N, number), EAX);
        self.scalars.set(Scalar::N(number), value.into());
    }

    fn clear(&mut self, k: usize) {
        self.addresses.set(k, WordAddress::default());
        self.set_n(k as u8, 1);
        self.b.set32(EAX, self.core.address_mask().into());
        self.b.store32(short(M, k as u8), EAX);
        self.addresses.modes[k] = KnownMode::Linear;
    }

    fn move_scalar(
        &mut self,
        (to, from): (MoveReg, MoveReg),
        next: Option<BundleAddress>,
    ) -> Option<()> {
        let is_angle =
            to.file == RegFile::Control && matches!(to.number, control::RIND | control::RSTEP);
        let scalar = match (from.file, from.number) {
            (RegFile::Gpr, k) => Some(Scalar::Gpr(k)),
            (RegFile::Ireg, k) => Some(Scalar::Ireg(k)),
            (RegFile::N, k) => Some(Scalar::N(k)),
            (RegFile::Control, control::RIND) => Some(Scalar::Rind),
            (RegFile::Control, control::RSTEP) => Some(Scalar::Rstep),
            _ => None,
        };
        let known = match scalar {
            // A value that decides on coefficients or addresses is worth being taken for granted.
            Some(scalar) if is_angle || to.file == RegFile::N => self.scalars.granted(scalar),
            Some(scalar) => self.scalars.known(scalar),
            None if (from.file, from.number) == (RegFile::Control, control::PC) => {
                Some(next?.into())
            }
            None => None,
        };
        match (known, to.file) {
            (Some(value), RegFile::Gpr) => self.set_gpr(to.number, value),
            (Some(value), RegFile::Ireg) => self.set_ireg(to.number, value),
            (Some(value), RegFile::N) => self.set_n(to.number, value as u16),
            (Some(value), RegFile::A) => {
                self.addresses.set(to.number.into(), WordAddress(value as u16));
            }
            (Some(value), RegFile::Control) if is_angle => {
                let scalar = Scalar::angle(to.number);
                self.scalars.set(scalar, value & 0xffff);
            }
            _ => {
                self.read_scalar(from, known)?;
                self.write_scalar(to)?;
            }
        }
        Some(())
    }

    /// Brings a scalar register into RAX.
    fn read_scalar(&mut self, reg: MoveReg, known: Option<u64>) -> Option<()> {
        let number = reg.number;
        if let Some(value) = known {
            self.b.set64(Register::RAX, value);
            return Some(());
        }
        match reg.file {
            RegFile::Gpr => self.b.load_rax(long(GPR, number.into())),
            RegFile::Ireg => self.b.load_rax(long(IREG, number.into())),
            RegFile::A => {
                if let Word::Known(address) = self.addresses.read(&mut self.b, number.into()) {
                    self.b.set32(EAX, address.0.into());
                }
            }
            RegFile::N => self.b.load32(EAX, short(N, number)),
            RegFile::M => self.b.load32(EAX, short(M, number)),
            RegFile::Control => match number {
                control::RIND => self.zero_extended(EAX, Register::R8W),
                control::RSTEP => self.zero_extended(EAX, Register::R9W),
                control::RMASK => self.b.load32(EAX, RMASK),
                _ => return None,
            },
        }
        Some(())
    }

    fn zero_extended(&mut self, to: Register, from: Register) {
        self.b.raw(built(Instruction::with2(Code::Movzx_r32_rm16, to, from)));
    }

    /// Writes RAX to a scalar register.
    fn write_scalar(&mut self, reg: MoveReg) -> Option<()> {
        let number = reg.number;
        match reg.file {
            RegFile::Gpr => self.write_gpr(number),
            RegFile::Ireg => {
                self.b.store64(long(IREG, number.into()), Register::RAX);
                self.scalars.lose(Scalar::Ireg(number));
            }
            RegFile::A => self.addresses.set_from_eax(&mut self.b, number.into()),
            RegFile::N | RegFile::M => {
                let base = if reg.file == RegFile::N { N } else { M };
                self.b.and32(EAX, self.core.address_mask().into());
                self.b.store32(short(base, number), EAX);
                if reg.file == RegFile::N {
                    self.scalars.lose(Scalar::N(number));
                }
            }
            RegFile::Control => match number {
                control::RIND => {
                    self.zero_extended(Register::R8D, Register::AX);
                    self.scalars.lose(Scalar::Rind);
                }
                control::RSTEP => {
                    self.zero_extended(Register::R9D, Register::AX);
                    self.scalars.lose(Scalar::Rstep);
                }
                control::RMASK => {
                    self.zero_extended(EAX, Register::AX);
                    self.b.store32(RMASK, EAX);
                    self.scalars.lose(Scalar::Rmask);
                }
                _ => return None,
            },
        }
        Some(())
    }
}
