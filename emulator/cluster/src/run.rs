//! Ranks and network together. Ranks run until each waits for a message or has ended; then the network handles the packets of
//! a window, and ranks whose messages have come go on. A window is no longer than the smallest latency, so nothing that is sent
//! because of a message of the window can have been ready within it.

use crate::account::RankAccount;
use crate::endpoint::{Endpoint, Mailbox, open};
use crate::error::{ClusterError, WaitingRank};
use crate::goal::RankEvent;
use crate::network::{LinkUse, MessageRecord, Network};
use crate::time::Tick;
use crate::topology::Topology;
use rayon::prelude::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// The way in which a run is done. None of the choices changes a result.
#[derive(Clone, Debug, Default)]
pub struct ClusterOptions {
    /// Number of threads of the computer that run ranks at the same time; 0 and 1: the ranks run one after the other in the
    /// thread of the caller.
    pub threads: usize,
    /// Length of a window of the network; `None`: the smallest latency, which is the longest that is allowed.
    pub window: Option<Tick>,
    /// Order in which ranks run, as their numbers; ranks that are not named come last. Empty: by their numbers.
    pub order: Vec<usize>,
}

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterOutcome<T> {
    /// Result of each rank.
    pub results: Vec<T>,
    /// Account of the time of each rank. Its [total](RankAccount::total) is the moment at which the rank ended.
    pub accounts: Vec<RankAccount>,
    /// Use of each direction of each link, in the order of [`Topology::links`].
    pub links: Vec<LinkUse>,
    /// Messages by the moments at which they were sent.
    pub messages: Vec<MessageRecord>,
    /// Events of each rank, which [`goal`](fn@crate::goal) takes.
    pub events: Vec<Vec<RankEvent>>,
}

impl<T> ClusterOutcome<T> {
    /// Returns the moment at which the last rank ended.
    pub fn end(&self) -> Tick {
        self.accounts.iter().map(RankAccount::total).max().unwrap_or_default()
    }
}

/// Function of a rank under way.
type Running<'r, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'r>>;

/// A rank of a run.
struct RankState<'r, T, E> {
    rank: usize,
    running: Option<Running<'r, T, E>>,
    result: Option<Result<T, E>>,
    mailbox: Arc<Mutex<Mailbox>>,
}

impl<T, E> RankState<'_, T, E> {
    /// Lets the rank go on if it can, until it waits or ends.
    fn poll(&mut self) {
        let Some(running) = &mut self.running else { return };
        if !open(&self.mailbox).is_ready() {
            return;
        }
        if let Poll::Ready(result) = running.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            self.running = None;
            self.result = Some(result);
        }
    }
}

/// Runs a function in each rank of a topology until all have ended. `start` makes the function of a rank from its side.
///
/// # Errors
/// A rank fails, all wait for what nobody sends, a message is not received, a clock comes to [`Tick::LAST`], or the window is not
/// from one tick to the smallest latency.
pub fn run<'r, T: Send, E: Send, F>(
    topology: &Topology,
    options: &ClusterOptions,
    start: impl Fn(Endpoint) -> F,
) -> Result<ClusterOutcome<T>, ClusterError<E>>
where
    F: Future<Output = Result<T, E>> + Send + 'r,
{
    let window = window(topology, options)?;
    let ranks = topology.ranks();
    let make = |rank: usize| {
        let mailbox = Arc::new(Mutex::new(Mailbox::default()));
        let endpoint = Endpoint::new((rank, ranks), topology.overheads(), mailbox.clone());
        let running: Running<'r, T, E> = Box::pin(start(endpoint));
        RankState { rank, running: Some(running), result: None, mailbox }
    };
    let mut all: Vec<RankState<'r, T, E>> = (0..ranks).map(make).collect();
    let place = |rank: usize| options.order.iter().position(|&one| one == rank);
    all.sort_by_key(|state| (place(state.rank).unwrap_or(ranks), state.rank));
    let mut network = Network::new(topology);
    if options.threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
        let pool = pool.map_err(|e| ClusterError::Threads(e.to_string()))?;
        let turn = |all: &mut Vec<RankState<'r, T, E>>| {
            pool.install(|| all.par_iter_mut().with_max_len(1).for_each(RankState::poll));
        };
        advance_all(&mut all, &mut network, window, turn)?;
    } else {
        let turn = |all: &mut Vec<RankState<'r, T, E>>| all.iter_mut().for_each(RankState::poll);
        advance_all(&mut all, &mut network, window, turn)?;
    }
    all.sort_by_key(|state| state.rank);
    finish(all, network)
}

