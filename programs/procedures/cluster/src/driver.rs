//! A rank that goes through its actions: chains on its machine, sends and receives, in one time, whatever its procedure is.

use crate::actions::RankAction;
use crate::error::ClusterMgError;
use cp2_cluster::{Endpoint, Tick, TimeCause};
use cp2_isa::{Cycle, MemoryAddress};
use cp2_procedures::cg::{CgPart, CgScalar, CgSum};
use cp2_procedures::multigrid::MultigridPart;
use cp2_procedures::spatial::SlabPart;
use cp2_session::error::{KeepingError, KernelError};

/// Part of one process in a procedure on several: a machine and chains that run on it.
pub(crate) trait RankPart: Send {
    /// Returns the cycle of the machine.
    fn cycle(&self) -> Cycle;
    /// Advances the machine to a cycle, while the host is busy with messages.
    fn pass_until(&mut self, cycle: Cycle) -> Result<(), KernelError>;
    /// Reads words of system memory for a message.
    fn read_words(&mut self, at: MemoryAddress, count: usize) -> Result<Vec<u64>, KernelError>;
    /// Writes the words of a message to system memory.
    fn write_words(&mut self, at: MemoryAddress, words: &[u64]) -> Result<(), KernelError>;
    /// Runs a chain.
    fn run_chain(&mut self, number: usize) -> Result<(), KernelError>;
    /// Returns the part as bytes, between two chains.
    fn save(&mut self) -> Result<Vec<u8>, KernelError>;
    /// Goes on from what was saved.
    fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError>;

    /// Does the host's work for a sum over all ranks, and returns the share of this one.
    fn own_sum(&mut self) -> Result<f64, KernelError> {
        Err(NO_SUMS)
    }

    /// Takes a sum over all ranks.
    fn take_sum(&mut self, _: CgSum, _: f64) {}

    /// Makes a scalar of sums for the next chain.
    fn make_scalar(&mut self, _: CgScalar) -> Result<(), KernelError> {
        Err(NO_SUMS)
    }
}

const NO_SUMS: KernelError = KernelError::Internal("a procedure without sums");

/// Writes the interface of a part, whose methods have the same names.
macro_rules! rank_part {
    ($part:ty $(, $more:item)*) => {
        impl RankPart for $part {
            fn cycle(&self) -> Cycle {
                self.cycle()
            }

            fn pass_until(&mut self, cycle: Cycle) -> Result<(), KernelError> {
                self.host().pass_until(cycle)
            }

            fn read_words(
                &mut self,
                at: MemoryAddress,
                count: usize,
            ) -> Result<Vec<u64>, KernelError> {
                self.host().read_words(at, count)
            }

            fn write_words(&mut self, at: MemoryAddress, words: &[u64]) -> Result<(), KernelError> {
                self.host().write_words(at, words)
            }

            fn run_chain(&mut self, number: usize) -> Result<(), KernelError> {
                self.run_chain(number)
            }

            fn save(&mut self) -> Result<Vec<u8>, KernelError> {
                self.save()
            }

            fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError> {
                self.restore(saved)
            }

            $($more)*
        }
    };
}

rank_part!(MultigridPart);
rank_part!(SlabPart);
rank_part!(
    CgPart,
    fn own_sum(&mut self) -> Result<f64, KernelError> {
        self.own_sum()
    },
    fn take_sum(&mut self, of: CgSum, sum: f64) {
        self.take_sum(of, sum);
    },
    fn make_scalar(&mut self, of: CgScalar) -> Result<(), KernelError> {
        self.make_scalar(of)
    }
);

/// A rank of a run: its machine and its side of the network, in one time.
pub(crate) struct RankDriver<P> {
    pub(crate) part: P,
    pub(crate) endpoint: Endpoint,
    /// Ticks of a cycle of the machine.
    period: Tick,
    /// Number of actions that are done.
    position: usize,
}

impl<P: RankPart> RankDriver<P> {
    /// Makes a rank that has done nothing.
    pub(crate) fn new(part: P, endpoint: Endpoint, period: Tick) -> Self {
        Self { part, endpoint, period, position: 0 }
    }

