//! Random nests of loops with jumps and calls in them, on numbers near 1: short enough that blocks go through them, and
//! often enough. How they run is compared in `nests` and, beside a busy channel, in `coupled`.

use cp2_tests::SplitMix64;
use std::fmt::Write as _;

const ARITHMETIC: [&str; 11] = [
    "nop",
    "psadd f5, f6, f20",
    "psmul f7, f8, f20",
    "pssub f5, f5, f7",
    "copy f10, f8",
    "psneg f26, f7",
    "caddsub f30, f6, f20, f32",
    "c.lt.ps cc1, f5, f20",
    "if(cc1) psadd f14, f8, f6",
    "if(cc2) psmul f6, f20, f8",
    "getcoeff f34",
];
/// Operations of which only predicated ones have flags. The last one changes what predicates hold.
const PREDICATED: [&str; 8] = [
    "nop",
    "copy f10, f8",
    "if(cc1) psadd f14, f8, f6",
    "if(cc2) psmul f6, f20, f8",
    "if(cc1) psadd f5, f6, f20",
    "if(cc3) cmul f30, f6, f20",
    "getcoeff f34",
    "if(cc2) c.lt.ps cc1, f5, f20",
];
/// Numbers of iterations of inner loops.
pub(crate) type Counts = [u64; 9];
/// Iterations of short inner loops, which fit into a block as a whole.
pub(crate) const FEW: Counts = [0, 1, 1, 2, 3, 4, 7, 12, 40];
/// Iterations of inner loops of which a block does many turns in a loop of its own.
pub(crate) const MANY: Counts = [1, 2, 5, 12, 40, 70, 133, 300, 1000];

/// Kind of a line, by how it bears on the end of a loop around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Plain,
    Flow,
    /// Last line of a loop.
    Last,
}

/// A program under construction.
struct Nest<'a> {
    s: &'a mut SplitMix64,
    lines: Vec<(Line, String, String)>,
    labels: u32,
    may_call: bool,
    counts: &'a Counts,
    arithmetic: &'static [&'static str],
}

impl Nest<'_> {
    fn put(&mut self, line: Line, text: &str) {
        self.lines.push((line, String::new(), text.to_owned()));
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn plain(&mut self) {
        let s = &mut *self.s;
        let set = s.below(4);
        let reg = [6, 8, 12, 14][s.below(4) as usize];
        let exchange = match s.below(20) {
            0..3 => format!("lwo f{reg}, (r{set}){:+}", s.below(5) as i64 - 2),
            3..5 => format!("ldo f{reg}, (r{set})+{}", 2 * s.below(3)),
            5 => format!("lwnp f{reg}, (r{set})+n{set}"),
            6 => format!("swo f26, (r{set}){:+}", s.below(4) as i64 - 1),
            7 => format!("sdo f26, (r{set})+2"),
            8 => format!("swnp f7, (r{set})+n{set}"),
            9 => format!("lwi f{reg}, {}", s.below(1024)),
            10 => format!("seti a{set}, {}", s.below(1024)),
            11 => format!("seti g{}, {}", 8 + s.below(4), self.counts[s.below(9) as usize]),
            12 if s.one_in(4) => format!("mffpr g{}, f{reg}, s{}", 12 + s.below(2), s.below(4)),
            13 => format!("move g{}, g{}", 8 + s.below(4), 8 + s.below(4)),
            14 if s.one_in(3) => "sync".to_owned(),
            14 => format!("move g14, {}", ["pc", "rind", "a1"][s.below(3) as usize]),
            _ => "nop".to_owned(),
        };
        let is_sync = exchange == "sync";
        let text = format!("{} | {exchange}", s.of(self.arithmetic));
        self.put(if is_sync { Line::Flow } else { Line::Plain }, &text);
    }

    /// Adds a bundle that may stand anywhere.
    fn filler(&mut self) {
        let text = format!("{} | nop", self.s.of(self.arithmetic));
        self.put(Line::Plain, &text);
    }

    fn looped(&mut self, depth: u64, count: &str) {
        let label = self.label();
        self.put(Line::Flow, &format!("nop | {count}, {label}"));
        let begin = self.lines.len();
        self.items(depth);
        // The last bundle of an inner loop may be the last but one of this one.
        let ends_inside = self.lines.last().is_some_and(|&(line, ..)| line == Line::Last);
        if !(ends_inside && self.s.one_in(2)) {
            self.filler();
        }
        self.filler();
        while self.lines.len() < begin + 2 {
            self.filler();
        }
        let last = self.lines.len() - 1;
        self.lines[last].0 = Line::Last;
        self.lines[last - 1].1 = format!("{label}:");
    }

    fn count(&mut self) -> String {
        match self.s.below(3) {
            0 => {
                let register = 8 + self.s.below(4);
                // `do` does not see what the bundle before it has written.
                for _ in 0..self.s.below(3) {
                    let count = self.counts[self.s.below(8) as usize];
                    self.put(Line::Plain, &format!("nop | seti g{register}, {count}"));
                }
                if self.s.one_in(2) {
                    self.filler();
                }
                format!("do g{register}")
            }
            1 if self.s.one_in(6) => format!("do g{}", 12 + self.s.below(2)),
            _ => format!("doi {}", self.counts[self.s.below(9) as usize]),
        }
    }

    fn items(&mut self, depth: u64) {
        for _ in 0..self.s.below(5) {
            match self.s.below(9) {
                0..3 if depth > 0 => {
                    let count = self.count();
                    self.looped(depth - 1, &count);
                }
                3 if self.may_call && depth > 0 => {
                    let procedure = self.s.below(2);
                    self.put(Line::Flow, &format!("nop | calli p{procedure}"));
                    self.filler();
                }
                4 => self.jump(),
                5 if self.s.one_in(12) => self.put(Line::Flow, "nop | enddo"),
                _ => self.plain(),
            }
        }
    }

    /// Adds a jump over some bundles.
    fn jump(&mut self) {
        let label = self.label();
        self.put(Line::Flow, &format!("nop | jumpi {label}"));
        (0..1 + self.s.below(3)).for_each(|_| self.filler());
        self.filler();
        let last = self.lines.len() - 1;
        self.lines[last].1 = format!("{label}:");
        self.filler();
    }
}

