//! The complete history of one register: every write with the cycle at whose end it lands. Nothing
//! is ever forgotten or queued; a read names the cycle that it looks at.

/// One write to a register, or to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// Cycle at whose end the write lands.
    pub(super) lands: i64,
    /// Position of the operation in the order of issue; the later wins within one cycle.
    pub(super) order: u64,
    /// Bits of the old value that stay.
    pub(super) keep: u64,
    /// Bits that are set.
    pub(super) put: u64,
    /// Some reader sees it before it lands (loads: `psprmsgn`; `mtc`: `mfc`).
    pub(super) bypass: bool,
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
        let key = (write.lands, write.order);
        let at = self.writes.partition_point(|w| (w.lands, w.order) < key);
        self.writes.insert(at, write);
    }

    /// The value as it is at the start of a cycle.
    pub(super) fn start_of(&self, cycle: i64) -> u64 {
        self.after(&self.writes[..self.landed_before(cycle)])
    }

    /// The value at the start of a cycle, with what a bypass hands over within that cycle.
    pub(super) fn start_of_with_bypass(&self, cycle: i64) -> u64 {
        let landing = &self.writes[self.landed_before(cycle)..self.landed_before(cycle + 1)];
        match landing.iter().rfind(|w| w.bypass) {
            Some(w) => self.start_of(cycle) & w.keep | w.put,
            None => self.start_of(cycle),
        }
    }

    /// The youngest write with a bypass that has not landed at the start of a cycle.
    pub(super) fn youngest_under_way(&self, cycle: i64) -> Option<u64> {
        let pending = &self.writes[self.landed_before(cycle)..];
        pending.iter().filter(|w| w.bypass).max_by_key(|w| w.order).map(|w| w.put)
    }

    /// Whether something is still to land at the start of a cycle.
    pub(super) fn is_pending(&self, cycle: i64) -> bool {
        self.landed_before(cycle) < self.writes.len()
    }

    /// The value when everything has landed.
    pub(super) fn settled(&self) -> u64 {
        self.after(&self.writes)
    }

    /// Writes that landed in the cycle of another write.
    pub(super) fn collisions(&self) -> u64 {
        self.writes.windows(2).filter(|pair| pair[0].lands == pair[1].lands).count() as u64
    }

    fn landed_before(&self, cycle: i64) -> usize {
        self.writes.partition_point(|w| w.lands < cycle)
    }

    fn after(&self, writes: &[Write]) -> u64 {
        let whole = writes.iter().rposition(|w| w.keep == 0).unwrap_or(0);
        writes[whole..].iter().fold(self.initial, |value, w| value & w.keep | w.put)
    }
}
