//! Damaged schedules: those of small random regions, changed in one place at random, run on an engine.
//! Whatever shows there, in the state at the end or in what the bundle behind sees, the checker has
//! to find.

use super::core::{random, regions};
use super::generate::program_with;
use super::mutate::steps;
use super::start::{behind, difference, start};
use crate::dice::Dice;
use cp2_asm::check::check;
use cp2_asm::linear::Region;
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_emu::State;
use cp2_isa::{Bundle, Core, CoreNumbers, Operand, OperandKind, encode};

/// Random programs that are scheduled.
const PROGRAMS: u64 = 16;
/// Damages to the schedule of each program.
const DAMAGES: usize = 24;
/// Random states that a schedule is run from.
const STATES: usize = 2;
/// The most bundles of a schedule that is damaged.
const SMALL: usize = 80;

/// Creates the core of a program: CP2 or one at random, with memories that are quickly copied and
/// compared.
fn core_of(number: u64) -> Core {
    let like = if number.is_multiple_of(2) { Core::CP2 } else { random(number) };
    let numbers = CoreNumbers {
        local_memory_words: 1024,
        instruction_memory_bundles: 512,
        ..*like.numbers()
    };
    Core::new(numbers).expect("numbers within their limits")
}

/// A source of damaged schedules.
struct Damage<'a> {
    core: &'a Core,
    dice: Dice,
    bundles: &'a [ScheduledBundle],
}

/// Slot of a bundle.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Arithmetic,
    Exchange,
}

impl Half {
    fn source(self, placed: &ScheduledBundle) -> SlotOrigin {
        if self == Self::Arithmetic { placed.arith } else { placed.exch }
    }

    /// Puts a half of one bundle into another.
    fn put(self, from: &ScheduledBundle, to: &mut ScheduledBundle) {
        match self {
            Self::Arithmetic => (to.bundle.arith, to.arith) = (from.bundle.arith, from.arith),
            Self::Exchange => (to.bundle.exch, to.exch) = (from.bundle.exch, from.exch),
        }
    }
}

const EMPTY: ScheduledBundle =
    ScheduledBundle { bundle: Bundle::NOP, arith: SlotOrigin::Nothing, exch: SlotOrigin::Nothing };

impl Damage<'_> {
    /// Returns a damaged schedule whose bundles are still bundles of the core.
    fn next(&mut self) -> Vec<ScheduledBundle> {
        loop {
            let mut damaged = self.bundles.to_vec();
            match self.dice.below(10) {
                0..2 => self.moved(&mut damaged),
                2 => self.swapped_registers(&mut damaged),
                3 => damaged.truncate(damaged.len() - self.dice.between(1, damaged.len().min(9))),
                4 => drop(damaged.remove(self.dice.below(damaged.len()))),
                5 => damaged.insert(self.dice.below(damaged.len()), EMPTY),
                6 => self.stray(&mut damaged),
                7 => self.emptied(&mut damaged),
                _ => self.operand(&mut damaged),
            }
            let is_defined = damaged.iter().all(|p| p.bundle.check(self.core).is_ok());
            if is_defined && damaged != self.bundles {
                return damaged;
            }
        }
    }

    fn half(&mut self) -> Half {
        self.dice.pick(&[Half::Arithmetic, Half::Exchange])
    }

    /// Moves an operation some bundles up or down, where its slot is free.
    fn moved(&mut self, damaged: &mut [ScheduledBundle]) {
        let (half, from) = (self.half(), self.dice.below(damaged.len()));
        let to = (from + self.dice.between(0, 6)).saturating_sub(3).min(damaged.len() - 1);
        let (moving, there) = (damaged[from], damaged[to]);
        if half.source(&there) == SlotOrigin::Nothing {
            half.put(&moving, &mut damaged[to]);
            half.put(&there, &mut damaged[from]);
            if there.arith == SlotOrigin::Nothing && there.exch == SlotOrigin::Nothing {
                damaged[to].bundle.cc = moving.bundle.cc;
            }
        }
    }

    /// Puts two FPRs in each other's place from some bundle on.
    fn swapped_registers(&mut self, damaged: &mut [ScheduledBundle]) {
        let from = self.dice.below(damaged.len());
        let [a, b] = [0, 0].map(|_| self.dice.below(16) as i32);
        let other = |value: i32| match value {
            _ if value == a => b,
            _ if value == b => a,
            _ => value,
        };
        let change = |operands: &[Operand], values: &mut [i32]| {
            for (operand, value) in operands.iter().zip(values) {
                match operand.kind {
                    OperandKind::Fpr(_) => *value = other(*value),
                    OperandKind::FprHalf(..) => *value = other(*value >> 1) << 1 | *value & 1,
                    _ => {}
                }
            }
        };
        for placed in &mut damaged[from..] {
            let Bundle { arith, exch, .. } = &mut placed.bundle;
            change(arith.op.row().operands, &mut arith.values);
            change(exch.op.row().operands, &mut exch.values);
        }
    }

    /// Adds a second copy of an operation, said to be the same, made, or from nowhere.
    fn stray(&mut self, damaged: &mut [ScheduledBundle]) {
        let half = self.half();
        let (from, to) = (self.dice.below(damaged.len()), self.dice.below(damaged.len()));
        let mut copy = damaged[from];
        let source = self.dice.pick(&[
            SlotOrigin::Nothing,
            SlotOrigin::Nothing,
            SlotOrigin::Made,
            half.source(&copy),
        ]);
        (copy.arith, copy.exch) = (source, source);
        if half.source(&damaged[to]) == SlotOrigin::Nothing {
            half.put(&copy, &mut damaged[to]);
        }
    }

    fn emptied(&mut self, damaged: &mut [ScheduledBundle]) {
        let (half, at) = (self.half(), self.dice.below(damaged.len()));
        half.put(&EMPTY, &mut damaged[at]);
    }

    /// Changes an operand a little.
    fn operand(&mut self, damaged: &mut [ScheduledBundle]) {
        let (half, at) = (self.half(), self.dice.below(damaged.len()));
        let bundle = &mut damaged[at].bundle;
        let (row, values) = match half {
            Half::Arithmetic => (bundle.arith.op.row(), &mut bundle.arith.values),
            Half::Exchange => (bundle.exch.op.row(), &mut bundle.exch.values),
        };
        let all = steps(row.operands.iter().map(|operand| operand.kind));
        if !all.is_empty() {
            let (k, step) = self.dice.pick(&all);
            values[k] += step;
        }
    }
}

