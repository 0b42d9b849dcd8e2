//! `cp2 diff`: two runs beside each other.

use crate::args::{Arrays, Changes, Diff, MachineChoice, Start, StepChoice};
use crate::commands::look::stats::{levels, steps_of};
use crate::input::subject::{self, Subject};
use crate::input::{recording, start};
use crate::process::exit::{Exit, Outcome, usage};
use crate::storage::files;
use cp2_analysis::compare::{RecordedRun, SearchLimit, compare};
use cp2_analysis::program::NamedProgram;
use cp2_analysis::steps::aligned;
use cp2_analysis::steps::json::{self, LevelChanges};
use cp2_isa::Cycle;
use cp2_recording::RunStep;
use std::ffi::OsStr;
use std::ops::Range;

pub(crate) fn diff(arguments: &Diff) -> Outcome {
    let (of_a, own) = (&arguments.start, own_of_b(arguments));
    let paths = [arguments.a.as_path(), arguments.b.as_path()];
    let is_recording = paths.map(recording::is_one);
    if is_recording[1] {
        start::only_for_programs(&own, "-b")?;
    }
    if is_recording == [true; 2] {
        start::only_for_programs(of_a, "")?;
    }
    if is_recording[0] && !of_a.arrays.store.is_empty() {
        return Err(usage(
            "--store: A is a recording, which has no arrays to store; --store-b stores arrays of B",
        ));
    }
    let of_b = options_of_b(of_a, own);
    let [mut a, mut b] = subject::open_both(paths, [of_a, &of_b])?;
    if let Some(choice) = arguments.steps {
        return by_steps([&mut a, &mut b], choice, arguments.json);
    }
    let Subject { recording: recording_a, programs: programs_a, name, .. } = &mut a;
    let Subject { recording: recording_b, programs: programs_b, .. } = &mut b;
    let program_a = NamedProgram::new(programs_a.whole(), recording_a.core());
    let program_b = NamedProgram::new(programs_b.whole(), recording_b.core());
    let runs = [
        RecordedRun { recording: recording_a, program: &program_a },
        RecordedRun { recording: recording_b, program: &program_b },
    ];
    let found =
        compare(runs, SearchLimit(arguments.reach)).map_err(|e| Subject::failed(name, &e))?;
    match arguments.json {
        true => files::print_json(&found.to_json())?,
        false => files::print(found.text([&program_a, &program_b]).as_bytes())?,
    }
    Ok(if found.is_identical() { Exit::Success } else { Exit::Check })
}

/// Prints what the steps of two runs took, by their names.
fn by_steps(subjects: [&mut Subject; 2], choice: StepChoice, is_json: bool) -> Outcome {
    let read = |subject: &mut Subject| -> Outcome<(u64, Vec<RunStep>)> {
        let all = subject.recording.cycles();
        Ok((*all.end() - *all.start(), steps_of(subject, levels(choice))?))
    };
    let [a, b] = subjects;
    let ((all_a, a), (all_b, b)) = (read(a)?, read(b)?);
    let all = [all_a, all_b];
    let named = |steps: &[RunStep], level| -> Vec<(String, Range<Cycle>)> {
        let of_level = steps.iter().filter(|step| step.level == level);
        of_level.map(|step| (step.name.clone(), step.cycles.clone())).collect()
    };
    let changes = levels(choice).iter().map(|&level| {
        let [a, b] = [named(&a, level), named(&b, level)];
        (level, aligned::changes([&a, &b]))
    });
    let changes: Vec<LevelChanges> = changes.filter(|(_, steps)| !steps.is_empty()).collect();
    if is_json {
        files::print_json(&json::changes(&changes, all))?;
    } else {
        let table = |(level, steps): &LevelChanges| {
            format!("{}\n{}", level.name(), aligned::text(steps, all))
        };
        files::print(changes.iter().map(table).collect::<String>().as_bytes())?;
    }
    Ok(if all_a == all_b { Exit::Success } else { Exit::Check })
}

/// Returns the options that are given for B alone.
fn own_of_b(arguments: &Diff) -> Start {
    let Diff { set_b, init_b, load_b, store_b, arg_b, entry_b, .. } = arguments;
    Start {
        cache: arguments.start.cache,
        machine: MachineChoice {
            machine: None,
            changes: Changes { enable: Vec::new(), set: set_b.clone() },
        },
        init: init_b.clone(),
        arrays: Arrays { load: load_b.clone(), store: store_b.clone() },
        arg: arg_b.clone(),
        max_cycles: None,
        entry: entry_b.clone(),
    }
}

/// Returns the options that B is run with: those of A, but for what is given for B alone. B stores its own arrays.
fn options_of_b(of_a: &Start, own: Start) -> Start {
    let mut of_b = of_a.clone();
    of_b.machine.changes.set.extend(own.machine.changes.set);
    of_b.init = own.init.or(of_b.init);
    of_b.entry = own.entry.or(of_b.entry);
    of_b.arrays =
        Arrays { load: replaced(&of_a.arrays.load, own.arrays.load), store: own.arrays.store };
    of_b.arg = replaced(&of_a.arg, own.arg);
    of_b
}

/// Returns options `NAME=...`, some of them replaced by others of the same names.
fn replaced<T: AsRef<OsStr> + Clone>(all: &[T], others: Vec<T>) -> Vec<T> {
    let name = |text: &T| {
        let shown = text.as_ref().to_string_lossy();
        shown.split('=').next().unwrap_or_default().trim().to_owned()
    };
    let is_kept = |text: &&T| others.iter().all(|other| name(other) != name(text));
    let kept: Vec<T> = all.iter().filter(is_kept).cloned().collect();
    [kept, others].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_for_b_replaces_what_has_its_name() {
        let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let all = texts(&["x=a.npy", "h=h.npy"]);
        assert_eq!(replaced(&all, texts(&["x=b.npy:all"])), texts(&["h=h.npy", "x=b.npy:all"]));
        assert_eq!(replaced(&all, Vec::new()), all);
    }
}
