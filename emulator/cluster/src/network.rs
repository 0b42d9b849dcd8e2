//! The time of messages on their way. A message is cut into packets; each occupies the links of its route one after the other,
//! and is whole at the end of a link before it takes the next. A link takes packets in the order in which they are ready; those
//! that are ready at once go by sender. A sender has one packet ready for its first link at a time, and its messages for that link
//! follow each other, so two senders that share a port take turns, packet by packet. The link of a route with the
//! smallest packets decides how long those of the message are.

use crate::time::Tick;
use crate::topology::{LinkModel, Topology};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// Number of tags that ranks may use: 0 and on, below this one. Those above serve barriers and sums.
pub const TAGS: u32 = 1 << 24;

/// A message that a rank has sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outgoing {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) tag: u32,
    /// Number of the message among those of its sender.
    pub(crate) number: u32,
    pub(crate) sent: Tick,
    /// Number of bytes.
    pub(crate) size: u64,
    /// The bytes; none in a process that has not the receiver.
    pub(crate) bytes: Vec<u8>,
}

/// A message at its receiver, with what its way took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) tag: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) sent: Tick,
    pub(crate) arrival: Tick,
    /// Time in which its bytes go over the links, if no other message is on them.
    pub(crate) wire: Tick,
    /// Time in which it waits for other messages.
    pub(crate) contention: Tick,
}

/// Record of a message of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Rank that sent the message.
    pub from: usize,
    /// Rank that received it.
    pub to: usize,
    /// Tag of the message; tags from [`TAGS`](crate::TAGS) on belong to barriers and sums.
    pub tag: u32,
    /// Number of bytes of the message, without headers.
    pub bytes: u64,
    /// Moment at which it was sent, after the overhead of the sender.
    pub sent: Tick,
    /// Moment at which its last byte arrived.
    pub arrival: Tick,
}

/// Use of one direction of a link in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkUse {
    /// Number of packets that went over it.
    pub packets: u64,
    /// Number of bytes that went over it, with headers.
    pub bytes: u64,
    /// Time in which it was busy.
    pub busy: Tick,
    /// Time for which packets waited for it, added up.
    pub waited: Tick,
}

/// Direction of a link whose time has come to [`Tick::LAST`], by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkOverrun(pub(crate) usize);

/// A packet that is ready for its next link, or all packets of a message that has its link for itself. The order of the fields
/// is the order in which links take packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct ReadyPacket {
    at: Tick,
    from: usize,
    number: u32,
    packet: u64,
    hop: usize,
    /// Place of the message among those under way.
    message: usize,
}

/// A message under way.
#[derive(Debug, Serialize, Deserialize)]
struct Flight {
    message: Outgoing,
    /// Links of its route, one direction of each.
    route: Vec<usize>,
    /// Bytes of the message in a full packet.
    payload: u64,
    /// Whether all its packets are handled at once.
    is_whole: bool,
    /// Number of packets, all at once counted as one.
    packets: u64,
    /// Number of packets that have not arrived.
    left: u64,
    arrival: Tick,
}

/// Links with what is on them.
#[derive(Debug)]
pub(crate) struct Network<'t> {
    topology: &'t Topology,
    traffic: LinkTraffic,
}

/// State of all links and of the messages on their way. The bytes of these messages belong to their receivers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinkTraffic {
    free: Vec<Tick>,
    uses: Vec<LinkUse>,
    ready: BinaryHeap<Reverse<ReadyPacket>>,
    flights: Vec<Option<Flight>>,
    vacant: Vec<usize>,
    /// Messages of a sender for a first link that have packets to send, in the order in which they were sent.
    queues: BTreeMap<(usize, usize), VecDeque<usize>>,
    records: Vec<MessageRecord>,
}

impl LinkTraffic {
    /// Whether this can be the state of the links of a topology.
    fn is_of(&self, topology: &Topology) -> bool {
        let (links, ranks) = (topology.links().len(), topology.ranks());
        let place = |&place: &usize| place < self.flights.len();
        let flight = |flight: &Flight| {
            let Outgoing { from, to, tag, .. } = flight.message;
            from < ranks
                && to < ranks
                && from != to
                && flight.route == topology.route(from, to, tag)
                && flight.payload > 0
                && flight.left > 0
                && flight.left <= flight.packets
                && flight.message.bytes.is_empty()
        };
        let packet = |packet: &ReadyPacket| {
            let of = self.flights.get(packet.message).and_then(Option::as_ref);
            of.is_some_and(|flight| {
                packet.hop < flight.route.len() && packet.packet < flight.packets
            })
        };
        self.free.len() == links
            && self.uses.len() == links
            && self.flights.iter().flatten().all(flight)
            && self.ready.iter().all(|Reverse(one)| packet(one))
            && self.vacant.iter().all(|at| place(at) && self.flights[*at].is_none())
            && self.queues.values().flatten().all(place)
    }
}

/// Returns the most bytes of a message in a packet that every link of a route takes.
fn smallest_packet<'m>(route: impl Iterator<Item = &'m LinkModel>) -> u64 {
    route.map(|model| model.packet_bytes).min().unwrap_or(1)
}

