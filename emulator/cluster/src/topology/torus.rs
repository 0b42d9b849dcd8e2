//! The links of a grid of processors whose ends meet: each processor has a neighbour on either side along each axis that is cut.

use super::{LinkBetween, LinkModel, MessageOverheads, Parts, Topology, TopologyFlaw};

/// Rule that makes the links of a grid of processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TorusRule {
    /// Processors of a chip, which are neighbours by their numbers.
    pub(crate) per_chip: usize,
    /// Whether two processors that are neighbours on both sides have a link for either side, and not one for both.
    pub(crate) link_per_face: bool,
    /// Ports of a chip for links to other chips, if they are limited.
    pub(crate) ports: Option<usize>,
    /// Link between two chips.
    pub(crate) outer: LinkModel,
    /// Link between the processors of a chip.
    pub(crate) inner: Option<LinkModel>,
}

impl TorusRule {
    /// Makes the topology of a grid of so many processors along x, y and z. Their numbers go along x first.
    pub(crate) fn topology(
        &self,
        grid: [usize; 3],
        overheads: MessageOverheads,
    ) -> Result<Topology, TopologyFlaw> {
        let ranks: usize = grid.iter().product();
        if !ranks.is_multiple_of(self.per_chip) {
            return Err(TopologyFlaw::Chips { ranks, per_chip: self.per_chip });
        }
        let names: Vec<String> = (0..ranks / self.per_chip).map(|k| format!("c{k}")).collect();
        let places: Vec<usize> = (0..ranks).map(|rank| rank / self.per_chip).collect();
        let mut links = Vec::new();
        for (axis, &count) in grid.iter().enumerate() {
            let step: usize = grid[..axis].iter().product();
            for rank in (0..ranks).filter(|_| count > 1) {
                let at = rank / step % count;
                // Two processors on an axis are neighbours on both sides.
                let next = rank - at * step + (at + 1) % count * step;
                self.connect(&mut links, axis, [places[rank], places[next]]);
            }
        }
        if let Some(model) = self.inner.filter(|_| self.per_chip > 1) {
            let inner =
                (0..names.len()).map(|k| LinkBetween { name: String::new(), ends: [k; 2], model });
            links.extend(inner);
        }
        let (routes, ports) = (Vec::new(), self.ports);
        Topology::new(Parts { names, places, links, routes, ports, overheads })
    }

    /// Adds the link of an axis between two chips, unless it is there.
    fn connect(&self, links: &mut Vec<LinkBetween>, axis: usize, [a, b]: [usize; 2]) {
        let name = ["x", "y", "z"][axis].to_owned();
        let ends = [a.min(b), a.max(b)];
        let same = links.iter().filter(|link| link.name == name && link.ends == ends).count();
        let most = if self.link_per_face { 2 } else { 1 };
        if a != b && same < most {
            links.push(LinkBetween { name, ends, model: self.outer });
        }
    }
}
