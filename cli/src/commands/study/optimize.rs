//! `cp2 optimize`: the cheapest machine for a workload, or a study of several; `cp2 costs`: what parts and events cost.

use super::sweep::{read, tell, text as text_of, threads, with_finders};
use crate::args::{Costs, Optimize};
use crate::input::{machine, program};
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_lab::costs::{CostReport, CostTable};
use cp2_lab::inputs::LabError;
use cp2_lab::optimize::{Optimum, Prices};
use cp2_lab::study::{
    BundledFile, Study, StudyBundle, StudyFile, is_bundle, is_study, report_digest,
};
use std::path::{Path, PathBuf};

pub(crate) fn optimize(arguments: &Optimize) -> Outcome {
    let Optimize { spec: path, runs, threads: given, json, .. } = arguments;
    let text = text_of(path)?;
    if is_bundle(&text) {
        return again(arguments, &text);
    }
    if is_study(&text) {
        return study(arguments, &text);
    }
    let unused = [
        ("--costs", arguments.costs.is_some()),
        ("--output", arguments.output.is_some()),
        ("--bundle", arguments.bundle.is_some()),
    ];
    if let Some((option, _)) = unused.into_iter().find(|(_, is_given)| *is_given) {
        return Err(usage(format!(
            "{option} is of a study; {} has no [[workload]]",
            path.display()
        )));
    }
    let spec = read(path, &text)?;
    let prices =
        Prices::parse(&text, &spec).map_err(|e| bad_input(format!("{}: {e}", path.display())))?;
    let bar = Progress::new("machines", 0);
    let show = |done: u64, all: u64| bar.of(done, all);
    let optimum = Optimum::new(&spec, &prices, threads(*given), *runs, &show)?;
    drop(bar);
    tell(*json, &optimum.text(), &optimum.to_json())
}

fn study(arguments: &Optimize, text: &str) -> Outcome {
    let Optimize { spec: path, json, costs, output, bundle, .. } = arguments;
    let outputs = [output.as_deref(), bundle.as_deref()];
    files::check(&[Some(path), costs.as_deref()], &outputs)?;
    let costs_text = costs.as_deref().map(text_of).transpose()?;
    let table = cost_table(costs.as_deref(), costs_text.as_deref())?;
    let file = with_finders((path, None), |finders| StudyFile::parse(text, finders))?;
    let own = file.workloads.iter().flat_map(|work| work.subject.workload.files());
    for own in own {
        outputs
            .iter()
            .flatten()
            .try_for_each(|output| files::check_apart([&*own].into_iter(), output))?;
    }
    // What a bundle cannot hold is refused before anything runs.
    let files = bundle.as_ref().map(|_| own_files(&file)).transpose();
    let files = files.map_err(|e| bad_input(format!("{}: {e}", path.display())))?;
    let command = crate::input::recording::command_line();
    let command = format!("cp2 {}", command.split_once(' ').map_or("", |(_, rest)| rest));
    let study = made(arguments, (&file, &table), command)?;
    if let Some((bundle, files)) = bundle.as_ref().zip(files) {
        let whole = bundled((text, costs_text), files, &study);
        let text = serde_json::to_string_pretty(&whole.to_json()).unwrap_or_default() + "\n";
        files::write(bundle, text.as_bytes())?;
    }
    if let Some(path) = output {
        files::write(path, study.page().as_bytes())?;
    }
    if outputs.iter().flatten().any(|path| files::is_standard(path)) {
        return Ok(Exit::Success);
    }
    tell(*json, &study.text(), &study.to_json())
}

/// Runs a study.
fn made(
    arguments: &Optimize,
    (file, costs): (&StudyFile, &CostTable),
    command: String,
) -> Outcome<Study> {
    let bar = Progress::new("runs", 0);
    let show = |done: u64, all: u64| bar.of(done, all);
    let environment = program::environment(arguments.cache);
    let at = (&environment, threads(arguments.threads));
    let study = Study::new(file, costs, at, command, &show);
    study.map_err(|e| bad_input(format!("{}: {e}", arguments.spec.display())))
}

