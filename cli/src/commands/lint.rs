//! `cp2 lint`.

use crate::args::Lint;
use crate::colour::Stream;
use crate::exit::{Exit, Outcome};
use crate::program::Loaded;
use crate::progress::Progress;
use crate::{files, machine, program};
use cp2_lint as lint;
use serde_json::json;
use std::path::Path;

pub(crate) fn lint(arguments: &Lint) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    files::check(&[Some(&arguments.program.program)], &[arguments.sarif.as_deref(), json])?;
    let core = machine::core(&arguments.core)?;
    let Loaded { image, sources, .. } = program::load(&arguments.program, &core)?;
    let options = lint::Options { core, undefined: arguments.undefined };
    let progress = Progress::working("following all paths");
    let findings = lint::lint_for(&image, &options);
    drop(progress);
    if let Some(path) = &arguments.sarif {
        let sarif = lint::sarif::report(&core, &findings, &image, &sources);
        files::write(path, format!("{sarif:#}\n").as_bytes())?;
    }
    let standard = arguments.sarif.as_deref().is_some_and(files::is_standard);
    if arguments.json {
        let findings = lint::to_json(&findings, &image);
        super::print_json(&json!({ "schema": "cp2-lint-1", "findings": findings }))?;
    } else if !standard {
        let diagnostics = lint::diagnostics(&findings, &image, &sources);
        let text = program::rendered_on(Stream::Output, &diagnostics, &sources);
        let plural = if findings.len() == 1 { "" } else { "s" };
        let gap = if findings.is_empty() { "" } else { "\n" };
        files::print(format!("{text}{gap}{} finding{plural}\n", findings.len()).as_bytes())?;
    }
    Ok(if findings.is_empty() { Exit::Success } else { Exit::Check })
}
