//! Programs from files and texts, in every form: source, objects, `.hex`.

use crate::model::program::{Loop, Program as Shown};
use crate::worker::origin::Failure;
use cp2_asm::diagnostic::Sources;
use cp2_asm::{Scheduled, listing};
use cp2_isa::Core;
use cp2_session::{Environment, Form, Program, ProgramError};
use std::path::Path;

/// Reads a program from a file, whatever its form.
pub(crate) fn read(path: &Path, core: &Core) -> Result<Program, Failure> {
    let bytes = cp2_files::regular(path)
        .map_err(|e| Failure::of(&format!("Cannot read {}", path.display()), &e))?;
    let name = path.display().to_string();
    let form = Form::of(&name, &bytes);
    let program =
        Program::from_bytes(&Environment::new(), core, (&name, bytes, form), &mut include);
    program.map_err(|error| failure(&name, &error))
}

/// Assembles a text; what it includes is read from files.
pub(crate) fn assemble(name: &str, text: String, core: &Core) -> Result<Program, Failure> {
    let texts = vec![(name.to_owned(), text)];
    let program = Program::from_sources(&Environment::new(), core, texts, &mut include);
    program.map_err(|error| failure(name, &error))
}

fn include(from: &str, path: &str) -> Result<(String, String), String> {
    let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
    let text = cp2_files::included(&found).map_err(|e| e.to_string())?;
    Ok((found.display().to_string(), text))
}

fn failure(name: &str, error: &ProgramError) -> Failure {
    match error {
        ProgramError::Refused(refusal) => {
            let errors = refusal.errors();
            let plural = if errors == 1 { "error" } else { "errors" };
            Failure::of(&format!("{name} does not assemble: {errors} {plural}"), error)
        }
        ProgramError::Object { error, .. } => Failure::of(name, error),
        ProgramError::NotText { .. } => Failure::new(
            &format!("{name} is neither a recording nor a program"),
            "Open a recording of `cp2 run --record`, assembly source, an object of `cp2 asm`, or \
             a .hex file.",
        ),
        ProgramError::Empty { .. } => Failure::new(
            "The program has no bundle to run",
            "Write a kernel with `.kernel` and at least one bundle.",
        ),
        error => Failure::of(name, error),
    }
}

/// Returns the text of a source file, from what was assembled, or from a file, also beside a recording.
fn text(sources: &Sources, name: &str, beside: Option<&Path>) -> Option<String> {
    let known = sources.text_of(name).map(str::to_owned);
    let direct = || std::fs::read_to_string(name).ok();
    let next_to = || std::fs::read_to_string(beside?.join(Path::new(name).file_name()?)).ok();
    known.or_else(direct).or_else(next_to)
}

/// Returns a program for people.
pub(crate) fn view(made: &Program, core: &Core, beside: Option<&Path>) -> Shown {
    Shown::new(made.image(), core, |name| text(made.sources(), name, beside))
}

/// Schedules of the pipelined loops of a program.
pub(crate) enum Schedules {
    /// Schedules that are known.
    Known(Vec<Loop>),
    /// Call that finds the schedules, which may take seconds.
    Found(Box<dyn FnOnce() -> Vec<Loop> + Send>),
}

/// Returns the schedules of a program. Those of one that was read without its source are found by assembling it again; there are
/// none if that gives other bundles.
pub(crate) fn schedules(made: &Program, core: &Core, beside: Option<&Path>) -> Schedules {
    let (image, sources) = (made.image(), made.sources());
    let known = loops(made.regions(), sources);
    let Some(file) = image.files.first().filter(|_| made.regions().is_empty()) else {
        return Schedules::Known(known);
    };
    let Some(text) = text(sources, file, beside) else { return Schedules::Known(known) };
    let (file, core, kernels) = (file.clone(), *core, image.kernels.clone());
    Schedules::Found(Box::new(move || match assemble(&file, text, &core) {
        Ok(again) if again.image().kernels == kernels => loops(again.regions(), again.sources()),
        _ => Vec::new(),
    }))
}

fn loops(regions: &[Scheduled], sources: &Sources) -> Vec<Loop> {
    let mut loops = Vec::new();
    for region in regions {
        for block in &region.report.blocks {
            let Some((start, rows)) = listing::kernel(region, block, sources) else { continue };
            let place = block.span.as_ref().map_or(String::new(), |span| {
                let (line, _) = sources.line_column(span);
                format!("{}:{line}", cp2_asm::sites::short(sources.name(span.file)))
            });
            let least = block.resource_bound.max(block.recurrence_bound.cycles);
            loops.push(Loop {
                place,
                interval: (block.ii.unwrap_or(0), least),
                stages: block.stages,
                unroll: block.unroll,
                start,
                rows,
            });
        }
    }
    loops
}
