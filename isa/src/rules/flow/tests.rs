//! The worked examples of the reference (cycle rules, Control), each with its neighbour.

use super::*;
use crate::table::{Arith, Exch};

/// A machine that has nothing but flow.
#[derive(Default)]
struct Flow {
    pc: u16,
    position: Position,
    loops: Vec<Loop>,
}

impl Flow {
    /// Issues the bundle at PC; `execute` is its exchange operation, which sees the loops behind the
    /// decision and the address that issues next. Tells whether the bundle executed.
    fn issue(&mut self, execute: impl FnOnce(&mut Vec<Loop>, u16) -> Request) -> bool {
        let next = next_address(self.pc, self.position);
        if let Position::Nullified(_) = self.position {
            (self.pc, self.position) = (next, Position::Plain);
            return false;
        }
        let decision = decision(self.loops.last(), self.pc, self.position);
        match decision {
            Decision::Back { left, .. } => self.loops.last_mut().unwrap().count = left,
            Decision::Leave => drop(self.loops.pop()),
            Decision::None => {}
        }
        let request = execute(&mut self.loops, next);
        self.position = next_position(decision, request);
        self.pc = next;
        true
    }
}

fn doi(loops: &mut Vec<Loop>, at: u16, count: u32, end: u16) -> Request {
    match begun(at, count, end) {
        Begun::Loop(new) => {
            loops.push(new);
            Request::None
        }
        Begun::Nothing(to) => Request::Skip(to),
    }
}

/// LC in each bundle behind `0: doi count, end`, up to the first behind the loop.
fn counts(count: u32, end: u16, write: impl Fn(u16, &mut Loop)) -> Vec<(u16, u32)> {
    let mut flow = Flow::default();
    flow.issue(|loops, _| doi(loops, 0, count, end));
    let mut seen = Vec::new();
    while flow.pc <= end + 1 {
        let pc = flow.pc;
        flow.issue(|loops, _| {
            seen.push((pc, loops.last().map_or(0, |l| l.count)));
            loops.last_mut().into_iter().for_each(|l| write(pc, l));
            Request::None
        });
    }
    seen
}

#[test]
fn lc_counts_down_in_the_bundle_at_end() {
    let seen = counts(4, 2, |_, _| {});
    let at = |place| -> Vec<u32> {
        seen.iter().filter(|(pc, _)| *pc == place).map(|&(_, lc)| lc).collect()
    };
    assert_eq!(at(1), [4, 3, 2, 1]);
    assert_eq!(at(2), [3, 2, 1, 0]);
    assert_eq!(at(3), at(2));
}

#[test]
fn a_write_of_lc_decides_from_the_next_decision_on() {
    let written_at = |place: u16| {
        move |pc: u16, l: &mut Loop| {
            if pc == place {
                l.count = 1;
            }
        }
    };
    // Before `end` this iteration is the last one, at `end` the next is.
    assert_eq!(counts(9, 2, written_at(1)).len(), 3);
    assert_eq!(counts(9, 2, written_at(2)).len(), 6);
    // 0 acts as 1.
    let zero = |pc: u16, l: &mut Loop| l.count = if pc == 1 { 0 } else { l.count };
    assert_eq!(counts(9, 2, zero).len(), 3);
}

#[test]
fn pc_is_the_address_that_issues_next() {
    let mut flow = Flow::default();
    let mut seen = Vec::new();
    for _ in 0..8 {
        let pc = flow.pc;
        flow.issue(|loops, next| {
            if matches!(pc, 1 | 6 | 7) {
                seen.push((pc, next));
            }
            match pc {
                0 => Request::Jump(5),
                5 => doi(loops, 5, 2, 6),
                _ => Request::None,
            }
        });
    }
    assert_eq!(seen, [(1, 5), (6, 7), (7, 6), (6, 7), (7, 8)]);
}

