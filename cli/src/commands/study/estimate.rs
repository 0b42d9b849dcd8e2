//! `cp2 estimate`: the estimation method, beside simulation and measurement.

use crate::args::Estimate as Arguments;
use crate::input::workload;
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_lab::balance::{BalanceRange, chart};
use cp2_lab::estimate::EstimatedWork;
use cp2_lab::inputs::{CoprocessorKind, Inputs, LabError, PerfSource, names};
use cp2_lab::key::EstimateKey;
use cp2_lab::plans::{self, CountedWorkload};
use cp2_lab::recorded::Subject;
use cp2_lab::report::EstimateReport;
use cp2_lab::validation;
use cp2_session::workload::Platform;
use cp2_workloads::catalogue;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn estimate(arguments: &Arguments) -> Outcome {
    if arguments.keys {
        files::print(keys().as_bytes())?;
        return Ok(Exit::Success);
    }
    if arguments.validation {
        files::print(validation::page()?.as_bytes())?;
        return Ok(Exit::Success);
    }
    let Some(name) = &arguments.name else {
        files::print(procedures().as_bytes())?;
        return Ok(Exit::Success);
    };
    let mut inputs = inputs(arguments)?;
    let work = match workload::is_file(name) || is_counted(name, &inputs) {
        true => counted(name, arguments, &inputs)?,
        false => {
            refuse_kernel(name, &inputs)?;
            EstimatedWork::procedure(name)
        }
    };
    inputs.perf = arguments.perf.unwrap_or(match work {
        EstimatedWork::Procedure(_) => PerfSource::Published,
        EstimatedWork::Counted(_) => PerfSource::Ours,
    });
    if let (Some(sweep), Some(path)) = (&arguments.balance, &arguments.output) {
        let sweep = BalanceRange::read(sweep).map_err(|e| usage(format!("--balance: {e}")))?;
        let svg = chart(&work, &inputs, &sweep)?.svg()?;
        files::write(path, svg.as_bytes())?;
        return Ok(Exit::Success);
    }
    let report = EstimateReport::new(&work, &inputs, !arguments.alone)?;
    match arguments.json {
        true => files::print_json(&report.to_json())?,
        false => files::print(report.text().as_bytes())?,
    }
    Ok(Exit::Success)
}

/// Whether a name is that of a procedure of the catalogue for which there is no plan by formulas, so that a run of it gives the plan.
fn is_counted(name: &str, inputs: &Inputs) -> bool {
    plans::find(name, inputs).is_err() && catalogue::find(Platform::Machine, name).is_some()
}

/// Refuses the name of a kernel on CP2 alone: it moves no data, so its count of cycles is all that there is.
fn refuse_kernel(name: &str, inputs: &Inputs) -> Outcome<()> {
    if plans::find(name, inputs).is_ok() || catalogue::find(Platform::Cp2, name).is_none() {
        return Ok(());
    }
    Err(usage(format!(
        "{name} runs on CP2 alone and moves no data: `cp2 kernels run {name}` counts its cycles, `cp2 roofline {name}` tells what \
         limits it, and `cp2 estimate kernel --set work.operations=N --set work.cycles=N` takes them to a system"
    )))
}

/// Returns the system with its changes.
fn inputs(arguments: &Arguments) -> Outcome<Inputs> {
    let name = &arguments.system;
    let path = Path::new(name);
    let is_file = files::is_standard(path) || path.extension().is_some() || path.exists();
    let mut inputs = if is_file && !names().contains(&name.as_str()) {
        let text = String::from_utf8(files::read(path)?)
            .map_err(|_| bad_input(format!("{name}: not UTF-8 text")))?;
        Inputs::parse(&text).map_err(|e| bad_input(format!("{name}: {e}")))?
    } else {
        Inputs::system(name).map_err(|e| bad_input(format!("--system {name}: {e}")))?
    };
    for setting in &arguments.set {
        inputs.apply_set(setting).map_err(|e| usage(format!("--set {setting}: {e}")))?;
    }
    Ok(inputs)
}

/// Runs a workload on the machine of a system, to count what it does; on the machine `vm9` if no machine is
/// that of the system, for bytes and cycles of kernels do not depend on clocks and rates.
fn counted(name: &str, arguments: &Arguments, inputs: &Inputs) -> Outcome<EstimatedWork> {
    let workload =
        workload::studied(Platform::Machine, name, arguments.commands.allow_commands.into())?;
    if let Some(output) = &arguments.output {
        workload::check_output(&*workload, output)?;
    }
    let own = MachineConfig::preset(&inputs.name);
    let own = own.filter(|_| inputs.kind == CoprocessorKind::Cp2);
    let usual = || MachineConfig::preset("vm9").ok_or_else(|| usage("there is no machine vm9"));
    let config = own.map_or_else(usual, Ok)?;
    let core = *config.core();
    let counted = CountedWorkload::new(&Subject::new(workload, Some(config), core))?;
    Ok(EstimatedWork::Counted(Box::new(counted)))
}

fn keys() -> String {
    let mut text = String::new();
    for key in EstimateKey::ALL {
        let info = key.info();
        let _ = writeln!(
            text,
            "{:<28} {}\n{:<28}   {}",
            key.to_string(),
            info.description,
            "",
            info.takes()
        );
    }
    text
}

fn procedures() -> String {
    let line = |known: &plans::EstimatedProcedure| {
        format!("{:<12} {}; takes {}\n", known.name, known.what, known.takes)
    };
    plans::ALL.iter().map(line).collect()
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        let start = if error.is_diagnostics { "" } else { "cp2: error: " };
        Self { exit: error.kind.into(), message: format!("{start}{error}") }
    }
}
