//! `cp2 lint`.

use crate::args::Lint;
use crate::exit::{Exit, Outcome};
use crate::{files, program};

pub(crate) fn lint(arguments: &Lint) -> Outcome {
    let loaded = program::load(&arguments.program)?;
    let findings = cp2_asm::lint::lint(&loaded.image);
    if let Some(path) = &arguments.sarif {
        let sarif = cp2_asm::lint::sarif::report(&findings, &loaded.image, &loaded.sources);
        files::write(path, format!("{sarif:#}\n").as_bytes())?;
    }
    let standard = arguments.sarif.as_deref().is_some_and(files::is_standard);
    if arguments.json {
        super::print_json(&cp2_asm::lint::to_json(&findings, &loaded.image))?;
    } else if !standard {
        let diagnostics = cp2_asm::lint::diagnostics(&findings, &loaded.image, &loaded.sources);
        let plural = if findings.len() == 1 { "" } else { "s" };
        let text = program::rendered(&diagnostics, &loaded.sources);
        files::print(format!("{text}{} finding{plural}\n", findings.len()).as_bytes())?;
    }
    Ok(if findings.is_empty() { Exit::Success } else { Exit::Check })
}
