//! The complete history of one register: every write with the instant at which it lands. Nothing is
//! ever forgotten or queued; a read names the instant that it looks at.

/// Moment of a cycle at which something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// Course of the cycle: loads, the step of RIND, the flags in STATUS.
    Within,
    /// End of the cycle, in the order of issue: everything else.
    End,
}

/// Write to a register, or to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// Cycle in which the write lands.
    pub(super) lands: i64,
    pub(super) moment: Moment,
    /// Position of the operation in the order of issue.
    pub(super) order: u64,
    /// Bits of the old value that stay.
    pub(super) keep: u64,
    /// Bits that are set.
    pub(super) put: u64,
}

impl Write {
    fn key(&self) -> (i64, Moment, u64) {
        (self.lands, self.moment, self.order)
    }
}

/// All values that one register ever had.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    initial: u64,
    writes: Vec<Write>,
}

impl History {
    pub(super) fn new(initial: u64) -> Self {
        Self { initial, writes: Vec::new() }
    }

    pub(super) fn push(&mut self, write: Write) {
        let at = self.writes.partition_point(|w| w.key() < write.key());
        self.writes.insert(at, write);
    }

    /// Returns the value as it is at the start of a cycle.
    pub(super) fn start_of(&self, cycle: i64) -> u64 {
        self.after(&self.writes[..self.landed_before(cycle)])
    }

    /// Returns the value in a cycle, after what is written in its course and before what lands at its end.
    pub(super) fn within(&self, cycle: i64) -> u64 {
        let landed = self.writes.partition_point(|w| (w.lands, w.moment) < (cycle, Moment::End));
        self.after(&self.writes[..landed])
    }

    /// Whether something is still to land at the start of a cycle.
    pub(super) fn is_pending(&self, cycle: i64) -> bool {
        self.landed_before(cycle) < self.writes.len()
    }

    /// Whether a write of the whole register is still to land at the start of a cycle.
    pub(super) fn replacement_is_pending(&self, cycle: i64) -> bool {
        self.writes[self.landed_before(cycle)..].iter().any(|w| w.keep == 0)
    }

    /// Returns the value when everything has landed.
    pub(super) fn settled(&self) -> u64 {
        self.after(&self.writes)
    }

    /// Returns the writes that landed in the cycle of another write of the same bits, each after the one before it.
    pub(super) fn collisions(&self) -> impl Iterator<Item = (&Write, &Write)> {
        let met = |(k, second): (usize, &'_ Write)| {
            let mut older = self.writes[..k].iter().rev();
            older.find(|w| w.lands == second.lands && !w.keep & !second.keep != 0)
        };
        let all = self.writes.iter().enumerate();
        all.filter_map(move |(k, second)| Some((met((k, second))?, second)))
    }

    /// Whether a write at the end of this cycle follows one in its course.
    pub(super) fn is_replaced_at_end_of(&self, cycle: i64) -> bool {
        let mut here = self.collisions().filter(|(first, _)| first.lands == cycle);
        here.any(|(first, second)| first.moment != second.moment)
    }

    fn landed_before(&self, cycle: i64) -> usize {
        self.writes.partition_point(|w| w.lands < cycle)
    }

    fn after(&self, writes: &[Write]) -> u64 {
        let whole = writes.iter().rposition(|w| w.keep == 0).unwrap_or(0);
        writes[whole..].iter().fold(self.initial, |value, w| value & w.keep | w.put)
    }
}
