//! Cores at random, and machines moved to another core: what makes a program of the unmodified CP2 one of
//! any core, for tests that compare engines and do not care what a program computes.

use crate::SplitMix64;
use cp2_emu::{Cp2, MachineConfig, State};
use cp2_isa::machine::TOGGLES;
use cp2_isa::{
    Bundle, BundleBits, Core, CoreNumbers, Exch, Extensions, Inst, OperandKind, Row, WordAddress,
    decode, encode,
};

/// Returns a core at random: the unmodified CP2 in one case of three, else one of other latencies and, in half of the cases,
/// of other sizes too. Stacks hold two loops at least.
pub fn core(s: &mut SplitMix64) -> Core {
    let usual = *Core::CP2.numbers();
    if s.one_in(3) {
        return Core::CP2;
    }
    // Latencies that somebody would build, as a rule, and the longest ones that a description takes.
    let most = if s.one_in(8) { 32 } else { 12 };
    let mut between = |low: u64, high: u64| (low + s.below(high - low + 1)) as u32;
    let mut numbers = CoreNumbers {
        arithmetic_latency: between(2, most),
        load_latency: between(2, most / 2),
        psprmsgn_latency: between(1, most / 2),
        mtfpr_latency: between(1, most / 2),
        ..usual
    };
    if between(0, 1) == 1 {
        numbers = CoreNumbers {
            fprs: match between(0, 5) {
                0 => between(8, 64),
                1 => between(65, 256),
                2 => 128,
                _ => 64,
            },
            local_memory_words: 1024 << between(0, 3),
            banks: 1 << between(0, 3),
            instruction_memory_bundles: between(1500, 8192),
            loop_stack: between(3, 15),
            call_stack: between(1, 15),
            fifo_entries: between(1, 8),
            ..numbers
        };
    }
    if between(0, 1) == 1 {
        numbers.extensions = Extensions::from_bits_truncate(between(0, u16::MAX.into()) as u16);
    }
    match Core::new(numbers) {
        Ok(core) => core,
        Err(problems) => panic!("{problems:?}"),
    }
}

/// Returns the core with more local memory than CP2 has in one case of three, else as it is.
///
/// # Panics
/// If the core cannot have as much local memory.
pub fn larger(s: &mut SplitMix64, core: &Core) -> Core {
    if !s.one_in(3) {
        return *core;
    }
    let local_memory_words = 16384 << s.below(2);
    match Core::new(CoreNumbers { local_memory_words, ..*core.numbers() }) {
        Ok(core) => core,
        Err(problems) => panic!("{problems:?}"),
    }
}

/// Spreads the registers of a bundle of CP2 over all that the core has: each eight of them move together, so that what
/// belongs together stays so.
pub fn spread(word: BundleBits, core: &Core) -> BundleBits {
    let (Ok(mut bundle), true) = (decode(word, core), core.has_wide_bundles()) else { return word };
    let place = |register: i32| {
        let moved = register + 64 * (register >> 3 & 3);
        if moved + 1 < core.fprs() as i32 { moved } else { register }
    };
    let spread = |row: &Row, values: &mut [i32]| {
        for (operand, value) in row.operands.iter().zip(values) {
            *value = match operand.kind {
                OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                    place(*value)
                }
                OperandKind::FprHalf(..) => 2 * place(*value >> 1) + (*value & 1),
                _ => *value,
            };
        }
    };
    spread(bundle.arith.op.row(), &mut bundle.arith.values);
    spread(bundle.exch.op.row(), &mut bundle.exch.values);
    if bundle.check(core).is_ok() { encode(&bundle) } else { word }
}

/// Replaces registers and words that the core lacks, in the operands of an operation, by others that it has.
fn fit(row: &Row, values: &mut [i32], core: &Core) {
    for (operand, value) in row.operands.iter().zip(values) {
        if operand.kind.is_defined(core, *value) {
            continue;
        }
        *value = match operand.kind {
            OperandKind::Fpr(_) => *value % core.fprs() as i32,
            // Two registers side by side.
            OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                (*value % (core.fprs() as i32 - 1)) & !1
            }
            OperandKind::FprHalf(..) => *value % (2 * core.fprs() as i32),
            OperandKind::WordAddress => *value & i32::from(core.address_mask()),
            _ => *value,
        };
    }
}

/// Fits a word of instruction memory to a core: an operation that the core cannot have is left out.
pub fn fitted(word: BundleBits, core: &Core) -> BundleBits {
    let Ok(mut bundle) = decode(word, &Core::CP2) else { return word };
    if decode(word, core).is_ok() {
        return word;
    }
    fit(bundle.arith.op.row(), &mut bundle.arith.values, core);
    fit(bundle.exch.op.row(), &mut bundle.exch.values, core);
    if (Bundle { exch: Bundle::NOP.exch, ..bundle }).check(core).is_err() {
        bundle.arith = Bundle::NOP.arith;
    }
    if bundle.check(core).is_err() {
        bundle.exch = Bundle::NOP.exch;
    }
    encode(&bundle)
}

