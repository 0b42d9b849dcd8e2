//! What ranks do, in the form of the simulator LogGOPSim: GOAL, a text of computations, sends and receives, each of which follows
//! the one before it.

use crate::time::Tick;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Event of a rank, which follows the event before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RankEvent {
    /// The rank is busy by itself.
    Busy(Tick),
    /// The rank sends a message.
    Send {
        /// Rank that receives the message.
        to: usize,
        /// Tag of the message.
        tag: u32,
        /// Number of bytes.
        bytes: u64,
    },
    /// The rank receives a message.
    Receive {
        /// Rank that sent the message.
        from: usize,
        /// Tag of the message.
        tag: u32,
        /// Number of bytes.
        bytes: u64,
    },
}

/// Returns the events of all ranks as GOAL. Computations are in ticks of 1/84 ns, so the parameters of the simulator have to be
/// in ticks too: L the latency, o the overhead of a send and of a receive, G the ticks of a byte, g and O 0. Its S has to be above
/// the bytes of every message, since sends of ranks are buffered. The times are those of the run only if each message has one link
/// for itself.
pub fn goal(ranks: &[Vec<RankEvent>]) -> String {
    let mut text = format!("num_ranks {}\n", ranks.len());
    for (rank, events) in ranks.iter().enumerate() {
        let _ = writeln!(text, "\nrank {rank} {{");
        for (number, event) in (1..).zip(events) {
            let _ = match event {
                RankEvent::Busy(time) => writeln!(text, "l{number}: calc {}", time.0),
                RankEvent::Send { to, tag, bytes } => {
                    writeln!(text, "l{number}: send {bytes}b to {to} tag {tag}")
                }
                RankEvent::Receive { from, tag, bytes } => {
                    writeln!(text, "l{number}: recv {bytes}b from {from} tag {tag}")
                }
            };
            if number > 1 {
                let _ = writeln!(text, "l{number} requires l{}", number - 1);
            }
        }
        text.push_str("}\n");
    }
    text
}
