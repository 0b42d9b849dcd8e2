//! `cp2 report`: a run as one page.

use crate::args::Report;
use crate::input::subject::{self, Subject};
use crate::process::exit::{Exit, Outcome, usage};
use crate::storage::files::{self, Output};
use cp2_analysis::report::{ReportRequest, WINDOW, page};
use cp2_isa::Cycle;

pub(crate) fn report(arguments: &Report) -> Outcome {
    files::check(&[Some(&arguments.run)], &[Some(&arguments.output)])?;
    let output = match files::is_standard(&arguments.output) {
        true => None,
        false => Some(Output::open(&arguments.output)?),
    };
    let mut subject = subject::open(&arguments.run, &arguments.start, &arguments.output)?;
    let (begin, end) = (*subject.recording.cycles().start(), *subject.recording.cycles().end());
    let mut windows = Vec::new();
    for window in &arguments.cycles {
        let range = Cycle(window.start).max(begin)..Cycle(window.end).min(end);
        subject.check(range.start)?;
        if range.end.saturating_since(range.start) > WINDOW {
            return Err(usage(format!(
                "--cycles {}..{}: too many cycles; a window has at most {WINDOW}",
                window.start, window.end
            )));
        }
        windows.push(range);
    }
    let file = arguments.run.file_name().map(|name| name.to_string_lossy().into_owned());
    let request = ReportRequest {
        title: arguments.title.clone().or(file).unwrap_or_default(),
        made_by: crate::input::recording::command_line(),
        windows,
    };
    let is_recorded = subject.is_recorded();
    let Subject { recording, programs, name, lines, .. } = &mut subject;
    let named = programs.named(recording.core());
    let programs = programs.in_cycles(&named);
    let text = page(recording, &programs, &request, &|file, line| lines.line(file, line));
    let text = text.map_err(|e| Subject::without_account(name, is_recorded, &e))?;
    files::finish(output, &arguments.output, text.as_bytes())?;
    Ok(Exit::Success)
}