/// Returns the files of workloads and machine that a study read.
fn own_files(file: &StudyFile) -> Result<Vec<BundledFile>, LabError> {
    let own = file.workloads.iter().flat_map(|work| work.subject.workload.files());
    let mut paths: Vec<_> = own.chain(file.machine_file.iter().map(PathBuf::from)).collect();
    paths.sort();
    paths.dedup();
    let one = |path: PathBuf| {
        let bytes = files::read(&path).map_err(|failure| LabError::new(failure.plain()))?;
        BundledFile::new(&path.to_string_lossy(), bytes)
    };
    paths.into_iter().map(one).collect()
}

/// Returns a study with the files that it read.
fn bundled(
    (text, costs): (&str, Option<String>),
    files: Vec<BundledFile>,
    study: &Study,
) -> StudyBundle {
    let (version, study_text) = (env!("CARGO_PKG_VERSION").to_owned(), text.to_owned());
    let report = study.to_json();
    let digest = report_digest(&report);
    StudyBundle { version, study: study_text, costs, files, report, digest }
}

/// Runs the study of a bundle again in a folder of its own, and compares the reports.
fn again(arguments: &Optimize, text: &str) -> Outcome {
    let path = &arguments.spec;
    let told = |e: LabError| bad_input(format!("{}: {e}", path.display()));
    for (option, is_given) in
        [("--costs", arguments.costs.is_some()), ("--bundle", arguments.bundle.is_some())]
    {
        if is_given {
            return Err(usage(format!(
                "{option}: {} is a bundle, and has it already",
                path.display()
            )));
        }
    }
    files::check(&[Some(path)], &[arguments.output.as_deref()])?;
    let bundle = StudyBundle::parse(text).map_err(told)?;
    let folder = tempfile::tempdir().map_err(|e| bad_input(format!("no folder for files: {e}")))?;
    for file in &bundle.files {
        let place = folder.path().join(&file.path);
        let made = place.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = made.and_then(|()| std::fs::write(&place, &file.bytes));
        written.map_err(|e| {
            bad_input(format!("{}: cannot write {}: {e}", path.display(), file.path))
        })?;
    }
    let costs = cost_table(Some(path), bundle.costs.as_deref())?;
    let place = (&**path, Some(folder.path()));
    let file = with_finders(place, |finders| StudyFile::parse(&bundle.study, finders))?;
    let study = made(arguments, (&file, &costs), bundle.command())?;
    if let Some(output) = &arguments.output {
        files::write(output, study.page().as_bytes())?;
    }
    if !arguments.output.as_deref().is_some_and(files::is_standard) {
        tell(arguments.json, &study.text(), &study.to_json())?;
    }
    let differences = bundle.differences(&study.to_json());
    if differences.is_empty() {
        return Ok(Exit::Success);
    }
    complain(format!(
        "cp2: the report of {} by cp2 {} is another one in: {}",
        path.display(),
        bundle.version,
        differences.join(", ")
    ));
    Ok(Exit::Check)
}

pub(crate) fn costs(arguments: &Costs) -> Outcome {
    let table = costs_of(arguments.costs.as_deref())?;
    let base = machine::named(&arguments.machine)?;
    let config = machine::changed(base.clone(), &arguments.changes)?;
    let report = CostReport::new(table, &base, &config);
    tell(arguments.json, &report.text(), &report.to_json())
}

/// Returns the costs that come with the program, with those of a file in their place if there is one.
pub(crate) fn costs_of(path: Option<&Path>) -> Outcome<CostTable> {
    let own = path.map(text_of).transpose()?;
    cost_table(path, own.as_deref())
}

/// Returns the costs that come with the program, with those of a text in their place; `path` is where it stands.
fn cost_table(path: Option<&Path>, text: Option<&str>) -> Outcome<CostTable> {
    let Some(text) = text else { return Ok(CostTable::default()) };
    let place = path.map_or(String::new(), |path| path.display().to_string());
    CostTable::with(text).map_err(|e| bad_input(format!("{place}: {e}")))
}
