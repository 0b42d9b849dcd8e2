//! Runs to debug, which the tests share.
#![allow(dead_code, reason = "each test uses a part")]

use cp2_asm::diagnostic::Sources;
use cp2_debug::{Console, ConsoleAnswer, DebuggedRun, Debugger};
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory};
use cp2_session::{Engine, Environment, Program, Setup};
use std::io::Cursor;

/// Kernel that runs past its last bundle into a word that is no bundle.
pub(crate) const FAULT: &str = "
        .kernel fault
        updaddr (r1)+1
        nop
        .allow  C0310 \"on purpose\"
        .bundle 0xffffffffffffffff
        .endallow
        stopi   0
";

/// Runs a source with a recorder.
pub(crate) fn recorded(name: &str, text: &str) -> DebuggedRun {
    recorded_with(name, text, Setup::default())
}

/// Runs a source with a recorder and a setup, to its `stop`, its limit or its fault.
pub(crate) fn recorded_with(name: &str, text: &str, setup: Setup) -> DebuggedRun {
    let environment = Environment::new();
    let tape = RecordingInMemory::default();
    let header = Header {
        cp2: String::new(),
        command: String::new(),
        machine: None,
        core: *setup.core().numbers(),
        inputs: Vec::new(),
    };
    let recorder = Recorder::new(Box::new(tape.clone()), &header).unwrap();
    let setup = Setup { recorder: Some(recorder.clone()), may_lack: true, ..setup };
    let program = Program::from_source(&environment, setup.core(), name, text).unwrap();
    program.run(&environment, &setup).unwrap();
    recorder.finish().unwrap();
    let bytes = tape.take();
    let recording =
        Recording::open(Cursor::new(bytes), environment.engine(Engine::default())).unwrap();
    let all = recording.cycles();
    let programs = vec![(program.image().clone(), vec![*all.start()..*all.end() + 1])];
    let mut sources = Sources::default();
    sources.add(name, text);
    DebuggedRun { recording, programs, sources }
}

/// Returns the answer to a command.
pub(crate) fn answer(debugger: &mut Debugger, console: &mut Console, command: &str) -> String {
    match console.command(debugger, command) {
        Ok(ConsoleAnswer::Text(text) | ConsoleAnswer::Moved(text)) => text,
        Ok(ConsoleAnswer::Quit) => "quit".to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

/// Returns a kernel of the examples.
pub(crate) fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}
