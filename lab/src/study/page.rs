//! A study as a page of HTML: the answer, the front as a picture with names under the pointer, and tables.

use super::{FrontMachine, Study, StudyPoint};
use crate::costs::RunEnergy;
use cp2_analysis::palette::{BANKS, BETTER, MARK, NEUTRAL};
use cp2_document::html::{escaped, filled};
use std::collections::HashSet;
use std::fmt::Write as _;

const TEMPLATE: &str = include_str!("page.html");
/// Size of the picture, and of what stands around its field: left, top, right, bottom.
const SIZE: (f64, f64) = (900.0, 460.0);
const ROOM: (f64, f64, f64, f64) = (64.0, 16.0, 24.0, 52.0);

/// Scale of an axis: its values, and the places of their ends in the picture.
struct Axis {
    values: [f64; 2],
    places: [f64; 2],
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, places: [f64; 2]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        let room = if high > low { 0.05 * (high - low) } else { 0.1 * high.abs().max(1.0) };
        Self { values: [low - room, high + room], places }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value - self.values[0]) / (self.values[1] - self.values[0]);
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    fn ticks(&self) -> Vec<f64> {
        let least = (self.values[1] - self.values[0]) / 7.0;
        let power = 10_f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(least);
        let first = (self.values[0] / step).ceil() as i64;
        let last = (self.values[1] / step).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

impl Study {
    /// Returns the study as a page of HTML that needs no other file.
    pub fn page(&self) -> String {
        let words: String =
            self.words().iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect();
        let step = |step: &super::answer::SiliconStep| {
            format!(
                "<tr><td>{}</td><td>{}</td></tr>\n",
                step.percents_text(),
                escaped(&step.sentence)
            )
        };
        let silicon: String = self.silicon().iter().map(step).collect();
        let title = format!("Which change of {} is worth its silicon", self.machine);
        let colours = [("mark", MARK), ("line", NEUTRAL), ("front", BANKS[0]), ("best", BETTER)];
        let of = |is_dark: bool| -> String {
            let one = |(name, colour): &(&str, cp2_analysis::palette::Colour)| {
                format!("--{name}: {};", if is_dark { colour.dark } else { colour.light })
            };
            colours.iter().map(one).collect()
        };
        filled(
            TEMPLATE,
            &[
                ("{{title}}", &escaped(&title)),
                ("{{light}}", &of(false)),
                ("{{dark}}", &of(true)),
                ("{{words}}", &words),
                ("{{picture}}", &self.picture()),
                ("{{silicon}}", &silicon),
                ("{{front}}", &self.front_rows()),
                ("{{worth}}", &self.worth_rows()),
                ("{{heads}}", &self.heads()),
                ("{{command}}", &escaped(&self.command)),
                ("{{version}}", env!("CARGO_PKG_VERSION")),
            ],
        )
    }

    fn heads(&self) -> String {
        self.workloads.iter().map(|work| format!("<th>{}</th>", escaped(&work.name))).collect()
    }

    fn front_rows(&self) -> String {
        let row = |FrontMachine { point, extra_area, energy, .. }: &FrontMachine| {
            let cells: String =
                point.each.iter().map(|speed| format!("<td>{speed:.3}</td>")).collect();
            let uj = |energy: &Option<RunEnergy>| {
                let value = energy.as_ref().map(|energy| energy.nj.value / 1000.0);
                value.map_or("-".to_owned(), |uj| format!("{uj:.1}"))
            };
            let nj: Vec<String> = energy.iter().map(uj).collect();
            let class =
                if point.machine == self.best.point.machine { " class=\"best\"" } else { "" };
            format!(
                "<tr{class}><th>{}</th><td>{:.2}</td><td>{:.1} to {:.1}</td><td>{:.3}</td>{cells}<td>{}</td></tr>\n",
                escaped(&point.name),
                point.extra_area,
                extra_area.low,
                extra_area.high,
                point.speed_up,
                nj.join(", ")
            )
        };
        self.front.iter().map(row).collect()
    }

    fn worth_rows(&self) -> String {
        let mut rows = String::new();
        for worth in &self.worth {
            let _ = write!(
                rows,
                "<tr><th>{}</th><td>{:.2}</td><td>{:.2}</td><td>{:.2}</td>",
                escaped(&worth.name),
                worth.all.alone,
                worth.all.last,
                worth.all.share
            );
            for gain in &worth.each {
                let [low, high] = gain.spread;
                let doubt = if gain.is_below_spread { ", below the spread" } else { "" };
                let _ =
                    write!(rows, "<td>{:.2} ({low:.1} to {high:.1}{doubt})</td>", gain.gain.alone);
            }
            rows += "</tr>\n";
        }
        rows
    }

    /// Returns the picture of the machines within the limit of area: the front as steps with names, beaten ones pale.
    fn picture(&self) -> String {
        let (width, height) = SIZE;
        let (left, top, right, bottom) = ROOM;
        let most = self.most_extra_area.unwrap_or(f64::INFINITY);
        let all = || self.points.iter().filter(|point| point.extra_area <= most);
        let x = Axis::new(all().map(|point| point.extra_area), [left, width - right]);
        let y = Axis::new(all().map(|point| point.speed_up), [height - bottom, top]);
        let mut svg = ground(&x, &y);
        let is_front = |machine: usize| self.front.iter().any(|one| one.point.machine == machine);
        let at = |point: &StudyPoint| (x.place(point.extra_area), y.place(point.speed_up));
        let mut taken = HashSet::new();
        for point in all().filter(|point| !is_front(point.machine)) {
            let place = at(point);
            // Of machines at one place the first is drawn.
            if taken.insert([place.0, place.1].map(|part| (part * 2.0).round() as i64)) {
                svg += &dot("beaten", place, 2.5, &title(point));
            }
        }
        let mut path = String::new();
        for one in &self.front {
            let (px, py) = at(&one.point);
            let _ = match path.is_empty() {
                true => write!(path, "M{px:.1} {py:.1}"),
                false => write!(path, "H{px:.1}V{py:.1}"),
            };
        }
        let _ = writeln!(svg, "<path class=\"step\" d=\"{path}H{:.1}\"/>", width - right);
        let mut named: Vec<f64> = Vec::new();
        for one in &self.front {
            let is_best = one.point.machine == self.best.point.machine;
            let place = at(&one.point);
            let class = if is_best { "chosen" } else { "front" };
            svg += &dot(class, place, 5.0, &title(&one.point));
            // A name that would lie on another one is left to the pointer and the table.
            let line = place.1 + 16.0;
            if named.iter().all(|other| (other - line).abs() > 24.0) {
                named.push(line);
                svg += &name((place.0, line), &one.point.name);
            }
        }
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"area and speed-up of machines\">\n{svg}</svg>"
        )
    }
}

