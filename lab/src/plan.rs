//! A procedure as the estimation method sees it: loops whose iterations load, compute and store over a shared
//! channel, and what of that overlaps. Only times of parts, iterations and loops are worked out here.

/// Kind of a part of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Data go to the coprocessors.
    Load,
    /// The coprocessors compute.
    Kernel,
    /// Results go to memory.
    Store,
    /// Processors exchange data over their links.
    Exchange,
}

impl PartKind {
    /// Returns the name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Kernel => "kernel",
            Self::Store => "store",
            Self::Exchange => "exchange",
        }
    }
}

/// Part of an iteration of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPart {
    /// Kind of the part.
    pub what: PartKind,
    /// Description of the data or the work of the part.
    pub name: String,
    /// Bytes that the part moves, or operations of a kernel; those of all coprocessors.
    pub amount: f64,
    /// Rate of the part: MB/s, or 10^6 operations per second of all coprocessors.
    pub rate: f64,
    /// Whether parts of the other kind go on meanwhile.
    pub overlaps: bool,
}

impl PlanPart {
    /// Creates a part beside which others go on.
    pub fn overlapped(what: PartKind, name: impl Into<String>, amount: f64, rate: f64) -> Self {
        Self { what, name: name.into(), amount, rate, overlaps: true }
    }

    /// Sets that everything else waits for the part.
    pub fn alone(self) -> Self {
        Self { overlaps: false, ..self }
    }

    /// Returns the time of the part in microseconds.
    pub fn us(&self) -> f64 {
        self.amount / self.rate
    }

    /// Whether the part computes.
    pub fn is_kernel(&self) -> bool {
        self.what == PartKind::Kernel
    }
}

/// Perf_kern: the rate of a kernel on one coprocessor.
#[derive(Clone, Debug, PartialEq)]
pub struct Perf {
    /// Name of the kernel.
    pub kernel: String,
    /// Rate of the kernel, 10^6 operations per second.
    pub mops: f64,
    /// Text that says where the rate comes from.
    pub origin: String,
}

/// Two sides whose comparison tells what limits a loop: the channel if the left is smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// Formula of both sides, with its number in the source.
    pub formula: String,
    /// Value of the left side of the formula.
    pub left: f64,
    /// Value of the right side of the formula.
    pub right: f64,
}

/// Loop of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanLoop {
    /// Name of the loop: what it goes through.
    pub name: String,
    /// Number of iterations.
    pub iterations: f64,
    /// Parts of an iteration.
    pub parts: Vec<PlanPart>,
    /// Rate of the kernel of the loop.
    pub perf: Perf,
    /// Sides of the formula that tells what limits the loop, if there is one.
    pub sides: Option<Sides>,
}

impl PlanLoop {
    fn sum(&self, of: impl Fn(&PlanPart) -> bool) -> f64 {
        self.parts.iter().filter(|part| of(part)).map(PlanPart::us).sum()
    }

    /// Returns the microseconds of an iteration in which the coprocessors compute.
    pub fn kernel_us(&self) -> f64 {
        self.sum(PlanPart::is_kernel)
    }

    /// Returns the microseconds of an iteration in which data are moved.
    pub fn transfer_us(&self) -> f64 {
        self.sum(|part| !part.is_kernel())
    }

    /// Returns the microseconds of an iteration: the larger of what overlaps, and the rest.
    pub fn iteration_us(&self) -> f64 {
        let kernel = self.sum(|part| part.is_kernel() && part.overlaps);
        let transfer = self.sum(|part| !part.is_kernel() && part.overlaps);
        kernel.max(transfer) + self.sum(|part| !part.overlaps)
    }

    /// Returns the microseconds of all iterations.
    pub fn us(&self) -> f64 {
        self.iterations * self.iteration_us()
    }

    /// Whether moving data takes longer than computing in an iteration.
    pub fn is_channel_bound(&self) -> bool {
        self.transfer_us() > self.kernel_us()
    }

    /// Returns the bytes of an iteration over the shared channel.
    pub fn channel_bytes(&self) -> f64 {
        let moved = |part: &&PlanPart| matches!(part.what, PartKind::Load | PartKind::Store);
        self.parts.iter().filter(moved).map(|part| part.amount).sum()
    }

    /// Returns the MB/s of the shared channel at which the transfers of the loop take as long as its kernels; none without
    /// both.
    pub fn balanced_bw(&self) -> Option<f64> {
        let (bytes, us) = (self.channel_bytes(), self.kernel_us());
        (bytes > 0.0 && us > 0.0).then(|| bytes / us)
    }
}

/// Named value that an estimate gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name of the value.
    pub name: &'static str,
    /// Value, in its unit.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
    /// Formula of the value, with its number in the source.
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

/// Plan of a procedure: its loops, and how its operations are counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the procedure.
    pub procedure: String,
    /// Description of what the procedure does, in a line.
    pub what: String,
    /// Base operation of the procedure.
    pub base: String,
    /// Operations that are credited to the procedure.
    pub operations: f64,
    /// Text that says how the operations are counted.
    pub counting: String,
    /// Loops of the procedure, one after the other.
    pub loops: Vec<PlanLoop>,
    /// Further values that the plan gives.
    pub quantities: Vec<Quantity>,
    /// Notes that are needed to read the result.
    pub notes: Vec<String>,
}
