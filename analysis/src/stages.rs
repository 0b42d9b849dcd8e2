//! Stages of a program: what the notes of its text call the work of its lines, such as `stage 3, butterfly 5`. Generators
//! write them, so that thousands of lines are told by what they do. A note is a comment that begins with `;:`. Behind a
//! line of code it is for this line; on a line of its own it is for the lines of code behind it, up to the next such note.

use crate::attribution::SourceLineId;
use cp2_ir::diagnostic::Sources;
use cp2_ir::image::Image;
use std::collections::HashMap;

/// Begin of a note.
const NOTE: &str = ";:";

/// The stages of a program by source line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(HashMap<SourceLineId, String>);

impl Stages {
    /// Reads the stages of a program from the texts of its files, as far as `sources` has them.
    pub fn of(image: &Image, sources: &Sources) -> Self {
        let mut stages = HashMap::new();
        for (file, name) in (0..).zip(&image.files) {
            let text = sources.text_of(name).filter(|text| text.contains(NOTE));
            let lines = text.into_iter().flat_map(named_lines);
            stages.extend(lines.map(|(line, stage)| ((file, line), stage.to_owned())));
        }
        Self(stages)
    }

    /// Returns the note of a source line; `None` if no note is for it.
    pub fn note(&self, line: SourceLineId) -> Option<&str> {
        self.0.get(&line).map(String::as_str)
    }

    /// Returns the stage of a source line, which is its note up to the first comma; `None` if no note is for it.
    pub fn stage(&self, line: SourceLineId) -> Option<&str> {
        self.note(line).map(stage_of)
    }

    /// Returns whether no line has a stage.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn stage_of(note: &str) -> &str {
    note.split(',').next().unwrap_or(note).trim_end()
}

/// Returns the lines of a text that have a note, each with its number from 1.
fn named_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut open = "";
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let (code, note) = match line.split_once(NOTE) {
            // The colon is within a comment or a text.
            Some((code, _)) if code.contains([';', '"']) => (code, None),
            Some((code, note)) => (code, Some(note.trim())),
            None => (line, None),
        };
        let has_code = !code.split(';').next().unwrap_or(code).trim().is_empty();
        match (has_code, note) {
            (false, Some(note)) => {
                open = note;
                None
            }
            (false, None) => None,
            (true, Some(note)) if !note.is_empty() => Some((number, note)),
            (true, _) => Some((number, open)).filter(|(_, open)| !open.is_empty()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        .kernel k
        psadd f2, f1, f1  ;: stage 1, butterfly 5
        nop
;: begin
        ; the sums
        nop  ; not a note ;: x
        psadd f3, f1, f1  ;: stage 2
        nop
        ;:
        nop
";

    #[test]
    fn notes_are_for_their_line_or_for_those_behind_them() {
        let found: Vec<_> = named_lines(TEXT).collect();
        let expected = [(2, "stage 1, butterfly 5"), (6, "begin"), (7, "stage 2"), (8, "begin")];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_stage_is_the_note_up_to_the_comma() {
        let mut sources = Sources::default();
        sources.add("k.s", TEXT);
        let image =
            Image { files: vec!["other.s".to_owned(), "k.s".to_owned()], ..Image::default() };
        let stages = Stages::of(&image, &sources);
        assert_eq!(stages.stage((1, 2)), Some("stage 1"));
        assert_eq!(stages.note((1, 2)), Some("stage 1, butterfly 5"));
        assert_eq!((stages.stage((1, 3)), stages.stage((0, 2))), (None, None));
    }
}
