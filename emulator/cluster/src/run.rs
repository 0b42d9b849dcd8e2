//! Ranks and network together. Ranks run until each waits for a message or has ended; then the network handles the packets of
//! a window, and ranks whose messages have come go on. A window is no longer than the smallest latency, so nothing that is sent
//! because of a message of the window can have been ready within it. If several processes of the computer do a run together, each has
//! some of the ranks and the whole network.

use crate::account::RankAccount;
use crate::endpoint::{Endpoint, Mailbox, open};
use crate::error::{ClusterError, WaitingRank};
use crate::goal::RankEvent;
use crate::keeping::Keeping;
use crate::kept;
use crate::network::{Delivery, LinkUse, MessageRecord, Network};
use crate::party::{Party, RankEnd, RankNews, TurnNews};
use crate::rank::{RankState, Running};
use crate::time::Tick;
use crate::topology::Topology;
use crate::transport::Transport;
use rayon::prelude::*;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};

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
    /// Way to the other processes of the computer that do the run together with this one, each the ranks of some chips; `None`:
    /// this process does all ranks.
    pub transport: Option<Arc<dyn Transport>>,
    /// Checkpoints of the run, if some are to be made, or the run goes on from one.
    pub keeping: Option<Keeping>,
}

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterOutcome<T> {
    /// Numbers of the ranks that this process has done; all of them without a transport.
    pub own: Vec<usize>,
    /// Result of each of these.
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

/// Runs a function in each rank of a topology until all have ended. `start` makes the function of a rank from its side.
///
/// # Errors
/// A rank fails, all wait for what nobody sends, a message is not received, a clock comes to [`Tick::LAST`], the window is not
/// from one tick to the smallest latency, there are more processes than chips, or one of them is lost.
pub fn run<'r, T: Send, E: fmt::Display + Send, F>(
    topology: &Topology,
    options: &ClusterOptions,
    start: impl Fn(Endpoint) -> F,
) -> Result<ClusterOutcome<T>, ClusterError<E>>
where
    F: Future<Output = Result<T, E>> + Send + 'r,
{
    let window = window(topology, options)?;
    let party = Party::new(topology, options.transport.as_ref())?;
    let ranks = topology.ranks();
    let mut resumed = kept::resume(topology, &party, options.keeping.as_ref())?;
    let make = |rank: usize| {
        let mailbox = Arc::new(Mutex::new(Mailbox::default()));
        let mut endpoint = Endpoint::new((rank, ranks), topology.overheads(), mailbox.clone());
        if let Some(saved) = resumed.ranks.remove(&rank) {
            endpoint = endpoint.resume(saved);
        }
        let running: Running<'r, T, E> = Box::pin(start(endpoint));
        RankState { rank, running: Some(running), result: None, mailbox }
    };
    let own = (0..ranks).filter(|&rank| party.has(rank));
    let mut own: Vec<RankState<'r, T, E>> = own.map(make).collect();
    let place = |rank: usize| options.order.iter().position(|&one| one == rank);
    own.sort_by_key(|state| (place(state.rank).unwrap_or(ranks), state.rank));
    let views = vec![RankView::default(); ranks];
    let (network, number) = (resumed.network, resumed.number);
    let keeping = options.keeping.clone();
    let mut together = Together { own, views, network, party, window, keeping, number };
    if options.threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
        let pool = pool.map_err(|e| ClusterError::Threads(e.to_string()))?;
        together.take_turns(|own| {
            pool.install(|| own.par_iter_mut().with_max_len(1).for_each(RankState::poll));
        })?;
    } else {
        together.take_turns(|own| own.iter_mut().for_each(RankState::poll))?;
    }
    together.finish()
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

/// State of a rank of any process, as all processes know it.
#[derive(Clone, Debug, Default)]
struct RankView {
    is_over: bool,
    waits_for: Option<(usize, u32)>,
    /// Whether the message for which it waits has come.
    is_ready: bool,
}

/// Ranks of this process, what is known of all others, and the network.
struct Together<'r, 't, T, E> {
    own: Vec<RankState<'r, T, E>>,
    views: Vec<RankView>,
    network: Network<'t>,
    party: Party,
    window: Tick,
    keeping: Option<Keeping>,
    /// Number of the next checkpoint.
    number: u64,
}

