//! Viewport: which cycles of a run are seen, how they move, and at which resolution they are asked for.

use cp2_isa::Cycle;
use std::ops::Range;

/// Number of cycles in a block of a recording of which every cycle is shown; one question asks for all of them.
pub const WINDOW: u64 = 1 << 10;
/// Number of cycles in a block of values of a register or word.
pub const VALUES: u64 = 1 << 16;
/// Most cycles in view of which values are shown.
pub const MOST_VALUES: f64 = (VALUES * 8) as f64;
/// Most cycles in view that are shown one by one.
const MOST_SINGLE: f64 = 2048.0;
/// Fewest cycles in view.
const FEWEST: f64 = 8.0;
/// Part of the width that stays empty before the first cycle of a run and behind its last one, when a cycle near them
/// is shown in the middle.
const EDGE: f64 = 0.02;

/// The grain of a view from some distance: how many cycles are counted as one, a stretch, and how many of them one
/// question asks for, a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grain {
    /// Stretches of 64 cycles in blocks of 2^16, for at most 2^20 cycles in view.
    Fine,
    /// Stretches of 1024 cycles in blocks of 2^18, for at most 2^24 cycles in view.
    Middle,
    /// Stretches of 8192 cycles in blocks of 2^21, for at most 2^27 cycles in view.
    Coarse,
}

impl Grain {
    /// All grains, the finest first.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Middle, Self::Coarse];

    /// Returns the number of cycles of a stretch, which are counted together.
    pub const fn stretch(self) -> u64 {
        match self {
            Self::Fine => 1 << 6,
            Self::Middle => 1 << 10,
            Self::Coarse => 1 << 13,
        }
    }

    /// Returns the number of cycles of a block, whose stretches are the answer to one question.
    pub const fn block(self) -> u64 {
        match self {
            Self::Fine => 1 << 16,
            Self::Middle => 1 << 18,
            Self::Coarse => 1 << 21,
        }
    }

    /// Returns the most cycles in view that are shown with this grain.
    const fn most(self) -> f64 {
        (match self {
            Self::Fine => 1_u64 << 20,
            Self::Middle => 1 << 24,
            Self::Coarse => 1 << 27,
        }) as f64
    }
}

/// The resolution at which the cycles in view are shown; it follows from their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Stretches of the summary that the recording has of the whole run, for more than 2^27 cycles in view.
    Summary,
    /// Stretches of a grain, asked for in its blocks.
    Stretches(Grain),
    /// Single cycles, asked for in blocks of [`WINDOW`] cycles, for at most 2048 cycles in view.
    Cycles,
}

/// The part of a run that fills the width of a view: a position in cycles at the left edge, and a number of cycles,
/// both with fractions. At least half of what is in view belongs to the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewport {
    whole: Range<Cycle>,
    begin: f64,
    span: f64,
}

impl Viewport {
    /// Creates a viewport that shows a whole run, from its first cycle up to the end, which is excluded.
    pub fn new(whole: Range<Cycle>) -> Self {
        let mut all = Self { whole, begin: 0.0, span: 0.0 };
        all.fit();
        all
    }

    /// Returns all cycles of the run; the end is excluded.
    pub fn whole(&self) -> Range<Cycle> {
        self.whole.clone()
    }

    /// Returns the position at the left edge, in cycles since reset, with a fraction; less than the first cycle of the
    /// run if there is a margin.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// Returns the number of cycles from the left edge to the right, with a fraction; at least 8.
    pub fn span(&self) -> f64 {
        self.span
    }

    /// Returns the cycles of the run that are in view, even if only in part; the end is excluded.
    pub fn cycles(&self) -> Range<Cycle> {
        let begin = Cycle(self.begin.max(0.0) as u64);
        let end = Cycle((self.begin + self.span).ceil() as u64);
        begin.max(self.whole.start)..end.min(self.whole.end).max(begin + 1)
    }

    /// Shows the whole run, with a small margin at both ends.
    pub fn fit(&mut self) {
        let length = self.whole.end.saturating_since(self.whole.start).max(1) as f64;
        self.span = (length * 1.01).max(FEWEST);
        self.begin = self.whole.start.0 as f64 - (self.span - length) / 2.0;
    }

    /// Shows the cycles from `begin` to `end`, positions in cycles since reset, as far as the run allows.
    pub fn show(&mut self, begin: f64, end: f64) {
        (self.begin, self.span) = (begin, end - begin);
        self.clamp();
    }

    /// Moves the view by a number of cycles: later ones if it is positive, earlier ones if negative.
    pub fn pan(&mut self, cycles: f64) {
        self.begin += cycles;
        self.clamp();
    }

