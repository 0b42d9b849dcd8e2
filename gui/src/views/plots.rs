//! Occupancy, flops per cycle and conflicts over the cycles in view, and the roofline of the run and its loops.

use crate::model::palette::Hue;
use crate::model::session::Session;
use crate::model::viewport::{Viewport, grouped, short};
use crate::theme::{Theme, mono, sans};
use crate::views::parts::{self, Quads};
use cp2_analysis::roofline::{Ceiling, CeilingQuantity, Roofline, RooflinePoint};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_isa::Cycle;
use cp2_recording::Leaf;
use egui::{Align2, Color32, Painter, Pos2, Rect, Sense, Stroke, Ui, Vec2};

/// Most stretches of a chart.
const STRETCHES: usize = 240;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let view = session.plotted();
    let account = session.account();
    let Some(run) = session.opened() else { return };
    let leaves = leaves(run, &view);
    let account = account.map_err(|why| why.to_string());
    let has_channel = run.info().is_some_and(|info| info.config.is_some());
    let (rect, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let (columns, gap) = (2.0, 10.0);
    let size = Vec2::new((rect.width() - gap) / columns, (rect.height() - gap) / 2.0);
    let place = |k: usize| {
        let offset = Vec2::new((size.x + gap) * (k % 2) as f32, (size.y + gap) * (k / 2) as f32);
        Rect::from_min_size(rect.min + offset, size)
    };
    tips(ui, has_channel, place);
    occupancy(ui, theme, place(0), &view, &leaves);
    let peak = account
        .as_ref()
        .ok()
        .and_then(|a| a.as_ref()?.roofline.ceilings.first().map(|c| c.rate))
        .unwrap_or(40.0);
    let flops = |leaf: &Leaf| leaf.counts.total_flops() as f64 / leaf.cycles().max(1) as f64;
    area(
        ui,
        theme,
        place(1),
        &view,
        &leaves,
        ("Flops per cycle", peak),
        theme.cause(Cause::Both),
        flops,
    );
    if has_channel {
        let conflicts = |leaf: &Leaf| {
            100.0 * leaf.counts.dma.bank_conflicts() as f64 / leaf.cycles().max(1) as f64
        };
        let most = leaves.iter().map(conflicts).fold(1.0, f64::max);
        let colour = theme.hue(Hue::Channel(ChannelCause::Conflict));
        area(
            ui,
            theme,
            place(2),
            &view,
            &leaves,
            ("DMA waits for a bank, % of cycles", most),
            colour,
            conflicts,
        );
    } else {
        banks(ui, theme, place(2), &view, &leaves);
    }
    match &account {
        Ok(Some(account)) => roofline(ui, theme, place(3), &account.roofline),
        Ok(None) => {
            let text = "Counting the cycles of the run…";
            message(ui, theme, place(3), text);
        }
        Err(why) => message(ui, theme, place(3), why),
    }
}

/// Draws an empty roofline with the reason.
fn message(ui: &Ui, theme: Theme, place: Rect, text: &str) {
    let inside = title(ui, theme, place, ROOFLINE);
    let text = ui.painter().layout(text.to_owned(), sans(12.5), theme.weak, inside.width() - 16.0);
    ui.painter().galley(inside.center() - text.size() / 2.0, text, theme.weak);
}

/// Title of the roofline.
const ROOFLINE: &str = "Roofline, flops/cycle by flops/word";

/// Explains each chart under the pointer.
fn tips(ui: &mut Ui, has_channel: bool, place: impl Fn(usize) -> Rect) {
    let id = ui.scope_id().with("charts");
    let chart = |k: usize| ui.interact(place(k), id.with(k), Sense::hover());
    chart(0).on_hover_ui_at_pointer(|ui| {
        let text = "What the cycles in view were for, percent of the cycles (vertical), by cycle \
                    (horizontal). Cycles without a kernel are left blank.";
        parts::causes_tip(ui, text);
    });
    chart(1).on_hover_text_at_pointer(
        "Floating-point operations per cycle (vertical), by cycle (horizontal). The top is the \
         most that the machine does in a cycle.",
    );
    chart(2).on_hover_text_at_pointer(if has_channel {
        "Cycles in which a beat of the DMA channel waits because the kernel uses its bank, percent \
         of the cycles (vertical), by cycle (horizontal)."
    } else {
        "Cycles in which the kernel accesses a bank of local memory, percent of the cycles \
         (vertical), by cycle (horizontal). The strongest colour is bank 0; the layers of all banks \
         stand on each other."
    });
    chart(3).on_hover_text_at_pointer(
        "Floating-point operations per cycle (vertical) by floating-point operations per word of \
         local memory that is read or written (horizontal), both logarithmic. Lines are the \
         ceilings of the machine. The large point is the whole run, or the span whose cycles are counted, each small point a loop.",
    );
}

