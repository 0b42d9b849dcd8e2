//! Checkpoints of a run between two windows, from which it goes on, with as many processes of the computer as one likes. Each
//! rank is a part of a checkpoint, and the network is one; the caller keeps them, in files for instance.

use crate::account::RankAccount;
use crate::goal::RankEvent;
use crate::network::Delivery;
use crate::time::Tick;
use crate::transport::Transport;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hasher as _;
use std::sync::Arc;
use twox_hash::XxHash64;

/// First bytes of a part of a checkpoint, with the version of the format.
const MAGIC: [u8; 8] = *b"CP2CLU\n\x01";

/// Sentence about a checkpoint of another run.
pub const OTHER: &str = "the checkpoint is of another run: go on with the same procedure, class, processors, topology and machine, and the same cp2";
/// Sentence about processes that see different checkpoints.
pub(crate) const APART: &str =
    "the processes do not find the same checkpoint: keep it in a folder that all of them see";

/// Part of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointPart {
    /// Description of the run by the caller.
    About,
    /// Links, and messages on their way.
    Network,
    /// The rank of this number.
    Rank(usize),
}

impl fmt::Display for CheckpointPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::About => f.write_str("about"),
            Self::Network => f.write_str("network"),
            Self::Rank(rank) => write!(f, "rank-{rank}"),
        }
    }
}

/// Place where checkpoints are kept, which all processes of a run see. Errors are sentences.
pub trait CheckpointStore: fmt::Debug + Send + Sync {
    /// Whether a checkpoint is to be made now; the first process is asked after each turn of its ranks.
    fn is_due(&self) -> bool;

    /// Keeps a part of the checkpoint of a number.
    ///
    /// # Errors
    /// The part cannot be written.
    fn save(&self, number: u64, part: CheckpointPart, bytes: &[u8]) -> Result<(), String>;

    /// Makes the checkpoint of a number, all of whose parts are kept, the one to go on from, in place of the one before.
    ///
    /// # Errors
    /// That cannot be written.
    fn complete(&self, number: u64) -> Result<(), String>;

    /// Returns the number of the checkpoint to go on from.
    ///
    /// # Errors
    /// There is none.
    fn last(&self) -> Result<u64, String>;

    /// Returns a part of the checkpoint of a number.
    ///
    /// # Errors
    /// The part cannot be read.
    fn load(&self, number: u64, part: CheckpointPart) -> Result<Vec<u8>, String>;
}

/// Checkpoints of a run.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// Place where they are kept.
    pub store: Arc<dyn CheckpointStore>,
    /// Description of the run by the caller. A run goes on from a checkpoint with the same one.
    pub about: Vec<u8>,
    /// Whether the run goes on from the last checkpoint.
    pub resumes: bool,
}

/// Rank in a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRank {
    /// State of the function of the rank.
    pub(crate) state: Vec<u8>,
    pub(crate) clock: Tick,
    pub(crate) account: RankAccount,
    pub(crate) messages_sent: u32,
    pub(crate) events: Vec<RankEvent>,
    /// Messages that have arrived and were not received.
    pub(crate) arrived: Vec<Delivery>,
    /// Bytes of messages to the rank that are on their way, by their places in the network.
    pub(crate) on_way: Vec<(usize, Vec<u8>)>,
}

/// Returns a value as a part of a checkpoint.
pub(crate) fn encoded<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    let content = postcard::to_stdvec(value).map_err(|e| e.to_string())?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(digest(&content).to_le_bytes());
    bytes.extend(content);
    Ok(bytes)
}

/// Returns the value of a part of a checkpoint.
pub(crate) fn decoded<T: DeserializeOwned>(
    part: CheckpointPart,
    bytes: &[u8],
) -> Result<T, String> {
    let damaged = || {
        format!(
            "part {part} of the checkpoint is damaged, or of another version; run from the beginning"
        )
    };
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(damaged)?;
    let (sum, content) = rest.split_first_chunk().ok_or_else(damaged)?;
    if u64::from_le_bytes(*sum) != digest(content) {
        return Err(damaged());
    }
    postcard::from_bytes(content).map_err(|_| damaged())
}

/// Returns the error for a part that no run can have written.
pub(crate) fn unsound(part: CheckpointPart) -> String {
    format!("part {part} of the checkpoint is of no run of this topology; run from the beginning")
}

fn digest(content: &[u8]) -> u64 {
    let mut digest = XxHash64::with_seed(0);
    digest.write(content);
    digest.finish()
}

/// Refuses a checkpoint of which something else is told than of this run.
pub(crate) fn check_about(keeping: &Keeping, number: u64) -> Result<(), String> {
    let about: Vec<u8> =
        decoded(CheckpointPart::About, &keeping.store.load(number, CheckpointPart::About)?)?;
    match about == keeping.about {
        true => Ok(()),
        false => Err(OTHER.to_owned()),
    }
}

/// Description of the run whose last checkpoint is kept, as a process has found it.
type Told = Result<Option<Vec<u8>>, String>;

impl Keeping {
    /// Returns the description of the run whose last checkpoint is kept, if the run goes on from one. All processes ask, and
    /// have to find the same.
    ///
    /// # Errors
    /// There is no checkpoint, it is damaged, or some processes do not see it.
    pub fn description_of_last(&self, transport: Option<&dyn Transport>) -> Told {
        let found = self.read_about();
        let Some(transport) = transport else { return found };
        let row = postcard::to_stdvec(&found).map_err(|e| e.to_string())?;
        let taken = transport.exchange(vec![row; transport.processes()]);
        let read = |row: &Vec<u8>| postcard::from_bytes(row).map_err(|e| e.to_string());
        let taken = taken.map_err(|e| e.to_string())?;
        let of_all: Vec<Told> = taken.iter().map(read).collect::<Result<_, _>>()?;
        let of_all = of_all.into_iter().collect::<Result<Vec<_>, _>>()?;
        match of_all.iter().all(|one| Some(one) == of_all.first()) {
            true => found,
            false => Err(APART.to_owned()),
        }
    }

    fn read_about(&self) -> Told {
        if !self.resumes {
            return Ok(None);
        }
        let part = CheckpointPart::About;
        let bytes = self.store.load(self.store.last()?, part)?;
        decoded(part, &bytes).map(Some)
    }
}
