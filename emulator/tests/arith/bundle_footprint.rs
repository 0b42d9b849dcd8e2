//! The table's footprints against the reference engine, for what [`execute`](cp2_emu::arith::execute)
//! does not know: exchange operations, `mfc` and `mtc`. One bundle runs from a random state: a flipped
//! bit that the footprint calls unread changes nothing but itself, and of everything that it calls read
//! some bit changes a result. Loops and calls are not flipped: the flow of every bundle reads them.

use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, State};
use cp2_isa::bits::status;
use cp2_isa::{
    Access, AccessMode, Arith, Bundle, BundleAddress, Core, CoreNumbers, Effects, Exch, Halves,
    Inst, OperandKind, Resource, Row, SECTIONS, Section, Storage, StorageCell, Words, WordsFrom,
    control,
};
use std::collections::BTreeMap;

/// Address of the bundle, in the loop `AROUND`.
const PC: BundleAddress = BundleAddress(8);
const AROUND: (u64, u64) = (4, 90);
/// Random bundles of each operation.
const BUNDLES: u64 = 60;

/// Returns a core of few words, which are copied often.
fn core() -> Core {
    let numbers = CoreNumbers {
        local_memory_words: 1024,
        instruction_memory_bundles: 128,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).expect("numbers within their limits")
}

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// Returns an operand that the core has, such that the flow goes somewhere.
fn operand(kind: OperandKind, core: &Core, random: &mut Random) -> i32 {
    if kind == OperandKind::Target {
        return 20 + random.below(60) as i32;
    }
    loop {
        let value = kind.decode(random.bits().into());
        if kind.is_defined(core, value) {
            return value;
        }
    }
}

fn operands(row: &Row, core: &Core, random: &mut Random) -> Vec<i32> {
    row.operands.iter().map(|o| operand(o.kind, core, random)).collect()
}

/// Whether the bits of a kind of storage are flipped.
fn is_flipped(storage: Storage) -> bool {
    !matches!(
        storage,
        Storage::Pc | Storage::Loops | Storage::Calls | Storage::Iram | Storage::IramUpper
    )
}

/// Returns a machine before the bundle, all registers at random; general registers name bundles too.
fn machine(core: &Core, bundle: &Bundle, random: &mut Random) -> Cp2 {
    let mut cp2 = Cp2::new(*core);
    for storage in Storage::ALL.into_iter().filter(|&s| is_flipped(s)) {
        for place in cp2.state.cells(storage) {
            let near = storage == Storage::Gpr && random.below(2) == 0;
            let value = if near { 20 + random.bits() % 64 } else { random.bits() };
            cp2.state.set(core, place, value);
        }
    }
    let (start, end) = AROUND;
    cp2.state.loops.push(cp2_emu::state::ActiveLoop::from_packed(7 << 32 | start << 16 | end));
    cp2.state.calls.push(BundleAddress(77));
    cp2.state.iram[PC.index()] = cp2_isa::encode(bundle);
    cp2
}

/// Returns the state when all has landed behind the bundle and its delay slot, or what was refused.
fn after(mut cp2: Cp2) -> Result<State, String> {
    cp2.start(PC);
    for _ in 0..2 {
        cp2.step(&mut NoObserver).map_err(|fault| fault.kind.to_string())?;
    }
    cp2.finish(End::Interrupted);
    Ok(cp2.state)
}

/// Returns the first word of an access.
fn first_word(Words { count, from }: Words, state: &State) -> usize {
    let word = match from {
        WordsFrom::Word(word) => word,
        WordsFrom::Set(set) => state.a[usize::from(set)],
        WordsFrom::Sections => unreachable!("the unmodified core has no addresses of sections"),
    };
    word.index() & !usize::from(count - 1)
}

/// Returns the access that uses a bit of a place.
fn uses(accesses: &[Access], state: &State, place: StorageCell, bit: u32) -> Option<usize> {
    let StorageCell { storage, number, section } = place;
    let half = if bit < 32 { Halves::LO } else { Halves::HI };
    let of_status = |resource| match 1 << bit {
        status::FPE => resource == Resource::Fpe,
        status::COMM_CP2 | status::COMM_K64 => resource == Resource::Mailbox,
        _ => resource == Resource::Control(control::STATUS),
    };
    let is_it = |resource| match (storage, resource) {
        (Storage::Fpr, Resource::Fpr(n, halves)) => {
            usize::from(n) == number && halves.contains(half)
        }
        (Storage::Fccr, Resource::Fccr(cc)) => u32::from(cc) == bit,
        (Storage::Fcsr, Resource::Fcsr) => true,
        (Storage::Gpr, Resource::Gpr(n))
        | (Storage::Ireg, Resource::Ireg(n))
        | (Storage::A, Resource::A(n))
        | (Storage::N, Resource::N(n))
        | (Storage::M, Resource::M(n)) => usize::from(n) == number,
        (Storage::Status, resource) => of_status(resource),
        (_, Resource::Control(n)) => Storage::of_control(n) == Some(storage),
        (Storage::Lmem, Resource::Memory(words)) => {
            let first = first_word(words, state);
            (first..first + usize::from(words.count)).contains(&number)
        }
        _ => false,
    };
    let is_here = |access: &Access| {
        !storage.info().layout.is_per_section() || access.sections.contains(section)
    };
    accesses.iter().position(|a| a.used().is_some_and(is_it) && is_here(a))
}

