//! Plans: a procedure as the estimation method sees it, as loops whose iterations load, compute and store over a
//! channel that coprocessors share, and what of that overlaps. Only times of parts, iterations and loops are computed
//! here.

/// Kind of a part of an iteration of a loop in a [`Plan`]: a transfer of data, or computing. There are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Transfer of data over the shared channel from system memory to the coprocessors.
    Load,
    /// Computing on the coprocessors.
    Kernel,
    /// Transfer of results over the shared channel from the coprocessors to system memory.
    Store,
    /// Transfer of data between processors over the links between them, not over the channel.
    Exchange,
}

impl PartKind {
    /// Returns the name of the kind in reports, such as "load".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Kernel => "kernel",
            Self::Store => "store",
            Self::Exchange => "exchange",
        }
    }
}

/// Part of an iteration of a loop in a [`Plan`]: an amount of bytes to be moved or of operations to be done, at a rate,
/// from which its time follows.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPart {
    /// Kind of the part: load, kernel, store or exchange.
    pub what: PartKind,
    /// Description of the data that are moved, or of the work of the kernel, for people.
    pub name: String,
    /// Number of bytes that are moved, or of operations that a kernel does, for all coprocessors together.
    pub amount: f64,
    /// Rate of the part: MB/s (10^6 bytes per second), or 10^6 operations per second of all coprocessors together.
    pub rate: f64,
    /// Whether the part goes on at the same time as overlapping parts of the other kind: transfers beside kernels. If
    /// not, all other parts wait for it.
    pub overlaps: bool,
}

impl PlanPart {
    /// Creates a part of the kind `what` that overlaps with parts of the other kind (transfers beside kernels). `name`
    /// describes it for people; `amount` is in bytes, or in operations of a kernel; `rate` is in 10^6 of these per
    /// second.
    pub fn overlapped(what: PartKind, name: impl Into<String>, amount: f64, rate: f64) -> Self {
        Self { what, name: name.into(), amount, rate, overlaps: true }
    }

    /// Returns the part as one that overlaps with nothing: all other parts of the iteration wait for it.
    pub fn alone(self) -> Self {
        Self { overlaps: false, ..self }
    }

    /// Returns the time of the part in microseconds: amount over rate.
    pub fn us(&self) -> f64 {
        self.amount / self.rate
    }

    /// Whether the part computes; if not, it moves data.
    pub fn is_kernel(&self) -> bool {
        self.what == PartKind::Kernel
    }
}

/// Rate of a kernel on one coprocessor in 10^6 operations per second (Perf_kern in the dissertation `[D]`), and a text
/// that says where it comes from: published or own counts of cycles, the peak, or a number set by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Perf {
    /// Name of the kernel whose rate it is, for people.
    pub kernel: String,
    /// Rate of the kernel on one coprocessor, in 10^6 operations per second.
    pub mops: f64,
    /// Text that says where the rate comes from.
    pub origin: String,
}

/// Values of both sides of an inequality of the dissertation `[D]` that tells what limits a loop: the channel if the
/// left side is smaller, else computing.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// Text of the inequality, with "v" between its sides and with its number in the dissertation `[D]`.
    pub formula: String,
    /// Value of the left side of the formula.
    pub left: f64,
    /// Value of the right side of the formula.
    pub right: f64,
}

/// Loop of a procedure in a [`Plan`]: equal iterations, each with parts that load, compute, store and exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanLoop {
    /// Name of the loop for people: what it goes through, such as blocks of a grid.
    pub name: String,
    /// Number of iterations of the loop, in each of which all coprocessors work; as an estimate it need not be whole.
    pub iterations: f64,
    /// Parts of an iteration.
    pub parts: Vec<PlanPart>,
    /// Rate of the kernel of the loop on one coprocessor.
    pub perf: Perf,
    /// Inequality of the dissertation `[D]` that tells what limits the loop; `None` if `[D]` has none for it.
    pub sides: Option<Sides>,
}

