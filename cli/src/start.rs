//! Programs on their way into a run: the machine, where it starts, what registers and memory hold. Every command that
//! runs a program of a user prepares it here, so that all of them take the same and refuse the same.

use crate::args::Start;
use crate::arrays::{NothingGiven, Results, Wanted};
use crate::exit::{Outcome, bad_input, usage};
use crate::files;
use cp2_asm::image::{Image, SymbolKind};
use cp2_emu::{Cp2, Machine, MachineConfig};
use cp2_isa::{BundleAddress, Core};
use cp2_session::arrays;
use serde_json::Value;
use std::path::Path;

/// Cycles of a program of CP2 that has no other limit.
const MOST_CYCLES: u64 = 100_000_000;

/// A machine with a program that can run at once.
pub(crate) struct Ready {
    pub(crate) machine: Machine,
    /// The bundle where it starts.
    pub(crate) entry: BundleAddress,
    /// Arrays that are stored when it has stopped.
    pub(crate) results: Results,
    /// Which arrays lie where, and what was given: for a check of the run.
    pub(crate) laid: arrays::Ready,
    /// The state that was read.
    pub(crate) init: Option<Value>,
}

/// The files that a run reads and writes, beside the program: state, machine, arrays; then stored arrays.
pub(crate) fn files<'a>(
    start: &'a Start,
    wanted: &'a Wanted,
) -> (Vec<Option<&'a Path>>, Vec<Option<&'a Path>>) {
    let machine = start.machine.machine.as_deref().map(Path::new);
    let mut inputs = vec![start.init.as_deref(), machine];
    inputs.extend(wanted.inputs().map(Some));
    (inputs, wanted.outputs().map(Some).collect())
}

/// Makes a program ready: on a machine that [`crate::machine::with_core`] gave, with state, arguments and arrays.
pub(crate) fn ready(
    image: &Image,
    (config, core): (Option<&MachineConfig>, &Core),
    (start, wanted): (&Start, &Wanted),
    nothing: NothingGiven,
) -> Outcome<Ready> {
    let entry = entry(core, image, start.entry.as_deref())?;
    let mut machine = match config {
        Some(config) => Machine::new(config),
        None => Machine::alone(Cp2::new(*core)),
    };
    let cp2 = &mut machine.cp2;
    cp2_session::load::load(image, cp2);
    let init = start.init.as_deref().map(|path| take_state(path, cp2, core)).transpose()?;
    let (results, laid) = wanted.prepare(cp2, (image, entry), init.is_some(), nothing)?;
    Ok(Ready { machine, entry, results, laid, init })
}

/// Sets the state that a file holds; returns what it holds.
fn take_state(path: &Path, cp2: &mut Cp2, core: &Core) -> Outcome<Value> {
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let value: Value = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
    cp2.state.load_json(core, &value).map_err(|e| place(&e))?;
    Ok(value)
}

/// Cycles after which a run ends.
pub(crate) fn limit(start: &Start) -> u64 {
    start.max_cycles.unwrap_or(MOST_CYCLES)
}

/// Refuses what a recording has of its own; `of` is put behind the options, `-b` for a second side.
pub(crate) fn only_for_programs(start: &Start, of: &str) -> Outcome<()> {
    let Start { cache: _, machine, init, arrays, arg, max_cycles, entry } = start;
    let given = [
        ("--machine", machine.machine.is_some()),
        ("--enable", !machine.changes.enable.is_empty()),
        ("--set", !machine.changes.set.is_empty()),
        ("--init", init.is_some()),
        ("--load", !arrays.load.is_empty()),
        ("--store", !arrays.store.is_empty()),
        ("--arg", !arg.is_empty()),
        ("--max-cycles", max_cycles.is_some()),
        ("--entry", entry.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(usage(format!(
            "{option}{of}: a recording has its machine and its inputs; this is for programs"
        ))),
    }
}

/// The bundle address that a kernel name, a label or a number means.
fn entry(core: &Core, image: &Image, place: Option<&str>) -> Outcome<BundleAddress> {
    let Some(place) = place else {
        return Ok(image.kernels.first().map_or(BundleAddress::default(), |k| k.start));
    };
    if let Some(kernel) = image.kernel(place) {
        return Ok(kernel.start);
    }
    let labels = || image.symbols.iter().filter(|s| s.kind == SymbolKind::Bundle);
    if let Some(label) = labels().find(|s| s.name == place) {
        return Ok(BundleAddress(label.value as u16));
    }
    match place.parse().map(BundleAddress) {
        Ok(address) if address.index() < core.iram_bundles() => Ok(address),
        _ => {
            let names: Vec<&str> = image.kernels.iter().map(|k| k.name.as_str()).collect();
            Err(bad_input(format!(
                "--entry {place}: no kernel or label of this name, and no bundle address from 0 to {}; the kernels are: {}",
                core.iram_bundles() - 1,
                names.join(", ")
            )))
        }
    }
}
