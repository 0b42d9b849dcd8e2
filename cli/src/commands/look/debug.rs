//! `cp2 debug`: a run step by step, on the terminal or served to an editor.

use crate::args::{Arguments, Command, Debug, Start};
use crate::input::subject;
use crate::process::exit::{Exit, Outcome, bad_input, complain};
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use clap::Parser as _;
use cp2_debug::{Console, ConsoleAnswer, DebuggedRun, Debugger, LaunchWishes, serve};
use std::ffi::OsString;
use std::io::{BufReader, IsTerminal as _, Write as _, stdin, stdout};
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn debug(arguments: &Debug) -> Outcome {
    if arguments.dap {
        let mut open = |wishes: &LaunchWishes, is_over: &dyn Fn() -> bool| {
            of_editor(arguments, wishes, is_over)
        };
        serve(BufReader::new(stdin()), stdout(), &mut open)
            .map_err(|e| bad_input(format!("the editor: {e}")))?;
        return Ok(Exit::Success);
    }
    let path = arguments.run.as_deref().unwrap_or(Path::new(""));
    let mut debugger = Debugger::new(open(path, &arguments.start, &|| false)?).map_err(failed)?;
    let mut console = Console::default();
    let is_right = match arguments.execute.is_empty() {
        true => terminal(&mut console, &mut debugger)?,
        false => executed(&mut console, &mut debugger, &arguments.execute)?,
    };
    Ok(if is_right { Exit::Success } else { Exit::Usage })
}

fn failed(error: impl std::fmt::Display) -> crate::process::exit::Failure {
    bad_input(error.to_string())
}

fn open(path: &Path, start: &Start, is_over: &dyn Fn() -> bool) -> Outcome<DebuggedRun> {
    let subject = subject::open_while(path, start, Path::new("-"), is_over)?;
    Ok(DebuggedRun {
        recording: subject.recording,
        programs: subject.programs.into_turns(),
        sources: subject.lines.into_sources(),
    })
}

/// Opens what an editor asks to debug: its program, or the one of the command line, with the options of both. `is_over` tells that the editor
/// wants it no more.
fn of_editor(
    arguments: &Debug,
    wishes: &LaunchWishes,
    is_over: &dyn Fn() -> bool,
) -> Result<DebuggedRun, String> {
    let own = arguments.run.as_deref();
    match (own, &*wishes.program) {
        (None, "") => {
            return Err("`program` is missing: the recording or program to debug, in the launch configuration".to_owned());
        }
        (_, "-") => return Err("`program`: standard input belongs to the protocol".to_owned()),
        (Some(own), program) if !program.is_empty() => {
            let own = own.display();
            return Err(format!(
                "`program`: {program}, but `cp2 debug --dap` was started for {own}; name one of them"
            ));
        }
        _ => {}
    }
    // The words of the command line behind `debug`, which have been read once already.
    let own = std::env::args_os().skip_while(|word| word != "debug").skip(1);
    let own = own.filter(|word| word != "--dap");
    let program = Some(wishes.program.clone()).filter(|program| !program.is_empty());
    let program = program.into_iter().chain(wishes.arguments.iter().cloned()).map(OsString::from);
    let words = ["cp2", "debug"].map(OsString::from).into_iter().chain(own).chain(program);
    let parsed = Arguments::try_parse_from(words).map_err(|error| format!("args: {error}"))?;
    let Command::Debug(asked) = parsed.command else {
        return Err("args: options of `cp2 debug` are wanted".to_owned());
    };
    match &asked.run {
        Some(path) if !asked.dap && asked.execute.is_empty() => {
            open(path, &asked.start, is_over).map_err(|failure| failure.message)
        }
        _ => Err("args: `--dap` and `-x` have no meaning here".to_owned()),
    }
}

/// Outcome of a command.
enum Told {
    Right,
    Wrong,
    Quit,
}

/// Does a command and prints its answer.
fn command(console: &mut Console, debugger: &mut Debugger, line: &str) -> Outcome<Told> {
    match console.command(debugger, line) {
        Ok(ConsoleAnswer::Text(text) | ConsoleAnswer::Moved(text)) => {
            files::print(text.as_bytes())?;
            Ok(Told::Right)
        }
        Ok(ConsoleAnswer::Quit) => Ok(Told::Quit),
        Err(error) => {
            complain(format!("cp2: error: {error}"));
            Ok(Told::Wrong)
        }
    }
}

/// Does the commands of the command line; returns whether all were right.
fn executed(console: &mut Console, debugger: &mut Debugger, commands: &[String]) -> Outcome<bool> {
    let mut is_right = true;
    for line in commands {
        match command(console, debugger, line)? {
            Told::Right => {}
            Told::Wrong => is_right = false,
            Told::Quit => break,
        }
    }
    Ok(is_right)
}

/// Does the commands of standard input; returns whether all were right.
fn terminal(console: &mut Console, debugger: &mut Debugger) -> Outcome<bool> {
    let is_asked = stdin().is_terminal();
    if is_asked {
        // SIGINT ends a search, and the person goes on.
        debugger.run_mut().recording.on_progress(|_| match signals::came() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        });
    }
    let mut is_right = !matches!(command(console, debugger, "where")?, Told::Wrong);
    loop {
        if is_asked {
            print!("(cp2) ");
            stdout().flush().map_err(|e| bad_input(format!("standard output: {e}")))?;
        }
        let mut line = String::new();
        let bytes = stdin().read_line(&mut line);
        if bytes.map_err(|e| bad_input(format!("standard input: {e}")))? == 0 {
            return Ok(is_right);
        }
        // An empty line repeats a command for a person; in a script it is nothing.
        if line.trim().is_empty() && !is_asked {
            continue;
        }
        let told = match is_asked {
            true => interruptible(console, debugger, &line)?,
            false => command(console, debugger, &line)?,
        };
        match told {
            Told::Right => {}
            // A person sees what was wrong; the exit code is for scripts.
            Told::Wrong => is_right = is_asked,
            Told::Quit => return Ok(is_right),
        }
    }
}

/// Does a command that SIGINT ends without ending the session; SIGTERM ends both.
fn interruptible(console: &mut Console, debugger: &mut Debugger, line: &str) -> Outcome<Told> {
    let guard = Finishing::begin();
    let told = command(console, debugger, line)?;
    drop(guard);
    match signals::take() {
        Some(signal) if signals::exit(signal) == Exit::Terminate => Ok(Told::Quit),
        _ => Ok(told),
    }
}
