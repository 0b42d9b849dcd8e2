//! `cp2 loops`.

mod run;

use crate::args::{Loops, LoopsDialect, LoopsStorage};
use crate::input::program::{refused, text};
use crate::process::exit::{Exit, Failure, Outcome, bad_input};
use crate::storage::files::{self, Output};
use cp2_asm::diagnostic::Sources;
use cp2_loops::code::{CodeDialect, CodeRefusal};
use cp2_loops::report::{NestReport, to_json, to_text};
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_loops::{NestStudy, StudyFailure, check_nest, code_of_phases};
use cp2_nest::{Nest, read_nest};

pub(crate) fn loops(arguments: &Loops) -> Outcome {
    files::check(&[Some(&arguments.nest)], &[arguments.to.as_deref()])?;
    let mut sources = Sources::default();
    let (name, text) = text(&arguments.nest)?;
    sources.add(name, text);
    let nest = read_nest(&sources, 0).map_err(|problems| refused(&problems, &sources))?;
    check_threads(arguments, &nest)?;
    let library = IslLibrary::default();
    let rule = match arguments.storage {
        LoopsStorage::Kept => StorageRule::Kept,
        LoopsStorage::Expanded => StorageRule::Expanded,
        LoopsStorage::Reduced => StorageRule::Reduced,
    };
    if rule.is_forbidden(&nest) {
        let problem = "a pragma of the nest forbids it; take `--storage kept`, or change `#pragma loops forbid(...)`";
        return Err(bad_input(format!("--storage: {problem}")));
    }
    let threads: Vec<&str> = arguments.threads.iter().map(String::as_str).collect();
    let threads = (!threads.is_empty()).then_some(&threads[..]);
    if arguments.check {
        check_nest(&nest, &library, rule).map_err(|failure| failed(failure, &sources))?;
        return Ok(Exit::Success);
    }
    let study = NestStudy::new(&nest, &library, rule, threads);
    let study = study.map_err(|failure| failed(failure, &sources))?;
    if arguments.run.run {
        return run::run(arguments, &study, &sources);
    }
    // Where all iterations of the outermost loop depend on each other, those within one may not.
    let phased = if study.plan.is_sequential() { nest.phases() } else { None };
    let mut parts = Vec::new();
    for part in phased.iter().flat_map(|phased| &phased.phases) {
        let part = NestStudy::new(part, &library, rule, None);
        parts.push(part.map_err(|failure| failed(failure, &sources))?);
    }
    let phased = phased.as_ref().filter(|_| parts.iter().any(|part| !part.plan.is_sequential()));
    if let Some(dialect) = arguments.code {
        let dialect = match dialect {
            LoopsDialect::C => CodeDialect::C,
            LoopsDialect::Cuda => CodeDialect::Cuda,
            LoopsDialect::Opencl => CodeDialect::OpenCl,
        };
        let code = match phased {
            Some(phased) => code_of_phases(phased, &nest, &parts, dialect),
            None => study.code(dialect),
        };
        return write_code(arguments, code);
    }
    let mut report = NestReport::new(&study, &sources);
    if let Some(phased) = phased {
        let index = &nest.loops[phased.outer].name.name;
        let parts = parts.iter().map(|part| NestReport::new(part, &sources));
        report = report.with_phases(index, parts.collect());
    }
    if arguments.json {
        files::print_json(&to_json(&report))?;
    } else {
        files::print(to_text(&report, arguments.explain).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Writes the code of threads into the file that was asked for, or prints it.
fn write_code(arguments: &Loops, code: Result<String, CodeRefusal>) -> Outcome {
    let code =
        code.map_err(|refusal| bad_input(format!("{}: {refusal}", arguments.nest.display())))?;
    match &arguments.to {
        Some(path) if !files::is_standard(path) => {
            files::finish(Some(Output::open(path)?), path, code.as_bytes())?;
        }
        _ => files::print(code.as_bytes())?,
    }
    Ok(Exit::Success)
}

/// Refuses names of loops that the nest does not have.
fn check_threads(arguments: &Loops, nest: &Nest) -> Outcome<()> {
    let known = || nest.loops.iter().map(|one| one.name.name.as_str());
    for (place, name) in arguments.threads.iter().enumerate() {
        if !known().any(|other| other == name) {
            let near = cp2_asm::nearest(name, known());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(bad_input(format!("--threads: the nest has no loop over `{name}`{near}")));
        }
        if arguments.threads[..place].contains(name) {
            return Err(bad_input(format!("--threads: `{name}` stands twice")));
        }
    }
    Ok(())
}

fn failed(failure: StudyFailure, sources: &Sources) -> Failure {
    match failure {
        StudyFailure::Refused(problems) => refused(&problems, sources),
        StudyFailure::Internal(message) => Failure {
            exit: Exit::Internal,
            message: format!("cp2: error: {message}; please report this nest"),
        },
    }
}
