//! Several processors in one time. A rank is whatever computes by itself and has a clock; ranks exchange messages over links,
//! whose times are counted in one integer unit. The crate knows no procedure and no CP2: a rank is an asynchronous function
//! with an [`Endpoint`].
//!
//! - `time`: the unit of time; `topology`: chips, links and routes, and the files that describe them;
//! - `network`: when packets leave and arrive; `endpoint`: `send` and `recv` of a rank, and `account`: the causes of its time;
//!   `collective`: barrier, sum and maximum out of messages;
//! - `run`: ranks and network together, in windows of time; `rank`: a rank under way; `transport`: processes of a computer that do a run together, and
//!   `party`: what they tell each other;
//!   `keeping`: what is in a checkpoint, and `kept`: making one and going on from one; `error`: the ways in which a run fails; `goal`: what ranks do, for
//!   another simulator.
//!
//! Results do not depend on the order in which ranks run: a rank names the sender and the tag of each message that it receives,
//! and the network handles packets in the order of time, then of senders.

mod account;
mod collective;
mod endpoint;
mod error;
mod goal;
mod in_memory;
mod keeping;
mod kept;
mod network;
mod party;
mod rank;
mod run;
mod time;
mod topology;
mod transport;

pub use account::{RankAccount, TimeCause};
pub use endpoint::{Endpoint, Received};
pub use error::{ClusterError, MessageError, WaitingRank};
pub use goal::{RankEvent, goal};
pub use in_memory::CheckpointsInMemory;
pub use keeping::{CheckpointPart, CheckpointStore, Keeping, OTHER as OTHER_RUN};
pub use network::{LinkUse, MessageRecord, TAGS};
pub use run::{ClusterOptions, ClusterOutcome, run};
pub use time::Tick;
pub use topology::{
    DirectedLink, LinkModel, MessageOverheads, Topology, TopologyFile, TopologyFlaw, shipped,
};
pub use transport::{ThreadTransport, Transport, TransportError};
