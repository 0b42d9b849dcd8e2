//! Questions of the STAR machine asked of every row by itself: slices are words of 64 rows, row 0 in the least significant bit of the
//! first; tables are columns, the most significant first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns the bit of a row of a slice.
pub fn bit(slice: &[u64], row: usize) -> bool {
    slice.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
}

/// Returns the slice of the rows for which something holds.
pub fn slice(rows: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut words = vec![0; rows.div_ceil(64)];
    (0..rows).for_each(|row| words[row / 64] |= u64::from(holds(row)) << (row % 64));
    words
}

/// Returns the numbers of the rows of a table, of at most 64 columns.
pub fn numbers(columns: &[Vec<u64>], rows: usize) -> Vec<u64> {
    let number = |row| columns.iter().fold(0, |sum, column| sum << 1 | u64::from(bit(column, row)));
    (0..rows).map(number).collect()
}

/// Returns the rows of `x` with the least number, or the greatest.
pub fn best(numbers: &[u64], x: &[u64], is_maximum: bool) -> Vec<u64> {
    let inside = || (0..numbers.len()).filter(|&row| bit(x, row)).map(|row| numbers[row]);
    let best = if is_maximum { inside().max() } else { inside().min() };
    slice(numbers.len(), |row| bit(x, row) && Some(numbers[row]) == best)
}

/// Returns the position of the first one of a slice, from 1; 0 if there is none.
pub fn first(slice: &[u64], rows: usize) -> usize {
    (0..rows).find(|&row| bit(slice, row)).map_or(0, |row| row + 1)
}

/// Returns the columns of the closure of a matrix, given as its columns, by paths from each vertex.
pub fn closure(columns: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let n = columns.len();
    let heads = |tail: usize| (0..n).filter(move |&head| bit(&columns[head], tail));
    let lists: Vec<Vec<usize>> = (0..n).map(|tail| heads(tail).collect()).collect();
    let mut closed = vec![vec![0; n.div_ceil(64)]; n];
    for from in 0..n {
        let mut open = lists[from].clone();
        while let Some(vertex) = open.pop() {
            let word = &mut closed[vertex][from / 64];
            if *word >> (from % 64) & 1 == 0 {
                *word |= 1 << (from % 64);
                open.extend(&lists[vertex]);
            }
        }
    }
    closed
}

/// Returns the distances from a vertex by arcs of tail, head and weight, of which vertices count from 1; `None` where there is no path.
pub fn distances(vertices: usize, arcs: &[(usize, usize, u64)], source: usize) -> Vec<Option<u64>> {
    let mut leaving = vec![Vec::new(); vertices + 1];
    arcs.iter().for_each(|(tail, head, weight)| leaving[*tail].push((*head, *weight)));
    let mut distances = vec![None; vertices];
    let mut open = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((distance, vertex))) = open.pop() {
        if distances[vertex - 1].is_none() {
            distances[vertex - 1] = Some(distance);
            let next = leaving[vertex].iter();
            open.extend(next.map(|(head, weight)| Reverse((distance + weight, *head))));
        }
    }
    distances
}
