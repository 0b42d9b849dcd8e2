//! Topology files. Every number is given alone, or with its origin: `{ value = 1250, origin = "[D] 1.3" }`.

use super::torus::TorusRule;
use super::{LinkBetween, LinkModel, MessageOverheads, Parts, Topology, TopologyFlaw};
use crate::time::Tick;
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_isa::NumberRange;
use cp2_toml::{FieldReader, Table, TomlValue, codes};

/// Keys of a link.
const LINK: [&str; 4] = ["latency_ns", "bytes_per_second", "packet_bytes", "header_bytes"];
/// Most nanoseconds of a latency or an overhead: a second.
const MOST_NS: f64 = 1e9;

/// Topology file: the chips and links of a complex, or the rule that makes them for a grid of processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyFile {
    /// Name of the topology in reports.
    pub name: String,
    /// Name of the machine file of each processor.
    pub machine: String,
    /// Numbers of the file that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
    overheads: MessageOverheads,
    form: Form,
}

/// Form in which a file gives the links.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Torus(TorusRule),
    Listed(Parts),
}

impl TopologyFile {
    /// Reads a topology file. `file` is the number of the text in `sources`.
    ///
    /// # Errors
    /// All that is wrong in the text, with places.
    pub fn read(sources: &Sources, file: u32) -> Result<Self, Vec<Diagnostic>> {
        cp2_toml::read(sources, file, |reader, top| {
            FileReader { reader, origins: Vec::new() }.file(top)
        })
    }

    /// Returns the number of processors, if the file lists their chips; a rule makes any number.
    pub fn processors(&self) -> Option<usize> {
        match &self.form {
            Form::Torus(_) => None,
            Form::Listed(parts) => Some(parts.places.len()),
        }
    }

    /// Makes the topology of a grid of so many processors along x, y and z, whose numbers go along x first.
    ///
    /// # Errors
    /// The file is of another number of processors, or its chips and links do not serve them.
    pub fn topology(&self, grid: [usize; 3]) -> Result<Topology, TopologyFlaw> {
        let given = grid.iter().product();
        match &self.form {
            Form::Torus(rule) => rule.topology(grid, self.overheads),
            Form::Listed(parts) if parts.places.len() == given => Topology::new(parts.clone()),
            Form::Listed(parts) => Err(TopologyFlaw::Ranks { file: parts.places.len(), given }),
        }
    }
}

/// Reader of a topology file.
struct FileReader<'r> {
    reader: &'r mut FieldReader,
    /// Keys of numbers that rest on assumptions, with the origins.
    origins: Vec<(String, String)>,
}