/// Returns the stretches over the cycles in view, neighbours together so that a chart has room for them.
fn leaves(run: &mut crate::model::run::OpenRun, view: &Viewport) -> Vec<Leaf> {
    let mut fine: Vec<Leaf> = Vec::new();
    run.for_each_stretch(view, STRETCHES, |leaf| fine.push(leaf.clone()));
    let per = fine.len().div_ceil(STRETCHES).max(1);
    let joined = fine.chunks(per).filter_map(|chunk| {
        let mut all = chunk.first()?.clone();
        chunk[1..].iter().for_each(|leaf| all.counts.add(&leaf.counts));
        all.end = chunk.last()?.end;
        Some(all)
    });
    joined.collect()
}

/// Draws a frame with a title; returns the rectangle to draw in.
fn title(ui: &Ui, theme: Theme, place: Rect, text: &str) -> Rect {
    ui.painter().text(
        place.min + Vec2::new(4.0, 8.0),
        Align2::LEFT_CENTER,
        text,
        sans(12.0),
        theme.text,
    );
    let inside =
        Rect::from_min_max(place.min + Vec2::new(38.0, 22.0), place.max - Vec2::new(8.0, 18.0));
    ui.painter().rect_filled(inside, 2.0, theme.panel);
    inside
}

fn x_axis(ui: &Ui, theme: Theme, inside: Rect, view: &Viewport) {
    let painter = ui.painter();
    let y = inside.bottom() + 10.0;
    let at = Pos2::new(inside.left() - 8.0, y);
    painter.text(at, Align2::RIGHT_CENTER, "cycle", mono(9.5), theme.weak);
    let (marks, step) = view.marks(f64::from(inside.width()), 80.0);
    let mut taken = f32::NEG_INFINITY;
    for cycle in marks {
        let x = inside.left() + inside.width() * view.part(cycle.0 as f64) as f32;
        if !inside.x_range().contains(x) {
            continue;
        }
        let below = inside.bottom()..=inside.bottom() + 3.0;
        painter.vline(x, below, Stroke::new(1.0, theme.line));
        let text = if step >= 1_000_000 { short(cycle.0 as f64) } else { grouped(cycle) };
        let text = painter.layout_no_wrap(text, mono(9.5), theme.weak);
        let width = text.size().x;
        let left = (x - width / 2.0).clamp(inside.left() - 2.0, inside.right() + 6.0 - width);
        if left < taken + 8.0 {
            continue;
        }
        taken = left + width;
        painter.galley(Pos2::new(left, y - text.size().y / 2.0), text, theme.weak);
    }
}

fn y_axis(ui: &Ui, theme: Theme, inside: Rect, most: f64, unit: &str) {
    for part in [0.0, 0.5, 1.0] {
        let y = inside.bottom() - inside.height() * part as f32;
        ui.painter().hline(inside.x_range(), y, Stroke::new(1.0, theme.line));
        let n = most * part;
        let text =
            if most < 10.0 && n > 0.0 { format!("{n:.1}{unit}") } else { format!("{n:.0}{unit}") };
        ui.painter().text(
            Pos2::new(inside.left() - 4.0, y),
            Align2::RIGHT_CENTER,
            text,
            mono(9.5),
            theme.weak,
        );
    }
}

fn cell(inside: Rect, view: &Viewport, leaf: &Leaf, from: f64, to: f64) -> Rect {
    let x = |cycle: Cycle| inside.left() + inside.width() * view.part(cycle.0 as f64) as f32;
    let y = |part: f64| inside.bottom() - inside.height() * part.clamp(0.0, 1.0) as f32;
    Rect::from_x_y_ranges(x(leaf.begin)..=x(leaf.end), y(to)..=y(from)).intersect(inside)
}

fn occupancy(ui: &Ui, theme: Theme, place: Rect, view: &Viewport, leaves: &[Leaf]) {
    let inside = title(ui, theme, place, "Occupancy, % of cycles");
    let mut quads = Quads::default();
    for leaf in leaves {
        let mut base = 0.0;
        for cause in Cause::ALL {
            let part = leaf.counts.causes[cause as usize] as f64 / leaf.cycles().max(1) as f64;
            quads.add(cell(inside, view, leaf, base, base + part), theme.cause(cause));
            base += part;
        }
    }
    quads.paint(ui.painter());
    y_axis(ui, theme, inside, 100.0, "");
    x_axis(ui, theme, inside, view);
}