/// Returns the places whose bits are worth flipping: those that the bundle names and, of memory, their neighbours, and some
/// others.
fn places(accesses: &[Access], state: &State, random: &mut Random) -> Vec<StorageCell> {
    let registers = Storage::ALL.into_iter().filter(|&s| is_flipped(s) && s != Storage::Lmem);
    let registers: Vec<StorageCell> = registers.flat_map(|storage| state.cells(storage)).collect();
    let any: Vec<Access> =
        accesses.iter().map(|a| Access { mode: AccessMode::Use, ..*a }).collect();
    let named = |place: &&StorageCell| (0..64).any(|bit| uses(&any, state, **place, bit).is_some());
    let mut chosen: Vec<StorageCell> = registers.iter().filter(named).copied().collect();
    chosen.extend((0..30).map(|_| registers[random.below(registers.len())]));
    let word = |number: usize, section| StorageCell { storage: Storage::Lmem, number, section };
    for access in accesses {
        if let Resource::Memory(words) = access.resource {
            let first = first_word(words, state);
            let near = first.saturating_sub(1)..=first + usize::from(words.count);
            chosen.extend(near.flat_map(|k| Section::ALL.map(|s| word(k, s))));
        }
    }
    chosen.extend(
        (0..6).map(|_| word(random.below(state.lmem.len()), Section::ALL[random.below(SECTIONS)])),
    );
    chosen.retain(|&place| state.has(place));
    chosen
}

/// Flips bits before a bundle; returns its accesses, and which of them were seen to matter.
fn flip(core: &Core, bundle: &Bundle, random: &mut Random) -> (Vec<Access>, Vec<bool>) {
    let mut accesses = Vec::new();
    bundle.footprint(&mut |access| accesses.push(access));
    let cp2 = machine(core, bundle, random);
    let plain = after(cp2.clone());
    let mut seen = vec![false; accesses.len()];
    for place in places(&accesses, &cp2.state, random) {
        for _ in 0..6 {
            let bit = random.below(64) as u32;
            let mut other = cp2.clone();
            let before = other.state.get(place).unwrap_or_default();
            other.state.set(core, place, before ^ 1 << bit);
            if other.state == cp2.state {
                continue;
            }
            let mut found = after(other);
            // What is left of the bit itself is no result.
            if let (Ok(found), Ok(plain)) = (&mut found, &plain) {
                let [there, usual] = [&*found, plain].map(|s| s.get(place).unwrap_or_default());
                if there ^ usual == 1 << bit {
                    found.set(core, place, usual);
                }
            }
            let changes = found != plain;
            match uses(&accesses, &cp2.state, place, bit) {
                Some(access) => seen[access] |= changes,
                None => assert!(!changes, "{bundle}: bit {bit} of {place} is unread"),
            }
        }
    }
    (accesses, seen)
}

/// Accesses that rows call used, without numbers, and whether some bit of each was seen to matter.
type Seen = BTreeMap<(&'static str, String), bool>;

fn check(row: &'static Row, make: impl Fn(&[i32]) -> Bundle, seen: &mut Seen) {
    let (core, mut random) = (core(), Random(u64::from(row.code) << 8 | row.slot as u64));
    for _ in 0..BUNDLES {
        let mut bundle = make(&operands(row, &core, &mut random));
        bundle.cc = random.below(8) as u8;
        if bundle.check(&core).is_err() {
            continue;
        }
        let (accesses, found) = flip(&core, &bundle, &mut random);
        for (access, found) in accesses.iter().zip(found) {
            let Some(resource) = access.used().filter(|r| is_flipped(r.storage())) else {
                continue;
            };
            let what = match resource {
                Resource::Fpr(_, halves) => format!("fpr {halves:?}"),
                Resource::Control(_) | Resource::Fpe | Resource::Mailbox => resource.to_string(),
                other => other.storage().info().description.to_owned(),
            };
            *seen.entry((row.name, what)).or_default() |= found;
        }
    }
}

#[test]
fn footprints_of_bundles_are_what_the_engine_reads() {
    let mut seen = Seen::new();
    let of_base = |op: &&Exch| op.row().extension.is_empty();
    for &op in
        Exch::ALL.iter().filter(of_base).filter(|op| !op.row().effects.contains(Effects::HOST_ONLY))
    {
        let make = |values: &[i32]| Bundle { exch: Inst::new(op, values), ..Bundle::NOP };
        check(op.row(), make, &mut seen);
    }
    for op in [Arith::Mfc, Arith::Mtc] {
        let make = |values: &[i32]| Bundle { arith: Inst::new(op, values), ..Bundle::NOP };
        check(op.row(), make, &mut seen);
    }
    let unseen: Vec<_> = seen.iter().filter(|(_, seen)| !**seen).collect();
    assert!(unseen.is_empty(), "called read, and no bit matters: {unseen:?}");
    assert!(seen.len() > 60, "{} uses", seen.len());
}
