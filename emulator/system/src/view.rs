//! The text of what CP2, its pipelines, its memories and the channel do between two cycles.

use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::dma::DmaRegister;
use cp2_emu::machine::Machine;
use cp2_isa::{BundleBits, Halves, decode};
use std::fmt::Write as _;

pub(crate) fn cp2(machine: &Machine, n_kernels: u64) -> String {
    let cp2 = &machine.cp2;
    let (does, state) =
        (if cp2.is_running() { "a kernel runs" } else { "no kernel runs" }, &cp2.state);
    let mut text = format!(
        "{does}, {n_kernels} have ended; bundle {}, status {:x}, stop code {:x}\n",
        state.pc.0,
        cp2.status(),
        state.stopcode
    );
    for (i, value) in state.gpr.iter().enumerate() {
        let end = if i % 4 == 3 { '\n' } else { ' ' };
        let _ = write!(text, "g{i} {value:x}{end}");
    }
    text
}

fn dma_does(machine: &Machine) -> &'static str {
    match (machine.dma.is_busy(), machine.dma.is_waiting()) {
        (false, _) => "idle",
        (true, true) => "waits for start_dma",
        (true, false) => "busy",
    }
}

pub(crate) fn dma(machine: &Machine) -> String {
    let dma = &machine.dma;
    let mut text = format!("{}\n", dma_does(machine));
    for register in DmaRegister::ALL {
        let _ = writeln!(text, "{} {:x}", register.name(), dma.register(register));
    }
    text
}

pub(crate) fn local_memory(machine: &Machine, section: usize, at: usize, count: usize) -> String {
    let words = machine.cp2.state.lmem.iter().enumerate().skip(at).take(count);
    let lines = words.filter_map(|(k, quad)| Some(format!("{k} {:016x}", quad.get(section)?)));
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn instruction_memory(machine: &Machine, at: usize, count: usize) -> String {
    let words = machine.cp2.state.iram.iter().enumerate().skip(at).take(count);
    let core = machine.cp2.core();
    let line = |(k, word): (usize, &BundleBits)| match decode(*word, core) {
        Ok(bundle) => format!("{k} {word:016x} {bundle}"),
        Err(_) => format!("{k} {word:016x}"),
    };
    words.map(line).collect::<Vec<_>>().join("\n")
}

/// Describes the results that later bundles see: from which cycle on, in how many cycles that is, in which sections.
pub(crate) fn pipelines(machine: &Machine) -> String {
    let flight = machine.cp2.flight();
    let mut text = format!("cycle {}", flight.cycle.0);
    if flight.hold > 0 {
        let _ = write!(text, ", sync holds the issue for {} more", flight.hold);
    }
    if flight.landings.is_empty() {
        text.push_str(", nothing is under way");
    }
    for InFlight { visible, enabled, landing } in &flight.landings {
        let left = visible.0.saturating_sub(flight.cycle.0);
        let _ = write!(text, "\nin {left}, sections {enabled:04b}: {}", of_landing(landing));
    }
    text
}

fn of_landing(landing: &Landing) -> String {
    match landing {
        Landing::Fpr { reg, halves, value, from_load } => {
            let half = match (halves.contains(Halves::HI), halves.contains(Halves::LO)) {
                (true, false) => " hi",
                (false, true) => " lo",
                _ => "",
            };
            let from = if *from_load { "load" } else { "result" };
            let values: Vec<_> = value.iter().map(|word| format!("{word:016x}")).collect();
            format!("f{reg}{half} {} ({from})", values.join(" "))
        }
        Landing::Conditions { first, count, .. } => format!("{count} conditions from c{first} on"),
        Landing::Exceptions(_) => "exceptions of an operation".to_owned(),
        Landing::Creg { fccr: true, .. } => "FCCR by mtc".to_owned(),
        Landing::Creg { .. } => "FCSR by mtc".to_owned(),
        Landing::StatusFlags(_) => "exceptions in STATUS".to_owned(),
        Landing::Mailbox { .. } => "mailbox bits of STATUS".to_owned(),
    }
}

/// Describes the latest cycle: the banks of local memory that CP2 accessed, the cause of the cycle, and the channel.
pub(crate) fn banks(machine: &Machine) -> String {
    let cp2 = &machine.cp2;
    let banks: Vec<_> = cp2.accessed_banks().iter().map(|bank| bank.to_string()).collect();
    let used = if banks.is_empty() { "no bank".to_owned() } else { banks.join(", ") };
    let cause = cp2.cause().map_or("no kernel ran", |cause| cause.description());
    let stats = cp2.stats();
    let of_run: Vec<_> = stats.bank_accesses.iter().map(u64::to_string).collect();
    format!(
        "latest cycle: CP2 accessed {used}; {cause}\ncycles of this kernel with an access, by bank: {}\n\
         the channel {}",
        of_run.join(" "),
        dma_does(machine)
    )
}