    /// Multiplies the number of cycles in view by `factor`: below 1 zooms in, above 1 out. The cycle at the part `at`
    /// of the width, 0 for the left edge and 1 for the right, stays where it is.
    pub fn zoom(&mut self, factor: f64, at: f64) {
        let fixed = self.begin + self.span * at;
        let most = (self.whole.end - self.whole.start).max(1) as f64 * 1.01;
        self.span = (self.span * factor).clamp(FEWEST, most.max(FEWEST));
        self.begin = fixed - self.span * at;
        self.clamp();
    }

    /// Moves the view as little as needed so that a cycle is at least 8 % of the width from both edges, as far as the
    /// run allows.
    pub fn reveal(&mut self, cycle: Cycle) {
        let at = cycle.0 as f64 + 0.5;
        let margin = self.span * 0.08;
        if at < self.begin + margin {
            self.begin = at - margin;
        } else if at > self.begin + self.span - margin {
            self.begin = at + margin - self.span;
        }
        self.clamp();
    }

    /// Shows `span` cycles, 8 at least, with this cycle in the middle, or nearer to an edge where the run begins or ends.
    pub fn center(&mut self, cycle: Cycle, span: f64) {
        self.span = span.max(FEWEST);
        let (start, end) = (self.whole.start.0 as f64, self.whole.end.0 as f64);
        let edge = self.span * EDGE;
        let last = (end + edge - self.span).max(start - edge);
        self.begin = (cycle.0 as f64 + 0.5 - self.span / 2.0).clamp(start - edge, last);
        self.clamp();
    }

    fn clamp(&mut self) {
        let (start, end) = (self.whole.start.0 as f64, self.whole.end.0 as f64);
        self.span = self.span.clamp(FEWEST, ((end - start) * 1.01).max(FEWEST));
        // At least a half of what is in view belongs to the run.
        let half = self.span / 2.0;
        self.begin = self.begin.clamp(start - half, (end - half).max(start - half));
    }

    /// Returns where a position in cycles since reset lies in the view, as a part of its width: 0 at the left edge, 1
    /// at the right, outside of this range out of view.
    pub fn part(&self, cycle: f64) -> f64 {
        (cycle - self.begin) / self.span
    }

    /// Returns the cycle at a part of the width, 0 for the left edge and 1 for the right, clamped to the cycles of the
    /// run.
    pub fn cycle_at(&self, part: f64) -> Cycle {
        let cycle = Cycle((self.begin + self.span * part).floor().max(0.0) as u64);
        cycle.clamp(self.whole.start, self.whole.end.max(self.whole.start + 1) - 1)
    }

    /// Returns the resolution at which the cycles in view are shown.
    pub fn detail(&self) -> Detail {
        if self.span <= MOST_SINGLE {
            return Detail::Cycles;
        }
        let grain = Grain::ALL.into_iter().find(|grain| self.span <= grain.most());
        grain.map_or(Detail::Summary, Detail::Stretches)
    }

    /// Returns the numbers of the blocks of `length` cycles, 1 at least, that are in view, counted from 0 at cycle 0;
    /// those nearest to the middle come first.
    pub fn blocks(&self, length: u64) -> Vec<u64> {
        let (begin, end) = (self.cycles().start.0, self.cycles().end.0);
        let mut blocks: Vec<u64> = (begin / length..=(end - 1) / length).collect();
        let middle = (begin + end) / 2 / length;
        blocks.sort_by_key(|block| block.abs_diff(middle));
        blocks
    }

    /// Returns the cycles in view that an axis marks, and the distance of two marks in cycles: 1, 2 or 5 times a power
    /// of ten. `width` is the width of the view, and `gap` the least distance of two marks, in the same unit.
    pub fn marks(&self, width: f64, gap: f64) -> (Vec<Cycle>, u64) {
        let least = self.span * gap / width.max(1.0);
        let mut step = 1_u64;
        for factor in [2_u64, 5, 10].into_iter().cycle() {
            if step as f64 >= least {
                break;
            }
            let decade = 10_u64.pow(step.ilog10());
            step = decade * factor;
        }
        let cycles = self.cycles();
        let first = Cycle(cycles.start.0.div_ceil(step) * step);
        // Of a range of numbers, which steps at once: a billion cycles have a dozen marks.
        let numbers = (first.0..cycles.end.0).step_by(step as usize);
        (numbers.map(Cycle).collect(), step)
    }
}

/// Returns a number as decimal digits in groups of three, with thin spaces between.
pub fn grouped(n: impl Into<u64>) -> String {
    cp2_document::width::grouped(n.into())
}