impl<'r, T, E: fmt::Display> Together<'r, '_, T, E> {
    /// Lets ranks and network take turns until all ranks have ended.
    fn take_turns(
        &mut self,
        mut turn: impl FnMut(&mut Vec<RankState<'r, T, E>>),
    ) -> Result<(), ClusterError<E>> {
        loop {
            turn(&mut self.own);
            let news = self.party.share_turn(self.news())?;
            let failed = news.iter().flat_map(|of| &of.ranks).filter(|rank| rank.failure.is_some());
            if let Some(failed) = failed.min_by_key(|rank| rank.rank) {
                return Err(self.failure(failed.clone()));
            }
            let ended = news.iter().flat_map(|of| &of.ranks).filter(|r| r.clock == Tick::LAST);
            if let Some(rank) = ended.map(|rank| rank.rank).min() {
                return Err(ClusterError::Time { place: format!("rank {rank}") });
            }
            for RankNews { rank, is_over, waits_for, .. } in news.iter().flat_map(|of| &of.ranks) {
                if let Some(view) = self.views.get_mut(*rank) {
                    *view = RankView { is_over: *is_over, waits_for: *waits_for, is_ready: false };
                }
            }
            let keeps = news.iter().any(|of| of.keeps);
            let mut sent: Vec<_> = news.into_iter().flat_map(|of| of.sent).collect();
            sent.sort_by_key(|message| (message.from, message.number));
            sent.into_iter().for_each(|message| self.network.submit(message));
            if let Some(keeping) = self.keeping.as_ref().filter(|_| keeps) {
                let of = (&mut self.own[..], &mut self.network, &self.party);
                let is_kept = kept::keep(of, keeping, self.number);
                self.number += u64::from(is_kept?);
            }
            if self.deliver()? {
                return Ok(());
            }
        }
    }

    /// Returns what the ranks of this process did in their last turn.
    fn news(&self) -> TurnNews {
        let is_first = self.party.process() == 0;
        let is_due = |keeping: &Keeping| is_first && keeping.store.is_due();
        let keeps = self.keeping.as_ref().is_some_and(is_due);
        let mut news = TurnNews { keeps, ..TurnNews::default() };
        for state in &self.own {
            let mut mailbox = open(&state.mailbox);
            news.sent.append(&mut mailbox.sent);
            let failure = match &state.result {
                Some(Err(error)) => Some(error.to_string()),
                _ => None,
            };
            let (rank, is_over) = (state.rank, state.running.is_none());
            let waits_for = mailbox.waits_for.filter(|_| !is_over);
            let clock = mailbox.account.total();
            news.ranks.push(RankNews { rank, is_over, failure, clock, waits_for });
        }
        news
    }

    /// Returns the error of a rank that has failed.
    fn failure(&mut self, RankNews { rank, failure, .. }: RankNews) -> ClusterError<E> {
        let state = self.own.iter_mut().find(|state| state.rank == rank);
        match state.and_then(|state| state.result.take()) {
            Some(Err(error)) => ClusterError::Rank { rank, error },
            _ => ClusterError::Elsewhere { rank, error: failure.unwrap_or_default() },
        }
    }

    /// Handles packets, window by window, until a rank can go on. Returns whether all have ended and nothing is on its way.
    fn deliver(&mut self) -> Result<bool, ClusterError<E>> {
        loop {
            let Some(first) = self.network.next() else {
                if self.views.iter().all(|view| view.is_over) {
                    return Ok(true);
                }
                return Err(self.deadlock());
            };
            let delivered = self.network.advance(first + self.window);
            let delivered =
                delivered.map_err(|link| ClusterError::Time { place: self.network.name(link) })?;
            delivered.into_iter().for_each(|delivery| self.put(delivery));
            if self.views.iter().any(|view| view.is_ready) {
                return Ok(false);
            }
        }
    }

    /// Puts a message into the mailbox of its receiver, and notes whether that rank waits for it.
    fn put(&mut self, delivery: Delivery) {
        let of = (delivery.from, delivery.tag);
        if let Some(view) = self.views.get_mut(delivery.to) {
            view.is_ready |= view.waits_for == Some(of);
        }
        if let Some(state) = self.own.iter().find(|state| state.rank == delivery.to) {
            open(&state.mailbox).arrived.entry(of).or_default().push_back(delivery);
        }
    }

    fn deadlock(&self) -> ClusterError<E> {
        let wait = |(rank, view): (usize, &RankView)| {
            let (from, tag) = view.waits_for?;
            let is_over = self.views.get(from).is_some_and(|view| view.is_over);
            Some(WaitingRank { rank, from, tag, is_over })
        };
        let waiting = self.views.iter().enumerate().filter_map(wait).collect();
        ClusterError::Deadlock { waiting }
    }

    fn finish(mut self) -> Result<ClusterOutcome<T>, ClusterError<E>> {
        self.own.sort_by_key(|state| state.rank);
        let (mut own, mut results, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for state in self.own {
            let mut mailbox = open(&state.mailbox);
            let (rank, account) = (state.rank, mailbox.account);
            let events = std::mem::take(&mut mailbox.events);
            let left = mailbox.arrived.iter();
            let unreceived = left.flat_map(|(of, queue)| queue.iter().map(move |_| *of)).collect();
            ends.push(RankEnd { rank, account, events, unreceived });
            if let Some(Ok(result)) = state.result {
                own.push(rank);
                results.push(result);
            }
        }
        let mut ends: Vec<RankEnd> = self.party.share(ends)?.into_iter().flatten().collect();
        ends.sort_by_key(|end| end.rank);
        let left = ends.iter().flat_map(|end| end.unreceived.iter().map(move |of| (*of, end.rank)));
        if let Some(((from, tag), to)) =
            left.clone().min_by_key(|&((from, tag), to)| (from, to, tag))
        {
            return Err(ClusterError::Unreceived { from, to, tag, messages: left.count() });
        }
        let (links, messages) = self.network.finish();
        let (accounts, events) = ends.into_iter().map(|end| (end.account, end.events)).unzip();
        Ok(ClusterOutcome { own, results, accounts, links, messages, events })
    }
}
