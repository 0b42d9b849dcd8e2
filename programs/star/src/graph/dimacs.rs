//! DIMACS `.gr`: `c` comments, `p sp VERTICES ARCS`, `a TAIL HEAD WEIGHT`.

use super::lines::{Field, Reading, VERTICES, lines};
use super::tables::GraphArc;
use std::ops::Range;

/// Reads the text; returns the number of vertices.
pub(super) fn read(text: &str, reading: &mut Reading) -> usize {
    let (mut vertices, mut is_early) = (None, false);
    for (fields, at) in lines(text) {
        match fields.first().map(|field| field.text) {
            None | Some("c") => {}
            Some("p") => head(&fields, &at, reading, &mut vertices),
            Some("a") => match vertices {
                Some(vertices) => arc(&fields, &at, reading, vertices),
                // The first of them tells enough.
                None if is_early => {}
                None => {
                    reading.refuse("C1021", &at, "an arc before the line `p sp VERTICES ARCS`");
                    is_early = true;
                }
            },
            Some(word) => {
                let shown: String = word.chars().take(20).collect();
                let message =
                    format!("a line begins with `c`, `p` or `a`, and this one with `{shown}`");
                reading.refuse("C1021", &at, message);
            }
        }
    }
    if vertices.is_none() && !is_early {
        reading.refuse("C1021", &(text.len()..text.len()), "there is no line `p sp VERTICES ARCS`");
    }
    vertices.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

fn head(
    fields: &[Field<'_>],
    at: &Range<usize>,
    reading: &mut Reading,
    vertices: &mut Option<u64>,
) {
    if vertices.is_some() {
        return reading.refuse("C1021", at, "a second line `p`");
    }
    *vertices = Some(VERTICES);
    let [_, kind, n, arcs] = fields else {
        return reading.refuse("C1021", at, "the line is `p sp VERTICES ARCS`");
    };
    if kind.text != "sp" {
        let message = "only graphs for shortest paths are read: `p sp VERTICES ARCS`";
        return reading.refuse("C1021", &kind.at, message);
    }
    let (count, announced) =
        (reading.number(n, "the number of vertices"), reading.number(arcs, "the number of arcs"));
    reading.ledger.arcs_announced = announced;
    match count {
        Some(count) if count <= VERTICES => *vertices = Some(count),
        Some(count) => {
            reading.refuse("C1024", &n.at, format!("{count} vertices; the limit is {VERTICES}"));
        }
        None => {}
    }
}

fn arc(fields: &[Field<'_>], at: &Range<usize>, reading: &mut Reading, vertices: u64) {
    let [_, tail, head, weight] = fields else {
        return reading.refuse("C1021", at, "the line is `a TAIL HEAD WEIGHT`");
    };
    reading.ledger.arcs_read += 1;
    let (tail, head) = (reading.vertex(tail, vertices), reading.vertex(head, vertices));
    let weight = reading.weight(weight);
    if let (Some(tail), Some(head), Some(weight)) = (tail, head, weight) {
        reading.arcs.push(GraphArc { tail, head, weight });
    }
}
