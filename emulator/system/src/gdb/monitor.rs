//! Answers to gdb's `monitor`: commands that gdb itself lacks.

use super::code::Code;
use crate::{Board, view};
use cp2_k64::machine::Processor;

const HELP: &str = "\
time: cycles and instructions of the processor
cp2: state of CP2, its registers, the next bundle
pipelines: results of CP2 that are under way, and when they are visible
banks: what used which bank of local memory in the latest cycle
dma: state of the channel, its registers
lmem SECTION ADDRESS [COUNT]: words of local memory, hexadecimal; ADDRESS and COUNT are decimal words
iram [ADDRESS [COUNT]]: bundles of instruction memory, from the next one on if ADDRESS is absent
source FILE [ADDRESS]: read a program of CP2, assembly or object, for its lines; ADDRESS: of its first bundle
break PLACE: stop before CP2 executes the bundle at FILE:LINE or *ADDRESS
next: stop before the next bundle of CP2
breakpoints: list the breakpoints of CP2
delete [PLACE]: delete the breakpoint at PLACE, or all";

/// Returns the answer to a command.
pub(super) fn answer(command: &str, processor: &mut Processor, code: &mut Code<'_>) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (&name, arguments) = words.split_first().unwrap_or((&"", &[]));
    let changed = match name {
        "source" => Some(source(code, arguments)),
        "break" | "next" | "breakpoints" | "delete" => {
            Some(breakpoints(processor, code, name, arguments))
        }
        _ => None,
    };
    changed.unwrap_or_else(|| shown(processor, code, name, arguments)).unwrap_or_else(|error| error)
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a decimal number"))
}

/// Returns the answer to a command that only shows something.
fn shown(
    processor: &Processor,
    code: &Code<'_>,
    name: &str,
    arguments: &[&str],
) -> Result<String, String> {
    let core = &processor.core;
    let Some(board) = Board::of(processor) else { return Err("there is no CP2".to_owned()) };
    let machine = board.machine();
    let argument = |at: usize, other: usize| arguments.get(at).map_or(Ok(other), |w| number(w));
    Ok(match name {
        "time" => format!("cycle {}, {} instructions", core.cycle(), core.n_instructions),
        "cp2" => {
            let next = code.place(machine.cp2.state.pc);
            format!("{}\nnext: {next}", view::cp2(machine, board.n_kernels()).trim_end())
        }
        "pipelines" => view::pipelines(machine),
        "banks" => view::banks(machine),
        "dma" => view::dma(machine),
        "lmem" => {
            let section = argument(0, 0)?;
            view::local_memory(machine, section, argument(1, 0)?, argument(2, 8)?)
        }
        "iram" => {
            let next = machine.cp2.state.pc.index();
            view::instruction_memory(machine, argument(0, next)?, argument(1, 4)?)
        }
        "help" => HELP.to_owned(),
        other => return Err(format!("`{other}` is not a command of this monitor:\n{HELP}")),
    })
}

fn source(code: &mut Code<'_>, arguments: &[&str]) -> Result<String, String> {
    match arguments {
        [path] => code.source(path, None),
        [path, address] => code.source(path, Some(number(address)?)),
        _ => Err("write source FILE [ADDRESS]".to_owned()),
    }
}

fn breakpoints(
    processor: &mut Processor,
    code: &Code<'_>,
    name: &str,
    arguments: &[&str],
) -> Result<String, String> {
    let breakpoints = Board::of_mut(processor).ok_or("there is no CP2")?.breakpoints();
    match (name, arguments) {
        ("break", [place]) => {
            let address = code.find(place)?;
            breakpoints.add(address);
            Ok(format!("breakpoint at {}", code.place(address)))
        }
        ("next", []) => {
            breakpoints.stop_at_next();
            Ok("continue stops before the next bundle of CP2".to_owned())
        }
        ("breakpoints", []) => {
            let all: Vec<_> = breakpoints.addresses().map(|at| code.place(at)).collect();
            Ok(if all.is_empty() { "none".to_owned() } else { all.join("\n") })
        }
        ("delete", []) => {
            breakpoints.clear();
            Ok("all breakpoints deleted".to_owned())
        }
        ("delete", [place]) => {
            let address = code.find(place)?;
            match breakpoints.remove(address) {
                true => Ok(format!("breakpoint at {} deleted", code.place(address))),
                false => Err(format!("there is no breakpoint at {}", code.place(address))),
            }
        }
        _ => Err(format!("wrong arguments of {name}:\n{HELP}")),
    }
}
