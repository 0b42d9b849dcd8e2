//! Chips, the links between them, and the routes of messages. `file` reads a topology from a TOML file, `torus` makes the links
//! of a grid of processors, `routes` finds the ways, `shipped` has the files that come with the program.

mod file;
mod routes;
pub mod shipped;
mod torus;

use crate::time::Tick;
pub use file::TopologyFile;
use routes::Routes;
use std::error::Error;
use std::fmt;

/// Parameters of a link, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkModel {
    /// Time from the end of a packet at one end of the link to its end at the other.
    pub latency: Tick,
    /// Bytes that go over the link in a second, in each direction; 1 at least.
    pub bytes_per_second: u64,
    /// Most bytes of a message in one packet; 1 at least.
    pub packet_bytes: u64,
    /// Bytes that each packet has in addition to those of the message.
    pub header_bytes: u64,
}

impl LinkModel {
    /// Returns the time for which so many bytes occupy the link, rounded up to a whole tick; [`Tick::LAST`] at most.
    pub fn time(&self, bytes: u64) -> Tick {
        let ticks = u128::from(bytes) * u128::from(Tick::PER_SECOND);
        let ticks = ticks.div_ceil(u128::from(self.bytes_per_second));
        u64::try_from(ticks).map_or(Tick::LAST, Tick)
    }
}

/// Time that a message takes of the processors at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageOverheads {
    /// Time of the sender before the message leaves.
    pub send: Tick,
    /// Time of the receiver after the message has arrived.
    pub recv: Tick,
}

/// Direction of a link, which has a rate of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectedLink {
    name: String,
    /// Places at the two ends.
    from: usize,
    to: usize,
    model: LinkModel,
}

impl DirectedLink {
    /// Returns the name of the link and its direction, such as `c0 > c1`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parameters of the link.
    pub const fn model(&self) -> &LinkModel {
        &self.model
    }
}

/// Flaw of a topology, which makes it useless for a number of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyFlaw {
    /// The file is of another number of ranks.
    Ranks {
        /// Number of ranks of the file.
        file: usize,
        /// Number that was asked for.
        given: usize,
    },
    /// There is no way from a place to another.
    Unconnected {
        /// Name of the first place.
        from: String,
        /// Name of the place that cannot be reached from it.
        to: String,
    },
    /// Several ranks are on a chip, and no link leads from the chip to itself.
    NoInnerLink {
        /// Name of the chip.
        chip: String,
    },
    /// The ranks do not fill chips.
    Chips {
        /// Number of ranks.
        ranks: usize,
        /// Ranks on a chip.
        per_chip: usize,
    },
    /// A chip needs more ports than it has.
    Ports {
        /// Name of the chip.
        chip: String,
        /// Links that lead to other chips.
        needed: usize,
        /// Ports of a chip.
        ports: usize,
    },
}

impl fmt::Display for TopologyFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranks { file, given } => write!(
                f,
                "the file lists the chips of {file} processors, and {given} were asked for; give --processors {file} or another file"
            ),
            Self::Unconnected { from, to } => {
                write!(f, "the topology is not connected: no links lead from {from} to {to}")
            }
            Self::NoInnerLink { chip } => write!(
                f,
                "{chip} has several processors and no link from {chip} to {chip}, over which they would exchange messages"
            ),
            Self::Chips { ranks, per_chip } => write!(
                f,
                "{ranks} processors do not fill chips of {per_chip}; give a multiple of {per_chip}"
            ),
            Self::Ports { chip, needed, ports } => write!(
                f,
                "{chip} would need {needed} links to other chips and has {ports} ports; give fewer processors, or a file with more ports"
            ),
        }
    }
}

impl Error for TopologyFlaw {}

/// Places at which ranks and links are, and what one rank takes to reach another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Place of each rank.
    places: Vec<usize>,
    links: Vec<DirectedLink>,
    overheads: MessageOverheads,
    routes: Routes,
    /// Whether the messages of one rank alone go over a direction of a link.
    dedicated: Vec<bool>,
}

/// Link between two places, as a file or a rule gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkBetween {
    pub(crate) name: String,
    pub(crate) ends: [usize; 2],
    pub(crate) model: LinkModel,
}

/// Parts of which a topology is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Names of all places: chips, and switches without ranks.
    pub(crate) names: Vec<String>,
    /// Place of each rank.
    pub(crate) places: Vec<usize>,
    pub(crate) links: Vec<LinkBetween>,
    /// Routes that are given: places from the first to the last.
    pub(crate) routes: Vec<Vec<usize>>,
    /// Ports of a chip for links to other places, if they are limited.
    pub(crate) ports: Option<usize>,
    pub(crate) overheads: MessageOverheads,
}