#[expect(
    clippy::too_many_arguments,
    reason = "a chart is its place, its axes, its colour and its values"
)]
fn area(
    ui: &Ui,
    theme: Theme,
    place: Rect,
    view: &Viewport,
    leaves: &[Leaf],
    (name, most): (&str, f64),
    colour: Color32,
    value: impl Fn(&Leaf) -> f64,
) {
    let inside = title(ui, theme, place, name);
    let mut quads = Quads::default();
    for leaf in leaves {
        quads.add(cell(inside, view, leaf, 0.0, value(leaf) / most), theme.tint(colour, 0.75));
    }
    quads.paint(ui.painter());
    y_axis(ui, theme, inside, most, "");
    x_axis(ui, theme, inside, view);
}

fn banks(ui: &Ui, theme: Theme, place: Rect, view: &Viewport, leaves: &[Leaf]) {
    let inside = title(ui, theme, place, "Bank accesses, % of cycles");
    let banks = leaves.iter().map(|leaf| leaf.counts.banks.len()).max().unwrap_or(0);
    let mut quads = Quads::default();
    for leaf in leaves {
        let mut base = 0.0;
        for (k, &n) in leaf.counts.banks.iter().enumerate() {
            let part = n as f64 / leaf.cycles().max(1) as f64;
            let shade = 0.85 - 0.5 * k as f32 / banks.max(1) as f32;
            quads.add(
                cell(inside, view, leaf, base, base + part),
                theme.tint(theme.cause(Cause::Exchange), shade),
            );
            base += part;
        }
    }
    quads.paint(ui.painter());
    y_axis(ui, theme, inside, 100.0, "");
    x_axis(ui, theme, inside, view);
}

/// Logarithms to base 2 of the least and the greatest value on both axes of the roofline.
const LOGARITHMS: (f64, f64) = (-4.0, 6.0);

/// Plane of the roofline, both axes logarithmic.
struct Plane {
    inside: Rect,
}

impl Plane {
    /// Returns the place of a value on an axis, as a part of its length.
    fn part(value: f64) -> f32 {
        ((value.log2() - LOGARITHMS.0) / (LOGARITHMS.1 - LOGARITHMS.0)) as f32
    }

    fn x(&self, value: f64) -> f32 {
        self.inside.left() + self.inside.width() * Self::part(value)
    }

    fn y(&self, value: f64) -> f32 {
        self.inside.bottom() - self.inside.height() * Self::part(value)
    }
}

/// Draws the roofline: flops per cycle by flops per word of local memory.
fn roofline(ui: &Ui, theme: Theme, place: Rect, roofline: &Roofline) {
    let inside = title(ui, theme, place, ROOFLINE);
    let plane = Plane { inside };
    let painter = ui.painter().with_clip_rect(inside);
    grid(ui, theme, &plane, &painter);
    let names = ceilings(theme, &plane, &painter, &roofline.ceilings);
    points(theme, &plane, &painter, &roofline.points, names);
}

/// Draws the lines of the powers of two, and their values.
fn grid(ui: &Ui, theme: Theme, plane: &Plane, painter: &Painter) {
    let inside = plane.inside;
    // In a low chart only every other line has its value.
    let is_low = inside.height() < 90.0;
    for k in [-4, -2, 0, 2, 4, 6] {
        let value = f64::from(k).exp2();
        painter.vline(plane.x(value), inside.y_range(), Stroke::new(1.0, theme.line));
        painter.hline(inside.x_range(), plane.y(value), Stroke::new(1.0, theme.line));
        let text = if k < 0 { format!("1/{}", 1 << -k) } else { (1 << k).to_string() };
        ui.painter().text(
            Pos2::new(plane.x(value), inside.bottom() + 10.0),
            Align2::CENTER_CENTER,
            &text,
            mono(9.5),
            theme.weak,
        );
        if !is_low || k % 4 == 0 {
            ui.painter().text(
                Pos2::new(inside.left() - 5.0, plane.y(value)),
                if k == -4 { Align2::RIGHT_BOTTOM } else { Align2::RIGHT_CENTER },
                text,
                mono(9.5),
                theme.weak,
            );
        }
    }
}

