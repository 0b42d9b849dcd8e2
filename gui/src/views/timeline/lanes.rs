//! Lanes of the timeline, and their places.

use crate::theme::{Theme, sans};
use egui::{Align2, Pos2, Rect, Stroke, Ui};

/// Width of the names of lanes.
pub(crate) const GUTTER: f32 = 100.0;
/// Space between lanes.
const GAP: f32 = 5.0;

/// Least height of a row of the lane of names.
const NAMES_ROW: f32 = 14.0;

/// Lane of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Names in time: stages, kernels, loops.
    Names,
    /// Causes, what every cycle was for.
    Causes,
    /// Operations of the arithmetic slot.
    Arithmetic,
    /// Operations of the exchange slot.
    Exchange,
    /// Operations between issue and result.
    Pipeline,
    /// Accesses to a bank of local memory.
    Bank(usize),
    /// Cycles of the DMA channel.
    Channel,
    /// Acts of the host.
    Host,
    /// Floating-point operations per cycle.
    Flops,
}

impl Lane {
    fn name(self) -> String {
        match self {
            Self::Names => "Names".to_owned(),
            Self::Causes => "Cause".to_owned(),
            Self::Arithmetic => "Arithmetic".to_owned(),
            Self::Exchange => "Exchange".to_owned(),
            Self::Pipeline => "Pipeline".to_owned(),
            Self::Bank(k) => format!("Bank {k}"),
            Self::Channel => "DMA".to_owned(),
            Self::Host => "Host".to_owned(),
            Self::Flops => "Flops/cycle".to_owned(),
        }
    }

    /// Returns what the lane shows.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Names => {
                "What ran when: the run, the iterations, stages and pages that its host named \
                 (without these, neighbouring kernels of one name are a stage), and the kernels; of \
                 single cycles also loops and their passes. Click a span: the other \
                 views count its cycles. Double-click: show it."
            }
            Self::Causes => "What each cycle was for. Cycles without a kernel are left blank.",
            Self::Arithmetic => {
                "Cycles in which an arithmetic operation issues. From afar: the share of such \
                 cycles is the height."
            }
            Self::Exchange => {
                "Cycles in which an exchange operation issues. From afar: the share of such cycles \
                 is the height."
            }
            Self::Pipeline => {
                "Each operation from its issue to the cycle that writes its result. Click an \
                 operation to see its operands and results. From afar: the share of cycles with \
                 an arithmetic operation is the height."
            }
            Self::Bank(_) => {
                "Cycles in which the kernel accesses this bank of local memory. From afar: the \
                 share of such cycles is the height."
            }
            Self::Channel => {
                "What the DMA channel does. In single cycles beats to local memory (get) are in \
                 the upper half, beats from local memory (put) in the lower half."
            }
            Self::Host => {
                "Acts of the host, such as to send a bundle. From afar: the share of cycles in which \
                 kernel and channel wait for the host is the height."
            }
            Self::Flops => {
                "Floating-point operations per cycle. The full height is 40, the most that CP2 \
                 does in a cycle."
            }
        }
    }

    /// Returns the least height of the lane, and its share of what is left; the lane of names has so many rows.
    fn height(self, rows: usize) -> (f32, f32) {
        match self {
            Self::Names => (NAMES_ROW * rows as f32, 0.5),
            Self::Causes => (18.0, 1.2),
            Self::Arithmetic | Self::Exchange => (15.0, 0.4),
            Self::Pipeline => (56.0, 3.0),
            Self::Bank(_) => (11.0, 0.2),
            Self::Channel => (18.0, 0.5),
            Self::Host => (11.0, 0.0),
            Self::Flops => (20.0, 1.0),
        }
    }
}

/// Size of the letters of a name, in points.
const LETTERS: f32 = 12.0;
/// Size of the letters of the name of a bank, in points.
const BANK_LETTERS: f32 = 11.0;
/// Least size of letters, in points.
const SMALLEST: f32 = 9.0;

/// Name that is drawn beside a lane, at a height.
struct Name {
    text: String,
    y: f32,
    size: f32,
}

/// Lanes of a timeline with their places.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    lanes: Vec<(Lane, Rect)>,
    /// Names of the rows of the lane of names.
    rows: Vec<&'static str>,
    plot: Rect,
}

impl Lanes {
    /// Creates lanes that fill a rectangle below a ruler. `rows` are the names of the rows of the lane of names.
    pub(crate) fn new(
        rect: Rect,
        ruler: f32,
        (banks, has_channel): (usize, bool),
        rows: Vec<&'static str>,
    ) -> Self {
        let mut all =
            vec![Lane::Names, Lane::Causes, Lane::Arithmetic, Lane::Exchange, Lane::Pipeline];
        all.extend((0..banks).map(Lane::Bank));
        if has_channel {
            all.extend([Lane::Channel, Lane::Host]);
        }
        all.push(Lane::Flops);
        let plot = Rect::from_min_max(Pos2::new(rect.left() + GUTTER, rect.top()), rect.max);
        let gap = |lane: Lane| if matches!(lane, Lane::Bank(k) if k > 0) { 2.0 } else { GAP };
        let least: f32 = all.iter().map(|&lane| lane.height(rows.len()).0 + gap(lane)).sum();
        let shares: f32 = all.iter().map(|&lane| lane.height(rows.len()).1).sum();
        let room = rect.height() - ruler - 4.0;
        // In a low window all of them shrink.
        let scale = (room / least).min(1.0);
        let rest = (room - least).max(0.0) / shares;
        let mut y = rect.top() + ruler;
        let lanes = all.into_iter().map(|lane| {
            let (least, share) = lane.height(rows.len());
            y += gap(lane) * scale;
            let height = (least * scale + share * rest).floor();
            let rect = Rect::from_x_y_ranges(plot.x_range(), y.round()..=y.round() + height);
            y += height;
            (lane, rect)
        });
        let lanes = lanes.collect();
        Self { lanes, rows, plot }
    }

