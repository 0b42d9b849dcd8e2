//! `cp2 stats`: where the cycles of a run went.

use crate::args::Stats;
use crate::exit::{Exit, Failure, Outcome, bad_input};
use crate::files;
use crate::subject::{self, Subject};
use cp2_analysis::accounting::{Account, AccountError};
use cp2_analysis::program::Program;

pub(crate) fn stats(arguments: &Stats) -> Outcome {
    let mut subject = subject::open(&arguments.run, &arguments.subject)?;
    let name = subject.name.clone();
    let place = |e| bad_input(format!("{name}: {e}"));
    if arguments.verify {
        subject.recording.verify().map_err(place)?;
    }
    let account = match arguments.summary {
        true => None,
        false => Some(account(&mut subject)?),
    };
    if let (true, Some(account)) = (arguments.json, &account) {
        super::print_json(&account.to_json())?;
        return Ok(Exit::Success);
    }
    let recording = &mut subject.recording;
    let (all, command) = (recording.cycles(), recording.header().command.clone());
    let (begin, end) = (*all.start(), *all.end());
    let (checkpoints, digest) = (recording.checkpoints().len(), recording.digest());
    let pyramid = recording.summary().map_err(place)?;
    let mut text = format!("{command}\n");
    text += &format!("recording {digest}, cycles {begin} to {end}, {checkpoints} checkpoints\n");
    text += &pyramid.total().to_text(end - begin);
    if let Some(most) = arguments.stretches {
        text += &cp2_recording::stretches_text(pyramid.within(&(begin..end), most as usize));
    }
    if let Some(account) = account {
        text += &account.text(&|file, line| subject.lines.line(file, line));
    }
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

fn account(subject: &mut Subject) -> Outcome<Account> {
    let Subject { recording, image, name, .. } = subject;
    let program = Program::new(image, recording.core());
    Account::of(recording, &program).map_err(|e| match e {
        AccountError::Recording(e) => Subject::failed(name, &e),
        AccountError::Sums(_) => {
            Failure { exit: Exit::Internal, message: format!("cp2: error: {name}: {e}") }
        }
    })
}
