//! Matrix Market, format coordinate: rows are tails, columns heads. Sparse matrices of kernels are read elsewhere, in single
//! precision and with sums of entries that are given twice; weights are whole numbers, of which the least stays.

use super::lines::{Field, Reading, VERTICES, lines};
use super::tables::GraphArc;
use std::ops::Range;

/// The form of entries, as the first line says it.
#[derive(Clone, Copy)]
struct Head {
    has_weights: bool,
    is_symmetric: bool,
}

/// Reads the text; returns the number of vertices.
pub(super) fn read(text: &str, reading: &mut Reading) -> usize {
    let mut all = lines(text);
    let first = all.next().unwrap_or_default();
    let Some(head) = head(&first, reading) else { return 0 };
    let mut vertices = None;
    for (fields, at) in all {
        if fields.first().is_none_or(|field| field.text.starts_with('%')) {
            continue;
        }
        match vertices {
            Some(vertices) => entry(&fields, &at, (head, vertices), reading),
            None => vertices = Some(size(&fields, &at, reading)),
        }
    }
    if vertices.is_none() {
        reading.refuse(
            "C1021",
            &(text.len()..text.len()),
            "the line of the size, `ROWS COLUMNS ENTRIES`, is missing",
        );
    }
    vertices.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

fn head((fields, at): &(Vec<Field<'_>>, Range<usize>), reading: &mut Reading) -> Option<Head> {
    let words: Vec<String> = fields.iter().map(|field| field.text.to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let head = match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", field, symmetry] => {
            let has_weights = match field {
                "pattern" => Some(false),
                "integer" | "real" => Some(true),
                _ => None,
            };
            let is_symmetric = match symmetry {
                "general" => Some(false),
                "symmetric" => Some(true),
                _ => None,
            };
            has_weights.zip(is_symmetric)
        }
        _ => None,
    };
    if head.is_none() {
        let message = "the first line is `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, with the field integer, real or \
                       pattern, and the symmetry general or symmetric";
        reading.refuse("C1021", at, message);
    }
    head.map(|(has_weights, is_symmetric)| Head { has_weights, is_symmetric })
}

fn size(fields: &[Field<'_>], at: &Range<usize>, reading: &mut Reading) -> u64 {
    let [rows, columns, entries] = fields else {
        reading.refuse("C1021", at, "the line of the size is `ROWS COLUMNS ENTRIES`");
        return VERTICES;
    };
    let size = (
        reading.number(rows, "the number of rows"),
        reading.number(columns, "the number of columns"),
    );
    reading.ledger.arcs_announced = reading.number(entries, "the number of entries");
    let (Some(rows), Some(columns)) = size else { return VERTICES };
    if rows != columns {
        let message = format!("{rows} rows and {columns} columns; the matrix of a graph is square");
        reading.refuse("C1021", at, message);
    }
    if rows > VERTICES {
        reading.refuse("C1024", at, format!("{rows} vertices; the limit is {VERTICES}"));
    }
    rows
}

fn entry(
    fields: &[Field<'_>],
    at: &Range<usize>,
    (head, vertices): (Head, u64),
    reading: &mut Reading,
) {
    let wanted = if head.has_weights { 3 } else { 2 };
    if fields.len() != wanted {
        let line = if head.has_weights { "`ROW COLUMN WEIGHT`" } else { "`ROW COLUMN`" };
        return reading.refuse("C1021", at, format!("the line of an entry is {line}"));
    }
    reading.ledger.arcs_read += 1;
    let ends = (reading.vertex(&fields[0], vertices), reading.vertex(&fields[1], vertices));
    let weight = match fields.get(2) {
        Some(field) => reading.weight(field),
        None => {
            reading.ledger.weights_invented += 1;
            Some(1)
        }
    };
    let ((Some(tail), Some(head_of)), Some(weight)) = (ends, weight) else { return };
    reading.arcs.push(GraphArc { tail, head: head_of, weight });
    if head.is_symmetric && tail != head_of {
        reading.ledger.arcs_mirrored += 1;
        reading.arcs.push(GraphArc { tail: head_of, head: tail, weight });
    }
}
