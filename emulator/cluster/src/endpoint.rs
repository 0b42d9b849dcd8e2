//! The side of a rank: its clock, and the messages that it sends and receives.

use crate::account::{RankAccount, TimeCause};
use crate::error::MessageError;
use crate::goal::RankEvent;
use crate::keeping::SavedRank;
use crate::network::{Delivery, Outgoing, TAGS};
use crate::time::Tick;
use crate::topology::MessageOverheads;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

/// A message that a rank has received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes of the message.
    pub bytes: Vec<u8>,
    /// Moment at which the last byte arrived.
    pub arrival: Tick,
}

/// The place where a rank and the run leave messages for each other.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// Messages that the rank has sent since the run looked last.
    pub(crate) sent: Vec<Outgoing>,
    /// Messages for the rank, by sender and tag, in the order in which they were sent.
    pub(crate) arrived: BTreeMap<(usize, u32), VecDeque<Delivery>>,
    /// Sender and tag for which the rank waits.
    pub(crate) waits_for: Option<(usize, u32)>,
    /// Clock and account of the rank when it last gave way or ended.
    pub(crate) account: RankAccount,
    /// Events of the rank so far.
    pub(crate) events: Vec<RankEvent>,
    /// Whether the rank waits where it can leave its state.
    pub(crate) can_save: bool,
    /// Whether the rank is to leave its state here, without going on.
    pub(crate) wants_state: bool,
    /// State of the rank that it has left, or why it could not, with the number of its messages so far.
    pub(crate) state: Option<(Result<Vec<u8>, String>, u32)>,
}

impl Mailbox {
    /// Whether the message for which the rank waits is there.
    pub(crate) fn is_ready(&self) -> bool {
        self.waits_for.is_none_or(|awaited| self.arrived.contains_key(&awaited))
    }

    /// Takes the first message of a sender with a tag.
    fn take(&mut self, of: (usize, u32)) -> Option<Delivery> {
        let queue = self.arrived.get_mut(&of)?;
        let first = queue.pop_front();
        if queue.is_empty() {
            self.arrived.remove(&of);
        }
        first
    }
}

/// Makes the state of a rank for a checkpoint.
type SaveState<'s> = &'s mut (dyn FnMut() -> Result<Vec<u8>, String> + Send);

/// Opens a mailbox. A thread that panicked has left nothing half done in it.
pub(crate) fn open(mailbox: &Mutex<Mailbox>) -> MutexGuard<'_, Mailbox> {
    mailbox.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Side of a rank of a run: tells who it is, has its clock, sends and receives. The run gives it to the function of the rank.
///
/// Sending is buffered: it takes the overhead of the processor alone. Receiving names the sender and the tag, and waits until
/// the message is there; so what a rank receives does not depend on time.
#[derive(Debug)]
pub struct Endpoint {
    rank: usize,
    ranks: usize,
    overheads: MessageOverheads,
    clock: Tick,
    account: RankAccount,
    messages_sent: u32,
    mailbox: Arc<Mutex<Mailbox>>,
    /// State with which the rank goes on from a checkpoint.
    resumed: Option<Vec<u8>>,
}

impl Endpoint {
    pub(crate) fn new(
        (rank, ranks): (usize, usize),
        overheads: MessageOverheads,
        mailbox: Arc<Mutex<Mailbox>>,
    ) -> Self {
        let (clock, account) = (Tick::ZERO, RankAccount::default());
        let (messages_sent, resumed) = (0, None);
        Self { rank, ranks, overheads, clock, account, messages_sent, mailbox, resumed }
    }

    /// Returns the side of a rank that goes on from a checkpoint.
    pub(crate) fn resume(self, saved: SavedRank) -> Self {
        let SavedRank { state, clock, account, messages_sent, events, arrived, .. } = saved;
        let mut mailbox = open(&self.mailbox);
        (mailbox.account, mailbox.events) = (account, events);
        for delivery in arrived {
            let of = (delivery.from, delivery.tag);
            mailbox.arrived.entry(of).or_default().push_back(delivery);
        }
        drop(mailbox);
        Self { clock, account, messages_sent, resumed: Some(state), ..self }
    }

    /// Takes the state that the rank has [left](Self::recv_saving) in the checkpoint from which it goes on; `None` if it begins.
    /// The rank has to go on with the receive at which it left it.
    pub fn take_resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    /// Returns the number of the rank, from 0 on.
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks of the run.
    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the clock of the rank.
    pub const fn clock(&self) -> Tick {
        self.clock
    }

    /// Advances the clock to a moment, for a cause; does nothing if the clock is past it.
    pub fn advance_to(&mut self, moment: Tick, cause: TimeCause) {
        let time = moment.since(self.clock);
        if time > Tick::ZERO {
            let events = &mut open(&self.mailbox).events;
            match events.last_mut() {
                Some(RankEvent::Busy(last)) => *last += time,
                _ => events.push(RankEvent::Busy(time)),
            }
        }
        self.pass_to(moment, cause);
    }

