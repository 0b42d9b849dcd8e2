//! `cp2 estimate`: the estimation method, beside simulation and measurement.

use crate::args::Estimate as Arguments;
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_lab::balance::{BalanceRange, chart};
use cp2_lab::inputs::{Inputs, LabError, names};
use cp2_lab::key::EstimateKey;
use cp2_lab::report::EstimateReport;
use cp2_lab::{plans, validation};
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
    let Some(procedure) = &arguments.procedure else {
        files::print(procedures().as_bytes())?;
        return Ok(Exit::Success);
    };
    let inputs = inputs(arguments)?;
    if let (Some(sweep), Some(path)) = (&arguments.balance, &arguments.output) {
        let sweep = BalanceRange::read(sweep).map_err(|e| usage(format!("--balance: {e}")))?;
        let svg = chart(procedure, &inputs, &sweep)?.svg()?;
        files::write(path, svg.as_bytes())?;
        return Ok(Exit::Success);
    }
    let report = EstimateReport::new(procedure, &inputs, !arguments.alone)?;
    match arguments.json {
        true => files::print_json(&report.to_json())?,
        false => files::print(report.text().as_bytes())?,
    }
    Ok(Exit::Success)
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
    inputs.perf = arguments.perf;
    Ok(inputs)
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
        bad_input(error.to_string())
    }
}
