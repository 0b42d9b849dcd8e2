//! Prints the page `specs/src/gpu.md` from the data of runs.

use cp2_gpu_procedures::cg::{FramedEll, SlicedEll};
use cp2_kernels::sparse::matrices::{CLASS_A, CLASS_S, CLASS_W, npb_cg_rows};
use serde_json::Value;

const PAGE: &str = include_str!("../data/page.md");
const DATA: &str = include_str!("../data/2026-11-28.jsonl");

/// Data of runs, a report each.
struct Runs(Vec<Value>);

fn text<'v>(report: &'v Value, name: &str) -> &'v str {
    report[name].as_str().unwrap_or_default()
}

/// Returns a number of a report.
fn figure(report: &Value, name: &str) -> Option<f64> {
    let all = report["figures"].as_array()?;
    all.iter().find(|figure| figure["name"] == name)?["value"].as_f64()
}

/// Returns a number with four significant digits; a dash if there is none.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}

/// Returns a table in Markdown.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    let lines = [head, rule].into_iter().chain(rows);
    lines.map(|cells| line(&cells)).collect::<Vec<_>>().join("\n")
}

impl Runs {
    /// Returns the last reports of subjects that a test takes, on so many devices, in the order of the data.
    fn of(&self, devices: usize, is_taken: impl Fn(&str) -> bool) -> Vec<&Value> {
        let is_right = |report: &&Value| {
            let count = report["devices"].as_array().map_or(0, Vec::len);
            count == devices
                && report["devices"][0] == DEVICES[devices - 1]
                && is_taken(text(report, "subject"))
        };
        let mut found: Vec<&Value> = Vec::new();
        for report in self.0.iter().filter(is_right) {
            match found.iter_mut().find(|old| old["subject"] == report["subject"]) {
                Some(old) => *old = report,
                None => found.push(report),
            }
        }
        found
    }

    fn rows(
        &self,
        devices: usize,
        is_taken: impl Fn(&str) -> bool,
        names: &[&str],
    ) -> Vec<Vec<String>> {
        let row = |report: &Value| {
            let verified = if report["verified"] == true { "" } else { " (not verified)" };
            let name = if report["verified"].is_null() { "" } else { verified };
            let mut cells = vec![format!("{}{name}", text(report, "subject"))];
            cells.extend(names.iter().map(|name| number(figure(report, name))));
            cells
        };
        self.of(devices, is_taken).into_iter().map(row).collect()
    }
}

/// Devices of the tables of one device and of two.
const DEVICES: [&str; 2] = ["NVIDIA H100 80GB HBM3", "NVIDIA H200"];

/// Columns of the tables of FT by pages, and the numbers in them.
const PAGED: [&str; 8] = [
    "run",
    "s",
    "transform, ms",
    "transfers alone, ms",
    "kernels alone, ms",
    "overlap, %",
    "BW, GB/s",
    "ratio, %",
];
const PAGES: [&str; 7] = ["seconds", "time", "moves", "kernels", "overlap", "bw", "ratio"];

fn kernels(measured: &Value) -> String {
    let all = ["resid", "smooth", "proj", "interp", "rise", "descend", "sliced", "sorted"];
    let row = |name: &&str| {
        let share = format!("{name}_share");
        vec![(*name).to_owned(), number(figure(measured, name)), number(figure(measured, &share))]
    };
    table(&["kernel", "MOPS", "percent of the copy rate"], all.iter().map(row).collect())
}

fn padding() -> String {
    let classes = [("S", CLASS_S), ("W", CLASS_W), ("A", CLASS_A)];
    let row = |(name, class): (&str, _)| {
        let matrix = npb_cg_rows(class);
        let nonzeros = matrix.values.len() as f64;
        let factor = |length: usize| format!("{:.2}", length as f64 / nonzeros);
        let sliced = |h| SlicedEll::new(&matrix, h, 1).map_or(0, |packed| packed.values.len());
        let framed = |h| FramedEll::new(&matrix, h, 1024).map_or(0, |packed| packed.values.len());
        let mut cells = vec![name.to_owned()];
        cells.extend([4, 8, 32, 128, class.order].map(|h| factor(sliced(h))));
        cells.extend([4, 8, 32].map(|h| factor(framed(h))));
        cells
    };
    let head = ["class", "H 4", "8", "32", "128", "ELL", "4 x 1024", "8 x 1024", "32 x 1024"];
    table(&head, classes.into_iter().map(row).collect())
}

