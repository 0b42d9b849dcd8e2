//! `cp2 whatif`: a workload on a machine and on that machine with changes.

use crate::args::{Changes, MachineChoice, WhatIf as Arguments};
use crate::input::{machine, workload};
use crate::process::exit::{Exit, Outcome, complain, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_isa::Core;
use cp2_lab::recorded::Subject;
use cp2_lab::whatif::{Sensitivity, WhatIf};
use cp2_session::Environment;
use cp2_session::workload::Platform;
use serde_json::Value;

pub(crate) fn whatif(arguments: &Arguments) -> Outcome {
    let subject = subject(arguments)?;
    let command = crate::input::recording::command_line();
    let command = format!("cp2 {}", command.split_once(' ').map_or("", |(_, rest)| rest));
    let bar = Progress::new("runs", 0);
    let mut show = |done: usize, all: usize| bar.of(done as u64, all as u64);
    let (text, json, picture, are_right) = if arguments.sensitivity {
        let study = Sensitivity::new(&subject, command, &mut show)?;
        (study.text(), study.to_json(), study.bars(), true)
    } else {
        let changes = [&arguments.enable[..], &arguments.set].concat();
        let study = WhatIf::new(&subject, &changes, command, &mut show)?;
        let are_right = study.combinations.iter().all(|run| run.is_right != Some(false));
        (study.text(), study.to_json(), study.bars(), are_right)
    };
    drop(bar);
    if let Some(path) = &arguments.picture {
        files::write(path, picture.svg()?.as_bytes())?;
    }
    tell(arguments, &text, &json)?;
    match are_right {
        true => Ok(Exit::Success),
        false => {
            complain("cp2: results of some runs are not right; `cp2 kernels run` tells in what");
            Ok(Exit::Check)
        }
    }
}

fn tell(arguments: &Arguments, text: &str, json: &Value) -> Outcome<()> {
    if arguments.picture.as_deref().is_some_and(files::is_standard) {
        return Ok(());
    }
    match arguments.json {
        true => files::print_json(json),
        false => files::print(text.as_bytes()),
    }
}

/// Returns the workload on the machine of the baseline.
fn subject(arguments: &Arguments) -> Outcome<Subject> {
    let Arguments { name, machine, base_set, options, .. } = arguments;
    let changes = Changes { set: base_set.clone(), ..Changes::default() };
    let choice = MachineChoice { machine: machine.clone(), changes };
    let config = machine::config(&choice)?;
    let wanted = if config.is_some() { Platform::Machine } else { Platform::Cp2 };
    let workload = workload::studied(wanted, name, arguments.commands.allow_commands.into())?;
    let (platform, known) = (workload.about().platform, workload.option_list());
    for output in ["output", "timeline", "timeline-json"] {
        if options.has(output) {
            return Err(usage(format!(
                "--{output} is not possible: a study runs {name} several times; use `cp2 kernels run`"
            )));
        }
    }
    let own = workload.files();
    let inputs: Vec<_> = own.iter().map(|path| Some(path.as_path())).collect();
    options.check((platform, name), &known, &inputs, &[arguments.picture.as_deref()])?;
    let values = options.values(&known)?;
    let core = config.as_ref().map_or(Core::CP2, |config| *config.core());
    let (is_alone, environment) = (arguments.alone, Environment::new());
    Ok(Subject { workload, values, machine: config, core, is_alone, environment })
}
