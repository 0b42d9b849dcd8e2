//! Bundles decoded for this engine: what can be known of each before it runs, and how far straight runs go.

use cp2_emu::Cp2;
use cp2_isa::{
    Address, Arith, Bundle, Core, Effects, Exch, Extensions, Halves, MoveReg, RegFile, Role, Unit,
    decode,
};

/// Extensions under which every operation that this engine knows means what it does without them.
pub(crate) const KNOWN: Extensions = Extensions::empty();

/// An exchange operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    Nop,
    /// An immediate to a register that is no control register.
    SetImmediate,
    /// Between registers that are no control registers.
    Move,
    Clear,
    Update,
    Load,
    LoadPair,
    Store,
    StorePair,
    /// From a scalar register to an FPR.
    ToFpr,
    /// From a section of an FPR to a scalar register.
    FromFpr,
    Permute,
    /// Everything that `special` does.
    Special,
    /// What this engine leaves to the reference engine.
    Unknown,
}

/// A register that an arithmetic operation writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Result {
    pub(crate) reg: u8,
    pub(crate) halves: Halves,
}

/// A decoded bundle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Bundles from this one on that run straight: 0 for a special one, or an unknown one.
    pub(crate) straight: u16,
    is_decoded: bool,
    pub(crate) arith: Arith,
    pub(crate) exchange: Exchange,
    pub(crate) d: u8,
    pub(crate) s: u8,
    pub(crate) t: u8,
    /// Condition code of the arithmetic operation; 0 if it obeys none.
    pub(crate) code: u8,
    /// The same of the exchange operation.
    pub(crate) exchange_code: u8,
    /// What the arithmetic operation writes, in the order of its results.
    pub(crate) results: [Result; 2],
    /// FPR of the exchange operation.
    pub(crate) reg: u8,
    /// Sections of the FPR that it concerns.
    pub(crate) sections: u8,
    pub(crate) address: Address,
    /// Scalar registers to and from which it moves.
    pub(crate) to: MoveReg,
    pub(crate) from: MoveReg,
    pub(crate) immediate: i32,
}

const NONE: MoveReg = MoveReg { file: RegFile::Gpr, number: 0 };

const UNKNOWN: Step = Step {
    straight: 0,
    is_decoded: false,
    arith: Arith::Nop,
    exchange: Exchange::Unknown,
    d: 0,
    s: 0,
    t: 0,
    code: 0,
    exchange_code: 0,
    results: [Result { reg: 0, halves: Halves::empty() }; 2],
    reg: 0,
    sections: 0xf,
    address: Address::Word(cp2_isa::WordAddress(0)),
    to: NONE,
    from: NONE,
    immediate: 0,
};

/// The decoded instruction memory of a core.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) core: Core,
    version: u64,
    pub(crate) steps: Vec<Step>,
    bundles: Vec<Bundle>,
}

impl Code {
    pub(crate) fn new(core: &Core) -> Self {
        let bundles = core.iram_bundles();
        Self {
            core: *core,
            version: 0,
            steps: vec![UNKNOWN; bundles],
            bundles: vec![Bundle::NOP; bundles],
        }
    }

    /// Forgets what may have changed.
    pub(crate) fn refresh(&mut self, cp2: &Cp2) {
        if self.version != cp2.state.iram.version() {
            self.version = cp2.state.iram.version();
            self.steps.fill(UNKNOWN);
        }
    }

    /// The bundle at an address that was decoded.
    pub(crate) fn bundle(&self, at: usize) -> &Bundle {
        &self.bundles[at]
    }

    /// How many bundles from an address on run straight.
    #[inline(always)]
    pub(crate) fn straight(&mut self, at: usize, cp2: &Cp2) -> usize {
        match self.steps.get(at) {
            Some(step) if step.is_decoded => step.straight.into(),
            Some(_) => self.decode_from(at, cp2),
            None => 0,
        }
    }

