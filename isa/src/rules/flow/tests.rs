//! The worked examples of the reference (cycle rules, Control), each with its neighbour.

use super::*;
use crate::BundleAddress as At;
use crate::table::{Arith, Exch};

/// A machine that has nothing but flow.
#[derive(Default)]
struct Flow {
    pc: At,
    position: FlowPosition,
    loops: Vec<ActiveLoop>,
}

impl Flow {
    /// Issues the bundle at PC; `execute` is its exchange operation, which sees the loops behind the
    /// decision and the address that issues next. Tells whether the bundle executed.
    fn issue(&mut self, execute: impl FnOnce(&mut Vec<ActiveLoop>, At) -> FlowRequest) -> bool {
        let next = next_address(self.pc, self.position);
        if let FlowPosition::Nullified(_) = self.position {
            (self.pc, self.position) = (next, FlowPosition::Plain);
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

fn doi(loops: &mut Vec<ActiveLoop>, at: At, count: u32, end: At) -> FlowRequest {
    match begun(at, count, end) {
        LoopEntry::Loop(new) => {
            loops.push(new);
            FlowRequest::None
        }
        LoopEntry::Nothing(to) => FlowRequest::Skip(to),
    }
}

/// Returns LC in each bundle behind `0: doi count, end`, up to the first behind the loop.
fn counts(count: u32, end: At, write: impl Fn(At, &mut ActiveLoop)) -> Vec<(At, u32)> {
    let mut flow = Flow::default();
    flow.issue(|loops, _| doi(loops, At(0), count, end));
    let mut seen = Vec::new();
    while flow.pc <= end.plus(1) {
        let pc = flow.pc;
        flow.issue(|loops, _| {
            seen.push((pc, loops.last().map_or(0, |l| l.count)));
            loops.last_mut().into_iter().for_each(|l| write(pc, l));
            FlowRequest::None
        });
    }
    seen
}

#[test]
fn lc_counts_down_in_the_bundle_at_end() {
    let seen = counts(4, At(2), |_, _| {});
    let at = |place| -> Vec<u32> {
        seen.iter().filter(|(pc, _)| pc.0 == place).map(|&(_, lc)| lc).collect()
    };
    assert_eq!(at(1), [4, 3, 2, 1]);
    assert_eq!(at(2), [3, 2, 1, 0]);
    assert_eq!(at(3), at(2));
}

#[test]
fn a_write_of_lc_decides_from_the_next_decision_on() {
    let written_at = |place: u16| {
        move |pc: At, l: &mut ActiveLoop| {
            if pc.0 == place {
                l.count = 1;
            }
        }
    };
    // Before `end` this iteration is the last one, at `end` the next is.
    assert_eq!(counts(9, At(2), written_at(1)).len(), 3);
    assert_eq!(counts(9, At(2), written_at(2)).len(), 6);
    // 0 acts as 1.
    let zero = |pc: At, l: &mut ActiveLoop| l.count = if pc.0 == 1 { 0 } else { l.count };
    assert_eq!(counts(9, At(2), zero).len(), 3);
}

#[test]
fn pc_is_the_address_that_issues_next() {
    let mut flow = Flow::default();
    let mut seen = Vec::new();
    for _ in 0..8 {
        let pc = flow.pc;
        flow.issue(|loops, next| {
            if matches!(pc.0, 1 | 6 | 7) {
                seen.push((pc.0, next.0));
            }
            match pc.0 {
                0 => FlowRequest::Jump(At(5)),
                5 => doi(loops, At(5), 2, At(6)),
                _ => FlowRequest::None,
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
        path.push(pc.0);
        flow.issue(|loops, _| match pc.0 {
            0 => doi(loops, At(0), 2, At(2)),
            2 => {
                // Outside the loop nothing is written.
                loops.last_mut().into_iter().for_each(|l| *l = l.with_la(1 << 16 | 3));
                FlowRequest::None
            }
            _ => FlowRequest::None,
        });
    }
    assert_eq!(path, [0, 1, 2, 3, 1, 2, 3, 4, 5]);
}

#[test]
fn a_count_of_0_nullifies_one_bundle() {
    let mut flow = Flow::default();
    assert!(flow.issue(|loops, _| doi(loops, At(0), 0, At(4))));
    assert_eq!((flow.pc.0, flow.position), (1, FlowPosition::Nullified(At(6))));
    assert!(!flow.issue(|_, _| unreachable!("it does not execute")));
    assert_eq!((flow.pc.0, flow.position, flow.loops.len()), (6, FlowPosition::Plain, 0));
    assert_eq!(begun(At(0), loop_count(1 << 32), At(4)), LoopEntry::Nothing(At(6)));
    assert!(matches!(
        begun(At(0), loop_count(1 << 32 | 1), At(4)),
        LoopEntry::Loop(ActiveLoop { count: 1, .. })
    ));
}

#[test]
fn loops_end_one_behind_another() {
    let inner = Body::behind(At(3), At(6));
    let outer = |end| Body::behind(At(0), end);
    assert!(outer(At(7)).nests(At(3), inner));
    assert!(!outer(At(6)).nests(At(3), inner));
    // A `do` in a procedure elsewhere ends where it likes.
    assert!(Body { start: At(20), end: At(22) }.nests(At(3), inner));
    // With no iterations the inner loop goes on at 8: an outer end at 7 is passed over.
    assert!(outer(At(7)).is_missed_behind(inner));
    assert!(!outer(At(8)).is_missed_behind(inner));
}

#[test]
fn a_body_has_two_bundles_at_least() {
    assert!(Body::behind(At(4), At(5)).is_possible());
    assert!(!Body::behind(At(4), At(4)).is_possible());
    assert_eq!(
        (Body::behind(At(4), At(5)).last(), Body::behind(At(4), At(5)).after()),
        (At(6), At(7))
    );
    assert!(
        Body::behind(At(4), At(5)).contains(At(6)) && !Body::behind(At(4), At(5)).contains(At(7))
    );
}

#[test]
fn control_operations_stand_neither_in_delay_slots_nor_at_the_end() {
    let jump = Exch::Jumpi.row();
    let wait = Exch::Sync.row();
    let body = Some(Body { start: At(2), end: At(6) });
    let at = |row, pc| misplaced(row, pc, FlowPosition::Plain, body);
    assert_eq!(at(wait, At(5)), None);
    assert_eq!(at(jump, At(4)), None);
    assert_eq!(at(jump, At(5)), Some(MisplacedControl::BeforeLoopEnd));
    assert_eq!(at(wait, At(6)), Some(MisplacedControl::AtLoopEnd));
    assert_eq!(at(wait, At(7)), Some(MisplacedControl::AtLoopEnd));
    assert_eq!(at(wait, At(8)), None);
    let slot = |row| misplaced(row, At(1), FlowPosition::JumpSlot(At(9)), None);
    assert_eq!(slot(wait), Some(MisplacedControl::InDelaySlot));
    assert_eq!(slot(Exch::Lwi.row()), None);
    assert_eq!(slot(Arith::Psadd.row()), None);
    assert_eq!(
        misplaced(jump, At(7), FlowPosition::LoopExit, None),
        Some(MisplacedControl::AtLoopEnd)
    );
}

#[test]
fn the_sixteenth_entry_replaces_the_top() {
    let depth = Core::CP2.loop_depth();
    assert_eq!(entries_after_push(14, depth), 14);
    assert_eq!(entries_after_push(15, depth), 14);
    assert_eq!(entries_after_push(1, 1), 0);
}

#[test]
fn targets_are_bundles_of_instruction_memory() {
    assert_eq!(target(&Core::CP2, 8191), Some(At(8191)));
    assert_eq!(target(&Core::CP2, 8192), None);
    assert_eq!(return_address(At(7)), At(9));
}

#[test]
fn la_has_the_bits_of_end_and_start() {
    let inner = ActiveLoop { count: 3, start: At(0x123), end: At(0x456) };
    assert_eq!(inner.la(), 0x0123_0456);
    assert_eq!(inner.with_la(u64::MAX).la(), LA_MASK);
    assert_eq!(inner.with_la(7).count, 3);
}
