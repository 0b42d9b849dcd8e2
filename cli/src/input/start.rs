//! Programs on their way into a run: the machine, where it starts, what registers and memory hold. Every command that
//! runs a program of a user prepares it here, so that all of them take the same and refuse the same.

use crate::args::{MachineChoice, Start};
use crate::input::arrays::{NothingGiven, Results, Wanted};
use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_session::{MOST_CYCLES, Prepared, Program};
use std::path::Path;

/// Returns the files that a run reads and writes, beside the program: state, machine, arrays; then stored arrays.
pub(crate) fn files<'a>(
    start: &'a Start,
    wanted: &'a Wanted,
) -> (Vec<Option<&'a Path>>, Vec<Option<&'a Path>>) {
    let machine = start.machine.machine.as_deref().map(Path::new);
    let mut inputs = vec![start.init.as_deref(), machine];
    inputs.extend(wanted.inputs().map(Some));
    (inputs, wanted.outputs().map(Some).collect())
}

/// Makes a program ready: on a machine that [`crate::input::machine::with_core`] gave, with state, arguments and arrays. Gives the
/// arrays that are stored when it has stopped.
pub(crate) fn ready<'a>(
    program: &'a Program,
    config: Option<&MachineConfig>,
    (start, wanted): (&Start, &Wanted),
    nothing: NothingGiven,
) -> Outcome<(Prepared<'a>, Results)> {
    let entry = program.entry(start.entry.as_deref()).map_err(bad_input)?;
    let mut prepared = Prepared::new(program, config, entry, None);
    if let Some(path) = &start.init {
        let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let state = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
        prepared.set_state(&state).map_err(|e| place(&e))?;
    }
    let results = wanted.prepare(&mut prepared, nothing)?;
    Ok((prepared, results))
}

/// Returns the number of cycles after which a run ends.
pub(crate) fn limit(start: &Start) -> u64 {
    start.max_cycles.unwrap_or(MOST_CYCLES)
}

/// Refuses options for what a recording has of its own; `of` is put behind the options, `-b` for a second side.
pub(crate) fn only_for_programs(start: &Start, of: &str) -> Outcome<()> {
    let MachineChoice { machine, changes } = &start.machine;
    let of_machine = [
        ("--machine", machine.is_some()),
        ("--enable", !changes.enable.is_empty()),
        ("--set", !changes.set.is_empty()),
    ];
    match of_machine.into_iter().chain(of_run(start)).find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(usage(format!(
            "{option}{of} is for programs; a recording has its own machine and inputs"
        ))),
    }
}

/// Refuses options for what a workload file has of its own. The machine is not of the file.
pub(crate) fn only_machine(start: &Start) -> Outcome<()> {
    match of_run(start).into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(usage(format!(
            "{option} is for programs; a workload file has its own arrays, arguments and entry"
        ))),
    }
}

/// Returns the options that tell how a program is run on its machine, and whether each is given.
fn of_run(start: &Start) -> [(&'static str, bool); 6] {
    let Start { cache: _, machine: _, init, arrays, arg, max_cycles, entry } = start;
    [
        ("--init", init.is_some()),
        ("--load", !arrays.load.is_empty()),
        ("--store", !arrays.store.is_empty()),
        ("--arg", !arg.is_empty()),
        ("--max-cycles", max_cycles.is_some()),
        ("--entry", entry.is_some()),
    ]
}
