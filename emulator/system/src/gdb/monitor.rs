//! Answers to gdb's `monitor`: what gdb itself has no command for.

use super::board;
use cp2_emu::dma::Register;
use cp2_emu::machine::Machine;
use cp2_k64::machine::Processor;
use std::fmt::Write as _;

const HELP: &str = "\
time: cycles and instructions of the processor
cp2: what CP2 does, its registers, the bundle that is next
dma: what the channel does, its registers
lmem SECTION ADDRESS [COUNT]: words of local memory, hexadecimal; ADDRESS and COUNT are decimal words
iram [ADDRESS [COUNT]]: bundles of instruction memory, from the next one on if no address is given";

/// The answer to a command.
pub(super) fn answer(command: &str, processor: &Processor) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let core = &processor.core;
    let Some(board) = board(processor) else { return "there is no CP2".to_owned() };
    let machine = board.machine();
    let number = |at: usize, other: usize| match words.get(at) {
        None => Ok(other),
        Some(word) => word.parse().map_err(|_| format!("{word} is no decimal number")),
    };
    let answer = match words.first().copied() {
        Some("time") => Ok(format!("cycle {}, {} instructions", core.cycle(), core.n_instructions)),
        Some("cp2") => Ok(cp2(machine, board.n_kernels())),
        Some("dma") => Ok(dma(machine)),
        Some("lmem") => number(1, 0)
            .and_then(|section| Ok(local_memory(machine, section, number(2, 0)?, number(3, 8)?))),
        Some("iram") => {
            let next = machine.cp2.state.pc.index();
            number(1, next).and_then(|at| Ok(instruction_memory(machine, at, number(2, 4)?)))
        }
        Some("help") => Ok(HELP.to_owned()),
        other => Err(format!("`{}` is no command of this monitor:\n{HELP}", other.unwrap_or(""))),
    };
    answer.unwrap_or_else(|error| error)
}

fn cp2(machine: &Machine, n_kernels: u64) -> String {
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

fn dma(machine: &Machine) -> String {
    let dma = &machine.dma;
    let does = match (dma.is_busy(), dma.is_waiting()) {
        (false, _) => "idle",
        (true, true) => "waits for start_dma",
        (true, false) => "busy",
    };
    let mut text = format!("{does}\n");
    for register in Register::ALL {
        let _ = writeln!(text, "{} {:x}", register.name(), dma.register(register));
    }
    text
}

fn local_memory(machine: &Machine, section: usize, at: usize, count: usize) -> String {
    let words = machine.cp2.state.lmem.iter().enumerate().skip(at).take(count);
    let lines = words.filter_map(|(k, quad)| Some(format!("{k} {:016x}", quad.get(section)?)));
    lines.collect::<Vec<_>>().join("\n")
}

fn instruction_memory(machine: &Machine, at: usize, count: usize) -> String {
    let words = machine.cp2.state.iram.iter().enumerate().skip(at).take(count);
    words.map(|(k, word)| format!("{k} {word:016x}")).collect::<Vec<_>>().join("\n")
}
