//! SNAP edge lists: `#` comments, then `FROM TO`, or `FROM TO WEIGHT`. Vertices are numbered anew.

use super::lines::{Reading, VERTICES, lines};
use super::tables::GraphArc;

/// Reads the text; returns the numbers of the vertices in the text, ascending.
pub(super) fn read(text: &str, reading: &mut Reading) -> Vec<u64> {
    let mut found = Vec::new();
    for (fields, at) in lines(text) {
        if fields.first().is_none_or(|field| field.text.starts_with('#')) {
            continue;
        }
        let (2 | 3) = fields.len() else {
            reading.refuse("C1021", &at, "the line is `FROM TO` or `FROM TO WEIGHT`");
            continue;
        };
        reading.ledger.arcs_read += 1;
        let ends = (reading.number(&fields[0], "a vertex"), reading.number(&fields[1], "a vertex"));
        let weight = match fields.get(2) {
            Some(field) => reading.weight(field),
            None => {
                reading.ledger.weights_invented += 1;
                Some(1)
            }
        };
        if let ((Some(tail), Some(head)), Some(weight)) = (ends, weight) {
            found.push((tail, head, weight));
        }
    }
    let mut names: Vec<u64> = found.iter().flat_map(|arc| [arc.0, arc.1]).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() as u64 > VERTICES {
        let message = format!("{} vertices; the limit is {VERTICES}", names.len());
        reading.refuse("C1024", &(text.len()..text.len()), message);
        return names;
    }
    let vertex = |name: &u64| names.binary_search(name).map_or(0, |at| at + 1);
    let arcs = found.iter().map(|(tail, head, weight)| GraphArc {
        tail: vertex(tail),
        head: vertex(head),
        weight: *weight,
    });
    reading.arcs = arcs.collect();
    reading.ledger.renumbered_from = names.last().copied();
    names
}
