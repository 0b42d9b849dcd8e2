//! `cp2 diff`: two runs beside each other.

use crate::args::{Diff, Subject as Choice};
use crate::exit::{Exit, Outcome};
use crate::files;
use crate::subject::{self, Subject};
use cp2_analysis::compare::{Reach, Run, compare};
use cp2_analysis::program::Program;

pub(crate) fn diff(arguments: &Diff) -> Outcome {
    let of_a = &arguments.subject;
    let mut of_b: Choice = of_a.clone();
    of_b.machine.changes.set.extend(arguments.set_b.iter().cloned());
    of_b.init = arguments.init_b.clone().or(of_b.init);
    let mut a = subject::open_beside(&arguments.a, of_a)?;
    let mut b = subject::open_beside(&arguments.b, &of_b)?;
    let Subject { recording: recording_a, image: image_a, name, .. } = &mut a;
    let Subject { recording: recording_b, image: image_b, .. } = &mut b;
    let program_a = Program::new(image_a, recording_a.core());
    let program_b = Program::new(image_b, recording_b.core());
    let runs = [
        Run { recording: recording_a, program: &program_a },
        Run { recording: recording_b, program: &program_b },
    ];
    let found = compare(runs, Reach(arguments.reach)).map_err(|e| Subject::failed(name, &e))?;
    match arguments.json {
        true => super::print_json(&found.to_json())?,
        false => files::print(found.text([&program_a, &program_b]).as_bytes())?,
    }
    Ok(if found.is_identical() { Exit::Success } else { Exit::Check })
}
