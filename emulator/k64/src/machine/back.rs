//! Going back in a run: an earlier snapshot is restored, and the run is repeated from there to where it was to end.

use super::history::{BackResult, History, RunPosition};
use super::snapshot::CpuSnapshot;
use super::{MachineEnd, Processor, Reported};
use crate::exception::WatchHit;

/// Distance before the present, in instructions, from which on the way is replayed step by step.
const NEAR: u64 = 4096;
/// Number of instructions that no block exceeds, for a replay that must stop before an interrupt.
const SLACK: u64 = 256;

impl Processor {
    /// Begins to keep earlier states of the machine, so that the run can go back to any point from now on. The result
    /// is `false`, and nothing is kept, if the state of what is outside of the core cannot be copied.
    pub fn keep_history(&mut self) -> bool {
        let Some(snapshot) = CpuSnapshot::of(&self.core) else { return false };
        self.history = Some(Box::new(History::new(self.position(), snapshot)));
        true
    }

    /// Whether earlier states are kept ([`Processor::keep_history`]), so that the run can go back.
    #[must_use]
    pub fn has_history(&self) -> bool {
        self.history.is_some()
    }

    /// Returns the position of the run: its numbers of completed instructions and of taken exceptions and interrupts.
    #[must_use]
    pub fn position(&self) -> RunPosition {
        RunPosition { instructions: self.core.n_instructions, entries: self.n_entries }
    }

    /// Keeps the present state in the history, because a debugger has changed registers or memory: states after the
    /// change cannot be computed from earlier ones. Where these states become many, the oldest are dropped, and the
    /// history begins later. Without a history the function does nothing.
    pub fn note_change(&mut self) {
        self.keep_moment(true);
    }

    /// Keeps a snapshot of the processor in the history.
    pub(super) fn keep_moment(&mut self, is_change: bool) {
        let position = self.position();
        if let Some(history) = &mut self.history
            && let Some(snapshot) = CpuSnapshot::of(&self.core)
        {
            history.push(position, snapshot, is_change);
        }
    }

    /// Goes back to the state before the last instruction (a branch with its delay slot), exception or interrupt. If
    /// that instruction makes an access that a watchpoint has, the run stays where it is at first, and a second call goes
    /// back. The run goes on from there; what was kept of the states after it is forgotten.
    pub fn step_back(&mut self) -> BackResult {
        let now = self.position();
        let is_reported = self.passed == Some(Reported::Back(now));
        if let Some(history) = &mut self.history {
            history.thin_from(now);
        }
        if self.restore(|history| history.before(now)).is_none() {
            return BackResult::Begin;
        }
        let near = RunPosition { instructions: now.instructions.saturating_sub(NEAR), entries: 0 };
        if self.position() < near {
            self.replay(near);
            self.keep_moment(false);
        }
        let mut last = self.position();
        let mut undone = None;
        self.replay_by_steps(now, |position, hit| {
            last = position;
            undone = hit;
        });
        if let Some(hit) = undone.filter(|_| !is_reported) {
            self.forget_future();
            self.passed = Some(Reported::Back(now));
            return BackResult::Watchpoint(hit);
        }
        self.restore(|history| history.before(now));
        self.replay(last);
        self.forget_future();
        BackResult::Reached
    }

    /// Goes back to the last state before the present at whose instruction there is a breakpoint, or behind the last
    /// instruction that makes an access that a watchpoint has, or to the begin of the history. The run goes on from
    /// there; what was kept of the states after it is forgotten.
    pub fn run_back(&mut self) -> BackResult {
        let mut end = self.position();
        let reported = self.passed;
        while let Some((k, from)) = self.restore(|history| history.before(end)) {
            let mut last = None;
            self.replay_looking(end, &mut |position, result| {
                if result == BackResult::Reached || Some(Reported::Back(position)) != reported {
                    last = Some((position, result));
                }
            });
            self.restore(|_| Some(k));
            if let Some((position, result)) = last {
                self.replay(position);
                self.forget_future();
                if result != BackResult::Reached {
                    self.passed = Some(Reported::Back(position));
                }
                return result;
            }
            end = from;
        }
        self.forget_future();
        BackResult::Begin
    }

    /// Restores a snapshot, and returns its number and position.
    fn restore(
        &mut self,
        which: impl FnOnce(&History) -> Option<usize>,
    ) -> Option<(usize, RunPosition)> {
        let history = self.history.as_ref()?;
        let number = which(history)?;
        let (position, snapshot) = history.snapshot(number)?;
        snapshot.restore(&mut self.core);
        self.passed = None;
        self.n_entries = position.entries;
        Some((number, position))
    }

    fn forget_future(&mut self) {
        let position = self.position();
        if let Some(history) = &mut self.history {
            history.forget_behind(position);
        }
    }

    /// Replays the run up to a position, whatever breakpoints and watchpoints there are.
    fn replay(&mut self, to: RunPosition) {
        let before = self.core.memory.pass_watchpoints(true);
        self.replay_looking(to, &mut |_, _| {});
        self.core.memory.pass_watchpoints(before);
    }

    /// Replays the run up to a position; `seen` is told of breakpoints on the way, and of watchpoints behind the
    /// instruction of the access.
    fn replay_looking(&mut self, to: RunPosition, seen: &mut dyn FnMut(RunPosition, BackResult)) {
        self.set_replay(true);
        while self.position() < to {
            let position = self.position();
            if self.engine.has_breakpoint(self.core.pc) {
                seen(position, BackResult::Reached);
            } else {
                let next = self.history.as_ref().and_then(|h| h.next_interrupt(position));
                let next = next.map_or(to.instructions, |at| at.instructions.min(to.instructions));
                if next > position.instructions + SLACK {
                    self.stop_at = next - SLACK;
                    let end = self.go_to_look(u64::MAX, Self::run_blocks);
                    self.stop_at = u64::MAX;
                    match end {
                        None | Some(MachineEnd::Breakpoint | MachineEnd::Limit) => continue,
                        Some(MachineEnd::Watchpoint(_)) => self.passed = None,
                        Some(_) => break,
                    }
                }
            }
            match self.replay_step() {
                Ok(Some(hit)) => seen(self.position(), BackResult::Watchpoint(hit)),
                Ok(None) => {}
                Err(()) => break,
            }
        }
        self.passed = None;
        self.set_replay(false);
    }

    /// Does an instruction in a replay; returns the access that a watchpoint has.
    ///
    /// # Errors
    /// The run has ended.
    fn replay_step(&mut self) -> Result<Option<WatchHit>, ()> {
        let (hit, end) = match self.step() {
            Some(MachineEnd::Watchpoint(hit)) => (Some(hit), self.step_unwatched()),
            end => (None, end),
        };
        end.map_or(Ok(hit), |_| Err(()))
    }

    /// Replays the run step by step up to a position; `seen` is told of every position before the last, with what a
    /// watchpoint has of its instruction.
    fn replay_by_steps(
        &mut self,
        to: RunPosition,
        mut seen: impl FnMut(RunPosition, Option<WatchHit>),
    ) {
        self.set_replay(true);
        while self.position() < to {
            let position = self.position();
            let Ok(hit) = self.replay_step() else { break };
            seen(position, hit);
        }
        self.passed = None;
        self.set_replay(false);
    }

    fn set_replay(&mut self, is_replay: bool) {
        if let Some(history) = &mut self.history {
            history.set_replay(is_replay);
        }
    }
}