/// Returns a number in few letters, with one decimal and the prefix `k`, `M` or `G` (powers of 1000) from a thousand
/// on, such as `12.3 M`; below, rounded to a whole number.
pub fn short(n: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.into_iter().find(|(size, _)| n.abs() >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", n / size),
        None => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_the_cycle_under_the_pointer() {
        let mut view = Viewport::new(Cycle(0)..Cycle(1_000_000_000));
        let before = view.cycle_at(0.25);
        for _ in 0..40 {
            view.zoom(0.6, 0.25);
        }
        assert!(view.cycle_at(0.25).abs_diff(before) <= 1);
        assert_eq!(view.detail(), Detail::Cycles);
        assert_eq!(view.span(), FEWEST);
        for _ in 0..60 {
            view.zoom(1.7, 0.25);
        }
        assert_eq!(view.detail(), Detail::Summary);
        assert!(view.span() <= 1.01e9);
    }

    #[test]
    fn nobody_pans_out_of_the_run() {
        let mut view = Viewport::new(Cycle(100)..Cycle(1100));
        view.zoom(0.1, 0.5);
        view.pan(1e12);
        assert!(view.cycles().contains(&Cycle(1099)));
        view.pan(-1e12);
        assert!(view.cycles().contains(&Cycle(100)));
        view.show(-50.0, 0.0);
        assert!(view.begin() >= 100.0 - view.span());
    }

    #[test]
    fn a_run_of_no_cycles_can_be_shown() {
        let mut view = Viewport::new(Cycle(0)..Cycle(0));
        view.zoom(0.5, 0.5);
        view.pan(5.0);
        assert_eq!(view.cycle_at(0.7), Cycle::RESET);
        assert!(!view.marks(1000.0, 60.0).0.is_empty());
    }

    #[test]
    fn marks_are_round_and_far_enough_apart() {
        let mut view = Viewport::new(Cycle(0)..Cycle(1_000_000));
        for _ in 0..25 {
            let (marks, step) = view.marks(1000.0, 80.0);
            assert!(marks.len() <= 13, "{}", marks.len());
            let mantissa = step / 10_u64.pow(step.ilog10());
            assert!([1, 2, 5].contains(&mantissa), "{step}");
            assert!(marks.iter().all(|m| m.0.is_multiple_of(step)));
            view.zoom(0.63, 0.4);
        }
    }

    #[test]
    fn a_cycle_near_an_end_is_shown_without_cycles_beyond_it() {
        let mut view = Viewport::new(Cycle(0)..Cycle(10_000));
        view.center(Cycle(0), 40.0);
        assert!(view.begin() >= -1.0 && view.cycles().contains(&Cycle(30)), "{view:?}");
        view.center(Cycle(9_999), 40.0);
        assert!(view.begin() + view.span() <= 10_001.0, "{view:?}");
        view.center(Cycle(5_000), 40.0);
        assert_eq!(view.begin(), 4_980.5);
        let mut short = Viewport::new(Cycle(0)..Cycle(10));
        short.center(Cycle(5), 40.0);
        assert!(short.cycles().contains(&Cycle(0)) && short.cycles().contains(&Cycle(9)));
    }

    #[test]
    fn no_view_is_made_of_few_stretches() {
        for length in [3_000_u64, 1 << 20, 1_300_000, 1 << 24, 100_000_000, 1 << 27] {
            let view = Viewport::new(Cycle(0)..Cycle(length));
            if let Detail::Stretches(grain) = view.detail() {
                let blocks = view.blocks(grain.block()).len() as u64;
                assert!(length / grain.stretch() >= 40 && blocks <= 65, "{length}: {grain:?}");
            }
        }
    }

    #[test]
    fn revealing_moves_as_little_as_needed() {
        let mut view = Viewport::new(Cycle(0)..Cycle(10_000));
        view.show(1000.0, 2000.0);
        view.reveal(Cycle(1500));
        assert_eq!(view.begin(), 1000.0);
        view.reveal(Cycle(2500));
        assert!(view.cycles().contains(&Cycle(2500)) && view.cycles().contains(&Cycle(1700)));
    }

    #[test]
    fn blocks_of_the_middle_come_first() {
        let mut view = Viewport::new(Cycle(0)..Cycle(100_000));
        view.show(2048.0, 2048.0 + 3.0 * 1024.0);
        assert_eq!(view.blocks(WINDOW)[0], 3);
        assert_eq!(view.blocks(WINDOW).len(), 3);
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(grouped(1_234_567_u64), "1\u{2009}234\u{2009}567");
        assert_eq!(grouped(12_u64), "12");
        assert_eq!(short(12_345_678.0), "12.3 M");
        assert_eq!(short(999.0), "999");
    }
}
