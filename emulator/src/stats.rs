//! Counts of a run of a kernel. Every cycle has exactly one cause, and engines assert that the sums agree.

use cp2_isa::{Arith, Bundle, Core, Exch, SECTIONS};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Cause of a cycle in which a kernel ran: which slots of the issued bundle (arithmetic, exchange) had an operation, or
/// why no bundle issued. Every cycle has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cause {
    /// A bundle with operations in both slots issued.
    Both,
    /// A bundle with an operation in the arithmetic slot only issued.
    Arithmetic,
    /// A bundle with an operation in the exchange slot only issued.
    Exchange,
    /// A bundle without any operation issued.
    Empty,
    /// A bundle was skipped, because it follows the `do` of a hardware loop with count 0.
    Nullified,
    /// No bundle issued, because an earlier `sync` held the issue.
    SyncHold,
}

impl Cause {
    /// All causes, in the order in which [`Stats::causes`] counts them.
    pub const ALL: [Self; 6] = [
        Self::Both,
        Self::Arithmetic,
        Self::Exchange,
        Self::Empty,
        Self::Nullified,
        Self::SyncHold,
    ];

    /// Returns the key of the cause in reports, such as `both_slots`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both_slots",
            Self::Arithmetic => "arithmetic_only",
            Self::Exchange => "exchange_only",
            Self::Empty => "empty",
            Self::Nullified => "nullified",
            Self::SyncHold => "sync_hold",
        }
    }

    /// Returns a description of the cause for reports, less than a line long.
    pub fn description(self) -> &'static str {
        match self {
            Self::Both => "bundles with an operation in both slots",
            Self::Arithmetic => "bundles with an arithmetic operation only",
            Self::Exchange => "bundles with an exchange operation only",
            Self::Empty => "empty bundles",
            Self::Nullified => "bundles nullified by a loop with count 0",
            Self::SyncHold => "cycles in which sync held the issue",
        }
    }

    /// Returns the cause of a cycle in which this bundle issued: one of the first four, by the slots that have an
    /// operation.
    pub fn of_bundle(bundle: &Bundle) -> Self {
        match (bundle.arith.op == Arith::Nop, bundle.exch.op == Exch::Nop) {
            (false, false) => Self::Both,
            (false, true) => Self::Arithmetic,
            (true, false) => Self::Exchange,
            (true, true) => Self::Empty,
        }
    }
}

/// Counts of one run of a kernel: its cycles by cause, its operations, and its accesses to local memory. Every engine
/// keeps them, in the [`Cp2`](crate::Cp2) that it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Cycles from the first issued bundle to the last, both included; cycles in which the issue was held are counted.
    pub cycles: u64,
    /// Cycles after the last bundle until the results of all operations had landed; not part of `cycles`.
    pub drain: u64,
    /// Cycles by cause, in the order of [`Cause::ALL`].
    pub causes: [u64; 6],
    /// Arithmetic operations issued, enabled or not, by their position in [`Arith::ALL`].
    #[serde(with = "crate::array")]
    pub arithmetic: [u64; Arith::ALL.len()],
    /// Exchange operations issued, enabled or not, by their position in [`Exch::ALL`].
    #[serde(with = "crate::array")]
    pub exchange: [u64; Exch::ALL.len()],
    /// Floating-point operations that each section executed; those of sections that a predicate disabled are not
    /// counted.
    pub flops: [u64; SECTIONS],
    /// Results that landed, in each section, in a half of an FPR into which another result landed in the same cycle.
    pub collisions: [u64; SECTIONS],
    /// Cycles in which the kernel accessed local memory, for each bank.
    pub bank_accesses: Vec<u64>,
}

impl Default for Stats {
    fn default() -> Self {
        Self::new(&Core::CP2)
    }
}

