//! Runs a program on the engine and on the oracle and tells, if they differ, where it begins.

use super::random::generate::Program;
use super::{Ending, Verdict, run};
use cp2_emu::stats::Cause;
use cp2_emu::{Cp2, End, Fault, State, Stats};
use cp2_isa::{Arith, BundleAddress, Core, Exch, decode};
use std::fmt::{Debug, Write};

/// Bundles before the first difference that a report shows.
const SHOWN: u64 = 14;

/// Runs a program on a core of the engine; returns the results in the oracle's terms.
pub(crate) fn engine(
    core: &Core,
    state: &State,
    start: u16,
    limit: u64,
) -> (Ending, State, Stats, u64) {
    let mut cp2 = Cp2::new(*core);
    cp2.state = state.clone();
    let run = cp2.run_untraced(BundleAddress(start), limit);
    let ending = match run.end {
        End::Stopped(code) => Ending::Stopped(code),
        End::CycleLimit(_) | End::Interrupted => Ending::Limit,
        End::Fault(Fault { address, cycle, .. }) => {
            Ending::Fault(address.map_or(u32::MAX, |address| address.0.into()), cycle.0)
        }
    };
    let status = cp2.status();
    (ending, cp2.state, run.stats, status)
}

/// Compares the two paths; the error is a report for people.
pub(crate) fn compare(number: u64, program: &Program) -> Result<Verdict, String> {
    let (verdict, differences) = differences(program, program.limit);
    if differences.is_empty() { Ok(verdict) } else { Err(report(number, program)) }
}

fn differences(program: &Program, limit: u64) -> (Verdict, Vec<String>) {
    let core = &program.core;
    let oracle = run(core, &program.state, program.start, limit);
    let (ending, state, stats, status) = engine(core, &program.state, program.start, limit);
    let mut found = Found::default();
    found.value("end", &ending, &oracle.ending);
    found.hex("status", status, oracle.status);
    if state != oracle.state {
        found.state(&state, &oracle.state);
    }
    if stats != oracle.stats {
        found.stats(&stats, &oracle.stats);
    }
    (oracle, found.0)
}

/// Differences as text.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn value<T: PartialEq + Debug>(&mut self, what: &str, engine: &T, oracle: &T) {
        if engine != oracle {
            self.0.push(format!("{what}: engine {engine:x?}, oracle {oracle:x?}"));
        }
    }

    fn hex(&mut self, what: &str, engine: u64, oracle: u64) {
        if engine != oracle {
            self.0.push(format!("{what}: engine {engine:016x}, oracle {oracle:016x}"));
        }
    }

    /// Compares registers of one file, or counts of one kind.
    fn file<T: Copy + Into<u64>>(&mut self, what: &str, engine: &[T], oracle: &[T]) {
        for (k, (&engine, &oracle)) in engine.iter().zip(oracle).enumerate() {
            self.hex(&format!("{what}{k}"), engine.into(), oracle.into());
        }
    }

    fn state(&mut self, engine: &State, oracle: &State) {
        for (k, (engine, oracle)) in engine.fpr.iter().zip(oracle.fpr.iter()).enumerate() {
            self.file(&format!("f{k} of section "), engine, oracle);
        }
        for (k, (engine, oracle)) in engine.lmem.iter().zip(oracle.lmem.iter()).enumerate() {
            self.file(&format!("word {k} of section "), engine, oracle);
        }
        self.file("g", &engine.gpr, &oracle.gpr);
        self.file("a", &engine.a, &oracle.a);
        self.file("n", &engine.n, &oracle.n);
        self.file("m", &engine.m, &oracle.m);
        self.file("i", &engine.ireg, &oracle.ireg);
        self.file("fccr of section ", &engine.fccr, &oracle.fccr);
        self.file("fcsr of section ", &engine.fcsr, &oracle.fcsr);
        self.hex("comm", engine.comm, oracle.comm);
        self.hex("control", engine.control, oracle.control);
        self.hex("stored status", engine.status, oracle.status);
        self.hex("rind", engine.rind.into(), oracle.rind.into());
        self.hex("rstep", engine.rstep.into(), oracle.rstep.into());
        self.hex("rmask", engine.rmask.into(), oracle.rmask.into());
        self.hex("stopcode", engine.stopcode, oracle.stopcode);
        self.hex("pc", engine.pc.into(), oracle.pc.into());
        self.value("loops", &engine.loops, &oracle.loops);
        self.value("calls", &engine.calls, &oracle.calls);
        self.value("iram changed", &(engine.iram != oracle.iram), &false);
    }

    fn stats(&mut self, engine: &Stats, oracle: &Stats) {
        self.hex("cycles", engine.cycles, oracle.cycles);
        self.hex("drain", engine.drain, oracle.drain);
        for cause in Cause::ALL {
            let k = cause as usize;
            self.hex(cause.name(), engine.causes[k], oracle.causes[k]);
        }
        for op in Arith::ALL {
            let k = *op as usize;
            self.hex(op.row().name, engine.arithmetic[k], oracle.arithmetic[k]);
        }
        for op in Exch::ALL {
            let k = *op as usize;
            self.hex(op.row().name, engine.exchange[k], oracle.exchange[k]);
        }
        self.file("flops of section ", &engine.flops, &oracle.flops);
        self.file("collisions of section ", &engine.collisions, &oracle.collisions);
        self.file("accesses to bank ", &engine.bank_accesses, &oracle.bank_accesses);
    }
}

/// Returns the report of a difference: seed, first differing cycle, differences there, the way to it, and the program.
fn report(number: u64, program: &Program) -> String {
    let limit = (1..=program.limit).find(|&limit| !differences(program, limit).1.is_empty());
    let limit = limit.unwrap_or(program.limit);
    let cycle = limit - 1;
    let mut text = format!(
        "program {number}{}: engine and oracle differ after cycle {cycle}\n",
        if program.spoiled { " (spoiled)" } else { "" }
    );
    program.core.changes().iter().for_each(|change| text += &format!("  {change}\n"));
    for difference in differences(program, limit).1.iter().take(20) {
        let _ = writeln!(text, "  {difference}");
    }
    let _ = writeln!(text, "cycles before it (with the address that comes next):");
    for cycle in cycle.saturating_sub(SHOWN)..=cycle {
        let pc = run(&program.core, &program.state, program.start, cycle).state.pc;
        let _ = writeln!(text, "  {cycle:4}: {}", line(program, pc.0));
    }
    let _ = writeln!(text, "program, from {}:", program.start);
    for address in program.base..program.end {
        let _ = writeln!(text, "  {}", line(program, address));
    }
    text
}

fn line(program: &Program, address: u16) -> String {
    let Some(&word) = program.state.iram.get(usize::from(address)) else {
        return format!("{address:4} outside");
    };
    match decode(word, &program.core) {
        Ok(bundle) => format!("{address:4} {word:016x} {bundle}"),
        Err(reason) => format!("{address:4} {word:016x} undefined: {reason}"),
    }
}
