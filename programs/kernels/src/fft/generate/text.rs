//! Bundles as assembly text: address steps, loops, and parts that several phases share. The order
//! of the bundles is fixed before, in `schedule`.

use super::schedule::{Exchange, Line, Segment, Segments, Shared, Stream, Work};
use std::collections::BTreeMap;

const STREAMS: [Stream; 3] = [Stream::Load, Stream::Store, Stream::Table];
/// Most circles that a vector lies in.
const CIRCLES: usize = 2;

/// Walk of a pass over local memory.
pub(super) struct Walk {
    /// Words from a unit to the next, of loads, stores and factors.
    pub(super) pitch: [i64; 3],
    /// Address sets of loads, stores and factors, each the first of as many as there are circles.
    pub(super) sets: [usize; 3],
    pub(super) units: Units,
}

/// Number of units that a pass works on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Units {
    /// A single unit.
    One,
    /// Number of units that is fixed, more than one.
    Fixed(usize),
    /// A unit more than `g2`.
    Given,
}

impl Units {
    /// Returns the operation that begins the loop over all units but the first one; none for a single unit.
    fn head(self, end: &str) -> Option<String> {
        match self {
            Self::One => None,
            Self::Fixed(units) => Some(format!("doi {}, {end}", units - 1)),
            Self::Given => Some(format!("do g2, {end}")),
        }
    }
}

/// A line of the program, before shared parts are taken out.
enum Item {
    Bundle { arith: String, exch: String, mark: &'static str, note: String },
    Call { arith: String, note: String },
    Return { arith: String, note: String },
    Label(String),
}

/// Bundles that may be shared: lines from `start` to `end`; the call is two lines before.
struct Part {
    start: usize,
    end: usize,
}

/// Words at which the accesses of each stream in each circle go on.
type Words = [[Option<i64>; CIRCLES]; 3];

/// The program under way.
pub(super) struct ProgramText {
    /// Words of the circle that addresses count in.
    circle: i64,
    /// Circles that a vector lies in, one behind the other, each with address sets of its own.
    circles: usize,
    items: Vec<Item>,
    parts: Vec<Part>,
    /// Number of the pass that is under way, from 1, and of the stages of the passes before it.
    pass: usize,
    n_stages: usize,
}

impl ProgramText {
    /// Creates the program of kernels whose addresses count modulo `circle` words, in `circles` circles.
    pub(super) fn new(circle: usize, circles: usize) -> Self {
        assert!((1..=CIRCLES).contains(&circles), "address sets for {circles} circles");
        Self {
            circle: circle as i64,
            circles,
            items: Vec::new(),
            parts: Vec::new(),
            pass: 0,
            n_stages: 0,
        }
    }

    /// Returns the circle of its vector that `word` lies in.
    fn circle_of(&self, word: i64) -> usize {
        word.div_euclid(self.circle).rem_euclid(self.circles as i64) as usize
    }

    /// Returns the word, counted from the unit, of the first access of a stream in a circle, if the stream has one there.
    fn first_access(
        &self,
        lines: &[Line],
        (wanted, circle): (Stream, usize),
        walk: &Walk,
    ) -> Option<i64> {
        lines.iter().find_map(|line| match line.exch {
            Some(Exchange::Memory { stream, unit, offset, .. }) if stream == wanted => {
                let word = unit * walk.pitch[stream as usize] + offset;
                Some(word).filter(|&word| self.circle_of(word) == circle)
            }
            _ => None,
        })
    }

    /// Returns the first accesses of all streams in all circles.
    fn first_accesses(&self, lines: &[Line], walk: &Walk) -> Words {
        STREAMS.map(|k| std::array::from_fn(|circle| self.first_access(lines, (k, circle), walk)))
    }

    /// Returns the step as a signed immediate, the short way around the circle.
    fn wrapped(&self, step: i64) -> i64 {
        (step + self.circle / 2).rem_euclid(self.circle) - self.circle / 2
    }

    pub(super) fn exchange(&mut self, text: &str) {
        self.bundle([String::new(), text.to_owned()], "", String::new());
    }

    fn bundle(&mut self, [arith, exch]: [String; 2], mark: &'static str, note: String) {
        self.items.push(Item::Bundle { arith, exch, mark, note });
    }

    /// Returns the note of a line of the pass that is under way. Stages are those of the whole transform.
    fn note(&self, work: Work) -> String {
        match work {
            Work::Edge => format!("fill and drain, pass {}", self.pass),
            Work::Factors => format!("factors, pass {}", self.pass),
            Work::Butterfly { substage, number: 0 } => {
                format!("stage {}, wait", self.n_stages + substage)
            }
            Work::Butterfly { substage, number } => {
                format!("stage {}, butterfly {number}", self.n_stages + substage)
            }
        }
    }

    /// Appends bundles, each memory access stepping to the next one of its stream and circle; `after` are the
    /// words that follow the last accesses.
    fn lines(&mut self, lines: &[Line], walk: &Walk, after: Words) {
        for (i, line) in lines.iter().enumerate() {
            let (arith, note) = (line.arith.clone(), self.note(line.work));
            let mark = if line.reads_old { "  @allow(C0501)" } else { "" };
            match &line.exch {
                None => self.bundle([arith, String::new()], mark, note),
                Some(Exchange::Text(text)) => self.bundle([arith, text.clone()], mark, note),
                Some(Exchange::Call) => self.items.push(Item::Call { arith, note }),
                Some(Exchange::Return) => self.items.push(Item::Return { arith, note }),
                Some(Exchange::Memory { stream, reg, words, unit, offset }) => {
                    let k = *stream as usize;
                    let here = unit * walk.pitch[k] + offset;
                    let circle = self.circle_of(here);
                    let next = self
                        .first_access(&lines[i + 1..], (*stream, circle), walk)
                        .or(after[k][circle])
                        .unwrap_or(here);
                    let name = [["lwo", "ldo"], ["swo", "sdo"], ["lwo", "ldo"]][k][words - 1];
                    let step = self.wrapped(next - here);
                    let exch = format!("{name} f{reg}, (r{}){step:+}", walk.sets[k] + circle);
                    self.bundle([arith, exch], mark, note);
                }
            }
        }
    }

