//! Programs made to fit a core at random: registers and addresses that the core lacks are folded into those that it has, and
//! the state is as large as the core's.

use super::cores;
use super::dice::Dice;
use super::generate::Program;
use cp2_emu::State;
use cp2_isa::{
    Arith, Bundle, BundleBits, Core, CoreNumbers, Exch, Inst, OperandKind, Row, WordAddress,
    decode, encode,
};
use cp2_tests::at_random;

/// Returns the program on the core that belongs to its number: for one of two the unmodified one.
pub(crate) fn fitted(number: u64, program: Program) -> Program {
    if number.is_multiple_of(2) {
        return program;
    }
    let core = core_for(number, &program);
    let mut state = State::new(&core);
    let Program { state: old, .. } = &program;
    let mask = core.address_mask();
    let narrow = |registers: [u16; 16]| registers.map(|value| value & mask);
    state.fpr.iter_mut().zip(old.fpr.iter().cycle()).for_each(|(to, from)| *to = *from);
    for (to, from) in state.lmem.iter_mut().zip(old.lmem.iter()) {
        *to = *from;
    }
    for (word, &old) in state.iram.iter_mut().zip(old.iram.iter()) {
        *word = at_random::spread(at_random::extended(folded(&core, old), &core), &core);
    }
    state.a = narrow(old.a.map(|address| address.0)).map(WordAddress);
    (state.n, state.m) = (narrow(old.n), narrow(old.m));
    (state.gpr, state.ireg) = (old.gpr, old.ireg);
    (state.fccr, state.fcsr) = (old.fccr, old.fcsr);
    (state.comm, state.control, state.status) = (old.comm, old.control, old.status);
    (state.rind, state.rstep, state.rmask) = (old.rind, old.rstep, old.rmask);
    state.stopcode = old.stopcode;
    Program { core, state, ..program }
}

/// Returns a core with room for the program.
fn core_for(number: u64, program: &Program) -> Core {
    let numbers = *cores::core(number).numbers();
    let mut dice = Dice::new(!number);
    let least = usize::from(program.end) + 2;
    let bundles = if dice.percent(50) { least } else { dice.between(least, 8192) };
    let instruction_memory_bundles = bundles.clamp(64, 8192) as u32;
    Core::new(CoreNumbers { instruction_memory_bundles, ..numbers }).expect("within the limits")
}

/// Folds the registers and words of local memory of a word into those of a core, if it was a bundle and stays one.
fn folded(core: &Core, word: BundleBits) -> BundleBits {
    let Ok(mut bundle) = decode(word, &Core::CP2) else { return word };
    fold(core, bundle.arith.op.row(), &mut bundle.arith.values);
    fold(core, bundle.exch.op.row(), &mut bundle.exch.values);
    let apart = [Bundle { exch: nop(), ..bundle }, Bundle { arith: NOP, ..bundle }];
    match apart.map(|half| half.check(core).is_ok()) {
        [true, true] => encode(&bundle),
        // Two destinations have met.
        [false, true] => encode(&apart[1]),
        [true, false] => encode(&apart[0]),
        [false, false] => word,
    }
}

const NOP: Inst<Arith> = Bundle::NOP.arith;

fn nop() -> Inst<Exch> {
    Bundle::NOP.exch
}

fn fold(core: &Core, row: &Row, values: &mut [i32]) {
    for (operand, value) in row.operands.iter().zip(values) {
        let low = *operand.kind.range().start();
        match (operand.kind, operand.kind.last(core)) {
            (OperandKind::Target, _) | (_, None) => {}
            (_, Some(last)) if last < low => {}
            (_, Some(last)) => *value = low + (*value - low) % (last - low + 1),
        }
    }
}