impl Stats {
    /// Returns counts that are all 0, with one entry of `bank_accesses` for each bank of the core.
    pub fn new(core: &Core) -> Self {
        Self {
            cycles: 0,
            drain: 0,
            causes: [0; 6],
            arithmetic: [0; Arith::ALL.len()],
            exchange: [0; Exch::ALL.len()],
            flops: [0; SECTIONS],
            collisions: [0; SECTIONS],
            bank_accesses: vec![0; core.banks()],
        }
    }

    /// Sets all counts to 0.
    pub fn reset(&mut self) {
        let Self { cycles, drain, causes, arithmetic, exchange, flops, collisions, bank_accesses } =
            self;
        (*cycles, *drain) = (0, 0);
        for counters in [&mut causes[..], arithmetic, exchange, flops, collisions, bank_accesses] {
            counters.fill(0);
        }
    }

    /// Counts one cycle with this cause.
    pub fn count_cycle(&mut self, cause: Cause) {
        self.cycles += 1;
        self.causes[cause as usize] += 1;
    }

    /// Counts the cycle and both operations of a bundle that issued, each once whatever its predicate, and returns the
    /// cause of the cycle. `enabled` has one bit for each section, section 0 the lowest: the sections in which the
    /// arithmetic operation executes. Only in these its floating-point operations are counted.
    pub fn count_bundle(&mut self, bundle: &Bundle, enabled: u8) -> Cause {
        let cause = Cause::of_bundle(bundle);
        self.count_cycle(cause);
        self.arithmetic[bundle.arith.op as usize] += 1;
        self.exchange[bundle.exch.op as usize] += 1;
        let flops = u64::from(bundle.arith.op.row().flops);
        for (s, total) in self.flops.iter_mut().enumerate() {
            *total += if enabled >> s & 1 == 1 { flops } else { 0 };
        }
        cause
    }

    /// Returns whether the cycles by cause add up to all cycles. If they do not, the engine that counted has an error.
    pub fn is_complete(&self) -> bool {
        self.causes.iter().sum::<u64>() == self.cycles
    }

    /// Returns the number of floating-point operations of all sections together.
    pub fn total_flops(&self) -> u64 {
        self.flops.iter().sum()
    }

    /// Returns the number of bundles that issued in the run, empty ones included; nullified ones are not counted.
    pub fn bundles(&self) -> u64 {
        self.causes[..4].iter().sum()
    }

    /// Returns the counts as a JSON object of the schema `cp2-stats-1`, in which every value has its unit and a
    /// description. Operations that were never issued are left out.
    pub fn to_json(&self) -> Value {
        let item = |value: Value, unit: &str, description: &str| json!({ "value": value, "unit": unit, "description": description });
        let causes: Map<_, _> = Cause::ALL
            .iter()
            .map(|c| {
                let value = self.causes[*c as usize].into();
                (c.name().to_owned(), item(value, "cycles", c.description()))
            })
            .collect();
        json!({
            "schema": "cp2-stats-1",
            "cycles": item(self.cycles.into(), "cycles", "from the first issued bundle to the last, holds included"),
            "drain": item(self.drain.into(), "cycles", "after the last bundle until everything had landed"),
            "causes": causes,
            "operations": item(self.operations().collect::<Map<_, _>>().into(), "operations", "issued, whatever the predicates"),
            "flops": item(json!(self.flops), "floating-point operations", "of enabled sections, per section"),
            "collisions": item(json!(self.collisions), "writes", "landed on a register in the cycle of another write, per section"),
            "bank_accesses": item(json!(self.bank_accesses), "cycles", "in which the kernel accessed each bank of local memory"),
        })
    }

    fn operations(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        let arithmetic = Arith::ALL.iter().filter(|&&op| op != Arith::Nop);
        let arithmetic = arithmetic.map(|op| (op.row().name, self.arithmetic[*op as usize]));
        let exchange = Exch::ALL.iter().filter(|&&op| op != Exch::Nop);
        let exchange = exchange.map(|op| (op.row().name, self.exchange[*op as usize]));
        arithmetic
            .chain(exchange)
            .filter(|&(_, count)| count > 0)
            .map(|(name, count)| (name.to_owned(), count.into()))
    }
}
