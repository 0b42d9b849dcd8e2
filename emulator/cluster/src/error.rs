//! The ways in which a run of ranks fails.

use crate::network::TAGS;
use crate::transport::TransportError;
use std::error::Error;
use std::fmt;

/// Error of a message that cannot be sent or received, for the rank that asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// The other rank is none of the run.
    NoSuchRank {
        /// Number of the rank that is not there.
        other: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// A rank would send to itself or receive from itself.
    Itself {
        /// Number of the rank.
        rank: usize,
    },
    /// The tag is none that ranks may use.
    Tag {
        /// Tag that was given.
        tag: u32,
    },
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchRank { other, ranks } => {
                write!(f, "there is no rank {other}; the run has the ranks 0 to {}", ranks - 1)
            }
            Self::Itself { rank } => write!(f, "rank {rank} cannot send a message to itself"),
            Self::Tag { tag } => {
                write!(f, "tag {tag} is too large; tags are below {TAGS}")
            }
        }
    }
}

impl Error for MessageError {}

/// A rank that waits for a message in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRank {
    /// Number of the rank.
    pub rank: usize,
    /// Rank from which it waits for a message.
    pub from: usize,
    /// Tag of the message.
    pub tag: u32,
    /// Whether the rank from which it waits has ended.
    pub is_over: bool,
}

/// Error of a run of ranks whose own errors are of type `E`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterError<E> {
    /// A rank has failed; the one with the lowest number, if several failed at once.
    Rank {
        /// Number of the rank.
        rank: usize,
        /// Error with which it ended.
        error: E,
    },
    /// A rank that another process of the computer has failed.
    Elsewhere {
        /// Number of the rank.
        rank: usize,
        /// Error with which it ended, as text.
        error: String,
    },
    /// Every rank that has not ended waits for a message that nobody sends.
    Deadlock {
        /// Ranks that wait, by their numbers.
        waiting: Vec<WaitingRank>,
    },
    /// All ranks have ended, and a message was not received.
    Unreceived {
        /// Rank that sent the message.
        from: usize,
        /// Rank that should have received it.
        to: usize,
        /// Tag of the message.
        tag: u32,
        /// Number of messages that were not received, in all.
        messages: usize,
    },
    /// The topology is of another number of ranks.
    Ranks {
        /// Number of ranks of the topology.
        topology: usize,
        /// Number of ranks that were asked for.
        given: usize,
    },
    /// The window is empty, or longer than the smallest latency, so that a message could arrive within it.
    Window {
        /// Window in ticks.
        window: u64,
        /// Smallest latency in ticks.
        latency: u64,
    },
    /// The clock of a rank, or the time of a link, has come to [`Tick::LAST`](crate::Tick::LAST).
    Time {
        /// Rank or link, as messages name it.
        place: String,
    },
    /// The threads of the computer could not be started.
    Threads(String),
    /// There are more processes of the computer than chips.
    Processes {
        /// Number of processes.
        processes: usize,
        /// Number of chips.
        chips: usize,
    },
    /// A checkpoint could not be made, or the run cannot go on from one.
    Checkpoint(String),
    /// The processes of the computer could not tell each other what their ranks did.
    Transport(TransportError),
}

/// Most ranks that a message names one by one.
const NAMED: usize = 8;

/// Returns the ring of ranks that wait for each other, if there is one: each waits for the next, the last for the first.
fn ring(waiting: &[WaitingRank]) -> Option<Vec<WaitingRank>> {
    let of = |rank: usize| waiting.iter().find(|one| one.rank == rank).copied();
    waiting.iter().find_map(|first| {
        let mut ring = vec![*first];
        while ring.len() <= waiting.len() {
            let next = of(ring.last()?.from)?;
            if next.rank == first.rank {
                return Some(ring);
            }
            ring.push(next);
        }
        None
    })
}

fn list(f: &mut fmt::Formatter<'_>, ranks: &[WaitingRank]) -> fmt::Result {
    for (k, WaitingRank { rank, from, tag, is_over }) in ranks.iter().take(NAMED).enumerate() {
        let sign = if k == 0 { "" } else { ", " };
        let over = if *is_over { ", which has ended" } else { "" };
        write!(f, "{sign}rank {rank} for tag {tag} from rank {from}{over}")?;
    }
    match ranks.len().checked_sub(NAMED) {
        Some(more) if more > 0 => write!(f, ", and {more} more"),
        _ => Ok(()),
    }
}

impl<E: fmt::Display> fmt::Display for ClusterError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rank { rank, error } => write!(f, "rank {rank}: {error}"),
            Self::Elsewhere { rank, error } => write!(f, "rank {rank}: {error}"),
            Self::Deadlock { waiting } => {
                write!(f, "deadlock: nobody sends what the ranks wait for: ")?;
                match ring(waiting) {
                    Some(ring) => list(f, &ring),
                    None => list(f, waiting),
                }
            }
            Self::Unreceived { from, to, tag, messages } => write!(
                f,
                "all ranks have ended, and {messages} messages were not received; the first is tag {tag} from rank {from} to rank {to}"
            ),
            Self::Ranks { topology, given } => {
                write!(f, "the topology is of {topology} ranks, and {given} were asked for")
            }
            Self::Window { window: 0, latency } => write!(
                f,
                "a window of 0 ticks has no packet in it; windows are from 1 to {latency}, the smallest latency"
            ),
            Self::Window { window, latency } => write!(
                f,
                "a window of {window} ticks is longer than the smallest latency, {latency} ticks; windows are from 1 to {latency}"
            ),
            Self::Time { place } => write!(
                f,
                "the time of {place} is beyond 2^64 ticks of 1/84 ns, some seven years; give links a higher rate or smaller headers"
            ),
            Self::Threads(why) => write!(f, "the threads could not be started: {why}"),
            Self::Processes { processes, chips } => write!(
                f,
                "{processes} processes for {chips} chips: a process does one chip at least; start {chips} at most"
            ),
            Self::Checkpoint(error) => write!(f, "{error}"),
            Self::Transport(error) => write!(f, "{error}"),
        }
    }
}

impl<E: Error> Error for ClusterError<E> {}

impl<E> From<TransportError> for ClusterError<E> {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}