/// Returns the payloads of the packets of a message of so many bytes: how many are full, with `payload` bytes each, and the bytes
/// of the last one. A message without bytes is one packet.
const fn packets(payload: u64, bytes: u64) -> (u64, u64) {
    let full = bytes.saturating_sub(1) / payload;
    (full, bytes - full * payload)
}

impl<'t> Network<'t> {
    pub(crate) fn new(topology: &'t Topology) -> Self {
        let links = topology.links().len();
        let traffic = LinkTraffic {
            free: vec![Tick::ZERO; links],
            uses: vec![LinkUse::default(); links],
            ..LinkTraffic::default()
        };
        Self { topology, traffic }
    }

    /// Makes the network with a state that was saved; `None` if it is none of this topology.
    pub(crate) fn restored(topology: &'t Topology, traffic: LinkTraffic) -> Option<Self> {
        traffic.is_of(topology).then_some(Self { topology, traffic })
    }

    /// Calls a function with the state of the network, without the bytes of messages.
    pub(crate) fn without_bytes<R>(&mut self, with: impl FnOnce(&LinkTraffic) -> R) -> R {
        let taken: Vec<_> = self.bytes_on_way().map(std::mem::take).collect();
        let result = with(&self.traffic);
        self.bytes_on_way().zip(taken).for_each(|(bytes, taken)| *bytes = taken);
        result
    }

    fn bytes_on_way(&mut self) -> impl Iterator<Item = &mut Vec<u8>> {
        self.traffic.flights.iter_mut().flatten().map(|flight| &mut flight.message.bytes)
    }

    /// Returns the bytes of the messages to a rank that are on their way, by their places.
    pub(crate) fn bytes_to(&self, rank: usize) -> Vec<(usize, Vec<u8>)> {
        let all = self.traffic.flights.iter().enumerate();
        let messages = all.filter_map(|(at, flight)| Some((at, &flight.as_ref()?.message)));
        messages.filter(|(_, m)| m.to == rank).map(|(at, m)| (at, m.bytes.clone())).collect()
    }

    /// Gives the messages to a rank that are on their way their bytes; returns whether each has as many as it says.
    pub(crate) fn give_bytes(&mut self, rank: usize, all: Vec<(usize, Vec<u8>)>) -> bool {
        for (at, bytes) in all {
            let flight = self.traffic.flights.get_mut(at).and_then(Option::as_mut);
            match flight.filter(|flight| flight.message.to == rank) {
                Some(flight) => flight.message.bytes = bytes,
                None => return false,
            }
        }
        let mut messages = self.traffic.flights.iter().flatten().map(|flight| &flight.message);
        messages.all(|m| m.to != rank || m.bytes.len() as u64 == m.size)
    }

    /// Puts a message on its way.
    pub(crate) fn submit(&mut self, message: Outgoing) {
        let route = self.topology.route(message.from, message.to, message.tag);
        let is_whole = route.len() == 1 && self.topology.is_dedicated(route[0]);
        let links = self.topology.links();
        let payload = smallest_packet(route.iter().map(|&link| links[link].model()));
        let (full, _) = packets(payload, message.size);
        let packets = if is_whole { 1 } else { full + 1 };
        let (from, first) = (message.from, route[0]);
        let arrival = Tick::ZERO;
        let left = packets;
        let flight = Flight { message, route, payload, is_whole, packets, left, arrival };
        let place = self.traffic.vacant.pop().unwrap_or_else(|| {
            self.traffic.flights.push(None);
            self.traffic.flights.len() - 1
        });
        self.traffic.flights[place] = Some(flight);
        let queue = self.traffic.queues.entry((from, first)).or_default();
        queue.push_back(place);
        if queue.len() == 1 {
            self.begin(place, Tick::ZERO);
        }
    }

    /// Makes the first packet of a message ready, at a moment at the earliest.
    fn begin(&mut self, message: usize, earliest: Tick) {
        if let Some(flight) = &self.traffic.flights[message] {
            let Outgoing { from, number, sent, .. } = flight.message;
            let at = sent.max(earliest);
            self.traffic.ready.push(Reverse(ReadyPacket {
                at,
                from,
                number,
                packet: 0,
                hop: 0,
                message,
            }));
        }
    }

    /// Makes the packet ready that follows one which has left its sender at a moment: of the same message, or of the next one.
    fn follow(&mut self, packet: ReadyPacket, left: Tick) {
        let Some(flight) = &self.traffic.flights[packet.message] else { return };
        if packet.packet + 1 < flight.packets {
            self.traffic.ready.push(Reverse(ReadyPacket {
                at: left,
                packet: packet.packet + 1,
                ..packet
            }));
            return;
        }
        let queue = self.traffic.queues.entry((packet.from, flight.route[0])).or_default();
        queue.pop_front();
        if let Some(&next) = queue.front() {
            self.begin(next, left);
        }
    }

