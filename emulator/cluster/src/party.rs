//! The processes of a run, what ranks each of them has, and what they tell each other: after each turn of their ranks the messages
//! that were sent, at the end what became of the ranks.

use crate::account::RankAccount;
use crate::error::ClusterError;
use crate::goal::RankEvent;
use crate::network::Outgoing;
use crate::time::Tick;
use crate::topology::Topology;
use crate::transport::{Transport, TransportError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// State of a rank after a turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RankNews {
    pub(crate) rank: usize,
    /// Whether the rank has ended.
    pub(crate) is_over: bool,
    /// Error with which it ended, as text.
    pub(crate) failure: Option<String>,
    /// Clock of the rank.
    pub(crate) clock: Tick,
    /// Sender and tag of the message for which it waits.
    pub(crate) waits_for: Option<(usize, u32)>,
}

/// News of the ranks of a process after a turn.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct TurnNews {
    pub(crate) ranks: Vec<RankNews>,
    /// Messages that they sent. Only the process of the receiver gets the bytes.
    pub(crate) sent: Vec<Outgoing>,
    /// Whether the process wants a checkpoint to be made.
    pub(crate) keeps: bool,
}

/// End of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RankEnd {
    pub(crate) rank: usize,
    pub(crate) account: RankAccount,
    pub(crate) events: Vec<RankEvent>,
    /// Senders and tags of messages that it has not received.
    pub(crate) unreceived: Vec<(usize, u32)>,
}

/// The processes of a run.
pub(crate) struct Party {
    /// Way to the other processes, if there are any.
    transport: Option<Arc<dyn Transport>>,
    /// Process of each rank.
    owners: Vec<usize>,
}

impl Party {
    /// Deals out the chips of a topology to the processes: each has its share of them, one after the other.
    pub(crate) fn new<E>(
        topology: &Topology,
        transport: Option<&Arc<dyn Transport>>,
    ) -> Result<Self, ClusterError<E>> {
        let processes = transport.map_or(1, |transport| transport.processes());
        let too_many = || ClusterError::Processes { processes, chips: topology.chips().0 };
        let owners = topology.processes(processes).ok_or_else(too_many)?;
        let transport = transport.filter(|_| processes > 1).cloned();
        Ok(Self { transport, owners })
    }

    /// Returns the number of this process.
    pub(crate) fn process(&self) -> usize {
        self.transport.as_ref().map_or(0, |transport| transport.process())
    }

    /// Whether a rank is one of this process.
    pub(crate) fn has(&self, rank: usize) -> bool {
        self.owners.get(rank) == Some(&self.process())
    }

    /// Tells all processes what the ranks of this one did in a turn; returns what those of all did, by processes.
    pub(crate) fn share_turn(&self, news: TurnNews) -> Result<Vec<TurnNews>, TransportError> {
        let Some(transport) = &self.transport else { return Ok(vec![news]) };
        let TurnNews { ranks, mut sent, keeps } = news;
        let payloads: Vec<_> =
            sent.iter_mut().map(|message| std::mem::take(&mut message.bytes)).collect();
        let receivers: Vec<_> = sent.iter().map(|message| message.to).collect();
        let head = encoded(&TurnNews { ranks, sent, keeps })?;
        let mut rows = vec![head; transport.processes()];
        for (to, payload) in receivers.into_iter().zip(payloads) {
            rows[self.owners[to]].extend(payload);
        }
        let taken = transport.exchange(rows)?;
        taken.iter().map(|row| self.turn_of(row)).collect()
    }

    /// Reads what the ranks of a process did in a turn, with the bytes of the messages for those of this process.
    fn turn_of(&self, row: &[u8]) -> Result<TurnNews, TransportError> {
        let (mut news, mut rest): (TurnNews, _) = postcard::take_from_bytes(row).map_err(broken)?;
        for message in news.sent.iter_mut().filter(|message| self.has(message.to)) {
            let size = usize::try_from(message.size).map_err(broken)?;
            let (bytes, behind) = rest.split_at_checked(size).ok_or_else(|| broken("too short"))?;
            (message.bytes, rest) = (bytes.to_vec(), behind);
        }
        Ok(news)
    }

    /// Gives a value of this process to all; returns those of all, by processes.
    pub(crate) fn share<T: Serialize + DeserializeOwned>(
        &self,
        value: T,
    ) -> Result<Vec<T>, TransportError> {
        let Some(transport) = &self.transport else { return Ok(vec![value]) };
        let rows = vec![encoded(&value)?; transport.processes()];
        let taken = transport.exchange(rows)?;
        taken.iter().map(|row| postcard::from_bytes(row).map_err(broken)).collect()
    }
}

fn encoded<T: Serialize>(value: &T) -> Result<Vec<u8>, TransportError> {
    postcard::to_stdvec(value).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> TransportError {
    TransportError(format!("what a process told cannot be read: {error}"))
}
