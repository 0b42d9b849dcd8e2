//! What operations leave undefined, against the engine: a part of a random machine is undefined, an operation issues,
//! and the same with other values in that part. What differs then is undefined in the shadow; and where an operation
//! moves bits as they are, what the shadow calls undefined differs for some values.

use super::*;
use crate::random::split_mix_64;
use cp2_emu::Cp2;
use cp2_emu::trace::NoObserver;
use cp2_isa::{Arith, Exch, Extensions, Inst, OperandKind, Row, StorageCell, Unit};
use cp2_isa::{Banks, CoreNumbers};

/// Address of the bundle; the bundles around it are empty.
const PC: BundleAddress = BundleAddress(8);
/// Cycles after which everything has landed.
const CYCLES: usize = 14;
/// Random machines for each undefined part, and other values of the part for each of them.
const MACHINES: usize = 6;
const OTHERS: usize = 3;
/// Random operands of each operation.
const OPERANDS: usize = 2;

/// Kinds of storage that are compared.
const COMPARED: [Storage; 13] = [
    Storage::Fpr,
    Storage::Gpr,
    Storage::Ireg,
    Storage::A,
    Storage::N,
    Storage::M,
    Storage::SectionA,
    Storage::SharedA,
    Storage::Shared,
    Storage::Rind,
    Storage::Rstep,
    Storage::Rmask,
    Storage::Fccr,
];

/// Operations that move bits as they are: each bit of a result comes from one bit, or from those of the same place.
const EXACT: [&str; 27] = [
    "and",
    "copy",
    "extsign16w",
    "extsign8h",
    "extsign8w",
    "getcoeff",
    "join16",
    "join32",
    "join8",
    "li0",
    "li1",
    "li2",
    "li3",
    "mffpr",
    "mtfpr",
    "mtrans",
    "not",
    "or",
    "psprmsgn0",
    "psprmsgn1",
    "split16",
    "split32",
    "split8",
    "swap64",
    "swaphl",
    "unpck16wstops",
    "xor",
];

/// Kinds of storage of which a place is undefined whole or not at all.
const WHOLE: [Storage; 9] = [
    Storage::A,
    Storage::N,
    Storage::M,
    Storage::SectionA,
    Storage::SharedA,
    Storage::Rind,
    Storage::Rstep,
    Storage::Rmask,
    Storage::Fccr,
];

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        split_mix_64(&mut self.0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns random bits, or a number near one, with which a sum cancels and a product comes to another exponent.
    fn half(&mut self) -> u64 {
        let bits = self.bits() & 0xffff_ffff;
        match self.below(8) {
            0 | 1 => bits,
            2 => bits & 3,
            3 => 0,
            4 => 0xffff_ffff,
            5 => 0x3f80_0000 | bits & 0x8000_ffff,
            6 => 0x3f7f_0000 | bits & 0x8000_ffff,
            _ => 0x3f80_0000 | bits & 0x8000_0000,
        }
    }

    fn word(&mut self) -> u64 {
        self.half() << 32 | self.half()
    }
}

/// Returns a small core that has all operations.
fn core() -> Core {
    let numbers = CoreNumbers {
        extensions: Extensions::all().difference(Extensions::MORE_FPRS),
        local_memory_words: 1024,
        instruction_memory_bundles: 128,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).expect("numbers within their limits")
}

/// Undefined part of a machine: a quarter of a register in one section, or of all registers or words of a kind;
/// addresses and the like are undefined whole.
#[derive(Clone, Copy, Debug)]
enum Part {
    Fpr { number: usize, section: usize, quarter: u32 },
    All { storage: Storage, section: usize, quarter: u32 },
    Whole(Storage),
}