    /// Goes through actions, from the one at which a checkpoint was made if the run goes on from one.
    pub(crate) async fn go_through(
        &mut self,
        actions: &[RankAction],
    ) -> Result<(), ClusterMgError> {
        self.resume(actions.len())?;
        while let Some(&action) = actions.get(self.position) {
            self.act(action).await?;
            self.position += 1;
        }
        Ok(())
    }

    /// Goes on from a checkpoint, if the run does.
    fn resume(&mut self, actions: usize) -> Result<(), ClusterMgError> {
        let Some(state) = self.endpoint.take_resumed() else { return Ok(()) };
        let (position, part) = state.split_first_chunk().unwrap_or((&[0; 8], &state));
        self.position = usize::try_from(u64::from_le_bytes(*position)).unwrap_or(usize::MAX);
        self.part.restore(part)?;
        match self.position < actions && self.machine_time() == self.endpoint.clock() {
            true => Ok(()),
            false => Err(KernelError::from(KeepingError::Damaged).into()),
        }
    }

    async fn act(&mut self, action: RankAction) -> Result<(), ClusterMgError> {
        match action {
            RankAction::Run { chain, cause } => self.run(chain, cause),
            RankAction::Send { to, tag, at, bytes } => self.send(to, tag, (at, bytes)),
            RankAction::Receive { from, tag, at } => self.recv(from, tag, at).await,
            RankAction::Sum(of) => self.sum(of).await,
            RankAction::Scalar(of) => Ok(self.part.make_scalar(of)?),
        }
    }

    /// Runs a chain on the machine, and takes its time to the side of the network.
    fn run(&mut self, chain: usize, cause: TimeCause) -> Result<(), ClusterMgError> {
        self.part.run_chain(chain)?;
        self.endpoint.advance_to(self.machine_time(), cause);
        Ok(())
    }

    /// Adds up a sum of all ranks. No checkpoint is made meanwhile.
    async fn sum(&mut self, of: CgSum) -> Result<(), ClusterMgError> {
        let own = self.part.own_sum()?;
        self.endpoint.advance_to(self.machine_time(), TimeCause::Computing);
        let sum = self.endpoint.sum(own).await;
        self.follow()?;
        self.part.take_sum(of, sum);
        Ok(())
    }

    /// Returns the moment of the machine.
    fn machine_time(&self) -> Tick {
        Tick(self.part.cycle().0 * self.period.0)
    }

    /// Lets the machine follow the clock of the network, to the next whole cycle.
    fn follow(&mut self) -> Result<(), ClusterMgError> {
        let cycle = self.endpoint.clock().0.div_ceil(self.period.0);
        self.part.pass_until(Cycle(cycle))?;
        self.endpoint.advance_to(self.machine_time(), TimeCause::Overhead);
        Ok(())
    }

    fn send(
        &mut self,
        to: usize,
        tag: u32,
        (at, bytes): (MemoryAddress, usize),
    ) -> Result<(), ClusterMgError> {
        let words = self.part.read_words(at, bytes / 8)?;
        let bytes = words.into_iter().flat_map(u64::to_be_bytes).collect();
        self.endpoint.send(to, tag, bytes)?;
        self.follow()
    }

    /// Receives a message into a buffer. While the rank waits, it can leave its machine and its position to a checkpoint.
    async fn recv(
        &mut self,
        from: usize,
        tag: u32,
        at: MemoryAddress,
    ) -> Result<(), ClusterMgError> {
        let Self { part, endpoint, position, .. } = self;
        let save = || {
            let mut state = (*position as u64).to_le_bytes().to_vec();
            state.extend(part.save().map_err(|e| e.to_string())?);
            Ok(state)
        };
        let message = endpoint.recv_saving(from, tag, save).await?;
        self.follow()?;
        let words = message.bytes.as_chunks().0.iter().map(|&word| u64::from_be_bytes(word));
        self.part.write_words(at, &words.collect::<Vec<_>>())?;
        Ok(())
    }
}