    /// Returns the first moment at which a packet is ready, `None` if nothing is under way.
    pub(crate) fn next(&self) -> Option<Tick> {
        self.traffic.ready.peek().map(|Reverse(packet)| packet.at)
    }

    /// Handles all packets that are ready before a moment. Returns the messages whose last packet has found its way, in the
    /// order in which that was known.
    ///
    /// # Errors
    /// A link is busy, or a packet on its way, until [`Tick::LAST`].
    pub(crate) fn advance(&mut self, before: Tick) -> Result<Vec<Delivery>, LinkOverrun> {
        let mut delivered = Vec::new();
        while let Some(&Reverse(packet)) = self.traffic.ready.peek()
            && packet.at < before
        {
            self.traffic.ready.pop();
            delivered.extend(self.step(packet)?);
        }
        Ok(delivered)
    }

    /// Takes a packet over its next link; returns its message if it is the last one and at the receiver.
    fn step(&mut self, packet: ReadyPacket) -> Result<Option<Delivery>, LinkOverrun> {
        let Some(flight) = &self.traffic.flights[packet.message] else { return Ok(None) };
        let links = self.topology.links();
        let link = flight.route[packet.hop];
        let model = links[link].model();
        let bytes = flight.message.size;
        let (full, last) = packets(flight.payload, bytes);
        let (count, moved, time) = if flight.is_whole {
            let each = model.time(flight.payload + model.header_bytes);
            let time = full * each + model.time(last + model.header_bytes);
            (full + 1, bytes + (full + 1) * model.header_bytes, time)
        } else {
            let payload = if packet.packet < full { flight.payload } else { last };
            let moved = payload + model.header_bytes;
            (1, moved, model.time(moved))
        };
        let depart = packet.at.max(self.traffic.free[link]);
        self.traffic.free[link] = depart + time;
        let of = &mut self.traffic.uses[link];
        of.packets += count;
        of.bytes += moved;
        of.busy += time;
        of.waited += depart.since(packet.at);
        let arrival = depart + time + model.latency;
        if arrival.max(of.waited) == Tick::LAST {
            return Err(LinkOverrun(link));
        }
        let is_last_hop = packet.hop + 1 == flight.route.len();
        if packet.hop == 0 {
            self.follow(packet, depart + time);
        }
        if !is_last_hop {
            self.traffic.ready.push(Reverse(ReadyPacket {
                at: arrival,
                hop: packet.hop + 1,
                ..packet
            }));
            return Ok(None);
        }
        Ok(self.arrive(packet.message, arrival))
    }

    /// Counts a packet of a message that has arrived; returns the message if the packet is its last one.
    fn arrive(&mut self, message: usize, arrival: Tick) -> Option<Delivery> {
        let flight = self.traffic.flights[message].as_mut()?;
        flight.arrival = flight.arrival.max(arrival);
        flight.left -= 1;
        if flight.left > 0 {
            return None;
        }
        let flight = self.traffic.flights[message].take()?;
        self.traffic.vacant.push(message);
        Some(self.delivery(flight))
    }

    fn delivery(&mut self, flight: Flight) -> Delivery {
        let Flight {
            message: Outgoing { from, to, tag, sent, size, bytes, .. },
            route,
            arrival,
            ..
        } = flight;
        let models: Vec<_> =
            route.iter().map(|&link| *self.topology.links()[link].model()).collect();
        let latency = models.iter().map(|model| model.latency).sum();
        let alone = time_alone(&models, size);
        let contention = arrival.since(sent + alone);
        let record = MessageRecord { from, to, tag, bytes: size, sent, arrival };
        self.traffic.records.push(record);
        Delivery { from, to, tag, bytes, sent, arrival, wire: alone - latency, contention }
    }

    /// Returns the name of a link whose time is over.
    pub(crate) fn name(&self, LinkOverrun(link): LinkOverrun) -> String {
        format!("link {}", self.topology.links()[link].name())
    }

    /// Returns the use of each direction of each link, and the messages by senders in the order in which they were sent.
    pub(crate) fn finish(mut self) -> (Vec<LinkUse>, Vec<MessageRecord>) {
        self.traffic
            .records
            .sort_by_key(|record| (record.sent, record.from, record.to, record.tag));
        (self.traffic.uses, self.traffic.records)
    }
}

/// Returns the time from the send of a message to its arrival if nothing else is on these links.
fn time_alone(models: &[LinkModel], bytes: u64) -> Tick {
    let most = smallest_packet(models.iter());
    let (full, last) = packets(most, bytes);
    if let [model] = models {
        let each = model.time(most + model.header_bytes);
        return full * each + model.time(last + model.header_bytes) + model.latency;
    }
    let mut free = vec![Tick::ZERO; models.len()];
    let mut arrival = Tick::ZERO;
    for packet in 0..=full {
        let payload = if packet < full { most } else { last };
        let mut at = Tick::ZERO;
        for (model, free) in models.iter().zip(&mut free) {
            *free = at.max(*free) + model.time(payload + model.header_bytes);
            at = *free + model.latency;
        }
        arrival = at;
    }
    arrival
}
