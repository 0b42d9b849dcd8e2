//! Programs that come with the crate, as texts.

/// A program that comes with the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShippedProgram {
    /// Name by which it is asked for.
    pub name: &'static str,
    /// Result of the program in a few words.
    pub summary: &'static str,
    /// Text of the program.
    pub text: &'static str,
}

macro_rules! program {
    ($name:literal, $summary:literal) => {
        ShippedProgram {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../programs/", $name, ".star")),
        }
    };
}

/// All programs that come with the crate, by name.
pub const SHIPPED: [ShippedProgram; 10] = [
    program!("paths", "shortest paths from a vertex"),
    program!("paths-insert", "shortest paths while arcs are inserted, the first vertex taken"),
    program!("paths-insert-nearest", "shortest paths while arcs are inserted, the nearest taken"),
    program!("paths-numbered", "shortest paths from a vertex, parents as numbers"),
    program!("reachability", "vertices that a vertex reaches"),
    program!("reachability-insert", "vertices that a vertex reaches while arcs are inserted"),
    program!("trees", "trees with descendants: link, link_all, cut, support"),
    program!("warshall", "transitive closure by rows"),
    program!("warshall-at-once", "transitive closure, all columns at once"),
    program!("warshall-columns", "transitive closure by columns"),
];

/// Returns the program of this name.
pub fn shipped(name: &str) -> Option<&'static ShippedProgram> {
    SHIPPED.iter().find(|program| program.name == name)
}
