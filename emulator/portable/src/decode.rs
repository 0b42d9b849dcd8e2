//! Bundles decoded for this engine: what can be known of each before it runs, and how far straight runs go.

use crate::ring::{ALL, Targets, Unit};
use cp2_emu::Cp2;
use cp2_isa::{
    Address, Arith, Bundle, Core, Effects, Exch, Halves, MoveReg, RegFile, Role, Undefined,
    Unit as Kind, control, decode,
};
use std::collections::BTreeMap;

/// Kind of an exchange operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    Nop,
    /// Move of an immediate to a register that is not a control register.
    SetImmediate,
    /// Move between registers that are not control registers.
    Move,
    /// Move to a control register from which the angle of the coefficients follows.
    MoveToAngle,
    Clear,
    Update,
    Load,
    LoadPair,
    Store,
    StorePair,
    /// A load or store of halves, under a condition, at an address of each section, or of shared memory.
    Access,
    /// Setting of addresses of the sections or of shared memory from a general register or from an FPR.
    Addresses,
    /// Move from a scalar register to an FPR.
    ToFpr,
    /// Move from a section of an FPR to a scalar register.
    FromFpr,
    /// Move of the largest number in a half of an FPR to a general register.
    Largest,
    Permute,
    /// Operation that `special` executes: flow of control, control registers, the channel, `sync`.
    Special,
    /// Placeholder in a word that is not a bundle.
    Undefined,
}

/// Operands and results of an arithmetic operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) d: u8,
    pub(crate) s: u8,
    pub(crate) t: u8,
    /// Condition code of the arithmetic operation; 0 if it obeys none.
    pub(crate) code: u8,
    /// Registers that the arithmetic operation writes, in the order of its results.
    pub(crate) results: Targets,
}

/// Scalar registers between which a bundle moves a value, and its immediate value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    /// Scalar registers to and from which the bundle moves.
    pub(crate) to: MoveReg,
    pub(crate) from: MoveReg,
    pub(crate) immediate: i32,
}

/// Decoded bundle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecodedBundle {
    /// Number of bundles from this one on that run straight: 0 for a special one, or for a word that is not a bundle.
    pub(crate) straight: u16,
    is_decoded: bool,
    pub(crate) arith: Arith,
    pub(crate) exchange: Exchange,
    pub(crate) arithmetic: Operands,
    /// Condition code of the exchange operation; 0 if it obeys none.
    pub(crate) exchange_code: u8,
    /// FPR of the exchange operation.
    pub(crate) reg: u8,
    /// Registers that the exchange operation writes.
    pub(crate) targets: Targets,
    pub(crate) address: Address,
    pub(crate) moves: Moves,
    /// Words of a permutation: which of four halves, and whether with the other sign ([`FLIPPED`]).
    pub(crate) words: [u8; 4],
}

/// Bit of a word of a permutation: it gets the other sign.
pub(crate) const FLIPPED: u8 = 1 << 7;

const NONE: MoveReg = MoveReg { file: RegFile::Gpr, number: 0 };

const UNDEFINED: DecodedBundle = DecodedBundle {
    straight: 0,
    is_decoded: false,
    arith: Arith::Nop,
    exchange: Exchange::Undefined,
    exchange_code: 0,
    reg: 0,
    targets: Targets::NONE,
    address: Address::Word(cp2_isa::WordAddress(0)),
    words: [0; 4],
    arithmetic: Operands { d: 0, s: 0, t: 0, code: 0, results: Targets::NONE },
    moves: Moves { to: NONE, from: NONE, immediate: 0 },
};

/// Decoded instruction memory of a core.
#[derive(Debug)]
pub(crate) struct DecodedProgram {
    pub(crate) core: Core,
    version: u64,
    pub(crate) steps: Vec<DecodedBundle>,
    bundles: Vec<Bundle>,
    /// Reasons why words are not bundles, by address.
    undefined: BTreeMap<usize, Undefined>,
}

impl DecodedProgram {
    pub(crate) fn new(core: &Core) -> Self {
        let bundles = core.iram_bundles();
        Self {
            core: *core,
            version: 0,
            steps: vec![UNDEFINED; bundles],
            bundles: vec![Bundle::NOP; bundles],
            undefined: BTreeMap::new(),
        }
    }