fn main() -> Result<(), String> {
    let reports = DATA.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    let runs = Runs(reports.map_err(|e| e.to_string())?);
    let measured = *runs.of(1, |s| s == "measure").last().ok_or("no measurement")?;
    let products = runs.rows(
        1,
        |s| ["cusparse", "sliced", "framed"].iter().any(|w| s.starts_with(w)),
        &["product"],
    );
    let fastest =
        products.iter().filter_map(|row| row[1].parse().ok()).fold(f64::INFINITY, f64::min);
    let when = |report: &Value| {
        let count = report["devices"].as_array().map_or(0, Vec::len);
        let (name, driver) =
            (report["devices"][0].as_str().unwrap_or_default(), text(report, "driver"));
        let many = if count == 1 { "One" } else { "Two" };
        format!("{many} {name}, driver {driver}, {}", text(report, "date"))
    };
    let mg = ["seconds", "gops", "estimate", "ratio", "bound_share"];
    let filled = [
        ("device", when(measured)),
        (
            "mg",
            table(
                &["run", "s", "GOPS (NPB)", "estimate, s", "ratio, %", "bound, %"],
                runs.rows(1, |s| s.starts_with("mg "), &mg),
            ),
        ),
        (
            "cg",
            table(
                &["run", "s", "GOPS (NPB)", "estimate, s", "ratio, %"],
                runs.rows(1, |s| s.starts_with("cg "), &mg[..4]),
            ),
        ),
        (
            "ft",
            table(
                &["run", "s", "GOPS (NPB)", "an iteration, ms", "passes"],
                runs.rows(
                    1,
                    |s| s.ends_with("resident") || s.starts_with("cufft"),
                    &["seconds", "gops", "iteration", "passes"],
                ),
            ),
        ),
        ("copy", number(figure(measured, "bw_cp"))),
        ("kernels", kernels(measured)),
        ("products", table(&["product", "us"], products.clone())),
        ("sectors", number(Some(36_121_058.0 * 44e-12 / fastest * 1e6))),
        ("pages", table(&PAGED, runs.rows(1, |s| s.ends_with("pages"), &PAGES))),
        ("devices", when(runs.of(2, |s| s == "measure").last().ok_or("no measurement of two")?)),
        (
            "two",
            table(
                &[
                    "run",
                    "s",
                    "GOPS (NPB)",
                    "kernels alone, s",
                    "synchronous, s",
                    "overlap, %",
                    "estimate, s",
                    "ratio, %",
                ],
                runs.rows(
                    2,
                    |s| s.starts_with("mg"),
                    &["seconds", "gops", "kernels", "synchronous", "overlap", "estimate", "ratio"],
                ),
            ),
        ),
        (
            "two-products",
            table(
                &[
                    "run",
                    "s",
                    "GOPS (NPB)",
                    "a product, us",
                    "formula 2.21, us",
                    "estimate, s",
                    "ratio, %",
                ],
                runs.rows(
                    2,
                    |s| s.starts_with("cg"),
                    &["seconds", "gops", "product", "product_estimate", "estimate", "ratio"],
                ),
            ),
        ),
        ("two-pages", table(&PAGED, runs.rows(2, |s| s.ends_with("pages"), &PAGES))),
        ("padding", padding()),
    ];
    let page = filled
        .iter()
        .fold(PAGE.to_owned(), |page, (name, text)| page.replace(&format!("{{{{{name}}}}}"), text));
    let page = page.replacen(
        '\n',
        "\n\n<!-- Made by `cargo xtask bless gpu` from `gpu/procedures/data/`. -->\n",
        1,
    );
    print!("{page}");
    Ok(())
}
