//! The timeline from afar: every column of points has the counts of many cycles.

use crate::model::palette::{Hue, kernel_name};
use crate::model::session::Session;
use crate::model::viewport::grouped;
use crate::theme::{Theme, mono};
use crate::views::parts::Quads;
use crate::views::timeline::{Lane, Lanes, Tip};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_isa::Cycle;
use cp2_recording::Leaf;
use egui::{Align2, Color32, Pos2, Rect, Stroke, Ui};
use std::collections::VecDeque;

/// Width of a column, in points.
const COLUMN: f32 = 2.0;
/// Most banks that a core has.
const BANKS: usize = 8;

/// Counts of the cycles of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Column {
    begin: f32,
    end: f32,
    cycles: u64,
    causes: [u64; 6],
    flops: u64,
    banks: [u64; BANKS],
    channel: [u64; 7],
    first: Cycle,
    last: Cycle,
}

impl Column {
    fn add(&mut self, leaf: &Leaf) {
        let counts = &leaf.counts;
        if self.cycles == 0 {
            self.first = leaf.begin;
        }
        self.last = leaf.end;
        self.cycles += leaf.cycles();
        let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(&mut self.causes, &counts.causes);
        add(&mut self.banks, &counts.banks);
        add(&mut self.channel, &counts.dma.causes);
        self.flops += counts.total_flops();
    }

    fn part(&self, count: u64) -> f32 {
        count as f32 / self.cycles.max(1) as f32
    }

    fn both_or(&self, cause: Cause) -> u64 {
        self.causes[Cause::Both as usize] + self.causes[cause as usize]
    }
}

/// Columns of points into which stretches are gathered.
#[derive(Debug, Default)]
struct Columns(Vec<Column>);

impl Columns {
    fn add(&mut self, leaf: &Leaf, (begin, end): (f32, f32)) {
        match self.0.last_mut() {
            Some(last) if last.end - last.begin < COLUMN && begin >= last.begin => {
                last.end = end.max(last.end);
                last.add(leaf);
            }
            _ => {
                let mut column = Column { begin, end, ..Column::default() };
                column.add(leaf);
                self.0.push(column);
            }
        }
    }
}

/// Visits the stretches in view, the finest that are at hand and that columns can show.
fn for_each(session: &mut Session, width: f32, visit: impl FnMut(&Leaf)) {
    let view = session.view.clone();
    if let Some(run) = session.opened() {
        run.for_each_stretch(&view, (width / COLUMN) as usize, visit);
    }
}

pub(super) fn draw(
    ui: &Ui,
    session: &mut Session,
    lanes: &Lanes,
    hovered: Option<Pos2>,
) -> Option<Tip> {
    let theme = Theme::of(ui.visuals());
    let plot = lanes.plot();
    let view = session.view.clone();
    let x = |cycle: Cycle| plot.left() + plot.width() * view.part(cycle.0 as f64) as f32;
    let mut columns = Columns::default();
    for_each(session, plot.width(), |leaf| columns.add(leaf, (x(leaf.begin), x(leaf.end))));
    let mut runs = Runs::default();
    for column in &columns.0 {
        let (begin, end) = (column.begin.max(plot.left()), column.end.min(plot.right()));
        for (lane, rect) in lanes.iter() {
            let cell = Rect::from_x_y_ranges(begin..=end, rect.y_range());
            lane_cell(&mut runs, theme, lane, cell, column);
        }
    }
    runs.paint(&ui.painter().with_clip_rect(plot));
    scale(ui, theme, lanes);
    let at = hovered?;
    let column = columns.0.iter().find(|c| (c.begin..c.end).contains(&at.x))?;
    Some(tip(theme, column, lanes))
}

/// Cells of the timeline, those of neighbouring columns that look alike as one: a renderer in software pays for every
/// rectangle, most of all for narrow ones.
#[derive(Default)]
struct Runs {
    done: Quads,
    open: VecDeque<(Rect, Color32)>,
}

impl Runs {
    /// Most cells of a column.
    const OPEN: usize = 32;

    fn add(&mut self, cell: Rect, colour: Color32) {
        // Between points there is no pixel that could show a difference.
        let y = |y: f32| (2.0 * y).round() / 2.0;
        let cell = Rect::from_x_y_ranges(cell.x_range(), y(cell.top())..=y(cell.bottom()));
        let goes_on = |(before, its): &&mut (Rect, Color32)| {
            *its == colour
                && before.y_range() == cell.y_range()
                && (before.right() - cell.left()).abs() < 0.01
        };
        match self.open.iter_mut().find(goes_on) {
            Some((before, _)) => before.max.x = cell.right(),
            None => self.open.push_back((cell, colour)),
        }
        if self.open.len() > Self::OPEN {
            self.done.extend(self.open.pop_front());
        }
    }

    fn paint(mut self, painter: &egui::Painter) {
        self.done.extend(self.open);
        self.done.paint(painter);
    }
}

