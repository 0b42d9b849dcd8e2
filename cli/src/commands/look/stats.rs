//! `cp2 stats`: where the cycles of a run went, and its energy.

use crate::args::{Cycles, Stats, StepChoice};
use crate::commands::study::optimize;
use crate::input::subject::{self, Subject};
use crate::process::exit::{Exit, Failure, Outcome, bad_input};
use crate::storage::files;
use cp2_analysis::accounting::Account;
use cp2_analysis::events::EventsByLine;
use cp2_document::width::wrapped_command;
use cp2_emu::MachineConfig;
use cp2_isa::Cycle;
use cp2_lab::costs::EnergyByLine;
use cp2_recording::{RunStep, StepLevel, Verification};
use std::path::Path;

pub(crate) fn stats(arguments: &Stats) -> Outcome {
    let (run, start, output) = (&arguments.run, &arguments.start, Path::new("-"));
    let mut subject = match (arguments.verify, arguments.summary) {
        (false, _) => subject::open(run, start, output)?,
        (true, true) => subject::open_verified(run, start, output, Verification::States)?,
        (true, false) => subject::open_verified(run, start, output, Verification::StatesAndCosts)?,
    };
    let name = subject.name.clone();
    let place = |e| bad_input(format!("{name}: {e}"));
    if let Some(choice) = arguments.steps {
        return steps(&mut subject, choice, arguments.json);
    }
    if arguments.energy {
        return energy(&mut subject, arguments);
    }
    if let Some(cycles) = arguments.cycles {
        return of_span(&mut subject, cycles, arguments.json);
    }
    let account = match arguments.summary {
        true => None,
        false => Some(account(&mut subject)?),
    };
    if let (true, Some(account)) = (arguments.json, &account) {
        files::print_json(&account.to_json())?;
        return Ok(Exit::Success);
    }
    let recording = &mut subject.recording;
    let (all, command) = (recording.cycles(), recording.header().command.clone());
    let (begin, end) = (*all.start(), *all.end());
    let (checkpoints, digest) = (recording.checkpoints().len(), recording.digest());
    let is_alone = recording.header().machine.is_none();
    let pyramid = recording.summary().map_err(place)?;
    let mut text = wrapped_command("", &command) + "\n";
    text += &format!("recording {digest}, cycles {begin} to {end}, {checkpoints} checkpoints\n");
    let total = pyramid.total();
    text += &total.to_text(end - begin, total.rated_cycles(end - begin, is_alone));
    if let Some(most) = arguments.stretches {
        text += &cp2_recording::leaves_text(pyramid.within(&(begin..end), most as usize));
    }
    if let Some(account) = account {
        text += &account.text(&|file, line| subject.lines.line(file, line));
    }
    files::print(text.as_bytes())?;
    // The process ends: to give all that memory back piece by piece would only take time.
    std::mem::forget(subject);
    Ok(Exit::Success)
}

/// Returns the levels of a choice.
pub(super) const fn levels(choice: StepChoice) -> &'static [StepLevel] {
    match choice {
        StepChoice::All => &[StepLevel::Iteration, StepLevel::Inner, StepLevel::Stage],
        StepChoice::Iteration => &[StepLevel::Iteration],
        StepChoice::Inner => &[StepLevel::Inner],
        StepChoice::Stage => &[StepLevel::Stage],
        StepChoice::Page => &[StepLevel::Page],
    }
}

/// Returns the steps of a run that are of some levels, of which it has to have one.
pub(super) fn steps_of(subject: &mut Subject, levels: &[StepLevel]) -> Outcome<Vec<RunStep>> {
    let Subject { recording, name, .. } = subject;
    let mut steps = recording.steps().map_err(|e| Subject::failed(name, &e))?;
    let is_named = |level: &StepLevel| steps.iter().any(|step| step.level == *level);
    let known: Vec<StepLevel> = StepLevel::ALL.into_iter().filter(is_named).collect();
    steps.retain(|step| levels.contains(&step.level));
    if steps.is_empty() {
        return Err(without_steps(name, levels, &known));
    }
    Ok(steps)
}

