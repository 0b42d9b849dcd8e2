//! `cp2 test`.

use crate::args::Test;
use crate::input::program;
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_filetest::{Options, Summary, TestEngine, Tested};
use cp2_session::Engine;
use cp2_workloads::project;
use std::path::{Path, PathBuf};

pub(crate) fn test(arguments: &Test) -> Outcome {
    let paths = paths(arguments)?;
    if arguments.bless && paths.iter().any(|path| files::is_standard(path)) {
        return Err(usage("standard input (`-`) cannot be blessed"));
    }
    let inputs: Vec<Option<&Path>> = paths.iter().map(|path| Some(&**path)).collect();
    files::check(&inputs, &[])?;
    let mut sources = Vec::new();
    for path in &paths {
        find(path, &mut sources)?;
    }
    let targets = match arguments.engine {
        None => TestEngine::all(),
        Some(engine) => TestEngine::all().into_iter().filter(|t| is_chosen(*t, engine)).collect(),
    };
    let options = Options { targets, loader: &program::include, arrays: &program::bytes_beside };
    let mut summary = Summary { files: sources.len(), ..Summary::default() };
    let (mut malformed, mut missing) = (0, 0);
    let progress = Progress::new("files", sources.len() as u64);
    for (done, path) in (0..).zip(&sources) {
        progress.at(done);
        let (name, text) = program::text(path)?;
        match cp2_filetest::test(&name, &text, &options) {
            Ok(tested) => {
                let again =
                    if arguments.bless { bless(path, &text, &tested, &options)? } else { None };
                summary.cases.extend(again.unwrap_or(tested).cases);
            }
            Err(wrong) => {
                let count = wrong.iter().filter(|w| w.is_missing).count();
                (malformed, missing) = (malformed + wrong.len() - count, missing + count);
                wrong
                    .iter()
                    .for_each(|w| complain(format!("{name}:{}: error: {}", w.line, w.message)));
            }
        }
    }
    drop(progress);
    tell(&summary, arguments.json)?;
    let told = match (malformed, missing) {
        (0, 0) => return Ok(if summary.failed() == 0 { Exit::Success } else { Exit::Check }),
        (_, 0) => directives(malformed),
        (0, _) => without_checks(missing),
        _ => format!("{}, and {}", directives(malformed), without_checks(missing)),
    };
    Err(bad_input(told))
}

fn directives(malformed: usize) -> String {
    let plural = if malformed == 1 { "" } else { "s" };
    format!("{malformed} directive{plural} cannot be understood")
}

fn without_checks(missing: usize) -> String {
    match missing {
        1 => "1 case checks nothing".to_owned(),
        _ => format!("{missing} cases check nothing"),
    }
}

/// Returns the paths to test: the arguments, or what the project in this folder names.
fn paths(arguments: &Test) -> Outcome<Vec<PathBuf>> {
    if !arguments.paths.is_empty() {
        return Ok(arguments.paths.clone());
    }
    let file = Path::new(project::FILE);
    if !file.exists() {
        return Err(usage(format!(
            "name sources or folders to test; without any, `cp2 test` runs in a project, whose {} names them",
            project::FILE
        )));
    }
    let (name, text) = program::text(file)?;
    let tests = project::tests(&text).map_err(|e| bad_input(format!("{name}: {e}")))?;
    Ok(tests.into_iter().map(PathBuf::from).collect())
}

fn is_chosen(target: TestEngine, engine: Engine) -> bool {
    matches!(
        (target, engine),
        (TestEngine::Reference, Engine::Reference)
            | (TestEngine::Portable, Engine::Portable)
            | (TestEngine::Fast(_), Engine::Fast)
    )
}

/// Finds the sources that a path means: itself, or those in a folder and below, by name.
fn find(path: &Path, found: &mut Vec<PathBuf>) -> Outcome<()> {
    if files::is_standard(path) || !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let before = found.len();
    in_folder(path, found)?;
    match found.len() - before {
        0 => {
            Err(bad_input(format!("{}: there is no source (`.s`) in this folder", path.display())))
        }
        _ => Ok(()),
    }
}

fn in_folder(folder: &Path, found: &mut Vec<PathBuf>) -> Outcome<()> {
    let trouble = |e: std::io::Error| bad_input(format!("cannot read {}: {e}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(trouble)?;
    let mut paths =
        entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(trouble)?;
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            in_folder(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "s") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// Writes the results that were found into the file, and tests it again; none if the file has them already.
fn bless(
    path: &Path,
    text: &str,
    tested: &Tested,
    options: &Options<'_>,
) -> Outcome<Option<Tested>> {
    if tested.blessed == text {
        return Ok(None);
    }
    files::write(path, tested.blessed.as_bytes())?;
    Ok(cp2_filetest::test(&path.display().to_string(), &tested.blessed, options).ok())
}

fn tell(summary: &Summary, json: bool) -> Outcome<()> {
    if json {
        return files::print_json(&cp2_filetest::report(summary));
    }
    for case in &summary.cases {
        let name = if case.name.is_empty() { String::new() } else { format!(" ({})", case.name) };
        for failure in &case.failures {
            let text = format!("{}:{}:{name} {}\n", case.file, failure.line(), failure.message());
            files::print(text.as_bytes())?;
        }
    }
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let (files, cases, checks) = (summary.files, summary.cases.len(), summary.checks());
    let text = format!(
        "{files} file{}, {cases} case{}, {checks} check{}: {} failed\n",
        plural(files),
        plural(cases),
        plural(checks),
        summary.failed()
    );
    crate::storage::files::print(text.as_bytes())
}
