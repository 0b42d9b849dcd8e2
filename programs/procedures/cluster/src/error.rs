//! The ways in which a procedure on several processors fails.

use crate::decomposition::DecompositionError;
use cp2_cluster::{ClusterError, MessageError, TopologyFlaw};
use cp2_session::error::KernelError;
use std::error::Error;
use std::fmt;

/// Error of a run of multigrid on several processors.
#[derive(Debug)]
pub enum ClusterMgError {
    /// The grid cannot be dealt out to the processes.
    Decomposition(DecompositionError),
    /// The topology does not serve the processes.
    Topology(TopologyFlaw),
    /// The ticks of the network are no whole part of the clock.
    Clock {
        /// Clock of the processors in MHz.
        mhz: u64,
    },
    /// The level that is to be gathered is none of those that can be.
    Gathered {
        /// Points along an axis of the level.
        given: usize,
        /// Levels that can be gathered, by their points along an axis.
        allowed: Vec<usize>,
    },
    /// A machine refused what a rank did.
    Kernel(KernelError),
    /// A rank sent or received wrongly.
    Message(MessageError),
    /// The ranks did not come to an end together.
    Cluster(Box<ClusterError<Self>>),
}

impl fmt::Display for ClusterMgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decomposition(error) => write!(f, "{error}"),
            Self::Topology(error) => write!(f, "{error}"),
            Self::Clock { mhz } => write!(
                f,
                "cpu.clock_mhz is {mhz}: its period is no whole number of ticks of 1/84 ns, in which the network counts; 200, 600, 700, 800, 1000 and 1200 are"
            ),
            Self::Gathered { given, allowed } => {
                let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "a level of {given} points along an axis cannot be gathered; with these processors it takes {}",
                    allowed.join(", ")
                )
            }
            Self::Kernel(error) => write!(f, "{error}"),
            Self::Message(error) => write!(f, "{error}"),
            Self::Cluster(error) => write!(f, "{error}"),
        }
    }
}

impl Error for ClusterMgError {}

impl From<DecompositionError> for ClusterMgError {
    fn from(error: DecompositionError) -> Self {
        Self::Decomposition(error)
    }
}

impl From<TopologyFlaw> for ClusterMgError {
    fn from(error: TopologyFlaw) -> Self {
        Self::Topology(error)
    }
}

impl From<KernelError> for ClusterMgError {
    fn from(error: KernelError) -> Self {
        Self::Kernel(error)
    }
}

impl From<MessageError> for ClusterMgError {
    fn from(error: MessageError) -> Self {
        Self::Message(error)
    }
}

impl From<ClusterError<Self>> for ClusterMgError {
    fn from(error: ClusterError<Self>) -> Self {
        Self::Cluster(Box::new(error))
    }
}
