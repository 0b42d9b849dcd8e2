//! Programs with section addressing, counters, shared memory and word access at random: some halves of a program's
//! bundles are replaced, and the core gets what they need.

use super::random::dice::Dice;
use super::random::generate::Program;
use super::random::operands::ADDRESSES;
use cp2_isa::{
    Arith, Bundle, Core, CoreNumbers, Exch, Extensions, Inst, Unit, WordAddress, decode, encode,
};

/// Gives one program of four section addressing, shared memory and word access, one of eight counters too, and leaves the
/// others as they are.
pub(crate) fn extended(number: u64, mut program: Program) -> Program {
    if number % 4 < 3 {
        return program;
    }
    let mut dice = Dice::new(number ^ 0x5ec7);
    let mut extensions = program.core.extensions()
        | Extensions::SECTION_ADDRESSING
        | Extensions::SHARED_MEMORY
        | Extensions::WORD_ACCESS;
    if number % 8 == 7 {
        extensions |= Extensions::SECTION_COUNTERS;
    }
    let numbers = CoreNumbers { extensions, ..*program.core.numbers() };
    program.core = Core::new(numbers).expect("within the limits");
    let mask = program.core.address_mask();
    let mut near = || {
        let address = dice.pick(&ADDRESSES) as u16 + dice.below(8) as u16;
        WordAddress(address & mask)
    };
    program.state.sa = (0..16).map(|_| [(); 4].map(|()| near())).collect();
    program.state.qa = (0..16).map(|_| WordAddress(dice.below(16) as u16)).collect();
    program.state.shared = (0..1024).map(|_| dice.bits()).collect();
    // Small numbers in some registers, so that addresses from them meet.
    for register in program.state.fpr.iter_mut().take(6) {
        if dice.percent(50) {
            *register = std::array::from_fn(|_| {
                let [lo, hi] =
                    [(); 2].map(|()| dice.pick(&ADDRESSES) as u64 + dice.below(8) as u64);
                hi << 32 | lo
            });
        }
    }
    for address in program.base..program.end {
        let word = &mut program.state.iram[usize::from(address)];
        if let Ok(bundle) = decode(*word, &program.core) {
            *word = encode(&replaced(&mut dice, &program.core, bundle));
        }
    }
    program
}

/// Replaces halves of a bundle that do not direct the flow by operations of extensions.
fn replaced(dice: &mut Dice, core: &Core, bundle: Bundle) -> Bundle {
    let unit = bundle.exch.op.row().unit;
    let mut new = bundle;
    if matches!(unit, Unit::Nop | Unit::Load | Unit::Store | Unit::Permute) && dice.percent(40) {
        let counters = core.extensions().contains(Extensions::SECTION_COUNTERS);
        new.exch = match dice.below(5) {
            0 | 1 => exchange(dice, counters),
            2 | 3 => shared(dice),
            _ => word(dice),
        };
    }
    if matches!(bundle.arith.op, Arith::Nop | Arith::Copy) && dice.percent(40) {
        let half = dice.below(2) as i32;
        new.arith = Inst::new(Arith::Amtsa, &[set(dice), 2 * fpr(dice) + half]);
    }
    if new.check(core).is_ok() { new } else { bundle }
}

fn set(dice: &mut Dice) -> i32 {
    dice.below(3) as i32
}

fn fpr(dice: &mut Dice) -> i32 {
    dice.below(6) as i32
}

fn exchange(dice: &mut Dice, counters: bool) -> Inst<Exch> {
    let half = dice.below(2) as i32;
    let address = set(dice) + 16 * (dice.below(7) as i32 - 3);
    match dice.below(if counters { 12 } else { 7 }) {
        0 => Inst::new(Exch::Lwsa, &[fpr(dice), address]),
        1 => Inst::new(Exch::Swsa, &[fpr(dice), address]),
        2 => Inst::new(Exch::Ldsa, &[fpr(dice), address]),
        3 => Inst::new(Exch::Sdsa, &[fpr(dice), address]),
        4 => Inst::new(Exch::Setsa, &[set(dice), dice.below(16) as i32]),
        5 => Inst::new(Exch::Mtsa, &[set(dice), 2 * fpr(dice) + half]),
        7 => Inst::new(Exch::Mlwsa, &[fpr(dice), address]),
        8 => Inst::new(Exch::Mldsa, &[fpr(dice), address]),
        9 => Inst::new(Exch::Mswsa, &[fpr(dice), address]),
        10 => Inst::new(Exch::Msdsa, &[fpr(dice), address]),
        11 => Inst::new(Exch::Mxfpr, &[dice.below(4) as i32, 2 * fpr(dice) + half]),
        _ => Inst::new(Exch::Lwfa, &[fpr(dice), 2 * fpr(dice) + half]),
    }
}

/// Returns an operation on shared memory, near its beginning or around its end.
fn shared(dice: &mut Dice) -> Inst<Exch> {
    let code = 0x40 + dice.below(8) as u32;
    let (Some(op), false) = (Exch::from_code(code), dice.percent(12)) else {
        return Inst::new(Exch::Setq, &[set(dice), dice.below(16) as i32]);
    };
    let at = match code & 1 {
        0 if dice.percent(20) => 1020 + dice.below(4) as i32,
        0 => dice.below(16) as i32,
        _ => set(dice) + 16 * (dice.below(9) as i32 - 4),
    };
    Inst::new(op, &[fpr(dice), at, if code >= 0x46 { dice.below(4) as i32 } else { 0 }])
}

/// Returns an access of a word of 32 bits whose address steps by Nn.
fn word(dice: &mut Dice) -> Inst<Exch> {
    use Exch as E;
    let half = 2 * fpr(dice) + dice.below(2) as i32;
    let (forms, last) = match dice.below(6) {
        0 => ([E::Lhnp, E::Lhnm, E::Shnp, E::Shnm], 2),
        1 | 2 => ([E::Lhgnp, E::Lhgnm, E::Shgnp, E::Shgnm], 8),
        _ => ([E::Lh32np, E::Lh32nm, E::Sh32np, E::Sh32nm], 2),
    };
    Inst::new(dice.pick(&forms), &[half, set(dice), dice.below(last) as i32])
}