    /// Returns the rectangle in which cycles are drawn, ruler included.
    pub(crate) fn plot(&self) -> Rect {
        self.plot
    }

    /// Returns the rectangle of a lane, if there is one.
    pub(crate) fn of(&self, lane: Lane) -> Option<Rect> {
        self.lanes.iter().find(|(known, _)| *known == lane).map(|(_, rect)| *rect)
    }

    /// Returns whether a height is in the lane of names or above it.
    pub(crate) fn is_above_causes(&self, y: f32) -> bool {
        self.of(Lane::Names).is_some_and(|rect| y <= rect.bottom())
    }

    /// Returns the lane at a height.
    pub(crate) fn at(&self, y: f32) -> Option<Lane> {
        self.lanes.iter().find(|(_, rect)| rect.y_range().contains(y)).map(|(lane, _)| *lane)
    }

    /// Returns all lanes with their rectangles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Lane, Rect)> + '_ {
        self.lanes.iter().copied()
    }

    /// Returns the names of the lanes. Banks that are too low for names have one together; no two names overlap.
    fn names(&self) -> Vec<Name> {
        let is_bank = |lane: Lane| matches!(lane, Lane::Bank(_));
        let banks: Vec<Rect> =
            self.iter().filter(|(lane, _)| is_bank(*lane)).map(|(_, rect)| rect).collect();
        let is_low = banks.windows(2).any(|pair| pair[1].top() - pair[0].top() < BANK_LETTERS);
        let (mut names, mut end) = (Vec::new(), f32::NEG_INFINITY);
        for (lane, rect) in self.iter() {
            let row = rect.height() / self.rows.len().max(1) as f32;
            if lane == Lane::Names && row >= SMALLEST + 2.0 {
                let size = (row - 2.0).min(BANK_LETTERS).floor();
                for (k, name) in self.rows.iter().enumerate() {
                    let y = rect.top() + row * (k as f32 + 0.5);
                    end = y + size / 2.0;
                    names.push(Name { text: (*name).to_owned(), y, size });
                }
                continue;
            }
            let (text, y, most) = match lane {
                Lane::Bank(0) if is_low => {
                    let all = banks.iter().fold(rect, |all, bank| all.union(*bank));
                    (format!("Banks 0 to {}", banks.len() - 1), all.center().y, BANK_LETTERS)
                }
                Lane::Bank(_) if is_low => continue,
                Lane::Bank(_) => (lane.name(), rect.center().y, BANK_LETTERS),
                _ => (lane.name(), rect.center().y, LETTERS),
            };
            // Letters take about as much height as their size.
            let room = 2.0 * (y - end);
            let size = most.min(room).floor();
            if size >= SMALLEST {
                end = y + size / 2.0;
                names.push(Name { text, y, size });
            }
        }
        names
    }

    /// Draws the names and grounds of the lanes.
    pub(crate) fn frame(&self, ui: &Ui, theme: Theme) {
        let painter = ui.painter();
        for (_, rect) in self.iter() {
            painter.rect_filled(rect, 2.0, theme.panel);
        }
        for Name { text, y, size } in self.names() {
            let at = Pos2::new(self.plot.left() - 8.0, y);
            painter.text(at, Align2::RIGHT_CENTER, text, sans(size), theme.weak);
        }
        painter.vline(self.plot.left(), self.plot.y_range(), Stroke::new(1.0, theme.line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::Vec2;

    #[test]
    fn names_do_not_overlap_however_low_the_window_is() {
        for (height, banks) in [(90.0, 8), (160.0, 2), (210.0, 8), (300.0, 4), (700.0, 8)] {
            let rect = Rect::from_min_size(Pos2::ZERO, Vec2::new(1000.0, height));
            let rows = vec!["Run", "Iteration", "Stage", "Page", "Kernel"];
            let names = Lanes::new(rect, 24.0, (banks, true), rows).names();
            assert!(names.len() >= 4, "{height}: {}", names.len());
            for pair in names.windows(2) {
                let room = pair[1].y - pair[0].y;
                let needed = (pair[0].size + pair[1].size) / 2.0;
                assert!(room + 0.01 >= needed, "{} {} at {height}", pair[0].text, pair[1].text);
            }
        }
    }

    #[test]
    fn lanes_do_not_overlap_and_fill_what_there_is() {
        for (height, banks) in [(160.0, 2), (300.0, 2), (700.0, 8), (240.0, 8)] {
            let rect = Rect::from_min_size(Pos2::ZERO, Vec2::new(1000.0, height));
            let lanes = Lanes::new(rect, 24.0, (banks, true), vec!["Run", "Stage", "Kernel"]);
            let all: Vec<_> = lanes.iter().collect();
            for pair in all.windows(2) {
                assert!(pair[0].1.bottom() <= pair[1].1.top() + 1.0, "{pair:?} {height}");
            }
            let end = all.last().map_or(0.0, |(_, rect)| rect.bottom());
            assert!(end <= height + 1.0 && end > height - 30.0, "{end} of {height}");
            let middle = lanes.of(Lane::Pipeline).expect("a lane").center().y;
            assert_eq!(lanes.at(middle), Some(Lane::Pipeline));
        }
    }
}