impl PlanLoop {
    fn sum(&self, of: impl Fn(&PlanPart) -> bool) -> f64 {
        // The sum of no numbers is -0.
        0.0 + self.parts.iter().filter(|part| of(part)).map(PlanPart::us).sum::<f64>()
    }

    /// Returns the microseconds that the kernels of one iteration take.
    pub fn kernel_us(&self) -> f64 {
        self.sum(PlanPart::is_kernel)
    }

    /// Returns the microseconds that the transfers of one iteration take, loads, stores and exchanges together.
    pub fn transfer_us(&self) -> f64 {
        self.sum(|part| !part.is_kernel())
    }

    /// Returns the microseconds of one iteration: the larger of overlapping kernels and overlapping transfers, plus all
    /// parts that overlap with nothing.
    pub fn iteration_us(&self) -> f64 {
        let kernel = self.sum(|part| part.is_kernel() && part.overlaps);
        let transfer = self.sum(|part| !part.is_kernel() && part.overlaps);
        kernel.max(transfer) + self.sum(|part| !part.overlaps)
    }

    /// Returns the microseconds that the loop takes with all its iterations.
    pub fn us(&self) -> f64 {
        self.iterations * self.iteration_us()
    }

    /// Whether the transfers of an iteration, exchanges included, take longer than its kernels.
    pub fn is_channel_bound(&self) -> bool {
        self.transfer_us() > self.kernel_us()
    }

    /// Returns the bytes that one iteration moves over the shared channel: loads and stores, but no exchanges.
    pub fn channel_bytes(&self) -> f64 {
        let moved = |part: &&PlanPart| matches!(part.what, PartKind::Load | PartKind::Store);
        self.parts.iter().filter(moved).map(|part| part.amount).sum()
    }

    /// Returns the bandwidth of the shared channel, in MB/s, at which the transfers of an iteration take as long as its
    /// kernels; `None` if the loop does not both move data and compute.
    pub fn balanced_bw(&self) -> Option<f64> {
        let (bytes, us) = (self.channel_bytes(), self.kernel_us());
        (bytes > 0.0 && us > 0.0).then(|| bytes / us)
    }
}

/// Named value that an estimate gives, with its unit and formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name by which reports and [`Estimate::quantity`](crate::estimate::Estimate::quantity) know the value, such as
    /// `mops`.
    pub name: &'static str,
    /// The value itself, in the unit of the field `unit`.
    pub value: f64,
    /// Unit of the value; empty if it has none.
    pub unit: &'static str,
    /// Formula or description of the value, with the number of the formula in the dissertation `[D]`.
    pub formula: String,
}

impl Quantity {
    pub(crate) fn new(
        name: &'static str,
        value: f64,
        unit: &'static str,
        formula: impl Into<String>,
    ) -> Self {
        Self { name, value, unit, formula: formula.into() }
    }
}

/// Plan of a procedure for an estimate: the loops in which it goes over its data, with the bytes and operations of an
/// iteration of each, and the count of its operations.
/// [`EstimatedProcedure::plan`](crate::plans::EstimatedProcedure::plan) makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the procedure.
    pub procedure: String,
    /// Description of what the procedure does, with its sizes, in one line.
    pub what: String,
    /// Description of the base operation, of which the work of the procedure consists, such as a butterfly of an FFT,
    /// and of how many operations it counts as.
    pub base: String,
    /// Number of operations that count as the work of the whole procedure, from which its rate is computed.
    pub operations: f64,
    /// Text that says by which convention the operations are counted, such as "5 N log2 N".
    pub counting: String,
    /// Loops of the procedure, which run one after the other.
    pub loops: Vec<PlanLoop>,
    /// Further named values that are special to the procedure.
    pub quantities: Vec<Quantity>,
    /// Notes for people that are needed to read the estimate, such as what it leaves out.
    pub notes: Vec<String>,
}
