//! Bundles as assembly text: address steps, loops, and parts that several phases share. The order
//! of the bundles is fixed before, in `schedule`.

use super::schedule::{Exchange, Line, Segment, Segments, Shared, Stream};
use std::collections::BTreeMap;

const STREAMS: [Stream; 3] = [Stream::Load, Stream::Store, Stream::Table];

/// How a pass walks over local memory.
pub(super) struct Walk {
    /// Words from a unit to the next, of loads, stores and factors.
    pub(super) pitch: [i64; 3],
    /// Address sets of loads, stores and factors.
    pub(super) sets: [usize; 3],
    /// There is one unit only.
    pub(super) is_single: bool,
}

/// A line of the program, before shared parts are taken out.
enum Item {
    Bundle { arith: String, exch: String, mark: &'static str },
    Call { arith: String },
    Return { arith: String },
    Label(String),
}

/// Bundles that may be shared: lines from `start` to `end`; the call is two lines before.
struct Part {
    start: usize,
    end: usize,
}

/// The program under way.
pub(super) struct Program {
    /// Words of the circle that addresses count in.
    circle: i64,
    items: Vec<Item>,
    parts: Vec<Part>,
}

/// Word, counted from the unit, of the first access of a stream.
fn first_access(lines: &[Line], stream: Stream, pitch: i64) -> Option<i64> {
    lines.iter().find_map(|line| access(line, stream, pitch))
}

fn access(line: &Line, wanted: Stream, pitch: i64) -> Option<i64> {
    match line.exch {
        Some(Exchange::Memory { stream, unit, offset, .. }) if stream == wanted => {
            Some(unit * pitch + offset)
        }
        _ => None,
    }
}

impl Program {
    /// Of kernels whose addresses count modulo so many words.
    pub(super) fn new(circle: usize) -> Self {
        Self { circle: circle as i64, items: Vec::new(), parts: Vec::new() }
    }

    /// The step as a signed immediate, the short way around the circle.
    fn wrapped(&self, step: i64) -> i64 {
        (step + self.circle / 2).rem_euclid(self.circle) - self.circle / 2
    }

    pub(super) fn exchange(&mut self, text: &str) {
        self.bundle(String::new(), text.to_owned(), "");
    }

    fn bundle(&mut self, arith: String, exch: String, mark: &'static str) {
        self.items.push(Item::Bundle { arith, exch, mark });
    }

    /// Appends bundles, each memory access stepping to the next one of its stream; `after` is the
    /// word that follows the last access.
    fn lines(&mut self, lines: &[Line], walk: &Walk, after: [Option<i64>; 3]) {
        for (i, line) in lines.iter().enumerate() {
            let arith = line.arith.clone();
            let mark = if line.reads_old { "  @allow(C0501)" } else { "" };
            match &line.exch {
                None => self.bundle(arith, String::new(), mark),
                Some(Exchange::Text(text)) => self.bundle(arith, text.clone(), mark),
                Some(Exchange::Call) => self.items.push(Item::Call { arith }),
                Some(Exchange::Return) => self.items.push(Item::Return { arith }),
                Some(Exchange::Memory { stream, reg, words, unit, offset }) => {
                    let k = *stream as usize;
                    let here = unit * walk.pitch[k] + offset;
                    let next = first_access(&lines[i + 1..], *stream, walk.pitch[k])
                        .or(after[k])
                        .unwrap_or(here);
                    let name = [["lwo", "ldo"], ["swo", "sdo"], ["lwo", "ldo"]][k][words - 1];
                    let step = self.wrapped(next - here);
                    let exch = format!("{name} f{reg}, (r{}){step:+}", walk.sets[k]);
                    self.bundle(arith, exch, mark);
                }
            }
        }
    }

    /// Appends the phases of a segment.
    fn segment(
        &mut self,
        s: &Segment,
        walk: &Walk,
        shared: Option<Shared>,
        after: [Option<i64>; 3],
    ) {
        if let Some(Shared { ret, call }) = shared {
            let at = self.items.len();
            self.parts.extend(s.starts.windows(2).map(|starts| Part {
                start: at + starts[0] + call + 2,
                end: at + starts[1] + ret + 2,
            }));
        }
        self.lines(&s.lines, walk, after);
    }

    /// Appends a pass: its first phase, the loop over the units, and the last unit.
    pub(super) fn pass(&mut self, name: &str, s: &Segments, walk: &Walk, shared: Option<Shared>) {
        let firsts =
            |lines: &[Line]| STREAMS.map(|k| first_access(lines, k, walk.pitch[k as usize]));
        let body = firsts(&s.body.lines);
        for (tail, body) in firsts(&s.tail.lines).into_iter().zip(body) {
            assert!(tail.is_none() || tail == body, "loop and tail must go on at one word");
        }
        self.segment(&s.head, walk, shared, body);
        if !walk.is_single {
            let next = [0, 1, 2].map(|k| body[k].map(|w| w + walk.pitch[k]));
            self.exchange(&format!("do g2, {name}_end"));
            self.segment(&s.body, walk, shared, next);
            let end = self.items.len() - 2;
            self.items.insert(end, Item::Label(format!("{name}_end:")));
        }
        self.segment(&s.tail, walk, shared, [None; 3]);
    }

    /// The text, with parts that occur more than once taken out and called.
    pub(super) fn finish(self) -> String {
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
            out.extend(self.items[at..call].iter().map(|item| item.line(false)));
            if let Item::Call { arith } = &self.items[call] {
                out += &bundle(arith, &format!("calli part{number}"), "");
            }
            out += &self.items[call + 1].line(false);
            at = part.end;
        }
        out.extend(self.items[at..].iter().map(|item| item.line(false)));
        for (number, body) in names.iter().enumerate() {
            out += &format!("part{number}:\n{body}");
        }
        out
    }
}

impl Item {
    /// The line; `is_shared` in a part that is called.
    fn line(&self, is_shared: bool) -> String {
        match self {
            Self::Bundle { arith, exch, mark } => bundle(arith, exch, mark),
            Self::Return { arith } if is_shared => bundle(arith, "ret", ""),
            Self::Call { arith } | Self::Return { arith } => bundle(arith, "", ""),
            Self::Label(name) => format!("{name}\n"),
        }
    }
}

/// A line of text with both slots of a bundle.
pub(super) fn bundle(arith: &str, exch: &str, mark: &str) -> String {
    match (arith, exch) {
        ("", "") => "        nop\n".to_owned(),
        ("", exch) => format!("        | {exch}\n"),
        (arith, "") => format!("        {arith}{mark}\n"),
        (arith, exch) => format!("        {arith} | {exch}{mark}\n"),
    }
}
