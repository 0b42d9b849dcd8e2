//! Runs a Linux program with the time of a machine: `timed PROGRAM MACHINE [FOLDER] [ARGUMENTS]`; tells cycles and
//! instructions per second on standard error.

use cp2_emu::MachineConfig;
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::isa::Release;
use cp2_k64::timing::StallCause;
use cp2_k64::user::{Process, ProcessEnd, ProcessSetup, Streams};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let bytes = std::fs::read(arguments.first().ok_or("no program")?)?;
    let name = if arguments.len() > 1 { arguments.remove(1) } else { "vm7".into() };
    let config = name.to_str().and_then(MachineConfig::preset).ok_or("no such machine")?;
    let folder = (arguments.len() > 1).then(|| arguments.remove(1).into());
    let (environment, release) = (Vec::new(), Release::R2);
    let setup = ProcessSetup { arguments, environment, memory: 1 << 30, folder, release };
    let mut process = Process::new(&ElfProgram::read(&bytes)?, &setup, Streams::standard())?;
    process.core.keep_time(cp2_system::costs(&config));
    let start = std::time::Instant::now();
    let end = process.run(u64::MAX);
    let rate = process.core.n_instructions as f64 / start.elapsed().as_secs_f64() / 1e6;
    let (n, cycles) = (process.core.n_instructions, process.core.cycle());
    eprintln!("{n} instructions in {cycles} cycles, {rate:.1} million per second");
    if let Some(timing) = &process.core.timing {
        for cause in StallCause::ALL {
            eprintln!("{:>12} {}", timing.stalled(cause), cause.name());
        }
        eprintln!("{:?}", timing.misses());
    }
    Ok(match end {
        ProcessEnd::Exit(code) => code.into(),
        other => {
            let pc = process.core.pc;
            eprintln!("{other:x?} at {pc:#x} {}", Symbolizer::read(&bytes).describe(pc));
            4.into()
        }
    })
}