    /// Decodes straight on from an address.
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
                Err(_) => (Bundle::NOP, UNKNOWN),
            };
            self.bundles[end] = bundle;
            self.steps[end] = Step { is_decoded: true, ..step };
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

fn is_end(step: &Step) -> bool {
    matches!(step.exchange, Exchange::Special | Exchange::Unknown)
        || matches!(step.arith, Arith::Mfc | Arith::Mtc)
}

fn step(bundle: &Bundle) -> Step {
    let mut step = UNKNOWN;
    let is_known =
        [bundle.arith.op.row(), bundle.exch.op.row()].iter().all(|row| row.extension.is_empty());
    step.exchange = if is_known { exchange(bundle) } else { Exchange::Unknown };
    let (arith, exch) = (&bundle.arith, &bundle.exch);
    let named = arith.named();
    (step.arith, step.d, step.s, step.t) = (arith.op, named.d, named.s, named.t);
    let code = |effects: Effects| if effects.contains(Effects::PREDICATED) { bundle.cc } else { 0 };
    step.code = code(arith.op.row().effects);
    step.exchange_code = code(exch.op.row().effects);
    for (to, result) in step.results.iter_mut().zip(arith.results()) {
        *to = Result { reg: result.number, halves: result.halves };
    }
    if let Some(address) = exch.address() {
        step.address = address;
    }
    if let Some(access) = exch.memory_access() {
        step.reg = access.register as u8;
    }
    if let Some((to, from)) = exch.moved() {
        (step.to, step.from) = (to, from);
    }
    if let Some((to, value)) = exch.set_immediate() {
        (step.to, step.immediate) = (to, value.into());
    }
    if let Some(set) = exch.cleared_set() {
        step.immediate = set.into();
    }
    if let Some(transfer) = exch.fpr_transfer() {
        step.reg = transfer.register as u8;
        (step.to, step.from) = (transfer.scalar, transfer.scalar);
        let section = transfer.section.map(|section| section.index());
        step.sections = section.map_or(0xf, |s| 1 << s);
        step.immediate = section.unwrap_or_default() as i32;
    }
    step
}

fn exchange(bundle: &Bundle) -> Exchange {
    let exch = &bundle.exch;
    let is_control = |reg: MoveReg| reg.file == RegFile::Control;
    match (exch.op, exch.op.row().unit) {
        (Exch::Nop, _) => Exchange::Nop,
        (Exch::Move, _) => match exch.moved() {
            Some((to, from)) if !is_control(to) && !is_control(from) => Exchange::Move,
            _ => Exchange::Special,
        },
        (Exch::Seti, _) => match exch.set_immediate() {
            Some((to, _)) if !is_control(to) => Exchange::SetImmediate,
            _ => Exchange::Special,
        },
        (Exch::Clr, _) => Exchange::Clear,
        (Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm, _) => Exchange::Update,
        (_, Unit::Load) if exch.op.row().words() == 1 => Exchange::Load,
        (_, Unit::Load) => Exchange::LoadPair,
        (_, Unit::Store) if exch.op.row().words() == 1 => Exchange::Store,
        (_, Unit::Store) => Exchange::StorePair,
        (Exch::Mtfpr, _) if exch.fpr_transfer().is_some_and(|t| !is_control(t.scalar)) => {
            Exchange::ToFpr
        }
        (Exch::Mffpr, _) if exch.fpr_transfer().is_some_and(|t| !is_control(t.scalar)) => {
            Exchange::FromFpr
        }
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
            | Exch::Enddo,
            _,
        ) => Exchange::Special,
        _ => Exchange::Unknown,
    }
}

/// Whether a result of an operation is its second one, and which value that is.
pub(crate) const fn second(op: Arith) -> Option<Role> {
    match op {
        Arith::Cbutterfly | Arith::Cbutterfly2 | Arith::Swap64 | Arith::Unpck16wstops => {
            Some(Role::S)
        }
        Arith::Caddsub | Arith::Psaddsub | Arith::Mtrans | Arith::Rrlog2 => Some(Role::Q),
        _ => None,
    }
}
