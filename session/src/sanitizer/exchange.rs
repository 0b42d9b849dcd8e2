//! The exchange half of a bundle on the shadow, but for loads and stores.

use super::mask::{self, EVERYWHERE};
use super::shadow::{Origin, Scalar, Shade};
use super::step::{FindingKind, IssuedBundle};
use cp2_isa::{
    Address, Exch, FprTransfer, Halves, Inst, MoveReg, RegFile, SECTIONS, Step as Stride, Storage,
    Unit, control,
};

/// Quarters of a general register that count as a number of 32 bits, and all quarters.
const NUMBER: u8 = 0b0011;
const WHOLE: u8 = 0b1111;

/// Scalar register that is defined.
const DEFINED: Scalar = Scalar { undefined: 0, origin: Origin::Register(Storage::Gpr, 0) };

impl IssuedBundle<'_> {
    /// Does the exchange half of a bundle on the shadow, in the sections `enabled`.
    pub(super) fn exchange(&mut self, inst: &Inst<Exch>, enabled: u8) {
        let latencies = *self.core.latencies();
        match inst.op {
            Exch::Nop => {}
            Exch::Move => self.moved(inst),
            Exch::Clr => {
                let set = usize::from(inst.cleared_set().unwrap_or_default());
                let shadow = &mut *self.shadow;
                for file in [&mut shadow.scalars.a, &mut shadow.scalars.n, &mut shadow.scalars.m] {
                    file[set].define();
                }
            }
            Exch::Seti => {
                if let Some((register, _)) = inst.set_immediate() {
                    self.set(register, DEFINED);
                }
            }
            Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => self.stride(inst),
            Exch::Setsa => {
                let from = self.gpr(inst, 1).narrow();
                self.shadow.scalars.sa[usize::from(inst.values[0] as u8)] = [from; SECTIONS];
            }
            Exch::Setq => {
                let from = self.gpr(inst, 1).narrow();
                self.shadow.scalars.qa[usize::from(inst.values[0] as u8)] = from;
            }
            Exch::Mtsa => {
                if let Some((set, register, half)) = inst.section_addresses() {
                    self.shadow.scalars.sa[usize::from(set)] = self.addresses(register, half);
                }
            }
            Exch::Mtfpr => self.move_to_fpr(inst),
            Exch::Mffpr => self.move_from_fpr(inst),
            Exch::Mxfpr => self.largest(inst),
            Exch::CheckDma => {
                self.is_opaque = true;
                self.shadow.set_gpr(self.cycle, inst.gpr().unwrap_or_default(), DEFINED);
            }
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => self.permute(inst, enabled),
            Exch::Stop => self.flow(inst, (FindingKind::Result, latencies.gpr_to_stop, WHOLE)),
            Exch::Do => self.flow(inst, (FindingKind::Flow, latencies.gpr_to_loop, NUMBER)),
            Exch::Call => self.flow(inst, (FindingKind::Flow, latencies.gpr_to_loop, WHOLE)),
            Exch::Jump | Exch::Run => self.flow(inst, (FindingKind::Flow, 1, WHOLE)),
            _ if inst.shared_access().is_some() => self.shared(inst),
            _ if matches!(inst.op.row().unit, Unit::Load | Unit::Store) => {
                self.memory(inst, enabled);
            }
            // Control operations without operands.
            _ => {}
        }
    }

    fn gpr(&self, inst: &Inst<Exch>, distance: u32) -> Scalar {
        self.shadow.gpr_behind(self.cycle, inst.gpr().unwrap_or_default(), distance)
    }

    fn flow(&mut self, inst: &Inst<Exch>, (kind, distance, quarters): (FindingKind, u32, u8)) {
        let number = inst.gpr().unwrap_or_default();
        let scalar = self.gpr(inst, distance);
        self.count(kind, (Storage::Gpr, number), scalar, quarters);
        if scalar.undefined & quarters != 0 {
            self.shadow.scalars.gpr[usize::from(number & 15)].define();
        }
    }

    /// Returns a register as `move` reads it.
    fn read(&mut self, register: MoveReg) -> Scalar {
        let n = usize::from(register.number & 15);
        match register.file {
            RegFile::Gpr => self.shadow.scalars.gpr[n],
            RegFile::Ireg => self.shadow.scalars.ireg[n],
            RegFile::A => self.shadow.scalars.a[n],
            RegFile::N => self.shadow.scalars.n[n],
            RegFile::M => self.shadow.scalars.m[n],
            RegFile::Control => match register.number {
                control::RIND => self.shadow.scalars.rind,
                control::RSTEP => self.shadow.scalars.rstep,
                control::RMASK => self.shadow.scalars.rmask,
                control::PC | control::PSP | control::LSP => DEFINED,
                _ => {
                    // The control processor, flags of FPRs or a count that goes down may be behind it.
                    self.is_opaque = true;
                    DEFINED
                }
            },
        }
    }

    /// Sets a register to a value.
    fn set(&mut self, register: MoveReg, value: Scalar) {
        let n = usize::from(register.number & 15);
        match register.file {
            RegFile::Gpr => self.shadow.set_gpr(self.cycle, register.number, value),
            RegFile::Ireg => self.shadow.scalars.ireg[n] = value,
            RegFile::A => self.shadow.scalars.a[n] = value.narrow(),
            RegFile::N => self.shadow.scalars.n[n] = value.narrow(),
            RegFile::M => self.shadow.scalars.m[n] = value.narrow(),
            RegFile::Control => self.set_control(register.number, value),
        }
    }

    fn set_control(&mut self, number: u8, value: Scalar) {
        let register = |storage| (storage, 0);
        match number {
            control::RIND => self.shadow.scalars.rind = value.narrow(),
            control::RSTEP => self.shadow.scalars.rstep = value.narrow(),
            control::RMASK => self.shadow.scalars.rmask = value.narrow(),
            control::CONTROL => {
                self.count(FindingKind::Flow, register(Storage::Control), value, NUMBER);
            }
            control::LC | control::LA => {
                self.count(FindingKind::Flow, register(Storage::Loops), value, NUMBER);
            }
            control::STATUS => {
                self.count(FindingKind::Result, register(Storage::Status), value, NUMBER);
            }
            control::COMM => self.count(FindingKind::Result, register(Storage::Comm), value, WHOLE),
            _ => {}
        }
    }

    fn moved(&mut self, inst: &Inst<Exch>) {
        let Some((to, from)) = inst.moved() else { return };
        let value = self.read(from);
        self.set(to, value);
    }

    /// Steps an address set.
    fn stride(&mut self, inst: &Inst<Exch>) {
        if let Some(Address::Set { set, step }) = inst.address() {
            self.step_set(set, step);
        }
    }

    pub(super) fn step_set(&mut self, set: u8, step: Stride) {
        let set = usize::from(set);
        let (n, m) = (self.shadow.scalars.n[set], self.shadow.scalars.m[set]);
        let is_by_n = !matches!(step, Stride::Offset(_));
        let a = &mut self.shadow.scalars.a[set];
        let by = [(is_by_n, n), (true, m)].into_iter().find(|(is, by)| *is && by.undefined != 0);
        if let Some((_, by)) = by.filter(|_| a.undefined == 0) {
            *a = by;
        }
    }

    /// Returns the addresses of the sections from a half of an FPR.
    pub(super) fn addresses(&mut self, register: i32, half: Halves) -> [Scalar; SECTIONS] {
        self.is_opaque = true;
        let shade = self.shade(register as usize);
        let shift = if half == Halves::HI { 2 } else { 0 };
        std::array::from_fn(|s| Scalar {
            undefined: (shade.undefined >> (4 * s + shift) & 1) as u8 * 0xf,
            origin: shade.origin,
        })
    }

    fn move_to_fpr(&mut self, inst: &Inst<Exch>) {
        let Some(FprTransfer { register, scalar, section }) = inst.fpr_transfer() else { return };
        let from = self.read(scalar);
        let sections = section.map_or(EVERYWHERE, |section| 1 << section.index());
        let shade = Shade { undefined: from.spread(), origin: from.origin };
        let distance = self.core.latencies().to_fpr;
        self.plan(distance, register as u8, mask::of_sections(sections), shade, false);
    }

    fn move_from_fpr(&mut self, inst: &Inst<Exch>) {
        self.is_opaque = true;
        let Some(FprTransfer { register, scalar, section }) = inst.fpr_transfer() else { return };
        let shade = self.shade(register as usize);
        let section = section.map_or(0, |section| section.index());
        let undefined = (shade.undefined >> (4 * section)) as u8 & 0xf;
        self.set(scalar, Scalar { undefined, origin: shade.origin });
    }

    fn largest(&mut self, inst: &Inst<Exch>) {
        self.is_opaque = true;
        let Some((gpr, register, half)) = inst.largest() else { return };
        let shade = self.shade(register as usize);
        let is_undefined = shade.undefined & mask::of_halves(half) != 0;
        let undefined = if is_undefined { NUMBER } else { 0 };
        self.shadow.set_gpr(self.cycle, gpr, Scalar { undefined, origin: shade.origin });
    }

    fn permute(&mut self, inst: &Inst<Exch>, enabled: u8) {
        let Some(permutation) = inst.permutation() else { return };
        let from = permutation.from as usize;
        let sources = [from, from + 1].map(|r| self.shadow.bypassed(self.cycle, r));
        let written = mask::of_sections(enabled);
        for (k, pair) in permutation.words.as_chunks::<2>().0.iter().enumerate() {
            let mut shade = Shade { undefined: 0, origin: sources[0].origin };
            for (word, to) in pair.iter().zip([Halves::LO, Halves::HI]) {
                let source = sources[word.register];
                let part = source.undefined & mask::of_halves(word.half);
                shade.undefined |= if word.half == to { part } else { mask::swapped(part) };
                if part != 0 {
                    shade.origin = source.origin;
                }
            }
            let register = permutation.to as u8 + k as u8;
            self.plan(self.core.latencies().permute, register, written, shade, false);
        }
    }
}