impl Part {
    fn bits(self, storage: Storage, number: usize, section: usize) -> u64 {
        let has_sections = matches!(storage, Storage::Lmem | Storage::Fpr);
        match self {
            Self::Fpr { number: n, section: s, quarter } => {
                let is_it = storage == Storage::Fpr && (number, section) == (n, s);
                if is_it { 0xffff << (16 * quarter) } else { 0 }
            }
            Self::All { storage: of, section: s, quarter } => {
                let is_it = storage == of && (section == s || !has_sections);
                if is_it { 0xffff << (16 * quarter) } else { 0 }
            }
            Self::Whole(of) if storage == of => u64::MAX,
            Self::Whole(_) => 0,
        }
    }

    /// Puts other values into the part.
    fn fill(self, state: &mut State, core: &Core, random: &mut Random) {
        let storage = match self {
            Self::Fpr { .. } => Storage::Fpr,
            Self::All { storage, .. } | Self::Whole(storage) => storage,
        };
        for place in state.cells(storage).collect::<Vec<_>>() {
            let mask = self.bits(storage, place.number, place.section.index());
            if mask != 0 {
                let old = state.get(place).unwrap_or(0);
                let new = limited(storage, random.bits());
                state.set(core, place, old & !mask | new & mask);
            }
        }
    }

    /// Makes the part undefined in a shadow in which nothing is.
    fn shade(self, shadow: &mut Shadow) {
        let (fpr, memory, scalars) = (&mut shadow.fpr, &mut shadow.memory, &mut shadow.scalars);
        match self {
            Self::Fpr { number, section, quarter } => {
                fpr[number].undefined = 1 << (4 * section + quarter as usize);
            }
            Self::All { storage, section, quarter } => match storage {
                Storage::Lmem => memory.fill(1 << (4 * section + quarter as usize)),
                Storage::Gpr => scalars.gpr.iter_mut().for_each(|r| r.undefined = 1 << quarter),
                Storage::Ireg => scalars.ireg.iter_mut().for_each(|r| r.undefined = 1 << quarter),
                _ => shadow.shared.iter_mut().for_each(|r| r.undefined = 1 << quarter),
            },
            Self::Whole(storage) => match storage {
                Storage::A => scalars.a.iter_mut().for_each(|r| r.undefined = 0xf),
                Storage::N => scalars.n.iter_mut().for_each(|r| r.undefined = 0xf),
                Storage::M => scalars.m.iter_mut().for_each(|r| r.undefined = 0xf),
                Storage::SectionA => {
                    scalars.sa.iter_mut().flatten().for_each(|r| r.undefined = 0xf);
                }
                Storage::SharedA => scalars.qa.iter_mut().for_each(|r| r.undefined = 0xf),
                Storage::Rind => scalars.rind.undefined = 0xf,
                Storage::Rstep => scalars.rstep.undefined = 0xf,
                Storage::Rmask => scalars.rmask.undefined = 0xf,
                _ => shadow.codes[1..].iter_mut().for_each(|c| c.undefined = mask::EVERYWHERE),
            },
        }
    }
}

/// Limits values so that addresses are near each other, and steps and modes are small.
fn limited(storage: Storage, bits: u64) -> u64 {
    match storage {
        Storage::A | Storage::SectionA => bits & 0x3f,
        Storage::N | Storage::M | Storage::SharedA => bits & 0xf,
        _ => bits,
    }
}

/// Returns a machine at random; what lies in local memory behind the addresses is 0.
fn machine(core: &Core, random: &mut Random) -> State {
    let mut state = State::new(core);
    state.lmem[..0x80].fill_with(|| std::array::from_fn(|_| random.word()));
    state.fpr.fill_with(|| std::array::from_fn(|_| random.word()));
    for storage in COMPARED.into_iter().filter(|storage| *storage != Storage::Fpr) {
        for place in state.cells(storage).collect::<Vec<_>>() {
            let value = limited(storage, random.word());
            state.set(core, place, value);
        }
    }
    state
}

