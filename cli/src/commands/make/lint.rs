//! `cp2 lint`.

use crate::args::{self, Lint};
use crate::input::{machine, program};
use crate::process::colour::Stream;
use crate::process::exit::{Exit, Outcome, bad_input, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_asm::diagnostic::{Diagnostic, Severity, Sources, Span, count_errors};
use cp2_isa::Core;
use cp2_lint as lint;
use cp2_session::{Form, Program, ProgramError, Refusal};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "cp2-lint-1";

pub(crate) fn lint(arguments: &Lint) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    let inputs: Vec<_> = arguments.programs.iter().map(|p| Some(p.as_path())).collect();
    files::check(&inputs, &[arguments.sarif.as_deref(), json])?;
    let core = machine::core(&arguments.core)?;
    let linted = match load(arguments, &core)? {
        Ok(program) => program,
        Err(refusal) if arguments.json => {
            files::print_json(&refused(&refusal.diagnostics, &refusal.sources))?;
            return Ok(Exit::BadInput);
        }
        Err(refusal) => return Err(program::refused(&refusal.diagnostics, &refusal.sources)),
    };
    let (image, sources, expansions) = (linted.image(), linted.sources(), linted.expansions());
    let options = lint::Options { core, undefined: arguments.undefined };
    let progress = Progress::working("following all paths");
    let findings = lint::lint_for(image, &options);
    drop(progress);
    if let Some(path) = &arguments.sarif {
        let sarif = lint::sarif::report(&core, &findings, image, sources);
        files::write(path, format!("{sarif:#}\n").as_bytes())?;
    }
    let standard = arguments.sarif.as_deref().is_some_and(files::is_standard);
    if arguments.json {
        let findings = lint::to_json(&findings, image, expansions);
        files::print_json(&json!({
            "schema": SCHEMA,
            "findings": findings,
            "errors": [],
            "error_count": 0,
        }))?;
    } else if !standard {
        let causes = lint::diagnostics(&findings, image, sources, expansions);
        let text = program::rendered_on(Stream::Output, &causes, sources);
        let gap = if findings.is_empty() { "" } else { "\n" };
        files::print(format!("{text}{gap}{}\n", summary(findings.len(), causes.len())).as_bytes())?;
    }
    Ok(if findings.is_empty() { Exit::Success } else { Exit::Check })
}

fn summary(findings: usize, causes: usize) -> String {
    let plural = if findings == 1 { "" } else { "s" };
    let of = match causes {
        n if n == findings => String::new(),
        1 => " of 1 cause".to_owned(),
        n => format!(" of {n} causes"),
    };
    format!("{findings} finding{plural}{of}")
}

/// Loads the program; returns the errors of the assembler as they are.
fn load(arguments: &Lint, core: &Core) -> Outcome<Result<Program, Box<Refusal>>> {
    let of = |path: &PathBuf| args::Program {
        program: path.clone(),
        format: arguments.format,
        cache: arguments.cache,
    };
    if let [path] = arguments.programs.as_slice() {
        let one = of(path);
        let bytes = program::bytes_of(path)?;
        if program::form_of(&one, &bytes) != Form::Source {
            return Ok(Ok(program::load_bytes(&one, bytes, core)?));
        }
        let name = program::name_of(path);
        let text = program::utf8(&name, bytes)?;
        return sources(arguments, core, vec![(name, text)]);
    }
    let mut texts = Vec::new();
    for path in &arguments.programs {
        let bytes = program::bytes_of(path)?;
        if program::form_of(&of(path), &bytes) != Form::Source {
            let name = path.display();
            return Err(usage(format!(
                "{name} is a whole program, not a source; give it alone, or give sources only"
            )));
        }
        let name = program::name_of(path);
        let text = program::utf8(&name, bytes)?;
        texts.push((name, text));
    }
    sources(arguments, core, texts)
}

fn sources(
    arguments: &Lint,
    core: &Core,
    texts: Vec<(String, String)>,
) -> Outcome<Result<Program, Box<Refusal>>> {
    let names: Vec<String> = texts.iter().map(|(name, _)| name.clone()).collect();
    let program = program::assemble(core, texts, arguments.cache);
    match program.and_then(|program| program.with_bundles(&names.join(", "))) {
        Ok(program) => Ok(Ok(program::warned(program))),
        Err(ProgramError::Refused(refusal)) => Ok(Err(refusal)),
        Err(error) => Err(bad_input(error)),
    }
}

/// Returns the report with errors of the assembler in place of findings.
fn refused(errors: &[Diagnostic], sources: &Sources) -> Value {
    let place = |span: &Span| {
        let (line, column) = sources.line_column(span);
        json!({ "file": sources.name(span.file), "line": line, "column": column })
    };
    let one = |d: &Diagnostic| {
        let related = d.related.iter().map(|(span, text)| {
            let mut object = place(span);
            object["text"] = text.as_str().into();
            object
        });
        json!({
            "code": d.code,
            "level": match d.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "message": d.message,
            "place": d.span.as_ref().map(place),
            "related": related.collect::<Vec<_>>(),
            "notes": d.notes,
            "help": d.help,
        })
    };
    json!({
        "schema": SCHEMA,
        "findings": [],
        "errors": errors.iter().map(one).collect::<Vec<_>>(),
        "error_count": count_errors(errors),
    })
}