fn window<E>(topology: &Topology, options: &ClusterOptions) -> Result<Tick, ClusterError<E>> {
    let Some(latency) = topology.lookahead() else { return Ok(Tick(1)) };
    match options.window {
        Some(window) if window > latency || window == Tick::ZERO => {
            Err(ClusterError::Window { window: window.0, latency: latency.0 })
        }
        given => Ok(given.unwrap_or(latency)),
    }
}

/// Lets ranks and network take turns until all ranks have ended.
fn advance_all<'r, T, E>(
    all: &mut Vec<RankState<'r, T, E>>,
    network: &mut Network<'_>,
    window: Tick,
    mut turn: impl FnMut(&mut Vec<RankState<'r, T, E>>),
) -> Result<(), ClusterError<E>> {
    loop {
        turn(all);
        let failed = all.iter().filter(|state| matches!(state.result, Some(Err(_))));
        if let Some(rank) = failed.map(|state| state.rank).min() {
            let state = all.iter_mut().find(|state| state.rank == rank);
            if let Some(Err(error)) = state.and_then(|state| state.result.take()) {
                return Err(ClusterError::Rank { rank, error });
            }
        }
        check_clocks(all)?;
        for state in all.iter() {
            let sent = std::mem::take(&mut open(&state.mailbox).sent);
            sent.into_iter().for_each(|message| network.submit(message));
        }
        let mut is_over = all.iter().all(|state| state.running.is_none());
        loop {
            let Some(first) = network.next() else {
                if is_over {
                    return Ok(());
                }
                return Err(deadlock(all));
            };
            let delivered = network.advance(first + window);
            for delivery in
                delivered.map_err(|link| ClusterError::Time { place: network.name(link) })?
            {
                let receiver = all.iter().find(|state| state.rank == delivery.to);
                let Some(receiver) = receiver else { continue };
                let mut mailbox = open(&receiver.mailbox);
                let of = (delivery.from, delivery.tag);
                mailbox.arrived.entry(of).or_default().push_back(delivery);
            }
            is_over = all.iter().all(|state| state.running.is_none());
            let can_go_on = |state: &RankState<'_, T, E>| {
                state.running.is_some() && open(&state.mailbox).is_ready()
            };
            if all.iter().any(can_go_on) {
                break;
            }
        }
    }
}

/// Refuses a clock that has come to its end.
fn check_clocks<T, E>(all: &[RankState<'_, T, E>]) -> Result<(), ClusterError<E>> {
    let is_over = |state: &&RankState<'_, T, E>| open(&state.mailbox).account.total() == Tick::LAST;
    match all.iter().filter(is_over).map(|state| state.rank).min() {
        Some(rank) => Err(ClusterError::Time { place: format!("rank {rank}") }),
        None => Ok(()),
    }
}

fn deadlock<T, E>(all: &[RankState<'_, T, E>]) -> ClusterError<E> {
    let is_over = |rank: usize| all.iter().any(|s| s.rank == rank && s.running.is_none());
    let wait = |state: &RankState<'_, T, E>| {
        let waits_for = open(&state.mailbox).waits_for.filter(|_| state.running.is_some());
        let (from, tag) = waits_for?;
        Some(WaitingRank { rank: state.rank, from, tag, is_over: is_over(from) })
    };
    let mut waiting: Vec<_> = all.iter().filter_map(wait).collect();
    waiting.sort_by_key(|one| one.rank);
    ClusterError::Deadlock { waiting }
}

fn finish<T, E>(
    all: Vec<RankState<'_, T, E>>,
    network: Network<'_>,
) -> Result<ClusterOutcome<T>, ClusterError<E>> {
    let (mut results, mut accounts, mut events) = (Vec::new(), Vec::new(), Vec::new());
    let mut unreceived = Vec::new();
    for state in all {
        let mut mailbox = open(&state.mailbox);
        events.push(std::mem::take(&mut mailbox.events));
        accounts.push(mailbox.account);
        let left = mailbox.arrived.iter().flat_map(|(of, queue)| queue.iter().map(move |_| *of));
        unreceived.extend(left.map(|(from, tag)| (from, state.rank, tag)));
        if let Some(Ok(result)) = state.result {
            results.push(result);
        }
    }
    if let Some(&(from, to, tag)) = unreceived.iter().min() {
        return Err(ClusterError::Unreceived { from, to, tag, messages: unreceived.len() });
    }
    let (links, messages) = network.finish();
    Ok(ClusterOutcome { results, accounts, links, messages, events })
}