/// Returns lines and numbers of both axes.
fn ground(x: &Axis, y: &Axis) -> String {
    let (width, height) = SIZE;
    let (left, top, right, bottom) = ROOM;
    let (floor, end) = (height - bottom, width - right);
    let mut svg = String::new();
    for tick in x.ticks() {
        let (place, text) = (x.place(tick), short(tick));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{top}\" y2=\"{floor:.1}\"/>\
             <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            floor + 18.0
        );
    }
    for tick in y.ticks() {
        let (place, text) = (y.place(tick), short(tick));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{end:.1}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            left - 8.0,
            place + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">percent of area more</text>\n\
         <text class=\"axis\" transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">speed-up, geometric mean</text>",
        f64::midpoint(left, end),
        height - 10.0,
        f64::midpoint(top, floor)
    );
    svg
}

/// Returns the name of a machine beside its dot.
fn name((x, line): (f64, f64), text: &str) -> String {
    let (anchor, shift) = if x < SIZE.0 / 2.0 { ("start", 9.0) } else { ("end", -9.0) };
    format!(
        "<text class=\"name\" x=\"{:.1}\" y=\"{line:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
        x + shift,
        escaped(text)
    )
}

fn title(point: &StudyPoint) -> String {
    format!("{}: {:+.2} % area, speed-up {:.3}", point.name, point.extra_area, point.speed_up)
}

fn dot(class: &str, (x, y): (f64, f64), radius: f64, title: &str) -> String {
    format!(
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>\n",
        escaped(title)
    )
}

fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