impl Topology {
    /// Makes a topology out of its parts.
    ///
    /// # Errors
    /// A place cannot be reached, or a chip lacks ports or the link within it.
    pub(crate) fn new(parts: Parts) -> Result<Self, TopologyFlaw> {
        check_ports(&parts)?;
        let Parts { names, places, links, routes, overheads, .. } = parts;
        let mut directed = Vec::new();
        for LinkBetween { name, ends: [a, b], model } in links {
            for (from, to) in [(a, b), (b, a)] {
                let ends = format!("{} > {}", names[from], names[to]);
                let name = if name.is_empty() { ends } else { format!("{name}: {ends}") };
                directed.push(DirectedLink { name, from, to, model });
            }
        }
        let routes = Routes::new(&names, &places, &directed, &routes)?;
        let mut dedicated = vec![None; directed.len()];
        for (from, links) in routes.users(&places) {
            for link in links {
                let users: &mut Option<Vec<usize>> = &mut dedicated[link];
                let users = users.get_or_insert_default();
                if !users.contains(&from) {
                    users.push(from);
                }
            }
        }
        let is_dedicated =
            |users: &Option<Vec<usize>>| users.as_ref().is_some_and(|u| u.len() == 1);
        let dedicated = dedicated.iter().map(is_dedicated).collect();
        Ok(Self { places, links: directed, overheads, routes, dedicated })
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of chips with ranks, and that of the chip of each rank. Chips are numbered by their first ranks.
    pub(crate) fn chips(&self) -> (usize, Vec<usize>) {
        let mut chips: Vec<usize> = Vec::new();
        let number = |place: &usize| {
            chips.iter().position(|chip| chip == place).unwrap_or_else(|| {
                chips.push(*place);
                chips.len() - 1
            })
        };
        let of_rank = self.places.iter().map(number).collect();
        (chips.len(), of_rank)
    }

    /// Returns the process of each rank if so many processes of the computer do a run together: each has its share of the chips,
    /// one after the other, and a chip is not divided. `None` if there are more processes than chips.
    pub fn processes(&self, count: usize) -> Option<Vec<usize>> {
        let (chips, of_rank) = self.chips();
        let process = |chip| chip * count / chips;
        (count <= chips).then(|| of_rank.into_iter().map(process).collect())
    }

    /// Returns both directions of all links.
    pub fn links(&self) -> &[DirectedLink] {
        &self.links
    }

    /// Returns the time that a message takes of processors.
    pub const fn overheads(&self) -> MessageOverheads {
        self.overheads
    }

    /// Returns the smallest latency of a link, before which no message can arrive; `None` without links.
    pub fn lookahead(&self) -> Option<Tick> {
        self.links.iter().map(|link| link.model.latency).min()
    }

    /// Whether the messages of one rank alone go over this direction of a link.
    pub(crate) fn is_dedicated(&self, link: usize) -> bool {
        self.dedicated[link]
    }

    /// Returns the links on the way of a message. Of several links between the same two places the tag chooses one.
    pub(crate) fn route(&self, from: usize, to: usize, tag: u32) -> Vec<usize> {
        let hops = self.routes.hops(&self.places, from, to);
        hops.iter().map(|parallel| parallel[tag as usize % parallel.len()]).collect()
    }

    /// Returns the topology with another latency of all links, one tick at least.
    #[must_use]
    pub fn with_latency(mut self, latency: Tick) -> Self {
        for link in &mut self.links {
            link.model.latency = latency.max(Tick(1));
        }
        self
    }

    /// Returns the topology with another rate of all links in each direction, 1 byte per second at least.
    #[must_use]
    pub fn with_rate(mut self, bytes_per_second: u64) -> Self {
        for link in &mut self.links {
            link.model.bytes_per_second = bytes_per_second.max(1);
        }
        self
    }

    /// Returns the topology with these overheads of messages.
    #[must_use]
    pub fn with_overheads(self, overheads: MessageOverheads) -> Self {
        Self { overheads, ..self }
    }
}

/// Refuses chips with more links to other places than they have ports.
fn check_ports(parts: &Parts) -> Result<(), TopologyFlaw> {
    let Some(ports) = parts.ports else { return Ok(()) };
    for &chip in &parts.places {
        let leads_out = |link: &&LinkBetween| link.ends.contains(&chip) && link.ends != [chip; 2];
        let needed = parts.links.iter().filter(leads_out).count();
        if needed > ports {
            return Err(TopologyFlaw::Ports { chip: parts.names[chip].clone(), needed, ports });
        }
    }
    Ok(())
}
