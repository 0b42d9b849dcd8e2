//! The table's footprints against the meaning of the operations: a flipped bit of a half that the
//! footprint calls unread changes no result, and of each half that it calls read some bit does.

use super::values::{MODES, config, float_from_seed, join, lane, run_with};
use cp2_emu::arith::{Lane, LaneResult};
use cp2_isa::{Arith, Halves, OperandKind, fields};
use proptest::prelude::*;

/// Selector of the register of an operand in a lane.
type Slot = fn(&mut Lane) -> &mut u64;

const SLOTS: [Slot; 5] =
    [|x| &mut x.d, |x| &mut x.s, |x| &mut x.s_next, |x| &mut x.t, |x| &mut x.t_next];

/// FPRs whose numbers tell the slot: D, S and its next, T and its next, Q.
const REGISTERS: [i32; 6] = [0, 8, 9, 16, 17, 24];

/// Returns operands with the numbers of `REGISTERS`, all else drawn from `raw`.
fn operands(op: Arith, raw: u64) -> Vec<i32> {
    let row = op.row();
    let placed = |kind: OperandKind| {
        let value = kind.decode(raw.into());
        let register = |field| match field {
            fields::FD => 0,
            fields::FS => 8,
            fields::FT => 16,
            _ => 24,
        };
        match kind {
            OperandKind::Fpr(field) | OperandKind::FprPair(field) => register(field),
            OperandKind::FprHalf(field, _) => register(field) * 2 + (value & 1),
            _ => value,
        }
    };
    row.operands.iter().map(|o| placed(o.kind)).collect()
}

/// Returns the halves of each slot that the footprint calls read.
fn halves_read(op: Arith, values: &[i32]) -> [Halves; 5] {
    let mut read = [Halves::empty(); 5];
    for fpr in op.row().fprs(values) {
        let number = fpr.register + i32::from(fpr.next);
        if let Some(slot) = REGISTERS[..5].iter().position(|&r| r == number) {
            read[slot] |= fpr.reads;
        }
    }
    read
}

/// Returns the parts of an outcome that the operation writes.
fn visible(op: Arith, values: &[i32], outcome: &LaneResult) -> (Vec<u64>, Vec<bool>, u8) {
    let written = op.row().fprs(values).filter(|f| !f.writes.is_empty()).map(|f| {
        let result = match f.register {
            0 => outcome.d,
            8 => outcome.s,
            _ => outcome.q,
        };
        match f.writes {
            Halves::LO => result & 0xffff_ffff,
            Halves::HI => result >> 32,
            _ => result,
        }
    });
    let codes = cp2_isa::Inst::new(op, values).comparison().map_or(0, |c| c.codes());
    (written.collect(), outcome.conditions[..usize::from(codes)].to_vec(), outcome.flags.bits())
}

fn flipped(x: &Lane, slot: usize, bit: u32) -> Lane {
    let mut x = *x;
    *SLOTS[slot](&mut x) ^= 1 << bit;
    x
}

fn half_of(bit: u32) -> Halves {
    if bit < 32 { Halves::LO } else { Halves::HI }
}

/// Whether an operation is a comparison that does not depend on its operands: T, and UN of integers.
fn is_constant(op: Arith, values: &[i32]) -> bool {
    let comparison = cp2_isa::Inst::new(op, values).comparison();
    comparison.is_some_and(|c| c.relation == 0 || c.relation == 1 && c.format.is_integer())
}

/// Whether the engine, not `execute`, gives an operation its meaning.
fn belongs_to_the_engine(op: Arith) -> bool {
    matches!(op, Arith::Mfc | Arith::Mtc | Arith::Amtsa)
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn what_is_unread_changes_nothing(x in lane(), raw in any::<u64>()) {
        for &op in Arith::ALL {
            let values = operands(op, raw);
            let read = halves_read(op, &values);
            for rounding in MODES {
                let x = Lane { rounding, ..x };
                let before = visible(op, &values, &run_with(op, &values, &x));
                for (slot, halves) in read.iter().enumerate() {
                    for bit in (0..64).filter(|&b| !halves.contains(half_of(b))) {
                        let after = run_with(op, &values, &flipped(&x, slot, bit));
                        prop_assert_eq!(
                            &visible(op, &values, &after), &before,
                            "{:?} {:?}: bit {} of slot {}", op, values, bit, slot
                        );
                    }
                }
            }
        }
    }
}

/// Returns lanes in which something can be seen of every operand: small numbers, and anything.
fn lanes() -> impl Iterator<Item = Lane> {
    let word = |k: u64| join(float_from_seed(k), float_from_seed(k.wrapping_mul(0x9e37_79b9) >> 7));
    let near_one = |k: u64| {
        let mixed = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed & 0x007f_ffff_007f_ffff | 0x3f80_0000_3f80_0000
    };
    (0..400u64).flat_map(move |k| {
        [word as fn(u64) -> u64, near_one].map(|value| Lane {
            d: value(5 * k),
            s: value(5 * k + 1),
            t: value(5 * k + 2),
            s_next: value(5 * k + 3),
            t_next: value(5 * k + 4),
            ..Lane::default()
        })
    })
}

#[test]
fn of_each_half_that_is_read_some_bit_changes_a_result() {
    for &op in Arith::ALL.iter().filter(|&&op| !belongs_to_the_engine(op)) {
        // Halves, modes and formats lie in these bits; immediates are 1.
        for raw in (0..32).map(|k: u64| (k & 3) << 32 | (k >> 2 & 3) << 53 | 2 << 34 | 1 << 50) {
            let values = operands(op, raw);
            let read = halves_read(op, &values);
            for (slot, &halves) in read.iter().enumerate() {
                for half in [Halves::LO, Halves::HI].into_iter().filter(|&h| halves.contains(h)) {
                    let mut bits = (0..64).filter(|&b| half_of(b) == half);
                    let seen = bits.any(|bit| {
                        lanes().any(|x| {
                            let plain = run_with(op, &values, &x);
                            let other = run_with(op, &values, &flipped(&x, slot, bit));
                            visible(op, &values, &plain) != visible(op, &values, &other)
                        })
                    });
                    assert!(
                        seen || is_constant(op, &values),
                        "{op:?} {values:?}: {half:?} of slot {slot} is unread"
                    );
                }
            }
        }
    }
}