/// Returns a kernel: a loop of nests, whose inner loops have these numbers of iterations, then procedures.
pub(crate) fn kernel(s: &mut SplitMix64, counts: &Counts) -> String {
    kernel_of(s, counts, &ARITHMETIC)
}

/// Returns such a kernel in which only predicated operations have flags; in some kernels the predicates stay as they are.
pub(crate) fn predicated_kernel(s: &mut SplitMix64, counts: &Counts) -> String {
    let changes = usize::from(s.one_in(2));
    kernel_of(s, counts, &PREDICATED[..PREDICATED.len() - 1 + changes])
}

fn kernel_of(s: &mut SplitMix64, counts: &Counts, arithmetic: &'static [&'static str]) -> String {
    let mut text = String::from("        .kernel nests\n");
    for set in 0..4 {
        let (address, step) = (s.below(8192), s.below(3));
        let _ = writeln!(text, "        | seti a{set}, {address}\n        | seti n{set}, {step}");
    }
    for register in 8..14 {
        let _ = writeln!(text, "        | seti g{register}, {}", counts[s.below(9) as usize]);
    }
    let (turns, by_jump) = (150 + s.below(250), s.one_in(6));
    let mut nest = Nest { s, lines: Vec::new(), labels: 0, may_call: true, counts, arithmetic };
    if by_jump {
        // Without end: the limit of the run is one.
        nest.filler();
        nest.lines[0].1 = "top:".to_owned();
        nest.items(2);
        nest.put(Line::Flow, "nop | jumpi top");
        nest.filler();
    } else {
        nest.looped(2, &format!("doi {turns}"));
    }
    nest.put(Line::Flow, "nop | sync");
    nest.put(Line::Flow, "nop | stopi 3");
    nest.may_call = false;
    for procedure in 0..2 {
        let begin = nest.lines.len();
        nest.filler();
        nest.lines[begin].1 = format!("p{procedure}:");
        nest.items(1);
        nest.put(Line::Flow, "nop | ret");
        nest.filler();
    }
    for (_, label, line) in &nest.lines {
        let _ = writeln!(text, "{label:<8}{line}");
    }
    text
}
