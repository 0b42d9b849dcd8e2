//! `cp2 view`: starts the viewer, a program of its own, so that this one stays small.

use crate::args::View;
use crate::process::exit::{Exit, Failure, Outcome};
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// Name of the viewer's program.
const NAME: &str = "cp2-view";

pub(crate) fn view(arguments: &View) -> Outcome {
    let beside = viewer_path().filter(|path| path.is_file());
    let program = beside.unwrap_or_else(|| PathBuf::from(NAME));
    let mut command = Command::new(&program);
    match run(command.args(&arguments.arguments)) {
        Ok(exit) => Ok(exit),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(missing()),
        Err(e) => Err(Failure {
            exit: Exit::Internal,
            message: format!("cp2: error: {} could not be started: {e}", program.display()),
        }),
    }
}

/// Becomes the viewer, so that signals reach it.
#[cfg(unix)]
fn run(command: &mut Command) -> io::Result<Exit> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

/// Waits for the viewer, which says itself what went wrong.
#[cfg(not(unix))]
fn run(command: &mut Command) -> io::Result<Exit> {
    Ok(match command.status()?.code() {
        Some(0) => Exit::Success,
        Some(2) => Exit::Usage,
        _ => Exit::Internal,
    })
}

/// Returns the path of the viewer beside this program.
fn viewer_path() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    Some(here.with_file_name(format!("{NAME}{}", std::env::consts::EXE_SUFFIX)))
}

fn missing() -> Failure {
    let message = format!(
        "cp2: error: the viewer `{NAME}` is neither in the folder of this program nor in PATH\n\
         `cargo build --release -p cp2-gui` in the sources of cp2 builds it, in target/release."
    );
    Failure { exit: Exit::Usage, message }
}