fn filled(cell: Rect, from: f32, to: f32) -> Rect {
    let y = |part: f32| cell.bottom() - cell.height() * part.clamp(0.0, 1.0);
    Rect::from_x_y_ranges(cell.x_range(), y(to)..=y(from))
}

/// Draws the cell of a lane for the counts of a column.
fn lane_cell(quads: &mut Runs, theme: Theme, lane: Lane, cell: Rect, column: &Column) {
    let mut one = |count: u64, colour| quads.add(filled(cell, 0.0, column.part(count)), colour);
    match lane {
        Lane::Causes => {
            let mut base = 0.0;
            for cause in Cause::ALL {
                let part = column.part(column.causes[cause as usize]);
                quads.add(filled(cell, base, base + part), theme.cause(cause));
                base += part;
            }
        }
        Lane::Arithmetic => one(column.both_or(Cause::Arithmetic), theme.cause(Cause::Arithmetic)),
        Lane::Exchange => one(column.both_or(Cause::Exchange), theme.cause(Cause::Exchange)),
        // As full as the arithmetic slot: an operation takes a stage for every cycle from its issue on.
        Lane::Pipeline => {
            one(
                column.both_or(Cause::Arithmetic),
                theme.tint(theme.cause(Cause::Arithmetic), 0.55),
            );
        }
        Lane::Bank(k) => {
            one(column.banks[k.min(BANKS - 1)], theme.tint(theme.cause(Cause::Exchange), 0.8));
        }
        Lane::Channel => {
            let mut base = 0.0;
            for cause in SHOWN {
                let part = column.part(column.channel[cause as usize]);
                quads.add(filled(cell, base, base + part), theme.hue(Hue::Channel(cause)));
                base += part;
            }
        }
        Lane::Flops => {
            let part = column.flops as f32 / column.cycles.max(1) as f32 / PEAK;
            quads.add(filled(cell, 0.0, part), theme.tint(theme.cause(Cause::Both), 0.7));
        }
        // Drawn from the pauses between kernels.
        Lane::Host | Lane::Names => {}
    }
}

/// Most floating-point operations of a cycle: a butterfly of 10 in every section.
const PEAK: f32 = 40.0;

/// Causes of the channel from the bottom of its lane up.
pub(super) const SHOWN: [ChannelCause; 6] = [
    ChannelCause::Beat,
    ChannelCause::Conflict,
    ChannelCause::Memory,
    ChannelCause::Sync,
    ChannelCause::Fetch,
    ChannelCause::SetUp,
];

fn scale(ui: &Ui, theme: Theme, lanes: &Lanes) {
    let painter = ui.painter();
    if let Some(rect) = lanes.of(Lane::Flops) {
        painter.hline(rect.x_range(), rect.top(), Stroke::new(1.0, theme.line));
        let at = Pos2::new(rect.left() + 10.0, rect.top() + 7.0);
        painter.text(at, Align2::LEFT_CENTER, "40", mono(10.0), theme.weak);
    }
}

fn tip(theme: Theme, column: &Column, lanes: &Lanes) -> Tip {
    let percent = |n: u64| 100.0 * column.part(n);
    let mut lines = Vec::new();
    for cause in Cause::ALL {
        let n = column.causes[cause as usize];
        if n > 0 {
            lines.push((
                Some(theme.cause(cause)),
                format!("{:5.1} %  {}", percent(n), kernel_name(cause)),
            ));
        }
    }
    let idle = column.cycles.saturating_sub(column.causes.iter().sum());
    if idle > 0 {
        lines.push((Some(theme.hue(Hue::Idle)), format!("{:5.1} %  No kernel", percent(idle))));
    }
    if lanes.of(Lane::Channel).is_some() {
        for cause in SHOWN {
            let n = column.channel[cause as usize];
            if n > 0 {
                let colour = theme.hue(Hue::Channel(cause));
                lines.push((
                    Some(colour),
                    format!("{:5.1} %  DMA: {}", percent(n), cause.description()),
                ));
            }
        }
    }
    let rate = column.flops as f64 / column.cycles.max(1) as f64;
    lines.push((None, format!("{rate:.2} flops per cycle")));
    let title = format!("Cycles {} to {}", grouped(column.first), grouped(column.last - 1));
    Tip { title, lines, operation: None, span: None }
}

pub(super) fn csv(session: &mut Session) -> String {
    let mut text = "begin,end,both_slots,arithmetic_only,exchange_only,empty,nullified,sync_hold,flops,banks,dma_idle,dma_set_up,dma_fetch,dma_sync,dma_memory,dma_beat,dma_conflict\n".to_owned();
    for_each(session, 2000.0, |leaf| {
        let list = |numbers: &[u64], by: &str| {
            numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(by)
        };
        let Leaf { begin, end, counts } = leaf;
        text += &format!(
            "{begin},{end},{},{},{},{}\n",
            list(&counts.causes, ","),
            counts.total_flops(),
            list(&counts.banks, " "),
            list(&counts.dma.causes, ",")
        );
    });
    text
}
