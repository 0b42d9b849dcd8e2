//! `cp2 stats`: the summary of a recording.

use crate::args::Stats;
use crate::exit::{Exit, Outcome, bad_input};
use crate::{files, recording};

pub(crate) fn stats(arguments: &Stats) -> Outcome {
    let path = &arguments.recording;
    let place = |e| bad_input(format!("{}: {e}", path.display()));
    let mut recording = recording::open(path)?;
    if arguments.verify {
        recording.verify().map_err(place)?;
    }
    let (all, command) = (recording.cycles(), recording.header().command.clone());
    let (begin, end) = (*all.start(), *all.end());
    let checkpoints = recording.checkpoints().len();
    let pyramid = recording.summary().map_err(place)?;
    let mut text = format!("{command}\n");
    text += &format!("cycles {begin} to {end}, {checkpoints} checkpoints\n");
    text += &pyramid.total().to_text(end - begin);
    if let Some(most) = arguments.stretches {
        text += &cp2_recording::stretches_text(pyramid.within(&(begin..end), most as usize));
    }
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}
