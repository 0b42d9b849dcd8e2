//! Loops that ask `check_dma` until the answer is another one: recognised, so that turns which change nothing are counted
//! and not run.

use super::block::TranslatedBlock;
use super::epoch::Passes;
use super::executor::Executor;
use super::flow::Flow;
use crate::abi::context::{Live, Vector};
use crate::front_end::region::ChannelUse;

/// Number of passes of the longest turn that is looked for.
const LONGEST_TURN: usize = 64;

/// Latest `check_dma`: the machine there, as far as its future depends on it and the channel alone, and what has been done
/// since.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Whether there is a latest `check_dma`, since which nothing was done that can be told afterwards.
    is_known: bool,
    answer: u64,
    flow: Flow,
    live: Box<Live>,
    pending: Vec<Vector>,
    shared: Vec<u64>,
    since: Vec<Passes>,
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            is_known: false,
            answer: 0,
            flow: Flow::default(),
            live: Box::new(Live::ZERO),
            pending: Vec::new(),
            shared: Vec::new(),
            since: Vec::new(),
        }
    }
}

/// Whether a block leaves nothing that can be told afterwards but its counts and what is in the registers.
pub(super) fn is_quiet(block: &TranslatedBlock) -> bool {
    let (facts, contract) = (&block.facts, block.code.contract());
    facts.channel_use != Some(ChannelUse::Releases)
        && facts.footprint.is_empty()
        && contract.guards.pointers.is_empty()
        && facts.tail.is_empty()
}

impl Waiting {
    /// Forgets the latest `check_dma`: something has happened that a loop does not repeat.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Notes that passes of a block have been run.
    pub(crate) fn note_passes(&mut self, block: &TranslatedBlock, passes: Passes) {
        if self.is_known {
            self.is_known = self.since.len() < LONGEST_TURN && is_quiet(block);
            self.since.push(passes);
        }
    }

    /// Notes that the machine is at a `check_dma` that would read `answer`. If it was there before with everything the same,
    /// returns the passes that it has run since and will run again and again until the answer changes, and their cycles.
    pub(crate) fn visit(
        &mut self,
        (flow, n_pending): (&Flow, usize),
        executor: &Executor,
        answer: u64,
    ) -> Option<(&[Passes], u64)> {
        let (live, pending) = (executor.live(), &executor.pending()[..n_pending]);
        let is_same = self.is_known
            && self.answer == answer
            && self.flow.is_at(flow)
            && self.live.is_same(live, executor.present())
            && self.pending == pending
            && self.shared == executor.shared();
        if is_same {
            self.is_known = false;
            return Some((&self.since, flow.cycle - self.flow.cycle));
        }
        (self.is_known, self.answer) = (true, answer);
        self.flow.clone_from(flow);
        self.live.take(live, executor.present());
        self.pending.clear();
        self.pending.extend_from_slice(pending);
        self.shared.clear();
        self.shared.extend_from_slice(executor.shared());
        self.since.clear();
        None
    }
}