/// Replaces the load or store of some bundles by one that an extension of the core adds; what becomes of a bundle depends on
/// its word alone.
pub fn extended(word: BundleBits, core: &Core) -> BundleBits {
    let Ok(mut bundle) = decode(word, core) else { return word };
    let mut s = SplitMix64(word as u64);
    let access = bundle.exch.op.row();
    let has = |extension| core.extensions().contains(extension);
    // The low bits of the opcode are the form of the address, the next ones load or store.
    let (form, is_store, is_double) = match access.code {
        code @ 0x10..=0x1f => (code & 3, code & 4 != 0, code & 8 != 0),
        _ => return word,
    };
    if has(Extensions::WORD_ACCESS) && !is_double && s.one_in(2) {
        let [register, address, ..] = bundle.exch.values;
        let half = s.below(2) as i32;
        // Two of the three forms step by Nn alone, which is packed as a step by 0.
        let minus = s.below(2) as u8;
        let by_n = 2 * u8::from(is_store) + if form >= 2 { form - 2 } else { minus };
        let (code, address, last) = match s.below(3) {
            1 if form >= 1 => (0x4c + by_n, address & 15, s.below(4) as i32),
            2 if form >= 1 => (0x48 + by_n, address & 15, s.below(2) as i32),
            _ => (0x60 + 4 * form + 16 * u8::from(is_store), address, s.below(2) as i32),
        };
        let Some(op) = Exch::from_code(code.into()) else { return word };
        bundle.exch = Inst::new(op, &[2 * register + half, address, last]);
    } else if has(Extensions::CONDITIONAL_MEMORY)
        && s.one_in(2)
        && let Some(op) = Exch::from_code(0x40 + u32::from(access.code))
    {
        bundle.exch.op = op;
    }
    encode(&bundle)
}

/// Moves a state of the unmodified CP2 to another core: what the core has no room for is left out.
pub fn state_on(core: &Core, from: &State) -> State {
    let mut state = State { ..from.clone() };
    let State { fpr, lmem, iram, sa, shared, qa, .. } = State::new(core);
    (state.fpr, state.lmem, state.iram, state.sa) = (fpr, lmem, iram, sa);
    (state.shared, state.qa) = (shared, qa);
    state.shared.iter_mut().zip(&from.shared).for_each(|(to, from)| *to = *from);
    state.qa.iter_mut().zip(&from.qa).for_each(|(to, from)| *to = *from);
    for (to, from) in state.sa.iter_mut().zip(&from.sa) {
        *to = from.map(|address| WordAddress(address.0 & core.address_mask()));
    }
    state.fpr.iter_mut().zip(from.fpr.iter().cycle()).for_each(|(to, from)| *to = *from);
    state.lmem.iter_mut().zip(from.lmem.iter()).for_each(|(to, from)| *to = *from);
    for (to, word) in state.iram.iter_mut().zip(from.iram.iter()) {
        *to = spread(extended(fitted(*word, core), core), core);
    }
    state.a.iter_mut().for_each(|address| address.0 &= core.address_mask());
    for narrow in state.n.iter_mut().chain(&mut state.m) {
        *narrow &= core.address_mask();
    }
    state
}

/// Moves a machine of the unmodified CP2, on which nothing has run, to another core.
pub fn on_core(core: &Core, cp2: &Cp2) -> Cp2 {
    let mut other = Cp2::new(*core);
    other.state = state_on(core, &cp2.state);
    other
}

/// Returns the core with instruction memory for at least `bundles` bundles; the core as it is if it cannot have as many.
pub fn with_bundles(core: &Core, bundles: usize) -> Core {
    let bundles = core.iram_bundles().max(bundles) as u32;
    let numbers = CoreNumbers { instruction_memory_bundles: bundles, ..*core.numbers() };
    Core::new(numbers).unwrap_or(*core)
}

/// Returns the description of the machine `name` with this core.
///
/// # Panics
/// If there is no machine of this name.
pub fn config(name: &str, core: &Core) -> MachineConfig {
    let mut config = MachineConfig::preset(name).unwrap_or_else(|| panic!("no machine {name}"));
    for (key, value) in core.numbers().with_keys() {
        if let Err(problem) = config.apply_set(&format!("{key}={value}")) {
            panic!("{problem}");
        }
    }
    for toggle in TOGGLES {
        // The number of FPRs has been set.
        let flags = core.extensions() - Extensions::MORE_FPRS;
        if toggle.extension().is_some_and(|bit| flags.contains(bit))
            && let Err(problem) = config.enable(toggle.name)
        {
            panic!("{problem}");
        }
    }
    assert_eq!(config.core(), core);
    config
}