#[test]
fn a_bundle_in_a_taken_delay_slot_is_no_loop_end() {
    let mut flow = Flow::default();
    let mut path = Vec::new();
    for _ in 0..9 {
        let pc = flow.pc;
        path.push(pc);
        flow.issue(|loops, _| match pc {
            0 => doi(loops, 0, 2, 2),
            2 => {
                // Outside the loop nothing is written.
                loops.last_mut().into_iter().for_each(|l| *l = l.with_la(1 << 16 | 3));
                Request::None
            }
            _ => Request::None,
        });
    }
    assert_eq!(path, [0, 1, 2, 3, 1, 2, 3, 4, 5]);
}

#[test]
fn a_count_of_0_nullifies_one_bundle() {
    let mut flow = Flow::default();
    assert!(flow.issue(|loops, _| doi(loops, 0, 0, 4)));
    assert_eq!((flow.pc, flow.position), (1, Position::Nullified(6)));
    assert!(!flow.issue(|_, _| unreachable!("it does not execute")));
    assert_eq!((flow.pc, flow.position, flow.loops.len()), (6, Position::Plain, 0));
    assert_eq!(begun(0, loop_count(1 << 32), 4), Begun::Nothing(6));
    assert!(matches!(begun(0, loop_count(1 << 32 | 1), 4), Begun::Loop(Loop { count: 1, .. })));
}

#[test]
fn loops_end_one_behind_another() {
    let inner = Body::behind(3, 6);
    let outer = |end| Body::behind(0, end);
    assert!(outer(7).nests(3, inner));
    assert!(!outer(6).nests(3, inner));
    // A `do` in a procedure elsewhere ends where it likes.
    assert!(Body { start: 20, end: 22 }.nests(3, inner));
    // With no iterations the inner loop goes on at 8: an outer end at 7 is passed over.
    assert!(outer(7).is_missed_behind(inner));
    assert!(!outer(8).is_missed_behind(inner));
}

#[test]
fn a_body_has_two_bundles_at_least() {
    assert!(Body::behind(4, 5).is_possible());
    assert!(!Body::behind(4, 4).is_possible());
    assert_eq!((Body::behind(4, 5).last(), Body::behind(4, 5).after()), (6, 7));
    assert!(Body::behind(4, 5).contains(6) && !Body::behind(4, 5).contains(7));
}

#[test]
fn control_operations_stand_neither_in_delay_slots_nor_at_the_end() {
    let jump = Exch::Jumpi.row();
    let wait = Exch::Sync.row();
    let body = Some(Body { start: 2, end: 6 });
    let at = |row, pc| misplaced(row, pc, Position::Plain, body);
    assert_eq!(at(wait, 5), None);
    assert_eq!(at(jump, 4), None);
    assert_eq!(at(jump, 5), Some(Misplaced::BeforeLoopEnd));
    assert_eq!(at(wait, 6), Some(Misplaced::AtLoopEnd));
    assert_eq!(at(wait, 7), Some(Misplaced::AtLoopEnd));
    assert_eq!(at(wait, 8), None);
    let slot = |row| misplaced(row, 1, Position::JumpSlot(9), None);
    assert_eq!(slot(wait), Some(Misplaced::InDelaySlot));
    assert_eq!(slot(Exch::Lwi.row()), None);
    assert_eq!(slot(Arith::Psadd.row()), None);
    assert_eq!(misplaced(jump, 7, Position::LoopExit, None), Some(Misplaced::AtLoopEnd));
}

#[test]
fn the_sixteenth_entry_replaces_the_top() {
    let depth = Core::CP2.loop_depth();
    assert_eq!(kept_under_one_more(14, depth), 14);
    assert_eq!(kept_under_one_more(15, depth), 14);
    assert_eq!(kept_under_one_more(1, 1), 0);
}

#[test]
fn targets_are_bundles_of_instruction_memory() {
    assert_eq!(target(&Core::CP2, 8191), Some(8191));
    assert_eq!(target(&Core::CP2, 8192), None);
    assert_eq!(return_address(7), 9);
}

#[test]
fn la_has_the_bits_of_end_and_start() {
    let inner = Loop { count: 3, start: 0x123, end: 0x456 };
    assert_eq!(inner.la(), 0x0123_0456);
    assert_eq!(inner.with_la(u64::MAX).la(), LA_MASK);
    assert_eq!(inner.with_la(7).count, 3);
}
