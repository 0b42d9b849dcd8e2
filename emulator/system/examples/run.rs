//! Runs a program on the whole machine: `run PROGRAM [MACHINE [KEY=VALUE]...]`, on the reference engine, with time unless a
//! key is `functional`; tells cycles and instructions per second on standard error. `run PROGRAM --gdb 0` waits for gdb, as
//! `cp2 run` does.

use cp2_emu::{MachineConfig, ReferenceEngine};
use cp2_k64::devices::Devices;
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::timing::StallCause;
use cp2_system::{Board, gdb};
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let bytes = std::fs::read(arguments.next().ok_or("no program")?)?;
    let second = arguments.next().unwrap_or_else(|| "vm7".to_owned());
    let is_debugged = second == "--gdb";
    let name = if is_debugged { "vm7" } else { &second };
    let mut config = MachineConfig::preset(name).ok_or("no such machine")?;
    // A debugger's port is always a free one.
    let settings: Vec<String> = if is_debugged { Vec::new() } else { arguments.collect() };
    let is_functional = settings.iter().any(|setting| setting == "functional");
    for setting in settings.iter().filter(|setting| *setting != "functional") {
        config.apply_set(setting)?;
    }
    let program = ElfProgram::read(&bytes)?;
    let devices = Devices::new(program.entry, Box::new(std::io::stdout()));
    let board = Board::new(&config, Box::new(ReferenceEngine), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R1)?;
    if !is_functional {
        processor.core.keep_time(cp2_system::costs(&config));
    }
    if is_debugged {
        processor.keep_history();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        eprintln!("waiting for gdb: target remote :{}", listener.local_addr()?.port());
        let ended = gdb::serve(&mut processor, listener.accept()?.0, &mut |_| {
            Err("no assembler here".into())
        })?;
        eprintln!("{ended:?}");
        return Ok(ExitCode::SUCCESS);
    }
    let start = std::time::Instant::now();
    let end = processor.run(100_000_000_000);
    let (n, cycles) = (processor.core.n_instructions, processor.core.cycle());
    let rate = n as f64 / start.elapsed().as_secs_f64() / 1e6;
    eprintln!("{n} instructions in {cycles} cycles, {rate:.1} million per second");
    if let Some(timing) = &processor.core.timing {
        for cause in StallCause::ALL {
            eprintln!("{:>12} {}", timing.stalled(cause), cause.name());
        }
        eprintln!("{:?}", timing.misses());
    }
    Ok(match end {
        MachineEnd::Exit(code) => code.into(),
        other => {
            let pc = processor.core.pc;
            eprintln!("{other:x?} at {pc:#x} {}", Symbolizer::read(&bytes).describe(pc));
            4.into()
        }
    })
}
