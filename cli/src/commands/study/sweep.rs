//! `cp2 sweep`: workloads on many machines; and what `cp2 optimize` reads as it does.

use crate::args::{Sweep as Arguments, SweepCommand};
use crate::input::machine;
use crate::input::workload;
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::process::progress::Progress;
use crate::process::signals;
use crate::storage::files;
use cp2_lab::inputs::LabError;
use cp2_lab::optimize::SECTIONS;
use cp2_lab::sweep::{
    Best, Column, Finders, Objective, RowStore, Spec, SweepStatus, build_of, merged, run, status,
    verify,
};
use cp2_workloads::file::CommandPolicy;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn sweep(arguments: &Arguments) -> Outcome {
    match (&arguments.command, &arguments.spec) {
        (Some(command), _) => show(command),
        (None, Some(spec)) => run_points(arguments, spec),
        (None, None) => Err(crate::process::exit::usage(
            "SPEC is missing; name the file that describes the sweep",
        )),
    }
}

/// Runs the points of a sweep that are missing.
fn run_points(arguments: &Arguments, path: &Path) -> Outcome {
    let spec = read(path, &text(path)?)?;
    let build = build()?;
    let store = RowStore::new(folder(arguments, path)?);
    let bar = Progress::new("points", 0);
    let show = |done: u64, all: u64| {
        bar.of(done, all);
        ControlFlow::Continue(())
    };
    let threads = threads(arguments.threads);
    signals::advise("finished rows are kept; the same command runs the missing points");
    let of = (&spec, build.as_str());
    let last = run(of, &store, arguments.shard, threads, arguments.limit, &show)?;
    drop(bar);
    let status = SweepStatus { last: Some(last), ..status(of, &store)? };
    tell(arguments.json, &status.text(), &status.to_json())
}

fn show(command: &SweepCommand) -> Outcome {
    let build = build()?;
    let open = |folder: &Path| -> Outcome<(RowStore, Spec)> {
        let store = RowStore::new(folder);
        let spec = read(folder, &store.spec()?)?;
        Ok((store, spec))
    };
    match command {
        SweepCommand::Status { folder, json } => {
            let (store, spec) = open(folder)?;
            let status = status((&spec, build.as_str()), &store)?;
            tell(*json, &status.text(), &status.to_json())
        }
        SweepCommand::Merge { folder, output } => {
            let (store, spec) = open(folder)?;
            let (table, missing) = merged((&spec, build.as_str()), &store)?;
            files::write(output, &table)?;
            if missing > 0 {
                crate::process::exit::complain(format!(
                    "cp2: {missing} of {} points have no row yet: their counts are null",
                    spec.count()
                ));
                return Ok(Exit::Check);
            }
            Ok(Exit::Success)
        }
        SweepCommand::Verify { folder, row, json } => {
            let (store, spec) = open(folder)?;
            let verified = verify((&spec, build.as_str()), &store, *row)?;
            tell(*json, &verified.text(), &verified.to_json())?;
            Ok(if verified.is_same { Exit::Success } else { Exit::Check })
        }
        SweepCommand::Best { folder, least, most, output, json } => {
            let (store, spec) = open(folder)?;
            let column = |goal: Objective| move |name: &String| Column { name: name.clone(), goal };
            let columns = least.iter().map(column(Objective::Least));
            let columns = columns.chain(most.iter().map(column(Objective::Most))).collect();
            let best = Best::new((&spec, build.as_str()), &store, columns)?;
            if let Some(path) = output {
                files::write(path, best.chart()?.svg()?.as_bytes())?;
                if files::is_standard(path) {
                    return Ok(Exit::Success);
                }
            }
            tell(*json, &best.text(), &best.to_json())
        }
    }
}

pub(super) fn tell(is_json: bool, text: &str, json: &Value) -> Outcome {
    match is_json {
        true => files::print_json(json)?,
        false => files::print(text.as_bytes())?,
    }
    Ok(Exit::Success)
}

pub(super) fn text(path: &Path) -> Outcome<String> {
    String::from_utf8(files::read(path)?)
        .map_err(|_| bad_input(format!("{}: not UTF-8 text", path.display())))
}

pub(super) fn read(path: &Path, text: &str) -> Outcome<Spec> {
    with_finders((path, None), |finders| Spec::parse(text, finders, &SECTIONS))
}

/// Reads a file with what finds the machines and workloads that it names, whose paths begin in `folder`, if there is one. Errors begin
/// with the path.
pub(super) fn with_finders<T>(
    (path, folder): (&Path, Option<&Path>),
    read: impl FnOnce(&mut Finders<'_>) -> Result<T, LabError>,
) -> Outcome<T> {
    let within = |name: &str| match folder {
        Some(folder) if folder.join(name).exists() => {
            folder.join(name).to_string_lossy().into_owned()
        }
        _ => name.to_owned(),
    };
    let mut machines =
        |name: &str| machine::named(&within(name)).map_err(|failure| failure.plain());
    // Points are only counted: no file starts a program.
    let mut told = Vec::new();
    let mut workloads = |platform, name: &str| {
        workload::elsewhere((platform, &within(name)), CommandPolicy::Refused, &mut told)
    };
    let mut finders = Finders { machines: &mut machines, workloads: &mut workloads };
    read(&mut finders).map_err(|e| bad_input(format!("{}: {e}", path.display())))
}

/// Returns the folder of the rows.
fn folder(arguments: &Arguments, spec: &Path) -> Outcome<PathBuf> {
    match &arguments.output {
        Some(folder) => Ok(folder.clone()),
        None if files::is_standard(spec) => Err(crate::process::exit::usage(
            "a sweep from standard input needs a folder; give --output",
        )),
        None => Ok(spec.with_extension("sweep")),
    }
}

/// Returns the text that tells one build of cp2 from another, by the content of this program.
fn build() -> Outcome<String> {
    let program = std::env::current_exe().and_then(std::fs::read);
    let program = program.map_err(|e| bad_input(format!("cannot read this program: {e}")))?;
    Ok(build_of(&program))
}

pub(super) fn threads(given: Option<NonZeroUsize>) -> NonZeroUsize {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}