    /// Forgets all decoded bundles if instruction memory was written.
    pub(crate) fn refresh(&mut self, cp2: &Cp2) {
        if self.version != cp2.state.iram.version() {
            self.version = cp2.state.iram.version();
            self.steps.fill(UNDEFINED);
            self.undefined.clear();
        }
    }

    /// Returns the bundle at an address that was decoded.
    pub(crate) fn bundle(&self, at: usize) -> &Bundle {
        &self.bundles[at]
    }

    /// Returns the reason why there is no bundle at an address that was decoded.
    pub(crate) fn undefined(&self, at: usize) -> Option<Undefined> {
        self.undefined.get(&at).copied()
    }

    /// Returns the number of bundles from an address on that run straight; decodes them if they were not.
    #[inline(always)]
    pub(crate) fn straight(&mut self, at: usize, cp2: &Cp2) -> usize {
        match self.steps.get(at) {
            Some(step) if step.is_decoded => step.straight.into(),
            Some(_) => self.decode_from(at, cp2),
            None => 0,
        }
    }

    /// Decodes bundles straight on from an address, and returns their number.
    #[cold]
    fn decode_from(&mut self, first: usize, cp2: &Cp2) -> usize {
        let mut end = first;
        let mut behind = 0;
        while let Some(&word) = cp2.state.iram.get(end) {
            if self.steps[end].is_decoded {
                behind = self.steps[end].straight;
                break;
            }
            let (bundle, step) = match decode(word, &self.core) {
                Ok(bundle) => (bundle, step(&bundle)),
                Err(reason) => {
                    self.undefined.insert(end, reason);
                    (Bundle::NOP, UNDEFINED)
                }
            };
            self.bundles[end] = bundle;
            self.steps[end] = DecodedBundle { is_decoded: true, ..step };
            if is_end(&step) {
                break;
            }
            end += 1;
        }
        for step in self.steps[first..end].iter_mut().rev() {
            behind += 1;
            step.straight = behind;
        }
        behind.into()
    }
}

fn is_end(step: &DecodedBundle) -> bool {
    matches!(step.exchange, Exchange::Special | Exchange::Undefined)
        || matches!(step.arith, Arith::Mfc | Arith::Mtc)
}

fn step(bundle: &Bundle) -> DecodedBundle {
    let mut step = UNDEFINED;
    step.exchange = exchange(bundle);
    let (arith, exch) = (&bundle.arith, &bundle.exch);
    let named = arith.named();
    (step.arith, step.arithmetic.d, step.arithmetic.s, step.arithmetic.t) =
        (arith.op, named.d, named.s, named.t);
    let code = |effects: Effects| if effects.contains(Effects::PREDICATED) { bundle.cc } else { 0 };
    step.arithmetic.code = code(arith.op.row().effects);
    step.exchange_code = code(exch.op.row().effects);
    let mut results = arith.results().map(|result| (result.number, result.halves));
    step.arithmetic.results = Targets::new(Unit::Arithmetic, [results.next(), results.next()]);
    if let Some(address) = exch.address() {
        step.address = address;
    }
    if let Some(access) = exch.memory_access() {
        step.reg = access.register as u8;
        step.targets = Targets::whole(Unit::Load, step.reg, access.words);
    }
    if let Some((number, register, half)) = exch.largest() {
        step.moves.to = MoveReg { file: RegFile::Gpr, number };
        (step.reg, step.moves.immediate) = (register as u8, i32::from(half == Halves::HI));
    }
    if let Some(permutation) = exch.permutation() {
        step.targets = Targets::whole(Unit::Permute, permutation.to as u8, 2);
        step.reg = permutation.from as u8;
        step.words = permutation.words.map(|word| {
            let flip = if word.is_flipped { FLIPPED } else { 0 };
            word.number() as u8 | flip
        });
    }
    if let Some((to, from)) = exch.moved() {
        (step.moves.to, step.moves.from) = (to, from);
    }
    if let Some((to, value)) = exch.set_immediate() {
        (step.moves.to, step.moves.immediate) = (to, value.into());
    }
    if let Some(set) = exch.cleared_set() {
        step.moves.immediate = set.into();
    }
    if let Some(transfer) = exch.fpr_transfer() {
        step.reg = transfer.register as u8;
        (step.moves.to, step.moves.from) = (transfer.scalar, transfer.scalar);
        let section = transfer.section.map(|section| section.index());
        step.targets =
            Targets::whole(Unit::ToFpr, step.reg, 1).only(section.map_or(ALL, |s| 1 << s));
        step.moves.immediate = section.unwrap_or_default() as i32;
    }
    step
}

