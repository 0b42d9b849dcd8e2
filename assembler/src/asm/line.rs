//! Lines of source text that know where every byte of them was written, through macro arguments
//! and iterations. Nothing is parsed here but where the comment begins.

use crate::diagnostic::{Diagnostic, Severity, Span};
use cp2_ir::expansion::Expansion;
use cp2_ir::text::without_comment;
use std::ops::Range;
use std::rc::Rc;

/// A line as it was written or made.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Bytes of the text before the comment.
    code: usize,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    File { file: u32, offset: usize },
    Derived { parent: Rc<Line>, pieces: Vec<Piece>, frame: Rc<Frame> },
}

/// A part of a derived line.
#[derive(Debug)]
struct Piece {
    /// Byte of the line at which the piece begins.
    at: usize,
    /// Bytes of the parent line that the piece stands for.
    from: Range<usize>,
    source: Piecewise,
}

#[derive(Debug)]
enum Piecewise {
    /// The parent's bytes themselves.
    Verbatim,
    /// Text that is written nowhere, such as the number of an iteration.
    Made,
    /// Bytes of the line with the call, from this offset on.
    Argument(Rc<Line>, usize),
}

/// The reason why a line was derived.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A macro was called.
    Macro { name: String, call: Loc },
    /// A repetition, with the iteration's number.
    Rept(Option<String>, u64),
}

/// A place in the source and how the assembler came there.
#[derive(Clone, Debug)]
pub(crate) struct Loc {
    pub(crate) span: Span,
    frames: Vec<Rc<Frame>>,
    /// For a macro argument: where the macro uses it.
    used: Option<Rc<Loc>>,
}

/// Bytes of a line. Where they were written is worked out when somebody asks.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    line: Rc<Line>,
    at: Range<usize>,
}

impl Spot {
    pub(crate) fn new(line: &Rc<Line>, at: Range<usize>) -> Self {
        Self { line: line.clone(), at }
    }

    /// Creates the spot of the line as a whole, blanks aside.
    pub(crate) fn whole(line: &Rc<Line>) -> Self {
        Self::new(line, line.whole_bytes())
    }

    pub(crate) fn loc(&self) -> Loc {
        self.line.loc(self.at.clone())
    }

    /// Creates an error here.
    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.loc().error(code, message)
    }
}

/// The text for which `\name` stands.
pub(crate) enum Replacement {
    Made(String),
    Argument(Rc<Line>, Range<usize>),
}

impl Line {
    /// Returns the lines of a file.
    pub(crate) fn of_file(file: u32, text: &str) -> Vec<Rc<Self>> {
        let mut offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lines = Vec::new();
        for part in text[offset..].split_inclusive('\n') {
            let line = part.trim_end_matches(['\n', '\r']).to_owned();
            lines.push(Rc::new(Self::new(line, Origin::File { file, offset })));
            offset += part.len();
        }
        lines
    }

    /// Returns the line with every `\name` that `lookup` knows replaced; `\()` after one vanishes.
    pub(crate) fn derive(
        self: &Rc<Self>,
        frame: &Rc<Frame>,
        lookup: &dyn Fn(&str) -> Option<Replacement>,
    ) -> Self {
        let mut text = String::new();
        let mut pieces = Vec::new();
        let mut copied = 0;
        let mut push = |text: &mut String, from: Range<usize>, source, made: &str| {
            pieces.push(Piece { at: text.len(), from, source });
            text.push_str(made);
        };
        while let Some(slash) = self.text[copied..].find('\\').map(|i| i + copied) {
            let name = name_after(&self.text[slash + 1..]);
            let mut end = slash + 1 + name.len();
            push(&mut text, copied..slash, Piecewise::Verbatim, &self.text[copied..slash]);
            match lookup(name) {
                Some(replacement) => {
                    if self.text[end..].starts_with("\\()") {
                        end += 3;
                    }
                    let (source, made) = replacement.parts();
                    push(&mut text, slash..end, source, &made);
                }
                None => {
                    end = end.max(slash + 1);
                    push(&mut text, slash..end, Piecewise::Verbatim, &self.text[slash..end]);
                }
            }
            copied = end;
        }
        push(&mut text, copied..self.text.len(), Piecewise::Verbatim, &self.text[copied..]);
        Self::new(text, Origin::Derived { parent: self.clone(), pieces, frame: frame.clone() })
    }

    fn new(text: String, origin: Origin) -> Self {
        Self { code: without_comment(&text).len(), text, origin }
    }

    /// Returns the line as the parsers see it: without its comment and the blanks before the comment.
    pub(crate) fn code(&self) -> &str {
        &self.text[..self.code]
    }