    /// Advances the clock to a moment in which the rank waits, or is busy with a message.
    fn pass_to(&mut self, moment: Tick, cause: TimeCause) {
        self.account.add(cause, moment.since(self.clock));
        self.clock = self.clock.max(moment);
        open(&self.mailbox).account = self.account;
    }

    /// Sends bytes to another rank. The rank goes on after the overhead of a send; the bytes leave then, when the links are free.
    ///
    /// # Errors
    /// There is no such other rank, or the tag is not below [`TAGS`].
    pub fn send(&mut self, to: usize, tag: u32, bytes: Vec<u8>) -> Result<(), MessageError> {
        self.check(to, tag)?;
        self.send_any(to, tag, bytes);
        Ok(())
    }

    /// Receives the next message of a rank with this tag: waits until it has arrived, then takes the overhead of a receive.
    ///
    /// # Errors
    /// There is no such other rank, or the tag is not below [`TAGS`].
    pub async fn recv(&mut self, from: usize, tag: u32) -> Result<Received, MessageError> {
        self.check(from, tag)?;
        Ok(self.recv_any(from, tag).await)
    }

    /// Receives as [`Self::recv`] does, at a place where a checkpoint can be made: `save` makes the state of the rank from which
    /// it [goes on](Self::take_resumed) with this receive, or tells why it cannot be made. A checkpoint is made while all ranks
    /// wait in such receives.
    ///
    /// # Errors
    /// The errors are those of [`Self::recv`].
    pub async fn recv_saving(
        &mut self,
        from: usize,
        tag: u32,
        mut save: impl FnMut() -> Result<Vec<u8>, String> + Send,
    ) -> Result<Received, MessageError> {
        self.check(from, tag)?;
        Ok(self.recv_with(from, tag, Some(&mut save)).await)
    }

    fn check(&self, other: usize, tag: u32) -> Result<(), MessageError> {
        match other {
            _ if other >= self.ranks => Err(MessageError::NoSuchRank { other, ranks: self.ranks }),
            _ if other == self.rank => Err(MessageError::Itself { rank: other }),
            _ if tag >= TAGS => Err(MessageError::Tag { tag }),
            _ => Ok(()),
        }
    }

    /// Sends bytes to another rank of the run with any tag.
    pub(crate) fn send_any(&mut self, to: usize, tag: u32, bytes: Vec<u8>) {
        self.pass_to(self.clock + self.overheads.send, TimeCause::Overhead);
        let number = self.messages_sent;
        self.messages_sent += 1;
        let event = RankEvent::Send { to, tag, bytes: bytes.len() as u64 };
        let (from, size) = (self.rank, bytes.len() as u64);
        let message = Outgoing { from, to, tag, number, sent: self.clock, size, bytes };
        let mut mailbox = open(&self.mailbox);
        mailbox.events.push(event);
        mailbox.sent.push(message);
    }

    /// Receives a message of another rank of the run with any tag.
    pub(crate) async fn recv_any(&mut self, from: usize, tag: u32) -> Received {
        self.recv_with(from, tag, None).await
    }

    async fn recv_with(
        &mut self,
        from: usize,
        tag: u32,
        mut save: Option<SaveState<'_>>,
    ) -> Received {
        let (mailbox, messages_sent) = (self.mailbox.clone(), self.messages_sent);
        let delivery = poll_fn(move |_| {
            let mut mailbox = open(&mailbox);
            if mailbox.wants_state {
                mailbox.wants_state = false;
                mailbox.state = save.as_mut().map(|save| (save(), messages_sent));
                return Poll::Pending;
            }
            match mailbox.take((from, tag)) {
                Some(delivery) => {
                    (mailbox.waits_for, mailbox.can_save) = (None, false);
                    Poll::Ready(delivery)
                }
                None => {
                    mailbox.waits_for = Some((from, tag));
                    mailbox.can_save = save.is_some();
                    Poll::Pending
                }
            }
        })
        .await;
        self.account_of_wait(&delivery);
        self.pass_to(self.clock + self.overheads.recv, TimeCause::Overhead);
        let bytes = delivery.bytes.len() as u64;
        open(&self.mailbox).events.push(RankEvent::Receive { from, tag, bytes });
        Received { bytes: delivery.bytes, arrival: delivery.arrival }
    }

    /// Divides the wait for a message among its causes: what the message did last, it did last in the wait.
    fn account_of_wait(&mut self, delivery: &Delivery) {
        let late = delivery.sent;
        let free = late + delivery.contention;
        let moved = free + delivery.wire;
        let steps = [
            (late.min(delivery.arrival), TimeCause::LateNeighbour),
            (free.min(delivery.arrival), TimeCause::Contention),
            (moved.min(delivery.arrival), TimeCause::Wire),
            (delivery.arrival, TimeCause::Latency),
        ];
        for (moment, cause) in steps {
            self.pass_to(moment, cause);
        }
    }
}
