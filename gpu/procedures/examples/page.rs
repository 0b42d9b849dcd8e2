//! Prints the page `specs/src/gpu.md` from the data of runs.

use cp2_gpu_procedures::cg::{FramedEll, SlicedEll};
use cp2_kernels::sparse::matrices::{CLASS_A, CLASS_S, CLASS_W, npb_cg_rows};
use serde_json::Value;

const PAGE: &str = include_str!("../data/page.md");
const DATA: &str =
    concat!(include_str!("../data/2026-11-28.jsonl"), include_str!("../data/2026-11-29.jsonl"));

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

    /// Returns a table of these reports, a row each.
    fn table(&self, devices: usize, is_taken: impl Fn(&str) -> bool, columns: &Columns) -> String {
        let row = |report: &Value| {
            let note = if report["verified"] == false { " (not verified)" } else { "" };
            let mut cells = vec![format!("{}{note}", text(report, "subject"))];
            cells.extend(columns.iter().map(|(_, name)| number(figure(report, name))));
            cells
        };
        let head: Vec<&str> =
            std::iter::once("run").chain(columns.iter().map(|column| column.0)).collect();
        table(&head, self.of(devices, is_taken).into_iter().map(row).collect())
    }
}

/// Devices of the tables of one device and of two.
const DEVICES: [&str; 2] = ["NVIDIA H100 80GB HBM3", "NVIDIA H200"];

/// Columns of a table: their heads, and the numbers in them.
type Columns = [(&'static str, &'static str)];

/// Columns of the runs of MG on one device; those of CG are all but the last.
const MG: [(&str, &str); 5] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
    ("bound, %", "bound_share"),
];
/// Columns of the transforms of a resident array.
const FT: [(&str, &str); 4] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("an iteration, ms", "iteration"),
    ("passes", "passes"),
];
/// Columns of FT by pages.
const PAGED: [(&str, &str); 7] = [
    ("s", "seconds"),
    ("transform, ms", "time"),
    ("transfers alone, ms", "moves"),
    ("kernels alone, ms", "kernels"),
    ("overlap, %", "overlap"),
    ("BW, GB/s", "bw"),
    ("ratio, %", "ratio"),
];
/// Columns of MG on two devices.
const TWO: [(&str, &str); 7] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("kernels alone, s", "kernels"),
    ("synchronous, s", "synchronous"),
    ("overlap, %", "overlap"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
];
/// Columns of CG on two devices.
const PRODUCTS: [(&str, &str); 6] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("a product, us", "product"),
    ("formula 2.21, us", "product_estimate"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
];

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

/// Returns the cards, driver and date of a report.
fn when(report: &Value) -> String {
    let many = if report["devices"].as_array().map_or(0, Vec::len) == 1 { "One" } else { "Two" };
    let name = report["devices"][0].as_str().unwrap_or_default();
    format!("{many} {name}, driver {}, {}", text(report, "driver"), text(report, "date"))
}

/// Returns the parts of the page about one device, by their names in it.
fn one_device(runs: &Runs, measured: &Value) -> Vec<(&'static str, String)> {
    let is_product = |s: &str| ["cusparse", "sliced", "framed"].iter().any(|w| s.starts_with(w));
    let products =
        runs.of(1, is_product).into_iter().filter_map(|report| figure(report, "product"));
    let fastest = products.fold(f64::INFINITY, f64::min);
    let is_transform = |s: &str| s.ends_with("resident") || s.starts_with("cufft");
    vec![
        ("device", when(measured)),
        ("mg", runs.table(1, |s| s.starts_with("mg "), &MG)),
        ("cg", runs.table(1, |s| s.starts_with("cg "), &MG[..4])),
        ("ft", runs.table(1, is_transform, &FT)),
        ("copy", number(figure(measured, "bw_cp"))),
        ("kernels", kernels(measured)),
        ("products", runs.table(1, is_product, &[("us", "product")])),
        // A sector of 32 bytes, a value and a column for each nonzero; microseconds, and TB/s.
        ("sectors", number(Some(36_121_058.0 * 44.0 / fastest * 1e-6))),
        ("pages", runs.table(1, |s| s.ends_with("pages"), &PAGED)),
    ]
}

fn main() -> Result<(), String> {
    let reports = DATA.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    let runs = Runs(reports.map_err(|e| e.to_string())?);
    let measured =
        |devices| runs.of(devices, |s| s == "measure").last().copied().ok_or("no measurement");
    let mut parts = one_device(&runs, measured(1)?);
    parts.extend([
        ("devices", when(measured(2)?)),
        ("two", runs.table(2, |s| s.starts_with("mg"), &TWO)),
        ("two-products", runs.table(2, |s| s.starts_with("cg"), &PRODUCTS)),
        ("two-pages", runs.table(2, |s| s.ends_with("pages"), &PAGED)),
        ("padding", padding()),
        (
            "made",
            "<!-- Made by `cargo xtask bless gpu` from `gpu/procedures/data/`. -->".to_owned(),
        ),
    ]);
    let fill = |page: String, (name, text): &(&str, String)| {
        page.replace(&format!("{{{{{name}}}}}"), text)
    };
    print!("{}", parts.iter().fold(PAGE.to_owned(), fill));
    Ok(())
}
