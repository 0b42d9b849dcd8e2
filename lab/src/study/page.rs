//! A study as a page of HTML: the answer, the front as a picture with names under the pointer, and tables.

use super::answer::interval_text;
use super::{FrontMachine, Study, StudyPoint, WorkloadGain};
use crate::costs::RunEnergy;
use crate::picture::{Chart, Curve, CurveForm, Mark, PictureAxis, Shade};
use cp2_analysis::palette::{GROUND, INK, MUTED, NEUTRAL};
use cp2_document::html::{escaped, filled};
use std::collections::HashSet;
use std::fmt::Write as _;

const TEMPLATE: &str = include_str!("page.html");
/// Half pixels of the field of a picture, along its axes.
const WIDE: f64 = 1400.0;
const HIGH: f64 = 800.0;

/// Returns a share with its spread.
fn share_text(gain: &WorkloadGain) -> String {
    let spread = gain.spread.share.map_or(String::new(), |[low, high]| {
        let doubt = if gain.is_share_below_spread() { ", below the spread" } else { "" };
        format!(" ({low:.1} to {high:.1}{doubt})")
    });
    format!("{:.2}{spread}", gain.gain.share)
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
        let colours = [("ground", GROUND), ("ink", INK), ("soft", MUTED), ("line", NEUTRAL)];
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
                ("{{picture}}", &self.chart().svg().unwrap_or_default()),
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
        let row = |one: &FrontMachine| {
            let FrontMachine { point, extra_area, uncounted, energy, at_ends, .. } = one;
            let [fast, slow] = at_ends;
            let cells: String =
                point.each.iter().map(|speed| format!("<td>{speed:.3}</td>")).collect();
            let uj = |energy: &Option<RunEnergy>| {
                let value = energy.as_ref().map(|energy| energy.nj.value / 1000.0);
                value.map_or("-".to_owned(), |uj| format!("{uj:.1}"))
            };
            let nj: Vec<String> = energy.iter().map(uj).collect();
            let class =
                if point.machine == self.best.point.machine { " class=\"best\"" } else { "" };
            let speed = point.ranged(point.speed_up);
            let doubt = if one.is_below_spread() { ", gain below its spread" } else { "" };
            format!(
                "<tr{class}><th>{}</th><td>{:.2}{}</td><td>{:.1} to {:.1}</td><td>{:.3}</td><td>{:.3} to {:.3}</td><td>{slow:.3} to {fast:.3}{doubt}</td>{cells}<td>{}</td></tr>\n",
                escaped(&point.name),
                point.extra_area,
                if uncounted.is_empty() { "" } else { " at least" },
                extra_area.low,
                extra_area.high,
                speed.value,
                speed.low,
                speed.high,
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
                "<tr><th>{}</th><td>{:.2}</td><td>{:.2}</td><td>{}</td><td>{:.2} ({:.1} to {:.1}{})</td>",
                escaped(&worth.name),
                worth.all.gain.alone,
                worth.all.gain.last,
                share_text(&worth.all),
                worth.with_clock.value,
                worth.with_clock.low,
                worth.with_clock.high,
                if worth.with_clock.is_below_spread(0.0) { ", below the spread" } else { "" }
            );
            for gain in &worth.each {
                let [low, high] = gain.spread.alone;
                let doubt = if gain.is_below_spread() { ", below the spread" } else { "" };
                let _ =
                    write!(rows, "<td>{:.2} ({low:.1} to {high:.1}{doubt})</td>", gain.gain.alone);
            }
            rows += "</tr>\n";
        }
        rows
    }

    /// Returns the machines within the limit of area that others beat; of those within half a pixel the first.
    fn beaten(&self) -> impl Iterator<Item = &StudyPoint> {
        let most = self.most_extra_area.unwrap_or(f64::INFINITY);
        let inside = move || self.points.iter().filter(move |point| point.extra_area <= most);
        let per_span = |of: fn(&StudyPoint) -> f64, pixels: f64| {
            let low = inside().map(of).fold(f64::INFINITY, f64::min);
            let high = inside().map(of).fold(f64::NEG_INFINITY, f64::max);
            pixels / (high - low).max(1e-9)
        };
        let along = per_span(|point| point.extra_area, WIDE);
        let up = per_span(|point| point.speed_up, HIGH);
        let mut taken = HashSet::new();
        inside().filter(move |point| {
            let is_front = self.front.iter().any(|one| one.point.machine == point.machine);
            let place = [point.extra_area * along, point.speed_up * up].map(|x| x.round() as i64);
            !is_front && taken.insert(place)
        })
    }

    /// Returns the picture of the machines within the limit of area: the front as steps with names, beaten ones pale.
    pub fn chart(&self) -> Chart {
        let at = |point: &StudyPoint| (point.extra_area, point.speed_up);
        let mark = |point: &StudyPoint, name: &str, shade: Shade| {
            let title = format!(
                "{}: {:+.2} % area, speed-up {:.3}{}",
                point.name,
                point.extra_area,
                point.speed_up,
                interval_text(&point.ranged(point.speed_up), 1.0)
            );
            Mark { name: name.to_owned(), title, at: at(point), shade }
        };
        let mut marks: Vec<Mark> =
            self.beaten().map(|point| mark(point, "", Shade::Pale)).collect();
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for FrontMachine { point, .. } in &self.front {
            // Between two machines there is none: the front is a step.
            if let Some(&(_, y)) = steps.last() {
                steps.push((point.extra_area, y));
            }
            steps.push(at(point));
            let is_best = point.machine == self.best.point.machine;
            let shade = if is_best { Shade::Best } else { Shade::Series(0) };
            marks.push(mark(point, &point.name, shade));
        }
        if let (Some(&(_, y)), Some(end)) =
            (steps.last(), marks.iter().map(|mark| mark.at.0).max_by(f64::total_cmp))
        {
            steps.push((end, y));
        }
        let axis = |label: &str| PictureAxis { label: label.to_owned(), is_log: false };
        let key = |(shade, text): (Shade, &str)| (shade, text.to_owned());
        let form = CurveForm::Strong;
        Chart {
            title: format!("Area and speed-up of machines on {}", self.machine),
            axes: [axis("percent of area more"), axis("speed-up, geometric mean")],
            keys: [
                (Shade::Best, "best by the goal"),
                (Shade::Series(0), "no other beats it"),
                (Shade::Pale, "beaten"),
            ]
            .map(key)
            .to_vec(),
            curves: vec![Curve {
                name: String::new(),
                points: steps,
                shade: Shade::Series(0),
                form,
            }],
            marks,
        }
    }
}
