//! `cp2 completions` and `cp2 man`: both are made from the types of the arguments.

use crate::args::{Arguments, Completions, Man};
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man as Page;
use std::path::Path;

pub(crate) fn completions(arguments: &Completions) -> Outcome {
    let mut text = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "cp2", &mut text);
    files::print(&text)?;
    Ok(Exit::Success)
}

pub(crate) fn man(arguments: &Man) -> Outcome {
    let mut pages = Vec::new();
    collect(&whole(), &mut pages)?;
    let Some(folder) = &arguments.folder else {
        // The first page is that of cp2 itself.
        if let Some((_, page)) = pages.first() {
            files::print(page)?;
        }
        return Ok(Exit::Success);
    };
    if folder.exists() && !folder.is_dir() {
        return Err(bad_input(format!(
            "{} is not a folder; give a folder for the pages",
            folder.display()
        )));
    }
    std::fs::create_dir_all(folder).map_err(|e| files::cannot_write(folder, e))?;
    let paths: Vec<_> = pages.iter().map(|(name, _)| folder.join(name)).collect();
    files::check(&[], &paths.iter().map(|path| Some(path.as_path())).collect::<Vec<_>>())?;
    for (path, (_, page)) in paths.iter().zip(&pages) {
        files::write(path, page)?;
    }
    files::print(format!("{} pages in {}\n", pages.len(), folder.display()).as_bytes())?;
    Ok(Exit::Success)
}

/// Returns the command with all that it inherits.
fn whole() -> Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Collects the pages of a command and of those below it, each with the name of its file.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Outcome<()> {
    let page = Page::new(command.clone());
    let (name, mut text) = (page.get_filename(), Vec::new());
    page.render(&mut text).map_err(|e| files::cannot_write(Path::new(&name), e))?;
    pages.push((name, text));
    command.get_subcommands().filter(|c| !c.is_hide_set()).try_for_each(|c| collect(c, pages))
}