/// Draws the ceilings of the machine per cycle and per word of local memory; returns the places of their names.
fn ceilings(theme: Theme, plane: &Plane, painter: &Painter, ceilings: &[Ceiling]) -> Vec<Rect> {
    let mut names = Vec::new();
    let inside = plane.inside;
    let flat = ceilings.iter().find(|c| c.per == CeilingQuantity::Cycle).map_or(40.0, |c| c.rate);
    for ceiling in ceilings {
        let colour = theme.weak;
        match ceiling.per {
            CeilingQuantity::Cycle => {
                painter.hline(inside.x_range(), plane.y(ceiling.rate), Stroke::new(1.5, colour));
                let at = Pos2::new(inside.left() + 6.0, plane.y(ceiling.rate) + 8.0);
                let font = sans(10.5);
                names.push(painter.text(at, Align2::LEFT_CENTER, ceiling.name, font, colour));
            }
            CeilingQuantity::LocalWord => {
                let (low, knee) = (LOGARITHMS.0.exp2(), flat / ceiling.rate);
                painter.line_segment(
                    [
                        Pos2::new(plane.x(low), plane.y(low * ceiling.rate)),
                        Pos2::new(plane.x(knee), plane.y(flat)),
                    ],
                    Stroke::new(1.5, colour),
                );
                // Below the line, which rises to the right.
                let at = Pos2::new(plane.x(low) + 26.0, plane.y(low * ceiling.rate) + 4.0);
                let font = sans(10.5);
                names.push(painter.text(at, Align2::LEFT_CENTER, ceiling.name, font, colour));
            }
            _ => {}
        }
    }
    names
}

/// Draws the points that the run and its loops reach.
fn points(
    theme: Theme,
    plane: &Plane,
    painter: &Painter,
    points: &[RooflinePoint],
    mut taken: Vec<Rect>,
) {
    let inside = plane.inside;
    for (k, point) in points.iter().enumerate() {
        let Some(words) = point.flops_per_word().filter(|w| *w > 0.0) else { continue };
        let rate = point.flops_per_cycle();
        if rate <= 0.0 {
            continue;
        }
        let colour = if k == 0 { theme.accent() } else { theme.cause(Cause::Both) };
        let at = Pos2::new(plane.x(words), plane.y(rate));
        painter.circle_filled(at, if k == 0 { 5.0 } else { 3.5 }, colour);
        let galley = painter.layout_no_wrap(short_name(&point.name), sans(10.5), theme.text);
        let room = Rect::from_min_size(at + Vec2::new(8.0, -7.0), galley.size());
        let room = if room.right() > inside.right() {
            room.translate(Vec2::new(-galley.size().x - 16.0, 0.0))
        } else {
            room
        };
        // Names that would lie on others are left to the table of `cp2 stats`.
        if room.left() >= inside.left() && !taken.iter().any(|other| other.intersects(room)) {
            painter.galley(room.min, galley, theme.text);
            taken.push(room);
        }
    }
}

/// Returns the name of a part of the run, of a line in a file of a very long name the number alone.
fn short_name(name: &str) -> String {
    match name.rsplit_once(':') {
        Some((_, line)) if name.chars().count() > MOST_LETTERS => format!("line {line}"),
        _ => name.to_owned(),
    }
}

/// Most letters of a name beside a point.
const MOST_LETTERS: usize = 24;

pub(crate) fn csv(session: &mut Session) -> String {
    let names: Vec<&str> = Cause::ALL.into_iter().map(Cause::name).collect();
    let mut text = format!("begin,end,{},flops_per_cycle,conflicts\n", names.join(","));
    let view = session.plotted();
    let account = session.account();
    let Some(run) = session.opened() else { return text };
    for leaf in leaves(run, &view) {
        let causes: Vec<String> = leaf.counts.causes.iter().map(u64::to_string).collect();
        let rate = leaf.counts.total_flops() as f64 / leaf.cycles().max(1) as f64;
        text += &format!(
            "{},{},{},{rate:.4},{}\n",
            leaf.begin,
            leaf.end,
            causes.join(","),
            leaf.counts.dma.bank_conflicts()
        );
    }
    if let Ok(Some(account)) = &account {
        text += "\nname,flops_per_word,flops_per_cycle,bound\n";
        for point in &account.roofline.points {
            let words = point.flops_per_word().map_or(String::new(), |w| format!("{w:.4}"));
            let bound = point.bound.map_or(String::new(), |(name, _)| name.to_owned());
            text += &format!(
                "{},{words},{:.4},{bound}\n",
                parts::csv(&point.name),
                point.flops_per_cycle()
            );
        }
    }
    text
}