impl FileReader<'_> {
    fn file(mut self, top: &Table<'_>) -> TopologyFile {
        let keys = [
            "name",
            "machine",
            "message",
            "torus",
            "chips",
            "switches",
            "link",
            "route",
            "ports_per_chip",
        ];
        self.reader.only(top, "a topology file", &keys);
        let name = self.line(top, "name", "the name of the topology in reports");
        let machine =
            self.line(top, "machine", "the machine file of each processor, such as \"vm9\"");
        let overheads = self.overheads(top);
        let form = match top.get("torus") {
            Some(torus) => {
                for key in ["chips", "switches", "link", "route", "ports_per_chip"] {
                    if let Some(value) = top.get(key) {
                        let message = format!(
                            "{key} stands beside [torus], which makes chips and links itself"
                        );
                        self.reader.refuse(codes::UNKNOWN, value.span(), message, "");
                    }
                }
                Form::Torus(self.torus(torus))
            }
            None => Form::Listed(self.listed(top, overheads)),
        };
        let assumptions = self.origins;
        TopologyFile { name, machine, assumptions, overheads, form }
    }

    fn line(&mut self, table: &Table<'_>, key: &str, means: &str) -> String {
        let there = self.reader.required(table, key, means).is_some();
        let line = if there { self.reader.line_of(table, key, "a text") } else { None };
        line.unwrap_or_default().to_owned()
    }

    /// Returns the value of a number that stands alone or with its origin, and notes the origin of an assumption.
    fn value<'a>(
        &mut self,
        table: &Table<'a>,
        key: &str,
        means: &str,
    ) -> Option<&'a TomlValue<'a>> {
        let value = self.reader.required(table, key, means)?;
        if !value.get_ref().is_table() {
            return Some(value);
        }
        let name = table.name(key);
        let pair = self.reader.table(value, &name, "value and origin")?;
        self.reader.only(&pair, &name, &["value", "origin"]);
        let origin = self.line(&pair, "origin", "where the value comes from");
        if origin.starts_with("assumption") {
            self.origins.push((name, origin));
        }
        self.reader.required(&pair, "value", means)
    }

    fn whole(&mut self, table: &Table<'_>, key: &str, means: &str, range: NumberRange) -> u64 {
        let value = self.value(table, key, means);
        value.map_or(range.low, |value| self.reader.number(value, &table.name(key), range)) as u64
    }

    /// Reads a number of nanoseconds as ticks, `least` at least.
    fn ticks(&mut self, table: &Table<'_>, key: &str, means: &str, least: Tick) -> Tick {
        let Some(value) = self.value(table, key, means) else { return least };
        let Some(ns) = self.reader.float(value, &table.name(key)) else { return least };
        let ticks = if (0.0..=MOST_NS).contains(&ns) { Tick::from_ns(ns) } else { Tick::ZERO };
        if !(0.0..=MOST_NS).contains(&ns) || ticks < least {
            let low = if least == Tick::ZERO {
                "0"
            } else {
                "1/84 (a message takes time from processor to processor)"
            };
            let message = format!(
                "{} is {ns}; it takes nanoseconds from {low} to {MOST_NS}",
                table.name(key)
            );
            self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
        }
        ticks.max(least)
    }

    fn overheads(&mut self, top: &Table<'_>) -> MessageOverheads {
        let Some(value) = self.reader.required(
            top,
            "message",
            "the time of messages in processors, as [message]",
        ) else {
            return MessageOverheads::default();
        };
        let Some(table) = self.reader.table(value, "message", "send_ns and recv_ns") else {
            return MessageOverheads::default();
        };
        self.reader.only(&table, "message", &["send_ns", "recv_ns"]);
        let send = self.ticks(&table, "send_ns", "the time of the sender", Tick::ZERO);
        let recv = self.ticks(&table, "recv_ns", "the time of the receiver", Tick::ZERO);
        MessageOverheads { send, recv }
    }

    /// Reads the parameters of a link out of a table that may have other keys.
    fn link(&mut self, table: &Table<'_>) -> LinkModel {
        LinkModel {
            latency: self.ticks(table, "latency_ns", "the latency of the link", Tick(1)),
            bytes_per_second: self.whole(
                table,
                "bytes_per_second",
                "the rate of each direction",
                NumberRange::between(1000, 1 << 40),
            ),
            packet_bytes: self.whole(
                table,
                "packet_bytes",
                "the most bytes of a message in a packet",
                NumberRange::between(1, 1 << 24),
            ),
            header_bytes: self.whole(
                table,
                "header_bytes",
                "the bytes of a packet beside those of the message",
                NumberRange::between(0, 1 << 16),
            ),
        }
    }

    /// Reads a table of a link alone.
    fn link_of(&mut self, table: &Table<'_>, key: &str, means: &str) -> Option<LinkModel> {
        let value = self.reader.required(table, key, means)?;
        let name = table.name(key);
        let link = self.reader.table(value, &name, "the parameters of a link")?;
        self.reader.only(&link, &name, &LINK);
        Some(self.link(&link))
    }

    fn torus(&mut self, value: &TomlValue<'_>) -> TorusRule {
        let absent =
            LinkModel { latency: Tick(1), bytes_per_second: 1, packet_bytes: 1, header_bytes: 0 };
        let (per_chip, link_per_face, ports) = (1, false, None);
        let empty = TorusRule { per_chip, link_per_face, ports, outer: absent, inner: None };
        let Some(table) = self.reader.table(value, "torus", "the rule of the links") else {
            return empty;
        };
        let keys = ["processors_per_chip", "link_per_face", "ports_per_chip", "link", "inner_link"];
        self.reader.only(&table, "torus", &keys);
        let few = NumberRange::between(1, 64);
        let per_chip = self.reader.number_or(&table, "processors_per_chip", few, 1).max(1) as usize;
        let link_per_face = self.reader.flag_or(&table, "link_per_face", false);
        if let Some(flag) = table.get("link_per_face").filter(|_| link_per_face && per_chip > 1) {
            let message = "torus.link_per_face is true, and a chip has several processors, which share its links".to_owned();
            self.reader.refuse(codes::OUT_OF_RANGE, flag.span(), message, "");
        }
        let ports = self.ports(&table);
        let outer = self
            .link_of(&table, "link", "the links between chips, as [torus.link]")
            .unwrap_or(absent);
        let inner = match per_chip {
            1 => table.get("inner_link").and_then(|_| self.link_of(&table, "inner_link", "")),
            _ => {
                self.link_of(&table, "inner_link", "the link within a chip, as [torus.inner_link]")
            }
        };
        TorusRule { per_chip, link_per_face, ports, outer, inner }
    }

    fn ports(&mut self, table: &Table<'_>) -> Option<usize> {
        let ports =
            self.reader.number_or(table, "ports_per_chip", NumberRange::between(1, 1024), 0);
        (ports > 0).then_some(ports as usize)
    }

    /// Reads a list of names; the elements of the list have to be texts.
    fn names(&mut self, value: &TomlValue<'_>, name: &str) -> Vec<String> {
        let values = self.reader.list(value, name, "a list of names");
        let text = |value| self.reader.text(value, name, "names of places").map(str::to_owned);
        values.into_iter().filter_map(text).collect()
    }

    /// Refuses names of chips or switches that are empty, and switches with the name of a chip or of another switch.
    fn check_names(&mut self, top: &Table<'_>, chips: &[String], switches: &[String]) {
        for (key, names) in [("chips", chips), ("switches", switches)] {
            if let Some(value) = top.get(key).filter(|_| names.iter().any(String::is_empty)) {
                let message = format!("{key} has an empty name; each place takes a name");
                self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
            }
        }
        let Some(value) = top.get("switches") else { return };
        for (number, name) in switches.iter().enumerate() {
            let other = match () {
                () if chips.contains(name) => "chips",
                () if switches[..number].contains(name) => "switches before it",
                () => continue,
            };
            let message =
                format!("switches has \"{name}\", which {other} has too; give it another name");
            self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
        }
    }

    /// Returns the place of a name; refuses one that no chip or switch has. With no places at all the lack of chips is told alone.
    fn place(&mut self, known: &[String], name: &str, value: &TomlValue<'_>) -> Option<usize> {
        let place = known.iter().position(|one| one == name);
        if place.is_none() && !known.is_empty() {
            let message =
                format!("\"{name}\" is no chip and no switch; there are {}", known.join(", "));
            self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
        }
        place
    }

    fn listed(&mut self, top: &Table<'_>, overheads: MessageOverheads) -> Parts {
        let chips = self.reader.required(top, "chips", "the chip of each processor, or [torus]");
        let chips = chips.map_or_else(Vec::new, |value| self.names(value, "chips"));
        if let Some(value) = top.get("chips").filter(|_| chips.is_empty()) {
            let message = "chips is empty; it takes the chip of each processor".to_owned();
            self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
        }
        let switches =
            top.get("switches").map_or_else(Vec::new, |value| self.names(value, "switches"));
        self.check_names(top, &chips, &switches);
        let mut names: Vec<String> = Vec::new();
        for name in chips.iter().chain(&switches) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let place = |name: &String| names.iter().position(|one| one == name).unwrap_or_default();
        let places: Vec<usize> = chips.iter().map(place).collect();
        let links = self.links(top, &names);
        let routes = self.routes(top, &names, (&places, &links));
        let ports = self.ports(top);
        Parts { names, places, links, routes, ports, overheads }
    }

    fn links(&mut self, top: &Table<'_>, known: &[String]) -> Vec<LinkBetween> {
        let Some(value) = top.get("link") else { return Vec::new() };
        let mut links = Vec::new();
        for one in self.reader.list(value, "link", "a list of links, each as [[link]]") {
            let Some(table) = self.reader.table(one, "link", "the ends and parameters of a link")
            else {
                continue;
            };
            let keys = ["name", "ends", LINK[0], LINK[1], LINK[2], LINK[3]];
            self.reader.only(&table, "link", &keys);
            let name = self.reader.line_of(&table, "name", "a name").unwrap_or_default().to_owned();
            let ends = self.reader.required(
                &table,
                "ends",
                "the places at both ends, such as [\"a\", \"b\"]",
            );
            let places = ends.map_or_else(Vec::new, |value| {
                let ends = self.names(value, "link.ends");
                if ends.len() != 2 {
                    let message =
                        format!("link.ends has {} places; a link has two ends", ends.len());
                    self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
                }
                ends.iter().filter_map(|end| self.place(known, end, value)).collect()
            });
            let model = self.link(&table);
            if let [a, b] = places[..] {
                links.push(LinkBetween { name, ends: [a, b], model });
            }
        }
        links
    }

    fn routes(
        &mut self,
        top: &Table<'_>,
        known: &[String],
        (chips, links): (&[usize], &[LinkBetween]),
    ) -> Vec<Vec<usize>> {
        let Some(value) = top.get("route") else { return Vec::new() };
        let mut routes: Vec<Vec<usize>> = Vec::new();
        for one in self.reader.list(value, "route", "a list of routes, each as [[route]]") {
            let Some(table) = self.reader.table(one, "route", "the places of a route") else {
                continue;
            };
            self.reader.only(&table, "route", &["places"]);
            let Some(value) =
                self.reader.required(&table, "places", "the places from the first to the last")
            else {
                continue;
            };
            let names = self.names(value, "route.places");
            let places: Vec<usize> =
                names.iter().filter_map(|name| self.place(known, name, value)).collect();
            if places.len() < names.len() {
                continue;
            }
            match flaw_of_route(&places, &routes, known, (chips, links)) {
                Some(message) => {
                    self.reader.refuse(codes::OUT_OF_RANGE, value.span(), message, "");
                }
                None => routes.push(places),
            }
        }
        routes
    }
}

/// Returns why a route is refused beside those before it, if it is.
fn flaw_of_route(
    places: &[usize],
    before: &[Vec<usize>],
    known: &[String],
    (chips, links): (&[usize], &[LinkBetween]),
) -> Option<String> {
    let &[first, .., last] = places else {
        return Some("route.places has fewer than two places".to_owned());
    };
    let is_linked = |a: usize, b: usize| links.iter().any(|l| l.ends == [a, b] || l.ends == [b, a]);
    let gap = places.windows(2).find(|step| step[0] == step[1] || !is_linked(step[0], step[1]));
    if let Some(&[a, b]) = gap {
        return Some(format!("no link leads from {} to {}, as the route does", known[a], known[b]));
    }
    let (from, to) = (&known[first], &known[last]);
    if first == last || !chips.contains(&first) || !chips.contains(&last) {
        return Some(format!(
            "route.places leads from {from} to {to}; a route leads from a chip to another chip"
        ));
    }
    let is_same = |route: &Vec<usize>| (route.first(), route.last()) == (Some(&first), Some(&last));
    before
        .iter()
        .any(is_same)
        .then(|| format!("a second route leads from {from} to {to}; give one for each direction"))
}
