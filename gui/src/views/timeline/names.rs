//! Names in time: nested spans of iterations, stages, pages, kernels, loops and passes above the other lanes; a click makes the other
//! views count the cycles of a span.

use crate::model::palette::Hue;
use crate::model::run::OpenRun;
use crate::model::session::{CountedSpan, Session};
use crate::model::spans::{NamedSpan, RunSpans, within};
use crate::model::viewport::{Detail, Viewport, WINDOW, grouped};
use crate::theme::Theme;
use crate::views::parts::{self, Quads, count};
use crate::views::timeline::{Lane, Lanes, Tip};
use cp2_isa::{BundleAddress, Cycle};
use egui::{Color32, Pos2, Rect, Ui};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Narrowest span that is drawn by itself, in points.
const NARROW: f32 = 1.5;

/// Span as it is drawn: its cycles, and its name.
struct Drawn<'a> {
    cycles: Range<Cycle>,
    name: Cow<'a, str>,
    colour: usize,
}

/// Draws the names, and the host between kernels; returns what is under the pointer.
pub(super) fn draw(
    ui: &Ui,
    session: &mut Session,
    lanes: &Lanes,
    hovered: Option<Pos2>,
) -> Option<Tip> {
    let theme = Theme::of(ui.visuals());
    let rect = lanes.of(Lane::Names)?;
    let view = session.view.clone();
    let whole = session.opened()?.info()?.provenance.title.clone();
    let spans = session.opened()?.spans()?;
    if view.detail() != Detail::Cycles {
        host(ui, theme, lanes, &view, &spans);
    }
    let names = rows(session);
    let mut rows = match view.detail() {
        Detail::Cycles => close_up(session, &view, &spans),
        _ => from_afar(&view, &spans, whole),
    };
    let rows = rows.split_off(rows.len().saturating_sub(names.len()));
    let count = rows.len().max(1);
    let mut tip = None;
    for (k, row) in rows.into_iter().enumerate() {
        let height = rect.height() / count as f32;
        let top = rect.top() + height * k as f32;
        let place = Rect::from_x_y_ranges(rect.x_range(), top..=top + height - 1.0);
        let found = spans_of_row(ui, theme, &view, place, row, hovered);
        tip = found.map(tip_of).or(tip);
    }
    tip
}

/// Returns the names of the rows at the resolution of the view. Their number is the same at all resolutions, so that the other
/// lanes keep their places.
pub(super) fn rows(session: &mut Session) -> Vec<&'static str> {
    let is_close = session.view.detail() == Detail::Cycles;
    let spans = session.opened().and_then(OpenRun::spans);
    let steps: Vec<&'static str> = match &spans {
        Some(spans) => spans.rows().into_iter().map(|(name, _)| name).collect(),
        None => vec!["Stage"],
    };
    let afar: Vec<&'static str> = ["Run"].into_iter().chain(steps).chain(["Kernel"]).collect();
    if !is_close {
        return afar;
    }
    let mut all = afar.clone();
    all.extend(["Loop", "Pass"]);
    all.split_off(all.len() - afar.len())
}

/// Returns the rows from afar: the run, steps from outer to inner ones, kernels.
fn from_afar<'a>(view: &Viewport, spans: &'a RunSpans, whole: String) -> Vec<Vec<Drawn<'a>>> {
    let range = view.cycles();
    let drawn = |span: &NamedSpan| Drawn {
        cycles: span.cycles.clone(),
        name: spans.name(span).into(),
        colour: span.name,
    };
    let run = Drawn { cycles: view.whole(), name: whole.into(), colour: 0 };
    let row = |of: &[NamedSpan]| within(of, &range).iter().map(drawn).collect();
    let steps = spans.rows().into_iter().map(|(_, of)| row(of));
    [vec![run]].into_iter().chain(steps).chain([row(&spans.kernels)]).collect()
}

/// Returns the rows of single cycles: those from afar, innermost loops, passes of these.
fn close_up<'a>(
    session: &mut Session,
    view: &Viewport,
    spans: &'a RunSpans,
) -> Vec<Vec<Drawn<'a>>> {
    let mut rows = from_afar(view, spans, String::new());
    let (mut loops, mut passes): (Vec<Drawn<'a>>, Vec<Drawn<'a>>) = (Vec::new(), Vec::new());
    let mut before: Option<(Cycle, BundleAddress)> = None;
    let Some(run) = session.opened() else { return rows };
    let range = view.cycles();
    for block in range.start.0 / WINDOW..=(range.end.0 - 1) / WINDOW {
        let Some(window) = run.window(block) else { continue };
        for record in &window.cycles {
            let Some(address) = record.operations.first().map(|event| event.address) else {
                continue;
            };
            let cycle = record.number;
            let kernel = spans.kernel_in(cycle);
            let inner = kernel.and_then(|span| spans.innermost(span.program, address));
            let Some((body, name)) = inner else {
                before = None;
                continue;
            };
            let goes_on = before.is_some() && loops.last().is_some_and(|last| last.name == *name);
            let is_next = before.is_none_or(|(_, last)| address <= last) || !goes_on;
            match loops.last_mut().filter(|_| goes_on) {
                Some(last) => last.cycles.end = cycle + 1,
                None => loops.push(Drawn {
                    cycles: cycle..cycle + 1,
                    name: name.as_str().into(),
                    colour: body.start.index(),
                }),
            }
            match passes.last_mut().filter(|_| !is_next) {
                Some(last) => last.cycles.end = cycle + 1,
                None => passes.push(Drawn {
                    cycles: cycle..cycle + 1,
                    name: "pass".into(),
                    colour: passes.len(),
                }),
            }
            before = Some((cycle, address));
        }
    }
    rows.extend([loops, passes]);
    rows
}

