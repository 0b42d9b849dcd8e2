//! A procedure as the estimation method sees it: loops whose iterations load, compute and store over a shared
//! channel, and what of that overlaps. What it takes, nothing is worked out here but times of single parts.

/// What a part of an iteration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Data go to the coprocessors.
    Load,
    /// The coprocessors compute.
    Kernel,
    /// Results go to memory.
    Store,
    /// Processors exchange data over their links.
    Exchange,
}

impl What {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Kernel => "kernel",
            Self::Store => "store",
            Self::Exchange => "exchange",
        }
    }
}

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it does.
    pub what: What,
    /// Of what, in words.
    pub name: String,
    /// Bytes, or operations of a kernel; those of all coprocessors.
    pub amount: f64,
    /// MB/s, or 10^6 operations per second of all coprocessors.
    pub rate: f64,
    /// Whether parts of the other kind go on meanwhile.
    pub overlaps: bool,
}

impl Part {
    /// A part beside which others go on.
    pub fn beside(what: What, name: impl Into<String>, amount: f64, rate: f64) -> Self {
        Self { what, name: name.into(), amount, rate, overlaps: true }
    }

    /// A part for which everything else waits.
    pub fn alone(self) -> Self {
        Self { overlaps: false, ..self }
    }

    /// Its time in microseconds.
    pub fn us(&self) -> f64 {
        self.amount / self.rate
    }

    /// Whether it computes.
    pub fn is_kernel(&self) -> bool {
        self.what == What::Kernel
    }
}

/// Perf_kern: the rate of a kernel on one coprocessor.
#[derive(Clone, Debug, PartialEq)]
pub struct Perf {
    /// The kernel.
    pub kernel: String,
    /// 10^6 operations per second.
    pub mops: f64,
    /// Where it comes from.
    pub origin: String,
}

/// The two sides whose comparison tells what limits a loop: the channel if the left is smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// The formula.
    pub formula: String,
    /// Its left side.
    pub left: f64,
    /// Its right side.
    pub right: f64,
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// What it goes through.
    pub name: String,
    /// How often.
    pub iterations: f64,
    /// The parts of an iteration.
    pub parts: Vec<Part>,
    /// The rate of its kernel.
    pub perf: Perf,
    /// What tells its limit.
    pub sides: Option<Sides>,
}

impl Loop {
    fn sum(&self, of: impl Fn(&Part) -> bool) -> f64 {
        self.parts.iter().filter(|part| of(part)).map(Part::us).sum()
    }

    /// Microseconds of an iteration in which the coprocessors compute.
    pub fn kernel_us(&self) -> f64 {
        self.sum(Part::is_kernel)
    }

    /// Microseconds of an iteration in which data are moved.
    pub fn transfer_us(&self) -> f64 {
        self.sum(|part| !part.is_kernel())
    }

    /// Microseconds of an iteration: the larger of what overlaps, and the rest.
    pub fn iteration_us(&self) -> f64 {
        let kernel = self.sum(|part| part.is_kernel() && part.overlaps);
        let transfer = self.sum(|part| !part.is_kernel() && part.overlaps);
        kernel.max(transfer) + self.sum(|part| !part.overlaps)
    }

    /// Microseconds of all iterations.
    pub fn us(&self) -> f64 {
        self.iterations * self.iteration_us()
    }

    /// Whether moving data takes longer than computing.
    pub fn is_channel_bound(&self) -> bool {
        self.transfer_us() > self.kernel_us()
    }

    /// Bytes of an iteration over the shared channel.
    pub fn channel_bytes(&self) -> f64 {
        let moved = |part: &&Part| matches!(part.what, What::Load | What::Store);
        self.parts.iter().filter(moved).map(|part| part.amount).sum()
    }

    /// MB/s of the shared channel at which its transfers take as long as its kernels; none without both.
    pub fn balanced_bw(&self) -> Option<f64> {
        let (bytes, us) = (self.channel_bytes(), self.kernel_us());
        (bytes > 0.0 && us > 0.0).then(|| bytes / us)
    }
}

/// A value that an estimate gives beside its rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The formula, with its number in the source.
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

/// A procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its name.
    pub procedure: String,
    /// What it does, in a line.
    pub what: String,
    /// The base operation.
    pub base: String,
    /// Operations that are credited.
    pub operations: f64,
    /// How they are counted.
    pub counting: String,
    /// The loops, one after the other.
    pub loops: Vec<Loop>,
    /// Further values.
    pub quantities: Vec<Quantity>,
    /// What has to be known to read the result.
    pub notes: Vec<String>,
}
