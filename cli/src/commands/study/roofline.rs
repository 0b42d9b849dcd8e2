//! `cp2 roofline`: a machine's ceilings with kernels and procedures.

use crate::args::{MachineChoice, Roofline as Arguments};
use crate::input::{machine, workload};
use crate::process::exit::{Exit, Outcome, usage};
use crate::storage::files;
use cp2_lab::inputs::LabError;
use cp2_lab::roofline::RooflineReport;

pub(crate) fn roofline(arguments: &Arguments) -> Outcome {
    let Arguments { names, commands, machine, changes, output, json } = arguments;
    let choice = MachineChoice { machine: Some(machine.clone()), changes: changes.clone() };
    let config = machine::config(&choice)?.ok_or_else(|| usage("--machine is not given"))?;
    let commands = commands.allow_commands.into();
    let mut told = Vec::new();
    let mut elsewhere = |platform, name: &str| {
        let found = workload::elsewhere((platform, name), commands, &mut told)?;
        Some(found.and_then(|found| match output {
            Some(path) => {
                workload::check_output(&*found, path).map(|()| found).map_err(LabError::from)
            }
            None => Ok(found),
        }))
    };
    let report = RooflineReport::new(&config, names, &mut elsewhere)?;
    if let Some(path) = output {
        files::write(path, report.chart().svg()?.as_bytes())?;
    }
    match (json, output.as_deref().is_some_and(files::is_standard)) {
        (_, true) => {}
        (true, false) => files::print_json(&report.to_json())?,
        (false, false) => files::print(report.text().as_bytes())?,
    }
    Ok(Exit::Success)
}
