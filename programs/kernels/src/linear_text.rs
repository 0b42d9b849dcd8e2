//! Writing linear code, which is assembly text with one operation on a line that the assembler schedules: lines in
//! program order, with the steps of address sets worked out from the displacements of the accesses. The generators of
//! kernels decide what the lines compute.

use std::fmt::Write as _;

/// A line that is final, or an access whose step is not known yet.
#[derive(Clone, Debug)]
enum Line {
    Text(String),
    Access { op: String, registers: String, set: usize, step: i64, rest: String },
}

/// Position of an address set in the block that is being written.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// Displacement from the address at the start of the block.
    at: i64,
    /// The line of the last access of the block, whose step can still be chosen.
    last: Option<usize>,
}

/// Linear code under construction by a generator of a kernel: the lines of an assembly text between `.linear` and
/// `.endlinear`, one operation each, which the assembler schedules.
///
/// Within a block (the lines between two loop directives) every access names its displacement, in words, from the
/// address that its address set (`r0` to `r15`) has at the start of the block. The step of each access, which is added
/// to the address after it, follows from the next displacement.
#[derive(Clone, Debug, Default)]
pub struct LinearText {
    lines: Vec<Line>,
    positions: [Position; 16],
    counts: Vec<usize>,
}

/// Returns the step that an operation can hold in place of `step`: addresses go around 8192 words.
pub(crate) const fn around(step: i64) -> i64 {
    (step + 4096).rem_euclid(8192) - 4096
}

/// Returns assembly text with a note behind each line that begins with blanks, but for directives and comments: to what stage of
/// the work it belongs.
pub fn with_stage(text: &str, stage: &str) -> String {
    let note = |line: &str| match line.trim_start() {
        code if code.starts_with(['.', ';']) || code.len() == line.len() => format!("{line}\n"),
        _ => format!("{line}  ;: {stage}\n"),
    };
    text.lines().map(note).collect()
}