/// Whether a register tells nothing but the angle of the coefficients.
fn is_angle(reg: MoveReg) -> bool {
    let angle = [control::RIND, control::RSTEP, control::RMASK];
    reg.file == RegFile::Control && angle.contains(&reg.number)
}

fn exchange(bundle: &Bundle) -> Exchange {
    let exch = &bundle.exch;
    let is_control = |reg: MoveReg| reg.file == RegFile::Control;
    match (exch.op, exch.op.row().unit) {
        (Exch::Nop, _) => Exchange::Nop,
        (Exch::Move, _) => match exch.moved() {
            Some((to, from)) if !is_control(to) && !is_control(from) => Exchange::Move,
            Some((to, from)) if is_angle(to) && !is_control(from) => Exchange::MoveToAngle,
            _ => Exchange::Special,
        },
        (Exch::Seti, _) => match exch.set_immediate() {
            Some((to, _)) if !is_control(to) => Exchange::SetImmediate,
            _ => Exchange::Special,
        },
        (Exch::Clr, _) => Exchange::Clear,
        (Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm, _) => Exchange::Update,
        (_, Kind::Load | Kind::Store) => access(bundle),
        (Exch::Setsa | Exch::Mtsa | Exch::Setq, _) => Exchange::Addresses,
        (Exch::Mtfpr, _) if exch.fpr_transfer().is_some_and(|t| !is_control(t.scalar)) => {
            Exchange::ToFpr
        }
        (Exch::Mffpr, _) if exch.fpr_transfer().is_some_and(|t| !is_control(t.scalar)) => {
            Exchange::FromFpr
        }
        (Exch::Mxfpr, _) => Exchange::Largest,
        (Exch::Psprmsgn0 | Exch::Psprmsgn1, _) => Exchange::Permute,
        (
            Exch::CheckDma
            | Exch::StartDma
            | Exch::Sync
            | Exch::Doi
            | Exch::Do
            | Exch::Calli
            | Exch::Call
            | Exch::Jumpi
            | Exch::Jump
            | Exch::Ret
            | Exch::Enddo
            | Exch::Stop
            | Exch::Stopi
            | Exch::Run
            | Exch::Runi,
            _,
        ) => Exchange::Special,
        _ => Exchange::Undefined,
    }
}

fn access(bundle: &Bundle) -> Exchange {
    let row = bundle.exch.op.row();
    if !row.extension.is_empty() {
        return Exchange::Access;
    }
    match (row.unit, row.words()) {
        (Kind::Load, 1) => Exchange::Load,
        (Kind::Load, _) => Exchange::LoadPair,
        (_, 1) => Exchange::Store,
        _ => Exchange::StorePair,
    }
}

/// Returns the role of the second result of an operation, if it has one.
pub(crate) const fn second(op: Arith) -> Option<Role> {
    match op {
        Arith::Cbutterfly | Arith::Cbutterfly2 | Arith::Swap64 | Arith::Unpck16wstops => {
            Some(Role::S)
        }
        Arith::Caddsub | Arith::Psaddsub | Arith::Mtrans | Arith::Rrlog2 => Some(Role::Q),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_isa::Inst;

    /// A new operation that is not decoded here fails this test; else it would do nothing unnoticed.
    #[test]
    fn every_operation_is_done_here() {
        for &op in Exch::ALL {
            let bundle = Bundle { exch: Inst::new(op, &[]), ..Bundle::NOP };
            assert_ne!(exchange(&bundle), Exchange::Undefined, "{op:?}");
        }
    }
}
