//! Making a checkpoint between two windows, and going on from one.

use crate::endpoint::open;
use crate::error::ClusterError;
use crate::keeping::{
    APART, CheckpointPart, Keeping, SavedRank, check_about, decoded, encoded, unsound,
};
use crate::network::{LinkTraffic, Network};
use crate::party::Party;
use crate::rank::RankState;
use crate::topology::Topology;
use std::collections::BTreeMap;

/// Network and ranks of this process with which a run begins.
pub(crate) struct Resumed<'t> {
    pub(crate) network: Network<'t>,
    /// Ranks of this process that go on from a checkpoint.
    pub(crate) ranks: BTreeMap<usize, SavedRank>,
    /// Number of the next checkpoint.
    pub(crate) number: u64,
}

/// Returns what a run begins with: nothing, or its last checkpoint. All processes have to find the same one.
pub(crate) fn resume<'t, E>(
    topology: &'t Topology,
    party: &Party,
    keeping: Option<&Keeping>,
) -> Result<Resumed<'t>, ClusterError<E>> {
    let Some(keeping) = keeping.filter(|keeping| keeping.resumes) else {
        let network = Network::new(topology);
        return Ok(Resumed { network, ranks: BTreeMap::new(), number: 0 });
    };
    let found = load(topology, party, keeping);
    let told: Result<u64, String> = match &found {
        Ok(resumed) => Ok(resumed.number),
        Err(error) => Err(error.clone()),
    };
    let of_all = party.share(told)?;
    if let Some(error) = of_all.iter().find_map(|one| one.as_ref().err()) {
        return Err(ClusterError::Checkpoint(error.clone()));
    }
    if of_all.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(ClusterError::Checkpoint(APART.to_owned()));
    }
    found.map_err(ClusterError::Checkpoint)
}

fn load<'t>(
    topology: &'t Topology,
    party: &Party,
    keeping: &Keeping,
) -> Result<Resumed<'t>, String> {
    let store = &keeping.store;
    let number = store.last()?;
    check_about(keeping, number)?;
    let part = CheckpointPart::Network;
    let traffic: LinkTraffic = decoded(part, &store.load(number, part)?)?;
    let network = Network::restored(topology, traffic);
    let mut network = network.ok_or_else(|| unsound(part))?;
    let mut ranks = BTreeMap::new();
    for rank in (0..topology.ranks()).filter(|&rank| party.has(rank)) {
        let part = CheckpointPart::Rank(rank);
        let mut saved: SavedRank = decoded(part, &store.load(number, part)?)?;
        let on_way = std::mem::take(&mut saved.on_way);
        let is_sound = network.give_bytes(rank, on_way) && saved.account.total() == saved.clock;
        if !is_sound {
            return Err(unsound(part));
        }
        ranks.insert(rank, saved);
    }
    Ok(Resumed { network, ranks, number: number + 1 })
}

/// Keeps the ranks of this process, and in the first one the network. Returns whether that is done: all ranks have to wait at
/// places from which they can go on.
pub(crate) fn keep<T, E>(
    (own, network, party): (&mut [RankState<'_, T, E>], &mut Network<'_>, &Party),
    keeping: &Keeping,
    number: u64,
) -> Result<bool, ClusterError<E>> {
    let can_all = own.iter().all(|state| open(&state.mailbox).can_save);
    if party.share(can_all)?.contains(&false) {
        return Ok(false);
    }
    let mut saved = Vec::new();
    for state in own.iter_mut() {
        state.leave_state();
        let mut mailbox = open(&state.mailbox);
        let Some((left, messages_sent)) = mailbox.state.take() else { continue };
        let of_rank = left.map(|left| SavedRank {
            state: left,
            clock: mailbox.account.total(),
            account: mailbox.account,
            messages_sent,
            events: mailbox.events.clone(),
            arrived: mailbox.arrived.values().flatten().cloned().collect(),
            on_way: network.bytes_to(state.rank),
        });
        saved.push((state.rank, of_rank));
    }
    let save = |part: CheckpointPart, bytes: Result<Vec<u8>, String>| {
        bytes.and_then(|bytes| keeping.store.save(number, part, &bytes))
    };
    let is_first = party.process() == 0;
    let mut done = Ok(());
    if is_first {
        done = save(CheckpointPart::About, encoded(&keeping.about));
        let network = network.without_bytes(encoded);
        done = done.and_then(|()| save(CheckpointPart::Network, network));
    }
    for (rank, of_rank) in saved {
        let bytes = of_rank.and_then(|of_rank| encoded(&of_rank));
        done = done.and_then(|()| save(CheckpointPart::Rank(rank), bytes));
    }
    all_done(party, done)?;
    all_done(party, if is_first { keeping.store.complete(number) } else { Ok(()) })?;
    Ok(true)
}

/// Tells all processes whether this one could do its part; returns the first error of all.
fn all_done<E>(party: &Party, done: Result<(), String>) -> Result<(), ClusterError<E>> {
    let of_all = party.share(done)?;
    of_all.into_iter().collect::<Result<Vec<()>, _>>().map_err(ClusterError::Checkpoint)?;
    Ok(())
}