/// Returns a difference between the region and what the engine makes of bundles, from some state.
fn shown(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    states: &[(State, State)],
) -> Option<String> {
    let words: Vec<_> = bundles.iter().map(|placed| encode(&placed.bundle)).collect();
    states.iter().find_map(|(before, after)| {
        let Some(end) = behind(core, region, &words, before, 20_000) else {
            return Some("no end".to_owned());
        };
        difference(region, after, &end.state).or(end.unseen)
    })
}

/// The verdicts of the checker on damages that show on the engine, and on others.
#[derive(Debug, Default)]
struct Verdicts {
    found: usize,
    missed: Vec<String>,
    /// Damages that do not show: refused, accepted.
    hidden: [usize; 2],
}

#[test]
fn what_damage_shows_on_the_engine_the_checker_finds() {
    let mut verdicts = Verdicts::default();
    let mut n_regions = 0;
    for number in cp2_tests::program_numbers(PROGRAMS) {
        let core = core_of(number);
        let text =
            program_with(number, core.extensions()).replace("4000", "900").replace("4001", "901");
        let Ok(mut made) = regions(core, &text) else { continue };
        let scheduled = made.remove(0);
        let (region, bundles) = (&scheduled.region, &scheduled.bundles);
        let mut dice = Dice::new(number);
        let states: Vec<_> =
            (0..STATES).filter_map(|_| start(&core, region, &mut dice).ok()).collect();
        if states.is_empty() || bundles.len() > SMALL {
            continue;
        }
        n_regions += 1;
        assert_eq!(shown(&core, region, bundles, &states), None, "{text}");
        let mut damage = Damage { core: &core, dice, bundles };
        for at in 0..DAMAGES {
            let damaged = damage.next();
            let shown = shown(&core, region, &damaged, &states);
            let is_found = check(&core, region, &damaged).is_err();
            match shown {
                Some(_) if is_found => verdicts.found += 1,
                Some(what) => verdicts.missed.push(format!("program {number}, {at}: {what}")),
                None => verdicts.hidden[usize::from(!is_found)] += 1,
            }
        }
    }
    println!("{n_regions} regions, {verdicts:?}");
    assert!(verdicts.missed.is_empty(), "{verdicts:?}");
    let [refused, accepted] = verdicts.hidden;
    let enough = verdicts.found > 8 * n_regions && accepted > n_regions && n_regions > 8;
    assert!(enough && refused < verdicts.found, "{n_regions} regions, {verdicts:?}");
}
