//! `cp2 stats`: where the cycles of a run went.

use crate::args::Stats;
use crate::input::subject::{self, Subject};
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use cp2_analysis::accounting::Account;
use cp2_document::width::wrapped_command;
use std::path::Path;

pub(crate) fn stats(arguments: &Stats) -> Outcome {
    let (run, start, output) = (&arguments.run, &arguments.start, Path::new("-"));
    let mut subject = match arguments.verify {
        true => subject::open_verified(run, start, output, !arguments.summary)?,
        false => subject::open(run, start, output)?,
    };
    let name = subject.name.clone();
    let place = |e| bad_input(format!("{name}: {e}"));
    let account = match arguments.summary {
        true => None,
        false => Some(account(&mut subject)?),
    };
    if let (true, Some(account)) = (arguments.json, &account) {
        files::print_json(&account.to_json())?;
        return Ok(Exit::Success);
    }
    let recording = &mut subject.recording;
    let (all, command) = (recording.cycles(), recording.header().command.clone());
    let (begin, end) = (*all.start(), *all.end());
    let (checkpoints, digest) = (recording.checkpoints().len(), recording.digest());
    let is_alone = recording.header().machine.is_none();
    let pyramid = recording.summary().map_err(place)?;
    let mut text = wrapped_command("", &command) + "\n";
    text += &format!("recording {digest}, cycles {begin} to {end}, {checkpoints} checkpoints\n");
    let total = pyramid.total();
    text += &total.to_text(end - begin, total.rated_cycles(end - begin, is_alone));
    if let Some(most) = arguments.stretches {
        text += &cp2_recording::leaves_text(pyramid.within(&(begin..end), most as usize));
    }
    if let Some(account) = account {
        text += &account.text(&|file, line| subject.lines.line(file, line));
    }
    files::print(text.as_bytes())?;
    // The process ends: to give all that memory back piece by piece would only take time.
    std::mem::forget(subject);
    Ok(Exit::Success)
}

fn account(subject: &mut Subject) -> Outcome<Account> {
    let is_recorded = subject.is_recorded();
    let Subject { recording, programs, name, .. } = subject;
    let named = programs.named(recording.core());
    let account = Account::of_programs(recording, &programs.in_cycles(&named));
    account.map_err(|e| Subject::without_account(name, is_recorded, &e))
}