/// Returns what of a place differs between states: its quarters, codes of FCCR; whole or not at all where registers are
/// narrow.
fn differing(storage: Storage, a: u64, b: u64) -> u8 {
    let bits = a ^ b;
    match storage {
        Storage::Fccr => bits as u8,
        Storage::Fpr | Storage::Gpr | Storage::Ireg | Storage::Shared => {
            (0..4).filter(|q| bits >> (16 * q) & 0xffff != 0).fold(0, |all, q| all | 1 << q)
        }
        _ => u8::from(bits != 0),
    }
}

/// Returns what of a place the shadow calls undefined: its quarters, codes of FCCR; whole or not at all where registers
/// are narrow.
fn undefined(shadow: &Shadow, StorageCell { storage, number, section }: StorageCell) -> u8 {
    let s = section.index();
    let of_mask = |mask: mask::Mask| (mask >> (4 * s)) as u8 & 0xf;
    let Shadow { scalars, .. } = shadow;
    let is = |scalar: &shadow::Scalar| u8::from(scalar.undefined != 0);
    match storage {
        Storage::Fpr => of_mask(shadow.fpr[number].undefined),
        Storage::Gpr => scalars.gpr[number].undefined,
        Storage::Ireg => scalars.ireg[number].undefined,
        Storage::Shared => shadow.shared[number].undefined,
        Storage::A => is(&scalars.a[number]),
        Storage::N => is(&scalars.n[number]),
        Storage::M => is(&scalars.m[number]),
        Storage::SectionA => is(&scalars.sa[number][s]),
        Storage::SharedA => is(&scalars.qa[number]),
        Storage::Rind => is(&scalars.rind),
        Storage::Rstep => is(&scalars.rstep),
        Storage::Rmask => is(&scalars.rmask),
        _ => {
            let is_undefined = |k: &usize| shadow.codes[*k].undefined >> s & 1 == 1;
            (1..8).filter(is_undefined).fold(0, |all, k| all | 1 << k)
        }
    }
}

/// Returns the state behind a bundle, its results landed; nothing if the engine refuses it.
fn after(core: &Core, state: &State, observer: &mut dyn FnMut(&Cp2)) -> Option<State> {
    let mut cp2 = Cp2::new(*core);
    cp2.state = state.clone();
    cp2.start(PC);
    for _ in 0..CYCLES {
        cp2.step(&mut NoObserver).ok()?;
        observer(&cp2);
    }
    Some(cp2.state)
}

/// Findings on a part, place by place: what differs, and what is undefined.
struct Found {
    places: Vec<(StorageCell, [u8; 2])>,
}

impl Found {
    fn new(core: &Core) -> Self {
        let state = State::new(core);
        let places = COMPARED.into_iter().flat_map(|storage| state.cells(storage));
        let places = places.map(|place| (place, [0; 2])).collect();
        Self { places }
    }

    /// Adds what one machine shows whose part is undefined.
    fn add(
        &mut self,
        image: &Image,
        core: &Core,
        (state, part): (&State, Part),
        random: &mut Random,
    ) {
        let mut sanitizer = Sanitizer::new(image, core);
        for storage in COMPARED.into_iter().chain([Storage::Lmem]) {
            sanitizer.give_all(storage);
        }
        part.shade(&mut sanitizer.shadow);
        sanitizer.before = Before::new(state);
        sanitizer.before.pc = PC;
        let first = after(core, state, &mut |cp2| {
            let (number, cause) = (cp2.cycle() - 1, cp2.cause());
            let state = &cp2.state;
            let _ = sanitizer.cycle(&PastCycle { number, cause, banks: Banks::NONE, state });
        });
        let Some(first) = first else { return };
        let counts = sanitizer.findings().iter().any(|f| f.code < "C0806");
        for _ in 0..OTHERS {
            let mut other = state.clone();
            part.fill(&mut other, core, random);
            let Some(last) = after(core, &other, &mut |_| {}) else { continue };
            for (place, [differs, shaded]) in &mut self.places {
                let [a, b] = [&first, &last].map(|state| state.get(*place).unwrap_or(0));
                let new = if a == b { 0 } else { differing(place.storage, a, b) };
                let known = undefined(&sanitizer.shadow, *place);
                (*differs, *shaded) = (*differs | new, *shaded | known);
                assert!(
                    counts || new & !known == 0,
                    "{part:?}: {place:?} differs in {new:#x}, undefined is {known:#x}: {}",
                    cp2_isa::decode(state.iram[PC.index()], core).expect("a bundle")
                );
            }
        }
    }

