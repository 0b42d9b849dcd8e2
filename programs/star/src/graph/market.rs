//! Matrix Market, format coordinate: rows are tails, columns heads. Entries are weights, whole numbers, of which the least stays
//! where a place is given twice; so they are not those of a sparse matrix.

use super::lines::{Field, Reading, VERTICES, lines};
use super::tables::GraphArc;
use cp2_session::sparse::SparseError;
use cp2_session::sparse::market::{
    MarketField, MarketFormat, MarketHeader, MarketSymmetry, read_header,
};
use std::ops::Range;

/// Reads the text; returns the number of vertices.
pub(super) fn read(text: &str, reading: &mut Reading) -> usize {
    let mut all = lines(text);
    let (_, at) = all.next().unwrap_or_default();
    let Some(head) = head(&text[at.clone()], &at, reading) else { return 0 };
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

fn head(line: &str, at: &Range<usize>, reading: &mut Reading) -> Option<MarketHeader> {
    let message = match read_header(line) {
        Ok(head) if head.format == MarketFormat::Array => {
            "format array; a graph is one of coordinate".to_owned()
        }
        Ok(head) if head.symmetry == MarketSymmetry::Skew => {
            "symmetry skew-symmetric, in which half of the weights are negative; a graph is general or symmetric".to_owned()
        }
        Ok(head) => return Some(head),
        Err(SparseError::Market { message, .. }) => message,
        Err(other) => other.to_string(),
    };
    reading.refuse("C1021", at, message);
    None
}

fn size(fields: &[Field<'_>], at: &Range<usize>, reading: &mut Reading) -> u64 {
    let [rows, columns, entries] = fields else {
        reading.refuse("C1021", at, "the line of the size is `ROWS COLUMNS ENTRIES`");
        return VERTICES;
    };
    let size_at = [rows.at.clone(), columns.at.clone()];
    let size = (
        reading.number(rows, "the number of rows"),
        reading.number(columns, "the number of columns"),
    );
    reading.ledger.arcs_announced = reading.number(entries, "the number of entries");
    let (Some(rows), Some(columns)) = size else { return VERTICES };
    if rows != columns {
        let message = format!("{rows} rows and {columns} columns; the matrix of a graph is square");
        reading.refuse("C1021", &size_at[1], message);
    }
    if rows > VERTICES {
        reading.refuse("C1024", &size_at[0], format!("{rows} vertices; the limit is {VERTICES}"));
    }
    rows
}

fn entry(
    fields: &[Field<'_>],
    at: &Range<usize>,
    (head, vertices): (MarketHeader, u64),
    reading: &mut Reading,
) {
    let has_weights = head.field != MarketField::Pattern;
    let wanted = if has_weights { 3 } else { 2 };
    if fields.len() != wanted {
        let line = if has_weights { "`ROW COLUMN WEIGHT`" } else { "`ROW COLUMN`" };
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
    if head.symmetry == MarketSymmetry::Symmetric && tail != head_of {
        reading.ledger.arcs_mirrored += 1;
        reading.arcs.push(GraphArc { tail: head_of, head: tail, weight });
    }
}