impl LinearText {
    /// Adds a line of assembly text: an operation that accesses no local memory, or a directive other than those of
    /// loops.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line::Text(text.into()));
    }

    /// Adds an access to local memory: the operation `op` (`lw`, `sw`, `ld` or `sd`, or `lh`, which loads the low half
    /// of the word) of the named registers, through address set `set` (0 to 15; others panic), at a displacement in
    /// words from the address that the set has at the start of the block, which is the nearest loop directive before.
    pub fn access(
        &mut self,
        op: &'static str,
        registers: impl Into<String>,
        set: usize,
        displacement: i64,
    ) {
        let rest = if op == "lh" { ", 0" } else { "" };
        self.access_with(format!("{op}o"), registers, set, displacement, rest);
    }

    /// Adds an access as [`Self::access`] does, by any operation whose address set steps by an offset; `rest` is the text
    /// behind the address, such as `, 1` for the high half of a word.
    pub fn access_with(
        &mut self,
        op: impl Into<String>,
        registers: impl Into<String>,
        set: usize,
        displacement: i64,
        rest: impl Into<String>,
    ) {
        self.leave_at(set, displacement);
        self.positions[set].last = Some(self.lines.len());
        let (op, registers, rest) = (op.into(), registers.into(), rest.into());
        self.lines.push(Line::Access { op, registers, set, step: 0, rest });
    }

    /// Moves address set `set` (0 to 15; others panic) to a displacement in words from the address that it has at the
    /// start of the block, which is the nearest loop directive before; for instance to where the next pass of a loop
    /// begins. It moves by the step of its last access in the block, or by an operation `updaddr` if there is none.
    pub fn leave_at(&mut self, set: usize, displacement: i64) {
        let position = &mut self.positions[set];
        let distance = displacement - position.at;
        position.at = displacement;
        if distance == 0 {
            return;
        }
        let last = position.last.and_then(|line| self.lines.get_mut(line));
        if let Some(Line::Access { step, .. }) = last {
            *step += distance;
        } else {
            self.line(format!("updaddr (r{set}){:+}", around(distance)));
        }
    }

    /// Begins a loop of `count` passes. Its body is a block of its own: displacements in it count from where the
    /// address sets are now. If `count` is 1 or less, no loop directive is written, and the body stands in the text
    /// once.
    pub fn begin_loop(&mut self, count: usize) {
        self.counts.push(count);
        if count > 1 {
            self.line(format!(".loop {count}"));
        }
        self.begin_block(count > 1);
    }

    /// Begins a loop with this text behind `.loop`: a count, or a general register with its promises, such as
    /// `g2, min=16, multiple=4`. `passes` is the number of times that it runs at least.
    pub fn begin_loop_of(&mut self, text: &str, passes: usize) {
        self.counts.push(passes.max(2));
        self.line(format!(".loop {text}"));
        self.begin_block(true);
    }

    /// Begins a loop that a general register counts, at least `least` times and usually `expected` times.
    pub(crate) fn begin_loop_of_register(&mut self, register: &str, least: usize, expected: usize) {
        let expected = expected.max(least);
        self.begin_loop_of(&format!("{register}, min={least}, expected={expected}"), least);
    }

    /// Begins a loop that a general register counts, a multiple of `multiple` times, which is at least 2.
    pub(crate) fn begin_loop_of_multiple(&mut self, register: &str, multiple: usize) {
        self.begin_loop_of(&format!("{register}, min={multiple}, multiple={multiple}"), multiple);
    }

    /// Ends the innermost loop that [`Self::begin_loop`] began. The lines after it are a block of their own: their
    /// displacements count from where the address sets are now. Without an open loop no directive is written.
    pub fn end_loop(&mut self) {
        let is_loop = self.counts.pop().is_some_and(|count| count > 1);
        if is_loop {
            self.line(".endloop");
        }
        self.begin_block(is_loop);
    }

    /// Counts displacements anew; behind a loop directive the steps of earlier accesses are final.
    fn begin_block(&mut self, is_final: bool) {
        for position in &mut self.positions {
            position.at = 0;
            if is_final {
                position.last = None;
            }
        }
    }

    /// Returns the number of operations that the arithmetic and the exchange slot issue when the lines run once.
    pub(crate) fn operations(&self) -> [usize; 2] {
        let mut counts = [0, 0];
        let mut times = vec![1];
        for line in &self.lines {
            let now = times.last().copied().unwrap_or(1);
            match line {
                Line::Access { .. } => counts[1] += now,
                Line::Text(text) => {
                    let mut words = text.split_whitespace();
                    match words.next().unwrap_or_default() {
                        ".loop" => {
                            let count = words.next().and_then(|n| n.parse::<usize>().ok());
                            times.push(now * count.unwrap_or(1));
                        }
                        ".endloop" => drop(times.pop()),
                        "psprmsgn" => counts[1] += now,
                        // The scheduler folds it into the steps of the accesses.
                        "updaddr" => {}
                        _ => counts[0] += now,
                    }
                }
            }
        }
        counts
    }

    /// Returns the lines with a line of text behind each access.
    pub(crate) fn spaced_by(&self, text: &str) -> Self {
        let mut spaced = Self::default();
        for line in &self.lines {
            spaced.lines.push(line.clone());
            if matches!(line, Line::Access { .. }) {
                spaced.line(text);
            }
        }
        spaced
    }

    /// Returns the text of a kernel that is one region: `head`, up to `.linear` and its promises, the lines, and the stop.
    pub(crate) fn to_kernel(&self, head: &str) -> String {
        format!("{head}{}.endlinear\n        stopi   0\n", self.text())
    }

    /// Returns the lines as assembly text with a note behind each operation, which says to what stage of the work it belongs.
    pub(crate) fn noted(&self, stage: &str) -> String {
        with_stage(&self.text(), stage)
    }

    /// Returns the lines as assembly text, each indented and ended by a newline.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let _ = match line {
                Line::Text(text) => writeln!(out, "        {text}"),
                Line::Access { op, registers, set, step, rest } => {
                    writeln!(out, "        {op} {registers}, (r{set}){:+}{rest}", around(*step))
                }
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stand_behind_operations() {
        let text = "k:\n        | lwo f1, (r0)+1\n        .loop 4\n        nop\n";
        let noted = "k:\n        | lwo f1, (r0)+1  ;: sum\n        .loop 4\n        nop  ;: sum\n";
        assert_eq!(with_stage(text, "sum"), noted);
    }

    #[test]
    fn steps_lead_from_one_displacement_to_the_next() {
        let mut code = LinearText::default();
        code.access("lw", "%a", 0, 3);
        code.access("ld", "%b:%c", 1, 0);
        code.access("lw", "%d", 0, 1);
        code.leave_at(0, 10);
        code.begin_loop(4);
        code.access("sw", "%a", 0, 0);
        code.leave_at(0, -2);
        code.end_loop();
        let expected = "updaddr (r0)+3\nlwo %a, (r0)-2\nldo %b:%c, (r1)+0\nlwo %d, (r0)+9\n\
                        .loop 4\nswo %a, (r0)-2\n.endloop\n";
        let text: String = code.text().lines().map(|l| l.trim_start().to_owned() + "\n").collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn what_spaces_accesses_stands_behind_each() {
        let mut code = LinearText::default();
        code.access("lw", "%a", 0, 0);
        code.line("psadd %b, %a, %a");
        code.access("sw", "%b", 0, 5);
        let expected = "lwo %a, (r0)+5|move g14, g13|psadd %b, %a, %a|swo %b, (r0)+0|move g14, g13";
        let text = code.spaced_by("move g14, g13").text();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert_eq!(lines.join("|"), expected);
    }

    #[test]
    fn accesses_by_any_operation_step_alike() {
        let mut code = LinearText::default();
        code.access("lw", "%a", 2, 0);
        code.access_with("if(cc1) cswo", "%a", 2, 3, "");
        code.access_with("lho", "%b.hi", 2, 4, ", 1");
        let expected = "lwo %a, (r2)+3\nif(cc1) cswo %a, (r2)+1\nlho %b.hi, (r2)+0, 1\n";
        let text: String = code.text().lines().map(|l| l.trim_start().to_owned() + "\n").collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn what_runs_once_gets_no_loop() {
        let mut code = LinearText::default();
        code.begin_loop(1);
        code.access("lw", "%a", 0, 0);
        code.leave_at(0, 4);
        code.end_loop();
        code.access("lw", "%b", 0, 1);
        assert_eq!(code.text(), "        lwo %a, (r0)+5\n        lwo %b, (r0)+0\n");
    }
}