    /// Returns the place in which bytes of the line were written.
    pub(crate) fn loc(&self, range: Range<usize>) -> Loc {
        match &self.origin {
            Origin::File { file, offset } => {
                let range = range.start + offset..range.end.max(range.start) + offset;
                Loc { span: Span { file: *file, range }, frames: Vec::new(), used: None }
            }
            Origin::Derived { parent, pieces, frame } => {
                let first = piece_at(pieces, range.start);
                let last = piece_at(pieces, range.end.max(range.start + 1) - 1);
                let whole = |p: &Piece| {
                    let mut loc = parent.loc(p.from.clone());
                    loc.frames.push(frame.clone());
                    loc
                };
                if let (Piecewise::Argument(line, offset), true) =
                    (&first.source, std::ptr::eq(first, last))
                {
                    let moved = |byte: usize| byte - first.at + offset;
                    let mut loc = line.loc(moved(range.start)..moved(range.end.max(range.start)));
                    loc.used = Some(Rc::new(whole(first)));
                    return loc;
                }
                let start = first.parent_byte(range.start, first.from.start);
                let end = last.parent_byte(range.end, last.from.end);
                let mut loc = parent.loc(start..end.max(start));
                loc.frames.push(frame.clone());
                loc
            }
        }
    }

    /// Returns the place in which the line as a whole was written, blanks aside.
    pub(crate) fn whole(&self) -> Loc {
        self.loc(self.whole_bytes())
    }

    fn whole_bytes(&self) -> Range<usize> {
        let start = self.text.len() - self.text.trim_start().len();
        start..self.text.trim_end().len().max(start)
    }
}

/// Returns the last piece that begins at or before a byte and is not empty, if there is one.
fn piece_at(pieces: &[Piece], byte: usize) -> &Piece {
    let after = pieces.partition_point(|p| p.at <= byte);
    &pieces[after.saturating_sub(1)]
}

impl Piece {
    fn parent_byte(&self, byte: usize, otherwise: usize) -> usize {
        match self.source {
            Piecewise::Verbatim => {
                (self.from.start + byte.saturating_sub(self.at)).min(self.from.end)
            }
            _ => otherwise,
        }
    }
}

impl Replacement {
    fn parts(self) -> (Piecewise, String) {
        match self {
            Self::Made(text) => (Piecewise::Made, text),
            Self::Argument(line, range) => {
                let text = line.text[range.clone()].to_owned();
                (Piecewise::Argument(line, range.start), text)
            }
        }
    }
}

/// Returns the name at the start of what follows a backslash: an identifier or `@`.
fn name_after(text: &str) -> &str {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length =
        if text.starts_with('@') { 1 } else { text.find(|c| !word(c)).unwrap_or(text.len()) };
    &text[..length]
}

impl Loc {
    /// Returns the macro call that led here, outermost last, with the macro's name.
    fn call(&self) -> Option<(&Loc, &str)> {
        self.frames.iter().rev().find_map(|f| match &**f {
            Frame::Macro { name, call } => Some((call, name.as_str())),
            Frame::Rept(..) => None,
        })
    }

    /// Returns the place outside all macros.
    pub(crate) fn outermost(&self) -> Span {
        self.unwind().0
    }

    /// Returns the place outside all macros, then the places within them, outermost first.
    fn unwind(&self) -> (Span, Vec<(Span, String)>) {
        let mut related = Vec::new();
        let mut here = self;
        while let Some((call, name)) = here.call() {
            let entry = (here.span.clone(), format!("in the expansion of macro `{name}`"));
            // A macro that calls itself is shown once.
            if related.first() != Some(&entry) {
                related.insert(0, entry);
            }
            here = call;
        }
        if let Some(used) = &self.used {
            let (_, inner) = used.unwind();
            related.extend(inner);
        }
        (here.span.clone(), related)
    }

    /// Returns the places of the macro calls that led here, the outermost first.
    pub(crate) fn calls(&self) -> Vec<Span> {
        let used = self.used.as_ref().map_or(Vec::new(), |used| used.calls());
        let mut calls = used;
        let mut here = self;
        let mut own = Vec::new();
        while let Some((call, _)) = here.call() {
            own.push(call.span.clone());
            here = call;
        }
        own.reverse();
        calls.extend(own);
        calls
    }

    fn iterations(&self, out: &mut Vec<String>) {
        for frame in &self.frames {
            match &**frame {
                Frame::Rept(Some(name), n) => out.push(format!("in the iteration `{name}` = {n}")),
                Frame::Rept(None, n) => out.push(format!("in iteration {n} of `.rept`")),
                Frame::Macro { call, .. } => call.iterations(out),
            }
        }
        if let Some(used) = &self.used {
            used.iterations(out);
        }
    }

    /// Returns the way by which the assembler came to this line.
    pub(crate) fn expansion(&self) -> Expansion {
        let (_, inner) = self.unwind();
        let mut iterations = Vec::new();
        self.iterations(&mut iterations);
        iterations.dedup();
        Expansion { inner, iterations }
    }

    /// Creates a diagnostic here: at the outermost macro call, with the places inside macros related.
    pub(crate) fn diagnose(
        &self,
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
    ) -> Diagnostic {
        let Expansion { inner, iterations } = self.expansion();
        let mut d = Diagnostic::new(code, severity, Some(self.outermost()), message);
        d.related = inner;
        d.notes = iterations;
        d
    }

    /// Creates an error here.
    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.diagnose(code, Severity::Error, message)
    }
}
