//! What the random programs have reached, so that the comparison cannot become empty unnoticed.

use super::random::cores::KNOWN;
use super::random::generate::Program;
use super::{Ending, Meaningless, Met, Rule, Verdict};
use cp2_emu::Stats;
use cp2_emu::stats::Cause;
use cp2_isa::{Arith, Core, Exch, Extensions};
use std::collections::BTreeMap;

/// Sums over the programs compared.
#[derive(Default)]
pub(crate) struct Coverage {
    pub(crate) programs: u64,
    pub(crate) stopped: u64,
    pub(crate) limited: u64,
    pub(crate) faults: u64,
    /// Errors by what was wrong.
    pub(crate) reasons: BTreeMap<Meaningless, u64>,
    /// Programs with write collisions.
    pub(crate) collisions: u64,
    pub(crate) bank_accesses: [u64; 8],
    /// Programs on cores other than CP2, and those of them that came to their stop.
    pub(crate) other_cores: [u64; 2],
    pub(crate) flops: u64,
    pub(crate) stats: Stats,
    pub(crate) met: Met,
    /// Bits of STATUS that some program had set at its end and not at its start.
    pub(crate) status: u64,
}

impl Coverage {
    /// Adds a program.
    pub(crate) fn add(&mut self, program: &Program, verdict: &Verdict) {
        self.programs += 1;
        let status = program.state.status;
        if program.core != Core::CP2 {
            self.other_cores[0] += 1;
            self.other_cores[1] += u64::from(matches!(verdict.ending, Ending::Stopped(_)));
        }
        match verdict.ending {
            Ending::Stopped(_) => self.stopped += 1,
            Ending::Limit => self.limited += 1,
            Ending::Fault(..) => self.faults += 1,
        }
        if let Some(reason) = verdict.reason {
            *self.reasons.entry(reason).or_default() += 1;
        }
        let stats = &verdict.stats;
        self.collisions += u64::from(stats.collisions.iter().any(|&n| n > 0));
        self.flops += stats.flops.iter().sum::<u64>();
        add(&mut self.bank_accesses, &stats.bank_accesses);
        add(&mut self.stats.causes, &stats.causes);
        add(&mut self.stats.arithmetic, &stats.arithmetic);
        add(&mut self.stats.exchange, &stats.exchange);
        self.stats.cycles += stats.cycles;
        self.status |= verdict.status & !status;
        self.met.add(&verdict.met);
    }

    /// Adds what another thread has reached.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.stopped += other.stopped;
        self.limited += other.limited;
        self.faults += other.faults;
        for (&reason, n) in &other.reasons {
            *self.reasons.entry(reason).or_default() += n;
        }
        self.collisions += other.collisions;
        self.flops += other.flops;
        add(&mut self.other_cores, &other.other_cores);
        add(&mut self.bank_accesses, &other.bank_accesses);
        add(&mut self.stats.causes, &other.stats.causes);
        add(&mut self.stats.arithmetic, &other.stats.arithmetic);
        add(&mut self.stats.exchange, &other.stats.exchange);
        self.stats.cycles += other.stats.cycles;
        self.status |= other.status;
        self.met.add(&other.met);
    }

    /// Names what the programs should have reached and did not.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut need = |reached: bool, what: &str| {
            if !reached {
                gaps.push(what.to_owned());
            }
        };
        for (op, &n) in Arith::ALL.iter().zip(&self.stats.arithmetic) {
            need(n >= 100, op.row().name);
        }
        for (op, &n) in Exch::ALL.iter().zip(&self.stats.exchange) {
            // A kernel that runs `run` or `runi` ends with an error before it issues.
            let own = [
                Extensions::SECTION_ADDRESSING,
                Extensions::SECTION_COUNTERS,
                Extensions::SHARED_MEMORY,
            ];
            let known = KNOWN.into_iter().chain(own);
            let is_known = known.collect::<Extensions>().contains(op.row().extension);
            need(n >= 100 || !is_known || matches!(op, Exch::Run | Exch::Runi), op.row().name);
        }
        for cause in Cause::ALL {
            need(self.stats.causes[cause as usize] >= 1000, cause.name());
        }
        for &rule in Rule::ALL {
            need(self.met.count(rule) >= 100, rule.text());
        }
        for (op, &[inside, outside]) in Arith::ALL.iter().zip(&self.met.functions) {
            let is_function = matches!(op.row().code, 0x70..=0x7b);
            need(!is_function || inside >= 100 && outside >= 100, op.row().doc);
        }
        for (n, what) in [
            (self.collisions, "write collisions"),
            (self.bank_accesses[0], "accesses to bank 0"),
            (self.bank_accesses[1], "accesses to bank 1"),
            (self.flops, "flops"),
        ] {
            need(n >= 100, what);
        }
        for reason in Meaningless::ALL {
            need(self.reasons.get(&reason).is_some_and(|&n| n >= 3), reason.name());
        }
        need(self.stopped * 10 >= self.programs * 8, "8 of 10 programs that stop");
        let [others, stopped] = self.other_cores;
        need(others * 3 >= self.programs, "a third of the programs on other cores");
        need(stopped * 10 >= others * 7, "7 of 10 programs on other cores that stop");
        need(self.limited > 0, "programs cut off by the limit");
        need(self.status & 0x07bf_0008 == 0x07bf_0008, "every sticky bit of STATUS");
        gaps
    }
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bundles: u64 = self.stats.causes[..4].iter().sum();
        writeln!(
            f,
            "{} programs: {} stopped, {} cut off, {} errors; {} cycles, {bundles} bundles",
            self.programs, self.stopped, self.limited, self.faults, self.stats.cycles
        )?;
        let [others, stopped] = self.other_cores;
        writeln!(f, "on other cores than CP2: {others}, {stopped} of them stopped")?;
        writeln!(f, "errors: {:?}", self.reasons)?;
        writeln!(f, "programs with collisions: {}", self.collisions)?;
        write!(f, "{}", self.met)
    }
}
