//! Runs a Linux program: `user PROGRAM [FOLDER] [ARGUMENTS]`; tells instructions per second on standard error.

use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::isa::Release;
use cp2_k64::user::{Process, ProcessEnd, ProcessSetup, Streams};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let bytes = std::fs::read(arguments.first().ok_or("no program")?)?;
    let folder = (arguments.len() > 1).then(|| arguments.remove(1).into());
    let (environment, release) = (Vec::new(), Release::R2);
    let setup = ProcessSetup { arguments, environment, memory: 1 << 30, folder, release };
    let mut process = Process::new(&ElfProgram::read(&bytes)?, &setup, Streams::standard())?;
    let start = std::time::Instant::now();
    let end = process.run(u64::MAX);
    let seconds = start.elapsed().as_secs_f64();
    let n = process.core.n_instructions;
    eprintln!("{n} instructions, {:.1} million per second", n as f64 / seconds / 1e6);
    Ok(match end {
        ProcessEnd::Exit(code) => code.into(),
        other => {
            let pc = process.core.pc;
            eprintln!("{other:x?} at {pc:#x} {}", Symbolizer::read(&bytes).describe(pc));
            4.into()
        }
    })
}