/// Draws the spans of a row, those that are too narrow together; returns the one under the pointer.
fn spans_of_row<'a>(
    ui: &Ui,
    theme: Theme,
    view: &Viewport,
    place: Rect,
    row: Vec<Drawn<'a>>,
    hovered: Option<Pos2>,
) -> Option<Drawn<'a>> {
    let x = |cycle: Cycle| place.left() + place.width() * view.part(cycle.0 as f64) as f32;
    let mut quads = Quads::default();
    let mut narrow: Option<(f32, f32)> = None;
    let mut texts = Vec::new();
    let mut found = None;
    for span in row {
        let (left, right) = (x(span.cycles.start), x(span.cycles.end));
        let cell = Rect::from_x_y_ranges(
            left.max(place.left())..=(right - 0.5).min(place.right()),
            place.y_range(),
        );
        if right - left < NARROW {
            narrow = match narrow {
                Some((begin, end)) if left - end < NARROW => Some((begin, right)),
                other => {
                    other.into_iter().for_each(|gap| quads.add(block(place, gap), theme.line));
                    Some((left, right))
                }
            };
        } else {
            narrow.take().into_iter().for_each(|gap| quads.add(block(place, gap), theme.line));
            quads.add(cell, colour(theme, span.colour));
            if cell.width() > 24.0 {
                texts.push((cell, span.name.clone()));
            }
        }
        if hovered
            .is_some_and(|at| place.contains(at) && (left..right.max(left + 1.0)).contains(&at.x))
        {
            found = Some(span);
        }
    }
    narrow.into_iter().for_each(|gap| quads.add(block(place, gap), theme.line));
    let painter = ui.painter().with_clip_rect(place);
    quads.paint(&painter);
    let size = (place.height() - 2.0).min(10.5);
    if size >= 8.0 {
        for (cell, name) in texts {
            let at = Pos2::new(cell.left() + 4.0, cell.center().y);
            parts::clipped(ui, at, cell.width() - 6.0, &name, size, theme.text);
        }
    }
    found
}

fn block(place: Rect, (begin, end): (f32, f32)) -> Rect {
    Rect::from_x_y_ranges(begin..=end.max(begin + 1.0), place.y_range()).intersect(place)
}

/// Returns the ground of a name: a colour of its own, so weak that letters are read on it.
fn colour(theme: Theme, number: usize) -> Color32 {
    theme.tint(theme.hue(Hue::Name(number)), 0.30)
}

fn tip_of(span: Drawn<'_>) -> Tip {
    let Drawn { cycles, name, .. } = span;
    let name = name.into_owned();
    let length = count(cycles.end - cycles.start, "cycle");
    let place = format!("{length}, from cycle {} on", grouped(cycles.start));
    let hint = "Click: the other views count these cycles. Double-click: show them.".to_owned();
    Tip {
        title: name.clone(),
        lines: vec![(None, place), (None, hint)],
        operation: None,
        span: Some(CountedSpan { name, cycles }),
    }
}

/// Draws the cycles between kernels that wait for the host, from afar.
fn host(ui: &Ui, theme: Theme, lanes: &Lanes, view: &Viewport, spans: &Arc<RunSpans>) {
    let Some(rect) = lanes.of(Lane::Host) else { return };
    let x = |cycle: Cycle| rect.left() + rect.width() * view.part(cycle.0 as f64) as f32;
    let range = view.cycles();
    let from = spans.pauses.partition_point(|pause| pause.cycles.end <= range.start);
    let to = spans.pauses.partition_point(|pause| pause.cycles.start < range.end);
    // Columns of points: the share of their cycles that wait for the host.
    let mut columns = vec![0.0_f32; (rect.width() as usize / 2).max(1)];
    let per_column = rect.width() / columns.len() as f32;
    for pause in &spans.pauses[from..to.max(from)] {
        let length = (pause.cycles.end - pause.cycles.start).max(1);
        let share = pause.host as f32 / length as f32;
        let (left, right) =
            (x(pause.cycles.start) - rect.left(), x(pause.cycles.end) - rect.left());
        let (first, last) = (left.max(0.0) / per_column, right.max(0.0) / per_column);
        for k in first as usize..columns.len().min(last.ceil() as usize) {
            let part = last.min(k as f32 + 1.0) - first.max(k as f32);
            columns[k] += share * part.clamp(0.0, 1.0);
        }
    }
    let mut quads = Quads::default();
    for (k, part) in columns.into_iter().enumerate() {
        let left = rect.left() + per_column * k as f32;
        let height = rect.height() * part.min(1.0);
        let cell =
            Rect::from_x_y_ranges(left..=left + per_column, rect.bottom() - height..=rect.bottom());
        quads.add(cell, theme.tint(theme.hue(Hue::Host), 0.8));
    }
    quads.paint(&ui.painter().with_clip_rect(rect));
}
