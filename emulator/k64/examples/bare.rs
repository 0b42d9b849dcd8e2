//! Runs a program on the bare machine without CP2: `bare PROGRAM [MIB]`; tells instructions per second on standard
//! error. The program's console is standard input and output.

use cp2_k64::devices::{Devices, Plain};
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let bytes = std::fs::read(arguments.next().ok_or("no program")?)?;
    let size = arguments.next().map_or(Ok(256), |text| text.parse::<u64>())? << 20;
    let program = ElfProgram::read(&bytes)?;
    let output = Box::new(std::io::BufWriter::new(std::io::stdout()));
    let devices = Devices::new(program.entry, output).with_input(Box::new(std::io::stdin()));
    let mut processor = Processor::new(&program, Box::new(Plain::new(devices, size)), Release::R1)?;
    let start = std::time::Instant::now();
    let end = processor.run(u64::MAX);
    let n = processor.core.n_instructions;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{n} instructions, {:.1} million per second", n as f64 / seconds / 1e6);
    Ok(match end {
        MachineEnd::Exit(code) => code.into(),
        other => {
            let pc = processor.core.pc;
            eprintln!("{other:x?} at {pc:#x} {}", Symbolizer::read(&bytes).describe(pc));
            4.into()
        }
    })
}
