//! Lines of an earlier text in a later one: which are kept, and whether what has changed may matter for the others.

use cp2_asm::without_comment;
use std::ops::Range;

/// Directives that give names a meaning, decide what is read or place data, whose addresses schedules depend on; a change of them may matter
/// anywhere.
const FAR: [&str; 18] = [
    "equ", "macro", "endm", "rept", "endr", "if", "else", "endif", "include", "kernel", "requires",
    "org", "align", "lmem", "quad", "complex", "pair", "zero",
];
/// Directives that begin, and that end, what is written elsewhere.
const OPENING: [&str; 3] = ["macro", "rept", "if"];
const CLOSING: [&str; 3] = ["endm", "endr", "endif"];

/// Lines of an earlier text, from 0, in a later one: those before all changes, and those behind them.
#[derive(Clone, Debug)]
pub(super) struct LineMap {
    /// Lines of the earlier text that have changed; an empty range is a place where lines were written between.
    pub(super) changed: Range<usize>,
    /// Number of lines that the later text has more.
    more: isize,
    /// Whether the change matters for the lines around it alone.
    is_local: bool,
}

fn directive(line: &str) -> Option<&str> {
    let word = without_comment(line).split_whitespace().find(|word| !word.ends_with(':'))?;
    word.strip_prefix('.')
}

impl LineMap {
    pub(super) fn between(earlier: &str, later: &str) -> Self {
        let [old, new] = [earlier, later].map(|text| text.split('\n').collect::<Vec<_>>());
        let alike = |(a, b): &(&&str, &&str)| a == b;
        let head = old.iter().zip(&new).take_while(alike).count();
        let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
        let tail = tails.take_while(alike).count();
        let changed = head..old.len() - tail;
        let lines = old[changed.clone()].iter().chain(&new[head..new.len() - tail]);
        let is_far = lines.filter_map(|line| directive(line)).any(|word| FAR.contains(&word));
        let open = old[..head].iter().filter_map(|line| directive(line)).fold(0, |open, word| {
            open + i32::from(OPENING.contains(&word)) - i32::from(CLOSING.contains(&word))
        });
        let is_local = changed.is_empty() && new.len() == old.len() || !is_far && open == 0;
        Self { changed, more: new.len() as isize - old.len() as isize, is_local }
    }

    /// Returns the line in the later text of one that was kept.
    pub(super) fn later_line(&self, line: usize) -> Option<usize> {
        match line {
            _ if !self.is_local => None,
            line if line < self.changed.start => Some(line),
            line if line >= self.changed.end => line.checked_add_signed(self.more),
            _ => None,
        }
    }

    /// Whether something has changed among the lines of a range, or between two of them.
    pub(super) fn has_changed(&self, lines: &Range<usize>) -> bool {
        let Range { start, end } = self.changed;
        match self.more == 0 && start == end {
            true => false,
            false => lines.start < end.max(start) && start < lines.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_change_are_kept() {
        let text = "a\nb\nc\nd";
        let map = |later: &str| LineMap::between(text, later);
        let kept = |later: &str| (0..4).map(|line| map(later).later_line(line)).collect::<Vec<_>>();
        assert_eq!(kept(text), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(kept("a\nx\ny\nc\nd"), [Some(0), None, Some(3), Some(4)]);
        assert_eq!(kept("a\nb\nnew\nc\nd"), [Some(0), Some(1), Some(3), Some(4)]);
        assert_eq!(kept("a\nd"), [Some(0), None, None, Some(1)]);
        assert!(map("a\nb\nnew\nc\nd").has_changed(&(1..3)));
        assert!(!map("a\nb\nnew\nc\nd").has_changed(&(0..2)));
        assert!(!map("a\nb\nnew\nc\nd").has_changed(&(2..4)));
        assert!(map("a\nx\nc\nd").has_changed(&(1..2)) && !map("a\nx\nc\nd").has_changed(&(2..4)));
        assert!(!map(text).has_changed(&(0..4)));
    }

    #[test]
    fn changes_that_may_matter_anywhere_keep_nothing() {
        let kept =
            |earlier: &str, later: &str| LineMap::between(earlier, later).later_line(0).is_some();
        assert!(kept("nop\nnop", "nop\n.endlinea"));
        assert!(!kept("nop\n.equ n, 1", "nop\n.equ n, 2"));
        assert!(!kept("nop\nx: .equ n, 1", "nop"));
        assert!(!kept("nop\nx: .quad 1", "nop\nx: .quad 1, 2"));
        assert!(!kept(".macro m\nnop\n.endm", ".macro m\nnops\n.endm"));
        assert!(kept(".macro m\nnop\n.endm\nnop", ".macro m\nnop\n.endm\nnops"));
        assert!(!kept("nop", ".include \"a\"\nnop"));
    }
}
