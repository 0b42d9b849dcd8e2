//! Events of a run by source line: operations, accesses, bundles, each counted for one line. They are what energies are computed from.

use crate::accounting::AccountError;
use crate::attribution::SourceLineId;
use crate::program::{NamedProgram, ProgramInCycles};
use cp2_emu::profile::BundleCost;
use cp2_ir::sites::short;
use cp2_isa::{BundleAddress, Exch, SECTIONS, Slot, Unit};
use cp2_recording::{Counts, Recording};
use std::collections::BTreeMap;

/// Events of kernels that cost energy: of a run, or of one source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelEvents {
    /// Floating-point operations in the enabled sections, all sections together.
    pub flops: u64,
    /// Operations that issued in either slot, whatever their predicates; those of all sections are one.
    pub operations: u64,
    /// Words of local memory that loads and stores accessed, all sections together, whatever their predicates.
    pub local_words: u64,
    /// Words of shared memory that loads and stores accessed.
    pub shared_words: u64,
    /// Bundles that issued.
    pub bundles: u64,
}

/// Returns the words of local and of shared memory that an operation accesses.
fn words_of(op: Exch) -> [u64; 2] {
    let (row, all) = (op.row(), SECTIONS as u64);
    match op {
        _ if !matches!(row.unit, Unit::Load | Unit::Store) => [0, 0],
        Exch::Lqi | Exch::Lqo | Exch::Sqi | Exch::Sqo => [0, all],
        Exch::Lqbi | Exch::Lqbo | Exch::Sqsi | Exch::Sqso => [0, 1],
        _ => [u64::from(row.words()) * all, 0],
    }
}

impl KernelEvents {
    /// Returns the events of a run from its counts.
    pub fn of(counts: &Counts) -> Self {
        let words = counts.exchange.iter();
        let words = words
            .filter_map(|&(n, count)| Some((words_of(*Exch::ALL.get(usize::from(n))?), count)));
        let words = words.fold([0, 0], |[local, shared], (words, count)| {
            [local + words[0] * count, shared + words[1] * count]
        });
        Self {
            flops: counts.total_flops(),
            operations: counts.operations().map(|(_, count)| count).sum(),
            local_words: words[0],
            shared_words: words[1],
            bundles: counts.arithmetic.iter().map(|(_, count)| count).sum(),
        }
    }

    /// Adds other events to these.
    pub fn add(&mut self, other: &Self) {
        self.flops += other.flops;
        self.operations += other.operations;
        self.local_words += other.local_words;
        self.shared_words += other.shared_words;
        self.bundles += other.bundles;
    }
}

/// Events of one source line in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEvents {
    /// Name of the source file; `None` for bundles without a line.
    pub file: Option<String>,
    /// Number of the line in its file, from 1; 0 for bundles without a line.
    pub line: u32,
    /// Events that count for the line.
    pub events: KernelEvents,
}

impl LineEvents {
    /// Returns the line as text, such as `fir.s:12`.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("{}:{}", short(file), self.line),
            None => "(no line)".to_owned(),
        }
    }
}

/// Events of a run by source line, and those of the run.
#[derive(Clone, Debug)]
pub struct EventsByLine {
    /// Source lines with events, in the order of files and lines; bundles without a line come first.
    pub lines: Vec<LineEvents>,
    /// Counts of the run: the events of its lines together are those of its kernels.
    pub counts: Counts,
    /// Cycles of the run, those without a kernel among them.
    pub cycles: u64,
}

/// Adds the events of a bundle to those of its lines: each operation and what it does to the line of the operation, and the bundle
/// itself to the one line that pays for it.
fn add_bundle(
    program: &NamedProgram<'_>,
    (address, cost): (BundleAddress, &BundleCost),
    add: &mut dyn FnMut(Option<SourceLineId>, KernelEvents),
) {
    for (line, paid) in program.attribution.cost_by_line(address, cost) {
        let (flops, operations) = (paid.cost.flops, paid.issues);
        add(line, KernelEvents { flops, operations, ..KernelEvents::default() });
    }
    let bundles: u64 = cost.causes[..4].iter().sum();
    let payer = program.attribution.payer(address);
    add(payer, KernelEvents { bundles, ..KernelEvents::default() });
    let words = program.bundle(address).map_or([0, 0], |bundle| words_of(bundle.exch.op));
    let [local_words, shared_words] = words.map(|words| bundles * words);
    let exchange = program.attribution.line_of(address, Slot::Exchange);
    add(exchange, KernelEvents { local_words, shared_words, ..KernelEvents::default() });
}

impl EventsByLine {
    /// Counts the events of a recording by line, by running its cycles once. `programs` are those that took turns in instruction memory,
    /// each with the cycles in which it was there.
    ///
    /// # Errors
    /// The recording is damaged, or the events of the lines are not those of the run.
    pub fn of(
        recording: &mut Recording,
        programs: &[ProgramInCycles<'_>],
    ) -> Result<Self, AccountError> {
        let ranges: Vec<_> = programs.iter().map(|(_, ranges)| &ranges[..]).collect();
        let profiles = recording.profiles(&ranges)?;
        let mut lines: BTreeMap<(Option<&str>, u32), KernelEvents> = BTreeMap::new();
        for ((program, _), profile) in programs.iter().zip(&profiles) {
            let mut add = |line: Option<SourceLineId>, events: KernelEvents| {
                let file = line.and_then(|(file, _)| program.image.files.get(file as usize));
                let number = line.filter(|_| file.is_some()).map_or(0, |(_, number)| number);
                lines.entry((file.map(String::as_str), number)).or_default().add(&events);
            };
            let all = (0..).map(BundleAddress).zip(profile.bundles());
            for (address, cost) in all.filter(|(_, cost)| cost.cycles() > 0) {
                add_bundle(program, (address, cost), &mut add);
            }
        }
        let lines = lines.into_iter().filter(|(_, events)| *events != KernelEvents::default());
        let line = |((file, line), events): ((Option<&str>, u32), KernelEvents)| LineEvents {
            file: file.map(str::to_owned),
            line,
            events,
        };
        let range = recording.cycles();
        let cycles = *range.end() - *range.start();
        let counts = recording.summary()?.total();
        let all = Self { lines: lines.map(line).collect(), counts, cycles };
        all.check()?;
        Ok(all)
    }

    /// Returns the events of all lines together.
    pub fn total(&self) -> KernelEvents {
        let mut total = KernelEvents::default();
        self.lines.iter().for_each(|line| total.add(&line.events));
        total
    }

    fn check(&self) -> Result<(), AccountError> {
        let (lines, run) = (self.total(), KernelEvents::of(&self.counts));
        match lines == run {
            true => Ok(()),
            false => Err(AccountError::Sums(format!(
                "the lines have {lines:?}, the run has {run:?}; this is a bug of cp2"
            ))),
        }
    }
}
