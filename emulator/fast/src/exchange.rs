//! The exchange operations as steps: loads, stores, permutations, moves of scalars. The flow is the
//! engine's business.

use crate::address::Word;
use crate::builder::{HIGH, SIGN_HIGH, SIGN_LOW};
use crate::context::{GPR, IREG, LANES, M, N, RMASK};
use crate::ir::{Base, Ins, Value};
use crate::scalar::{EAX, ECX, built};
use crate::translate::{Translator, load_rax, mode_of};
use cp2_emu::state::ADDRESS_MASK;
use cp2_isa::{Bundle, Exch, Inst, Kind, Latencies, MoveReg, RegFile, control};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

const LATENCIES: Latencies = Latencies::CP2;
/// Bytes of an entry of the undo log: two words and their place.
pub(crate) const UNDO_ENTRY: usize = 96;
/// Where in an entry the place stands.
pub(crate) const UNDO_PLACE: usize = 64;

fn short(base: i32, k: u8) -> i32 {
    base + 4 * i32::from(k)
}

fn long(base: i32, k: i32) -> i32 {
    base + 8 * k
}

impl Translator<'_> {
    /// Makes the steps of an exchange operation; `None` if it has to be left to the reference
    /// engine.
    pub(crate) fn exchange(&mut self, pc: u16, bundle: &Bundle) -> Option<()> {
        let inst = &bundle.exch;
        let v = &inst.values;
        match inst.op {
            Exch::Lwi | Exch::Lwo | Exch::Lwnp | Exch::Lwnm => self.load(inst, 1)?,
            Exch::Ldi | Exch::Ldo | Exch::Ldnp | Exch::Ldnm => self.load(inst, 2)?,
            Exch::Swi | Exch::Swo | Exch::Swnp | Exch::Swnm => self.store(inst, 1),
            Exch::Sdi | Exch::Sdo | Exch::Sdnp | Exch::Sdnm => self.store(inst, 2),
            Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => {
                self.access(inst);
            }
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => {
                let mask = self.predicate(bundle.cc);
                self.permute(v, mask)?;
            }
            Exch::Mtfpr => self.move_to_fpr(v)?,
            Exch::Mffpr => {
                let value = self.fpr(v[1]);
                self.b.store(value, Base::Context, LANES);
                load_rax(&mut self.b, long(LANES, v[2]));
                if v[0] < 16 {
                    self.write_gpr(v[0] as u8);
                } else {
                    self.b.store64(long(IREG, v[0] - 16), Register::RAX);
                }
            }
            Exch::Seti => self.set_immediate(v[0], v[1] as u16),
            Exch::Clr => self.clear(v[0] as usize),
            Exch::Move => {
                self.read_scalar(MoveReg::from_packed(v[1])?, pc)?;
                self.write_scalar(MoveReg::from_packed(v[0])?)?;
            }
            Exch::CheckDma | Exch::StartDma => return None,
            _ => {}
        }
        Some(())
    }

    /// The word that an operation accesses; its address set steps.
    fn access(&mut self, inst: &Inst<Exch>) -> Word {
        for (operand, &value) in inst.op.row().operands.iter().zip(&inst.values) {
            match operand.kind {
                Kind::WordAddress => return Word::Known(value as u16),
                Kind::Address(form) => {
                    let k = (value & 15) as usize;
                    return self.addresses.access(&mut self.b, form, k, value >> 4);
                }
                _ => {}
            }
        }
        Word::Known(0)
    }

    /// Brings the byte offset of an access of this many words into EAX.
    fn word(&mut self, inst: &Inst<Exch>, words: u16) {
        match self.access(inst) {
            Word::Known(address) => {
                let address = address & ADDRESS_MASK & !(words - 1);
                self.count_access(usize::from(address) / cp2_isa::BANK_WORDS);
                self.b.set32(EAX, u32::from(address) * 32);
            }
            Word::InEax => {
                self.count_access(0);
                if words == 2 {
                    self.b.raw(built(Instruction::with2(Code::And_rm32_imm8, EAX, -2)));
                }
                self.b.copy32(ECX, EAX);
                self.b.shift_right(ECX, 12);
                let add = Instruction::with2(Code::Add_r64_rm64, Register::R11, Register::RCX);
                self.b.raw(built(add));
                self.b.shift_left(EAX, 5);
            }
        }
        self.note_access();
    }

    /// Notes the byte offset in EAX, if the block notes its accesses.
    fn note_access(&mut self) {
        if self.environment.logged {
            let place = 4 * self.accesses.len() as i64;
            let place = MemoryOperand::with_base_displ(Register::R12, place);
            self.b.raw(built(Instruction::with2(Code::Mov_rm32_r32, place, EAX)));
            self.accesses.push(self.time as u32);
        }
    }

    fn load(&mut self, inst: &Inst<Exch>, words: u16) -> Option<()> {
        self.word(inst, words);
        for k in 0..i32::from(words) {
            let value = self.b.load(Base::Word, 32 * k);
            self.plan_fpr(LATENCIES.load, inst.values[0] + k, value, None, true)?;
        }
        Some(())
    }

    fn store(&mut self, inst: &Inst<Exch>, words: u16) {
        self.word(inst, words);
        // The whole pair is kept, whichever word of it changes.
        let odd = words == 1;
        if odd {
            self.b.copy32(ECX, EAX);
            self.b.raw(built(Instruction::with2(Code::And_rm32_imm8, EAX, -64)));
        }
        for k in 0..2 {
            let (from, to) = ((Base::Word, 32 * k), (Base::Undo, 32 * k));
            self.b.ins.push(Ins::Keep { from, to });
        }
        let place = MemoryOperand::with_base_displ(Register::R10, UNDO_PLACE as i64);
        self.b.raw(built(Instruction::with2(Code::Mov_rm32_r32, place, EAX)));
        let step = UNDO_ENTRY as i32;
        self.b.raw(built(Instruction::with2(Code::Add_rm64_imm8, Register::R10, step)));
        if odd {
            self.b.copy32(EAX, ECX);
        }
        for k in 0..i32::from(words) {
            let value = self.fpr(inst.values[0] + k);
            self.b.store(value, Base::Word, 32 * k);
        }
    }

    fn permute(&mut self, v: &[i32], mask: Option<Value>) -> Option<()> {
        let sources = [self.bypassed(v[1]), self.bypassed(v[1] + 1)];
        for k in 0..2 {
            let selects = [v[2 + 2 * k], v[3 + 2 * k]];
            let [low, high] = selects.map(|select| {
                let source = sources[(select >> 1 & 1) as usize];
                if select & 1 == 1 { self.b.high(source) } else { self.b.low(source) }
            });
            let mut value = self.b.blend(low, high, HIGH);
            let signs = if selects[0] & 4 != 0 { SIGN_LOW } else { 0 }
                | if selects[1] & 4 != 0 { SIGN_HIGH } else { 0 };
            if signs != 0 {
                let signs = self.b.constant(signs);
                value = self.b.xor(value, signs);
            }
            self.plan_fpr(LATENCIES.permute, v[0] + k as i32, value, mask, false)?;
        }
        Some(())
    }

    fn move_to_fpr(&mut self, v: &[i32]) -> Option<()> {
        let place = if v[1] < 16 { long(GPR, v[1]) } else { long(IREG, v[1] - 16) };
        let value = self.b.broadcast(Base::Context, place);
        let mask = (v[2] < 4).then(|| {
            let sections = std::array::from_fn(|s| if s as i32 == v[2] { u64::MAX } else { 0 });
            self.b.constant_quad(sections)
        });
        self.plan_fpr(LATENCIES.to_fpr, v[0], value, mask, false)
    }

    fn set_immediate(&mut self, packed: i32, value: u16) {
        let number = (packed & 15) as u8;
        match RegFile::from_seti((packed >> 4) as u8) {
            RegFile::A => self.addresses.set(usize::from(number), value),
            RegFile::N => {
                self.b.set32(EAX, (value & ADDRESS_MASK).into());
                self.b.store32(short(N, number), EAX);
            }
            RegFile::M => {
                self.b.set32(EAX, (value & ADDRESS_MASK).into());
                self.b.store32(short(M, number), EAX);
                self.addresses.modes[usize::from(number)] = mode_of(value);
            }
            _ => {
                self.b.set32(EAX, value.into());
                self.write_gpr(number);
            }
        }
    }

    fn clear(&mut self, k: usize) {
        self.addresses.set(k, 0);
        self.b.set32(EAX, 1);
        self.b.store32(short(N, k as u8), EAX);
        self.b.set32(EAX, ADDRESS_MASK.into());
        self.b.store32(short(M, k as u8), EAX);
        self.addresses.modes[k] = mode_of(ADDRESS_MASK);
    }

    /// Brings a scalar register into RAX.
    fn read_scalar(&mut self, reg: MoveReg, pc: u16) -> Option<()> {
        let number = reg.number;
        match reg.file {
            RegFile::Gpr => load_rax(&mut self.b, long(GPR, number.into())),
            RegFile::Ireg => load_rax(&mut self.b, long(IREG, number.into())),
            RegFile::A => {
                if let Word::Known(address) = self.addresses.read(&mut self.b, number.into()) {
                    self.b.set32(EAX, address.into());
                }
            }
            RegFile::N => self.b.load32(EAX, short(N, number)),
            RegFile::M => self.b.load32(EAX, short(M, number)),
            RegFile::Control => match number {
                control::PC => self.b.set32(EAX, u32::from(pc) + 1),
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
            RegFile::Ireg => self.b.store64(long(IREG, number.into()), Register::RAX),
            RegFile::A => self.addresses.set_from_eax(&mut self.b, number.into()),
            RegFile::N | RegFile::M => {
                let base = if reg.file == RegFile::N { N } else { M };
                self.b.and32(EAX, ADDRESS_MASK.into());
                self.b.store32(short(base, number), EAX);
            }
            RegFile::Control => match number {
                control::RIND => self.zero_extended(Register::R8D, Register::AX),
                control::RSTEP => self.zero_extended(Register::R9D, Register::AX),
                control::RMASK => {
                    self.zero_extended(EAX, Register::AX);
                    self.b.store32(RMASK, EAX);
                }
                _ => return None,
            },
        }
        Some(())
    }
}