/// Returns the failure for a recording that has no steps of some levels, but of `known` ones.
fn without_steps(name: &str, levels: &[StepLevel], known: &[StepLevel]) -> Failure {
    let list = |levels: &[StepLevel]| {
        levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ")
    };
    let what = match known {
        [] => "procedures of `cp2 kernels run NAME --machine M --record R.cp2rec` name theirs"
            .to_owned(),
        known => format!("it has these: {}", list(known)),
    };
    bad_input(format!("{name} has no named steps of this kind ({}); {what}", list(levels)))
}

/// Prints what the steps of the run took.
fn steps(subject: &mut Subject, choice: StepChoice, is_json: bool) -> Outcome {
    let levels = levels(choice);
    steps_of(subject, levels)?;
    let Subject { recording, name, .. } = subject;
    let costs = cp2_analysis::steps::costs(recording, levels);
    let costs = costs.map_err(|e| Subject::failed(name, &e))?;
    let cycles = recording.cycles();
    let all = *cycles.end() - *cycles.start();
    if is_json {
        files::print_json(&cp2_analysis::steps::json::costs(&costs, all))?;
    } else {
        files::print(cp2_analysis::steps::text(&costs, all).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Prints the account of some cycles.
fn of_span(subject: &mut Subject, cycles: Cycles, is_json: bool) -> Outcome {
    let is_recorded = subject.is_recorded();
    let Subject { recording, programs, name, .. } = &mut *subject;
    let all = recording.cycles();
    let span = Cycle(cycles.start)..Cycle(cycles.end).min(*all.end());
    if span.is_empty() || span.start < *all.start() {
        return Err(bad_input(format!(
            "{name} has cycles {} to {}, the last excluded, and not cycle {}",
            all.start(),
            all.end(),
            cycles.start
        )));
    }
    let named = programs.named(recording.core());
    let account = Account::of_span(recording, &programs.in_cycles(&named), span.clone());
    let account = account.map_err(|e| Subject::without_account(name, is_recorded, &e))?;
    if is_json {
        files::print_json(&account.to_json())?;
        return Ok(Exit::Success);
    }
    let counts = &account.counts;
    let rated = counts.rated_cycles(account.all(), recording.header().machine.is_none());
    let mut text = format!("cycles {} to {}, the last excluded\n", span.start, span.end);
    text += &counts.to_text(account.all(), rated);
    text += &account.text(&|file, line| subject.lines.line(file, line));
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Prints the energy of the run by source line.
fn energy(subject: &mut Subject, arguments: &Stats) -> Outcome {
    let costs = optimize::costs_of(arguments.costs.as_deref())?;
    let is_recorded = subject.is_recorded();
    let Subject { recording, programs, name, .. } = &mut *subject;
    let header = recording.header();
    let Some(machine) = &header.machine else {
        return Err(bad_input(format!(
            "{name} is a run of CP2 alone, without clock, channel and memory, so its energy is not known; give `--machine vm9` to the run"
        )));
    };
    let config = MachineConfig::parse(machine);
    let config = config.map_err(|e| bad_input(format!("{name}: its machine: {e}")))?;
    let command = header.command.clone();
    let named = programs.named(recording.core());
    let events = EventsByLine::of(recording, &programs.in_cycles(&named));
    let events = events.map_err(|e| Subject::without_account(name, is_recorded, &e))?;
    let report = EnergyByLine::new(&costs, &config, (command, events));
    match arguments.json {
        true => files::print_json(&report.to_json())?,
        false => {
            let text = report.text(&|file, line| subject.lines.line(file, line));
            files::print(text.as_bytes())?;
        }
    }
    Ok(Exit::Success)
}

fn account(subject: &mut Subject) -> Outcome<Account> {
    let is_recorded = subject.is_recorded();
    let Subject { recording, programs, name, .. } = subject;
    let named = programs.named(recording.core());
    let account = Account::of_programs(recording, &programs.in_cycles(&named));
    account.map_err(|e| Subject::without_account(name, is_recorded, &e))
}
