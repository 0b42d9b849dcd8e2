//! Routes: the fewest links from place to place, or those that a file gives.

use super::{DirectedLink, TopologyFlaw};
use std::collections::{BTreeMap, VecDeque};

/// Links of one step of a route, one beside the other: each leads from the same place to the same next one.
type Parallel = Vec<usize>;

/// Routes between the places of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Routes {
    /// Steps from a place to another.
    between: BTreeMap<(usize, usize), Vec<Parallel>>,
    /// Directions of the links within a chip: from the rank with the lower number, and from the one with the higher.
    within: BTreeMap<usize, [Parallel; 2]>,
}

impl Routes {
    /// Finds the route from each place of a rank to each other one: the one that is given, else one of fewest links, of which
    /// the links that were listed first are taken.
    pub(crate) fn new(
        names: &[String],
        places: &[usize],
        links: &[DirectedLink],
        given: &[Vec<usize>],
    ) -> Result<Self, TopologyFlaw> {
        let mut used: Vec<usize> = places.to_vec();
        used.sort_unstable();
        used.dedup();
        let (mut between, mut within) = (BTreeMap::new(), BTreeMap::new());
        for &from in &used {
            let found = all_from(from, names.len(), links);
            for &to in used.iter().filter(|&&to| to != from) {
                let ends =
                    |route: &&Vec<usize>| route.first() == Some(&from) && route.last() == Some(&to);
                let way = match given.iter().find(ends) {
                    Some(route) => route.clone(),
                    None => way_to(&found, from, to).ok_or_else(|| TopologyFlaw::Unconnected {
                        from: names[from].clone(),
                        to: names[to].clone(),
                    })?,
                };
                let steps = way.windows(2).map(|step| parallel(links, step[0], step[1])).collect();
                between.insert((from, to), steps);
            }
            if places.iter().filter(|&&place| place == from).count() > 1 {
                let inner = parallel(links, from, from);
                if inner.is_empty() {
                    return Err(TopologyFlaw::NoInnerLink { chip: names[from].clone() });
                }
                // The two directions of a link stand one behind the other.
                let of = |k: usize| inner.iter().copied().skip(k).step_by(2).collect();
                within.insert(from, [of(0), of(1)]);
            }
        }
        Ok(Self { between, within })
    }

    /// Returns the steps from a rank to another.
    pub(crate) fn hops(&self, places: &[usize], from: usize, to: usize) -> &[Parallel] {
        let (a, b) = (places[from], places[to]);
        if a == b {
            let directions = self.within.get(&a);
            return directions.map_or(&[], |d| std::slice::from_ref(&d[usize::from(from > to)]));
        }
        self.between.get(&(a, b)).map_or(&[], Vec::as_slice)
    }

    /// Returns each rank with the links over which its messages to some rank go.
    pub(crate) fn users<'a>(
        &'a self,
        places: &'a [usize],
    ) -> impl Iterator<Item = (usize, Vec<usize>)> + 'a {
        let pairs = (0..places.len()).flat_map(|from| (0..places.len()).map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to).map(|(from, to)| {
            (from, self.hops(places, from, to).iter().flatten().copied().collect())
        })
    }
}

/// Returns the links from a place to a neighbouring one.
pub(super) fn parallel(links: &[DirectedLink], from: usize, to: usize) -> Parallel {
    let leads = |(_, link): &(usize, &DirectedLink)| link.from == from && link.to == to;
    links.iter().enumerate().filter(leads).map(|(k, _)| k).collect()
}

/// Returns, for each place, the place before it on a way of fewest links from `first`.
fn all_from(first: usize, places: usize, links: &[DirectedLink]) -> Vec<Option<usize>> {
    let mut before = vec![None; places];
    let mut queue = VecDeque::from([first]);
    while let Some(place) = queue.pop_front() {
        for link in links.iter().filter(|link| link.from == place && link.to != first) {
            if before[link.to].is_none() {
                before[link.to] = Some(place);
                queue.push_back(link.to);
            }
        }
    }
    before
}

/// Returns the places on the way from one to another, both ends included.
fn way_to(before: &[Option<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut way = vec![to];
    let mut place = to;
    while place != from {
        place = before[place]?;
        way.push(place);
    }
    way.reverse();
    Some(way)
}