    /// Returns a place of which the shadow calls something undefined that is always the same.
    fn never_differs(&self) -> Option<StorageCell> {
        let is_never = |(_, [differs, shaded]): &&(StorageCell, [u8; 2])| shaded & !differs != 0;
        self.places.iter().find(is_never).map(|(place, _)| *place)
    }
}

fn parts(row: &Row, values: &[i32], random: &mut Random) -> Vec<Part> {
    let mut parts = Vec::new();
    let section = random.below(SECTIONS);
    for fpr in row.fprs(values) {
        let number = (fpr.register + i32::from(fpr.next)) as usize;
        let some = random.below(4) as u32;
        let quarters = if EXACT.contains(&row.name) { 0..4 } else { some..some + 1 };
        parts.extend(quarters.map(|quarter| Part::Fpr { number, section, quarter }));
    }
    // Of what is no FPR, some at a time.
    for _ in 0..3 {
        let storage =
            [Storage::Lmem, Storage::Gpr, Storage::Ireg, Storage::Shared][random.below(4)];
        parts.push(Part::All { storage, section, quarter: random.below(4) as u32 });
        parts.push(Part::Whole(WHOLE[random.below(WHOLE.len())]));
    }
    parts
}

fn operand(kind: OperandKind, core: &Core, random: &mut Random) -> i32 {
    loop {
        let value = kind.decode(random.bits().into());
        if kind.is_defined(core, value) {
            return value;
        }
    }
}

/// Checks an operation with random operands.
fn hold(bundle: impl Fn(&[i32], u8) -> Bundle, row: &Row, seed: u64) {
    let (core, image) = (core(), Image::default());
    let mut random = Random(seed);
    for k in 0..OPERANDS {
        let values: Vec<i32> =
            row.operands.iter().map(|o| operand(o.kind, &core, &mut random)).collect();
        let cc = if k == 0 || !row.obeys(1) { 0 } else { random.below(8) as u8 };
        let bundle = bundle(&values, cc);
        for part in parts(row, &values, &mut random) {
            let mut found = Found::new(&core);
            for _ in 0..MACHINES {
                let mut state = machine(&core, &mut random);
                state.iram[PC.index()] = cp2_isa::encode(&bundle);
                found.add(&image, &core, (&state, part), &mut random);
            }
            if cc == 0 && matches!(part, Part::Fpr { .. }) && EXACT.contains(&row.name) {
                assert_eq!(found.never_differs(), None, "{bundle}: {part:?}");
            }
        }
    }
}

#[test]
fn what_other_values_change_is_undefined() {
    let is_data = |row: &Row| {
        let units = [Unit::Nop, Unit::Loop, Unit::Jump, Unit::Stop, Unit::Sync, Unit::Dma];
        !units.contains(&row.unit)
    };
    for op in Arith::ALL.iter().copied().filter(|op| is_data(op.row())) {
        let bundle =
            |values: &[i32], cc| Bundle { cc, arith: Inst::new(op, values), ..Bundle::NOP };
        hold(bundle, op.row(), op as u64);
    }
    for op in Exch::ALL.iter().copied().filter(|op| is_data(op.row())) {
        let bundle = |values: &[i32], cc| Bundle { cc, exch: Inst::new(op, values), ..Bundle::NOP };
        hold(bundle, op.row(), 1000 + op as u64);
    }
    let names: Vec<&str> = Arith::ALL
        .iter()
        .map(|op| op.row().name)
        .chain(Exch::ALL.iter().map(|op| op.row().name))
        .collect();
    assert!(EXACT.iter().all(|name| names.contains(name)), "{EXACT:?}");
}
