//! `cp2 run --profile`: where its parts go. What they hold is in the libraries.

use crate::args::Run;
use crate::process::exit::Outcome;
use crate::storage::files::{self, Output};
use cp2_analysis::profile::{ProfileReport, folded};
use cp2_analysis::program::NamedProgram;
use cp2_asm::Image;
use cp2_asm::diagnostic::Sources;
use cp2_emu::Cp2;
use cp2_isa::Core;
use std::path::Path;

/// Whether anything of a profile is asked for.
pub(super) fn is_wanted(arguments: &Run) -> bool {
    arguments.profile.profile || arguments.profile.profile_folded.is_some()
}

/// Returns the output of the tables; none with `--json`, whose report has the profile.
pub(super) fn output(arguments: &Run) -> Option<&Path> {
    (arguments.profile.profile && !arguments.json).then_some(Path::new("-"))
}

/// Returns the profile of a run that is over, if it was kept.
pub(super) fn report(
    (image, sources): (&Image, &Sources),
    core: &Core,
    cp2: &Cp2,
) -> Option<ProfileReport> {
    let program = || NamedProgram::new(image, core).with_sources(sources);
    cp2.profile().map(|profile| ProfileReport::of_programs(&[(&program(), profile)]))
}

/// Returns the profile of a run that is over as folded stacks; nothing if it was not kept.
pub(super) fn stacks(image: &Image, core: &Core, cp2: &Cp2) -> String {
    cp2.profile().map(|profile| folded(image, core, profile)).unwrap_or_default()
}

/// Prints the tables and writes the folded stacks, which `stacks` returns.
pub(super) fn finish(
    arguments: &Run,
    profile: Option<&ProfileReport>,
    sources: &Sources,
    (folded, stacks): (Option<Output>, impl FnOnce() -> String),
) -> Outcome<()> {
    let Some(profile) = profile else { return Ok(()) };
    if arguments.profile.profile && !arguments.json {
        let line = |file: &str, line: u32| line_of(sources, file, line);
        files::print(profile.text(&line).as_bytes())?;
    }
    match &arguments.profile.profile_folded {
        Some(path) => files::finish(folded, path, stacks().as_bytes()),
        None => Ok(()),
    }
}

/// Returns the text of a line of a source that was read, without its comment.
fn line_of(sources: &Sources, file: &str, line: u32) -> Option<String> {
    let place = sources.names().position(|name| name == file)?;
    let text = sources.text(u32::try_from(place).ok()?);
    let line = text.lines().nth(line.checked_sub(1)? as usize)?;
    Some(cp2_asm::without_comment(line).to_owned())
}