    /// Appends the phases of a segment.
    fn segment(&mut self, s: &Segment, walk: &Walk, shared: Option<Shared>, after: Words) {
        if let Some(Shared { ret, call }) = shared {
            let at = self.items.len();
            self.parts.extend(s.starts.windows(2).map(|starts| Part {
                start: at + starts[0] + call + 2,
                end: at + starts[1] + ret + 2,
            }));
        }
        self.lines(&s.lines, walk, after);
    }

    /// Appends a pass of `n_stages` stages: its first phase, the loop over the units, and the last unit.
    pub(super) fn append_pass(
        &mut self,
        (name, n_stages): (&str, usize),
        s: &Segments,
        walk: &Walk,
        shared: Option<Shared>,
    ) {
        self.pass += 1;
        let body = self.first_accesses(&s.body.lines, walk);
        let tail = self.first_accesses(&s.tail.lines, walk);
        for (tail, body) in tail.iter().flatten().zip(body.iter().flatten()) {
            assert!(tail.is_none() || tail == body, "loop and tail must go on at one word");
        }
        self.segment(&s.head, walk, shared, body);
        if let Some(head) = walk.units.head(&format!("{name}_end")) {
            let further = |k: usize| body[k].map(|word| word.map(|w| w + walk.pitch[k]));
            let next = [0, 1, 2].map(further);
            self.exchange(&head);
            self.segment(&s.body, walk, shared, next);
            let end = self.items.len() - 2;
            self.items.insert(end, Item::Label(format!("{name}_end:")));
        }
        self.segment(&s.tail, walk, shared, [[None; CIRCLES]; 3]);
        self.n_stages += n_stages;
    }

    /// Returns the text of a part that is shared. Lines whose notes differ where it is called have the notes of all.
    fn shared_text(&self, places: &[&Part]) -> String {
        let Some(first) = places.first() else { return String::new() };
        let line = |k: usize| {
            let mut notes: Vec<&str> = Vec::new();
            for part in places {
                let note = self.items[part.start + k].note();
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            noted(self.items[first.start + k].line(true), &notes.join(" or "))
        };
        (0..first.end - first.start).map(line).collect()
    }

    /// Returns the text, with parts that occur more than once taken out and called.
    pub(super) fn finish(self) -> String {
        // Without notes: what is computed decides what is shared.
        let text = |part: &Part| -> String {
            self.items[part.start..part.end].iter().map(|item| item.line(true)).collect()
        };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for part in &self.parts {
            *counts.entry(text(part)).or_default() += 1;
        }
        let mut out = String::new();
        let mut names: Vec<String> = Vec::new();
        let mut at = 0;
        for part in &self.parts {
            let body = text(part);
            if counts[&body] < 2 {
                continue;
            }
            let number = names.iter().position(|b| *b == body).unwrap_or_else(|| {
                names.push(body);
                names.len() - 1
            });
            let call = part.start - 2;
            out.extend(self.items[at..call].iter().map(Item::own_line));
            if let Item::Call { arith, note } = &self.items[call] {
                out += &noted(bundle(arith, &format!("calli part{number}"), ""), note);
            }
            out += &self.items[call + 1].own_line();
            at = part.end;
        }
        out.extend(self.items[at..].iter().map(Item::own_line));
        for (number, body) in names.iter().enumerate() {
            let places: Vec<&Part> = self.parts.iter().filter(|part| text(part) == *body).collect();
            out += &format!("part{number}:\n{}", self.shared_text(&places));
        }
        out
    }
}

impl Item {
    /// Returns the line as text; `is_shared` in a part that is called.
    fn line(&self, is_shared: bool) -> String {
        match self {
            Self::Bundle { arith, exch, mark, .. } => bundle(arith, exch, mark),
            Self::Return { arith, .. } if is_shared => bundle(arith, "ret", ""),
            Self::Call { arith, .. } | Self::Return { arith, .. } => bundle(arith, "", ""),
            Self::Label(name) => format!("{name}\n"),
        }
    }

    /// Returns the note that tells the stage of the line; empty if it has none.
    fn note(&self) -> &str {
        match self {
            Self::Bundle { note, .. } | Self::Call { note, .. } | Self::Return { note, .. } => note,
            Self::Label(_) => "",
        }
    }

    /// Returns the line with its note as text, where it is not called.
    fn own_line(&self) -> String {
        noted(self.line(false), self.note())
    }
}

/// Returns a line of text with a note behind it that tells its stage.
pub(super) fn noted(line: String, note: &str) -> String {
    match note {
        "" => line,
        note => format!("{}  ;: {note}\n", line.trim_end()),
    }
}

/// Returns a line of text with both slots of a bundle.
pub(super) fn bundle(arith: &str, exch: &str, mark: &str) -> String {
    match (arith, exch) {
        ("", "") => "        nop\n".to_owned(),
        ("", exch) => format!("        | {exch}\n"),
        (arith, "") => format!("        {arith}{mark}\n"),
        (arith, exch) => format!("        {arith} | {exch}{mark}\n"),
    }
}
