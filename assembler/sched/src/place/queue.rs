//! The order in which operations are taken to be placed.

use crate::bits::Bits;

/// Operations that wait for a time, taken by their ranks.
pub(super) struct Queue {
    /// All operations, the one that is taken first in front.
    order: Vec<usize>,
    /// The place of each operation in that order.
    places: Vec<usize>,
    /// Places of the operations that wait, as bits; none is set before `front`.
    waiting: Bits,
    front: usize,
}

impl Queue {
    /// Creates a queue in which all operations wait. Of operations of the same rank the one written first is taken first.
    pub(super) fn new(ranks: &[i64]) -> Self {
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&op| (ranks[op], op));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &op)| places[op] = place);
        let mut waiting = Bits::new(order.len());
        waiting.set_all(0..order.len());
        Self { order, places, waiting, front: 0 }
    }

    pub(super) fn pop(&mut self) -> Option<usize> {
        let place = self.waiting.first_set(self.front..self.order.len())?;
        self.waiting.set(place, false);
        self.front = place + 1;
        Some(self.order[place])
    }

    pub(super) fn push(&mut self, op: usize) {
        let place = self.places[op];
        self.waiting.set(place, true);
        self.front = self.front.min(place);
    }
}
